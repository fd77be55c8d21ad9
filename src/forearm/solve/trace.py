"""What a method did on its way to the answer, stage by stage, for plots and replay."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.core.arm.goal import begin
from forearm.core.arm.kinematics import fk_frames
from forearm.core.codes import ITERATIONS, ORIENTATION, SOLVED, TOL_POSITION
from forearm.core.combined.codes import MAX_ITERATIONS, PROBLEM
from forearm.core.combined.scratch import combined_size
from forearm.core.combined.trace import stages_size, trace_combined
from forearm.core.iterative.fabrik_r import fabrik_r_size, trace_fabrik_r
from forearm.errors import OptionError, UnsupportedError, counted
from forearm.solve.methods.layout import changed
from forearm.solve.methods.table import Method, find_method
from forearm.solve.problem import Problem, ask
from forearm.solve.single import refuse
from forearm.targets.target import Target, as_target

MAX_SWEEPS = 100_000
SHOWN = 8  # stages of a trace that are printed, at most


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The stages of a method, the start first.

    Attributes:
        stages: What each stage is: "start", then "forward" and "backward" in turn; of the combined
            method also "sqp", a step of the refiner, and "start" again where that tries another one; of ccd
            "sweep", of dls and jacobian-transpose "step".
        points: (S, n+1, 3) points of the joints and of the tip [m]; of the combined method (S, 3, 3), the
            ends of the two links that iterate.
        normals: (S, n+1, 3) the joints' axes: unit normals of the planes their links move in; (S, 3, 3).
        distance: (S,) from the tip (or the second link's end) to its target [m]; 0 behind a forward stage,
            which starts there.
        q: (n,) joint values after the last stage.
        goals: (S, 3) where the tip (or the second link's end) should be [m].
        method: What was watched.
    """

    stages: tuple[str, ...]
    points: Floats
    normals: Floats
    distance: Floats
    q: Floats
    goals: Floats
    method: str = ""

    def __len__(self) -> int:
        """How many stages there are, the start included."""
        return len(self.stages)

    def __repr__(self) -> str:
        """At most ten lines: how it ended, some of its stages, the joint values."""
        q = np.array2string(self.q, precision=4, suppress_small=True, separator=", ", max_line_width=1000, threshold=10)
        return "\n".join([*lines_of(f"Trace({self.method}", self.stages, self.distance), f"  q = {q}"])


def lines_of(head: str, stages: tuple[str, ...], distance: Floats) -> list[str]:
    """At most nine lines about stages: how many, how near the last one is, and eight of them, close together first."""
    last = len(stages) - 1
    picked = sorted({round(k) for k in np.r_[0, np.geomspace(1, max(last, 1), SHOWN - 1)] if k <= last})
    rows = [f"  {k:>6} {stages[k]:<10} {distance[k]:.3g} m" for k in picked]
    return [
        f"{head}, {counted(last, 'stage')} after the start; the last is {distance[-1]:.3g} m from the target)",
        *rows,
    ]


def trace(prepared: Prepared, target: Any, start: Floats, method: str, sweeps: int | None) -> Trace:
    """The stages of a method that has stages, from (n,) a start, or one of length zero for the middle of the limits."""
    if method not in TRACES:
        raise UnsupportedError(f"method '{method}' has no trace; these have: {', '.join(TRACES)}")
    show, usual = TRACES[method]
    sweeps = usual if sweeps is None else sweeps
    if not (isinstance(sweeps, int) and 1 <= sweeps <= MAX_SWEEPS):
        raise OptionError(f"sweeps is {sweeps!r}; it takes a whole number from 1 to {MAX_SWEEPS}")
    row, goal = find_method(method), as_target(target)
    row.check(goal.kind, prepared)
    return show(prepared, row, goal, start, sweeps)


def trace_sweeps(prepared: Prepared, method: Method, target: Target, start: Floats, sweeps: int) -> Trace:
    """The sweeps of FABRIK-R to a pose or a position until the tip arrives, or as many as asked for."""
    model = prepared.model
    q0 = np.empty(model.n)
    begin(model.limits, target.goal, start, q0)
    raw, _ = _stages_of(prepared, method, target, q0, 1 + 2 * sweeps)
    distance = np.linalg.norm(raw[:, -1, :3] - target.goal[:3, 3], axis=1)
    arrived = np.flatnonzero(distance[::2] <= target.terms[TOL_POSITION])  # behind a backward stage
    count = 2 * int(arrived[0]) + 1 if len(arrived) else len(distance)
    raw = raw[:count]
    return Trace(
        stages=("start", *(("forward", "backward")[k % 2] for k in range(count - 1))),
        points=raw[:, :, :3].copy(),
        normals=raw[:, :, 3:].copy(),
        distance=distance[:count],
        q=_stages_of(prepared, method, target, q0, count)[1],
        goals=np.tile(target.goal[:3, 3], (count, 1)),
        method=method.name,
    )


def trace_steps(prepared: Prepared, method: Method, target: Target, start: Floats, sweeps: int) -> Trace:
    """The sweeps of ccd, or the steps of the first try of dls and of jacobian-transpose, one after the other.

    These methods remember nothing but the joint values, so one sweep from where the last one ended is the next one.
    """
    if target.kind == ORIENTATION:
        raise UnsupportedError("a trace shows how far the tip is from a point, and this target has none")
    model = prepared.model
    own = {"max_iterations": 1} | ({"restarts": 0} if method.name == "dls" else {})
    settings = method.options(**own).pack(prepared.rotation_weight)
    q = np.empty(model.n)
    begin(model.limits, target.goal, start, q)
    shown, met = [q], False
    while not met and len(shown) <= sweeps:
        asked = Problem(prepared, target.kind, target.goal, target.terms, shown[-1], model.limits, settings)
        q, report, code, _ = ask(asked, method)
        if code < SOLVED:
            refuse(asked, code)
        met = code == SOLVED
        if report[ITERATIONS] > 0.0:  # none where the start meets the target already
            shown.append(q)
    frames = np.empty((len(shown), model.m + 1, 4, 4))
    for each, at in zip(frames, shown, strict=True):
        fk_frames(model.links, model.joints, at, each)
    points, goal = frames[:, :, :3, 3].copy(), target.goal[:3, 3]
    return Trace(
        stages=("start", *(["sweep" if method.name == "ccd" else "step"] * (len(shown) - 1))),
        points=points,
        normals=frames[:, :, :3, 2].copy(),
        distance=np.linalg.norm(points[:, -1] - goal, axis=1),
        q=shown[-1],
        goals=np.tile(goal, (len(shown), 1)),
        method=method.name,
    )


COMBINED_STAGES = ("start", "forward", "backward", "sqp")  # in the order of the kernel's codes


def trace_two_links(prepared: Prepared, method: Method, target: Target, start: Floats, sweeps: int) -> Trace:
    """The sweeps of the two-link problem that the combined method's answer came from, then the refiner's steps."""
    model, (flat, table) = prepared.model, prepared.of(method, target.kind)
    settings = method.options(n_l=sweeps, elbow="fabrik").pack(0.0)  # type: ignore[call-arg]
    asked = Problem(prepared, target.kind, target.goal, target.terms, start, model.limits, settings)
    q, report, *_ = ask(asked, method)
    q0, steps = np.empty(model.n), int(settings[MAX_ITERATIONS])
    begin(model.limits, target.goal, start, q0)
    most = stages_size(sweeps, steps)
    kinds, raw = np.zeros(most, np.int64), np.empty((most, 4, 3))
    which = max(int(report[PROBLEM]), 0)
    own, work = changed(flat, settings, target.terms, model.limits), np.empty(combined_size(model.m, model.n))
    count = trace_combined(own, table, target.goal, q0, which, work, kinds, raw)
    points, wanted = raw[:count, :3].copy(), raw[:count, 3]
    return Trace(
        stages=tuple(COMBINED_STAGES[kind] for kind in kinds[:count]),
        points=points,
        normals=_plane_normals(points, wanted[0]),
        distance=np.linalg.norm(points[:, 2] - wanted, axis=1),
        q=q,
        goals=wanted.copy(),
        method=method.name,
    )


def _plane_normals(points: Floats, target: Floats) -> Floats:
    """(S, 3, 3) the unit normal of the plane the links move in, at each point; 0 where all lie on a line."""
    normal = np.cross(points[:, 1] - points[:, 0], target - points[:, 0])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    unit = np.divide(normal, size, out=np.zeros_like(normal), where=size > 0.0)
    return np.repeat(unit[:, None, :], 3, axis=1)


def _stages_of(prepared: Prepared, method: Method, target: Target, q0: Floats, count: int) -> tuple[Floats, Floats]:
    """(count, n+1, 6) points and axes at the stages, and (n,) the joint values after them."""
    model, (problem, steps) = prepared.model, prepared.of(method, target.kind)
    raw, q, work = np.empty((count, model.n + 1, 6)), np.empty(model.n), np.empty(fabrik_r_size(model.m, model.n))
    trace_fabrik_r(problem, steps, target.goal, q0, work, raw, q)
    return raw, q


# What shows each method that has stages, and how many sweeps it shows unless told.
TRACES = {
    "fabrik-r": (trace_sweeps, 100),
    "combined": (trace_two_links, 15),
    "ccd": (trace_steps, 1000),
    "dls": (trace_steps, 200),
    "jacobian-transpose": (trace_steps, 2000),
}
