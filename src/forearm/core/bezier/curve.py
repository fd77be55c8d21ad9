"""A chain laid on a cubic Bezier curve from 0 to (D, 0), opened until its last joint is the curve's end.

    C(t) = t (D, 0) + 3 r t (1 - t) [(1 - t) w1 + t w2]

w1 and w2 are unit vectors: where the curve leaves and comes from; w1 = w2 is the paper's quadratic
with P1 moving on a ray. Joint i+1 is the first point of the curve at the distance of link i from joint
i, and the curve goes on past t = 1. The chain ends at t_n(r), and r is the root of 1/t_n - 1.

After Harahap, "Inverse Kinematics solver using Bezier curve based iterative algorithm with obstacle
avoidance ability", with exact roots for grids of points. Fails (returns False) for a chain of very
unequal links that no r fits, and for directions that leave no room; `core/bezier/solve.py` takes the arc then.
"""

import math

from forearm.core.jit import leaf, lean

# The chain's end may miss the target by this share of its length; it is then set onto it.
CLOSING = 1e-13
# A chord meets its link to this share of the chain's length: a few units in the last place.
CHORD = 1e-15
MAX_CHORD_STEPS = 50
MAX_OPENINGS = 60
# A joint beyond this parameter says only that the curve is far too short.
FAR = 30.0
# First opening, as a share of sqrt(L^2 - D^2), and how fast it grows while the curve is too short.
FIRST_OPENING, GROWTH = 0.62, 1.7
# From so many links on the last parameters are the next guess; on short chains a guess from elsewhere may
# step over the first root.
MANY_LINKS = 8
# An end that stays this far from 1 while the opening is known to this share is a leap of t_n: no root.
LEAP, LEAP_BRACKET = 1e-3, 1e-4
# A curve opened wider than this many lengths of the chain holds no chain any more.
WIDEST = 30.0
# Halvings that find a maximum of the chord: where it is counts only if it touches the link's length.
MAXIMUM_HALVINGS = 40


@lean
def open_curve(length, total, D, w, t, xy_out):
    """Finds r and writes the joints (n+1, 2); returns whether it did, r, and how many openings were tried.

    D is the target's distance, w (4,) are w1 and w2, t (n+1,) is work: the joints' parameters.
    """
    n = length.shape[0]
    r = FIRST_OPENING * math.sqrt(max(total * total - D * D, 0.0))
    low, high = 0.0, math.inf
    for i in range(n + 1):
        t[i] = 0.0
    for count in range(1, MAX_OPENINGS + 1):
        end, rate = lay_links(length, total, coefficients(D, r, w), coefficients(0.0, 1.0, w), t)
        speed = math.sqrt((D - 3.0 * r * w[2]) ** 2 + (3.0 * r * w[3]) ** 2)  # |C'(1)|
        if end < FAR and abs(end - 1.0) * speed <= CLOSING * total:
            write_joints(coefficients(D, r, w), D, 0.0, t, xy_out)
            return True, r, count
        if end > 1.0:
            low = r
        else:
            high = r
        new = next_opening(r, end, rate, low, high)
        if new == r or new > WIDEST * total or (high - low < LEAP_BRACKET * high and abs(end - 1.0) > LEAP):
            break
        r = new
    return False, r, count


@leaf
def next_opening(r, end, rate, low, high):
    """The opening to try after r: Newton's inside the bracket; while none was too wide it grows, but not by leaps."""
    new = math.inf
    if end < FAR and rate < 0.0:
        new = r + end * (1.0 - end) / rate  # Newton on 1/t_n - 1
    if high == math.inf:
        return new if r < new < GROWTH * GROWTH * r else GROWTH * r
    return new if low < new < high else 0.5 * (low + high)


@leaf
def coefficients(D, r, w):
    """C(t) = t (a + t (b + t c)), each a pair."""
    k = 3.0 * r
    return (
        D + k * w[0],
        k * w[1],
        k * (w[2] - 2.0 * w[0]),
        k * (w[3] - 2.0 * w[1]),
        k * (w[0] - w[2]),
        k * (w[1] - w[3]),
    )


@lean
def lay_links(length, total, curve, change, t):
    """Writes the joints' parameters on a cubic; returns t_n and its derivative by what changes the cubic.

    `curve` and `change` (the derivative) are coefficients as `coefficients` gives them. Earlier parameters
    in t are the guess on long chains.
    """
    ax, ay, bx, by, cx, cy = curve
    ux, uy, vx, vy, zx, zy = change
    place, rate = 0.0, 0.0
    for i in range(length.shape[0]):
        # the chord from here: s (p + s (q + s c))
        px, py = ax + place * (2.0 * bx + 3.0 * place * cx), ay + place * (2.0 * by + 3.0 * place * cy)
        qx, qy = bx + 3.0 * place * cx, by + 3.0 * place * cy
        guess = t[i + 1] - t[i] if length.shape[0] >= MANY_LINKS else 0.0
        t[i] = place
        speed = math.sqrt(px * px + py * py)
        if not guess > 0.0:
            guess = length[i] / speed if speed > 0.0 else 1.0 / length.shape[0]
        s = first_chord((px, py, qx, qy, cx, cy), length[i], CHORD * total, guess)
        next_place = place + s
        if not next_place < FAR:
            for j in range(i + 1, t.shape[0]):
                t[j] = 0.0
            return FAR, 0.0
        # |C(t_i+1) - C(t_i)| = d for every r: implicit derivative of t_i+1
        hx, hy = s * (px + s * (qx + s * cx)), s * (py + s * (qy + s * cy))
        dx = next_place * (ux + next_place * (vx + next_place * zx)) - place * (ux + place * (vx + place * zx))
        dy = next_place * (uy + next_place * (vy + next_place * zy)) - place * (uy + place * (vy + place * zy))
        ex, ey = px + s * (2.0 * qx + 3.0 * s * cx), py + s * (2.0 * qy + 3.0 * s * cy)
        along = hx * ex + hy * ey
        rate = (hx * (px * rate - dx) + hy * (py * rate - dy)) / along if along != 0.0 else 0.0
        place = next_place
    t[length.shape[0]] = place
    return place, rate


@lean
def first_chord(cubic, d, tolerance, guess):
    """The first s > 0 at which the chord s (p + s (q + s c)) of (p, q, c) is d long; FAR if there is none before."""
    low, high, s = 0.0, math.inf, guess
    for _ in range(MAX_CHORD_STEPS):
        size, slope, speed = chord(cubic, s)
        if abs(size - d) <= tolerance:
            return s
        if size < d:
            if slope < 0.0:  # a maximum lies behind: the first root may, too
                top = chord_maximum(cubic, low, s)
                if chord(cubic, top)[0] >= d:
                    high = top
                    s = 0.5 * (low + high)
                    continue
            low = s
        else:
            high = s
        new = s + (d - size) / slope if slope > 0.0 else math.inf
        if high < math.inf:
            if not low < new < high:
                new = 0.5 * (low + high)
        else:
            new = min(new, s + 2.0 * d / speed, s + 1.0) if speed > 0.0 else s + 0.1
        if new == s or new > FAR:
            return new
        s = new
    return s


@leaf
def chord(cubic, s):
    """Length of the chord at s, its derivative, and the speed of the curve there."""
    px, py, qx, qy, cx, cy = cubic
    x, y = s * (px + s * (qx + s * cx)), s * (py + s * (qy + s * cy))
    u, v = px + s * (2.0 * qx + 3.0 * s * cx), py + s * (2.0 * qy + 3.0 * s * cy)
    size, speed = math.sqrt(x * x + y * y), math.sqrt(u * u + v * v)
    return size, (x * u + y * v) / size if size > 0.0 else speed, speed


@lean
def chord_maximum(cubic, low, high):
    """Where the chord stops growing between low (grows, or 0) and high (shrinks)."""
    for _ in range(MAXIMUM_HALVINGS):
        middle = 0.5 * (low + high)
        if chord(cubic, middle)[1] > 0.0:
            low = middle
        else:
            high = middle
    return low


@lean
def write_joints(curve, x, y, t, xy_out):
    """Writes the points of the curve at the parameters t, the last one exactly on (x, y)."""
    ax, ay, bx, by, cx, cy = curve
    n = t.shape[0] - 1
    for i in range(n):
        s = t[i]
        xy_out[i, 0], xy_out[i, 1] = s * (ax + s * (bx + s * cx)), s * (ay + s * (by + s * cy))
    xy_out[n, 0], xy_out[n, 1] = x, y
