"""Draws docs/pictures/retarget.png: a clip, and what a humanoid makes of it.

PYTHONPATH=benchmarks python tools/retarget_picture.py
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import forearm as fa
from forearm.retargeting.touching import frames_of
from motions import walk

ROOT = Path(__file__).parent.parent
BONES, ROBOT, STANDS = "#8a8f98", "#1f5fa8", "#d1495b"


def draw_clip(axes, clip, frames):
    """The clip's bones, seen from the side."""
    for i in frames:
        points = clip.points[i] / 100.0
        for k, p in enumerate(clip.parent):
            if p >= 0:
                axes.plot(points[[p, k], 2], points[[p, k], 1], color=BONES, lw=1.6, solid_capstyle="round")


def draw_robot(axes, tree, motion, frames):
    """The robot's joints as a stick figure; feet that stand in another colour."""
    rows = frames_of(tree.body, motion.q, motion.base)[:, :, :3, 3]
    for i in frames:
        for k, row in enumerate(tree.body.rows):
            ends = rows[[row.parent + 1, k + 1], i]
            axes.plot(ends[:, 0], ends[:, 2], color=ROBOT, lw=1.6, solid_capstyle="round")
        for k, name in enumerate(motion.goals):
            if name.endswith("foot") and motion.stands[i, k]:
                x, _, z = tree.fk(motion.q[i], motion.map[name][1], motion.base[i])[:3, 3]
                axes.plot([x - 0.06, x + 0.14], [z, z], color=STANDS, lw=3)


def main():
    """Draws it."""
    clip, tree = walk(3.0, 60.0), fa.Tree.from_urdf(ROOT / "examples/humanoid.urdf", base="free")
    motion = fa.retarget(clip, tree)
    frames = np.linspace(30, len(clip) - 20, 8).astype(int)
    figure, (above, below) = plt.subplots(2, 1, figsize=(8.0, 5.6), constrained_layout=True)
    draw_clip(above, clip, frames)
    draw_robot(below, tree, motion, frames)
    for axes, title in ((above, "the clip"), (below, "the robot, feet that stand in red")):
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_aspect("equal")
        axes.axhline(0.0, color="#c9ccd1", lw=1, zorder=0)
        axes.set_axis_off()
    figure.savefig(ROOT / "docs/pictures/retarget.png", dpi=110)


if __name__ == "__main__":
    main()
