"""FABRIK-R's figures from real sweeps: Figs. 1, 7 to 15, and the Pioneer arm's model beside Figs. 16 and 17.

The print names no target for its 5-DOF arm; ours is one that plain sweeps reach within a millimetre after
three iterations, as in its Fig. 14. What is drawn of a stage is what `Robot.trace` gives: the points and axes
behind it, joint by joint. The two roots of Eq. (6) are computed here once more, by plain geometry.
"""

from typing import Any

import numpy as np

from forearm.chain import Chain
from forearm.common.palette import AMBER, BLUE, GREEN, INK
from forearm.common.types import Floats
from forearm.plot.pose import joint_points
from forearm.reproduce import Table, drawing
from forearm.reproduce.fabrik_r import limits
from forearm.reproduce.fabrik_r.limits import draw_axes, finish
from forearm.reproduce.fabrik_r.tables import FABRIK_R, PIONEER_TOLERANCE, SERVO_CENTRE, TABLE_6, load_pioneer, straight
from forearm.robot import load
from forearm.solve.trace import Trace
from forearm.targets.target import Position

GOAL = np.array([0.18, 0.15, 0.14])  # [m] of the 5-DOF arm
ARRIVED = 1e-3  # [m] what the eye takes for arrived in Fig. 14
LINK = 0.068  # [m] of the 5-DOF arm
DISC = 0.05  # [m] radius of a plane's disc
P = ("p1", "p2", "p3", "p4", "p5", "p6")
FABRIK_CHAIN = ((0.0, 0.0), (0.25, 0.3), (0.6, 0.4), (0.95, 0.3))
FABRIK_GOAL = (0.6, 0.9)


def pictures(_: tuple[Table, ...]) -> dict[str, Any]:
    """Figs. 1 to 16 by name."""
    trace = five_dof_trace()
    return {
        "figure-1": draw_fabrik(),
        "figure-2": limits.draw_hinge_rule(),
        "figure-3": limits.draw_parallel_hinges(trace),
        "figure-4": limits.draw_open_plane(trace),
        "figure-5": limits.draw_pivot_rule(),
        "figure-6": limits.draw_pivot_failure(trace),
        "figure-7": draw_step(trace),
        "figure-8": draw_roots(trace),
        "figure-9": draw_model(trace),
        "figure-10": draw_forward(trace, (5,), "p5"),
        "figure-11": draw_forward(trace, (5, 4), "p4"),
        "figure-12": draw_forward(trace, (4, 3, 2), "p3 and p2"),
        "figure-13": draw_backward(trace, (1, 2), "p2"),
        "figure-14": draw_backward_end(trace),
        "figure-15": draw_ten_dof(),
        "figure-16": draw_pioneer(),
    }


def five_dof_trace() -> Trace:
    """The sweeps on the 5-DOF arm until the tip is within a millimetre."""
    robot = load("fabrik-r-5dof")
    return robot.trace(Position(GOAL, tol=ARRIVED), straight(robot))


def draw_fabrik() -> Any:
    """Fig. 1: a whole iteration of FABRIK on four joints, joint by joint."""
    old, forward, backward = Chain(FABRIK_CHAIN).trace(FABRIK_GOAL, sweeps=1).points
    first = float(np.linalg.norm(old[1] - old[0]))
    forward[0] = limits.toward(forward[1], old[0], first)  # the library leaves the base where it is
    shown = (
        ("(a) start and target", old, 0, None),
        ("(b) p4 onto the target", forward, 1, old),
        ("(c) p3 on its line", forward, 2, old),
        ("(d) forward stage done", forward, 4, old),
        ("(e) p1 back at its base", backward, 1, forward),
        ("(f) backward stage done", backward, 4, forward),
    )
    figure, panels = drawing.panels(10.0, 6.0, [title for title, *_ in shown], 3, space=False)
    for axes, (_, new, count, before) in zip(panels, shown, strict=True):
        if before is None:
            drawing.chain(axes, new, INK, "chain")
            drawing.names(axes, new, P[:4])
        else:
            drawing.before(axes, before)
            part = slice(4 - count, 4) if before is old else slice(0, count)
            drawing.chain(axes, new[part], BLUE, "placed")
            drawing.names(axes, new[part], P[:4][part])
        drawing.target(axes, np.array(FABRIK_GOAL))
        axes.set(xlim=(-0.15, 1.1), ylim=(-0.1, 1.0))
        drawing.legend(axes, loc="lower right")
    return figure


def eq_6_roots(p5: Floats, v5: Floats, p1: Floats) -> Floats:
    """(2, 3) where p4 may go, so that its plane holds p1.

    Link 4 lies across v5 and v4 across both, so v4 is orthogonal to p1 - p5 exactly where link 4 lies along
    the shadow of that line on the plane of p5: two ways.
    """
    shadow = (p1 - p5) - v5 * float(v5 @ (p1 - p5))
    shadow /= np.linalg.norm(shadow)
    return np.array([p5 + LINK * shadow, p5 - LINK * shadow])


def placed_fourth(trace: Trace) -> tuple[Floats, Floats, Floats, Floats]:
    """p5' and v5' behind the forward stage, the two roots for p4, and the p4' that was taken."""
    p5, v5 = trace.points[1, 4], trace.normals[1, 4]
    return p5, v5, eq_6_roots(p5, v5, trace.points[0, 0]), trace.points[1, 3]


def draw_step(trace: Trace) -> Any:
    """Fig. 7: one step of the forward stage, here the one that places p4."""
    p5, v5, _, p4 = placed_fourth(trace)
    old, v4 = trace.points[0], trace.normals[1, 3]
    guess = drawing.circle(p5, v5, LINK)[9]
    titles = (
        "(a) p5' (prev) is known",
        "(b) its plane",
        "(c) some p4 on that plane",
        "(d) the line from p5' to p1 (next)",
        "(e) the plane of p4 that holds this line",
        "(f) p4' on it",
    )
    figure, panels = drawing.panels(10.0, 7.0, titles, 3)
    for k, axes in enumerate(panels):
        drawing.before(axes, old[:5])
        drawing.chain(axes, np.array([p5, GOAL]), BLUE, "placed")
        if k >= 1:
            drawing.plane(axes, p5, v5, LINK, BLUE)
        if k == 2:
            drawing.chain(axes, np.array([p5, guess]), GREEN, "p4, a guess", style=":")
        if k >= 3:
            drawing.dotted(axes, p5, old[0], "p5' to p1")
        if k >= 4:
            drawing.plane(axes, 0.5 * (p5 + old[0]), v4, 2 * LINK, GREEN)
        if k == 5:
            drawing.chain(axes, np.array([p5, p4]), GREEN, "p4'")
        finish(axes, trace)
    return figure


def draw_roots(trace: Trace) -> Any:
    """Fig. 8: all places of p4, the two roots of Eq. (6), and where p3 could then be."""
    p5, v5, roots, p4 = placed_fourth(trace)
    p3 = trace.points[0, 2]
    near = int(np.argmin(np.linalg.norm(roots - p4, axis=1)))
    looks = ((roots[near], GREEN, "-"), (roots[1 - near], AMBER, "--"))
    titles = ("(a) where p4 may be", "(b) the roots of Eq. (6)", "(c) where p3 may then be")
    figure, panels = drawing.panels(10.0, 3.9, titles)
    for k, axes in enumerate(panels):
        drawing.before(axes, trace.points[0, :5])
        drawing.chain(axes, np.array([p5, GOAL]), BLUE, "placed")
        axes.plot(*drawing.circle(p5, v5, LINK).T, color=GREEN, linewidth=1.2, label="p4 on its circle")
        for number, (root, colour, style) in enumerate(looks):
            if k >= 1:
                drawing.chain(axes, np.array([p5, root]), colour, f"root {number + 1}", style=style)
            if k == 2:
                around = drawing.circle(root, np.cross(root - p5, v5), float(np.linalg.norm(p3 - root)))
                axes.plot(*around.T, color=colour, linewidth=1.0, linestyle=style)
        finish(axes, trace)
    return figure


def draw_model(trace: Trace) -> Any:
    """Fig. 9: the arm, its axes and the target."""
    figure, (axes,) = drawing.panels(5.0, 4.5, ("5-DOF arm, 340 mm",))
    drawing.chain(axes, trace.points[0], INK)
    drawing.names(axes, trace.points[0], P)
    draw_axes(axes, trace)
    finish(axes, trace)
    return figure


def draw_forward(trace: Trace, joints: tuple[int, ...], what: str) -> Any:
    """Figs. 10 to 12: joints of the forward stage, one panel each, with the plane each moves in."""
    width = 3.6 * len(joints) if len(joints) > 1 else 5.0
    figure, panels = drawing.panels(width, 4.2, [f"forward: p{joint}'" for joint in joints])
    old, new, normals = trace.points[0], trace.points[1], trace.normals[1]
    for axes, joint in zip(panels, joints, strict=True):
        drawing.before(axes, old[:joint])
        drawing.chain(axes, new[joint - 1 :], BLUE, "placed")
        drawing.plane(axes, new[joint - 1], normals[joint - 1], DISC, GREEN, f"plane of p{joint}'")
        drawing.names(axes, new[joint - 1 :], tuple(f"{name}'" for name in P[joint - 1 :]), BLUE)
        if joint == 4:
            _, _, roots, taken = placed_fourth(trace)
            other = roots[int(np.argmax(np.linalg.norm(roots - taken, axis=1)))]
            drawing.chain(axes, np.array([new[4], other]), AMBER, "the other root", style=":")
        finish(axes, trace)
    figure.suptitle(f"Placing {what}", fontsize="medium")
    return figure


def draw_backward(trace: Trace, joints: tuple[int, ...], what: str) -> Any:
    """Fig. 13: the first joints of the backward stage, from the fixed base."""
    figure, panels = drawing.panels(3.8 * len(joints), 4.2, [f"backward: p{joint}" for joint in joints])
    for axes, joint in zip(panels, joints, strict=True):
        _draw_backward_joint(axes, trace, joint)
    figure.suptitle(f"Placing {what}", fontsize="medium")
    return figure


def _draw_backward_joint(axes: Any, trace: Trace, joint: int) -> None:
    drawing.before(axes, trace.points[1], "forward stage")
    drawing.chain(axes, trace.points[2, :joint], BLUE, "placed")
    drawing.plane(axes, trace.points[2, joint - 1], trace.normals[2, joint - 1], DISC, GREEN, f"plane of p{joint}")
    drawing.names(axes, trace.points[2, :joint], P[:joint], BLUE)
    finish(axes, trace)


def draw_backward_end(trace: Trace) -> Any:
    """Fig. 14: the rest of the backward stage, the end of the first iteration, and the last one."""
    joints, iterations = (3, 4, 5), (1, 2, (len(trace) - 1) // 2)
    away = {k: 1e3 * float(trace.distance[2 * k]) for k in iterations}
    ends = [f"after iteration {k}: {away[k]:.2g} mm away" for k in iterations]
    figure, panels = drawing.panels(10.0, 7.0, [*(f"backward: p{joint}" for joint in joints), *ends], 3)
    for axes, joint in zip(panels[:3], joints, strict=True):
        _draw_backward_joint(axes, trace, joint)
    for axes, iteration in zip(panels[3:], iterations, strict=True):
        drawing.before(axes, trace.points[0], "start")
        drawing.chain(axes, trace.points[2 * iteration], BLUE, "arm")
        finish(axes, trace)
    return figure


def draw_ten_dof() -> Any:
    """Fig. 15: the 10-DOF arm at the paper's zero and bent, with its axes."""
    robot = load("fabrik-r-10dof")
    bent = straight(robot) + 0.35
    figure, panels = drawing.panels(9.0, 4.6, ("straight up, the start", "every joint turned by 20°"))
    for axes, q in zip(panels, (straight(robot), bent), strict=True):
        frames = robot.fk_all(q)[: robot.n]
        points = np.vstack([np.zeros(3), frames[:, :3, 3]])
        drawing.chain(axes, points, INK)
        drawing.joint_axes(axes, frames, 0.1, BLUE)
        drawing.fit(axes, points)
    return figure


def draw_pioneer() -> Any:
    """The model in the poses of the photographs, Figs. 16 and 17: upright, and at the first target."""
    robot, q0 = load_pioneer(), np.full(7, SERVO_CENTRE)
    goal = np.array(TABLE_6[0][:3]) / 100.0
    options = FABRIK_R.options
    end = robot.solve(Position(goal, tol=PIONEER_TOLERANCE), q0, method="fabrik-r", explain=False, **options).q
    shown = [joint_points(robot, q) for q in (q0, end)]
    tips = [", ".join(f"{100.0 * x + 0.0:.1f}" for x in points[-1].round(6)) for points in shown]
    names = ("start, every servo at 150°", "at the first target of Table 6")
    titles = [f"{name}\ntip at {tip} cm" for name, tip in zip(names, tips, strict=True)]
    figure, panels = drawing.panels(9.0, 4.6, titles)
    for axes, points in zip(panels, shown, strict=True):
        drawing.chain(axes, points, INK)
        drawing.fit(axes, points, np.zeros((1, 3)), np.array([[0.0, 0.0, 0.6]]))
    drawing.target(panels[1], goal)
    return figure
