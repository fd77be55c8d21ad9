"""Exact distance of a segment from a triangle: the facets that meshes are made of.

The nearest points lie where the segment pierces the triangle, at an end of the segment above the
triangle's inside, or on an edge of the triangle; each case is looked at. A triangle has no inside, so
a distance is never negative: it is zero where the segment pierces it.
"""

import math

from forearm.core.collision.distance import segment_segment
from forearm.core.jit import leaf, lean
from forearm.core.maths.se3 import cross, dot


@lean
def segment_triangle(corners, px, py, pz, dx, dy, dz):
    """Distance of the segment p + s d from a triangle; returns it, s and the unit vector away from the triangle.

    Args:
        corners: (9,) three points, in the frame in which p is given [m].
    """
    ax, ay, az = corners[0], corners[1], corners[2]
    ux, uy, uz = corners[3] - ax, corners[4] - ay, corners[5] - az
    vx, vy, vz = corners[6] - ax, corners[7] - ay, corners[8] - az
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    area = math.sqrt(dot(nx, ny, nz, nx, ny, nz))
    best, s, bx, by, bz = math.inf, 0.0, 1.0, 0.0, 0.0
    if area > 0.0:  # else it is a line, and its edges are all of it
        nx, ny, nz = nx / area, ny / area, nz / area
        best, s, bx, by, bz = over_inside(ax, ay, az, ux, uy, uz, vx, vy, vz, nx, ny, nz, px, py, pz, dx, dy, dz)
    if best > 0.0:
        for k in range(3):
            i, j = 3 * k, 3 * ((k + 1) % 3)
            x, y, z = corners[i], corners[i + 1], corners[i + 2]
            ex, ey, ez = corners[j] - x, corners[j + 1] - y, corners[j + 2] - z
            size, t, cx, cy, cz = segment_segment(px, py, pz, dx, dy, dz, x, y, z, ex, ey, ez)
            if size < best:
                best, s, bx, by, bz = size, t, cx, cy, cz
    return best, s, bx, by, bz


@leaf
def over_inside(ax, ay, az, ux, uy, uz, vx, vy, vz, nx, ny, nz, px, py, pz, dx, dy, dz):
    """The nearest of both ends above the inside of the triangle and the place where the segment pierces it."""
    x, y, z = px - ax, py - ay, pz - az
    height, rise = dot(nx, ny, nz, x, y, z), dot(nx, ny, nz, dx, dy, dz)
    best, s, sign = math.inf, 0.0, 1.0
    for k in range(3):
        t = 0.0 if k == 0 else 1.0
        if k == 2:
            if rise == 0.0 or not 0.0 < -height / rise < 1.0:
                continue
            t = -height / rise
        h = 0.0 if k == 2 else height + t * rise
        if abs(h) < best and holds(ux, uy, uz, vx, vy, vz, nx, ny, nz, x + t * dx, y + t * dy, z + t * dz):
            side = h if h != 0.0 else 2.0 * height + rise  # pierced: toward the side with most of the segment
            best, s, sign = abs(h), t, 1.0 if side >= 0.0 else -1.0
    return best, s, sign * nx, sign * ny, sign * nz


@leaf
def holds(ux, uy, uz, vx, vy, vz, nx, ny, nz, x, y, z):
    """Whether a point, as seen from the first corner, lies above the inside of the triangle."""
    ax, ay, az = cross(nx, ny, nz, ux, uy, uz)
    bx, by, bz = cross(vx, vy, vz, nx, ny, nz)
    cx, cy, cz = cross(nx, ny, nz, vx - ux, vy - uy, vz - uz)
    first, second = dot(ax, ay, az, x, y, z), dot(bx, by, bz, x, y, z)
    return first >= 0.0 and second >= 0.0 and dot(cx, cy, cz, x - ux, y - uy, z - uz) >= 0.0
