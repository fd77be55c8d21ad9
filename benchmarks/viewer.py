"""How many target updates a second a page of the viewer keeps up with: solved, drawn and sent.

A target runs along a closed path at 60 updates a second of page time, part of it out of reach, so
that misses are counted too; arms also among three obstacles, and a hand of a whole G1. Each update
goes the way a drag goes: the page takes the pose, solves (or ticks its servo), moves every scene node
and writes its verdict. "cpu ms" is what the processor spent on the median update: on a machine with
other work beside it, less than the clock says.
With --browser, what a user waits for is measured too, from the pointer to the picture (`drag.py`), with --software also
with pixels that the processor paints.
Run: python benchmarks/viewer.py [--browser [--software]]
"""

import sys
import time
from pathlib import Path

import numpy as np
import viser

import forearm as fa
from forearm.viewer.arm.meshes import figure_pieces
from forearm.viewer.arm.page import ArmPage
from forearm.viewer.bones.figures import make_chain
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import CHAIN_TIP, BonesProblem
from forearm.viewer.tree.figure import tree_pieces
from forearm.viewer.tree.page import TreePage
from forearm.viewer.tree.problem import TreeProblem

UPDATES_PER_SECOND = 60.0
SECONDS = 10.0
THINGS = ("sphere", "capsule", "box")  # obstacles about an arm
G1, G1_HAND = "g1_description/urdf/g1_29dof_rev_1_0.urdf", "left_rubber_hand"
SWING = 0.15  # how far the target runs from its first place, per metre of reach


def arm_page(server, name, things=(), driven=False):
    """An arm's page, with obstacles of these kinds, perhaps driven by a servo, and its wish for a target."""
    arm = fa.load(name)
    page = ArmPage(server, arm, figure_pieces(arm.model)[0])
    page.worker.close()
    if driven:
        page.set_driven(True)
    for kind in things:
        page.obstacles_tab.add(kind)
    return page, page.drag, page.problem.T.copy()


def chain_page(server, count):
    """A chain's page and its wish for a target."""
    chain = make_chain(count)
    page = BonesPage(server, BonesProblem(chain, 0.01), chain.reach)
    T = np.eye(4)
    T[:3, 3] = chain.points[-1]
    return page, lambda pose: page.drag(CHAIN_TIP, pose), T


def tree_page(server):
    """The page of a whole G1 on a free base, of the package example-robot-data, and its wish for a hand's target."""
    tree = fa.Tree.from_urdf(robot_data(G1), base="free")
    page = TreePage(server, TreeProblem(tree, None), tree_pieces(tree.body)[0])
    return page, lambda pose: page.drag(G1_HAND, pose), page.problem.poses[G1_HAND].copy()


def robot_data(name):
    """The path of a file of the package example-robot-data (`pip install example-robot-data`)."""
    places = [Path(folder) / "cmeel.prefix/share/example-robot-data/robots" / name for folder in sys.path if folder]
    return next((place for place in places if place.exists()), places[0])


def targets(T, size):
    """Poses along a bow about the first one, as a hand would drag it."""
    for turn in np.linspace(0.0, 4.0 * np.pi, int(SECONDS * UPDATES_PER_SECOND)):
        pose = T.copy()
        pose[:3, 3] += SWING * size * np.array([np.sin(turn), np.sin(2.0 * turn), 1.0 - np.cos(turn)])
        yield pose


def measure(page, wish, T):
    """Milliseconds per update, those of the processor alone, and how many targets were met."""
    page.worker.close()  # this process acts in its place, one update at a time
    wish(T)
    page.refresh()
    times, spent, met = [], [], 0
    for pose in targets(T, page.size):
        started, begun = time.perf_counter(), time.thread_time()
        wish(pose)
        page.tick()
        page.refresh()
        times.append(1e3 * (time.perf_counter() - started))
        spent.append(1e3 * (time.thread_time() - begun))
        met += page.answer.solution.success if page.answer else page.drive.is_met
    return np.array(times), np.array(spent), met


def main():
    """Prints a line per figure."""
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    head = f"{'figure':16} {'median ms':>9} {'p99 ms':>8} {'worst ms':>8} {'cpu ms':>7} {'updates/s':>9}"
    print(f"{head}  met      at 60 a second")
    pages = {
        "ur5": lambda: arm_page(server, "ur5"),
        "ur5, servo": lambda: arm_page(server, "ur5", driven=True),
        "iiwa14": lambda: arm_page(server, "iiwa14"),
        "chain of 20": lambda: chain_page(server, 20),
        "g1, 5 goals": lambda: tree_page(server),
        "ur5, 3 things": lambda: arm_page(server, "ur5", THINGS),
        "iiwa14, 3 things": lambda: arm_page(server, "iiwa14", THINGS),
    }
    for name, make in pages.items():
        page, wish, T = make()
        times, spent, met = measure(page, wish, T)
        late = int((times > 1e3 / UPDATES_PER_SECOND).sum())
        rate = 1e3 / times.mean()
        verdict = "keeps up" if rate >= UPDATES_PER_SECOND else "falls behind"
        figures = f"{np.median(times):9.3f} {np.percentile(times, 99):8.3f} {times.max():8.3f} {np.median(spent):7.3f}"
        print(
            f"{name:16} {figures} {rate:9.0f}  {met}/{len(times)}  {verdict}, {late} of {len(times)} late",
            flush=True,
        )
        server.scene.reset()
        server.gui.reset()
    server.stop()
    if "--browser" in sys.argv[1:]:
        import drag  # noqa: PLC0415 (it needs playwright and a Chromium)

        print()
        drag.main(robot_data(G1), G1_HAND, "--software" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
