"""Takes the pictures of the viewer's pages, docs/pictures/viewer-*.png, in a headless Chromium (`make pictures`).

PYTHONPATH=benchmarks python tools/viewer_pictures.py [NAME ...] takes those of these names alone, such as arm or tree.
"""

import io
import sys
import tempfile
from functools import partial
from pathlib import Path

from PIL import Image

import forearm as fa
from forearm.viewer import view_robot, view_tree
from motions import walk
from viewer import G1, G1_HAND, robot_data

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "viewer"))  # for its browser

from browser import Tab, chromium

OUT = Path(__file__).parents[1] / "docs" / "pictures"
SHARPNESS = 1.0  # drawn pixels per pixel of the screen
PAUSE, TRIES = 1000, 60  # between two looks at a page until they are alike [ms]
COLOURS = 256
FAR = (0.2, 0.15, 0.6)  # from where a hand is first [m]


def home(tab):
    """An arm as its page opens."""
    tab.text("^Solved$").wait_for()


def branches(tab, is_dark=False):
    """Ghosts of all answers, with their names."""
    tab.open("Branches")
    tab.text("^8 branches").wait_for()
    tab.state.worker.add(lambda: tab.state.set_dark(is_dark))


def ribbon(tab):
    """An arm on its way along an arc of its self-motion."""
    tab.open("Branches")
    tab.text("The arm's own goes from").wait_for()
    tab.field(tab.state.branches_tab.along).fill("30")
    tab.text("On its self-motion").wait_for()


def obstacle(tab):
    """A sphere that is dragged to where the elbow was, from the side at last, and an arm that has made room."""
    tab.open("Obstacles")
    tab.press("Add a sphere")
    tab.text("sphere 1").wait_for()
    at_rest(tab)
    page, (thing,) = tab.state, tab.state.obstacles_tab.things
    elbow = page.problem.robot.fk_all(page.problem.q)[3, :3, 3]
    for axis in (0, 2, 1):
        along = thing.T[:3, axis].copy()
        tab.drag(thing.gizmo, axis, float((elbow - thing.T[:3, 3]) @ along))
        tab.wait(lambda along=along: abs((elbow - thing.T[:3, 3]) @ along) < 0.02)
    tab.text("^Clear$").wait_for()


def steps(tab, goal, method, stage, words):
    """A stage of a method's steps."""
    tab.choose("Goal", goal)
    tab.open("Steps")
    tab.choose("Steps of", method)
    for number in range(stage):
        tab.text(f"Stage {number} of ").wait_for()
        tab.press("Next")
    tab.text(f"Stage {stage} of .*: {words}").wait_for()


def conflict(tab):
    """A hand that is asked to where feet, base and the other hand do not let it go, without a slow drag's pictures."""
    page, T = tab.state, tab.state.problem.poses[G1_HAND].copy()
    T[:3, 3] += FAR
    page.worker.add(lambda: (page.drag(G1_HAND, T), page.follow()))
    tab.text("in conflict with '").wait_for()


def replay(tab):
    """The middle of a motion, its clip's skeleton beside it."""
    shown, middle = tab.state.replay, len(tab.state.replay.motion) // 2
    tab.field(shown.aside).fill("0.7")
    tab.field(shown.frame).fill(f"{middle}")
    tab.text(f"frame {middle} of").wait_for()


def g1(moves=False):
    """A viewer of a Unitree G1, perhaps with a walk to replay."""
    tree = fa.Tree.from_urdf(robot_data(G1), base="free")
    return view_tree(tree, motion=fa.retarget(walk(), tree) if moves else None, port=0)


UR5, IIWA, PANDA = (partial(view_robot, fa.load(name), port=0) for name in ("ur5", "iiwa14", "panda"))
WINDOW, NARROW, SMALL = (1280, 800), (420, 800), (1000, 640)
# A viewer, what is done in its tab, the window, and how wide the picture is in its file [px].
PICTURES = {
    "arm": (UR5, home, WINDOW, 900),
    "branches": (UR5, branches, WINDOW, 900),
    "ribbon": (IIWA, ribbon, WINDOW, 1280),
    "dark": (UR5, partial(branches, is_dark=True), WINDOW, 900),
    "narrow": (UR5, home, NARROW, 360),
    "panda": (PANDA, home, WINDOW, 900),
    "obstacle": (IIWA, obstacle, WINDOW, 1280),
    "tree": (g1, conflict, WINDOW, 1280),
    "steps": (UR5, partial(steps, goal="position only", method="fabrik-r", stage=3, words="forward"), WINDOW, 1280),
    "combined": (UR5, partial(steps, goal="pose", method="combined", stage=5, words="SQP step"), WINDOW, 1280),
    "replay": (partial(g1, moves=True), replay, SMALL, 1000),
}


def at_rest(tab):
    """The tab's window as a PNG, once it looks the same twice."""
    tab.page.mouse.move(2, 2)  # where nothing lights up
    tab.page.evaluate("document.activeElement.blur()")
    before = b""
    for _ in range(TRIES):
        seen = tab.page.screenshot()
        if seen == before:
            return seen
        before = seen
        tab.page.wait_for_timeout(PAUSE)
    raise SystemExit("the page does not come to rest")


def take(context, name):
    """Takes a picture and writes it in few colours."""
    make, act, (wide, tall), width = PICTURES[name]
    with make() as viewer:
        tab = Tab(context, viewer, SHARPNESS)
        tab.page.set_viewport_size({"width": wide, "height": tall})
        act(tab)
        tab.state.worker.add(tab.state.fit)
        image = Image.open(io.BytesIO(at_rest(tab))).convert("RGB")
        tab.leave()
    image = image.resize((width, round(width * tall / wide)), Image.Resampling.LANCZOS)
    out = OUT / f"viewer-{name}.png"
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE).save(out, optimize=True)
    print(f"{out} ({out.stat().st_size / 1e3:.0f} kB)", flush=True)


if __name__ == "__main__":
    wanted = sys.argv[1:] or [*PICTURES]
    if unknown := {*wanted} - {*PICTURES}:
        raise SystemExit(f"no such picture: {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    with tempfile.TemporaryDirectory() as profile, chromium(profile) as context:
        for name in wanted:
            take(context, name)
