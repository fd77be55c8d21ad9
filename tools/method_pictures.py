"""Draws the picture of each method's page from real runs: `python tools/method_pictures.py` (or `make pictures`)."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import forearm as fa
from forearm.common.palette import BLUE, GREEN, INK, ORANGE, PALE, SERIES, SKY
from forearm.plot import blank_figure
from forearm.plot.panels import draw_circles
from forearm.plot.pose import joint_points
from forearm.plot.styles import line_style
from forearm.reproduce import drawing

OUT = Path(__file__).parent.parent / "docs" / "pictures" / "methods"
TARGETS = 40  # of a picture with a line for each
SHARED = 2000  # of a picture with shares


def draw_auto() -> Any:
    """Which arms of the catalog have a closed form, and which are left to the search."""
    names = [name for name in fa.list_robots() if not name.lower().endswith("-n")]  # families of any length left out
    kinds = {name: fa.load(name).structure.kind.value for name in names}
    order = sorted(set(kinds.values()), key=lambda kind: -sum(kind == other for other in kinds.values()))
    figure = blank_figure(9.0, 0.26 * len(names) + 1.0)
    axes = figure.add_subplot()
    rows = sorted(names, key=lambda name: (order.index(kinds[name]), name))
    for k, name in enumerate(rows):
        column = order.index(kinds[name])
        axes.barh(k, 1, left=column, color=SERIES[column], height=0.8)
        axes.text(column + 0.5, k, name, ha="center", va="center", color="white", fontsize="small")
    axes.set_xticks(np.arange(len(order)) + 0.5, [kind.replace(" ", "\n") for kind in order], fontsize="small")
    axes.xaxis.tick_top()
    axes.set(xlim=(0, len(order)), yticks=[], title="What is recognised from the axes of each arm")
    axes.invert_yaxis()
    return figure


def draw_closed_form() -> Any:
    """All branches of a UR5 for one pose."""
    arm = fa.load("ur5")
    q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    T = arm.fk(q)
    arms = [joint_points(arm, found.q) for found in arm.solve_all(T, q0=q)]
    figure, panels = drawing.panels(9.0, 4.6, [f"branch {k + 1}" for k in range(8)], 4)
    for axes, points in zip(panels, arms, strict=False):
        for other in arms:
            drawing.chain(axes, other, PALE, faint=True)
        drawing.chain(axes, points, BLUE)
        drawing.target(axes, T[:3, 3])
        drawing.fit(axes, *arms)
        axes.set(xticklabels=[], yticklabels=[], zticklabels=[])
    return figure


def draw_general() -> Any:
    """The share of cold targets solved against the number of starts allowed."""
    budgets = (1, 2, 3, 4, 6, 8, 12, 16, 24, 48)
    figure = blank_figure(7.0, 3.8)
    axes = figure.add_subplot()
    for k, name in enumerate(("ur5", "panda", "iiwa14", "jaco2")):
        arm = fa.load(name)
        Ts = arm.fk(arm.sample(SHARED, rng_seed=1))
        missed = [100.0 * (1.0 - arm.solve_batch(Ts, method="general", max_tries=b).success.mean()) for b in budgets]
        axes.plot(budgets, missed, marker="o", markersize=4, label=name, **line_style(k))
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_xscale("log")
    axes.set_xticks(budgets, [str(b) for b in budgets])
    axes.set(xlabel="starts allowed (max_tries)", ylabel="not solved [%]", ylim=(-0.02, 100))
    axes.set_title(f"{SHARED} poses each, without q0", fontsize="medium")
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    return figure


def draw_fabrik_r() -> Any:
    """A sweep on the paper's 5-DOF arm, and how the sweeps converge."""
    arm = fa.load("fabrik-r-5dof")
    q0 = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0])
    goal = np.array([0.18, 0.15, 0.14])
    trace = arm.trace(fa.Position(goal), q0, sweeps=60)
    figure = blank_figure(10.5, 3.6)
    for stage, axes in enumerate(draw_sweep(figure, trace, space=True), 1):
        for point, normal in zip(trace.points[stage, 1:5], trace.normals[stage, 1:5], strict=True):
            drawing.plane(axes, point, normal, 0.03, GREEN)
        drawing.finish(axes, goal, trace.points[0])
    axes = figure.add_subplot(1, 3, 3)
    axes.semilogy(1e3 * trace.distance[::2], color=BLUE, marker=".", label="sweeps alone")
    axes.set(xlabel="sweep", ylabel="distance [mm]", title="how it converges")
    tolerance_line(axes, 1e-3)
    return figure


def draw_sweep(figure: Any, trace: Any, space: bool) -> Iterator[Any]:
    """The two halves of the first sweep, in the first two of three panels."""
    for stage, title in ((1, "forward: from the target"), (2, "backward: from the base")):
        axes = drawing.panel(figure, 1, 3, stage, title, space)
        drawing.before(axes, trace.points[stage - 1])
        drawing.chain(axes, trace.points[stage], BLUE, "after")
        yield axes


def tolerance_line(axes: Any, level: float = 1e-6) -> None:
    """Where a target counts as met, and the legend."""
    axes.axhline(level, color=INK, linestyle=":", label="1e-6 m")
    axes.legend(fontsize="small")


def draw_combined() -> Any:
    """The iiwa's two links under sweeps, and both curves."""
    arm = fa.load("iiwa14")
    T = arm.fk([-0.745, 1.655, -1.686, -0.019, 1.003, -2.025, -0.505])  # the elbow almost straight
    plain = arm.trace(T, method="combined", sweeps=20_000)
    both = arm.trace(T, method="combined", sweeps=15)
    figure = blank_figure(9.5, 4.0)
    axes = drawing.panel(figure, 1, 2, 1, "the two links, sweep by sweep")
    for k in (0, 2, 6, 14, 30):
        drawing.chain(axes, plain.points[k], PALE, faint=True)
    drawing.chain(axes, plain.points[0], SKY, "start", style="--")
    drawing.chain(axes, both.points[-1], BLUE, "answer")
    drawing.fit(axes, plain.points[0], both.points[-1])
    drawing.legend(axes)
    curves = figure.add_subplot(1, 2, 2)
    after = np.array([d for d, stage in zip(both.distance, both.stages, strict=True) if stage != "forward"])
    curves.loglog(1 + np.arange(len(plain.distance[::2])), plain.distance[::2], color=ORANGE, label="sweeps alone")
    after = np.maximum(after, 1e-17)
    curves.loglog(1 + np.arange(len(after)), after, color=BLUE, marker=".", label="15 sweeps, then SQP")
    curves.set(xlabel="1 + iteration", ylabel="distance [m]", title="an elbow that must end almost straight")
    tolerance_line(curves)
    return figure


def draw_descent(method: str, counts: tuple[int, ...], hard: str, **options: Any) -> Any:
    """What is left of the error after so many steps from one start: targets that are easy, and some that are hard."""
    figure = blank_figure(9.5, 3.8)
    arm = fa.load("ur5").with_limits(np.tile([[-np.pi], [np.pi]], (1, 6)))
    q0 = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    stretched = arm.sample(TARGETS, rng_seed=3) * 0.25 + q0
    stretched[:, 2] = 0.02 * np.sign(stretched[:, 2])  # the elbow almost straight
    draws = {
        "near q0": arm.sample(TARGETS, rng_seed=2) * 0.25 + q0,
        "near full stretch": stretched,
        "anywhere": arm.sample(TARGETS, rng_seed=4),
    }
    for k, title in enumerate(("near q0", hard)):
        axes = figure.add_subplot(1, 2, k + 1)
        poses = arm.fk(np.clip(draws[title], *arm.limits))
        errors = np.array([[left(arm, T, q0, method, n, **options) for n in counts] for T in poses])
        axes.loglog(counts, errors.T, color=PALE, linewidth=0.7, alpha=0.7)
        axes.loglog(counts, np.median(errors, axis=0), color=BLUE, linewidth=2.5, label="median")
        solved = int((errors[:, -1] <= 1e-6).sum())
        axes.set_title(f"targets {title}: {solved} of {len(poses)} solved", fontsize="medium")
        axes.set(xlabel="iterations allowed, one start", ylabel="position error [m]")
        tolerance_line(axes)
    return figure


def left(arm: fa.Robot, T: Any, q0: Any, method: str, count: int, **options: Any) -> float:
    """The position error after so many iterations [m], by forward kinematics."""
    q = arm.solve(T, q0, method=method, max_iterations=count, explain=False, **options).q
    return max(float(np.linalg.norm(arm.fk(q)[:3, 3] - T[:3, 3])), 1e-16)


def draw_fabrik() -> Any:
    """Two sweeps on a planar chain, and how plain FABRIK and the refined one converge."""
    chain = fa.Chain([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [0.0, 4.0], [0.0, 5.0]])
    goal = np.array([3.6, 3.0])
    trace = chain.trace(goal, sweeps=1000, tolerance=1e-6)
    figure = blank_figure(10.5, 3.6)
    for axes in draw_sweep(figure, trace, space=False):
        drawing.target(axes, goal)
        drawing.legend(axes, loc="lower right")
    axes = figure.add_subplot(1, 3, 3)
    plain = trace.distance[::2]
    steps, refined = np.arange(1, 6), []
    for n in steps:
        pose = chain.solve(goal, max_steps=int(n), max_tries=1, tolerance=1e-12, explain=False)
        refined.append(max(float(np.linalg.norm(pose.points[-1] - goal)), 1e-17))
    axes.loglog(1 + np.arange(len(plain)), plain, color=ORANGE, label="sweeps alone")
    axes.loglog(6 + steps, refined, color=BLUE, marker="o", markersize=3, label="5 sweeps + refiner")
    axes.set(xlabel="1 + iteration", ylabel="distance [m]", title="near full stretch")
    tolerance_line(axes)
    return figure


def draw_bezier() -> Any:
    """Smooth poses, and the way round obstacles."""
    trunk = fa.Chain([[0, k] for k in range(13)])
    figure = blank_figure(9.5, 4.4)
    axes = drawing.panel(figure, 1, 2, 1, "twelve links, five targets", space=False)
    for colour, goal in zip(SERIES, ((9, 6), (6, 3), (3, 1), (-4, 4), (-9, 2)), strict=False):
        drawing.chain(axes, trunk.solve(goal, method="bezier").points, colour, faint=True)
        axes.plot(*goal, color=colour, marker="*", markersize=11)
    axes = drawing.panel(figure, 1, 2, 2, "the same chain among obstacles", space=False)
    balls = [((3.0, 6.0), 1.4), ((6.5, 8.0), 1.2), ((5.5, 2.5), 1.3)]
    draw_circles(axes, ((*center, radius) for center, radius in balls))
    free = trunk.solve((8, 5), method="bezier")
    clear = trunk.solve((8, 5), method="bezier", obstacles=[fa.Sphere(*ball) for ball in balls], clearance=0.15)
    drawing.before(axes, free.points, "told of none")
    drawing.chain(axes, clear.points, BLUE, f"told of all: {clear.clearance:.2f} clear")
    drawing.target(axes, np.array([8.0, 5.0]))
    drawing.legend(axes, loc="upper left")
    return figure


STEPS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 400, 1000)
PICTURES: dict[str, Callable[[], Any]] = {
    "auto": draw_auto,
    "closed-form": draw_closed_form,
    "general": draw_general,
    "fabrik-r": draw_fabrik_r,
    "combined": draw_combined,
    "dls": lambda: draw_descent("dls", STEPS, "anywhere", restarts=0),
    "jacobian-transpose": lambda: draw_descent("jacobian-transpose", (*STEPS, 2000, 5000), "near full stretch"),
    "ccd": lambda: draw_descent("ccd", STEPS, "near full stretch"),
    "fabrik": draw_fabrik,
    "bezier": draw_bezier,
}


def main(names: list[str]) -> None:
    """Draws all pictures, or those named."""
    OUT.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        path = OUT / f"{name}.png"
        PICTURES[name]().savefig(path, dpi=100, pil_kwargs={"optimize": True})
        print(f"{path.name}: {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
