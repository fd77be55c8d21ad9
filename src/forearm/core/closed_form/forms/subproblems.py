"""The Paden-Kahan subproblems that all closed forms are made of, as inlined leaves.

Angles are radians about unit vectors. No `acos` anywhere: `atan2` of a root keeps its digits at
both ends of the range. An angle that the equation leaves free is answered with the caller's own
value, so that singular poses have answers too.
"""

import math

from forearm.core.jit import leaf
from forearm.core.maths.vectors import across, any_across, apply, cross, dot, length, product, rotation, unapply

# Lengths [m] (or their products) below which a height or a distance leaves the angle free.
FREE_BELOW = 1e-9
# Distance from the axis [m, or sine of a unit vector] below which a vector has no direction about it.
ALONG = 1e-12
# How far [m^2 or m] an equation may lie beyond its range and still count as its end: targets made by
# forward kinematics of a straight arm do by rounding, and an angle found before at its own double root
# is good to the root of rounding only. Such rows are measured, and polished where they are not exact.
BEYOND = 2e-8
# Sine below which the outer axes of a wrist count as one line: digits of the single angles are
# lost there, their sum is good.
SOFT_SINGULAR = 2e-7
# Cosine below which axes count as perpendicular: the middle wrist angle is then plus or minus the
# same value, which keeps all digits near zero.
PERPENDICULAR = 1e-9


@leaf
def turn_onto(h, a, b, free):
    """Subproblem 1: the angle about h that turns a onto b, `free` where a or b lies along h."""
    ca, cb = cross(h, a), cross(h, b)
    return angle_of(dot(ca, cb), dot(h, cross(ca, cb)), free)


@leaf
def angle_of(c, s, free):
    """The angle of a direction, `free` where it is too short to be one."""
    return free if s * s + c * c <= ALONG**4 else math.atan2(s, c)


@leaf
def direction_onto(h, a, b):
    """Subproblem 1 as cosine and sine; both 0 where a or b lies along h.

    Both are taken across h by cross products: `a.b - (h.a)(h.b)` loses digits when a is nearly
    parallel to h.
    """
    ca, cb = cross(h, a), cross(h, b)
    s, c = dot(h, cross(ca, cb)), dot(ca, cb)
    r = math.sqrt(s * s + c * c)
    if r <= ALONG * ALONG:
        return 0.0, 0.0
    return c / r, s / r


@leaf
def turn_to_height(h, a, g, d, free):
    """Subproblem 4: the angles about h at which g . (R a) = d; how many (0 to 2), and both."""
    count, c1, s1, c2, s2 = directions_to_height(h, a, g, d, free)
    return count, math.atan2(s1, c1), math.atan2(s2, c2)


@leaf
def directions_to_height(h, a, g, d, free):
    """Subproblem 4 as cosines and sines: how many angles (0 to 2), and both.

    With A = g.a - (g.h)(h.a), B = g.(h x a) and e = d - (g.h)(h.a) it reads A cos + B sin = e.
    """
    level = dot(g, h) * dot(h, a)
    return directions_to_sum(dot(g, a) - level, dot(g, cross(h, a)), d - level, free)


@leaf
def directions_to_sum(A, B, e, free):
    """The cosines and sines at which A cos + B sin = e: how many angles (0 to 2), and both."""
    r = math.sqrt(A * A + B * B)
    if r <= FREE_BELOW and abs(e) <= FREE_BELOW:
        c, s = math.cos(free), math.sin(free)
        return 1, c, s, c, s
    inside = (r - e) * (r + e)  # as a product: r^2 - e^2 loses digits at the ends
    if inside <= 0.0:
        end = math.copysign(1.0 / r, e) if r > 0.0 else 0.0
        return (1 if abs(e) - r <= BEYOND else 0), end * A, end * B, end * A, end * B
    k = 1.0 / (r * r)
    c, s = k * e, k * math.sqrt(inside)
    return 2, A * c - B * s, B * c + A * s, A * c + B * s, B * c - A * s


@leaf
def turn_to_distance(h, a, c, square, free):
    """Subproblem 3: the angles about h at which |R a - c|^2 is the given square [m^2]."""
    return turn_to_height(h, a, c, 0.5 * (dot(a, a) + dot(c, c) - square), free)


@leaf
def directions_to_distance(h, a, c, square, free):
    """Subproblem 3 as cosines and sines."""
    return directions_to_height(h, a, c, 0.5 * (dot(a, a) + dot(c, c) - square), free)


@leaf
def turn_to_distance_in_plane(h, a, c, square, free):
    """Subproblem 3 in the plane across h; the square is that of a distance in that plane."""
    return turn_to_distance(h, across(h, a), across(h, c), square, free)


@leaf
def directions_to_distance_in_plane(h, a, c, square, free):
    """Subproblem 3 in the plane across h, as cosines and sines."""
    return directions_to_distance(h, across(h, a), across(h, c), square, free)


@leaf
def given(c, s, free):
    """A direction, or that of the free angle where there is none."""
    if c == 0.0 and s == 0.0:
        return math.cos(free), math.sin(free)
    return c, s


@leaf
def middle_angles(h1, h2, h3, u, free):
    """The angles b of R(h1, a) R(h2, b) R(h3, c) = W, from u = W h3; how many, and both.

    Last comes the sine between h1 and u: 0 where the outer axes are one line.
    """
    sine = length(cross(h1, u))
    if abs(dot(h1, h2)) < PERPENDICULAR and abs(dot(h2, h3)) < PERPENDICULAR:
        zero = math.atan2(dot(h2, cross(h1, h3)), dot(h1, h3))
        b = math.atan2(sine, dot(h1, u))
        return 2, b - zero, -b - zero, sine
    count, b1, b2 = turn_to_height(h2, h3, h1, dot(h1, u), free)
    return count, b1, b2, sine


@leaf
def middle_directions(h1, h2, h3, u, free):
    """As `middle_angles`, as cosines and sines."""
    sine = length(cross(h1, u))
    if abs(dot(h1, h2)) < PERPENDICULAR and abs(dot(h2, h3)) < PERPENDICULAR:
        s0, c0 = dot(h2, cross(h1, h3)), dot(h1, h3)
        s, c = sine, dot(h1, u)
        r = 1.0 / math.sqrt((s * s + c * c) * (s0 * s0 + c0 * c0))
        c, s, both, cross_terms = c * c0 * r, s * s0 * r, s * c0 * r, c * s0 * r
        return 2, c + s, both - cross_terms, c - s, -both - cross_terms, sine
    count, c1, s1, c2, s2 = directions_to_height(h2, h3, h1, dot(h1, u), free)
    return count, c1, s1, c2, s2, sine


@leaf
def singular_middle_angle(h1, h2, h3, u):
    """The angle b at which h1 and R(h2, b) h3 are one line, on the side where u is."""
    return turn_onto(h2, h3, h1 if dot(h1, u) > 0.0 else (-h1[0], -h1[1], -h1[2]), 0.0)


@leaf
def first_angle(h1, h2, h3, u, b, free):
    """The angle a of R(h1, a) R(h2, b) R(h3, c) = W, from u = W h3 and b."""
    return turn_onto(h1, apply(rotation(h2, b), h3), u, free)


@leaf
def last_angle(h1, h2, h3, W, a, b):
    """The angle c of R(h1, a) R(h2, b) R(h3, c) = W from what a and b leave over.

    Errors of a are made up for here, so the rotation stays exact at the singularity.
    """
    m = any_across(h3)
    R = product(rotation(h1, a), rotation(h2, b))
    return turn_onto(h3, m, unapply(R, apply(W, m)), 0.0)
