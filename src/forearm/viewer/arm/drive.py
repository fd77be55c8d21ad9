"""How a dragged arm gets to its target: at once, or by a servo in real time, inside its speeds and accelerations."""

import time
from html import escape

import numpy as np

from forearm.common.markup import tag
from forearm.common.palette import css
from forearm.common.types import Floats
from forearm.tracking.servo import Servo
from forearm.viewer.arm.problem import ArmProblem
from forearm.viewer.shared.theme import BACKWARD, MISSED, SOLVED
from forearm.viewer.shared.words import card, facts_line, sentence

AT_ONCE, SERVO = "solve: at once", "servo: bounded motion"
RATE = 500.0  # ticks a second
FRAME = 1.0 / 60.0  # between two pictures while the arm moves [s]
LONGEST = 0.1  # what a page that was busy catches up with at most [s]
USUAL_SPEED, USUAL_SLIDE = 3.0, 0.5  # where a robot's file says none [rad/s], [m/s]
AT_REST = 1e-6  # a joint slower than this stands [rad/s or m/s]


class Drive:
    """A servo that follows the target of a problem as time goes by."""

    def __init__(self, problem: ArmProblem) -> None:
        self.problem = problem
        self.servo = self._make_servo()
        self.made_for = self.key(problem)
        self._before = time.monotonic()

    @staticmethod
    def key(problem: ArmProblem) -> tuple[object, ...]:
        """What a servo is made for; another one is needed when it changes."""
        return id(problem.arm), id(problem.scene), problem.clearance, problem.off_itself

    def _make_servo(self) -> Servo:
        arm, problem = self.problem.arm, self.problem
        slides = np.array([kind == "prismatic" for kind in arm.model.joint_kinds])
        usual = np.where(slides, USUAL_SLIDE, USUAL_SPEED)
        speed = np.where(np.isfinite(arm.velocity_limits), arm.velocity_limits, usual)
        return arm.servo(problem.q, rate=RATE, velocity=speed, **problem.guard())

    def step(self, now: float) -> bool:
        """Ticks as often as time has passed; whether the arm still moves, or has not arrived."""
        ticks = max(1, round(min(now - self._before, LONGEST) * RATE))
        self._before = now
        target = self.problem.target()
        for _ in range(ticks):
            self.servo(target)
        self.problem.q = self.servo.q
        return bool(np.abs(self.servo.velocity).max() > AT_REST) or self.servo.status == "limited"

    def begin(self) -> None:
        """A new target: time counts from now on, if the arm stood."""
        if not np.abs(self.servo.velocity).max() > AT_REST:
            self._before = time.monotonic()

    @property
    def is_met(self) -> bool:
        """Whether the arm is on its target."""
        return self.servo.status == "following"

    def words(self) -> str:
        """The status of the servo and why, and how fast the joints are."""
        servo = self.servo
        title = f"Servo: {servo.status}"
        why = [escape(sentence(servo.reason))] if servo.reason else [facts_line(*servo.error)]
        return card(title, [*why, speed_bars(servo.velocity, servo.velocity_limits)], SOLVED if self.is_met else MISSED)


def speed_bars(velocity: Floats, limits: Floats) -> str:
    """A bar for each joint's speed, from the middle to the side it turns to; full at its bound."""
    bars = []
    for share in np.clip(velocity / limits, -1.0, 1.0).tolist():
        left, width = 50.0 + 50.0 * min(share, 0.0), 50.0 * abs(share)
        colour = MISSED if abs(share) > 0.99 else BACKWARD
        inner = tag(
            "div", style=f"position:absolute;left:{left:.1f}%;width:{width:.1f}%;height:100%;background:{css(colour)}"
        )
        look = "position:relative;height:7px;margin-top:3px;border-radius:3px;overflow:hidden"
        look += ";background:rgba(128,128,128,.22)"
        bars.append(tag("div", inner, style=look))
    return tag("div", "speed of each joint, as a share of its bound", style="opacity:.75") + "".join(bars)
