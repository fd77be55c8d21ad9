"""Draws docs/pictures/skeleton.png and clip-pin.png: what the pages of bones and of clips show.

PYTHONPATH=benchmarks python tools/bone_pictures.py
"""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from motions import walk

ROOT = Path(__file__).parent.parent
BONES, BEFORE, MARK, WALL = "#1f5fa8", "#b9bec6", "#d1495b", "#e9c46a"


def draw_bones(axes, points, starts, colour, across=(0, 2), width=1.8):
    """Bones as lines from their starts to their ends, seen along an axis."""
    for end, start in enumerate(starts, start=1):
        ends = points[[start, end]][:, across]
        axes.plot(ends[:, 0], ends[:, 1], color=colour, lw=width, solid_capstyle="round", zorder=2)


def finish(figure, name):
    """Writes a picture."""
    for axes in figure.axes:
        axes.set_aspect("equal")
        axes.margins(0.1)
        axes.set_axis_off()
    figure.savefig(ROOT / "docs/pictures" / name, dpi=110)
    plt.close(figure)


def draw_skeleton():
    """Example 23: five frames of its track from the front and from the side."""
    made = runpy.run_path(str(ROOT / "examples/23_bones_frame_by_frame.py"))
    body, track, hand = made["body"], made["track"], made["hand"]
    figure, sides = plt.subplots(1, 2, figsize=(8.0, 4.2), constrained_layout=True)
    for axes, across, title in zip(sides, ((0, 2), (1, 2)), ("from ahead", "from the side"), strict=True):
        centre = np.array([0.15, 0.15, 1.2])[list(across)]
        axes.add_patch(plt.Circle(centre, 0.1, color=WALL, zorder=1))
        for i in range(0, 60, 19):
            draw_bones(axes, track.points[i], body.bones.parent + 1, BONES, across)
        axes.plot(hand[:, across[0]], hand[:, across[1]], color=MARK, lw=1.2, ls="--")
        axes.set_title(title, loc="left", fontsize=10)
    finish(figure, "skeleton.png")


def draw_clip():
    """A walk, and the same with a hand that is held."""
    clip = walk(2.0, 60.0)
    at = clip.points[70, clip.index("LeftHand")] + [12.0, 25.0, 20.0]
    held = clip.pin("LeftHand", at, frames=(60, 80), blend=12)
    figure, sides = plt.subplots(1, 2, figsize=(8.0, 3.8), constrained_layout=True)
    for axes, motion, title in zip(sides, (clip, held.clip), ("the clip", "its left hand held"), strict=True):
        for i in range(50, 95, 11):
            for k, p in enumerate(clip.parent.tolist()):
                if p >= 0:
                    ends = motion.points[i][[p, k]]
                    axes.plot(ends[:, 2], ends[:, 1], color=BONES, lw=1.6, solid_capstyle="round")
        axes.plot(*at[[2, 1]], "o", color=MARK)
        axes.set_title(title, loc="left", fontsize=10)
    finish(figure, "clip-pin.png")


if __name__ == "__main__":
    draw_skeleton()
    draw_clip()
