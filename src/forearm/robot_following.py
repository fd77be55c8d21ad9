"""How a robot follows a path: a part of `Robot`."""

from typing import Any

from numpy.typing import ArrayLike

from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.models.model import LimitsLike, Locked
from forearm.results.track import Track
from forearm.robot_motion import Motion
from forearm.solve.collision import DEFAULT_CLEARANCE, Guarded
from forearm.solve.methods.options import as_step
from forearm.tracking.path import HALFWAY, as_halfway, as_path
from forearm.tracking.track import track
from forearm.tracking.walk import PathProblem, Progress

# Of a track [rad or m]: 500 way-points over a whole turn of a joint need 0.013 a step.
DEFAULT_JOINT_STEP = 0.1


class Following(Motion, Guarded):
    """Paths: joint values from way-point to way-point."""

    __slots__ = ()

    def track(
        self,
        targets: Any,
        q0: ArrayLike | None = None,
        *,
        max_joint_step: float = DEFAULT_JOINT_STEP,
        times: ArrayLike | None = None,
        closed: bool | None = None,
        insert: bool = True,
        halfway_tol: tuple[float, float] = HALFWAY,
        tool: ArrayLike | None = None,
        limits: LimitsLike | None = None,
        locked: Locked | None = None,
        progress: Progress | None = None,
        obstacles: Any = None,
        clearance: float = DEFAULT_CLEARANCE,
        self_collision: bool | None = None,
    ) -> Track:
        """Joint values along a path of targets, without a jump, or the part that holds and why no more.

        Every point returned meets its target, stays inside the limits and within `max_joint_step` of
        the point before it, and the pose halfway between two points lies on the line between them.

        Args:
            targets: (N, 4, 4) poses, or what else `solve_batch` takes: N targets of one kind.
            q0: (n,) where to start: the first point gets the joint values nearest to it (in the joint
                that moves most; `steps[0]` says how far). Without one, all starts found are tried.
            max_joint_step: The most a joint may move between two returned points [rad or m]; a hard
                bound. By default a few times what some hundred way-points need, far below any jump.
            times: (N,) increasing, of the way-points [s]: the track then knows joint velocities.
            closed: Whether a redundant arm comes back to its first joint values; by default if the
                path ends where it began.
            insert: Whether points may be put between way-points; with False a long step stops it.
            halfway_tol: What the pose halfway between two points may be off the line [m] and [rad].
            tool: (4, 4) tool offset for this call.
            limits: Joint limits for this call: (2, n), or a mapping from joint name to a pair.
            locked: Joints held still in this call: a mapping from joint name to value.
            progress: Called now and then with the stage, the way-points done, and how many there are.
            obstacles: What to keep away from, at every point and certified between them; as for `solve`.
            clearance: The least distance to keep from it [m].
            self_collision: Whether the arm must not touch itself; by default if there are obstacles.
        """
        model = self._prepared.model if tool is None else self._prepared.model.with_tool(tool)
        prepared = self._prepared if tool is None else Prepared(model)
        bounds = model.limits if limits is None and locked is None else model.limits_with(limits, locked)
        start = None if q0 is None else self._start(q0, locked or {})
        bound, halfway = as_step(max_joint_step), as_halfway(halfway_tol)
        guard = self._guard(prepared, obstacles, clearance, self_collision)
        problem = PathProblem(prepared, bounds, as_path(targets), bound, halfway, insert, progress, guard)
        return track(problem, start, closed, times)

    def _start(self, q0: ArrayLike, locked: Locked) -> Floats:
        """q0 with the locked joints at their values."""
        start: Floats = self._configuration(q0).copy()
        for name, value in locked.items():
            start[self.model.variable(name)] = value
        return start
