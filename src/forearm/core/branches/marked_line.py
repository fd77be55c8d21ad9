"""A line with a marked point as fifteen numbers on which rigid motions act linearly.

`(1, p, p.p, l, p.l, p x l, (p.p) l - 2 (p.l) p)` of a point p on a line of direction l. A rotation about the z axis
leaves seven of them as they are and turns four pairs, so what comes of a vector is `A + cos C + sin S`. Equating two
such vectors gives the fourteen equations of Raghavan and Roth (1993) without a table of Denavit and Hartenberg and
without a division.
"""

from forearm.core.jit import lean

PAIRS = (1, 5, 9, 12)  # first places of the pairs that turn about z
KEPT = (0, 3, 4, 7, 8, 11, 14)  # places that stay


@lean
def move(T, v, out):
    """Writes what a rigid motion (3, 4) makes of a vector (15,)."""
    tx, ty, tz = T[0, 3], T[1, 3], T[2, 3]
    for i in range(3):
        for first in (1, 5, 9, 12):
            out[first + i] = T[i, 0] * v[first] + T[i, 1] * v[first + 1] + T[i, 2] * v[first + 2]
    one, tt = v[0], tx * tx + ty * ty + tz * tz
    along_p = tx * out[1] + ty * out[2] + tz * out[3]
    lx, ly, lz, mx, my, mz = out[5], out[6], out[7], out[9], out[10], out[11]
    pl = v[8] + tx * lx + ty * ly + tz * lz
    out[0], out[4], out[8] = one, v[4] + 2.0 * along_p + tt * one, pl
    out[1] += tx * one
    out[2] += ty * one
    out[3] += tz * one
    out[9] += ty * lz - tz * ly
    out[10] += tz * lx - tx * lz
    out[11] += tx * ly - ty * lx
    out[12] += tt * lx - 2.0 * (ty * mz - tz * my) - 2.0 * pl * tx
    out[13] += tt * ly - 2.0 * (tz * mx - tx * mz) - 2.0 * pl * ty
    out[14] += tt * lz - 2.0 * (tx * my - ty * mx) - 2.0 * pl * tz


@lean
def move_half_angles(T, v, square, single, constant):
    """Moves a vector by T and turns it about z by an angle: what stands by x^2, x and 1, x the tangent of half of it.

    The cosine is (1 - x^2) / (1 + x^2) and the sine 2 x / (1 + x^2); the denominator is left out.
    """
    move(T, v, constant)
    for i in range(15):
        square[i], single[i] = constant[i], 0.0
    for i in (1, 5, 9, 12):
        x, y = constant[i], constant[i + 1]
        square[i], square[i + 1] = -x, -y
        single[i], single[i + 1] = -2.0 * y, 2.0 * x
