"""Goals that change from frame to frame, followed by all joints at once: each frame from the answer of the last.

In every frame each task counts as much as that frame says. All of them are pulled together first, in a box that no
variable leaves between two frames; then those that count `FIRST` or more, the feet that stand, are brought to their
tolerances alone. What cannot be had is left to the tasks that count least, so nothing is searched for and nothing
jumps: a frame whose goals need another branch is missed, and its report says by how much.
"""

from forearm.core.codes import SOLVED
from forearm.core.jit import lean
from forearm.core.tree.finish import finish
from forearm.core.tree.layout import (
    AIM,
    BOOST,
    DIRECTION,
    GOAL,
    HELD,
    HIGH,
    LOW,
    LOWER,
    MAX_STEPS,
    POSTURES,
    PUSHED,
    REST,
    UPPER,
    nothing,
    open_room,
    open_tree,
)
from forearm.core.tree.lm import bold, careful
from forearm.core.tree.search import RESTORE, load
from forearm.core.tree.solve import check, has_posture

FIRST = 1e6  # what a task counts that comes before all others


@lean
def follow_tree(numbers, goals, pace, start, work, x_out, report_out, codes_out):
    """Writes joint values and the base's pose of each frame of goals, and what is left of each goal.

    `numbers` is this call's own and is written to; a goal has the numbers of its aim and what it counts in that frame,
    squared. `pace` (3, n) is how far each variable may go in a frame, its posture, and which share of what its posture
    counts pulls it to where it was in the last frame instead: limbs that are nearly straight would flutter without.
    `start` has joint values and the base's pose.
    """
    tree = open_tree(numbers)
    room = open_room(tree, nothing(work), work)
    n, most = tree.variables.shape[0], int(tree.head[MAX_STEPS])
    for v in range(room.steps.shape[1]):
        room.steps[HELD, v] = 0.0
    posture = 1.0 if has_posture(tree) else 0.0
    last = start
    for i in range(goals.shape[0]):
        for t in range(tree.tasks.shape[0]):
            for k in range(AIM):
                tree.tasks[t, (GOAL + k) if k < 12 else (DIRECTION + k - 12)] = goals[i, t, k]
        code = check(tree, last)
        load(last, room)
        used = 0
        if code == SOLVED:
            for k in range(n):
                tree.variables[k, LOW] = max(tree.variables[k, LOWER], last[k] - pace[0, k])
                tree.variables[k, HIGH] = min(tree.variables[k, UPPER], last[k] + pace[0, k])
                tree.variables[k, REST] = pace[1, k] + pace[2, k] * (last[k] - pace[1, k])
            used = pull(tree, room, goals[i], most, posture)
            code = finish(tree, room, last, used, 1, x_out[i], report_out[i])
        codes_out[i] = code
        last = x_out[i]


@lean
def pull(tree, room, goals, most, posture):
    """Moves `room.x` to where all tasks are served as much as each counts, those that come first exactly; the steps."""
    room.flags[POSTURES], room.flags[PUSHED] = posture, 0.0
    for t in range(tree.tasks.shape[0]):
        room.te[t, BOOST] = goals[t, AIM]
    _, _, used = careful(tree, room, most, False)
    held = 0
    for t in range(tree.tasks.shape[0]):
        first = goals[t, AIM] >= FIRST
        room.te[t, BOOST] = 1.0 if first else 0.0
        held += 1 if first else 0
    if held > 0:
        room.flags[POSTURES] = 0.0
        _, _, more = bold(tree, room, RESTORE)
        used += more
    return used
