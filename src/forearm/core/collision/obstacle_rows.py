"""Obstacles as rows of numbers, and how far a chain of links stays away from them.

A row of `obstacles` (k, 18) is a capsule (a sphere has both ends in one point), a box, a half-space, a triangle of a
mesh, a cylinder or a column of a height field; a convex hull or a grid of distances is a row, and more behind it that
only it reads; a node is a row in front of all rows that its ball holds, so that they can be passed over together:

- KIND, RADIUS [m] (of a capsule or cylinder); of a hull, a grid or a node EXTENT, how many rows it takes in all;
- capsule: FIRST (3) one end of its axis, SPAN (3) the way to the other end;
- box: FIRST (3) its centre, SPAN (3) its half sizes, AXES (9) its unit axes, one after the other;
- half-space: FIRST (3) a point of its face, AXES (3) the unit vector out of it;
- triangle: FIRST (3) its middle, SPAN (3) and AXES (6): its corners as seen from the middle;
- column: the same, and in the last of AXES (3) the way from its middle to its floor (`core/collision/hull.py`);
- cylinder: FIRST (3) its middle, SPAN its half length, AXES (3) the unit vector along it;
- hull: FIRST (3) its middle; its triangles follow (`core/collision/hull.py`);
- grid: FIRST (3) its middle, SPAN (3) the distances between its planes, AXES (9) as of a box; counts and numbers
  follow (`core/collision/grid.py`);
- node: FIRST (3) the middle of its ball; every row of it is in its ball;
- BOUND: the radius of the sphere round its middle that holds all of it; infinite for a half-space.

A gap is the distance from a link's axis to an obstacle's surface minus the link's own radius.
"""

import math

from forearm.core.collision.cylinder import segment_cylinder
from forearm.core.collision.distance import point_at, segment_box, segment_point, segment_segment
from forearm.core.collision.grid import segment_grid
from forearm.core.collision.hull import segment_column, segment_hull
from forearm.core.collision.triangle import segment_triangle
from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.vectors import dot, minus, plus, read, times

KIND, RADIUS, FIRST, SPAN, AXES, BOUND = 0, 1, 2, 5, 8, 17
OBSTACLE_COLUMNS, EXTENT = 18, 1
CAPSULE, BOX, HALF_SPACE, TRIANGLE, CYLINDER, COLUMN = 0, 1, 2, 3, 4, 5
HULL, GRID, NODE = 6, 7, 8  # these take more rows than their own

# Balls are this much larger [m], so that their rounding never hides what exact distances would show.
ROUNDING = 1e-12

# places in the report of a chain among obstacles, behind those of `core/codes.py` and `core/bones/codes.py`
CLEARANCE, LINK, OBSTACLE, HOW, STAGE, TURNED, LEAP, RESIDUAL, HEIGHT = range(8, 17)
LONG_REPORT = 17


@lean
def segment_gap(obstacles, k, p, d):
    """Signed distance of the segment p + s d from obstacle k; returns it, s and the unit vector away."""
    kind, first = obstacles[k, KIND], read(obstacles, k, FIRST)
    if kind == BOX:
        return oriented_box_gap(obstacles, k, minus(p, first), d)
    if kind == HALF_SPACE:
        return half_space_gap(obstacles, k, minus(p, first), d)
    if kind == TRIANGLE:
        return segment_triangle(obstacles, k, SPAN, minus(p, first), d)
    if kind >= CYLINDER:
        return later_gap(obstacles, k, minus(p, first), d)
    span = read(obstacles, k, SPAN)
    if span[0] == 0.0 and span[1] == 0.0 and span[2] == 0.0:
        size, s, n = segment_point(p, d, first)
    else:
        size, s, n = segment_segment(p, d, first, span)
    return size - obstacles[k, RADIUS], s, n


@lean
def later_gap(obstacles, k, p, d):
    """As `segment_gap`, for the kinds that are rarer; p as seen from its middle."""
    kind = obstacles[k, KIND]
    if kind == CYLINDER:
        return segment_cylinder(p, d, read(obstacles, k, AXES), obstacles[k, SPAN], obstacles[k, RADIUS])
    if kind == HULL:
        return segment_hull(obstacles, k + 1, k + int(obstacles[k, EXTENT]), p, d)
    if kind == COLUMN:
        return segment_column(obstacles, k, p, d)
    (a, b, c), step = axes_of(obstacles, k), read(obstacles, k, SPAN)
    size, s, n = segment_grid(obstacles, k + 1, step, turned(a, b, c, p), turned(a, b, c, d))
    return size, s, plus(plus(times(n[0], a), times(n[1], b)), times(n[2], c))


@leaf
def axes_of(obstacles, k):
    """The three unit axes of a box or grid."""
    return read(obstacles, k, AXES), read(obstacles, k, AXES + 3), read(obstacles, k, AXES + 6)


@leaf
def turned(a, b, c, x):
    """A vector as seen along three axes."""
    return dot(a, x), dot(b, x), dot(c, x)


@leaf
def behind(obstacles, k, near):
    """The row to look at behind row k: all that a node holds is passed over where it is not near."""
    kind = obstacles[k, KIND]
    return k + 1 if kind < HULL or (kind == NODE and near) else k + int(obstacles[k, EXTENT])


@leaf
def oriented_box_gap(obstacles, k, p, d):
    """As `segment_gap`, for a box; p as seen from its centre."""
    a, b, c = axes_of(obstacles, k)
    size, s, n = segment_box(turned(a, b, c, p), turned(a, b, c, d), read(obstacles, k, SPAN))
    return size, s, plus(plus(times(n[0], a), times(n[1], b)), times(n[2], c))


@leaf
def half_space_gap(obstacles, k, p, d):
    """As `segment_gap`, for a half-space; p as seen from the point of its face. The lower end counts."""
    n = read(obstacles, k, AXES)
    height, rise = dot(n, p), dot(n, d)
    if rise < 0.0:
        return height + rise, 1.0, n
    return height, 0.5 if rise == 0.0 else 0.0, n


@leaf
def middle_of(obstacles, k):
    """The centre of the ball that holds all of obstacle k: halfway along a capsule, the first point of others."""
    half = 0.5 if obstacles[k, KIND] == CAPSULE else 0.0
    return point_at(read(obstacles, k, FIRST), read(obstacles, k, SPAN), half)


@leaf
def bound_gap(obstacles, k, p, d):
    """A lower bound of the segment's gap from obstacle k: its distance from the bounding sphere."""
    return segment_point(p, d, middle_of(obstacles, k))[0] - obstacles[k, BOUND]


@leaf
def ball_is_near(obstacles, k, p, d, over_square, gap):
    """Whether p + s d is nearer than a gap to the ball round obstacle k; `over_square` is 1 / |d|^2, or 0 if d is 0."""
    x = minus(middle_of(obstacles, k), p)
    x = point_at(x, d, -clamp(dot(x, d) * over_square, 0.0, 1.0))
    reach = obstacles[k, BOUND] + gap + ROUNDING
    return reach > 0.0 and dot(x, x) < reach * reach


@lean
def link_gap(obstacles, P, i, radius, known):
    """The least gap of link i if it is below `known`, else `known`; and the obstacle, -1 if none is below."""
    p, nearest = read(P, i, 0), -1
    d = minus(read(P, i + 1, 0), p)
    for k in range(obstacles.shape[0]):
        if bound_gap(obstacles, k, p, d) - radius < known:
            gap = segment_gap(obstacles, k, p, d)[0] - radius
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


@leaf
def report_gap(obstacles, P, radii, report_out):
    """Writes the least gap, its link and its obstacle; returns the gap."""
    gap, link, obstacle = chain_gap(obstacles, P, radii)
    report_out[CLEARANCE], report_out[LINK], report_out[OBSTACLE] = gap, link, obstacle
    return gap


@lean
def point_gap(obstacles, x, y, z):
    """The least signed distance of a point from the obstacles and which one that is; infinite and -1 without any."""
    least, nearest = math.inf, -1
    for k in range(obstacles.shape[0]):
        gap = segment_gap(obstacles, k, (x, y, z), (0.0, 0.0, 0.0))[0]
        if gap < least:
            least, nearest = gap, k
    return least, nearest
