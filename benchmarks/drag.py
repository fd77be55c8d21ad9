"""Drag to picture: from a move of the pointer until the new joint values are drawn, in a real browser.

A headless Chromium opens the page of a UR5 and of a whole G1, grips an arrow of a target's handle and moves the
pointer a little every 150 ms. The page and the server note when each leg of the way ends; both read this machine's
clock, so that the legs add up:

    pointer  the browser keeps the move until the screen's next frame begins, as browsers do
    send     viser's page finds the handle's new pose, and its message leaves the page
    up       through the browser's worker and its network process to the server's callback
    wake     until the page's thread on the server has begun
    solve    solved, and all that changed is told to viser
    down     written, sent, received and unpacked; the page's scripts have the new poses
    wait     until the screen's next frame begins
    scripts  the browser's work for that frame
    pixels   until all of it is drawn

"pointer" and "wait" are the rhythm of the screen, 60 frames a second here: a frame is 16.7 ms, and a move that comes
with one frame is seen with the next one at best. "work" is all the other legs. Without a graphics card the processor
paints every pixel, also those of the frame before, so that all legs wait for it; the lines "no pixels" leave the draw
calls of WebGL out, all else as before: what is left once a graphics card does them. `--software` measures with them.
viser's page sends at most 20 moves a second of one drag; a move that comes sooner waits for its turn, which is not in
these figures.
Run: python benchmarks/viewer.py --browser [--software]
"""

import sys
import tempfile
import time
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
GOAL = 20.0  # milliseconds of work from the pointer to the picture that count as at once
LEGS = ("pointer", "send", "up", "wake", "solve", "down", "wait", "scripts", "pixels")
RHYTHM = ("pointer", "wait")  # of the screen
SERVED = ("up", "wake", "solve")  # legs that end on the server

# What the page notes, in milliseconds since 1970. Its socket lives in a worker, so the messages of workers are what
# is listened to.
WATCH = """
(() => {
  const rows = (window.dragRows = []), now = () => performance.timeOrigin + performance.now();
  let pointer = [0, 0], sent = null;
  addEventListener("pointermove", (e) => {
    if (e.buttons) pointer = [performance.timeOrigin + e.timeStamp, now()];
  }, true);
  const Plain = window.Worker;
  window.Worker = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => {
        const batch = event.data.type === "message_batch" ? event.data.messages : [];
        if (sent === null || !batch.some((m) => m.type === "SetOrientationMessage")) return;
        const row = [...sent, now()];
        sent = null;
        requestAnimationFrame(() => {
          row.push(now());
          const after = new MessageChannel();
          after.port1.onmessage = () => {
            row.push(now());
            const gl = document.querySelector("canvas").getContext("webgl2");
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));  // waits for all that is drawn
            row.push(now());
            rows.push(row);
          };
          after.port2.postMessage(0);
        });
      });
    }
    postMessage(data, ...more) {
      if (data.type === "send" && data.message.type === "TransformControlsUpdateMessage") sent = [...pointer, now()];
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


def now():
    """Milliseconds since 1970."""
    return 1e3 * time.time()


class Watch:
    """Notes when a page's server got each move of a handle, began with it, and had told viser all that changed."""

    def __init__(self, page, gizmo):
        self.rows, self.begun = [], 0.0
        begin, flush = page.refresh, page.host.flush

        @gizmo.on_update
        async def _(event):
            if event.phase == "update":
                self.rows.append([now()])

        def refresh():
            self.begun = now()
            begin()

        def flushed():
            if self.rows and len(self.rows[-1]) == 1 and self.begun > self.rows[-1][0]:
                self.rows[-1] += [self.begun, now()]
            flush()

        page.refresh, page.host.flush = refresh, flushed

    def between(self, sent, received):
        """The row of a message that left and was answered at these times; not a number where none fits."""
        fit = [row for row in self.rows if len(row) == len(SERVED) and sent < row[0] and row[-1] < received]
        return fit[-1] if fit else [np.nan] * len(SERVED)


def drag(tab, gizmo, axis):
    """(k, legs + 1) the times at which the legs of every answered move ended, the move itself first [ms]."""
    along = from_quaternion(*gizmo.wxyz)[:3, axis]
    grip = np.asarray(gizmo.position) + ON_ARROW * gizmo.scale * along
    start, end = tab.on_screen(grip), tab.on_screen(grip + WAY * along)
    mouse, before, farthest = tab.page.mouse, tab.state.problem.q.copy(), 0.0
    watch = Watch(tab.state, gizmo)
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
    rows = np.array(tab.page.evaluate("dragRows"))[WARM:]
    served = np.array([watch.between(*row[2:4]) for row in rows])
    return np.hstack([rows[:, :3], served, rows[:, 3:]])


def show(name, rows):
    """Prints the medians of the legs, of the whole, and of the work alone."""
    legs, whole = np.diff(rows, axis=1), rows[:, -1] - rows[:, 0]
    work = whole - sum(legs[:, LEGS.index(leg)] for leg in RHYTHM)
    each = [*np.nanmedian(legs, axis=0), np.median(whole), np.median(work), np.percentile(work, 90)]
    under = f"{np.count_nonzero(work < GOAL)} of {len(rows)}"
    print(f"{name:22} {' '.join(f'{value:7.1f}' for value in each)}  {under}", flush=True)


def measure(pages, painted):
    """Prints a line for each page, drawn or with the draw calls left out."""
    with tempfile.TemporaryDirectory() as profile, chromium(profile) as context:
        context.add_init_script(WATCH + ("" if painted else UNPAINTED))
        for name, (make, handle, axis) in pages.items():
            with make() as viewer:
                tab = Tab(context, viewer)
                show(f"{name}, {'software' if painted else 'no pixels'}", drag(tab, handle(tab.state), axis))
                tab.leave()


def main(g1, g1_hand, software=False):
    """Prints a line for each of two robots, and perhaps one more with the pixels."""
    tree = fa.Tree.from_urdf(g1, base="free")
    pages = {
        "ur5": (lambda: view_robot(fa.load("ur5"), port=0), lambda page: page.stage.gizmo, 1),
        "g1, 5 goals": (lambda: view_tree(tree, port=0), lambda page: page.handles[g1_hand], 2),
    }
    print("from the pointer to the picture: median ms of each leg, of all, of the work (all but pointer and wait);")
    print(f"90 of 100 of the work, and how many moves took less than {GOAL:g} ms of it")
    print(f"{'figure':22} {' '.join(f'{head:>7}' for head in (*LEGS, 'all', 'work', '90%'))}")
    for painted in (False, True)[: 1 + software]:
        measure(pages, painted)
