"""Draws what robots make of motions, into docs/pictures: retarget.png, retarget-report.png, retarget-hand.png.

A walk of a humanoid; how far its goals are missed, frame by frame; key points of a hand on a robot hand.

PYTHONPATH=benchmarks python tools/retarget_picture.py
"""

import sysconfig
import tempfile
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


def draw_walk(motion, clip, tree):
    """The clip above, the robot below."""
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


def draw_report(motion):
    """The error of hands and feet over time, and when each foot stands."""
    figure, axes = plt.subplots(figsize=(8.0, 2.8), constrained_layout=True)
    for name, color in (("left_hand", ROBOT), ("right_hand", BONES), ("left_foot", STANDS)):
        axes.plot(motion.times, 1e3 * motion.error[:, motion.goals.index(name)], color=color, label=name)
    stands = motion.stands[:, motion.goals.index("left_foot")]
    axes.fill_between(motion.times, 0.0, 1.0, where=stands, color=STANDS, alpha=0.1, lw=0,
                      transform=axes.get_xaxis_transform(), label="left_foot stands")  # fmt: skip
    axes.set(xlabel="time [s]", ylabel="off its goal [mm]", xlim=(motion.times[0], motion.times[-1]))
    axes.legend(frameon=False, fontsize=9, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.2))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(ROOT / "docs/pictures/retarget-report.png", dpi=110)


# -- a hand ----------------------------------------------------------------------------------------

KNUCKLES = {"index": (0.0, 0.026, 0.09), "middle": (0.0, 0.0, 0.095), "ring": (0.0, -0.022, 0.09)}
LITTLE, THUMB, BONE_LENGTHS = (0.0, -0.042, 0.08), (0.01, 0.03, 0.03), (0.045, 0.028, 0.022)  # [m]


def key_points(bend):
    """(21, 3) a right hand whose fingers are bent by an angle at each joint: fingers up, the palm along x."""
    thumb = np.array([0.35, 0.75, 0.55]) / np.linalg.norm([0.35, 0.75, 0.55])
    points = [np.zeros(3)]
    for knuckle, way, share in (
        (THUMB, thumb, 0.5),
        *((k, np.array([0.0, 0.0, 1.0]), 1.0) for k in (*KNUCKLES.values(), LITTLE)),
    ):
        points.append(np.array(knuckle))
        for k, length in enumerate(BONE_LENGTHS):
            turn = share * bend * (k + 1)
            points.append(points[-1] + length * (np.cos(turn) * way + np.sin(turn) * np.array([1.0, 0.0, 0.0])))
    return np.array(points)


def draw_hand():
    """Key points on the left, an Allegro hand on the right: open, half closed, closed."""
    share = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
    tree = fa.Tree.from_urdf(share / "allegro_hand_description/urdf/allegro_right_hand.urdf")
    seen = np.array([key_points(bend) for bend in np.linspace(0.05, 0.75, 15)])
    links = {"thumb": "link_15.0_tip", "index": "link_3.0_tip", "middle": "link_7.0_tip", "ring": "link_11.0_tip"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "hand.csv")
        np.savetxt(file, seen.reshape(len(seen), -1), delimiter=",")
        motion = fa.retarget(file, tree, {name: (f"{name.capitalize()}Tip", link) for name, link in links.items()})
    rows = frames_of(tree.body, motion.q, motion.base)[:, :, :3, 3]
    figure, places = plt.subplots(2, 3, figsize=(8.0, 5.0), constrained_layout=True)
    for (above, below), i in zip(places.T, (0, 8, 14), strict=True):
        for first in range(1, 21, 4):
            finger = seen[i][[0, *range(first, first + 4)]]
            above.plot(*side_on(finger), color=BONES, lw=1.8, marker="o", ms=3)
        for k, row in enumerate(tree.body.rows):
            below.plot(*side_on(rows[[row.parent + 1, k + 1], i]), color=ROBOT, lw=2.2, solid_capstyle="round")
        for link in links.values():
            tip = tree.fk(motion.q[i], link, motion.base[i])[:3, 3]
            row = tree.body.place(link)[0]
            below.plot(*side_on(np.array([rows[row + 1, i], tip])), color=ROBOT, lw=2.2, marker="o", ms=3)
    for axes in places.ravel():
        axes.set_aspect("equal")
        axes.set_axis_off()
    places[0, 0].set_title("key points", loc="left", fontsize=10)
    places[1, 0].set_title("an Allegro hand", loc="left", fontsize=10)
    figure.savefig(ROOT / "docs/pictures/retarget-hand.png", dpi=110)


def side_on(points):
    """Points as they are seen from between the palm and its side."""
    return 0.8 * points[:, 0] - 0.6 * points[:, 1], points[:, 2] + 0.15 * points[:, 0]


def main():
    """Draws them."""
    clip, tree = walk(3.0, 60.0), fa.Tree.from_urdf(ROOT / "examples/humanoid.urdf", base="free")
    motion = fa.retarget(clip, tree)
    draw_walk(motion, clip, tree)
    draw_report(motion)
    draw_hand()


if __name__ == "__main__":
    main()
