"""One row per method: its kernel, its options, what it supports, where it comes from."""

from collections.abc import Callable
from dataclasses import dataclass

from forearm.core.ccd import solve_ccd
from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION
from forearm.core.dls import solve_dls
from forearm.core.jacobian_transpose import solve_jacobian_transpose
from forearm.errors import OptionError, UnsupportedError, nearest_names
from forearm.model import Model
from forearm.options import CcdOptions, DlsOptions, JacobianTransposeOptions, Options
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
    """

    name: str
    kernel: Callable[..., int]
    options: type[Options]
    summary: str
    citation: str
    targets: tuple[int, ...] = ALL_TARGETS
    mimic: bool = True

    def fault(self, kind: int, model: Model) -> str:
        """Why the method cannot solve this kind of target on this chain, or an empty string."""
        if kind not in self.targets:
            return f"{KIND_NAMES[kind]} targets"
        if not self.mimic and model.mimics:
            return f"mimic joints (here {', '.join(model.mimics)})"
        return ""


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
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

DEFAULT_METHOD = "dls"


def find_method(name: str) -> Method:
    """The row of a method by name."""
    method = METHODS.get(name)
    if method is None:
        hint = nearest_names(str(name), METHODS)
        raise OptionError(f"method '{name}' is unknown; {hint} (all: {', '.join(METHODS)})")
    return method


def check_supported(method: Method, kind: int, model: Model) -> None:
    """Refuses what a method cannot do, and names the methods that can."""
    fault = method.fault(kind, model)
    if fault:
        able = [other.name for other in METHODS.values() if not other.fault(kind, model)]
        raise UnsupportedError(f"method '{method.name}' does not support {fault}; these do: {', '.join(able)}")
