"""One row per method: its kernel, its options, what it supports, where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.options import Options
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.core.iterative.ccd import solve_ccd
from forearm.core.iterative.dls import solve_dls
from forearm.core.iterative.fabrik_r import solve_fabrik_r
from forearm.core.iterative.jacobian_transpose import solve_jacobian_transpose
from forearm.errors import OptionError, UnsupportedError, nearest_names
from forearm.solve.methods.closed_form import form_kernels, solve_closed_form, solve_closed_form_many
from forearm.solve.methods.combined_nlopt import solve_with_refiner
from forearm.solve.methods.combined_tables import misfit as combined_misfit
from forearm.solve.methods.layout import Packed, general_kernels, solve_general, solve_general_many
from forearm.solve.methods.options import (
    AutoOptions,
    CcdOptions,
    ClosedFormOptions,
    CombinedOptions,
    DlsOptions,
    FabrikROptions,
    GeneralOptions,
    JacobianTransposeOptions,
)
from forearm.solve.methods.prepare import prepare_closed_form, prepare_combined, prepare_fabrik_r, prepare_general
from forearm.targets.target import KIND_NAMES

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
        packed: Of the second table, the same kernel as it takes the first two tables and the call's own
            arrays alone (`solve/methods/layout.py`); None if it has no such form.
        batch: The kernel as a compiled loop over many targets, for `solve_batch`: called as the kernel is,
            with a leading axis on target and outputs, one row each or one for all of limits, terms and
            starts (none without q0), and an array of codes at the end; None to be called one by one.
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
    prepare: Callable[[Prepared, int], tuple[Any, ...]] | None = None
    packed: Callable[[Any], Packed] | None = None
    batch: Callable[..., None] | None = None
    resumes: bool = False
    arm_fault: Callable[[Prepared], str] | None = None

    def fault(self, kind: int, arm: Prepared) -> str:
        """Why the method cannot solve this kind of target on this arm, or an empty string."""
        if kind not in self.targets:
            return f"{KIND_NAMES[kind]} targets"
        if not self.mimic and arm.model.mimics:
            return f"mimic joints (here {', '.join(arm.model.mimics)})"
        return "" if self.arm_fault is None else self.arm_fault(arm)

    def check(self, kind: int, arm: Prepared) -> None:
        """Refuses what the method cannot do, and names the methods that can."""
        fault = self.fault(kind, arm)
        if fault:
            able = [other.name for other in METHODS.values() if not other.fault(kind, arm)]
            raise UnsupportedError(f"method '{self.name}' does not support {fault}; these do: {', '.join(able)}")


def _form_fault(arm: Prepared) -> str:
    """Why an arm has no closed form, or an empty string."""
    found = arm.structure
    return "" if found.closed else f"{arm.model.name}: {found.summary}"


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
            packed=form_kernels,
            batch=solve_closed_form_many,
            arm_fault=_form_fault,
        ),
        Method(
            name="general",
            kernel=solve_general,
            packed=general_kernels,
            batch=solve_general_many,
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
            name="combined",
            kernel=solve_with_refiner,
            options=CombinedOptions,
            summary="FABRIK sweeps on the two links left once the wrist is fixed, then SQP, then all sign branches",
            citation="Xu et al., A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization, 2022",
            targets=(POSE,),
            prepare=prepare_combined,
            arm_fault=combined_misfit,  # looked at when the tables are made; mimic joints are among its faults
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
