"""Draws the determinant of a pose with its roots, and a pair of roots that merges (`make pictures`).

A few hundred determinants are worth no compiling: `NUMBA_DISABLE_JIT=1 PYTHONPATH=benchmarks python
tools/branch_picture.py`.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from branch_cases import TABLES, frames_of, free_arm, near_double
from forearm.arm.branches import elimination
from forearm.common import palette
from forearm.core.branches.collect import hidden_joint
from forearm.core.branches.determinant import determinant
from forearm.core.branches.layout import (
    REVERSED,
    SCALE,
    UNFOLDED,
    WORK_NUMBERS,
    open_arm,
    open_desk,
    open_elimination,
)
from forearm.core.branches.loop import place_goal, write_loop

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "pictures" / "branches.svg"
ROOT_POWER = 0.25  # the determinant spans many decades: its fourth root, with its sign, is drawn
HALVES, WIDE, SEED = (0.0, 0.3, 0.5), 0.12, 3  # [rad]
elimination.POSES = 3


def values(table, T, angles):
    """The determinant of a pose at some angles of the hidden joint."""
    desk, chosen = open_desk(np.empty(WORK_NUMBERS)), open_elimination(table, 0)
    place_goal(open_arm(table), T, desk.G)
    write_loop(chosen, table[SCALE], desk)
    return np.array([determinant(chosen.head[UNFOLDED] == 1.0, angle, desk) for angle in angles])


def crossings(angles, f):
    """Where a sampled function changes its sign."""
    at = np.flatnonzero(f[:-1] * f[1:] < 0.0)
    return angles[at] - f[at] * (angles[at + 1] - angles[at]) / (f[at + 1] - f[at])


def main():
    """Writes the picture."""
    robot = free_arm(TABLES["xarm6"], "xarm6")
    axes = elimination.six_axes(robot.model)
    mpl.rcParams.update({"svg.hashsalt": "forearm", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
    angles = np.linspace(-np.pi, np.pi, 721)
    f = values(axes.table, robot.fk(np.array([0.5, -0.6, -0.9, 0.8, 1.1, -0.4])), angles)
    left.plot(angles, np.sign(f) * np.abs(f / np.abs(f).max()) ** ROOT_POWER, color=palette.BLUE, lw=1.2)
    roots = crossings(angles, f)
    left.plot(roots, np.zeros(len(roots)), "o", color=palette.ORANGE, ms=5)
    left.set(title=f"round the circle: {len(roots)} roots, {len(roots)} branches", xlabel="hidden joint [rad]")
    draw_pair(right, robot, axes.table)
    for axis in (left, right):
        axis.axhline(0.0, color="0.6", lw=0.7)
        axis.set_yticks([])
    figure.savefig(OUT, metadata={"Date": None})


def draw_pair(axis, robot, table):
    """Poses on the way to a singular one: two roots come together and touch."""
    head = open_elimination(table, 0).head
    joint, sign = hidden_joint(head), -1.0 if head[REVERSED] == 1.0 else 1.0
    for half, colour in zip(HALVES, palette.SERIES, strict=False):
        rng, q = np.random.default_rng(SEED), None
        while q is None:  # the same singular posture for each
            q = near_double(robot, rng, half)
        if half == 0.0:
            middle = sign * q[joint]
            angles = np.linspace(middle - WIDE, middle + WIDE, 201)
        f = values(table, np.ascontiguousarray(frames_of(robot, q[None])[-1, 0]), angles)
        axis.plot(angles, f / np.abs(f).max(), color=colour, lw=1.2, label=f"{half:g} rad from the singular posture")
        roots = crossings(angles, f)
        axis.plot(roots, np.zeros(len(roots)), "o", color=colour, ms=5)
    axis.set(title="a pair of roots merges", xlabel="hidden joint [rad]")
    axis.legend(frameon=False, fontsize=7)


if __name__ == "__main__":
    main()
