"""What methods make once per robot: tables that depend on the chain and the kind of target only."""

from dataclasses import replace
from typing import Any

import numpy as np

from forearm.arm.geometry import Geometry, make_geometry
from forearm.arm.structure import Structure, recognise
from forearm.models.model import Model

Arrays = tuple[Any, ...]


class Prepared:
    """The tables of one robot, each made when first asked for.

    What is made depends on the model alone, so it has the same bits whichever thread makes it.
    """

    __slots__ = ("_geometry", "_made", "_released", "_structure", "guard", "model")

    def __init__(self, model: Model) -> None:
        self.model = model
        self._made: dict[tuple[str, int], Arrays] = {}
        self._released: Prepared | None = None
        self._structure: Structure | None = None
        self._geometry: Geometry | None = None
        self.guard: Any = None  # the last one that was asked for (`solve/collision.py`): a loop asks for the same again

    @property
    def structure(self) -> Structure:
        """What the axes allow."""
        if self._structure is None:
            self._structure = recognise(self.model)
        return self._structure

    @property
    def geometry(self) -> Geometry:
        """Its capsules, and which of them must not touch."""
        if self._geometry is None:
            self._geometry = make_geometry(self.model)
        return self._geometry

    def of(self, method: Any, kind: int) -> Arrays:
        """The arrays a method's kernel takes behind its settings for this kind of target.

        Args:
            method: A row of the table of methods (`solve/methods/table.py`).
            kind: The kind of target.
        """
        if method.prepare is None:
            return ()
        arrays = self._made.get((method.name, kind))
        if arrays is None:
            method.check(kind, self.model)  # here, so that no later call looks at the axes again
            arrays = self._made[method.name, kind] = tuple(method.prepare(self.model, kind))
        return arrays

    def released(self) -> "Prepared":
        """The tables of the same chain with its turning joints freed of their limits."""
        if self._released is None:
            self._released = Prepared(release(self.model))
        return self._released


def release(model: Model) -> Model:
    """The same chain with no limits on its revolute joints; slides keep theirs."""
    turns = np.array([kind != "prismatic" for kind in model.joint_kinds])
    limits = np.where(turns, [[-np.inf], [np.inf]], model.limits)
    return replace(model, limits=np.ascontiguousarray(limits))
