"""The capsules that stand for an arm's links among obstacles, drawn into a matplotlib axes; what touches stands out."""

from typing import Any

import numpy as np

from forearm.arm.bodies import make_bodies
from forearm.common.palette import BAD, BLUE
from forearm.common.types import Floats
from forearm.core.arm.kinematics import fk_frames
from forearm.plot.obstacles import surface_of
from forearm.results.solution import Clearance
from forearm.robot import Robot
from forearm.scenes.scene import Scene
from forearm.scenes.shapes import Capsule

FAINT, CLEAR = 0.12, 0.55  # how much of a link that touches nothing is seen, and of one that does

GROUND = 1.5  # white below all links, in front of the obstacles


def draw_bodies(axes: Any, robot: Robot, q: Floats, scene: Scene) -> Clearance:
    """Draws the capsules of an arm at q; links that touch an obstacle or each other in the colour of a failure.

    Returns what comes nearest, by which the guilty are known.
    """
    nearest = robot.clearance(q, scene)
    assert isinstance(nearest, Clearance)  # of one configuration
    guilty = guilty_links(nearest)
    for link, capsule in placed_capsules(robot, q):
        bad = link in guilty
        # on white, for what is see-through would else have the colour of an obstacle behind it
        axes.plot_surface(*surface_of(capsule), linewidth=0, color="white", shade=False, zorder=GROUND)
        look = {"color": BAD if bad else BLUE, "alpha": CLEAR if bad else FAINT, "zorder": 3 if bad else 2}
        axes.plot_surface(*surface_of(capsule), linewidth=0, **look)
    if guilty:
        axes.plot([], [], [], color=BAD, linewidth=6, alpha=CLEAR, label=str(nearest))
    return nearest


def guilty_links(nearest: Clearance) -> tuple[str, ...]:
    """The links that touch: none, one that is in an obstacle, or two that are in each other."""
    if not nearest.distance < 0.0:
        return ()
    return (nearest.link, nearest.other) if nearest.obstacle is None else (nearest.link,)


def placed_capsules(robot: Robot, q: Floats) -> list[tuple[str, Capsule]]:
    """The link and the capsule of every body of an arm, in the base frame at (n,) joint values."""
    model = robot.model
    frames = np.empty((model.m + 1, 4, 4))
    fk_frames(model.links, model.joints, np.ascontiguousarray(q, dtype=float), frames)
    placed = []
    for body in make_bodies(model).rows:
        T = np.eye(4) if body.frame < 0 else frames[body.frame]
        a, b = (T[:3, :3] @ end + T[:3, 3] for end in (body.capsule[:3], body.capsule[3:6]))
        placed.append((body.link, Capsule(a, b, float(body.capsule[6]))))
    return placed
