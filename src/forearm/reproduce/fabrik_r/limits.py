"""FABRIK-R's Figs. 2 to 6: what the older rules for hinges and pivots do, and where they fail.

The rules are those the paper quotes (Aristidou, Chrysanthou and Lasenby 2016), carried out here on points by
plain geometry; the failures are shown on the paper's own 5-DOF arm, with the number that tells them.
"""

from typing import Any

import numpy as np

from forearm.common.palette import BLUE, GREEN, PALE, SERIES
from forearm.common.types import Floats
from forearm.reproduce import drawing
from forearm.solve.trace import Trace

# three joints, a hinge in the middle, and a target with an orientation: the case of Fig. 2
HINGE_POINTS = ((0.0, 0.0, 0.0), (0.3, 0.0, 0.25), (0.6, 0.0, 0.1))
HINGE_TARGET = (0.35, 0.35, 0.3)
PIVOT_POINTS = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.25), (0.2, 0.0, 0.4))
PIVOT_TARGET = (0.2, 0.25, 0.35)
PLANES_DRAWN = 5


def toward(start: Floats, end: Floats, length: float) -> Floats:
    """The point at a length from start on the line to end: the step of FABRIK."""
    along = end - start
    point: Floats = start + along * (length / np.linalg.norm(along))
    return point


def onto_plane(point: Floats, inside: Floats, normal: Floats) -> Floats:
    """A point's foot on the plane through another point."""
    n = normal / np.linalg.norm(normal)
    foot: Floats = point - n * float(n @ (point - inside))
    return foot


def hinge_rule() -> tuple[Floats, Floats, Floats, Floats]:
    """The old points, the plane's normal, the foot of p2 on it, and the new points of the forward stage."""
    p, t = np.array(HINGE_POINTS), np.array(HINGE_TARGET)
    d1, d2 = np.linalg.norm(np.diff(p, axis=0), axis=1)
    normal = np.cross(t - p[0], [0.0, 0.0, 1.0])  # the plane of root and target, upright: the target's orientation
    foot = onto_plane(p[1], p[0], normal)
    p2 = toward(t, foot, float(d2))
    p1 = toward(p2, p[0], float(d1))
    return p, normal, foot, np.array([p1, p2, t])


def draw_hinge_rule() -> Any:
    """Fig. 2: the plane of root and target, p2 brought onto it, then p1; what is left lies in one plane."""
    old, normal, foot, new = hinge_rule()
    titles = ("(a) start; the plane of root and target", "(b) p3' on t, p2' on its line", "(c) p1' on its line")
    figure, panels = drawing.panels(10.0, 7.0, (*titles, "(d) all in one plane"), 2)
    for k, axes in enumerate(panels):
        drawing.plane(axes, 0.5 * (old[0] + new[2]), normal, 0.35, GREEN)
        if k < 3:
            drawing.before(axes, old)
        if k == 1:
            drawing.dotted(axes, old[1], foot, "p2 onto the plane")
        if k >= 1:
            drawing.chain(axes, new[1:] if k == 1 else new, BLUE, "placed")
        drawing.finish(axes, new[2], old, new, label="target t")
    return figure


def draw_parallel_hinges(trace: Trace) -> Any:
    """Fig. 3: with parallel axes at p3' and p4' there is no plane that also holds p2."""
    p4, v4, p2 = trace.points[1, 3], trace.normals[1, 3], trace.points[0, 1]
    foot = onto_plane(p2, p4, v4)
    away = 1e3 * float(np.linalg.norm(p2 - foot))
    titles = ("(a) start and target", f"(b) p2 lies {away:.0f} mm outside the plane of p4'")
    figure, (first, axes) = drawing.panels(9.0, 4.4, titles)
    drawing.chain(first, trace.points[0], PALE, "arm")
    finish(first, trace)
    drawing.before(axes, trace.points[0, :3])
    drawing.chain(axes, trace.points[1, 3:], BLUE, "placed")
    drawing.plane(axes, p4, v4, 0.12, GREEN, "plane of p3' and p4'")
    drawing.dotted(axes, p2, foot, "from p2 to the plane")
    finish(axes, trace)
    return figure


def draw_open_plane(trace: Trace) -> Any:
    """Fig. 4: many planes hold p1 and p3'; the old rule does not say which is that of p2."""
    figure, (axes,) = drawing.panels(5.5, 4.8, ("planes through p1 and p3'",))
    p1, p3 = trace.points[0, 0], trace.points[1, 2]
    ring = drawing.circle(p1, p3 - p1, 1.0, PLANES_DRAWN * 2)
    for k in range(PLANES_DRAWN):
        drawing.plane(axes, 0.5 * (p1 + p3), ring[k] - p1, 0.1, SERIES[k])
    drawing.before(axes, trace.points[0, :2])
    drawing.chain(axes, trace.points[1, 2:], BLUE, "placed")
    finish(axes, trace)
    return figure


def draw_pivot_rule() -> Any:
    """Fig. 5: the target's foot on the pivot's own line."""
    p, t = np.array(PIVOT_POINTS), np.array(PIVOT_TARGET)
    along = (p[1] - p[0]) / np.linalg.norm(p[1] - p[0])
    foot = p[0] + along * float(along @ (t - p[0]))
    figure, panels = drawing.panels(8.0, 4.2, ("(a) start and target", "(b) t brought onto the pivot's line"))
    for k, axes in enumerate(panels):
        drawing.chain(axes, p, PALE, "arm")
        drawing.names(axes, p, ("p1", "p2", "p3"))
        axes.plot(*np.array([p[0], p[0] + 0.5 * along]).T, color=GREEN, linestyle="-.", label="line l1")
        if k:
            drawing.dotted(axes, t, foot, "onto l1")
            link, wanted = p[2] - p[1], t - p[1]
            side = np.hypot(link[0], link[1]) * (wanted[:2] / np.hypot(*wanted[:2]))  # the link turned about z
            turned = p[1] + np.array([*side, link[2]])
            drawing.chain(axes, np.array([p[0], p[1], turned]), BLUE, "turned toward t")
        drawing.finish(axes, t, p, label="target t")
    return figure


def draw_pivot_failure(trace: Trace) -> Any:
    """Fig. 6: behind the forward stage p2' is off the pivot's axis, where the arm cannot bring it."""
    p2, real = trace.points[1, 1], trace.points[0, 1]
    away = 1e3 * float(np.linalg.norm(p2 - real))
    titles = ("(a) pivot at the base, then parallel hinges", f"(b) p2' is {away:.0f} mm from where p2 must be")
    figure, (first, axes) = drawing.panels(9.0, 4.4, titles)
    drawing.chain(first, trace.points[0], PALE, "arm")
    draw_axes(first, trace)
    finish(first, trace)
    drawing.chain(axes, trace.points[1, 1:], BLUE, "forward stage")
    drawing.chain(axes, trace.points[0, :2], PALE, "all p1 can do")
    drawing.dotted(axes, real, p2, "wanted, impossible")
    finish(axes, trace)
    return figure


def draw_axes(axes: Any, trace: Trace) -> None:
    """An arrow along each joint's axis of the arm as it starts."""
    for point, axis in zip(trace.points[0, :5], trace.normals[0, :5], strict=True):
        drawing.arrow(axes, point, 0.05 * axis, BLUE)


def finish(axes: Any, trace: Trace) -> None:
    """Marks the target of a trace, where its forward stage puts the tip, and fits the panel round it and the arm."""
    drawing.finish(axes, trace.points[1, -1], trace.points[0], label="target t")
