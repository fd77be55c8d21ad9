"""How a robot's joint axes lie to each other: parallel, meeting, or skew.

Read from the axes in space at the zero configuration, not from names or table rows. What two
neighbouring axes have in common does not change when the joints move.
"""

import numpy as np
from numpy.typing import NDArray

from forearm.core.codes import KIND, PRISMATIC
from forearm.core.kinematics import fk_frames
from forearm.model import Model

Floats = NDArray[np.float64]

PARALLEL = 1e-5  # sine of the angle between axes that count as parallel
MEETING = 1e-5  # distance between axes that count as meeting [m]


def describe_axes(model: Model) -> str:
    """A line such as `6R; axes 2, 3, 4 parallel; 1-2, 4-5, 5-6 meet`, joints counted from 1."""
    frames = np.empty((model.m + 1, 4, 4))
    fk_frames(np.array(model.links), np.array(model.joints), np.zeros(model.n), frames)
    relations = [_relation(frames[i], frames[i + 1]) for i in range(model.m - 1)]
    parts = [joint_pattern(model)]
    parts += [f"axes {', '.join(map(str, run))} parallel" for run in _parallel_runs(relations)]
    meeting = [f"{i + 1}-{i + 2}" for i, relation in enumerate(relations) if relation == "meet"]
    if meeting:
        parts.append(f"axes {', '.join(meeting)} meet")
    if model.mimics:
        parts.append(f"{', '.join(model.mimics)} follow other joints")
    return "; ".join(parts)


def joint_pattern(model: Model) -> str:
    """The kinds of the moving joints in order, runs counted: `6R`, `2RPR`."""
    letters = ["P" if joint[KIND] == PRISMATIC else "R" for joint in model.joints]
    pattern = ""
    while letters:
        letter, run = letters[0], 1
        while run < len(letters) and letters[run] == letter:
            run += 1
        pattern += (str(run) if run > 1 else "") + letter
        letters = letters[run:]
    return pattern


def _relation(A: Floats, B: Floats) -> str:
    normal = np.cross(A[:3, 2], B[:3, 2])
    sine = float(np.linalg.norm(normal))
    if sine < PARALLEL:
        return "parallel"
    return "meet" if abs(float(normal @ (B[:3, 3] - A[:3, 3]))) / sine < MEETING else "skew"


def _parallel_runs(relations: list[str]) -> list[list[int]]:
    """The longest runs of neighbouring parallel axes, joints counted from 1."""
    runs: list[list[int]] = []
    for i, relation in enumerate(relations):
        if relation != "parallel":
            continue
        if runs and runs[-1][-1] == i + 1:
            runs[-1].append(i + 2)
        else:
            runs.append([i + 1, i + 2])
    return runs
