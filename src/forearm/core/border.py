"""The border: every kernel that Python enters, with its exact types.

Both ways of compiling read this table: ahead of time exports exactly these kernels, and just in time no second
version is compiled because an array came in another type or order. Kernels are named by their module below `core`,
in groups that compile apart from each other.

Each argument is a letter and a number of axes, 0 for a number: `f` float64, `s` float32, `i` int64, `b` int8, `u`
uint64, `t` truth. Arrays are C-contiguous and writable; `!` marks those that the kernel writes.
"""

from numba import types

# how a method's kernel, and a compiled loop over many targets, are called (`core/arm/problem.py`)
SOLVE = "f1 f1 f2 f1 f1! f1! f1!"
LOOP = "f1! f1 f3 f3 f2 f2 f1! f2! f2! b1!"
# the same among obstacles: with bodies, pairs, obstacles, what is certain and how to search before the goal
AMONG = "f1 f1 f2 i2 f2 f2 f1 f2 f1 f1! f1! f1!"

GROUPS: dict[str, dict[str, str]] = {
    "arm": {
        "arm.compact.compact": "f3 f2 f2!",
        "arm.goal.begin": "f2 f2 f1 f1!",
        "arm.goal.find_not_rigid": "f3",
        "arm.goal.find_outside": "f2 f2",
        "arm.goal.finish": "f1 f2 f1 f1! f1!",
        "arm.kinematics.best_manipulability": "f3 f2 f3 t2 i0 f1! f1!",
        "arm.kinematics.fk_batch": "f3 f2 f2 f3!",
        "arm.kinematics.fk_checked": "f3 f2 f1 f2!",
        "arm.kinematics.fk_frames": "f3 f2 f1 f3!",
        "arm.kinematics.fk_tip": "f3 f2 f1 f2!",
        "arm.kinematics.jacobian": "f3 f2 f1 f3! f2!",
        "arm.kinematics.manipulability": "f2 f1!",
        "general.null_space.settle": "f1 f2 f1 f1! f1! f1!",
        "general.null_space.settle_many": "f1! f3 f3 f2 f2 i1 f1! f2! f2!",
        "general.seeds.build_seeds": "f3 f2 f2 i0 f1! s2! f2! f1!",
        "general.seeds.measure_chain": "f3 f2 f2 i0 f1!",
        "general.solve.solve_general": SOLVE,
        "general.solve.solve_general_many": LOOP,
    },
    "closed forms": {
        "closed_form.held.held_range": "f0 f0 f0",
        "closed_form.listing.list_intervals": "f1 f1 f2 f1 f0 f1! f1! i1! f3!",
        "closed_form.listing.list_rows": "f1 f2 f1 f0 f1! f2!",
        "closed_form.listing.measure_row": "f1 f1 f2 f1! f1! f1!",
        "closed_form.listing.row_at_swivel": "f1 f2 f1 i0 f0 f1!",
        "closed_form.listing.swivel_angle": "f1 f1",
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
        "collision.clearance.clearances": "f2 f2 i2 f2 f0 f2 f1! f1! i2!",
        "collision.clearance.pair_gaps": "f2 f2 i2 f2 f1! f2!",
        "collision.obstacle_rows.chain_gap": "f2 f2 f1",
        "collision.obstacle_rows.point_gap": "f2 f0 f0 f0",
        "collision.paper_methods.combined_among": AMONG,
        "collision.paper_methods.fabrik_r_among": AMONG,
        "collision.search.solve_among": AMONG,
        "collision.swept.free_between": "f2 f2 i2 f2 f0 f0 f1 f1 f1!",
    },
    "tracking": {
        "track.path.measure_path": "f3 f2 f3 f2 i0 f1 f2 f1! f2!",
        "track.path.place_on_path": "f3 f2 i0 f0 f2! f1!",
        "track.walk.follow": "f1 f3 f2 f2 i2 f2 f0 f1 f1 f2 f0 f1! f1! f2! f1!",
    },
    "bones": {
        "bones.fabrik_free.solve_fabrik_free": "f1 f2 f1 f0 f1 f2! f1!",
        "bones.fabrik_free.trace_free": "f1 f2 f1 f0 f3!",
        "bones.solve.solve_bones_many": "i1 f1 f2 f3 f3 f3 f1 t1 f1 f3! f3! f2! b1!",
        "bones.fabrik_free.solve_free_many": "f1 f3 f2 f1 f1 f3! f2! b1!",
        "bones.pole.swivel_free": "i1 f2 f1 f0 t0 f0 f2!",
        "bones.pose.pose_of_values": "i1 f1 f2 f1 f2 f3! f2!",
        "bones.pose.values_of_points": "i1 f1 f2 f2 f2!",
        "bones.solve.solve_bones": "i1 f1 f2 f1 f2 f2 f1 f1 f2! f2! f1!",
        "bones.solve.trace_bones": "i1 f1 f2 f1 f2 f2 t0 f3!",
    },
    "curves": {
        "bezier.close.lay_out": "f1 f2!",
        "bezier.follow.bend_needed": "f0 f0 f0",
        "bezier.follow.largest_turn": "f2 f2",
        "bezier.joint_search.solve_by_search": "i1 f1 f2 f1 f2 f1 f2 f2 f1 f1 f1! f2! f2! f1!",
        "bezier.paper.exact_height": "f1 f0 f0 f0 f0 f0 f1! f2!",
        "bezier.paper.place_on_grid": "f1 f0 f0 f0 f0 i0 i0 f2!",
        "bezier.paper.search_binary": "f1 f0 f0 f0 f0 i0 i0 f0 f1! f2!",
        "bezier.paper.search_linear": "f1 f0 f0 f0 f0 i0 i0 f0 f1! f2!",
        "bezier.push.repair_or_draw": "f1 f1 f2 f1 f1 f2! f1!",
        "bezier.solve.solve_bezier": "f1 f1 f2 f1 f1 f1 f2 f1 f1! f2! f1!",
        "bezier.solve.solve_bezier_limited": "f1 f2 f1 f1 f1 i0 f1! f1! f2! f1!",
        "bezier.solve.solve_bezier_plain": "f1 f2 f1 t0 f1! f2! f1!",
    },
    "paper methods": {
        "combined.choice.aim": "f1",
        "combined.solve.choose": "f1 f1 f2 f1 i0 f1! f1! f1!",
        "combined.solve.is_near_limits": "f1 f1 f2 i0 f1! f1",
        "combined.solve.reduce_and_sweep": "f1 f1 f2 f1 f1! f1!",
        "combined.solve.solve_combined": SOLVE,
        "combined.solve.take_refined": "f1 f1 f0 i0 f1!",
        "combined.sqp.squared_distance": "f3 f2 f1 f1 f1! f1!",
        "combined.trace.trace_combined": "f1 f1 f2 f1 i0 f1! i1! f3!",
        "iterative.ccd.solve_ccd": SOLVE,
        "iterative.dls.solve_dls": SOLVE,
        "iterative.fabrik_r.solve_fabrik_r": SOLVE,
        "iterative.fabrik_r.trace_fabrik_r": "f1 f1 f2 f1 f1! f3! f1!",
        "iterative.jacobian_transpose.solve_jacobian_transpose": SOLVE,
        "maths.limits.draw_inside": "f2 u0 f1!",
    },
}
ENTRIES = {name: argument_types for group in GROUPS.values() for name, argument_types in group.items()}

LETTERS = {
    "f": types.float64,
    "s": types.float32,
    "i": types.int64,
    "b": types.int8,
    "u": types.uint64,
    "t": types.boolean,
}


def types_of(name: str) -> tuple[types.Type, ...]:
    """The types of an entry's arguments."""
    found = []
    for argument in ENTRIES[name].split():
        number, axes = LETTERS[argument[0]], int(argument[1])
        found.append(types.Array(number, axes, "C") if axes else number)
    return tuple(found)


def direct(function):
    """An entry without Numba's look at the types of its arguments: half the cost of calling it.

    The caller answers for the types; a function that is not compiled is given back as it is.
    """
    if not hasattr(function, "compile"):
        return function
    name = f"{function.__module__.removeprefix('forearm.core.')}.{function.__name__}"
    return function.compile(types_of(name))
