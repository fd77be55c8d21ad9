"""Along a path from branch to branch: the sheet that goes on, and the fewest jumps where none does.

At every way-point the closed form, or elimination for other arms of six joints, lists all branches. Those that the
arm may stand on are led on together: each to the branches ahead that lie within a step on the line, or by a walk with
points inserted. So near a singularity, where two sheets come together, both go on, and no choice made early can be
the wrong one. Where none goes on, the arm must reconfigure: then every branch of the way-point ahead is open. A jump
made as late as possible leaves open all that an earlier one would, so their number is the fewest there is (the
problem of IKLink, Wang et al. 2024). Before a jump the segments are led through in pieces, as sheets may come together
between two way-points. Arms whose branches are not all known jump to what a search finds, each time to
what goes farthest: few jumps, not provably the fewest.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forearm.arm.configurations import turned_near, turns_inside
from forearm.arm.structure import Kind
from forearm.common.threads import heed
from forearm.common.types import Floats
from forearm.core.codes import LIMIT_SLACK, POSE, TOL_AXES, TOL_POSITION, TOL_ROTATION
from forearm.core.track.path import AT_MEETS, MEASURE_SCRATCH, measure_path
from forearm.solve.all_branches import solve_all
from forearm.solve.problem import COMPLETE, is_banded
from forearm.tracking.bridge import along, bridge_to
from forearm.tracking.path import cut
from forearm.tracking.walk import PathProblem, Walk, walk

SAME = 1e-4  # joint values closer than this are one [rad or m]
MOST = 512  # branches led on together; a jump may land on as many whole turns of each
WIDEST = 64
PIECES = 8  # of a segment in which sheets may come together
BACK = 16  # segments that are looked at again in pieces before a stop, if there are no jumps
BRIDGED = 1.0  # the most that a joint moves where the line is left [rad or m]


class Node(NamedTuple):
    """A branch at a way-point, and how the arm came to it."""

    q: Floats
    parent: int = -1  # its place in the layer before
    cost: float = 0.0  # the way of the joint that moves most, added up [rad or m]
    way: Walk | None = None  # points inserted on the way, this one the last
    jumped: bool = False


def are_known(problem: PathProblem) -> bool:
    """Whether every branch of every way-point is known: by a closed form or elimination, and nothing left free."""
    tables = problem.tables
    if problem.path.kind != POSE or np.any(is_banded(problem.path.terms)) or problem.redundant:
        return False
    return tables.structure.kind in COMPLETE or (tables.structure.kind is Kind.NONE and tables.six_axes is not None)


def through_branches(problem: PathProblem, starts: list[Floats], jumps: bool) -> Walk:
    """The walk that comes farthest along all branches, with the fewest jumps if any are allowed."""
    layers, wider, rough = [[Node(q) for q in starts]], _widened(problem), 0
    for i in range(problem.last):
        heed()
        rows = _answers(problem, i + 1, layers[-1][0].q)
        nodes = _led_on(problem, wider, layers[-1], rows, i)
        if not nodes and problem.insert:
            rough = rough if jumps else max(rough, i - BACK)
            layers, nodes, rough = _look_again(problem, wider, layers, rough)
        if not nodes and jumps:
            nodes, rough = _landed(problem, layers[-1], rows), i + 1
        if not nodes:
            break
        layers.append(nodes)
        problem.report("branches", i + 1)
    return _way_back(problem, wider, layers)


def _look_again(
    problem: PathProblem, wider: Floats, layers: list[list[Node]], rough: int
) -> tuple[list[list[Node]], list[Node], int]:
    """Layers that lead nowhere, led on through the pieces of their segments, too, and the nodes ahead.

    Sheets that come together between two way-points are seen there only. First the last segment alone is cut, then all
    from `rough` on, up to which it was done before; what comes back last is the new value of that.
    """
    last = len(layers) - 1
    for first in dict.fromkeys((last, rough)):
        again = layers[: first + 1]
        for i in range(first, last + 1):
            heed()
            rows = _answers(problem, i + 1, again[-1][0].q)
            nodes = _led_on(problem, wider, again[-1], rows, i) if first < last else []
            again.append(_each_once([*nodes, *_through_pieces(problem, again[-1], i)]))
            if not again[-1]:
                break
        else:
            return again[:-1], again[-1], last + 1 if first == rough else rough
    return layers, [], rough


def _through_pieces(problem: PathProblem, layer: list[Node], i: int) -> list[Node]:
    """The branches of way-point i + 1 that a layer leads on to along all branches of the segment's pieces."""
    part = replace(problem, path=cut(problem.path, float(i), i + 1.0, PIECES), progress=None, between="line")
    layers, wider = [[Node(node.q, cost=node.cost) for node in layer]], _widened(part)
    for j in range(PIECES):
        rows = _answers(part, j + 1, layers[-1][0].q)
        layers.append(_led_on(part, wider, layers[-1], rows, j))
        if not layers[-1]:
            return []
    found = []
    for node in layers[-1]:
        chain = _chain(layers, node)
        ways = [each.way or _step(j, each.q) for j, each in enumerate(chain[1:])]
        places = np.concatenate([[0.0], *(way.places[1:] for way in ways)]) / PIECES + i
        Q = np.concatenate([chain[0].q[None], *(way.q[1:] for way in ways)])
        parent = next(k for k, each in enumerate(layers[0]) if each is chain[0])
        found.append(Node(node.q, parent, node.cost, Walk(places, Q, True)))
    return found


def _answers(problem: PathProblem, place: int, near: Floats) -> Floats:
    """(k, n) every branch of a way-point inside the limits, once for all its whole turns."""
    found = [branch.q for branch in solve_all(problem.single(float(place), near))]
    return np.array([q for q in found if problem.is_free(q)]).reshape(-1, len(near))


def _widened(problem: PathProblem) -> Floats:
    """(N, 15) terms with what the pose halfway may be off the line."""
    terms: Floats = problem.path.terms.copy()
    terms[:, TOL_POSITION] += problem.halfway[0]
    terms[:, TOL_ROTATION] += problem.halfway[1]
    terms[:, TOL_AXES : TOL_AXES + 3] += problem.halfway[0]
    terms[:, TOL_AXES + 3 : TOL_AXES + 6] += problem.halfway[1]
    return terms


def _holds(problem: PathProblem, wider: Floats, place: float, A: Floats, B: Floats) -> NDArray[np.bool_]:
    """(k,) whether the steps from A to B (k, n) keep the bound, the line halfway, and their distance."""
    model, path = problem.tables.model, problem.path
    errors, places = np.empty((len(A), 3)), np.full(len(A), place)
    middle = np.ascontiguousarray(0.5 * (A + B))
    asked = model.links, model.joints, path.goals, wider, path.kind
    measure_path(*asked, places, middle, np.empty(MEASURE_SCRATCH), errors)
    good = (errors[:, AT_MEETS] == 1.0) & (np.abs(B - A).max(axis=1, initial=0.0) <= problem.max_joint_step)
    guard = problem.guard
    if guard is not None:
        good &= np.array([g and guard.is_free_between(a, b) for g, a, b in zip(good, A, B, strict=True)], bool)
    return np.asarray(good, np.bool_)


def _turned(problem: PathProblem, rows: Floats, q: Floats) -> Floats:
    """(k, n) those rows that stay inside the limits when each joint is turned as near to q as can be."""
    near = np.array([turned_near(row, q, problem.tables.model) for row in rows]).reshape(-1, len(q))
    inside = (near >= problem.limits[0] - LIMIT_SLACK) & (near <= problem.limits[1] + LIMIT_SLACK)
    turned: Floats = np.clip(near[inside.all(axis=1)], *problem.limits)
    return turned


def _led_on(problem: PathProblem, wider: Floats, layer: list[Node], rows: Floats, i: int) -> list[Node]:
    """The branches of way-point i + 1 that a layer leads on to, each once, by its shortest way."""
    found: list[Node] = []
    for parent, node in enumerate(layer):
        near = _turned(problem, rows, node.q)
        good = _holds(problem, wider, i + 0.5, np.broadcast_to(node.q, near.shape), near)
        there = near[good]
        found += [Node(q, parent, node.cost + float(np.abs(q - node.q).max())) for q in there]
        found += _bridged(problem, node, parent, near[~good], i)
        if len(there) == 0 and problem.insert:
            way = walk(replace(problem, progress=None), problem.plan(), problem.node(node.q, float(i)), until=i + 1.0)
            if way.arrived:
                moved = float(np.abs(np.diff(way.q, axis=0)).max(axis=1).sum())
                found.append(Node(way.q[-1], parent, node.cost + moved, way))
    return _each_once(found)


def _bridged(problem: PathProblem, node: Node, parent: int, rows: Floats, i: int) -> list[Node]:
    """The rows that a node leads on to off the line, where it may be left."""
    found = []
    for q in rows if problem.between == "joints" else rows[:0]:
        moved = float(np.abs(q - node.q).max())
        free = problem.guard is None or problem.guard.is_free_between(node.q, q)
        if moved <= BRIDGED and free and bridge_to(problem, node.q, q, i) is not None:
            found.append(Node(q, parent, node.cost + moved, along(problem, node.q, q, i)))
    return found


def _landed(problem: PathProblem, layer: list[Node], rows: Floats) -> list[Node]:
    """Every branch of a way-point with all its whole turns, jumped to from the nearest of a layer."""
    before, found = np.array([node.q for node in layer]), []
    for row in rows:
        for q in _all_turns(problem, row):
            moves = np.abs(before - q).max(axis=1)
            parent = int(np.argmin(moves))
            found.append(Node(q, parent, layer[parent].cost + float(moves[parent]), None, True))
    return _each_once(found)


def _all_turns(problem: PathProblem, row: Floats) -> list[Floats]:
    """A row with each joint at each of its values inside the limits that differ by whole turns."""
    round_ = [kind != "prismatic" for kind in problem.tables.model.joint_kinds]
    values = [
        turns_inside(float(v), float(v), float(lo), float(hi), LIMIT_SLACK) if turns else [float(v)]
        for v, lo, hi, turns in zip(row, *problem.limits, round_, strict=True)
    ]
    return [np.clip(np.array(q), *problem.limits) for q in islice(product(*values), WIDEST)]


def _each_once(nodes: list[Node]) -> list[Node]:
    """Nodes without those that stand where a cheaper one does."""
    kept: list[Node] = []
    for node in sorted(nodes, key=lambda node: node.cost):
        if len(kept) < MOST and all(np.abs(node.q - other.q).max() > SAME for other in kept):
            kept.append(node)
    return kept


def _way_back(problem: PathProblem, wider: Floats, layers: list[list[Node]]) -> Walk:
    """The cheapest way through all layers, walked on from where it ends."""
    chain = _chain(layers, min(layers[-1], key=lambda node: node.cost))
    places, Q, jumps = [0.0], [chain[0].q], list[int]()
    for i, node in enumerate(chain[1:]):
        if node.jumped:
            jumps.append(len(Q))
            for q in _stood_before(problem, wider, node.q, i)[:1]:  # there the new branch follows the line to here
                places.append(float(i))
                Q.append(q)
        way = node.way or _step(i, node.q)
        places += way.places[1:].tolist()
        Q += list(way.q[1:])
    done = len(layers) - 1
    rest = Walk(np.array([float(done)]), chain[-1].q[None], True)
    if done < problem.last:
        rest = walk(problem, problem.plan(), problem.node(chain[-1].q, float(done)))
    everything = np.concatenate([np.array(Q), rest.q[1:]])
    bent = tuple(i for node in chain if node.way is not None for i in node.way.bent)
    return Walk(np.concatenate([places, rest.places[1:]]), everything, done == problem.last, bent, tuple(jumps))


def _chain(layers: list[list[Node]], last: Node) -> list[Node]:
    """The nodes by which the arm came to one of the last layer, one of each layer."""
    chain = [last]
    for layer in reversed(layers[:-1]):
        chain.append(layer[chain[-1].parent])
    return chain[::-1]


def _step(i: int, q: Floats) -> Walk:
    """One step from a way-point to q at the next, without the point it begins at."""
    return Walk(np.array([i, i + 1.0]), np.array([q, q]), True)


def _stood_before(problem: PathProblem, wider: Floats, q: Floats, i: int) -> Floats:
    """(k, n) where a branch may have stood at way-point i that stands at q at the next."""
    near = _turned(problem, _answers(problem, i, q), q)
    before: Floats = near[_holds(problem, wider, i + 0.5, near, np.broadcast_to(q, near.shape))]
    return before


def jump_on(
    problem: PathProblem,
    found: Walk,
    answers: Callable[[PathProblem], list[Floats]],
    farthest: Callable[[PathProblem, list[Floats]], Walk],
) -> Walk:
    """A walk gone on with by jumps to answers that a search finds, each time to what goes farthest."""
    while not found.arrived:
        first, best = int(np.floor(found.place)), None
        for landing in (first, first + 1):
            rest = replace(problem, path=problem.path.only(np.arange(landing, len(problem.path))))
            starts = answers(rest)
            ahead = farthest(rest, starts) if starts else None
            if ahead is not None and landing + ahead.place > (first if best is None else best.place):
                best = replace(ahead, places=ahead.places + landing)
        if best is None:
            break
        kept = found.places <= best.places[0]
        jumps = (*found.jumps, int(kept.sum()))
        places, Q = np.concatenate([found.places[kept], best.places]), np.concatenate([found.q[kept], best.q])
        found = Walk(places, Q, best.arrived, found.bent + best.bent, jumps)
    return found
