"""The border: every kernel that Python enters, with its exact types.

Both ways of compiling read this table: ahead of time exports exactly these kernels, and just in time no second
version is compiled because an array was read-only or of another order. Kernels are named by their module below
`core`, and stand in groups that compile apart.

Each argument is a letter and a number of axes, 0 for a number: `f` float64, `s` float32, `i` int64, `b` int8, `u`
uint64, `t` truth; arrays are C-contiguous. `!` marks what the kernel writes, `=` what comes as a read-only array.
"""

import importlib
from typing import Any, NamedTuple

from numba import types

from forearm.core.jit import signed

# how a method's kernel, and a compiled loop over many targets, are called (`core/arm/problem.py`)
SOLVE = "f1 f1 f2 f1 f1! f1! f1!"
LOOP = "f1! f1 f3 f3 f2 f2 f1! f2! f2! b1!"
AMONG = "f1 f1 f2 i2 f2 f2 f1 f2 f1 f1! f1! f1!"

GROUPS: dict[str, dict[str, str]] = {
}
