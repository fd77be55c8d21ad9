"""One row per method: its kernel, its options, what it supports, where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from forearm.core.ccd import solve_ccd
from forearm.core.closed_form.solve import solve_form
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.core.dls import solve_dls
from forearm.core.fabrik_r import solve_fabrik_r
from forearm.core.general import solve_packed
from forearm.core.jacobian_transpose import solve_jacobian_transpose
from forearm.errors import OptionError, UnsupportedError, nearest_names
from forearm.model import Model
from forearm.options import (
    AutoOptions,
    CcdOptions,
    ClosedFormOptions,
    DlsOptions,
    FabrikROptions,
    GeneralOptions,
    JacobianTransposeOptions,
    Options,
)
from forearm.packed import solve_closed_form, solve_general
from forearm.prepare import prepare_closed_form, prepare_fabrik_r, prepare_general
from forearm.structure import Kind, recognise
from forearm.targets import KIND_NAMES

ALL_TARGETS = (POSE, POSITION, ORIENTATION, POINT_AXIS)


@dataclass(frozen=True)
class Method:
    """A way to solve.

    Attributes:
        name: What the user writes.
        kernel: The compiled function, called as every kernel of `core` is.
        options: Its options class.
        summary: What it is good for, in one line.
        citation: Where it was published.
        targets: The kinds of target it can solve.
        mimic: Whether joints that follow others are allowed.
        prepare: Makes the arrays its kernel takes behind the settings, once per robot and kind of
            target; None if it takes none.
        packed: The same kernel as it takes the first two tables, target, q0 and outputs alone, all else
            being in the tables; None if it has no such form.
        resumes: Whether it can go on where a budget of tries ended (option `skip_tries`).
        arm_fault: Why the method cannot solve a chain at all, or an empty string; None if it can any.
    """

    name: str
    kernel: Callable[..., int]
    options: type[Options]
    summary: str
    citation: str
    targets: tuple[int, ...] = ALL_TARGETS
    mimic: bool = True
    prepare: Callable[[Model, int], tuple[Any, ...]] | None = None
    packed: Callable[..., int] | None = None
    resumes: bool = False
    arm_fault: Callable[[Model], str] | None = None

    def fault(self, kind: int, model: Model) -> str:
        """Why the method cannot solve this kind of target on this chain, or an empty string."""
        if kind not in self.targets:
            return f"{KIND_NAMES[kind]} targets"
        if not self.mimic and model.mimics:
            return f"mimic joints (here {', '.join(model.mimics)})"
        return "" if self.arm_fault is None else self.arm_fault(model)


def _form_fault(model: Model) -> str:
    """Why a chain has no closed form, or an empty string."""
    found = recognise(model)
    return "" if found.closed else f"{model.name}: {found.summary}"


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="auto",
            kernel=solve_general,
            options=AutoOptions,
            summary="the closed form where the arm's structure has one, else general; general stands behind it",
            citation="closed-form: Pieper 1968, Shimizu et al. 2008; general: Chan and Lawrence 1988",
            prepare=prepare_general,
            resumes=True,
        ),
        Method(
            name="closed-form",
            kernel=solve_closed_form,
            options=ClosedFormOptions,
            summary="every branch by formulas, the nearest to q0 inside the limits; for recognised structures",
            citation="Pieper 1968; Shimizu et al., IEEE Trans. Robotics 24(5), 2008; Elias and Wen, IK-Geo, 2022",
            targets=(POSE,),
            mimic=False,
            prepare=prepare_closed_form,
            packed=solve_form,
            arm_fault=_form_fault,
        ),
        Method(
            name="general",
            kernel=solve_general,
            packed=solve_packed,
            options=GeneralOptions,
            summary="q0, then seeds from a table, then random: bounded Levenberg-Marquardt with early abandonment",
            citation="Chan and Lawrence, IEEE Int. Conf. on Robotics and Automation, 1988 (damping)",
            prepare=prepare_general,
            resumes=True,
        ),
        Method(
            name="fabrik-r",
            kernel=solve_fabrik_r,
            options=FabrikROptions,
            summary="FABRIK for one-axis joints; refine=False is the paper's sweeps alone",
            citation="Santos et al., FABRIK-R, IEEE Access 9, 2021",
            targets=(POSE, POSITION),
            mimic=False,
            prepare=prepare_fabrik_r,
            resumes=True,
        ),
        Method(
            name="dls",
            kernel=solve_dls,
            options=DlsOptions,
            summary="damped least squares with limits and seeded restarts",
            citation="Wampler, IEEE Trans. Systems, Man, and Cybernetics 16(1), 1986",
        ),
        Method(
            name="jacobian-transpose",
            kernel=solve_jacobian_transpose,
            options=JacobianTransposeOptions,
            summary="steepest descent; no matrix to invert, slow to arrive",
            citation="Wolovich and Elliott, 23rd IEEE Conf. on Decision and Control, 1984",
        ),
        Method(
            name="ccd",
            kernel=solve_ccd,
            options=CcdOptions,
            summary="one joint at a time, each moved exactly to its best value",
            citation="Wang and Chen, IEEE Trans. Robotics and Automation 7(4), 1991",
            mimic=False,
        ),
    )
}

DEFAULT_METHOD = "auto"

# The closed form under the name of what was recognised, for results to say which one answered.
FORMS = {kind: replace(METHODS["closed-form"], name=f"closed-form ({kind})") for kind in Kind}


def find_method(name: str) -> Method:
    """The row of a method by name."""
    method = METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise OptionError(f"method '{name}' is unknown; {nearest_names(str(name), METHODS)}")
    return method


def check_supported(method: Method, kind: int, model: Model) -> None:
    """Refuses what a method cannot do, and names the methods that can."""
    fault = method.fault(kind, model)
    if fault:
        able = [other.name for other in METHODS.values() if not other.fault(kind, model)]
        raise UnsupportedError(f"method '{method.name}' does not support {fault}; these do: {', '.join(able)}")
