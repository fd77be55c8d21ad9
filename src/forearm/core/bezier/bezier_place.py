"""From the plane of the bend to the world: where the target is, and to which side the chain bends.

The bend's normal n is a unit vector across the line e from base to target. It is taken from a hint, a
vector that is projected across e: the last frame's normal, so that it is carried along without leaps,
or the direction of a pole. In the plane only the side is free: n is e turned left or right.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import cross, dot

# A hint whose part across e is shorter than this share of its length names no side.
NO_SIDE = 1e-9


@leaf
def head_for(base, target, frame):
    """Writes e, the line to the target, into the first half of `frame` (6,); returns the distance [m].

    At distance 0 the last e is kept, +x if there is none.
    """
    x, y, z = target[0] - base[0], target[1] - base[1], target[2] - base[2]
    D = math.sqrt(x * x + y * y + z * z)
    if D > 0.0:
        frame[0], frame[1], frame[2] = x / D, y / D, z / D
    elif frame[0] == 0.0 and frame[1] == 0.0 and frame[2] == 0.0:
        frame[0] = 1.0
    return D


@leaf
def choose_side(planar, hx, hy, hz, frame):
    """Writes n across e on the hint's side; without one to the left (plane), or nearest to the axis across e."""
    ex, ey, ez = frame[0], frame[1], frame[2]
    if planar:
        side = -1.0 if ex * hy - ey * hx < -NO_SIDE * math.sqrt(hx * hx + hy * hy) else 1.0
        frame[3], frame[4], frame[5] = -side * ey, side * ex, 0.0
        return
    along = dot(ex, ey, ez, hx, hy, hz)
    x, y, z = hx - along * ex, hy - along * ey, hz - along * ez
    if x * x + y * y + z * z <= NO_SIDE * NO_SIDE * (hx * hx + hy * hy + hz * hz):
        if abs(ez) <= abs(ex) or abs(ez) <= abs(ey):
            x, y, z = -ez * ex, -ez * ey, 1.0 - ez * ez
        else:
            x, y, z = 1.0 - ex * ex, -ex * ey, -ex * ez
    size = math.sqrt(x * x + y * y + z * z)
    frame[3], frame[4], frame[5] = x / size, y / size, z / size


@lean
def place_in_world(base, frame, swivel, planar, xy, P_out):
    """Writes the points of a pose in the plane of its bend, turned by the swivel about e [rad]."""
    ex, ey, ez = frame[0], frame[1], frame[2]
    nx, ny, nz = swivelled(frame, swivel, planar)
    for i in range(xy.shape[0]):
        x, y = xy[i, 0], xy[i, 1]
        P_out[i, 0], P_out[i, 1] = base[0] + x * ex + y * nx, base[1] + x * ey + y * ny
        P_out[i, 2] = base[2] if planar else base[2] + x * ez + y * nz


@leaf
def swivelled(frame, swivel, planar):
    """N turned about e; in the plane to the other side for half a turn."""
    nx, ny, nz = frame[3], frame[4], frame[5]
    if swivel == 0.0:
        return nx, ny, nz
    if planar:
        return -nx, -ny, 0.0
    ux, uy, uz = cross(frame[0], frame[1], frame[2], nx, ny, nz)
    c, s = math.cos(swivel), math.sin(swivel)
    return c * nx + s * ux, c * ny + s * uy, c * nz + s * uz


@leaf
def turn_side(frame, swivel, planar):
    """Turns n of the frame itself."""
    x, y, z = swivelled(frame, swivel, planar)
    frame[3], frame[4], frame[5] = x, y, z


@leaf
def side_angle(frame, hx, hy, hz):
    """The swivel that turns n toward a hint [rad], in [-pi, pi]; 0 where the hint names no side."""
    ux, uy, uz = cross(frame[0], frame[1], frame[2], frame[3], frame[4], frame[5])
    c, s = dot(frame[3], frame[4], frame[5], hx, hy, hz), dot(ux, uy, uz, hx, hy, hz)
    if c * c + s * s <= NO_SIDE * NO_SIDE * dot(hx, hy, hz, hx, hy, hz):
        return 0.0
    return math.atan2(s, c)
