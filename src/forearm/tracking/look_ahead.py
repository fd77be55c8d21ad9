"""For redundant arms that ran into a wall: many strands at once, then a smoother one.

Which free motion keeps a way open is often known only later. So strands of the path are walked in
layers from its first point, each with a few rates of free motion; the cheapest ends that lie apart
go on. The way back from the best end is then walked once more. It has corners where the rate
changed, so it is smoothed, walked along its smoothed self, and the calmest of these is taken.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from forearm.common.types import Floats
from forearm.core.track.start import COST, GUIDED, PLACE, PUSH, PUSHED, VECTORS
from forearm.core.track.walk import ARRIVED, FULL, follow
from forearm.tracking.walk import PACE_OF_ONE, PathProblem, Walk, walk

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Breadth:
    """How broadly a look-ahead looks.

    Attributes:
        push: Rate of free motion that strands try, both ways, as a share of the largest step.
        strands: How many go on from a layer.
        apart: The least difference in some joint between strands that go on [rad or m].
    """

    push: float
    strands: int
    apart: float

    @property
    def pushes(self) -> Floats:
        """The rates that are tried from each end."""
        return np.array([0.0, -self.push, self.push])


# One that finds nearly all there is, and one four times as costly for most of the rest.
BREADTHS = (Breadth(0.4, 32, 0.1), Breadth(0.8, 64, 0.05))

LAYER = (5, 50)  # way-points in a layer, least and most; between them one radian of largest steps
# Widths of the smoothing in way-points of a path of 500, and how many widths a window is wide.
WIDTHS = (40.0, 15.0, 5.0)
WINDOW = 4.0
NARROWEST = 0.5  # a window narrower than this smooths nothing [way-points]


def look_ahead(problem: PathProblem, roots: list[Floats]) -> Walk:
    """The best path that strands from these first points find: a full one, else the longest."""
    best: Walk | None = None
    for breadth in BREADTHS:
        found = _look(problem, roots, breadth)
        if found.arrived:
            return _smoothed(problem, found)
        best = found if best is None or found.place > best.place else best
    assert best is not None  # there is a breadth
    return best


def _look(problem: PathProblem, roots: list[Floats], breadth: Breadth) -> Walk:
    """The cheapest full path among the strands, else the longest part."""
    n, last = problem.limits.shape[1], problem.last
    layer = int(np.clip(round(1.0 / problem.max_joint_step), *LAYER))
    nodes = np.array([problem.node(q) for q in roots])
    before: list[Indices] = []  # per layer, the candidate each strand that goes on was
    tail = VECTORS * n
    for until in [*range(layer, last, layer), last]:
        grown, ends = _grow(problem, nodes, until, breadth.pushes)
        alive = np.flatnonzero(ends == ARRIVED)
        if len(alive) == 0:
            best = int(np.argmax(grown[:, tail + PLACE]))
            return _walk_back(problem, roots, [*before, np.array([best])], layer, breadth.pushes)
        kept = alive[_select(grown[alive, :n], grown[alive, tail + COST], breadth)]
        before.append(kept)
        nodes = np.ascontiguousarray(grown[kept])
        problem.report("look ahead", until)
    return _walk_back(problem, roots, before, layer, breadth.pushes)


def _grow(problem: PathProblem, nodes: Floats, until: int, pushes: Floats) -> tuple[Floats, Indices]:
    """The ends of all strands of a layer, and how each ended."""
    count, n = len(nodes) * len(pushes), problem.limits.shape[1]
    grown, ends = np.empty((count, nodes.shape[1])), np.empty(count, np.int64)
    arguments, work, plan = problem.arguments(), problem.scratch(), problem.plan(PUSHED)
    rest, unused = np.zeros(n), np.empty((0, n))
    q, s = np.empty((32, n)), np.empty(32)  # walked over again when full: only the end is asked for
    for j, (node, push) in enumerate(product(nodes, pushes)):
        grown[j], plan[PUSH], ends[j] = node, push, FULL
        while ends[j] == FULL:
            _, ends[j] = follow(*arguments, plan, rest, unused, float(until), grown[j], work, q, s)
    return grown, ends


def _select(Q: Floats, costs: Floats, breadth: Breadth) -> Indices:
    """The cheapest strands whose ends lie apart."""
    kept: list[int] = []
    for i in np.argsort(costs, kind="stable"):
        if all(np.abs(Q[i] - Q[j]).max() >= breadth.apart for j in kept):
            kept.append(int(i))
            if len(kept) == breadth.strands:
                break
    return np.array(kept)


def _walk_back(problem: PathProblem, roots: list[Floats], before: list[Indices], layer: int, pushes: Floats) -> Walk:
    """The strand that ends first in the last layer, walked once more from its root."""
    taken, strand = [], 0
    for candidates in reversed(before):
        parent, push = divmod(int(candidates[strand]), len(pushes))
        taken.append(pushes[push])
        strand = parent
    node, plan = problem.node(roots[strand]), problem.plan(PUSHED)
    walks = []
    for i, push in enumerate(reversed(taken)):
        plan[PUSH] = push
        until = min((i + 1) * layer, problem.last)
        walks.append(walk(problem, plan, node, until=float(until), stage="look back"))
    places = np.concatenate([walks[0].places[:1], *[part.places[1:] for part in walks]])
    Q = np.concatenate([walks[0].q[:1], *[part.q[1:] for part in walks]])
    return Walk(places, Q, bool(places[-1] == problem.last))


def _smoothed(problem: PathProblem, found: Walk) -> Walk:
    """The calmest of a full path and of its smoothed selves that hold."""
    best, least = found, roughness(found)
    for width in WIDTHS:
        sigma = width * problem.last / PACE_OF_ONE
        if sigma < NARROWEST:
            continue
        guide = smooth(found.at_waypoints, sigma)
        other = walk(problem, problem.plan(GUIDED), problem.node(found.q[0]), guide=guide, stage="smooth")
        if other.arrived and roughness(other) < least:
            best, least = other, roughness(other)
    return best


def roughness(found: Walk) -> float:
    """The largest second difference of a joint over the way-points [rad or m]."""
    Q = found.at_waypoints
    return float(np.abs(np.diff(Q, n=2, axis=0)).max()) if len(Q) > 2 else 0.0


def smooth(Q: Floats, sigma: float) -> Floats:
    """(N, n) a Gaussian mean over way-points; the ends stay where they are."""
    reach = min(int(np.ceil(WINDOW * sigma)), len(Q) - 1)
    window = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    window /= window.sum()
    ahead = 2.0 * Q[0] - Q[reach:0:-1]  # reflected through the end points, which so are kept
    behind = 2.0 * Q[-1] - Q[-2 : -reach - 2 : -1]
    padded = np.concatenate([ahead, Q, behind])
    return np.stack([np.convolve(column, window, "valid") for column in padded.T], axis=1)
