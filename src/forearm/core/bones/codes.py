"""Column numbers shared by the kernels of bone chains and the Python above them.

A tree of n bones reaches a kernel as three arrays:

- `parent` (n,) int64: the bone each one hangs on, -1 at the base; a parent stands before its children;
- `length` (n,): [m];
- `joints` (n, 19): how each bone may turn against its parent, columns as below.

Bone i starts at node `parent[i] + 1` and ends at node `i + 1`; node 0 is the base. A bone's frame
has its x axis along the bone: `R_i = R_parent REST_i L_i`, with L_i the identity in the rest pose.
A chain is a tree in which each bone hangs on the one before it.

Joint values `q` (n, 3): for a ball or a cone two swing components about y and z and the twist about
x, `L = exp(0, q0, q1) exp(q2, 0, 0)`; for a hinge the angle, then two zeros.

What the tips shall do reaches a kernel as `wants` (K, 23).
"""

# columns of `joints`
KIND = 0
HALF_Y, HALF_Z = 1, 2  # half-angles of the cone about y and z [rad]; infinite for a ball
TWIST_LOW, TWIST_HIGH = 3, 4  # [rad]
AXIS = 5  # three: the hinge's axis in the bone's rest frame
LOW, HIGH = 8, 9  # range of the hinge [rad]
REST = 10  # nine: the rest frame in the parent's frame, row by row
COLUMNS = 19

# kinds of joint; a cone is a ball with finite half-angles
BALL, HINGE, FIXED = 0, 1, 2

# columns of `wants`
BONE = 0  # the bone whose end is the tip
GOAL_KIND = 1  # POSE, POSITION, ORIENTATION or POINT_AXIS of `core/codes.py`
WEIGHT = 2
REACH_TOL, TURN_TOL = 3, 4  # [m], [rad]
POINT = 5  # three
FRAME = 8  # nine, row by row
TOOL = 17  # three: unit vector in the tip's frame
HEADING = 20  # three: where it shall point
WANTS = 23

# places in the settings of a solve
REFINE, MAX_SWEEPS, MAX_STEPS, MAX_TRIES, RNG_SEED, BASE_IS_FREE, HAS_START, MAX_SWIVEL, IS_PLANAR = range(9)
SETTINGS = 9

# places in a report behind those of `core/codes.py`
SWEEPS, POLE_ANGLE = 5, 6

# Coordinates of targets must stay below this [m]: their squares are safe floats then.
FARTHEST = 1e100
