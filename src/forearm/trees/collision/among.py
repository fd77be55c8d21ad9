"""A whole robot among obstacles: each branch against the others and against the world, what is nearest by name.

All goals are one problem here, with every joint of the robot: parts that share no joint may still meet each other. The
kernel checks each answer, pushes what is too near apart, and starts elsewhere (`core/tree/search.py`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forearm.arm.charts.make import NO_CHARTS, Charts
from forearm.arm.covers import Covered, cover
from forearm.arm.geometry import charted_pairs, look_at_surfaces
from forearm.common.checks import as_number, brief
from forearm.common.types import Floats
from forearm.core.codes import COLLISION, SOLVED
from forearm.core.tree import layout as at
from forearm.core.tree.among import tree_gaps
from forearm.core.tree.solve import solve_tree_among
from forearm.errors import OptionError
from forearm.goals.goal import Wish
from forearm.results.solution import Clearance, Naming, Status
from forearm.results.tree import TreeSolution
from forearm.scenes.scene import Scene, as_scene
from forearm.solve.collision import NO_PAIRS, tell, too_near
from forearm.trees.body import Body
from forearm.trees.collision.shapes import bare_of, scratch, standing
from forearm.trees.free import posture_numbers
from forearm.trees.pack import Packed, pack
from forearm.trees.parts import NO_START

if TYPE_CHECKING:
    from forearm.trees.stack import Stack

STATUSES = {SOLVED: Status.SOLVED, COLLISION: Status.COLLISION}


@dataclass(frozen=True, eq=False)
class TreeGuard:
    """What a robot keeps away from, and how far.

    Attributes:
        scene: Obstacles in the world.
        given: They as they were given.
        clearance: The least distance to keep [m].
        self_collision: Whether the robot itself counts.
        covered: What kernels take of its geometry.
        bare: Its joints alone.
    """

    scene: Scene
    given: Any
    clearance: float
    self_collision: bool
    covered: Covered
    bare: Packed

    @cached_property
    def naming(self) -> Naming:
        """What bodies and obstacles are called."""
        charted = frozenset(charted_pairs(self.charts.rows))
        return Naming(self.covered.names, self.scene.names, self.scene.laid.owners, charted)

    @property
    def charts(self) -> Charts:
        """Those of links that are held apart by their joints; none if the robot may touch itself."""
        return self.covered.charts if self.self_collision else NO_CHARTS

    @property
    def world(self) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
        """Bodies, pairs, charts and obstacles, as kernels take them."""
        pairs = self.covered.pairs if self.self_collision else NO_PAIRS
        return self.covered.bodies, pairs, self.charts.rows, self.scene.laid.rows

    def measure(self, X: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """(N,) least gaps [m] at (N, n + 12) joint values and poses of the base, and (N, 2) what is nearest.

        Of links that charts hold apart the gap is the distance of their true surfaces.
        """
        gaps, nearest = np.empty(len(X)), np.empty((len(X), 2), np.int64)
        work = np.empty(scratch(self.bare, len(self.covered.bodies)))
        bodies, pairs, _, obstacles = self.world
        tree_gaps(self.bare.numbers, bodies, pairs, NO_CHARTS.rows, obstacles, np.inf, X, work, gaps, nearest)
        look_at_surfaces(self.charts, X, gaps, nearest)
        return gaps, nearest

    def closest(self, q: Floats, base: Floats) -> Clearance:
        """What the robot comes nearest to at (n,) joint values with its base at a (4, 4) pose."""
        gaps, nearest = self.measure(standing(q[None], base))
        return self.naming.name(gaps[0], *nearest[0].tolist())


def guard_of(body: Body, obstacles: Any, clearance: Any, self_collision: Any) -> TreeGuard:
    """What a robot keeps away from, checked; the last one again if the same is asked for once more."""
    last: TreeGuard | None = body.guards[0] if body.guards else None
    same = last is not None and last.clearance == clearance and last.self_collision is self_collision
    if last is not None and same and last.given is obstacles and isinstance(obstacles, (Scene, type(None))):
        return last  # a scene never changes
    least = as_number(clearance, "clearance", OptionError)
    if least < 0.0:
        raise OptionError(f"{{argument}} is {least:g} m; it takes a distance from 0", argument="clearance")
    if not isinstance(self_collision, bool):
        raise OptionError(f"self_collision is {brief(self_collision)}; it takes True or False")
    if last is not None and (last.self_collision or not self_collision):
        covered = last.covered
    else:
        covered = cover(body.charted if self_collision else body.geometry)
    bare = last.bare if last is not None else bare_of(body)
    guard = TreeGuard(as_scene(obstacles), obstacles, least, self_collision, covered, bare)
    body.guards[:] = [guard]
    return guard


class Among:
    """A stack of goals among obstacles: all of them as one problem of the whole robot."""

    def __init__(self, stack: "Stack", guard: TreeGuard) -> None:
        last: Among | None = stack._among
        self.stack, self.guard = stack, guard
        self.packed: Packed = (
            last.packed
            if last
            else pack(stack.body, list(stack.goals.values()), stack.plain, stack.rng_seed, whole=True)
        )
        moved = {int(variable) for part in stack.parts for variable in part.variables}
        self.unused = [variable for variable in range(stack.body.n) if variable not in moved]
        self.work = scratch(self.packed, len(guard.covered.bodies))

    def rewrite(self, name: str, wish: Wish) -> None:
        """Gives a goal another target."""
        from forearm.trees.stack import rewrite  # noqa: PLC0415 (it imports this module)

        rewrite(self.packed, self.stack.names.index(name), wish)

    def numbers(self, q: Floats, pull: float = 0.0) -> Floats:
        """The numbers of a call in which joints that no goal uses stay where q has them; maybe pulled to q."""
        from forearm.trees.stack import held  # noqa: PLC0415 (it imports this module)

        own = held(self.packed, self.stack, self.stack.at_idle(q), self.unused)
        return posture_numbers(self._with(own), pull, q) if pull > 0.0 else own

    def _with(self, numbers: Floats) -> Packed:
        """The packed goals with other numbers."""
        packed = self.packed
        return Packed(packed.goals, packed.rows, packed.variables, numbers, packed.table, packed.work)

    def run(self, numbers: Floats, start: Floats, work: Floats, x_out: Floats, row_out: Floats) -> int:
        """One call of the kernel."""
        clearance = self.guard.clearance
        return int(
            solve_tree_among(numbers, self.packed.table, start, *self.guard.world, clearance, work, x_out, row_out)
        )

    def meet(self, start: Floats | None, T: Floats, pull: float = 0.0) -> TreeSolution:
        """The answer from a start and a base's (12,) pose."""
        stack, n = self.stack, self.stack.body.n
        q = stack.body.rest if start is None else start
        x, row = np.empty(n + 12), np.empty(at.tree_report(n, len(stack.names)))
        begin = NO_START if start is None else np.concatenate([start, T])
        code = self.run(self.numbers(q, pull), begin, np.empty(self.work), x, row)
        status, frame = STATUSES.get(code, Status.NOT_CONVERGED), x[n:] if stack.body.base == "free" else T
        found = TreeSolution(x[:n], frame, status, "tree", stack.names, stack.body.joint_names, row)
        found.guard = self.guard
        return found

    def explain(self, found: TreeSolution) -> None:
        """Says what is too near where all goals are met."""
        guard, nearest = self.guard, found.row[[at.BODY, at.NEAR]].astype(np.int64)
        what = tell(guard.naming.name(found.row[at.GAP], *nearest.tolist()), guard.charts, nearest, found.q)
        found.explanation = (
            f"no free pose was found in {found.tries} tries (not a proof that there is none); the pose returned meets "
            f"all goals with the largest clearance found: {too_near(what, guard.clearance)}"
        )
