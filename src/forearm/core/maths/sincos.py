"""Sine and cosine without branches, so a loop over joints runs in vector registers.

The angle is reduced to [-pi/4, pi/4] by whole quarter turns (Cody and Waite 1980; pi/2 in three
parts, so nothing cancels), then two polynomials (fdlibm's) give both functions. The error stays
below 2e-16 up to `FAR`; beyond it the library's own must be called.
"""

from forearm.core.jit import leaf

FAR = 1e5  # [rad]

# pi/2 in three parts; the first two have 33 bits, so small whole multiples of them are exact
QUARTER_1 = 1.57079632673412561417e00
QUARTER_2 = 6.07710050630396597660e-11
QUARTER_3 = 2.02226624879595063154e-21
QUARTERS_PER_RADIAN = 6.36619772367581382433e-01
# adding and subtracting 1.5 * 2^52 rounds a float to the nearest whole number
TO_WHOLE = 6755399441055744.0

S1 = -1.66666666666666324348e-01
S2 = 8.33333333332248946124e-03
S3 = -1.98412698298579493134e-04
S4 = 2.75573137070700676789e-06
S5 = -2.50507602534068634195e-08
S6 = 1.58969099521155010221e-10

C1 = 4.16666666666666019037e-02
C2 = -1.38888888888741095749e-03
C3 = 2.48015872894767294178e-05
C4 = -2.75573143513906633035e-07
C5 = 2.08757232129817482790e-09
C6 = -1.13596475577881948265e-11


@leaf
def sincos(angle):
    """The sine and cosine of an angle [rad]."""
    quarters = (angle * QUARTERS_PER_RADIAN + TO_WHOLE) - TO_WHOLE
    x = ((angle - quarters * QUARTER_1) - quarters * QUARTER_2) - quarters * QUARTER_3
    z = x * x
    s = x + x * z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)))))
    c = 1.0 - (0.5 * z - z * z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6))))))
    quadrant = int(quarters)
    swapped = (quadrant & 1) != 0
    sine = c if swapped else s
    cosine = s if swapped else c
    sine = -sine if (quadrant & 2) != 0 else sine
    cosine = -cosine if ((quadrant + 1) & 2) != 0 else cosine
    return sine, cosine
