"""Drag to picture: from a move of the pointer until the new joint values are drawn, in a real browser.

A headless Chromium opens the page of a UR5 and of a whole G1, grips an arrow of a target's handle and moves the
pointer a little every 150 ms. The page notes when the pointer moved, when its message left, when the new poses of the
links came back, when the frame with them began, when its scripts were done and when the last pixel was drawn. So the
parts add up: "send" is the browser's until the message leaves, "answer" the way to the server, its solve and the way
back, "wait" until the screen's next frame begins (60 a second), "scripts" the browser's work for that frame, "pixels"
until all is drawn. Without a graphics card the processor paints every pixel, also those of the frame before, so all
parts wait for it; the lines "no pixels" leave the draw calls of WebGL out, all else as before: what is left once a
graphics card does them. The difference is the share of drawing in software. viser sends at most 20 moves a second of
one drag; a move that comes sooner waits for its turn, which is not in these figures.
Run: python benchmarks/viewer.py --browser
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import forearm as fa
from forearm.common.transforms import from_quaternion
from forearm.viewer import view_robot, view_tree

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "viewer"))  # for its browser

from browser import ON_ARROW, Tab, chromium

MOVES, PAUSE = 60, 150  # of the pointer, and the milliseconds between them
WARM = 10  # first moves that are not counted
WAY = 0.08  # metres that the handle goes to and fro
GOAL = 20.0  # milliseconds from the pointer to the picture that count as at once
PARTS = ("send", "answer", "wait", "scripts", "pixels")

# What the page notes. Its socket lives in a worker, so the messages of workers are what is listened to.
WATCH = """
(() => {
  const rows = (window.dragRows = []);
  let pointer = 0, sent = null;
  addEventListener("pointermove", (e) => { if (e.buttons) pointer = e.timeStamp; }, true);
  const Plain = window.Worker;
  window.Worker = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => {
        const batch = event.data.type === "message_batch" ? event.data.messages : [];
        if (sent === null || !batch.some((m) => m.type === "SetOrientationMessage")) return;
        const row = [pointer, sent, performance.now()];
        sent = null;
        requestAnimationFrame(() => {
          row.push(performance.now());
          const after = new MessageChannel();
          after.port1.onmessage = () => {
            row.push(performance.now());
            const gl = document.querySelector("canvas").getContext("webgl2");
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));  // waits for all that is drawn
            row.push(performance.now());
            rows.push(row);
          };
          after.port2.postMessage(0);
        });
      });
    }
    postMessage(data, ...more) {
      if (data.type === "send" && data.message.type === "TransformControlsUpdateMessage") sent = performance.now();
      super.postMessage(data, ...more);
    }
  };
})();
"""

# WebGL without pixels: nothing is painted.
UNPAINTED = """
for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced", "clear"])
  WebGL2RenderingContext.prototype[name] = () => {};
"""


def drag(tab, gizmo, axis):
    """(k, 6) the times of every move that was answered [ms], and how far the joints went."""
    along = from_quaternion(*gizmo.wxyz)[:3, axis]
    grip = np.asarray(gizmo.position) + ON_ARROW * gizmo.scale * along
    start, end = tab.on_screen(grip), tab.on_screen(grip + WAY * along)
    mouse, before, farthest = tab.page.mouse, tab.state.problem.q.copy(), 0.0
    mouse.move(*start)
    tab.page.wait_for_timeout(500)
    mouse.down()
    for turn in np.linspace(0.0, 4.0 * np.pi, MOVES + 1)[1:]:
        mouse.move(*(start + 0.5 * (1.0 - np.cos(turn)) * (end - start)))
        tab.page.wait_for_timeout(PAUSE)
        farthest = max(farthest, float(np.abs(tab.state.problem.q - before).max()))
    mouse.up()
    if farthest < 0.01:
        raise SystemExit("the handle was not dragged: nothing was measured")
    return np.array(tab.page.evaluate("dragRows"))[WARM:]


def show(name, rows):
    """Prints the medians of the parts, of the whole, and of the whole without the wait for a frame of the screen."""
    parts, whole = np.diff(rows, axis=1), rows[:, -1] - rows[:, 0]
    work = whole - parts[:, PARTS.index("wait")]
    each = [*np.median(parts, axis=0), np.median(whole), np.percentile(whole, 90), np.median(work)]
    under = f"{np.count_nonzero(whole < GOAL):6} {np.count_nonzero(work < GOAL):5}"
    print(f"{name:22} {' '.join(f'{value:8.1f}' for value in each)} {under}  of {len(rows)}", flush=True)


def measure(pages, painted):
    """Prints a line for each page, drawn or with the draw calls left out."""
    with tempfile.TemporaryDirectory() as profile, chromium(profile) as context:
        context.add_init_script(WATCH + ("" if painted else UNPAINTED))
        for name, (make, handle, axis) in pages.items():
            with make() as viewer:
                tab = Tab(context, viewer)
                show(f"{name}, {'software' if painted else 'no pixels'}", drag(tab, handle(tab.state), axis))
                tab.leave()


def main(g1, g1_hand):
    """Prints two lines for each of two robots."""
    tree = fa.Tree.from_urdf(g1, base="free")
    pages = {
        "ur5": (lambda: view_robot(fa.load("ur5"), port=0), lambda page: page.stage.gizmo, 1),
        "g1, 5 goals": (lambda: view_tree(tree, port=0), lambda page: page.handles[g1_hand], 2),
    }
    print("from the pointer to the picture: median ms of each part, of all, 90 of 100 of all, all but the wait;")
    print(f"then how many moves took less than {GOAL:g} ms in all, and but for the wait")
    print(f"{'figure':22} {' '.join(f'{head:>8}' for head in (*PARTS, 'all', '90%', 'no wait'))} {'all':>6} no wait")
    for painted in (False, True):
        measure(pages, painted)
