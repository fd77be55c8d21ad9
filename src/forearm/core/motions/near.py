"""Which links of a robot come near each other in the frames of a motion: balls, then capsules, then points.

A link is a ball that holds it, slabs of points on its surface, each with a capsule and a box that hold it, all in the
frame of the joint that carries it:

- `links` (L, 7): the joint's row behind the base, first slab, one behind the last, the ball's middle (3) and radius;
- `slabs` (S, 15): first point, one behind the last, the capsule's ends (6) and radius, its box's corners (6);
- `points` (p, 3), those of a slab in the order of the longest side of its box.

Of two links the nearest points count. Everything farther apart than `near` is infinitely far.
"""

import math

from forearm.core.jit import leaf, lean
from forearm.core.maths.limits import clamp
from forearm.core.maths.vectors import cross, dot, length, minus, plus, read, times

# columns of `links` and of `slabs`
ROW, FIRST_SLAB, LAST_SLAB, MIDDLE, BALL = 0, 1, 2, 3, 6
LINKS = 7
FIRST_POINT, LAST_POINT, END, OTHER_END, RADIUS, LOW, HIGH = 0, 1, 2, 5, 8, 9, 12
SLABS = 15
# what is found of a pair in a frame: gap, depth, way
GAP, DEPTH, WAY = 0, 1, 2
FOUND = 5
# Segments shorter than the root of this are points [m^2].
NO_LENGTH = 1e-12


@leaf
def moved(T, x):
    """A point moved by the upper rows of a transform."""
    return (
        T[0, 0] * x[0] + T[0, 1] * x[1] + T[0, 2] * x[2] + T[0, 3],
        T[1, 0] * x[0] + T[1, 1] * x[1] + T[1, 2] * x[2] + T[1, 3],
        T[2, 0] * x[0] + T[2, 1] * x[1] + T[2, 2] * x[2] + T[2, 3],
    )


@leaf
def turned_back(T, d):
    """A vector as seen along the axes of a frame."""
    return (
        T[0, 0] * d[0] + T[1, 0] * d[1] + T[2, 0] * d[2],
        T[0, 1] * d[0] + T[1, 1] * d[1] + T[2, 1] * d[2],
        T[0, 2] * d[0] + T[1, 2] * d[1] + T[2, 2] * d[2],
    )


@lean
def slab_gap(slabs, ends, i, j):
    """The distance between the capsules of two slabs, of which `ends` has an end and the way to the other [m]."""
    p, d, q, e = read(ends, i, 0), read(ends, i, 3), read(ends, j, 0), read(ends, j, 3)
    r = minus(p, q)
    dd, ee, de, dr, er = dot(d, d), dot(e, e), dot(d, e), dot(d, r), dot(e, r)
    s = clamp((de * er - ee * dr) / max(dd * ee - de * de, NO_LENGTH), 0.0, 1.0)
    t = clamp((de * s + er) / max(ee, NO_LENGTH), 0.0, 1.0)
    s = clamp((de * t - dr) / max(dd, NO_LENGTH), 0.0, 1.0)
    return length(minus(plus(r, times(s, d)), times(t, e))) - slabs[i, RADIUS] - slabs[j, RADIUS]


@leaf
def longest_side(slabs, j):
    """The axis along which the box of a slab is longest; its points are in this order."""
    x, y, z = minus(read(slabs, j, HIGH), read(slabs, j, LOW))
    return 0 if x >= y and x >= z else 1 if y >= z else 2


@leaf
def first_beyond(points, first, last, axis, value):
    """The first of points in the order of an axis that is not below a value there."""
    while first < last:
        middle = (first + last) // 2
        if points[middle, axis] < value:
            first = middle + 1
        else:
            last = middle
    return first


@lean
def nearest_points(slabs, points, i, j, T, reach, known):
    """The nearest points of two slabs, if they are nearer than is known: square of the distance, both points.

    T takes points of the first into the frame of the second.
    """
    near, other, far, axis = -1, -1, math.sqrt(known), longest_side(slabs, j)
    low, high = minus(read(slabs, j, LOW), (reach, reach, reach)), plus(read(slabs, j, HIGH), (reach, reach, reach))
    begin, end = int(slabs[j, FIRST_POINT]), int(slabs[j, LAST_POINT])
    for k in range(int(slabs[i, FIRST_POINT]), int(slabs[i, LAST_POINT])):
        x, y, z = placed(T, read(points, k, 0))
        if x < low[0] or x > high[0] or y < low[1] or y > high[1] or z < low[2] or z > high[2]:
            continue
        along = x if axis == 0 else y if axis == 1 else z
        m = first_beyond(points, begin, end, axis, along - far)
        while m < end and points[m, axis] <= along + far:
            u, v, w = points[m, 0] - x, points[m, 1] - y, points[m, 2] - z
            square = u * u + v * v + w * w
            if square < known:
                known, near, other, far = square, k, m, math.sqrt(square)
            m += 1
    return known, near, other


@leaf
def between(A, B):
    """The transform that takes points of frame A into frame B, as columns of the axes and the place."""
    return (
        turned_back(B, (A[0, 0], A[1, 0], A[2, 0])),
        turned_back(B, (A[0, 1], A[1, 1], A[2, 1])),
        turned_back(B, (A[0, 2], A[1, 2], A[2, 2])),
        turned_back(B, (A[0, 3] - B[0, 3], A[1, 3] - B[1, 3], A[2, 3] - B[2, 3])),
    )


@leaf
def placed(T, x):
    """A point moved by a transform of columns."""
    return plus(plus(times(x[0], T[0]), times(x[1], T[1])), plus(times(x[2], T[2]), T[3]))


@lean
def look_at_pair(links, slabs, points, ends, a, b, A, B, near, cover, found_out):
    """Writes gap, depth and the way from link b to link a in frames A and B."""
    reach, k, m, deepest = near + cover, -1, -1, math.inf
    known, T = reach * reach, between(A, B)
    for i in range(int(links[a, FIRST_SLAB]), int(links[a, LAST_SLAB])):
        for j in range(int(links[b, FIRST_SLAB]), int(links[b, LAST_SLAB])):
            gap = slab_gap(slabs, ends, i, j)
            deepest = min(deepest, gap)
            if gap < near:
                square, one, other = nearest_points(slabs, points, i, j, T, reach, known)
                if one >= 0:
                    known, k, m = square, one, other
    if k < 0:
        return
    x, far = placed(T, read(points, k, 0)), math.sqrt(known)
    v = minus(x, read(points, m, 0))
    if far <= cover:  # surfaces cross: away from the middle
        v = minus(x, read(links, b, MIDDLE))
    v = times(1.0 / max(length(v), NO_LENGTH), v)
    found_out[GAP] = far - cover
    found_out[DEPTH] = max(-deepest, 0.0) if far < cover else 0.0
    for c in range(3):
        found_out[WAY + c] = B[c, 0] * v[0] + B[c, 1] * v[1] + B[c, 2] * v[2]


@lean
def place_links(links, slabs, frames, f, balls, ends):
    """Writes where the balls of links and the capsules of slabs are in a frame: an end, and the way to the other."""
    for a in range(links.shape[0]):
        T = frames[int(links[a, ROW]), f]
        x = moved(T, read(links, a, MIDDLE))
        balls[a, 0], balls[a, 1], balls[a, 2] = x
        for i in range(int(links[a, FIRST_SLAB]), int(links[a, LAST_SLAB])):
            p = moved(T, read(slabs, i, END))
            d = minus(moved(T, read(slabs, i, OTHER_END)), p)
            ends[i, 0], ends[i, 1], ends[i, 2] = p
            ends[i, 3], ends[i, 4], ends[i, 5] = d


@lean
def look_at_motion(links, slabs, points, pairs, frames, near, cover, balls, ends, found_out):
    """Writes (P, F, 5) what is found of pairs (P, 2) of links in frames (rows, F, 4, 4); an infinite gap where none.

    `balls` (L, 3) and `ends` (S, 6) are scratch.
    """
    for f in range(frames.shape[1]):
        place_links(links, slabs, frames, f, balls, ends)
        for p in range(pairs.shape[0]):
            a, b = pairs[p, 0], pairs[p, 1]
            reach, d = links[a, BALL] + links[b, BALL] + near, minus(read(balls, a, 0), read(balls, b, 0))
            found_out[p, f, GAP] = math.inf
            for c in range(DEPTH, FOUND):
                found_out[p, f, c] = 0.0
            if dot(d, d) < reach * reach:
                A, B = frames[int(links[a, ROW]), f], frames[int(links[b, ROW]), f]
                look_at_pair(links, slabs, points, ends, a, b, A, B, near, cover, found_out[p, f])


@lean
def place_rows(parents, fronts, slides, values, bases, frames_out):
    """Writes (rows + 1, F, 4, 4) the frame of every row, behind that of the base, at (F, rows) values of joints."""
    for f in range(bases.shape[0]):
        for c in range(4):
            for d in range(4):
                frames_out[0, f, c, d] = bases[f, c, d]
        for i in range(parents.shape[0]):
            T, F, out = frames_out[parents[i] + 1, f], fronts[i], frames_out[i + 1, f]
            x = (F[0, 0], F[1, 0], F[2, 0])
            y = (F[0, 1], F[1, 1], F[2, 1])
            p = (F[0, 3], F[1, 3], F[2, 3])
            z = cross(x, y)
            if slides[i]:
                p = plus(p, times(values[f, i], z))
            else:
                cosine, sine = math.cos(values[f, i]), math.sin(values[f, i])
                x, y = plus(times(cosine, x), times(sine, y)), plus(times(-sine, x), times(cosine, y))
            for k in range(3):
                out[k, 0] = T[k, 0] * x[0] + T[k, 1] * x[1] + T[k, 2] * x[2]
                out[k, 1] = T[k, 0] * y[0] + T[k, 1] * y[1] + T[k, 2] * y[2]
                out[k, 2] = T[k, 0] * z[0] + T[k, 1] * z[1] + T[k, 2] * z[2]
                out[k, 3] = T[k, 0] * p[0] + T[k, 1] * p[1] + T[k, 2] * p[2] + T[k, 3]
                out[3, k] = 0.0
            out[3, 3] = 1.0
