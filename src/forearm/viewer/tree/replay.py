"""The tab that replays a motion of a robot, with the skeleton that it was carried over from as a ghost."""

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.types import Floats
from forearm.retargeting.result import Retargeted
from forearm.viewer.shared.controls import Tabs, clamped, on_change, on_press
from forearm.viewer.shared.rods import BonesScene
from forearm.viewer.shared.theme import GHOST, SOLVED
from forearm.viewer.shared.words import card
from forearm.viewer.tree.figure import extent_of

if TYPE_CHECKING:
    from forearm.viewer.tree.page import TreePage

FRAME = 1.0 / 30.0  # between two poses that are shown [s]
GHOST_OPACITY = 0.6
LOOKS = 9  # frames of a motion that the view is fitted to
ROD_SHARE = 0.012  # radius of a ghost's bones, per metre of the robot's size
REPLAY = "Replay"


class ReplayTab:
    """Plays a motion, or shows one frame of it."""

    def __init__(self, page: "TreePage", motion: Retargeted, tabs: Tabs) -> None:
        self.page, self.motion = page, motion
        self.at = 0  # the frame that is shown
        self.began: float | None = None  # when frame 0 was, while it is played
        self.roots = [k for k, p in enumerate(motion.ghost_parents.tolist()) if p < 0]
        self.ghosts = self._ghosts(page.host, page.size)
        gui, worker = page.host.gui, page.worker
        with tabs.part(REPLAY):
            self.play = gui.add_button("Play")
            self.frame = gui.add_slider("frame", 0, max(len(motion) - 1, 1), 1, 0)
            self.is_shown = gui.add_checkbox("skeleton as a ghost", True)
            self.aside = gui.add_slider("ghost moved aside [m]", 0.0, 2.0, 0.05, 0.0)
            self.words = gui.add_html("")
            on_press(self.play, worker, self.toggle)
            on_change(self.frame, worker, self._go)
            for control in (self.is_shown, self.aside):
                on_change(control, worker, lambda _: self.draw())
        self.draw()

    def _ghosts(self, host: Any, size: float) -> list[tuple[BonesScene, list[int]]]:
        """A tree of rods for every root of the clip, and the joints of each, its root first."""
        parent, found = self.motion.ghost_parents.tolist(), []
        for number, root in enumerate(self.roots):
            joints = [root]
            for k, p in enumerate(parent):
                if p in joints and k not in joints:
                    joints.append(k)
            rods = [joints.index(parent[k]) for k in joints[1:]]
            name = f"/ghost {number}"
            found.append((BonesScene(host, name, rods, ROD_SHARE * size, GHOST, opacity=GHOST_OPACITY), joints))
        return found

    def extent(self) -> Floats:
        """(k, 3) corners round the robot and the ghost all along their way."""
        page, motion, found = self.page, self.motion, []
        for i in np.unique(np.linspace(0, len(motion) - 1, LOOKS).astype(int)).tolist():
            found.append(extent_of(page.problem.body, page.pieces, motion.q[i], motion.base[i]))
            if self.is_shown.value:
                found.append(motion.ghost[i] + (0.0, self._aside(), 0.0))
        return np.vstack(found)

    def _aside(self) -> float:
        """How far the ghost stands beside the robot [m]."""
        return clamped(float(self.aside.value), 0.0, 2.0)

    def toggle(self) -> None:
        """Begins to play, from the first frame if it is at the last, or stops."""
        if self.began is not None:
            self.began, self.play.label = None, "Play"
            return
        self.at = 0 if self.at >= len(self.motion) - 1 else self.at
        self.began, self.play.label = time.monotonic() - self._time_of(self.at), "Stop"

    def _time_of(self, frame: int) -> float:
        """When a frame comes after the first [s]."""
        return float(self.motion.times[frame] - self.motion.times[0])

    def _go(self, frame: Any) -> None:
        """The user chose a frame."""
        if self.began is None:
            self.at = int(clamped(float(frame), 0, len(self.motion) - 1))
            self.draw()

    def tick(self) -> float | None:
        """Goes on as far as time has passed, while it is played."""
        if self.began is None:
            return None
        gone = time.monotonic() - self.began + float(self.motion.times[0])
        self.at = int(clamped(np.searchsorted(self.motion.times, gone, side="right") - 1, 0, len(self.motion) - 1))
        if self.at == len(self.motion) - 1:
            self.toggle()
        self.page.worker.show(self.frame, self.at)
        self.draw()
        return FRAME

    def draw(self) -> None:
        """Shows the robot and the ghost in the frame."""
        motion, i = self.motion, self.at
        self.page.figure.show(motion.q[i], motion.base[i])
        for rods, joints in self.ghosts:
            rods.root.visible = bool(self.is_shown.value)
            rods.root.position = (0.0, self._aside(), 0.0)
            if len(joints) > 1:
                rods.show(motion.ghost[i, joints])
        worst = int(motion.error[i].argmax())
        lines = [
            f"frame {i} of {len(motion)}, at {motion.times[i]:.2f} s",
            f"farthest from its goal: {motion.goals[worst]}, {motion.error[i, worst] * 1e3:.1f} mm",
        ]
        standing = [name for name, on in zip(motion.goals, motion.stands[i], strict=True) if on]
        lines += [f"stands: {', '.join(standing)}"] if standing else []
        self.words.content = card("Replay", lines, SOLVED)
        self.page.host.flush()
