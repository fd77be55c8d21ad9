"""The border: every kernel that Python enters, with the exact types and sizes of what it takes and gives.

Both ways of compiling read this table: ahead of time exports exactly these kernels behind checks of every type and size
(`tools/kernels`), and just in time no second version is compiled because an array came in another type or order.
Kernels are named by their module below `core`, in groups that compile apart from each other.

An argument is a letter, `f` float64, `s` float32, `i` int64, `b` int8, `u` uint64, `t` truth, and, for an array, the
sizes of its axes in brackets; `!` marks those that the kernel writes. Arrays are C-contiguous. A size is a sum or
product of numbers, names and functions of `SIZES`: a name stands for the same size wherever it is met; `_` is any size,
`a|b` one of several, `>=a` at least that, `n>=a` a name that is at least that; `{m=0}` behind a flat array says that
its number at place 0 is m, `{v=1:7}` behind one with rows that from row 1 on its column 7 names v things, counted from
0. A function gives -1 for what cannot be, and has no answer below 0. Behind `->`
stand the letters of what the kernel returns.

Sizes keep every access inside its array as long as the numbers in the arrays are sound: those that name a joint, a
variable, a bone, a row or a place are the caller's to answer for.
"""

import re
from typing import NamedTuple

# m joints and n variables: a flat problem (`core/arm/problem.py`), one with a variable for each joint; links and joints
PROBLEM, OWN_PROBLEM = "f[problem_size(m,n)]{m=0}", "f[own_problem_size(m,n)]{m=0}"
ROBOT = "f[m+1,3,4] f[m,3]{v=0:1}"
# a packed tree: joints, variables, tasks, whether its base is free, rows that couple, longest elimination path,
# corners of a support
TREE = "f[tree_numbers(m,n,t,e,c)]{m=0,n=1,t=2,e=3,r=4,d=5,c=12}"
# tables: seeds, the form of a class, the reduction to two links, the steps of FABRIK-R, none
SEEDS, FORM = "f[>=least_seeds(n)]", "f[form_numbers(kind,n)]{kind=0}"
REDUCTION, STEPS, NONE = "f[reduction_size(form,n)]{form=0}", "f[24*n+24]", "f[0]"
# bodies, pairs, charts and obstacles; parents, lengths and joints of bones; lengths, radii and obstacles of links
WORLD, BONES, LINKS = "f[s,11] i[p,2] f[_,4] f[_,18]", "i[n] f[n] f[n,19]", "f[n] f[n] f[_,18]"
# two surfaces and the joints between them
SURFACES = "f[m+1,3,4] f[m>=1,3]{v=0:1} f[surface_size(t,g,k)]{t=0,g=1,k=2} f[surface_size(T,G,K)]{T=0,G=1,K=2}"
SOLID = "f[>=2,>=2,>=2] f[8] f[_,3]"  # the grid of a solid, its eight numbers, and vectors all about


def solve_with(problem: str, table: str, size: str) -> str:
    """How a method's kernel is called (`core/arm/problem.py`); `size` is the function of its scratch."""
    return f"{problem} {table} f[4,4] f[n|0] f[>={size}(m,n)]! f[n]! f[>=8]! -> i"


def loop_with(problem: str, table: str, size: str) -> str:
    """How a compiled loop over N targets is called; limits, terms and starts are one for all or one each."""
    own, asked = problem.replace("]", "]!"), "f[N|1,2,n] f[N,4,4] f[N|1,15] f[N|1|0,n]"
    return f"{own} {table} {asked} f[>={size}(m,n)]! f[N,n]! f[N,>=8]! b[N]!"


def among_with(problem: str, table: str, size: str) -> str:
    """As `solve_with` among obstacles: with bodies, pairs, charts, obstacles, what is certain and how to search."""
    world = "f[s,11] i[_,2] f[_,4] f[_,18] f[_,9] f[3]"
    return f"{problem} {table} {world} f[4,4] f[n|0] f[>={size}(m,n,s)]! f[n]! f[>=8]! -> i"


def of_joints(n: int, line: str) -> str:
    """The line of an entry that is for n joints alone."""
    return re.sub(r"\bn\b", str(n), line)


# closed forms: of six axes, of seven, of any number; and of six where one of seven joints is held
SIX, SEVEN, ANY = ((OWN_PROBLEM, table, "form_size") for table in ("f[70]", "f[77]", FORM))
DESCENT, REDUCED = solve_with(PROBLEM, NONE, "descent_size"), f"{PROBLEM} {REDUCTION} f[4,4]"

GROUPS: dict[str, dict[str, str]] = {
    "arm": {
        "arm.compact.compact": "f[m+1,3,4] f[m,3] f[m+1,12]!",
        "arm.goal.begin": "f[2,n] f[4,4] f[n|0] f[n]! -> i",
        "arm.goal.find_not_rigid": "f[_,4,4] -> i",
        "arm.goal.find_outside": "f[_,n] f[2,n] -> i",
        "arm.goal.finish": f"{PROBLEM} f[4,4] f[n] f[>=22]! f[>=8]! -> i",
        "arm.kinematics.best_manipulability": f"{ROBOT} f[V,K,n>=v] t[V,K] i f[>=16*m+16+12*n]! f[V]!",
        "arm.kinematics.fk_batch": f"{ROBOT} f[N,>=v] f[N,4,4]!",
        "arm.kinematics.fk_checked": f"{ROBOT} f[>=v] f[4,4]! -> t",
        "arm.kinematics.fk_frames": f"{ROBOT} f[>=v] f[m+1,4,4]!",
        "arm.kinematics.fk_tip": f"{ROBOT} f[>=v] f[4,4]!",
        "arm.kinematics.jacobian": f"{ROBOT} f[n>=v] f[m+1,4,4]! f[6,n]!",
        "arm.kinematics.manipulability": "f[r,c] f[>=r*c]! -> f",
        "general.null_space.settle": f"{PROBLEM} f[4,4] f[n] f[>=settle_size(m,n)]! f[n]! f[>=8]! -> i",
        "general.null_space.settle_many": (
            "f[problem_size(m,n)]!{m=0} f[N|1,2,n] f[N,4,4] f[N|1,15] f[N|1,n] i[_] f[>=settle_size(m,n)]! f[N,n]! "
            "f[N,>=8]!"
        ),
        "general.table.build_seeds": "f[m+1,3,4] f[m>=1,3]{v=0:1} f[2,n>=v] i f[>=n+40]! s[15,M]! f[M,n+9]! f[>=11]!",
        "general.fold.measure_chain": "f[m+1,3,4] f[m>=1,3]{v=0:1} f[2,>=v] i f[>=11]!",
        "general.solve.solve_general": solve_with(PROBLEM, SEEDS, "general_size"),
        "general.solve.solve_general_many": loop_with(PROBLEM, SEEDS, "general_size"),
    },
    "closed forms": {
        "closed_form.held.held_range": "f f f -> f f",
        "closed_form.listing.list_intervals": (
            "f[problem_size(m,7)]{m=0} f[77] f[4,4] f[7] f f[>=144]! f[8]! i[8]! f[8,24,2]!"
        ),
        "closed_form.listing.list_rows": f"{FORM} f[4,4] f[n] f f[>=form_size(n,n)]! f[32,n]! -> i",
        "closed_form.listing.measure_row": f"{OWN_PROBLEM} {FORM} f[4,4] f[>=form_size(m,n)]! f[n]! f[>=8]! -> i",
        "closed_form.listing.row_at_swivel": "f[77] f[4,4] f[7] i f f[7]! -> t",
        "closed_form.listing.swivel_angle": "f[77] f[7] -> f",
        "closed_form.solve.many_parallel": of_joints(6, loop_with(*SIX)),
        "closed_form.solve.many_plane": loop_with(*ANY),
        "closed_form.solve.many_swivel": of_joints(7, loop_with(*SEVEN)),
        "closed_form.solve.many_wrist": of_joints(6, loop_with(*SIX)),
        "closed_form.solve.polish_held": of_joints(7, solve_with(*SIX)),
        "closed_form.solve.polish_parallel": of_joints(6, solve_with(*SIX)),
        "closed_form.solve.polish_plane": solve_with(*ANY),
        "closed_form.solve.polish_swivel": of_joints(7, solve_with(*SEVEN)),
        "closed_form.solve.polish_wrist": of_joints(6, solve_with(*SIX)),
        "closed_form.solve.solve_held": of_joints(7, solve_with(*SIX)),
        "closed_form.solve.solve_parallel": of_joints(6, solve_with(*SIX)),
        "closed_form.solve.solve_plane": solve_with(*ANY),
        "closed_form.solve.solve_swivel": of_joints(7, solve_with(*SEVEN)),
        "closed_form.solve.solve_wrist": of_joints(6, solve_with(*SIX)),
    },
    "branches": {
        "branches.inside.each_once": (f"{PROBLEM} f[4,4] f[n] t[n] f f[k,n] f[>=16+2*n]! f[k]! i[k]! -> i"),
        "branches.inside.measure_rows": f"{PROBLEM} f[4,4] f[k,n] f[>=22]! f[k,n]! f[k,8]! -> i",
        "branches.inside.turn_inside": "f[2,n] f[n] t[n] f f[k,n] f[k,n]! -> i",
        "branches.solve.list_branches": "f[6332] f[4,4] f[>=3036]! f[32,6]! f[8]! -> i",
        "self_motion.solve.map_curves": (
            "f[self_motion_size(k,t)]{k=0,t=1} f[2,7] f[4,4] f[>=15128]! f[_,15]! f[_,4]! f[_,19]! f[8]! -> i i"
        ),
        "self_motion.solve.place_on_curves": (
            "f[self_motion_size(k,t)]{k=0,t=1} f[4,4] f[N,7]! f[N,7]! f[>=15128]! -> i"
        ),
    },
    "charts": {
        "charts.boxes.build_chart": f"{SURFACES} f[n>=v] f[18] f[>=boxes_size(m,n)]! f[>=5,4]! -> i",
        "charts.boxes.least_gaps": f"{SURFACES} f[N,n>=v] f[>=boxes_size(m,n)]! f[N]!",
    },
    "among obstacles": {
        "collision.branches.parallel_among": of_joints(6, among_with(OWN_PROBLEM, "f[70]", "branches_size")),
        "collision.branches.plane_among": among_with(OWN_PROBLEM, FORM, "branches_size"),
        "collision.branches.wrist_among": of_joints(6, among_with(OWN_PROBLEM, "f[70]", "branches_size")),
        "collision.clearance.clearances": (
            "f[c>=1,12]{v=1:7} f[s,11] i[_,2] f[_,4] f[_,18] f f[N,>=v] f[>=stance_size(c-1,s)]! f[N]! i[N,2]!"
        ),
        "collision.clearance.pair_gaps": "f[c>=1,12]{v=1:7} f[s,11] i[p,2] f[N,>=v] f[>=stance_size(c-1,s)]! f[N,p]!",
        "collision.obstacle_rows.chain_gap": "f[_,18] f[n+1,3] f[n] -> f i i",
        "collision.obstacle_rows.point_gap": "f[_,18] f f f -> f i",
        "collision.paper_methods.combined_among": among_with(OWN_PROBLEM, REDUCTION, "combined_among_size"),
        "collision.paper_methods.fabrik_r_among": among_with(OWN_PROBLEM, STEPS, "fabrik_r_among_size"),
        "collision.search.solve_among": among_with(PROBLEM, SEEDS, "search_size"),
        "maths.capsules.off_solid": "f[>=2,>=2,>=2] f[8] f[N,3] f[N]!",
        "maths.capsules.refine": f"{SOLID} f[_,3] f[_,_,6] f[7]! f f[>=14]! -> f",
        "maths.capsules.slim_capsules": "f[N>=1,3] f[a,3] f[>=2*N]! f[3*a,7]!",
        "maths.capsules.spread_round": "f[7] f[s,3] f[2*s,3]!",
        "maths.capsules.stand_out": f"{SOLID} f[k,7] f[k]!",
        "maths.balls.split_balls": "f[N,3] f[N] i[N]! f[_,4]!",
        "collision.swept.free_between": (
            f"f[c>=1,12]{{v=1:7}} {WORLD} f f f[n>=v] f[n] f[>=between_size(c-1,n,s,p)]! -> f"
        ),
        "track.path.measure_path": f"{ROBOT} f[N,4,4] f[N,15] i f[M] f[M,>=v] f[>=53]! f[M,3]!",
        "track.path.place_on_path": "f[N,4,4] f[N,15] i f f[4,4]! f[15]!",
        "track.walk.follow": (
            f"{PROBLEM} f[N>=1,4,4] f[N,15] {WORLD} f f[10] f[n] f[N|0,n] f f[4*n+4]! f[>=walk_size(m,n,s,p)]! f[C,n]! "
            "f[C]! -> i i"
        ),
        "servo.tick.tick": f"{PROBLEM} f[state_size(n)]! f[16] f[4,4] f[>=servo_size(m,n)]! f[n]! -> i",
        "servo.tick.tick_among": (
            f"{PROBLEM} f[state_size(n)]! f[16] f[4,4] {WORLD} f[>=servo_among_size(m,n,s,p)]! f[n]! -> i"
        ),
    },
    "tree": {
        "servo.joints.drive_to": "f[state_size(n)]! f[2,n] f[n] f[n]! -> i",
        "tree.follow.follow_tree": (
            f"{TREE.replace(']', ']!')} f[N,t+0,16] f[3,n+0] f[n+12] f[>=tree_work(m,n,t,e,r,d)]! f[N,n+12]! "
            "f[N,>=tree_report(n,t)]! b[N]!"
        ),
        "tree.solve.begin_tree": "f[w] f[2,w] i[n] f[4,4] t f[n+12]! -> i",
        "tree.solve.solve_tree": (
            f"{TREE} f[tree_table(n,t)] f[n+12|0] f[>=tree_work(m,n,t,e,r,d)]! f[n+12]! f[>=tree_report(n,t)]! -> i"
        ),
        "tree.solve.solve_tree_among": (
            f"{TREE} f[tree_table(n,t)] f[n+12|0] f[s,11] i[_,2] f[_,4] f[_,18] f f[>=tree_among_work(m,n,t,e,r,d,s)]! "
            "f[n+12]! f[>=tree_report(n,t)]! -> i"
        ),
        "tree.among.tree_gaps": (
            f"{TREE} f[s,11] i[_,2] f[_,4] f[_,18] f f[N,n+12] f[>=tree_among_work(m,n,t,e,r,d,s)]! f[N]! i[N,2]!"
        ),
        "tree.among.tree_pair_gaps": (f"{TREE} f[s,11] i[p,2] f[N,n+12] f[>=tree_among_work(m,n,t,e,r,d,s)]! f[N,p]!"),
        "tree.solve.solve_tree_many": (
            f"{TREE.replace(']', ']!')} f[tree_table(n,t)] f[N,t+0,15] f[N|1|0,n+12] f[>=tree_work(m,n,t,e,r,d)]! "
            "f[N,n+12]! f[N,>=tree_report(n,t)]! b[N]!"
        ),
        "tree.starts.build_table": f"{TREE} f[>=tree_work(m,n,t,e,r,d)]! f[tree_table(n,t)]! -> i",
    },
    "bones": {
        "bones.fabrik_free.solve_fabrik_free": "f[n>=1] f[n+1,3] f[3] f f[9] f[2,n,3]! f[n+1,3]! f[>=8]! -> i",
        "bones.fabrik_free.trace_free": "f[n] f[n+1,3] f[3] f f[n+1,3]! f[>=1,n+1,3]! -> i",
        "bones.solve.solve_bones_many": (
            f"{BONES} f[S,n+1,3] f[one_or_each(S,N),n,3] f[N,K>=1,23] f[9] t[N] f[3|0] f[>=bones_size(n,K)]! f[N,n,3]! "
            "f[N,n+1,3]! f[N,>=8]! b[N]!"
        ),
        "bones.fabrik_free.solve_free_many": (
            "f[n>=1] f[N|1,n+1,3] f[N,3] f[N] f[9] f[2,n,3]! f[N,n+1,3]! f[N,>=8]! b[N]!"
        ),
        "bones.pole.swivel_free": "i[n] f[>=1,23] f[3] f t f f[n+1,3]! -> f",
        "bones.pose.pose_of_values": f"{BONES} f[3] f[n,3]! f[>=pose_size(n)]! f[n,3,3]! f[n+1,3]!",
        "bones.pose.values_of_points": f"{BONES} f[n+1,3] f[>=pose_size(n)]! f[n,3]!",
        "bones.solve.solve_bones": (
            f"{BONES} f[3] f[n,3] f[K>=1,23] f[9] f[3|0] f[>=bones_size(n,K)]! f[n,3]! f[n+1,3]! f[>=8]! -> i"
        ),
        "bones.solve.trace_bones": f"{BONES} f[3]! f[n,3]! f[K,23] t f[>=bones_size(n,K)]! f[>=1,n+1,3]! -> i",
    },
    "motions": {
        "motions.near.look_at_motion": "f[L,7] f[S,15] f[_,3] i[P,2] f[_,F,4,4] f f f[L,3]! f[S,6]! f[P,F,5]!",
        "motions.near.place_rows": "i[R] f[R,4,4] t[R] f[F,R] f[F,4,4] f[R+1,F,4,4]!",
        "motions.solve.solve_posed": (
            f"{BONES} f[3] f[n,3] f[K,23] f[L,23] f[M,5] f[n] f[_,18] f f[9] f[>=posing_size(n,K,L,M)]! f[n,3]! "
            "f[n+1,3]! f[>=17]! -> i"
        ),
    },
    "curves": {
        "bezier.close.lay_out": "f[n] f[n+1,3]!",
        "bezier.follow.bend_needed": "f f f -> f",
        "bezier.follow.largest_turn": "f[k,3] f[k,3] -> f",
        "bezier.joint_search.solve_by_search": (
            f"{BONES} f[n] f[_,18] f[3] f[n,3] f[1,23] f[3|0] f[8] f[>=joint_search_size(n)]! f[6]! f[n,3]! f[n+1,3]! "
            "f[>=17]! -> i"
        ),
        "bezier.paper.exact_height": "f[n] f f f f f f[n+1]! f[n+1,2]! -> t f i",
        "bezier.paper.place_on_grid": "f[n>=1] f f f f i i f[n+1,2]! -> f i",
        "bezier.paper.search_binary": "f[n>=1] f f f f i i f f[_]! f[n+1,2]! -> f f i i",
        "bezier.paper.search_linear": "f[n>=1] f f f f i i f f[_]! f[n+1,2]! -> f f i i",
        "bezier.push.repair_or_draw": f"{LINKS} f[3] f[8] f[3,n+1,3]! f[n+1,3]! f[>=17]! -> i i",
        "bezier.solve.solve_bezier": (
            f"{LINKS} f[3] f[3] f[3|0] f[n+1|0,3] f[8] f[>=curve_size(n)]! f[6]! f[n+1,3]! f[>=17]! -> i"
        ),
        "bezier.solve.solve_bezier_limited": (
            "f[n] f[3,n] f[3] f[3] f[3|0] i f[>=curve_size(n)]! f[6]! f[n]! f[n+1,3]! f[>=17]! -> i"
        ),
        "bezier.solve.solve_bezier_plain": "f[n] f[n+1,3] f[3] t f[>=draft_size(n)]! f[6]! f[n+1,3]! f[>=17]! -> i",
    },
    "paper methods": {
        "combined.choice.aim": "f[15] -> f",
        "combined.solve.choose": f"{REDUCED} f[n|0] i f[>=combined_size(m,n)]! f[n]! f[>=8]! -> i",
        "combined.solve.is_near_limits": f"{REDUCED} i f[>=combined_size(m,n)]! f[n] -> t",
        "combined.solve.reduce_and_sweep": f"{REDUCED} f[n|0] f[>=combined_size(m,n)]! f[n]! -> i",
        "combined.solve.solve_combined": solve_with(PROBLEM, REDUCTION, "combined_size"),
        "combined.solve.take_refined": "f[table_size(form)]{form=0} f[4|2] f i f[29]!",
        "combined.sqp.squared_distance": f"{ROBOT} f[3] f[n>=v] f[>=workspace_size(m,n)]! f[n]! -> f",
        "combined.trace.trace_combined": (
            f"f[problem_size(m,n)]{{m=0,sweeps=2,steps=3}} {REDUCTION} f[4,4] f[n] i f[>=combined_size(m,n)]! "
            "i[>=stages_size(sweeps,steps)]! f[>=stages_size(sweeps,steps),4,3]! -> i"
        ),
        "iterative.ccd.solve_ccd": DESCENT,
        "iterative.dls.solve_dls": DESCENT,
        "iterative.fabrik_r.solve_fabrik_r": solve_with(OWN_PROBLEM, STEPS, "fabrik_r_size"),
        "iterative.fabrik_r.trace_fabrik_r": (
            f"{OWN_PROBLEM} {STEPS} f[4,4] f[n] f[>=sweeps_size(n)]! f[>=1,n+1,6]! f[n]!"
        ),
        "iterative.jacobian_transpose.solve_jacobian_transpose": DESCENT,
        "maths.limits.draw_inside": "f[2,n] u f[n]! -> u",
    },
}
ENTRIES = {name: line for group in GROUPS.values() for name, line in group.items()}

# the functions that sizes may call, by the module of `core` they stand in
SIZES: dict[str, str] = {
    "problem_size": "arm.problem",
    "own_problem_size": "arm.problem",
    "general_size": "general.solve",
    "least_seeds": "general.table",
    "settle_size": "general.null_space",
    "form_numbers": "closed_form.forms.plan",
    "form_size": "closed_form.scratch",
    "stance_size": "collision.clearance",
    "boxes_size": "charts.boxes",
    "surface_size": "charts.surfaces",
    "search_size": "collision.search",
    "self_motion_size": "self_motion.layout",
    "branches_size": "collision.branches",
    "between_size": "collision.swept",
    "combined_among_size": "collision.paper_methods",
    "fabrik_r_among_size": "collision.paper_methods",
    "walk_size": "track.walk",
    "servo_size": "servo.tick",
    "servo_among_size": "servo.keep_off",
    "state_size": "servo.state",
    "tree_among_work": "tree.layout",
    "tree_numbers": "tree.layout",
    "tree_report": "tree.layout",
    "tree_table": "tree.layout",
    "tree_work": "tree.layout",
    "one_or_each": "bones.solve",
    "bones_size": "bones.solve",
    "pose_size": "bones.room",
    "posing_size": "motions.solve",
    "draft_size": "bezier.room",
    "curve_size": "bezier.solve",
    "joint_search_size": "bezier.joint_search",
    "table_size": "combined.scratch",
    "reduction_size": "combined.scratch",
    "combined_size": "combined.scratch",
    "stages_size": "combined.trace",
    "workspace_size": "combined.sqp",
    "descent_size": "iterative.dls",
    "fabrik_r_size": "iterative.fabrik_r",
    "sweeps_size": "iterative.fabrik_r_stages",
}

_ARGUMENT = re.compile(r"(?P<letter>[fsibut])(\[(?P<sizes>[^]]+)\])?(?P<written>!)?(\{(?P<reads>[^}]+)\})?")


class Argument(NamedTuple):
    """One argument of an entry."""

    letter: str
    sizes: tuple[str, ...]  # one per axis; none for a number
    written: bool
    reads: dict[str, tuple[int, ...]]  # names that stand for numbers in it: their place, or first row and column


def arguments_of(name: str) -> list[Argument]:
    """The arguments of an entry."""
    found = []
    for text in ENTRIES[name].split("->")[0].split():
        part = _ARGUMENT.fullmatch(text)
        if part is None:
            raise ValueError(f"{name}: '{text}' is no argument")
        reads = dict(pair.split("=") for pair in (part["reads"] or "").split(",") if pair)
        places = {key: tuple(map(int, place.split(":"))) for key, place in reads.items()}
        found.append(Argument(part["letter"], split_sizes(part["sizes"] or ""), bool(part["written"]), places))
    return found


def split_sizes(text: str) -> tuple[str, ...]:
    """Sizes as they stand between commas that are not inside parentheses."""
    return tuple(re.findall(r"(?:[^,(]|\([^)]*\))+", text))


def returns_of(name: str) -> str:
    """The letters of what an entry returns, in order."""
    return ENTRIES[name].partition("->")[2].replace(" ", "")


def types_of(name: str):
    """The types of an entry's arguments, in Numba's words."""
    from numba import types  # noqa: PLC0415 (kernels that arrive compiled need no Numba)

    letters = {
        "f": types.float64,
        "s": types.float32,
        "i": types.int64,
        "b": types.int8,
        "u": types.uint64,
        "t": types.boolean,
    }
    parts = [(letters[part.letter], len(part.sizes)) for part in arguments_of(name)]
    return tuple(types.Array(number, axes, "C") if axes else number for number, axes in parts)


def direct(function):
    """An entry without Numba's look at the types of its arguments: half the cost of calling it.

    The caller answers for the types; a function that Numba does not compile is given back as it is.
    """
    if not hasattr(function, "compile"):
        return function
    name = f"{function.__module__.removeprefix('forearm.core.')}.{function.__name__}"
    return function.compile(types_of(name))
