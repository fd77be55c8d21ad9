"""The status codes of `core/codes.py` as C has them, with their words, and the one that only C needs."""

from forearm.core import codes
from forearm.results.solution import Status

BAD_ARGUMENT = -4  # kernels give no such code: pointers and sizes are looked at before them

# name in C, number, words
STATUSES = (
    ("SOLVED", codes.SOLVED, Status.SOLVED.value),
    ("OUT_OF_REACH", codes.OUT_OF_REACH, Status.OUT_OF_REACH.value),
    ("LIMITS", codes.LIMITS, Status.LIMITS.value),
    ("ORIENTATION", codes.WRONG_ORIENTATION, Status.ORIENTATION.value),
    ("COLLISION", codes.COLLISION, Status.COLLISION.value),
    ("NOT_CONVERGED", codes.NOT_CONVERGED, Status.NOT_CONVERGED.value),
    ("BAD_TARGET", codes.BAD_TARGET, "the target is not finite, or not a rigid transform"),
    ("BAD_START", codes.BAD_START, "a joint value is not finite, or outside its limits"),
    ("INEXACT", codes.INEXACT, "the closed form is not exact here; the kernel that polishes is"),
    ("BAD_ARGUMENT", BAD_ARGUMENT, "a pointer is NULL, a size is wrong, or a number is out of its range"),
)


def enum_lines(prefix: str) -> str:
    """The members of a C enumeration."""
    return ",\n".join(f"    {prefix}_{name} = {number}" for name, number, _ in STATUSES)


def word_lines(prefix: str) -> str:
    """The cases of a C switch that gives the words."""
    return "\n".join(f'    case {prefix}_{name}: return "{words}";' for name, _, words in STATUSES)
