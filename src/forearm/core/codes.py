"""Column numbers and status codes shared by the kernels and the Python above them.

A robot reaches a kernel as three arrays (m moving joints, n <= m variables):

- `links` (m+1, 3, 4): the fixed transform in front of each joint, and the one behind the last;
- `joints` (m, 3): kind, variable that drives the joint, and ratio (joint = ratio * variable);
- `limits` (2, n): lower row, upper row; infinite where there is none.

Every joint moves along or about its own z axis, so
`T_base_tip = links[0] J(q0) links[1] J(q1) ... links[m]`.

A target reaches a kernel as `goal` (4, 4), a kind, and `terms` (15,).
"""

# columns of `joints`
KIND, VARIABLE, RATIO = 0, 1, 2
REVOLUTE, PRISMATIC = 0, 1

# rows of `limits`
LOWER, UPPER = 0, 1

# kinds of target
POSE, POSITION, ORIENTATION, POINT_AXIS = 0, 1, 2, 3

# places in `terms`
TOL_POSITION = 0  # [m], on the norm of the position error
TOL_ROTATION = 1  # [rad], on the angle of the rotation error
TOL_AXES = 2  # six tolerances, along and about the axes of the goal's frame
# 0: the answer is aimed at the middle of norms' and narrow tolerances; else it may lie anywhere inside wide ones, and
# this is what counts as a metre: less than one for small arms.
OPENED = 8
TOOL_AXIS = 9  # unit vector in the tip's frame; only for POINT_AXIS
DIRECTION = 12  # unit vector in the base frame the tool axis shall point along
TERMS = 15

# what a solving kernel returns
SOLVED, OUT_OF_REACH, LIMITS, WRONG_ORIENTATION, COLLISION, NOT_CONVERGED = 0, 1, 2, 3, 4, 5
BAD_TARGET, BAD_START = -1, -2
INEXACT = -3  # a closed form's row needs the kernel that polishes; never leaves the library

# places in the report a solving kernel writes
POSITION_ERROR, ROTATION_ERROR, LIMIT_EXCESS, ITERATIONS, TRIES = 0, 1, 2, 3, 4
CLEARANCE, BODY, OTHER = 5, 6, 7  # written only among obstacles: the least gap [m] and what is nearest
REPORT = 8

# A 4x4 counts as rigid while R^T R differs from I by no more than this in any entry: target
# matrices are often kept in float32 or printed with seven digits.
RIGID_SLACK = 1e-5
# q0 may stand this far outside a limit (encoders do); it is clamped before use.
START_SLACK = 1e-6
# A returned joint value may exceed its limit by rounding only.
LIMIT_SLACK = 1e-9
# Tolerances at least this wide are bands the answer may lie anywhere in; narrower ones are
# aimed at in the middle.
BAND = 1e-3
# Where tolerances are opened, those of axes from this on are bands, too, and norms' are balls; others are a hair.
WIDE = 1e-5
# How far inside an opened tolerance an answer is aimed at: what is met at the rim alone is met, too.
RIM = 1e-6
