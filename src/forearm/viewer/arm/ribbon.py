"""The self-motion of a seven-joint arm in the page: its curves, and the arc that the arm is on as a ribbon of ghosts.

Curves are drawn as the way of one joint, the one that travels farthest: grey where limits forbid them, blue inside,
with a ball at every end of an arc. The ends of the arm's own arc say which limit ends it.
"""

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from forearm.common.types import Floats
from forearm.results.self_motion import Arc, ArcEnd, SelfMotion
from forearm.viewer.arm.figure import capsule_pieces
from forearm.viewer.arm.scene import ArmScene
from forearm.viewer.shared.nodes import add_copies, add_lines
from forearm.viewer.shared.shapes import ball
from forearm.viewer.shared.theme import GHOST, MISSED, PATH, START

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage

GHOSTS = 9  # of the arm along its arc, both ends among them
POINTS = 48  # of a curve or an arc that is drawn
MOST_ENDS = 48  # that are marked
END_SHARE = 0.011  # radius of an end's ball, per metre of reach
WIDTHS = 1.5, 5.0  # of curves outside and inside the limits [px]


class Ribbon:
    """The curves of the present target, and where the arm is on them."""

    def __init__(self, page: "ArmPage") -> None:
        self.page, host = page, page.host
        self.motion: SelfMotion | None = None
        self.arc: Arc | None = None  # the one that the arm is on
        self.place = 0.0  # and where [rad]
        self._made_for: object = None
        self.root = host.scene.add_frame("/ribbon", show_axes=False, visible=False)
        self.outside = add_lines(host, "/ribbon/outside", START, WIDTHS[0])
        self.inside = add_lines(host, "/ribbon/inside", PATH, WIDTHS[1])
        sizes = np.ones(MOST_ENDS)
        self.ends = add_copies(host, "/ribbon/ends", ball(END_SHARE * page.size), sizes, MISSED, cast_shadow=False)
        self.words = [
            host.scene.add_label(f"/ribbon/end {k}", "", font_size_mode="screen", depth_test=False) for k in range(2)
        ]
        self.ghosts: list[ArmScene] = []

    def settle(self) -> None:
        """Finds and draws the curves of the present target, and the arc that the arm is on."""
        problem = self.page.problem
        key = problem.T.tobytes(), id(problem.arm)
        if self.motion is None or key != self._made_for:
            self._made_for, self.motion, self.arc = key, problem.arm.self_motion(problem.T, problem.q), None
        if self.motion.arcs and (self.arc is None or np.abs(self.at(self.place) - problem.q).max() > 1e-6):
            self.arc, self.place, *_ = self.motion.nearest(problem.q)
            self._draw(self.motion, self.arc)
        self.root.visible = bool(self.motion.arcs)

    def hide(self) -> None:
        """Takes it away; the next time it is made anew."""
        self.root.visible, self._made_for, self.arc = False, None, None

    def at(self, place: float) -> Floats:
        """(n,) joint values at a place of the present arc, by whole turns near to where the arm is."""
        assert self.arc is not None
        return np.asarray(self.arc.near(self.arc.q(np.array([place])) - self.arc.offset, self.page.problem.q)[0])

    def walk(self, share: float) -> Floats:
        """(n,) joint values at a share of the present arc, from 0 to 1; the arm is there from now on."""
        assert self.arc is not None
        self.place = self.arc.begin + share * self.arc.length
        return self.at(self.place)

    @property
    def share(self) -> float:
        """Where on its arc the arm is, from 0 to 1."""
        return 0.0 if self.arc is None else float(np.clip((self.place - self.arc.begin) / self.arc.length, 0.0, 1.0))

    def sentence(self) -> str:
        """How long the present arc is and what ends it, as HTML."""
        if self.motion is None or self.arc is None:
            return ""
        found = f"{len(self.motion.curves)} curves with {len(self.motion.arcs)} arcs inside the limits."
        if self.arc.whole:
            return f"{found} The arm's own goes round without an end."
        return f"{found} The arm's own goes from {' to '.join(escape(str(end)) for end in self.arc.ends)}."

    # -- drawing -------------------------------------------------------------------------------

    def _draw(self, motion: SelfMotion, arc: Arc) -> None:
        samples = arc.sample(POINTS)
        ways = self._ways(samples)  # (k, m, 3)
        joint = int(np.argmax(np.linalg.norm(np.diff(ways, axis=0), axis=2).sum(axis=0)))
        curves = [self._ways(curve.sample(POINTS))[:, joint] for curve in motion.curves]
        self.outside.points = segments([np.vstack([way, way[:1]]) for way in curves])
        self.inside.points = segments([self._ways(each.sample(POINTS))[:, joint] for each in motion.arcs])
        ends = [end.q for each in motion.arcs for end in each.ends][:MOST_ENDS]
        self.ends.visible = bool(ends)
        if ends:
            places = self._ways(np.array(ends))[:, joint]
            self.ends.batched_positions = places[np.minimum(np.arange(MOST_ENDS), len(places) - 1)].astype(np.float32)
        for k, label in enumerate(self.words):
            label.visible = k < len(arc.ends)
            if label.visible:
                self._label(label, arc.ends[k], joint)
        while len(self.ghosts) < GHOSTS:
            self.ghosts.append(self._make_ghost(len(self.ghosts)))
        picked = np.linspace(0, POINTS - 1, GHOSTS).round().astype(int)
        for ghost, q in zip(self.ghosts, samples[picked], strict=True):
            ghost.show(q)
            ghost.tint(GHOST, {-1})

    def _ways(self, Q: Floats) -> Floats:
        """(k, m, 3) where the joints are at (k, n) joint values."""
        arm = self.page.problem.arm
        return np.array([arm.fk_all(q)[: arm.model.m, :3, 3] for q in Q])

    def _label(self, label: Any, end: ArcEnd, joint: int) -> None:
        label.text, label.position = str(end), self._ways(end.q[None])[0, joint]

    def _make_ghost(self, number: int) -> ArmScene:
        model = self.page.problem.arm.model
        return ArmScene(self.page.host, f"/ribbon/{number}", model, capsule_pieces(model), is_ghost=True)


def segments(ways: list[Floats]) -> Floats:
    """(k, 2, 3) the lines through the points of several ways."""
    return np.concatenate([np.stack([way[:-1], way[1:]], axis=1) for way in ways]).astype(np.float32)
