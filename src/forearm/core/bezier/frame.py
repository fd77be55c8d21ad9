"""The pose of a chain in the plane of its bend, and where that plane lies.

In the plane the target is at (D, 0) and the bend toward +y: straight at full reach, folded at the least, else the
opened cubic of `core/bezier/curve.py`, and the circular arc where no such curve fits.

The plane is spanned by e, the line from base to target, and the bend's normal n, a unit vector across e; both
are `frame` (6,). n is taken from a hint that is projected across e: the last frame's normal, so that it is carried
along without leaps, or the direction of a pole. For a chain in a plane only the side is free: n is e turned left or
right.
"""

import math

from forearm.core.bezier.arc import lay_arc
from forearm.core.bezier.curve import CLOSING, open_curve
from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import cross, dot

# How a pose came about
STRAIGHT, CURVE, ARC, FOLDED, REPAIRED, FAILED = 0, 1, 2, 3, 4, 5
# Nearer to full reach (or full fold) than this share of the chain's length a pose is straight.
STRAIGHT_SLACK = CLOSING
# How much the curve opens sideways as the target comes nearer: a = OPENNESS (1 - D/L).
OPENNESS = 1.5
# A hint whose part across e is shorter than this share of its length names no side.
NO_SIDE = 1e-9


@lean
def reach_bounds(length):
    """Total length L, and the nearest the tip can come to the base: max(0, 2 d_max - L) [m]."""
    total, longest = 0.0, 0.0
    for i in range(length.shape[0]):
        total += length[i]
        longest = max(longest, length[i])
    return total, max(0.0, 2.0 * longest - total)


@lean
def bend_in_plane(links, D, turn_first, turn_second, draft):
    """Writes a pose (n+1, 2) whose curve is turned by two angles; returns how, and the openings tried.

    D must lie between the links' `nearest` and `total`. FAILED if no curve fits these angles.
    """
    length, total, nearest = links
    slack = STRAIGHT_SLACK * total
    if total - slack <= D or nearest + (slack if nearest > 0.0 else -1.0) >= D:
        return lay_straight(length, total - slack <= D, draft.xy), 0
    a, w = OPENNESS * (1.0 - D / total), draft.w  # w1 and w2 are (-a, 1) and (a, 1) normalised, each turned
    k = 1.0 / math.sqrt(1.0 + a * a)
    c, s = k * math.cos(turn_first), k * math.sin(turn_first)
    w[0], w[1] = -a * c - s, c - a * s
    c, s = k * math.cos(turn_second), k * math.sin(turn_second)
    w[2], w[3] = a * c - s, c + a * s
    found, _, count = open_curve(length, total, D, w, draft.t, draft.xy)
    return (CURVE if found else FAILED), count


@lean
def lay_straight(length, stretched, xy_out):
    """Writes a straight pose along +x, or the folded one: the longest link forward, all others back."""
    longest = 0
    for i in range(length.shape[0]):
        if length[i] > length[longest]:
            longest = i
    x = 0.0
    xy_out[0, 0], xy_out[0, 1] = 0.0, 0.0
    for i in range(length.shape[0]):
        x = x + length[i] if stretched or i == longest else x - length[i]
        xy_out[i + 1, 0], xy_out[i + 1, 1] = x, 0.0
    return STRAIGHT if stretched else FOLDED


@lean
def pose_in_plane(links, D, draft):
    """Writes the default pose (n+1, 2) for a target at (D, 0); returns how, and the openings tried."""
    how, count = bend_in_plane(links, D, 0.0, 0.0, draft)
    if how == FAILED:
        lay_arc(links.length, D, draft.xy)
        how = ARC
    return how, count


@leaf
def head_for(base, target, frame):
    """Writes e, the line to the target, into the first half of `frame` (6,); returns the distance [m].

    At distance 0 the last e is kept, +x if there is none.
    """
    x, y, z = target[0] - base[0], target[1] - base[1], target[2] - base[2]
    D = math.sqrt(x * x + y * y + z * z)
    if 0.0 < D < math.inf:
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
def side_angle(frame, hx, hy, hz):
    """The swivel that turns n toward a hint [rad], in [-pi, pi]; 0 where the hint names no side."""
    ux, uy, uz = cross(frame[0], frame[1], frame[2], frame[3], frame[4], frame[5])
    c, s = dot(frame[3], frame[4], frame[5], hx, hy, hz), dot(ux, uy, uz, hx, hy, hz)
    if c * c + s * s <= NO_SIDE * NO_SIDE * dot(hx, hy, hz, hx, hy, hz):
        return 0.0
    return math.atan2(s, c)
