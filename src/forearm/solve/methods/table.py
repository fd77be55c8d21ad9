"""One row per method: its kernel, its options, what it supports, where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forearm.arm.structure import Kind
from forearm.arm.tables import Prepared
from forearm.common.later import Later
from forearm.common.options import Options
from forearm.common.types import Floats
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.core.general.solve import general_size, solve_general, solve_general_many
from forearm.errors import OptionError, UnsupportedError, nearest_names
from forearm.solve.methods import options, prepare
from forearm.solve.methods.closed_form import form_kernels
from forearm.solve.methods.layout import Kernels
from forearm.targets.target import KIND_NAMES

if TYPE_CHECKING:
    from forearm.core.combined import scratch
    from forearm.core.iterative import ccd, dls, fabrik_r, jacobian_transpose
    from forearm.solve.methods import combined_nlopt, combined_tables
else:  # a first answer waits for no other method's kernels
    ccd, dls, fabrik_r, jacobian_transpose = (
        Later(f"forearm.core.iterative.{name}") for name in ("ccd", "dls", "fabrik_r", "jacobian_transpose")
    )
    scratch = Later("forearm.core.combined.scratch")
    combined_nlopt, combined_tables = (Later(f"forearm.solve.methods.combined_{name}") for name in ("nlopt", "tables"))

ALL_TARGETS = (POSE, POSITION, ORIENTATION, POINT_AXIS)


@dataclass(frozen=True)
class Method:
    """A way to solve."""

    name: str  # what the user writes
    kernels: Callable[[Floats], Kernels]  # what answers, of the method's table (`solve/methods/layout.py`)
    prepare: Callable[[Prepared, int], tuple[Floats, ...]]  # makes problem and table, per robot and kind of target
    options: type[Options]
    summary: str  # what it is good for, in one line
    citation: str
    targets: tuple[int, ...] = ALL_TARGETS  # the kinds it can solve
    mimic: bool = True  # whether joints that follow others are allowed
    resumes: bool = False  # whether it can go on where a budget of tries ended (option `skip_tries`)
    reads_from: int = 0  # the place of the first of a call's settings that its kernels read
    rounds: int = 1  # how many searches of so many iterations a call may make, if no option says
    arm_fault: Callable[[Prepared], str] | None = None  # why it cannot solve a chain, or ""; None if it can any

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


def _combined_fault(arm: Prepared) -> str:
    """Why an arm does not reduce to two links, or an empty string; looked at when the tables are made."""
    return combined_tables.misfit(arm)


def general_kernels(table: Floats) -> Kernels:
    """The general solver's kernels, whatever its seeds."""
    return Kernels(solve_general, general_size, solve_general_many)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="auto",
            kernels=general_kernels,
            prepare=prepare.prepare_general,
            options=options.AutoOptions,
            summary="the closed form where the arm's structure has one; else, or where that misses, general",
            citation="closed-form: Pieper 1968, Shimizu et al. 2008; general: Chan and Lawrence 1988",
            resumes=True,
        ),
        Method(
            name="closed-form",
            kernels=form_kernels,
            prepare=prepare.prepare_closed_form,
            options=options.ClosedFormOptions,
            summary="every branch by formulas, the nearest to q0 inside the limits; for recognised structures",
            citation="Pieper 1968; Shimizu et al., IEEE Trans. Robotics 24(5), 2008; Elias and Wen, IK-Geo, 2022",
            targets=(POSE,),
            mimic=False,
            reads_from=-1,  # `auto` puts the norm behind the settings of the general solver
            arm_fault=_form_fault,
        ),
        Method(
            name="general",
            kernels=general_kernels,
            prepare=prepare.prepare_general,
            options=options.GeneralOptions,
            summary="Levenberg-Marquardt inside the limits, from q0, a table of starts, then random ones",
            citation="Chan and Lawrence, IEEE Int. Conf. on Robotics and Automation, 1988 (damping)",
            resumes=True,
        ),
        Method(
            name="fabrik-r",
            kernels=lambda _: Kernels(fabrik_r.solve_fabrik_r, fabrik_r.fabrik_r_size),
            prepare=prepare.prepare_fabrik_r,
            options=options.FabrikROptions,
            summary="FABRIK for one-axis joints; refine=False is the paper's sweeps alone",
            citation="Santos et al., FABRIK-R, IEEE Access 9, 2021",
            targets=(POSE, POSITION),
            mimic=False,
            resumes=True,
        ),
        Method(
            name="combined",
            kernels=lambda _: Kernels(combined_nlopt.solve_with_refiner, scratch.combined_size),
            prepare=prepare.prepare_combined,
            options=options.CombinedOptions,
            summary="FABRIK sweeps on the two links left once the wrist is fixed, then SQP, then all sign branches",
            citation="Xu et al., A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization, 2022",
            targets=(POSE,),
            rounds=1280,  # 20 problems, 32 starts, twice
            arm_fault=_combined_fault,  # mimic joints are among its faults
        ),
        Method(
            name="dls",
            kernels=lambda _: Kernels(dls.solve_dls, dls.descent_size),
            prepare=prepare.prepare_plain,
            options=options.DlsOptions,
            summary="damped least squares inside the limits, with restarts",
            citation="Wampler, IEEE Trans. Systems, Man, and Cybernetics 16(1), 1986",
        ),
        Method(
            name="jacobian-transpose",
            kernels=lambda _: Kernels(jacobian_transpose.solve_jacobian_transpose, dls.descent_size),
            prepare=prepare.prepare_plain,
            options=options.JacobianTransposeOptions,
            summary="steepest descent; no matrix to invert, slow to arrive",
            citation="Wolovich and Elliott, 23rd IEEE Conf. on Decision and Control, 1984",
        ),
        Method(
            name="ccd",
            kernels=lambda _: Kernels(ccd.solve_ccd, dls.descent_size),
            prepare=prepare.prepare_plain,
            options=options.CcdOptions,
            summary="one joint at a time, each moved exactly to its best value",
            citation="Wang and Chen, IEEE Trans. Robotics and Automation 7(4), 1991",
            mimic=False,
        ),
    )
}

# The closed form under the name of what was recognised, for results to say which one answered.
FORMS = {kind: replace(METHODS["closed-form"], name=f"closed-form ({kind})") for kind in Kind}


def find_method(name: str) -> Method:
    """The row of a method by name."""
    method = METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise OptionError(f"method '{name}' is unknown; {nearest_names(str(name), METHODS)}")
    return method
