"""What methods make once per robot: tables that depend on the chain and the kind of target only."""

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from forearm.arm.branches.postures import Postures
from forearm.arm.configurations import comes_round, with_digits
from forearm.arm.driving import arm_size
from forearm.arm.structure import Structure, recognise
from forearm.common.checks import as_rigid
from forearm.common.later import Later
from forearm.common.types import Floats
from forearm.core.arm.chart import SLACK
from forearm.errors import ModelError
from forearm.models.model import Model, reach

Arrays = tuple[Any, ...]

# How many metres of position error a radian of rotation error counts, per metre of reach.
ROTATION_WEIGHT_PER_REACH = 0.2

if TYPE_CHECKING:
    from forearm.arm import geometry as shapes
    from forearm.arm.branches import elimination, slices
    from forearm.arm.branches.elimination import SixAxes
    from forearm.arm.branches.slices import SevenAxes
    from forearm.arm.geometry import Geometry
else:  # only where all branches are asked for, or where there are obstacles
    elimination = Later("forearm.arm.branches.elimination")
    slices = Later("forearm.arm.branches.slices")
    shapes = Later("forearm.arm.geometry")


class Prepared:
    """The tables of one robot, each made when first asked for.

    What is made depends on the model alone, so it has the same bits whichever thread makes it.
    """

    def __init__(self, model: Model) -> None:
        limits, extent = with_digits(model.limits, model, ModelError), arm_size(model)
        model = model if limits is model.limits else replace(model, limits=limits)
        self.model = model
        self.rotation_weight = ROTATION_WEIGHT_PER_REACH * (extent if 0.0 < extent < np.inf else 1.0)
        # What counts as a metre where tolerances are weighed: for an arm below a decimetre, ten times its reach.
        self.metre = min(1.0, 10.0 * extent) if extent > 0.0 else 1.0
        self._made: dict[tuple[Any, int], Arrays] = {}
        self._defaults: dict[str, Floats] = {}
        self._tooled: tuple[bytes, Prepared] | None = None
        self._widened: tuple[tuple[bytes, bool], Geometry] | None = None
        self._held: tuple[bytes, Prepared] | None = None
        # Who answers which kind of call, and with which arrays (`solve/problem.py`): a loop asks for the same again.
        self.stages: dict[tuple[Any, ...], Any] = {}
        self.bound: dict[tuple[str, int], Any] = {}
        self.spare: dict[tuple[Any, ...], bool] = {}  # whether joints are left for a kind of question
        self.measured: dict[int, Any] = {}  # what an answer was last measured against, by kind of target
        self.guard: Any = None  # the last one that was asked for (`solve/collision.py`): a loop asks for the same again

    @cached_property
    def structure(self) -> Structure:
        """What the axes allow."""
        return recognise(self.model)

    @cached_property
    def postures(self) -> Postures:
        """What its postures are called."""
        return Postures(self.model, self.structure)

    @cached_property
    def comes_round(self) -> NDArray[np.bool_]:
        """(n,) which joints are where they were after a whole turn."""
        return comes_round(self.model)

    @cached_property
    def bend(self) -> float:
        """The length by which ways between two answers bend off the target: the reach, at most a metre [m]."""
        return min(1.0, reach(self.model))

    @cached_property
    def six_axes(self) -> "SixAxes | None":
        """How every branch of six turning joints is found; None if it has others."""
        return elimination.six_axes(self.model)

    @cached_property
    def seven_axes(self) -> "SevenAxes | None":
        """How every self-motion curve of seven turning joints is found; None if it has others."""
        return slices.seven_axes(self.model)

    @cached_property
    def geometry(self) -> "Geometry":
        """Its capsules, and which of them must not touch."""
        return shapes.make_geometry(self.model)

    @cached_property
    def charted(self) -> "Geometry":
        """The same with charts of the links that capsules cannot hold apart: what tells whether it touches itself."""
        return shapes.chart(self.model, self.geometry)

    @cached_property
    def released(self) -> "Prepared":
        """The tables of the same chain with its turning joints freed of their limits; slides keep theirs."""
        turns = np.array([kind != "prismatic" for kind in self.model.joint_kinds])
        limits = np.where(turns, [[-np.inf], [np.inf]], self.model.limits)
        return Prepared(replace(self.model, limits=np.ascontiguousarray(limits)))

    def geometry_for(self, limits: Floats | None, itself: bool) -> "Geometry":
        """Its capsules, and which must not touch where limits (2, n) let joints go farther than the model's do.

        Links that never meet inside the model's limits may meet outside them: there a joint that turns may go all
        round. The last one's is kept. With charts where it is asked whether the arm touches itself.
        What rounding takes a joint beyond its limits by does not count.
        """
        model, own = self.model, self.model.limits
        # without limits, as in a loop, none is looked at: that costs as much as a solve
        if limits is None or not (beyond := np.array([limits[0] < own[0] - SLACK, limits[1] > own[1] + SLACK])).any():
            return self.charted if itself else self.geometry
        farthest = np.where([kind == "prismatic" for kind in model.joint_kinds], limits, [[-np.inf], [np.inf]])
        wide: Floats = np.where(beyond.any(axis=0), farthest, own)
        kept, key = self._widened, (wide.tobytes(), itself)
        if kept is None or kept[0] != key:
            model = replace(model, limits=wide)
            found = shapes.widen(self.geometry, shapes.make_geometry(model))
            kept = self._widened = key, shapes.chart(model, found) if itself else found
        return kept[1]

    def with_held(self, values: Floats) -> "Prepared":
        """The tables of the chain without the joints held at values (n,), NaN where they are free; the last is kept."""
        kept, key = self._held, values.tobytes()
        if kept is None or kept[0] != key:
            kept = self._held = key, Prepared(self.model.held(values))
        return kept[1]

    def defaults(self, method: Any) -> Floats:
        """The packed options of a method (a row of `solve/methods/table.py`) that is given none."""
        settings = self._defaults.get(method.name)
        if settings is None:
            settings = self._defaults[method.name] = method.options().pack(self.rotation_weight)
        return settings

    def of(self, method: Any, kind: int) -> Arrays:
        """The flat problem and the table that a method's kernels take for this kind of target."""
        arrays = self._made.get((method.prepare, kind))
        if arrays is None:
            method.check(kind, self)  # here, so that no later call looks at the axes again
            arrays = self._made[method.prepare, kind] = tuple(method.prepare(self, kind))
        return arrays

    def with_tool(self, tool: ArrayLike | None) -> "Prepared":
        """The tables of the same chain with a tool, if any; the last one's are kept: a loop asks for the same again."""
        if tool is None:
            return self
        T_tip_tool = as_rigid(tool, "tool", ModelError)
        kept, key = self._tooled, T_tip_tool.tobytes()
        if kept is None or kept[0] != key:
            kept = self._tooled = key, Prepared(self.model.with_tool(T_tip_tool))
        return kept[1]
