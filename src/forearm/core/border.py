"""The border: every kernel that Python enters, with the exact types and sizes of what it takes and gives.

Both ways of compiling read this table: ahead of time exports exactly these kernels behind checks of every type and size
(`tools/kernels`), and just in time no second version is compiled because an array came in another type or order.
Kernels are named by their module below `core`, in groups that compile apart from each other.

An argument is a letter, `f` float64, `s` float32, `i` int64, `b` int8, `u` uint64, `t` truth, and, for an array, the
sizes of its axes in brackets; `!` marks those that the kernel writes. Arrays are C-contiguous. A size is a sum or
product of numbers, names and functions of `SIZES`: a name stands for the same size wherever it is met; `_` is any size,
`a|b` one of two, `>=a` at least that; `{m=0}` behind a flat array says that its number at place 0 is m. Behind `->`
stand the letters of what the kernel returns.
"""

import re
from typing import NamedTuple

# how a method's kernel, and a compiled loop over many targets, are called (`core/arm/problem.py`)
SOLVE = "f[_] f[_] f[_,_] f[_] f[_]! f[_]! f[_]! -> i"
LOOP = "f[_]! f[_] f[_,_,_] f[_,_,_] f[_,_] f[_,_] f[_]! f[_,_]! f[_,_]! b[_]!"
# the same among obstacles: with bodies, pairs, obstacles, what is certain and how to search before the goal
AMONG = "f[_] f[_] f[_,_] i[_,_] f[_,_] f[_,_] f[_] f[_,_] f[_] f[_]! f[_]! f[_]! -> i"

GROUPS: dict[str, dict[str, str]] = {
    "arm": {
        "arm.compact.compact": "f[_,_,_] f[_,_] f[_,_]!",
        "arm.goal.begin": "f[_,_] f[_,_] f[_] f[_]! -> i",
        "arm.goal.find_not_rigid": "f[_,_,_] -> i",
        "arm.goal.find_outside": "f[_,_] f[_,_] -> i",
        "arm.goal.finish": "f[_] f[_,_] f[_] f[_]! f[_]! -> i",
        "arm.kinematics.best_manipulability": "f[_,_,_] f[_,_] f[_,_,_] t[_,_] i f[_]! f[_]!",
        "arm.kinematics.fk_batch": "f[_,_,_] f[_,_] f[_,_] f[_,_,_]!",
        "arm.kinematics.fk_checked": "f[_,_,_] f[_,_] f[_] f[_,_]! -> t",
        "arm.kinematics.fk_frames": "f[_,_,_] f[_,_] f[_] f[_,_,_]!",
        "arm.kinematics.fk_tip": "f[_,_,_] f[_,_] f[_] f[_,_]!",
        "arm.kinematics.jacobian": "f[_,_,_] f[_,_] f[_] f[_,_,_]! f[_,_]!",
        "arm.kinematics.manipulability": "f[_,_] f[_]! -> f",
        "general.null_space.settle": "f[_] f[_,_] f[_] f[_]! f[_]! f[_]! -> i",
        "general.null_space.settle_many": "f[_]! f[_,_,_] f[_,_,_] f[_,_] f[_,_] i[_] f[_]! f[_,_]! f[_,_]!",
        "general.seeds.build_seeds": "f[_,_,_] f[_,_] f[_,_] i f[_]! s[_,_]! f[_,_]! f[_]!",
        "general.seeds.measure_chain": "f[_,_,_] f[_,_] f[_,_] i f[_]!",
        "general.solve.solve_general": SOLVE,
        "general.solve.solve_general_many": LOOP,
    },
    "closed forms": {
        "closed_form.held.held_range": "f f f -> f f",
        "closed_form.listing.list_intervals": "f[_] f[_] f[_,_] f[_] f f[_]! f[_]! i[_]! f[_,_,_]!",
        "closed_form.listing.list_rows": "f[_] f[_,_] f[_] f f[_]! f[_,_]! -> i",
        "closed_form.listing.measure_row": "f[_] f[_] f[_,_] f[_]! f[_]! f[_]! -> i",
        "closed_form.listing.row_at_swivel": "f[_] f[_,_] f[_] i f f[_]! -> t",
        "closed_form.listing.swivel_angle": "f[_] f[_] -> f",
        "closed_form.solve.many_parallel": LOOP,
        "closed_form.solve.many_plane": LOOP,
        "closed_form.solve.many_swivel": LOOP,
        "closed_form.solve.many_wrist": LOOP,
        "closed_form.solve.polish_held": SOLVE,
        "closed_form.solve.polish_parallel": SOLVE,
        "closed_form.solve.polish_plane": SOLVE,
        "closed_form.solve.polish_swivel": SOLVE,
        "closed_form.solve.polish_wrist": SOLVE,
        "closed_form.solve.solve_held": SOLVE,
        "closed_form.solve.solve_parallel": SOLVE,
        "closed_form.solve.solve_plane": SOLVE,
        "closed_form.solve.solve_swivel": SOLVE,
        "closed_form.solve.solve_wrist": SOLVE,
    },
    "among obstacles": {
        "collision.branches.parallel_among": AMONG,
        "collision.branches.plane_among": AMONG,
        "collision.branches.wrist_among": AMONG,
        "collision.clearance.clearances": "f[_,_] f[_,_] i[_,_] f[_,_] f f[_,_] f[_]! f[_]! i[_,_]!",
        "collision.clearance.pair_gaps": "f[_,_] f[_,_] i[_,_] f[_,_] f[_]! f[_,_]!",
        "collision.obstacle_rows.chain_gap": "f[_,_] f[_,_] f[_] -> f i i",
        "collision.obstacle_rows.point_gap": "f[_,_] f f f -> f i",
        "collision.search.solve_among": AMONG,
        "collision.swept.free_between": "f[_,_] f[_,_] i[_,_] f[_,_] f f f[_] f[_] f[_]! -> f",
    },
    "tracking": {
        "track.path.measure_path": "f[_,_,_] f[_,_] f[_,_,_] f[_,_] i f[_] f[_,_] f[_]! f[_,_]!",
        "track.path.place_on_path": "f[_,_,_] f[_,_] i f f[_,_]! f[_]!",
        "track.walk.follow": "f[_] f[_,_,_] f[_,_] f[_,_] i[_,_] f[_,_] f f[_] f[_] f[_,_] f f[_]! f[_]! f[_,_]! f[_]! -> i i",
    },
    "bones": {
        "bones.fabrik_free.solve_fabrik_free": "f[_] f[_,_] f[_] f f[_] f[_,_,_]! f[_,_]! f[_]! -> i",
        "bones.fabrik_free.trace_free": "f[_] f[_,_] f[_] f f[_,_]! f[_,_,_]! -> i",
        "bones.solve.solve_bones_many": "i[_] f[_] f[_,_] f[_,_,_] f[_,_,_] f[_,_,_] f[_] t[_] f[_] f[_]! f[_,_,_]! f[_,_,_]! f[_,_]! b[_]!",
        "bones.fabrik_free.solve_free_many": "f[_] f[_,_,_] f[_,_] f[_] f[_] f[_,_,_]! f[_,_,_]! f[_,_]! b[_]!",
        "bones.pole.swivel_free": "i[_] f[_,_] f[_] f t f f[_,_]! -> f",
        "bones.pose.pose_of_values": "i[_] f[_] f[_,_] f[_] f[_,_]! f[_]! f[_,_,_]! f[_,_]!",
        "bones.pose.values_of_points": "i[_] f[_] f[_,_] f[_,_] f[_]! f[_,_]!",
        "bones.solve.solve_bones": "i[_] f[_] f[_,_] f[_] f[_,_] f[_,_] f[_] f[_] f[_]! f[_,_]! f[_,_]! f[_]! -> i",
        "bones.solve.trace_bones": "i[_] f[_] f[_,_] f[_]! f[_,_]! f[_,_] t f[_]! f[_,_,_]! -> i",
    },
    "curves": {
        "bezier.close.lay_out": "f[_] f[_,_]!",
        "bezier.follow.bend_needed": "f f f -> f",
        "bezier.follow.largest_turn": "f[_,_] f[_,_] -> f",
        "bezier.joint_search.solve_by_search": "i[_] f[_] f[_,_] f[_] f[_,_] f[_] f[_,_] f[_,_] f[_] f[_] f[_]! f[_]! f[_,_]! f[_,_]! f[_]! -> i",
        "bezier.paper.exact_height": "f[_] f f f f f f[_]! f[_,_]! -> t f i",
        "bezier.paper.place_on_grid": "f[_] f f f f i i f[_,_]! -> f i",
        "bezier.paper.search_binary": "f[_] f f f f i i f f[_]! f[_,_]! -> f f i i",
        "bezier.paper.search_linear": "f[_] f f f f i i f f[_]! f[_,_]! -> f f i i",
        "bezier.push.repair_or_draw": "f[_] f[_] f[_,_] f[_] f[_] f[_,_,_]! f[_,_]! f[_]! -> i i",
        "bezier.solve.solve_bezier": "f[_] f[_] f[_,_] f[_] f[_] f[_] f[_,_] f[_] f[_]! f[_]! f[_,_]! f[_]! -> i",
        "bezier.solve.solve_bezier_limited": "f[_] f[_,_] f[_] f[_] f[_] i f[_]! f[_]! f[_]! f[_,_]! f[_]! -> i",
        "bezier.solve.solve_bezier_plain": "f[_] f[_,_] f[_] t f[_]! f[_]! f[_,_]! f[_]! -> i",
    },
    "paper methods": {
        "combined.choice.aim": "f[_] -> f",
        "combined.solve.choose": "f[_] f[_] f[_,_] f[_] i f[_]! f[_]! f[_]! -> i",
        "combined.solve.is_near_limits": "f[_] f[_] f[_,_] i f[_]! f[_] -> t",
        "combined.solve.reduce_and_sweep": "f[_] f[_] f[_,_] f[_] f[_]! f[_]! -> i",
        "combined.solve.solve_combined": SOLVE,
        "combined.solve.take_refined": "f[_] f[_] f i f[_]!",
        "combined.sqp.squared_distance": "f[_,_,_] f[_,_] f[_] f[_] f[_]! f[_]! -> f",
        "combined.trace.trace_combined": "f[_] f[_] f[_,_] f[_] i f[_]! i[_]! f[_,_,_]! -> i",
        "iterative.ccd.solve_ccd": SOLVE,
        "iterative.dls.solve_dls": SOLVE,
        "iterative.fabrik_r.solve_fabrik_r": SOLVE,
        "iterative.fabrik_r.trace_fabrik_r": "f[_] f[_] f[_,_] f[_] f[_]! f[_,_,_]! f[_]!",
        "iterative.jacobian_transpose.solve_jacobian_transpose": SOLVE,
        "maths.limits.draw_inside": "f[_,_] u f[_]! -> u",
    },
}
ENTRIES = {name: line for group in GROUPS.values() for name, line in group.items()}

# the functions that sizes may call, by the module of `core` they stand in
SIZES: dict[str, str] = {}

_ARGUMENT = re.compile(r"(?P<letter>[fsibut])(\[(?P<sizes>[^]]+)\])?(?P<written>!)?(\{(?P<reads>[^}]+)\})?")


class Argument(NamedTuple):
    """One argument of an entry."""

    letter: str
    sizes: tuple[str, ...]  # one per axis; none for a number
    written: bool
    reads: dict[str, int]  # names that stand for numbers in it, and their places


def arguments_of(name: str) -> list[Argument]:
    """The arguments of an entry."""
    found = []
    for text in ENTRIES[name].split("->")[0].split():
        part = _ARGUMENT.fullmatch(text)
        if part is None:
            raise ValueError(f"{name}: '{text}' is no argument")
        reads = dict(pair.split("=") for pair in (part["reads"] or "").split(",") if pair)
        places = {key: int(place) for key, place in reads.items()}
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
