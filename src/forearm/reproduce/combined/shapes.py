"""The combined paper's drawings, from real runs: Figs. 1, 2, 3 and 5, Table I, and the iiwa's printed answer.

Fig. 1 is the scheme; here with the number of queries that took each way. Fig. 3's configurations are those
after each backward phase of plain FABRIK on the cases of `convergence`.
"""

from typing import Any

import numpy as np

from forearm.common.palette import BLUE, GREEN, INK, ORANGE, PALE, SKY
from forearm.common.types import Floats
from forearm.plot import blank_figure
from forearm.reproduce import Row, Sampling, Table, Tick, drawing
from forearm.reproduce.combined.convergence import CASES, MAX_SWEEPS, TOLERANCE, Case
from forearm.reproduce.combined.paths import IIWA_ANSWER
from forearm.robot import Robot, load

QUERIES = 300  # of the scheme
N_L = {"ur5": 5, "iiwa14": 15}  # the paper's best switch index for each arm
SHOWN = (10, 100)  # iterations of Fig. 3's first two columns
MOST_DRAWN = 60  # configurations in a panel, evenly taken
# T_des^7 in print, three digits
IIWA_TARGET = ((0.537, 0.838, 0.094, 0.618), (-0.654, 0.344, 0.674, -0.463), (0.532, -0.423, 0.733, 0.382))

NOTE_I = "The paper's letters and what they are called in this library."
NOTE_ANSWER = (
    "Forward kinematics of the printed iiwa answer beside the printed target: the largest difference of an entry, "
    "1.1e-3, is what three printed digits allow. It holds for the alphas -90, 90, -90, 90, -90, 90, 0 deg only."
)


# Table I: symbol, meaning, what it is here
NOTATION = (
    ("S1, S2", "joint positions in the forward and the backward phase", "Trace.points, Trace.stages"),
    ("P_i", "position of joint i", "Trace.points[:, i - 1]"),
    ("P_t", "target of the iteration", "made by the reduction; Trace.distance counts from it"),
    ("n_l", "iteration at which SQP takes over", "option n_l"),
    ("n_max", "most iterations of FABRIK", 'option n_l with refiner="none"'),
    ("v_init", "direction of the straight start", "the arm's own zero direction"),
    ("l_id", "wanted direction of link i", "core/combined/complete.py"),
    ("x_id, y_id, z_id", "wanted axes of frame i", "core/combined/complete.py"),
    ("dist", "from P_t to the end of the iterated links", "Trace.distance"),
    ("k", "degrees of freedom", "Robot.n"),
    ("Theta_init, Theta_des", "start and answer", "q0, Solution.q"),
    ("eps_pos, eps_rot", "errors of position and rotation", "Solution.position_error, rotation_error"),
    ("eps_tol", "allowed error", "Pose(tol=)"),
    ("S", "answers within eps_tol", "every sign branch; solve_all lists them"),
)


def tables(_: Sampling, tick: Tick) -> tuple[Table, ...]:
    """The notation, and the iiwa's printed answer put through forward kinematics."""
    T = load("iiwa14").fk(IIWA_ANSWER)
    entries = tuple(
        Row(entry=f"T[{i}, {j}]", paper=IIWA_TARGET[i][j], here=float(T[i, j])) for i in range(3) for j in range(4)
    )  # the last row is 0 0 0 1
    notation = tuple(Row(symbol=symbol, meaning=meaning, here=here) for symbol, meaning, here in NOTATION)
    tick("the printed answer of the iiwa")
    return (
        Table("table-1-notation", "Table I: notation", NOTE_I, notation),
        Table("iiwa-answer", "Section IV-A: the iiwa's printed answer by forward kinematics", NOTE_ANSWER, entries),
    )


def pictures(_: tuple[Table, ...]) -> dict[str, Any]:
    """Figs. 1, 2, 3 and 5 by name."""
    return {
        "figure-1": draw_scheme(),
        "figure-2": draw_schematics(),
        "figure-3": draw_iterations(),
        "figure-5": draw_arms(),
    }


BOXES = {
    "query": (1.3, 4.3, "query T, start q0", INK),
    "reduce": (1.3, 2.7, "reduce: the wrist is fixed,\ntwo links are left", INK),
    "fabrik": (1.3, 0.9, "FABRIK, at most n_l sweeps\nfrom the straight chain", BLUE),
    "test": (4.7, 0.9, "dist ≤ tolerance?", INK),
    "sqp": (8.6, 0.9, "SQP inside the limits,\nseeded by the sweeps", ORANGE),
    "complete": (4.7, 2.7, "all joints by formulas,\nevery sign", GREEN),
    "choose": (4.7, 4.3, "keep what forward kinematics confirms;\nthe nearest to q0", GREEN),
}
WAYS = (
    *(("query", "reduce"), ("reduce", "fabrik"), ("fabrik", "test"), ("test", "complete"), ("test", "sqp")),
    *(("complete", "choose"), ("sqp", "complete")),
)


def ways_taken(robot: Robot, n_l: int) -> tuple[int, int]:
    """How many random queries the sweeps alone answered, and how many the refiner finished."""
    poses = robot.fk(robot.sample(QUERIES, rng_seed=0))
    traces = (robot.trace(T, np.zeros(robot.n), method="combined", sweeps=n_l) for T in poses)
    refined = sum("sqp" in trace.stages for trace in traces)
    return len(poses) - refined, refined


def draw_scheme() -> Any:
    """Fig. 1: the flow of the algorithm, with the number of queries that went each way."""
    figure = blank_figure(9.0, 4.6)
    axes = figure.add_subplot()
    axes.set(xlim=(0, 10), ylim=(0, 5))
    axes.axis("off")
    _draw_boxes(axes)
    counts = {name: ways_taken(load(name), n_l) for name, n_l in N_L.items()}
    swept, refined = (
        "\n".join(f"{name}, n_l {n_l}: {counts[name][way]} of {QUERIES}" for name, n_l in N_L.items()) for way in (0, 1)
    )
    axes.text(4.8, 1.75, f"yes\n{swept}", va="center", fontsize="x-small")
    axes.text(6.6, 0.8, f"no\n{refined}", ha="center", va="top", fontsize="x-small")
    return figure


def _draw_boxes(axes: Any) -> None:
    """The steps of the algorithm and the arrows between them."""
    drawn = {}
    for name, (x, y, words, colour) in BOXES.items():
        box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": colour, "linewidth": 1.6}
        drawn[name] = axes.text(x, y, words, ha="center", va="center", fontsize="small", bbox=box)
    for start, end in WAYS:
        bend = "angle,angleA=90,angleB=0" if start == "sqp" else "arc3"
        look = {"arrowstyle": "-|>", "color": INK, "patchA": drawn[start].get_bbox_patch(), "connectionstyle": bend}
        look |= {"patchB": drawn[end].get_bbox_patch(), "shrinkA": 2, "shrinkB": 2}
        axes.annotate("", xy=BOXES[end][:2], xytext=BOXES[start][:2], arrowprops=look)


def draw_schematics() -> Any:
    """Fig. 2: the two links of either arm, bent."""
    titles = ("(a) planar 2-DOF: two parallel axes", "(b) 4-DOF: ball, then hinge")
    figure, panels = drawing.panels(9.0, 4.2, titles)
    for axes, case in zip(panels, (CASES[0], CASES[3]), strict=True):
        points = case.chain().trace(np.array(case.target), sweeps=20).points[-1]
        drawing.chain(axes, points, INK)
        drawing.names(axes, points, ("P1", "P2", "P3"))
        drawing.arrow(axes, np.array(case.arm.base), 0.3 * np.array(case.arm.v_init), BLUE, "v_init")
        normal = np.cross(points[1] - points[0], points[2] - points[1])
        drawing.plane(axes, points.mean(axis=0), normal, 0.3, GREEN, "plane of the links")
        drawing.finish(axes, np.array(case.target), points, label="P_t")
    return figure


def configurations(case: Case, count: int | None) -> Floats:
    """(k, 3, 3) the points after each backward phase, the start first, up to so many iterations."""
    trace = case.chain().trace(np.array(case.target), sweeps=count or MAX_SWEEPS, tolerance=TOLERANCE)
    points: Floats = trace.points[::2]
    return points


def draw_iterations() -> Any:
    """Fig. 3: the chain after each backward phase, at n = 10, n = 100 and the end."""
    cases = [case for case in CASES if case.printed is not None]
    shown = [(case, configurations(case, count)) for case in cases for count in (*SHOWN, None)]
    titles = [f"({letter}) n = {len(points) - 1}" for letter, (_, points) in zip("abcdefghijkl", shown, strict=True)]
    figure, panels = drawing.panels(10.0, 13.0, titles, 3)
    for axes, (case, points) in zip(panels, shown, strict=True):
        for links in points[np.unique(np.linspace(0, len(points) - 1, MOST_DRAWN).astype(int))]:
            axes.plot(*links.T, color=PALE, linewidth=0.6)
        drawing.chain(axes, points[0], SKY, "start", style="--")
        drawing.chain(axes, points[-1], INK, "now")
        for joint, colour, label in ((1, GREEN, "path of P2"), (2, BLUE, "path of P3")):
            axes.plot(*points[:, joint].T, color=colour, marker=".", markersize=3, linewidth=0.8, label=label)
        drawing.target(axes, np.array(case.target))
        drawing.fit(axes, points.reshape(-1, 3))
    drawing.legend(panels[0])
    return figure


def draw_arms() -> Any:
    """Fig. 5: the chains of both arms, the axes of their joints, and the two links that iterate."""
    figure, panels = drawing.panels(9.0, 4.8, ("(a) UR5", "(b) KUKA iiwa 14"))
    arms = (
        ("ur5", (0.4, -0.9, 1.2, -0.6, 1.0, 0.0), [0, 1, 2]),
        ("iiwa14", (0.3, 0.6, 0.0, -1.2, 0.3, 0.9, 0.0), [0, 2, 4]),
    )
    for axes, (name, q, links) in zip(panels, arms, strict=True):
        robot = load(name)
        frames = robot.fk_all(q)
        points = np.vstack([np.zeros(3), frames[:, :3, 3]])
        drawing.chain(axes, points, PALE, "all links")
        drawing.chain(axes, frames[links, :3, 3], BLUE, "the two links that iterate")
        drawing.names(axes, frames[links, :3, 3], ("P1", "P2", "P3"), BLUE, 0.03)
        drawing.joint_axes(axes, frames[: robot.n], 0.15, ORANGE, is_numbered=True)
        drawing.fit(axes, points)
        drawing.legend(axes)
    return figure
