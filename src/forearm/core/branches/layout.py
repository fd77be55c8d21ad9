"""How an arm of six revolute axes reaches the kernels of this room: a flat table, opened as named parts.

The loop equation reads `exp(L1 q1) ... exp(L6 q6) = G` with lines at the zero configuration, moved so that their
points lie round the origin. Eliminations stand in the table, the best for the arm first: `s` is the line whose point
and direction are followed, `e1`, `e2` are eliminated once per arm, `h` is hidden, `a` and `b` stay in the half angles.
"""

from typing import Any, NamedTuple

from forearm.core.jit import leaf
from forearm.core.lanes import LANES
from forearm.core.shaped import shaped

# places in the head: how many eliminations there are, the length that counts as one [m]
COUNT, SCALE = 0, 1
HEAD = 4
# places in the head of an elimination: which line is followed (0 to 2), whether the arm is read from tip to base,
# whether the determinant is the unfolded one, what is added to the angles of a and b so that half of a square one is
# no right angle [rad]
FOLLOWED, REVERSED, UNFOLDED, SHIFT = 0, 1, 2, 3
ELIMINATION = 4 + 5 * 12 + 12 + 18 + 2 * 90 + 60  # numbers of one
MOST = 12  # of them: six joints may be hidden, and each determinant is plain or unfolded
ARCS, DEGREE, SAMPLES, NODES = 4, 16, 20, 21
COEFFICIENTS = DEGREE + 1
RULES = ARCS * COEFFICIENTS * SAMPLES + COEFFICIENTS * NODES + 4 * NODES + NODES + NODES * SAMPLES + SAMPLES + ARCS
BRANCHES = 32  # rows that are kept at most; there are 16 real ones at most, near-double ones may be met twice
REPORT_NUMBERS = 8
# places in the report: how far the answer may be trusted (0 to 2), the noise of the worst determinant, intervals that
# were looked at, local samplings, pairs that could not be told apart, determinants that were computed, eliminations
# that were run, and which of them came last
TRUST, NOISE, INTERVALS, RESAMPLED, CLUSTERS, DETERMINANTS, RUNS, LAST = 0, 1, 2, 3, 4, 5, 6, 7
STACK, STACK_COLUMNS = 32, 8  # intervals that wait, and what is known of each
ROOTS = 48  # brackets and clusters at most


class Arm(NamedTuple):
    """The arm, in metres."""

    back: Any  # (3, 4) what a pose is multiplied by to be G
    centre: Any  # (3,) the point that is the origin here
    tip: Any  # (3,) the tip at the zero configuration
    lines: Any  # (6, 6) points and directions


class Elimination(NamedTuple):
    """One elimination, lengths divided by the scale."""

    head: Any  # (4,)
    ends: Any  # (5, 3, 4) from a to h, from b to a, from s to b, and what stands left and right of G in one of them
    frame: Any  # (3, 4) of the line that is followed
    turns: Any  # (6, 3) directions of s, e1, e2, h, a, b
    N: Any  # (6, 15) what the eliminated joints leave of the fifteen equations
    N1: Any  # (6, 15) how that changes where the arm is unfolded
    P: Any  # (4, 15) cosines and sines of the eliminated joints


class Rules(NamedTuple):
    """Constants of the method (`arm/branches/elimination.py`)."""

    arcs: Any  # (4, 17, 20) samples to Bernstein coefficients of each arc
    local: Any  # (17, 21) values at Chebyshev nodes to Bernstein coefficients
    tail: Any  # (4, 21) values at Chebyshev nodes to the Chebyshev coefficients that must vanish
    nodes: Any  # (21,) Chebyshev nodes in [0, 1]
    waves: Any  # (21, 20) samples to the coefficients of 1, cos, sin, cos 2, ...
    angles: Any  # (20,) where samples are taken [rad]
    middles: Any  # (4,) middles of the arcs [rad]


class Desk(NamedTuple):
    """Scratch."""

    Y: Any  # (9, 15)
    E: Any  # (3, 6, 9) constant, cosine and sine part of the six equations in the half angles
    F: Any  # (3, 6, 9) the same, of the unfolding
    W: Any  # (6, 18, 4) equations at four angles
    M: Any  # (6, 6, 4)
    S: Any  # (13, 6, 4) null vectors and scratch
    four: Any  # (4,) angles, and determinants there
    null: Any  # (7, 4) null vectors at four roots, and whether there are any
    brackets: Any  # (3, ROOTS / 4, 4) begin and then the root, end, whether the polynomial may be trusted there
    a: Any  # (2, 6) angles of the six joints of an elimination, and what they are made of
    v: Any  # (4, 15)
    f: Any  # (24,) values inside an interval
    g: Any  # (20,) values round the circle
    c: Any  # (21,) coefficients of the trigonometric polynomial
    stack: Any  # (STACK, 8) intervals: arc, begin, end, depth, level, tau
    B: Any  # (STACK, 17) their Bernstein coefficients
    roots: Any  # (ROOTS, 4) kind, begin, end, whether the polynomial may be trusted there
    G: Any  # (3, 4) in metres
    H: Any  # (3, 4) what the elimination calls the inverse of G
    T: Any  # (3, 3, 4) the three transforms of the elimination
    J: Any  # (6, 7) Jacobian and right side
    A: Any  # (6, 7) scratch of linear systems
    q: Any  # (8, 6) joint values in the making
    rows: Any  # (BRANCHES, 6) what one elimination found


# How many numbers of scratch a call takes, and how many the table of an arm has; `core/border.py` says so too.
WORK_NUMBERS = (
    135 + 162 + 162 + LANES * (108 + 36 + 78 + 1 + 7) + 3 * ROOTS + 12 + 60 + 24 + 20 + 21 + STACK * STACK_COLUMNS
    + STACK * COEFFICIENTS + ROOTS * 4 + 12 + 12 + 36 + 42 + 42 + 48 + BRANCHES * 6
)  # fmt: skip
TABLE_NUMBERS = HEAD + 12 + 3 + 3 + 36 + MOST * ELIMINATION + RULES


@leaf
def open_arm(table):
    """The arm of a flat table; only for lean kernels."""
    line = table[HEAD:]
    return Arm(shaped(line[:12], (3, 4)), line[12:15], line[15:18], shaped(line[18:54], (6, 6)))


@leaf
def open_elimination(table, which):
    """One of the eliminations of a flat table; only for lean kernels."""
    line = table[HEAD + 54 + which * ELIMINATION :]
    return Elimination(
        line[:4],
        shaped(line[4:64], (5, 3, 4)),
        shaped(line[64:76], (3, 4)),
        shaped(line[76:94], (6, 3)),
        shaped(line[94:184], (6, 15)),
        shaped(line[184:274], (6, 15)),
        shaped(line[274:334], (4, 15)),
    )


@leaf
def open_rules(table):
    """The constants of a flat table; only for lean kernels."""
    line = table[HEAD + 54 + MOST * ELIMINATION :]
    arcs, line = shaped(line[:1360], (ARCS, COEFFICIENTS, SAMPLES)), line[1360:]
    local, line = shaped(line[:357], (COEFFICIENTS, NODES)), line[357:]
    tail, line = shaped(line[:84], (4, NODES)), line[84:]
    nodes, line = line[:NODES], line[NODES:]
    waves, line = shaped(line[:420], (NODES, SAMPLES)), line[420:]
    return Rules(arcs, local, tail, nodes, waves, line[:SAMPLES], line[SAMPLES : SAMPLES + ARCS])


@leaf
def open_desk(work):
    """The scratch of a call; only for lean kernels."""
    Y, line = shaped(work[:135], (9, 15)), work[135:]
    E, F, line = shaped(line[:162], (3, 6, 9)), shaped(line[162:324], (3, 6, 9)), line[324:]
    W, line = shaped(line[: 108 * LANES], (6, 18, LANES)), line[108 * LANES :]
    M, line = shaped(line[: 36 * LANES], (6, 6, LANES)), line[36 * LANES :]
    S, line = shaped(line[: 78 * LANES], (13, 6, LANES)), line[78 * LANES :]
    four, null, line = line[:LANES], shaped(line[LANES : 8 * LANES], (7, LANES)), line[8 * LANES :]
    brackets, line = shaped(line[: 3 * ROOTS], (3, ROOTS // LANES, LANES)), line[3 * ROOTS :]
    a, line = shaped(line[:12], (2, 6)), line[12:]
    v, f, g, c, line = shaped(line[:60], (4, 15)), line[60:84], line[84:104], line[104:125], line[125:]
    stack, line = shaped(line[: STACK * STACK_COLUMNS], (STACK, STACK_COLUMNS)), line[STACK * STACK_COLUMNS :]
    B, line = shaped(line[: STACK * COEFFICIENTS], (STACK, COEFFICIENTS)), line[STACK * COEFFICIENTS :]
    roots, line = shaped(line[: ROOTS * 4], (ROOTS, 4)), line[ROOTS * 4 :]
    G, H, T, line = shaped(line[:12], (3, 4)), shaped(line[12:24], (3, 4)), shaped(line[24:60], (3, 3, 4)), line[60:]
    J, A, line = shaped(line[:42], (6, 7)), shaped(line[42:84], (6, 7)), line[84:]
    q, rows = shaped(line[:48], (8, 6)), shaped(line[48 : 48 + BRANCHES * 6], (BRANCHES, 6))
    return Desk(Y, E, F, W, M, S, four, null, brackets, a, v, f, g, c, stack, B, roots, G, H, T, J, A, q, rows)
