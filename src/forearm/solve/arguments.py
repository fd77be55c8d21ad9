"""What a call on a robot was given beside its targets, read in one place.

One table says which arguments each call takes, another what does not go together: an argument that a
call cannot honour is refused with its name, never dropped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from forearm.arm.configurations import as_configuration, box_around, is_plain, neutral
from forearm.arm.tables import Prepared
from forearm.common.checks import as_mapping, as_number
from forearm.common.types import Floats
from forearm.core.codes import POSE
from forearm.errors import OptionError, nearest_names
from forearm.models.model import Model
from forearm.results.batch import BatchSolution
from forearm.results.solution import Branches, Solution
from forearm.solve.all_branches import solve_all
from forearm.solve.arm_angle import solve_at_swivel
from forearm.solve.batch import Job, as_starts, solve_batch
from forearm.solve.collision import DEFAULT_CLEARANCE, Guard, read_guard
from forearm.solve.collision_free import DEFAULT_SETTINGS, TRIES_AMONG, solve_guarded
from forearm.solve.methods.options import GeneralOptions, as_step, make_options, pack_options
from forearm.solve.methods.table import DEFAULT_METHOD, METHODS, Method, find_method
from forearm.solve.problem import AUTO, CLOSED, GENERAL, NO_START, Problem, is_banded, run, stages
from forearm.solve.single import conclude
from forearm.targets.target import as_target, as_targets, default_terms

_POSE_TERMS = default_terms()

_CHAIN = ("tool", "limits", "locked")
_GUARD = ("obstacles", "clearance", "self_collision")
# What each call takes beside its targets; `solve` and `solve_batch` take their method's options too.
TAKES = {
    "solve": ("q0", "method", *_CHAIN, "max_joint_step", "rest", "timeout", "explain", "swivel", *_GUARD),
    "solve_batch": ("q0", "method", *_CHAIN, "max_joint_step", "rest", "explain", *_GUARD, "threads", "progress"),
    "solve_all": ("q0", *_CHAIN, "windings", "samples"),
    "track": (
        *("q0", "max_joint_step", "times", "closed", "insert", "halfway_tol"),
        *(*_CHAIN, "progress", *_GUARD),
    ),
}
ARGUMENTS = frozenset(name for names in TAKES.values() for name in names)
# Why a call does not take what another one takes, where there is more to say.
WHY = {
    ("solve_batch", "timeout"): ", as answers would depend on the clock (max_tries= bounds the search)",
    ("solve_batch", "swivel"): ", as its loops know none (solve does, target by target)",
    ("solve_all", "swivel"): ", as it lists the intervals of every branch (solve takes one angle)",
    ("track", "rest"): ", as each point goes on from the one before (closed= brings the last one back)",
}
# What does not go beside another argument, and what to do instead.
BESIDE = {
    "obstacles": dict.fromkeys(("rest", "timeout", "swivel"), "max_tries bounds the search"),
    "swivel": {
        "rest": "it leaves an arm no freedom to settle with",
        "timeout": "formulas give the answer at once",
    },
}
MAX_STARTS = 1_000_000


def read_target(target: Any) -> tuple[int, Floats, Floats]:
    """Kind, goal and terms of a target, or of anything that holds a (4, 4) pose."""
    if is_plain(target, (4, 4)):
        # Read, never written, by the kernels, which also check that it is rigid.
        return POSE, target if target.flags.carray else target.copy(), _POSE_TERMS
    parsed = as_target(target)
    return parsed.kind, parsed.goal, parsed.terms


@dataclass(frozen=True, eq=False)
class Arguments:
    """What a call was given; the attributes are those of `Robot.solve`, the rest of it is read from them.

    Attributes:
        call: Its name.
        arm: The robot's tables.
        options: What else was given by name: options of the method.
    """

    call: str
    arm: Prepared
    q0: Any = None
    method: Any = DEFAULT_METHOD
    tool: Any = None
    limits: Any = None
    locked: Any = None
    max_joint_step: Any = None
    rest: Any = None
    timeout: Any = None
    explain: bool = True
    swivel: Any = None
    obstacles: Any = None
    clearance: Any = DEFAULT_CLEARANCE
    self_collision: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)

    # -- what each argument means ----------------------------------------------------------------

    @cached_property
    def tables(self) -> Prepared:
        """The robot's tables, with the tool of this call."""
        return self.arm if self.tool is None else self.arm.with_tool(self.tool)

    @property
    def model(self) -> Model:
        """The chain, with the tool of this call."""
        return self.tables.model

    @cached_property
    def bounds(self) -> Floats:
        """(2, n) the limits of this call, before a bound on the step."""
        model = self.model
        free = self.limits is None and self.locked is None
        return model.limits if free else model.limits_with(self.limits, self.locked)

    @property
    def held(self) -> dict[int, float]:
        """The values of locked joints by number."""
        locked = as_mapping(self.locked, "locked", "joint name to value", OptionError)
        return {self.model.variable(name): float(value) for name, value in locked.items()}

    @cached_property
    def start(self) -> Floats:
        """(n,) the start with locked joints at their values, or of length zero."""
        q0, model = self.q0, self.model
        if q0 is None:
            return NO_START
        if self.locked is None and is_plain(q0, model.velocity.shape):
            return q0 if q0.flags.carray else q0.copy()  # type: ignore[no-any-return]  # the kernels check its values
        start = as_configuration(q0, model, "q0")
        for k, value in self.held.items():
            start[k] = value
        return start

    @property
    def step(self) -> float | None:
        """The most a joint may move from q0, or None."""
        if self.max_joint_step is None:
            return None
        if self.q0 is None:
            raise OptionError("max_joint_step is a bound on the way from q0, so it needs q0")
        return as_step(self.max_joint_step)

    @property
    def posture(self) -> Floats | None:
        """(n,) the rest posture, or None."""
        return None if self.rest is None else as_configuration(self.rest, self.model, "rest")

    @cached_property
    def guard(self) -> Guard | None:
        """What to keep away from, or None."""
        return read_guard(self.tables, self.obstacles, self.clearance, self.self_collision)

    @cached_property
    def row(self) -> Method:
        """The method that was asked for."""
        return find_method(self.method)

    @property
    def seconds(self) -> float | None:
        """The time limit, or None; refused where the method cannot go on where a budget ended."""
        if self.timeout is None:
            return None
        if not self.row.resumes:
            able = ", ".join(name for name, row in METHODS.items() if row.resumes)
            raise OptionError(f"timeout does not go with method '{self.method}', which has one budget; use: {able}")
        if not as_number(self.timeout, "timeout", OptionError) > 0.0:
            raise OptionError(f"timeout is {self.timeout}; it takes a positive number of seconds")
        return float(self.timeout)

    @property
    def settings(self) -> Floats:
        """The packed options of the method."""
        options, row, taken = self.options, self.row, TAKES[self.call]
        self.refuse_untaken()
        if self.guard is not None:
            among = {"max_tries": TRIES_AMONG, **options}
            return make_options(GeneralOptions, row.name, among, taken).pack(0.0) if options else DEFAULT_SETTINGS
        if not options:
            return self.tables.defaults(row)
        weight = self.tables.rotation_weight
        try:
            return pack_options(row.options, row.name, tuple(options.items()), weight, taken)  # type: ignore[arg-type]
        except TypeError:  # a value that cannot be looked up, and so is no option
            return make_options(row.options, row.name, dict(options), taken).pack(weight)

    # -- what is refused -------------------------------------------------------------------------

    def refuse_untaken(self) -> None:
        """Refuses arguments of other calls, with what this one takes."""
        call, taken = self.call, TAKES[self.call]
        for name in self.options:
            if name in ARGUMENTS and name not in taken:
                why = WHY.get((call, name), "")
                raise OptionError(f"{call} takes no {name}{why}; it takes: {', '.join(taken)}")

    def refuse_options(self) -> None:
        """Refuses all that no argument has taken: for calls that ask no one method."""
        self.refuse_untaken()
        for name in self.options:
            raise OptionError(f"{self.call} takes no {name}; {nearest_names(name, TAKES[self.call])}")

    def refuse_beside(self) -> None:
        """Refuses what does not go with obstacles, or with a swivel angle."""
        row, other = self.row, None
        if self.guard is not None:
            other = "obstacles"
            if row not in (AUTO, GENERAL):
                raise OptionError(f"method '{row.name}' does not look at obstacles; use {{auto}}", auto="method='auto'")
        elif self.swivel is not None:
            other = "swivel"
            if row not in (AUTO, CLOSED):
                raise OptionError(f"method '{row.name}' does not go with swivel; use {{auto}}", auto="method='auto'")
            for name in self.options:
                close = nearest_names(name, TAKES[self.call])
                raise OptionError(f"option '{name}' does not go with swivel, whose formulas have none; {close}")
        for name, instead in BESIDE.get(other or "", {}).items():
            if getattr(self, name) is not None:
                raise OptionError(f"{name} does not go with {other}; {instead}")

    # -- the calls -------------------------------------------------------------------------------

    def problem(self, target: Any, start: Floats, settings: Floats) -> Problem:
        """The problem of one target."""
        kind, goal, terms = read_target(target)
        bounds, own_limits, step = self.bounds, None, self.step
        if step is not None:
            own_limits, bounds = bounds, box_around(start, step, bounds)
        how = (own_limits, self.posture, self.seconds, self.explain)
        return Problem(self.tables, kind, goal, terms, start, bounds, settings, *how)

    def branch_problem(self, target: Any) -> Problem:
        """The problem of all answers to one target: with a start inside the limits, which orders them."""
        bounds = self.bounds
        start = neutral(bounds) if self.q0 is None else np.clip(self.start, *bounds)
        return self.problem(as_target(target), start, NO_START)

    def solve(self, target: Any) -> Solution:
        """Solves one target."""
        self.refuse_beside()
        guard = self.guard
        if self.swivel is not None:
            return solve_at_swivel(self.branch_problem(target), as_number(self.swivel, "swivel", OptionError))
        problem = self.problem(target, self.start, self.settings)
        near, banded = self.q0 is not None, problem.terms is not _POSE_TERMS and bool(is_banded(problem.terms))
        methods = stages(self.tables, self.row, problem.kind, near=near, banded=banded, guarded=guard is not None)
        if guard is not None:
            return solve_guarded(problem, methods, guard)
        return conclude(problem, run(problem, methods))

    def solve_all(self, target: Any, windings: bool, samples: Any) -> Branches:
        """Finds every answer to one target."""
        self.refuse_options()
        if samples is not None and not (isinstance(samples, int) and 1 <= samples <= MAX_STARTS):
            raise OptionError(f"samples is {samples!r}; it takes a whole number from 1 to {MAX_STARTS}")
        return solve_all(self.branch_problem(target), windings, samples)

    def solve_batch(self, targets: Any, **how: Any) -> BatchSolution:
        """Solves many targets."""
        settings, guard = self.settings, self.guard
        self.refuse_beside()
        parsed, near = as_targets(targets), self.q0 is not None
        methods = stages(self.tables, self.row, parsed.kind, near=near, guarded=guard is not None)
        starts = as_starts(self.q0, len(parsed), self.model)
        no_one = (np.empty((0, 4, 4)), np.empty((0, 0)), NO_START)
        shared = Problem(self.tables, parsed.kind, *no_one, self.bounds, settings, rest=self.posture)
        job = Job(shared._replace(explain=self.explain), methods, parsed, starts, self.held, self.step, guard)
        return solve_batch(job, **how)
