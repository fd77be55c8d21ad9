"""Obstacles as rows of numbers, and how far a chain of links stays away from them.

A row of `obstacles` (k, 18) is a capsule (a sphere has both ends in one point), a box, a half-space or a
triangle of a mesh:

- KIND, RADIUS [m] (of a capsule; 0 for a box);
- capsule: FIRST (3) one end of its axis, SPAN (3) the way to the other end;
- box: FIRST (3) its centre, SPAN (3) its half sizes, AXES (9) its unit axes, one after the other;
- half-space: FIRST (3) a point of its face, AXES (3) the unit vector out of it;
- triangle: FIRST (3) its middle, SPAN (3) and AXES (6): its corners as seen from the middle;
- BOUND: the radius of the sphere round its middle that holds all of it; infinite for a half-space.

A gap is the distance from a link's axis to an obstacle's surface minus the link's own radius.
"""

import math

from forearm.core.collision.distance import segment_box, segment_point, segment_segment
from forearm.core.collision.triangle import segment_triangle
from forearm.core.jit import kernel, leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.se3 import dot

KIND, RADIUS, FIRST, SPAN, AXES, BOUND = 0, 1, 2, 5, 8, 17
OBSTACLE_COLUMNS = 18
CAPSULE, BOX, HALF_SPACE, TRIANGLE = 0, 1, 2, 3

# Balls are this much larger [m], so that their rounding never hides what exact distances would show.
ROUNDING = 1e-12

# places in the report of a chain among obstacles, behind those of `core/codes.py` and `core/bones/codes.py`
CLEARANCE, LINK, OBSTACLE, HOW, STAGE, TURNED, LEAP, RESIDUAL, HEIGHT = range(8, 17)
LONG_REPORT = 17


@lean
def segment_gap(obstacles, k, px, py, pz, dx, dy, dz):
    """Signed distance of the segment p + s d from obstacle k; returns it, s and the unit vector away."""
    x, y, z = obstacles[k, FIRST], obstacles[k, FIRST + 1], obstacles[k, FIRST + 2]
    u, v, w = obstacles[k, SPAN], obstacles[k, SPAN + 1], obstacles[k, SPAN + 2]
    if obstacles[k, KIND] == BOX:
        return oriented_box_gap(obstacles, k, px - x, py - y, pz - z, dx, dy, dz)
    if obstacles[k, KIND] == HALF_SPACE:
        return half_space_gap(obstacles, k, px - x, py - y, pz - z, dx, dy, dz)
    if obstacles[k, KIND] == TRIANGLE:
        return segment_triangle(obstacles[k, SPAN : SPAN + 9], px - x, py - y, pz - z, dx, dy, dz)
    if u == 0.0 and v == 0.0 and w == 0.0:
        size, s, nx, ny, nz = segment_point(px, py, pz, dx, dy, dz, x, y, z)
    else:
        size, s, nx, ny, nz = segment_segment(px, py, pz, dx, dy, dz, x, y, z, u, v, w)
    return size - obstacles[k, RADIUS], s, nx, ny, nz


@leaf
def oriented_box_gap(obstacles, k, px, py, pz, dx, dy, dz):
    """As `segment_gap`, for a box; p as seen from its centre."""
    a = AXES
    ax, ay, az = obstacles[k, a], obstacles[k, a + 1], obstacles[k, a + 2]
    bx, by, bz = obstacles[k, a + 3], obstacles[k, a + 4], obstacles[k, a + 5]
    cx, cy, cz = obstacles[k, a + 6], obstacles[k, a + 7], obstacles[k, a + 8]
    size, s, nx, ny, nz = segment_box(
        dot(ax, ay, az, px, py, pz),
        dot(bx, by, bz, px, py, pz),
        dot(cx, cy, cz, px, py, pz),
        dot(ax, ay, az, dx, dy, dz),
        dot(bx, by, bz, dx, dy, dz),
        dot(cx, cy, cz, dx, dy, dz),
        obstacles[k, SPAN],
        obstacles[k, SPAN + 1],
        obstacles[k, SPAN + 2],
    )
    x, y, z = nx * ax + ny * bx + nz * cx, nx * ay + ny * by + nz * cy, nx * az + ny * bz + nz * cz
    return size, s, x, y, z


@leaf
def half_space_gap(obstacles, k, px, py, pz, dx, dy, dz):
    """As `segment_gap`, for a half-space; p as seen from the point of its face. The lower end counts."""
    nx, ny, nz = obstacles[k, AXES], obstacles[k, AXES + 1], obstacles[k, AXES + 2]
    height, rise = dot(nx, ny, nz, px, py, pz), dot(nx, ny, nz, dx, dy, dz)
    if rise < 0.0:
        return height + rise, 1.0, nx, ny, nz
    return height, 0.5 if rise == 0.0 else 0.0, nx, ny, nz


@leaf
def bound_gap(obstacles, k, px, py, pz, dx, dy, dz):
    """A lower bound of the segment's gap from obstacle k: its distance from the bounding sphere."""
    x, y, z = obstacles[k, FIRST], obstacles[k, FIRST + 1], obstacles[k, FIRST + 2]
    if obstacles[k, KIND] == CAPSULE:
        x, y, z = (
            x + 0.5 * obstacles[k, SPAN],
            y + 0.5 * obstacles[k, SPAN + 1],
            z + 0.5 * obstacles[k, SPAN + 2],
        )
    size, _, _, _, _ = segment_point(px, py, pz, dx, dy, dz, x, y, z)
    return size - obstacles[k, BOUND]


@leaf
def ball_is_near(obstacles, k, px, py, pz, dx, dy, dz, over_square, gap):
    """Whether the segment p + s d is nearer than a gap to the ball round obstacle k: no root, no division.

    Args:
        over_square: One over the squared length of d, 0 if it has none.
    """
    half = 0.5 if obstacles[k, KIND] == CAPSULE else 0.0  # the others have their middle first
    x = obstacles[k, FIRST] + half * obstacles[k, SPAN] - px
    y = obstacles[k, FIRST + 1] + half * obstacles[k, SPAN + 1] - py
    z = obstacles[k, FIRST + 2] + half * obstacles[k, SPAN + 2] - pz
    s = clamp(dot(x, y, z, dx, dy, dz) * over_square, 0.0, 1.0)
    x, y, z = x - s * dx, y - s * dy, z - s * dz
    reach = obstacles[k, BOUND] + gap + ROUNDING
    return reach > 0.0 and dot(x, y, z, x, y, z) < reach * reach


@lean
def link_gap(obstacles, P, i, radius, known):
    """The least gap of link i if it is below `known`, else `known`; and the obstacle, -1 if none is below."""
    px, py, pz = P[i, 0], P[i, 1], P[i, 2]
    dx, dy, dz = P[i + 1, 0] - px, P[i + 1, 1] - py, P[i + 1, 2] - pz
    nearest = -1
    for k in range(obstacles.shape[0]):
        if bound_gap(obstacles, k, px, py, pz, dx, dy, dz) - radius < known:
            gap = segment_gap(obstacles, k, px, py, pz, dx, dy, dz)[0] - radius
            if gap < known:
                known, nearest = gap, k
    return known, nearest


@lean
def chain_gap(obstacles, P, radii):
    """The least gap of a chain [m], infinite without obstacles, and its link and obstacle, -1 if none."""
    least, link, obstacle = math.inf, -1, -1
    for i in range(radii.shape[0]):
        gap, k = link_gap(obstacles, P, i, radii[i], least)
        if k >= 0:
            least, link, obstacle = gap, i, k
    return least, link, obstacle


@kernel
def measure_gap(obstacles, P, radii):
    """`chain_gap` for Python."""
    return chain_gap(obstacles, P, radii)


@leaf
def report_gap(obstacles, P, radii, report_out):
    """Writes the least gap, its link and its obstacle; returns the gap."""
    gap, link, obstacle = chain_gap(obstacles, P, radii)
    report_out[CLEARANCE], report_out[LINK], report_out[OBSTACLE] = gap, link, obstacle
    return gap


@kernel
def point_gap(obstacles, x, y, z):
    """The least signed distance of a point from the obstacles and which one that is; infinite and -1 without any."""
    least, nearest = math.inf, -1
    for k in range(obstacles.shape[0]):
        gap = segment_gap(obstacles, k, x, y, z, 0.0, 0.0, 0.0)[0]
        if gap < least:
            least, nearest = gap, k
    return least, nearest
