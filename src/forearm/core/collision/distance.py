"""Exact distances of a segment from a point, a segment and a box; nothing is allocated.

Each gives back the distance [m], where on the segment it is attained (0 at its start, 1 at its end),
and the unit vector that leads away from the other shape: a segment moved along it by s is s farther.
Radii are the caller's to subtract. A segment that meets a box has a negative distance, the way out
of it (separating axes). Points are x, y, z; where all z are zero every z here is zero, to the bit,
and so are ways out: a planar scene stays planar. Boxes of such a scene are `FLAT` along z.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.se3 import cross, dot

# Directions whose sine squared is below this count as parallel: the formula for two lines loses its
# digits there, and ends of the segments are looked at too.
PARALLEL = 1e-6
# A point this near to a box [m] may be where a segment enters it, rounded to its outside: one that only
# touches has no way out to go, so it loses nothing.
GRAZING = 1e-13
# Half the size of a planar box along z: no way out leads there, and its products stay finite.
FLAT = 1e150


@leaf
def away(x, y, z, dx, dy, dz):
    """Length and unit vector of (x, y, z); for a zero vector one across (dx, dy, dz), in the plane z = 0 if that is."""
    size = math.sqrt(x * x + y * y + z * z)
    if size > 0.0:
        return size, x / size, y / size, z / size
    x, y, z = -dy, dx, 0.0
    size = math.sqrt(x * x + y * y)
    if size > 0.0:
        return 0.0, x / size, y / size, z
    return 0.0, 1.0, 0.0, 0.0


@leaf
def segment_point(px, py, pz, dx, dy, dz, cx, cy, cz):
    """Distance of the segment p + s d from the point c; returns distance, s and the unit vector away from c."""
    x, y, z = px - cx, py - cy, pz - cz
    square = dot(dx, dy, dz, dx, dy, dz)
    s = clamp(-dot(x, y, z, dx, dy, dz) / square, 0.0, 1.0) if square > 0.0 else 0.0
    size, nx, ny, nz = away(x + s * dx, y + s * dy, z + s * dz, dx, dy, dz)
    return size, s, nx, ny, nz


@leaf
def segment_segment(px, py, pz, dx, dy, dz, qx, qy, qz, ex, ey, ez):
    """Distance of the segment p + s d from q + t e; returns distance, s and the unit vector away from the second."""
    a, b, e = dot(dx, dy, dz, dx, dy, dz), dot(dx, dy, dz, ex, ey, ez), dot(ex, ey, ez, ex, ey, ez)
    x, y, z = px - qx, py - qy, pz - qz
    c, f = dot(dx, dy, dz, x, y, z), dot(ex, ey, ez, x, y, z)
    if a == 0.0 or e == 0.0:
        s = clamp(-c / a, 0.0, 1.0) if a > 0.0 else 0.0
        t = clamp(f / e, 0.0, 1.0) if e > 0.0 else 0.0
    else:
        s, t = between_lines(a, b, c, e, f)
        if a * e - b * b < PARALLEL * a * e:
            s, t = nearest_ends(a, b, c, e, f, s, t)
    size, nx, ny, nz = away(x + s * dx - t * ex, y + s * dy - t * ey, z + s * dz - t * ez, dx, dy, dz)
    return size, s, nx, ny, nz


@leaf
def between_lines(a, b, c, e, f):
    """Where two segments are closest by the formula for lines, clamped twice; exact unless nearly parallel."""
    denominator = a * e - b * b
    s = clamp((b * f - c * e) / denominator, 0.0, 1.0) if denominator > 0.0 else 0.0
    t = clamp((b * s + f) / e, 0.0, 1.0)
    s = clamp((b * t - c) / a, 0.0, 1.0)
    return s, clamp((b * s + f) / e, 0.0, 1.0)


@leaf
def nearest_ends(a, b, c, e, f, s, t):
    """The best of (s, t) and the four ends of two segments, each end with the nearest point to it."""
    best = gap_square(a, b, c, e, f, s, t)
    for k in range(4):
        if k < 2:
            u = float(k)
            v = clamp((b * u + f) / e, 0.0, 1.0)
        else:
            v = float(k - 2)
            u = clamp((b * v - c) / a, 0.0, 1.0)
        square = gap_square(a, b, c, e, f, u, v)
        if square < best:
            best, s, t = square, u, v
    return s, t


@leaf
def gap_square(a, b, c, e, f, s, t):
    """The squared distance at (s, t) but for a constant."""
    return s * (a * s + 2.0 * c - 2.0 * b * t) + t * (e * t - 2.0 * f)


@leaf
def outside(x, half):
    """How far a coordinate lies outside [-half, half], with its sign."""
    return x - clamp(x, -half, half)


@lean
def segment_box(px, py, pz, dx, dy, dz, hx, hy, hz):
    """Signed distance of p + s d from the box of half sizes h round the origin, along the axes.

    Half the derivative of the squared distance is piecewise linear and never falls; between the
    crossings of the faces it is interpolated, so the answer is exact.
    """
    if box_slope(px, py, pz, dx, dy, dz, hx, hy, hz, 0.0) >= 0.0:
        s = 0.0
    elif box_slope(px, py, pz, dx, dy, dz, hx, hy, hz, 1.0) <= 0.0:
        s = 1.0
    else:
        low, high = 0.0, 1.0
        low, high = shrink(px, dx, hx, px, py, pz, dx, dy, dz, hx, hy, hz, low, high)
        low, high = shrink(py, dy, hy, px, py, pz, dx, dy, dz, hx, hy, hz, low, high)
        low, high = shrink(pz, dz, hz, px, py, pz, dx, dy, dz, hx, hy, hz, low, high)
        f = box_slope(px, py, pz, dx, dy, dz, hx, hy, hz, low)
        g = box_slope(px, py, pz, dx, dy, dz, hx, hy, hz, high)
        s = low if g <= f else clamp(low - f * (high - low) / (g - f), low, high)
    x, y, z = outside(px + s * dx, hx), outside(py + s * dy, hy), outside(pz + s * dz, hz)
    if abs(x) <= GRAZING and abs(y) <= GRAZING and abs(z) <= GRAZING:
        return way_out(px, py, pz, dx, dy, dz, hx, hy, hz)
    size, nx, ny, nz = away(x, y, z, dx, dy, dz)
    return size, s, nx, ny, nz


@leaf
def box_slope(px, py, pz, dx, dy, dz, hx, hy, hz, s):
    """Half the derivative of the squared distance at s."""
    return dx * outside(px + s * dx, hx) + dy * outside(py + s * dy, hy) + dz * outside(pz + s * dz, hz)


@leaf
def shrink(p, d, h, px, py, pz, dx, dy, dz, hx, hy, hz, low, high):
    """The bracket of the slope's zero, cut where one coordinate crosses its two faces."""
    if d != 0.0:
        for sign in (-1.0, 1.0):
            s = (sign * h - p) / d
            if low < s < high:
                if box_slope(px, py, pz, dx, dy, dz, hx, hy, hz, s) < 0.0:
                    low = s
                else:
                    high = s
    return low, high


@leaf
def unit_axis(axis):
    """The unit vector along x, y or z."""
    if axis == 0:
        return 1.0, 0.0, 0.0
    return (0.0, 1.0, 0.0) if axis == 1 else (0.0, 0.0, 1.0)


@lean
def way_out(px, py, pz, dx, dy, dz, hx, hy, hz):
    """The shortest way of a segment out of the box it meets: minus its length, the middle inside, the direction.

    Separating axes: the faces of the box, and the box's edges crossed with the segment.
    """
    low, high = inside_part(px, dx, hx, 0.0, 1.0)
    low, high = inside_part(py, dy, hy, low, high)
    low, high = inside_part(pz, dz, hz, low, high)
    best, nx, ny, nz = math.inf, 1.0, 0.0, 0.0
    for axis in range(3):
        ax, ay, az = unit_axis(axis)
        cx, cy, cz = cross(dx, dy, dz, ax, ay, az)
        size = math.sqrt(cx * cx + cy * cy + cz * cz)
        for k in range(4):
            if k < 2:
                x, y, z = ax, ay, az
            elif size > 0.0:
                x, y, z = cx / size, cy / size, cz / size
            else:
                break
            if k % 2 == 1:
                x, y, z = -x, -y, -z
            first = dot(x, y, z, px, py, pz)
            least = min(first, first + dot(x, y, z, dx, dy, dz))
            depth = hx * abs(x) + hy * abs(y) + hz * abs(z) - least
            if depth < best:
                best, nx, ny, nz = depth, x, y, z
    return -max(best, 0.0), 0.5 * (low + high), nx, ny, nz


@leaf
def inside_part(p, d, h, low, high):
    """The part of [low, high] on which a coordinate lies between its two faces."""
    if d != 0.0:
        s, t = (-h - p) / d, (h - p) / d
        low, high = max(low, min(s, t)), min(high, max(s, t))
    return low, max(low, high)
