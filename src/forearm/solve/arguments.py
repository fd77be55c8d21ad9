"""What a call on a robot was given beside its targets, read in one place.

One table says which arguments each call takes, another what does not go together: an argument that a
call cannot honour is refused with its name, never dropped.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forearm.arm.configurations import (
    as_configuration,
    as_posture,
    box_around,
    inside_by_a_hair,
    is_plain,
    neutral,
    with_digits,
)
from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.checks import as_mapping, as_number, as_switch, brief
from forearm.common.defaults import DEFAULT_CLEARANCE, DEFAULT_METHOD
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.core.arm.goal import NONE, find_not_rigid
from forearm.core.codes import POSE, POSITION
from forearm.errors import OptionError, nearest_names
from forearm.results.batch import BatchSolution
from forearm.results.solution import Branches, Solution
from forearm.solve.all_branches import solve_all
from forearm.solve.arm_angle import solve_at_swivel
from forearm.solve.batch import Job, as_starts, solve_batch
from forearm.solve.collision import DEFAULT_SETTINGS, PAPER_KERNELS, TRIES_AMONG, Guard, guard_of
from forearm.solve.collision_free import solve_guarded
from forearm.solve.methods.options import GeneralOptions, as_steps, make_options, pack_options
from forearm.solve.methods.table import METHODS, Method, find_method
from forearm.solve.problem import AUTO, CLOSED, GENERAL, NO_START, POSE_TERMS, Problem, run, stages
from forearm.solve.single import conclude
from forearm.targets.target import as_target, as_targets

if TYPE_CHECKING:
    from forearm.results.self_motion import SelfMotion
    from forearm.solve import posture as postures
    from forearm.solve.curves import prefer as preferences
    from forearm.solve.curves import self_motion as curves
else:  # what few calls ask for is imported then
    postures = Later("forearm.solve.posture")
    preferences, curves = (Later(f"forearm.solve.curves.{name}") for name in ("prefer", "self_motion"))

_CHAIN = ("tool", "limits", "locked")
STARTS = ("guess", "initial_guess", "initial_position", "q_init", "q_start", "seed", "seed_state", "start", "x0")
_GUARD = ("obstacles", "clearance", "self_collision")
# What each call takes beside its targets; `solve` and `solve_batch` take their method's options too.
TAKES = {
    "solve": (
        "q0",
        "method",
        *_CHAIN,
        "max_joint_step",
        "rest",
        "timeout",
        "explain",
        "swivel",
        *_GUARD,
        "posture",
        "prefer",
    ),
    "solve_batch": ("q0", "method", *_CHAIN, "max_joint_step", "rest", "explain", *_GUARD, "threads", "progress"),
    "solve_all": ("q0", *_CHAIN, "windings", "samples"),
    "self_motion": ("q0", *_CHAIN),
    "track": (
        *("q0", "max_joint_step", "times", "closed", "insert", "halfway_tol", "between", "reconfigure"),
        *(*_CHAIN, "progress", *_GUARD),
    ),
    "servo": (
        *("q0", "rate", "velocity", "acceleration", "rest", "smoothing", "priority", "reconfigure", "interpolate"),
        *(*_CHAIN, *_GUARD),
    ),
}
ARGUMENTS = frozenset(name for names in TAKES.values() for name in names)
# Why a call does not take what another one takes, where there is more to say.
WHY = {
    ("solve_batch", "timeout"): ", as answers would depend on the clock (max_tries= bounds the search)",
    ("solve_batch", "swivel"): " (solve takes one, target by target)",
    ("solve_all", "swivel"): ", as it lists the intervals of every branch (solve takes one angle)",
    ("track", "rest"): ", as each point goes on from the one before (closed= brings the last one back)",
}
# Beside which arguments what does not go: the methods that do beside `auto`, what the others do not do,
# and arguments with what to do instead.
SWIVEL_FIXES = {
    "rest": "with a swivel angle no joint is free to move toward it",
    "timeout": "formulas give the answer at once",
}
SEARCHED = {"rest": "any free pose will do", "timeout": "max_tries bounds the search", "swivel": "any free one will do"}
BESIDE = {
    "obstacles": ((GENERAL, *(METHODS[name] for name in PAPER_KERNELS)), "does not look at", SEARCHED),
    "swivel": ((CLOSED,), "does not go with", SWIVEL_FIXES),
}
MAX_STARTS = 1_000_000
TOLERANCE = "fa.Pose(T, tol=1e-3), or fa.Position(p, tol=1e-3)"


def read_target(target: Any) -> tuple[int, Floats, Floats]:
    """Kind, goal and terms of a target, or of anything that holds a (4, 4) pose."""
    if is_plain(target, (4, 4)):
        # Read, never written, by the kernels, which also check that it is rigid.
        return POSE, target if target.flags.carray else target.copy(), POSE_TERMS
    parsed = as_target(target)
    return parsed.kind, parsed.goal, parsed.terms


class Arguments(NamedTuple):
    """What a call was given, as `Robot.solve` names it; a tuple, since it is made on every call."""

    call: str  # its name
    arm: Prepared  # the robot's tables, with the tool of the call
    q0: Any = None
    method: Any = DEFAULT_METHOD
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
    options: Mapping[str, Any] = MappingProxyType({})  # what else was given by name
    posture: Any = None
    prefer: Any = None

    # -- the calls -------------------------------------------------------------------------------

    def solve(self, target: Any) -> Solution:
        """Solves one target."""
        row, guard = find_method(self.method), self.guard()
        if self.prefer is not None:
            best = self.solve_preferring(target, row, guard)
            return self._replace(prefer=None).solve(target) if best is None else best
        if self.posture is not None:
            found = self.solve_in_posture(target, row)
            return self._replace(posture=None).solve(target) if found is None else found
        if guard is not None:
            self.refuse_beside("obstacles", row)
        elif self.swivel is not None:
            self.refuse_beside("swivel", row)
            return solve_at_swivel(self.branch_problem(target), as_number(self.swivel, "swivel", OptionError))
        problem = self.problem(target, self.start(), self.settings(row, guard))
        methods = stages(self.arm, row, problem.kind, self.q0 is not None, guard is not None, problem.terms)
        if self.options:
            self.refuse_idle(problem.kind, methods)
        if guard is not None:
            return solve_guarded(problem, methods, guard)
        return conclude(problem, run(problem, methods))

    def solve_in_posture(self, target: Any, row: Method) -> Solution | None:
        """The branch with names that are asked for; None if there is no branch at all."""
        self.refuse_choice("posture", ("rest", "timeout", "swivel", "obstacles", "self_collision"), row)
        return postures.solve_in_posture(self.branch_problem(target), self.posture)

    def solve_preferring(self, target: Any, row: Method, guard: Guard | None) -> Solution | None:
        """The best of all answers by what is preferred; None if there is none."""
        self.refuse_choice("prefer", ("rest", "timeout", "swivel", "posture"), row)
        return preferences.solve_preferring(self.branch_problem(target), self.prefer, guard, self.q0 is not None)

    def refuse_choice(self, choice: str, beside: tuple[str, ...], row: Method) -> None:
        """Refuses what does not go with a choice among all branches."""
        given = [name for name in beside if getattr(self, name) is not None] + [*self.options]
        if row is not AUTO:
            raise OptionError(f"method '{row.name}' does not go with {choice}; use {{auto}}", auto="method='auto'")
        for name in given:
            raise OptionError(f"{name} does not go with {choice}, which chooses among all branches; leave it out")

    def solve_all(self, target: Any, windings: bool, samples: Any) -> Branches:
        """Finds every answer to one target."""
        self.refuse_unknown(())
        if samples is not None and not (isinstance(samples, int) and 1 <= samples <= MAX_STARTS):
            raise OptionError(f"samples is {samples!r}; it takes a whole number from 1 to {MAX_STARTS}")
        return solve_all(self.branch_problem(target), as_switch(windings, "windings"), samples)

    def self_motion(self, target: Any) -> "SelfMotion":
        """Finds the self-motion curves of one target."""
        self.refuse_unknown(())
        return curves.self_motion(self.branch_problem(target))

    def solve_batch(self, targets: Any, **how: Any) -> BatchSolution:
        """Solves many targets."""
        row, guard, model = find_method(self.method), self.guard(), self.arm.model
        if guard is not None:
            self.refuse_beside("obstacles", row)
        settings, parsed, near = self.settings(row, guard), as_targets(targets), self.q0 is not None
        methods = stages(self.arm, row, parsed.kind, near, guard is not None)
        if self.options:
            self.refuse_idle(parsed.kind, methods)
        starts = as_starts(self.q0, len(parsed), model)
        no_one = (np.empty((0, 4, 4)), np.empty((0, 0)), NO_START)
        rest = None if self.rest is None else as_posture(self.rest, model)
        explain = as_switch(self.explain, "explain")
        shared = Problem(self.arm, parsed.kind, *no_one, self.bounds(), settings, rest=rest, explain=explain)
        step = None if self.max_joint_step is None else self.step()
        job = Job(shared, methods, parsed, starts, self.held(), step, guard)
        return solve_batch(job, **how)

    def problem(self, target: Any, start: Floats, settings: Floats) -> Problem:
        """The problem of one target."""
        kind, goal, terms = read_target(target)
        limits, own_limits = self.bounds(), None
        if self.max_joint_step is not None:
            own_limits, limits = limits, box_around(start, self.step(), limits)
        rest = None if self.rest is None else as_posture(self.rest, self.arm.model)
        timeout = None if self.timeout is None else self.seconds()
        how = (own_limits, rest, timeout, as_switch(self.explain, "explain"))
        return Problem(self.arm, kind, goal, terms, start, limits, settings, *how)

    def branch_problem(self, target: Any) -> Problem:
        """The problem of all answers to one target: with a start inside the limits, which orders them."""
        bounds = self.bounds()
        start = neutral(bounds) if self.q0 is None else np.clip(self.start(), *bounds)
        rigid = is_plain(target, (4, 4)) and target.flags.carray and find_not_rigid(target[None]) == NONE
        return self.problem(target if rigid else as_target(target), start, NO_START)

    def signed(self, solution: Solution) -> Solution:
        """A solution that knows the arm and the limits it was found for, so that it can show them."""
        solution.model, solution.limits = self.arm.model, self.bounds()
        return solution

    # -- what each argument means ----------------------------------------------------------------

    def bounds(self) -> Floats:
        """(2, n) the limits of this call, before a bound on the step."""
        model = self.arm.model
        if self.limits is None and self.locked is None:
            return model.limits
        return with_digits(model.limits_with(self.limits, self.locked), model, OptionError)

    def held(self) -> dict[int, float]:
        """The values of locked joints by number."""
        locked = as_mapping(self.locked, "locked", "joint name to value", OptionError)
        return {self.arm.model.variable(name): float(value) for name, value in locked.items()}

    def start(self) -> Floats:
        """(n,) the start with locked joints at their values, or of length zero."""
        q0, model = self.q0, self.arm.model
        if q0 is None:
            return NO_START
        plain = self.locked is None and is_plain(q0, model.velocity.shape)  # the kernels check its values
        start: Floats = np.ascontiguousarray(q0) if plain else as_configuration(q0, model, "q0")
        for k, value in self.held().items():
            start[k] = value
        return inside_by_a_hair(start, self.bounds())

    def step(self) -> float | Floats:
        """The most a joint may move from q0: one number, or (n,) one per joint."""
        if self.q0 is None:
            raise OptionError("max_joint_step bounds how far a joint may move from q0; give q0 too")
        return as_steps(self.max_joint_step, self.arm.model.n)

    def guard(self) -> Guard | None:
        """What to keep away from; None if the call names nothing. With obstacles, the arm counts by default."""
        clearance, own = self.clearance, self.self_collision
        if self.obstacles is not None or not (own is None or own is False):
            limits = None if self.limits is None else self.bounds()
            return guard_of(self.arm, self.obstacles, clearance, True if own is None else own, limits)
        if clearance is not DEFAULT_CLEARANCE and clearance != DEFAULT_CLEARANCE:
            raise OptionError(
                f"clearance is {brief(clearance)} and there is nothing to keep away from; "
                "give obstacles=, or self_collision=True"
            )
        return None

    def seconds(self) -> float:
        """The time limit; refused where the method cannot go on where a budget ended."""
        resumes, plain = find_method(self.method).resumes, self.options.get("refine", True) in (False, 0)
        if not resumes or plain:
            able = ", ".join(name for name, row in METHODS.items() if row.resumes)
            who = "refine=0" if resumes else f"method '{self.method}'"
            raise OptionError(f"timeout does not go with {who}, which cannot go on after its first try; use: {able}")
        if not as_number(self.timeout, "timeout", OptionError) > 0.0:
            raise OptionError(f"timeout is {self.timeout}; it takes a positive number of seconds")
        return float(self.timeout)

    def settings(self, row: Method, guard: Guard | None) -> Floats:
        """The packed options of the method."""
        if not self.options:
            return self.arm.defaults(row) if guard is None else DEFAULT_SETTINGS
        kind, given, weight = row.options, self.options, self.arm.rotation_weight
        if guard is not None:
            kind, given = GeneralOptions, {"max_tries": TRIES_AMONG, **given}
            self.refuse_ruled_out(row)
        self.refuse_unknown(kind.__dataclass_fields__)
        try:
            return pack_options(kind, row.name, tuple(given.items()), weight)  # type: ignore[arg-type]
        except TypeError:  # a value that cannot be looked up, and so is no option
            return make_options(kind, row.name, dict(given)).pack(weight)

    # -- what is refused -------------------------------------------------------------------------

    def refuse_unknown(self, options: Collection[str]) -> None:
        """Refuses names that are no options, with what the call takes: an argument of another call, or a slip."""
        for name in self.options:
            if name in options:
                continue
            call, taken = self.call, TAKES[self.call]
            if name in ARGUMENTS and name not in taken:
                why = WHY.get((call, name), "")
                raise OptionError(f"{call} takes no {name}{why}; it takes: {', '.join(taken)}")
            what = f"method '{self.method}' has no option '{name}'" if options else f"{call} takes no {name}"
            if name.lower().startswith("tol"):
                raise OptionError(f"{what}; tolerances belong to the target: {{tolerance}}", tolerance=TOLERANCE)
            if name.lower() in STARTS and "q0" in taken:
                seed = ", and the seed of random starts is rng_seed" if name.lower() == "seed" else ""
                raise OptionError(f"{what}; the start is q0{seed}")
            raise OptionError(f"{what}; {nearest_names(name, [*options, *self.offered()])}")

    def refuse_ruled_out(self, row: Method) -> None:
        """Refuses options of the method that a search among obstacles does not read."""
        read = GeneralOptions.__dataclass_fields__
        for name in self.options:
            if name in row.options.__dataclass_fields__ and name not in read:
                raise OptionError(f"option {name} does not go with obstacles; {nearest_names(name, read)}")

    def refuse_idle(self, kind: int, methods: Collection[Method]) -> None:
        """Refuses options that no one reads on this arm, or for this kind of target."""
        options, arm, found = self.options, self.arm.model.name, self.arm.structure.kind
        if "norm" in options and GENERAL in methods and len(methods) == 1:
            raise OptionError(f"option norm is for closed forms, and '{GENERAL.name}' answers this call; leave it out")
        if "elbow" in options and found is not Kind.SRS:
            raise OptionError(f"option elbow is for arms with {Kind.SRS}; {arm} has no such choice: leave it out")
        if "rotation_weight" in options and kind == POSITION:
            raise OptionError("option rotation_weight weighs rotation against position; a point has none: leave it out")

    def offered(self) -> list[str]:
        """The arguments that the call takes beside those it was given."""
        ruled_out: set[str] = set()
        row, swivels = find_method(self.method), self.arm.structure.kind is Kind.SRS
        if self.obstacles is not None or self.self_collision:
            ruled_out |= SEARCHED.keys()
        if self.swivel is not None:
            ruled_out |= {*SWIVEL_FIXES, *_GUARD}
        if row is not AUTO and row not in BESIDE["obstacles"][0]:
            ruled_out |= {*_GUARD}
        if not row.resumes:
            ruled_out.add("timeout")
        if not swivels or (row is not AUTO and row is not CLOSED):
            ruled_out.add("swivel")
        return [name for name in TAKES[self.call] if name not in ruled_out]

    def refuse_beside(self, other: str, row: Method) -> None:
        """Refuses what does not go with another argument: with obstacles, or with a swivel angle."""
        able, does_not, beside = BESIDE[other]
        if row is not AUTO and row not in able:
            raise OptionError(f"method '{row.name}' {does_not} {other}; use {{auto}}", auto="method='auto'")
        if self.rest is not None or self.timeout is not None or (self.swivel is not None and other != "swivel"):
            name = next(name for name in beside if getattr(self, name) is not None)
            raise OptionError(f"{name} does not go with {other}; {beside[name]}")
        for name in self.options if other == "swivel" else ():
            close = nearest_names(name, self.offered())
            raise OptionError(f"option '{name}' does not go with swivel, whose formulas have none; {close}")
