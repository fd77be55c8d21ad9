"""The determinant whose real roots are the values of the hidden joint, and the null vectors at a root.

The six equations, once as they are and once times x_a, are twelve in the twelve products of powers: their determinant
vanishes at an answer. It is a trigonometric polynomial of degree 8 in the hidden angle. On arms with parallel and
meeting axes it vanishes everywhere, with rank 10; there its second-order part in a deformation of the eliminated axes
takes its place, written down without the deformation: the unfolded determinant.

All is done at four angles at once (`core/lanes.py`). A pivot is chosen in each lane for itself; one that is zero makes
the determinant of its lane zero and is divided by as if it were one.
"""

from forearm.core.branches.loop import write_at, write_turns
from forearm.core.jit import leaf, lean
from forearm.core.lanes import LANES, lanes, pick, read, size, write
from forearm.core.shaped import shaped

# rows of the scratch S: rows and columns in the order of the pivots, two right and two left null vectors of twelve
# numbers each, what the unfolding makes of a right one, and a null vector in the order of the pivots
ROWS, COLUMNS, RIGHT, OTHER_RIGHT, LEFT, OTHER_LEFT, IMAGE, PIVOTED = 0, 1, 2, 4, 6, 8, 10, 12


@leaf
def divisor(pivot):
    """A pivot, or one where it is zero."""
    return pick(pivot == lanes(0.0), lanes(1.0), pivot)


@leaf
def largest_below(A, k, column):
    """The row of the largest number of a column from row k on."""
    largest, best = size(read(A, k, column)), lanes(float(k))
    for r in range(k + 1, 6):
        found = size(read(A, r, column))
        larger = found > largest
        largest, best = pick(larger, found, largest), pick(larger, lanes(float(r)), best)
    return best


@leaf
def swap_rows(A, k, best, j):
    """Swaps, in column j, row k with the row `best` below it."""
    first = read(A, k, j)
    chosen = first
    for r in range(k + 1, 6):
        here, swapped = read(A, r, j), best == lanes(float(r))
        chosen = pick(swapped, here, chosen)
        write(A, r, j, pick(swapped, first, here))
    write(A, k, j, chosen)


@leaf
def swap_columns(A, i, k, best):
    """Swaps, in row i, column k with the column `best` behind it."""
    first = read(A, i, k)
    chosen = first
    for j in range(k + 1, 6):
        here, swapped = read(A, i, j), best == lanes(float(j))
        chosen = pick(swapped, here, chosen)
        write(A, i, j, pick(swapped, first, here))
    write(A, i, k, chosen)


@leaf
def clear_column(W, k, columns):
    """Brings a column to that of the unit matrix, which is not written; returns the pivot."""
    best = largest_below(W, k, k)
    swap_rows(W, k, best, k)
    pivot = read(W, k, k)
    for j in range(k + 1, columns):
        swap_rows(W, k, best, j)
        chosen = read(W, k, j) / divisor(pivot)
        write(W, k, j, chosen)
        for r in range(6):
            if r != k:
                write(W, r, j, read(W, r, j) - read(W, r, k) * chosen)
    return pivot


@leaf
def reduce_top(W, columns):
    """Brings the first three columns to the unit matrix over zeros; returns the product of the pivots."""
    return clear_column(W, 0, columns) * clear_column(W, 1, columns) * clear_column(W, 2, columns)


@leaf
def write_reduced(W, M):
    """Writes M6 = [[D - C A, -C B], [C, D]]."""
    for i in range(3):
        for j in range(3):
            ca, cb = lanes(0.0), lanes(0.0)
            for k in range(3):
                ca = ca + read(W, 3 + i, 3 + k) * read(W, k, 3 + j)
                cb = cb + read(W, 3 + i, 3 + k) * read(W, k, 6 + j)
            write(M, i, j, read(W, 3 + i, 6 + j) - ca)
            write(M, i, 3 + j, lanes(-1.0) * cb)
            write(M, 3 + i, j, read(W, 3 + i, 3 + j))
            write(M, 3 + i, 3 + j, read(W, 3 + i, 6 + j))


@leaf
def eliminate_below(M, k):
    """One step of Gauss's elimination, rows swapped; returns the pivot with the swap's sign."""
    best = largest_below(M, k, k)
    for j in range(k, 6):
        swap_rows(M, k, best, j)
    pivot = read(M, k, k)
    for r in range(k + 1, 6):
        factor = read(M, r, k) / divisor(pivot)
        for j in range(k + 1, 6):
            write(M, r, j, read(M, r, j) - factor * read(M, k, j))
    return pick(best == lanes(float(k)), pivot, lanes(-1.0) * pivot)


@leaf
def plain_product(M):
    """The determinant of M, which is overwritten."""
    first = eliminate_below(M, 0) * eliminate_below(M, 1) * eliminate_below(M, 2)
    return first * eliminate_below(M, 3) * eliminate_below(M, 4) * read(M, 5, 5)


@leaf
def largest_behind(M, k):
    """Row and column of the largest number from row and column k on, the first of equal ones."""
    largest = lanes(0.0)
    for i in range(k, 6):
        of_row = size(read(M, i, k))
        for j in range(k + 1, 6):
            found = size(read(M, i, j))
            of_row = pick(found > of_row, found, of_row)
        largest = pick(of_row > largest, of_row, largest)
    row, column = lanes(float(k)), lanes(float(k))
    for i in range(5, k - 1, -1):
        for j in range(5, k - 1, -1):
            here = size(read(M, i, j)) == largest
            row, column = pick(here, lanes(float(i)), row), pick(here, lanes(float(j)), column)
    return row, column


@leaf
def eliminate_behind(M, k, S):
    """One step of LU with complete pivoting, in place; returns the pivot with the swaps' sign."""
    row, column = largest_behind(M, k)
    for j in range(6):
        swap_rows(M, k, row, j)
    for i in range(6):
        swap_columns(M, i, k, column)
    swap_columns(S, ROWS, k, row)
    swap_columns(S, COLUMNS, k, column)
    pivot = read(M, k, k)
    for i in range(k + 1, 6):
        factor = read(M, i, k) / divisor(pivot)
        write(M, i, k, factor)
        for j in range(k + 1, 6):
            write(M, i, j, read(M, i, j) - factor * read(M, k, j))
    pivot = pick(row == lanes(float(k)), pivot, lanes(-1.0) * pivot)
    return pick(column == lanes(float(k)), pivot, lanes(-1.0) * pivot)


@leaf
def factor_fully(M, S):
    """Four steps of LU with complete pivoting, in place; returns the product of pivots with the swaps' sign."""
    for k in range(6):
        write(S, ROWS, k, lanes(float(k)))
        write(S, COLUMNS, k, lanes(float(k)))
    first = eliminate_behind(M, 0, S) * eliminate_behind(M, 1, S)
    return first * eliminate_behind(M, 2, S) * eliminate_behind(M, 3, S)


@leaf
def put_back(S, order, to):
    """Writes a null vector in the order of the pivots to its own places."""
    for c in range(6):
        value = read(S, PIVOTED, 0)
        for k in range(1, 6):
            value = pick(read(S, order, k) == lanes(float(c)), read(S, PIVOTED, k), value)
        write(S, to, c, value)


@leaf
def solve_back(M, i, steps, free, S):
    """Writes a number of the right null vector in the order of the pivots."""
    total = read(M, i, free)
    for j in range(i + 1, steps):
        total = total + read(M, i, j) * read(S, PIVOTED, j)
    write(S, PIVOTED, i, lanes(-1.0) * total / divisor(read(M, i, i)))


@leaf
def write_right_null(M, steps, free, S, to):
    """Writes the null vector with a one in a column behind the pivots, of which there are four or five."""
    for k in range(steps, 6):
        write(S, PIVOTED, k, lanes(1.0 if k == free else 0.0))
    if steps == 5:
        solve_back(M, 4, steps, free, S)
    solve_back(M, 3, steps, free, S)
    solve_back(M, 2, steps, free, S)
    solve_back(M, 1, steps, free, S)
    solve_back(M, 0, steps, free, S)
    put_back(S, COLUMNS, to)


@leaf
def write_left_null(M, free, S, to):
    """Writes the left null vector with a one in a row behind the four pivots."""
    u3 = lanes(-1.0) * read(M, free, 3)
    u2 = lanes(-1.0) * (read(M, free, 2) + read(M, 3, 2) * u3)
    u1 = lanes(-1.0) * (read(M, free, 1) + read(M, 2, 1) * u2 + read(M, 3, 1) * u3)
    u0 = lanes(-1.0) * (read(M, free, 0) + read(M, 1, 0) * u1 + read(M, 2, 0) * u2 + read(M, 3, 0) * u3)
    write(S, PIVOTED, 0, u0)
    write(S, PIVOTED, 1, u1)
    write(S, PIVOTED, 2, u2)
    write(S, PIVOTED, 3, u3)
    write(S, PIVOTED, 4, lanes(1.0 if free == 4 else 0.0))
    write(S, PIVOTED, 5, lanes(1.0 if free == 5 else 0.0))
    put_back(S, ROWS, to)


@leaf
def complete_right(W, S, w):
    """Writes the other six numbers of a right null vector, those by x_a^2 and x_a^3, into the row behind it."""
    for i in range(3):
        square = lanes(0.0)
        for k in range(3):
            square = square - (read(W, i, 3 + k) * read(S, w, k) + read(W, i, 6 + k) * read(S, w, 3 + k))
        write(S, w + 1, i, square)
    for i in range(3):
        cube = lanes(0.0)
        for k in range(3):
            cube = cube - (read(W, i, 3 + k) * read(S, w + 1, k) + read(W, i, 6 + k) * read(S, w, k))
        write(S, w + 1, 3 + i, cube)


@leaf
def complete_left(W, S, u):
    """Writes the other three numbers of a left null vector into the row behind it."""
    for i in range(3):
        total = lanes(0.0)
        for k in range(3):
            total = total - read(S, u, k) * read(W, 3 + k, 3 + i)
        write(S, u + 1, i, total)


@leaf
def write_image(W, S, w):
    """Writes F w: what the unfolding makes of a right null vector."""
    for i in range(3):
        upper, lower, top = lanes(0.0), lanes(0.0), lanes(0.0)
        for k in range(3):
            f2, f1, f0 = read(W, 3 + i, 9 + k), read(W, 3 + i, 12 + k), read(W, 3 + i, 15 + k)
            w3, w2, w1, w0 = read(S, w + 1, 3 + k), read(S, w + 1, k), read(S, w, k), read(S, w, 3 + k)
            upper = upper + (f2 * w3 + f1 * w2 + f0 * w1)
            lower = lower + (f2 * w2 + f1 * w1 + f0 * w0)
            top = top + (read(W, i, 9 + k) * w2 + read(W, i, 12 + k) * w1 + read(W, i, 15 + k) * w0)
        write(S, IMAGE, i, upper)
        write(S, IMAGE, 3 + i, lower)
        write(S, IMAGE + 1, i, top)


@leaf
def pairing(S, u):
    """The product of a left null vector with the image: how the determinant begins when the arm is unfolded."""
    total = lanes(0.0)
    for i in range(3):
        upper, lower, top = read(S, IMAGE, i), read(S, IMAGE, 3 + i), read(S, IMAGE + 1, i)
        total = total + (read(S, u, i) * upper + read(S, u + 1, i) * top + read(S, u, 3 + i) * lower)
    return total


@leaf
def pairings(W, M, S):
    """The four pairings of the null vectors of a factored matrix of rank 4; the right ones stay in S."""
    write_right_null(M, 4, 4, S, RIGHT)
    write_right_null(M, 4, 5, S, OTHER_RIGHT)
    write_left_null(M, 4, S, LEFT)
    write_left_null(M, 5, S, OTHER_LEFT)
    complete_right(W, S, RIGHT)
    complete_right(W, S, OTHER_RIGHT)
    complete_left(W, S, LEFT)
    complete_left(W, S, OTHER_LEFT)
    write_image(W, S, RIGHT)
    s00, s10 = pairing(S, LEFT), pairing(S, OTHER_LEFT)
    write_image(W, S, OTHER_RIGHT)
    return s00, pairing(S, LEFT), s10, pairing(S, OTHER_LEFT)


@leaf
def write_matrix(E, F, unfolded, angles, W, M):
    """Writes the equations at four angles, their first columns reduced, and M6; returns the product of the pivots."""
    turns = shaped(M, (1, 36, LANES))  # as long as there is nothing else
    write_turns(angles, turns)
    write_at(E, turns, W, 0)
    if unfolded:
        write_at(F, turns, W, 9)
    top = reduce_top(W, 18 if unfolded else 9)
    write_reduced(W, M)
    return top


@leaf
def open_scratch(desk):
    """W, M and S; that their sizes are said again tells the compiler where all lies."""
    return shaped(desk.W, (6, 18, LANES)), shaped(desk.M, (6, 6, LANES)), shaped(desk.S, (13, 6, LANES))


@leaf
def plain_determinants(angles, desk):
    """The determinants at four angles."""
    W, M, _ = open_scratch(desk)
    top = write_matrix(desk.E, desk.F, False, angles, W, M)
    return top * top * plain_product(M)


@leaf
def unfolded_determinants(angles, desk):
    """The unfolded determinants at four angles."""
    W, M, S = open_scratch(desk)
    top = write_matrix(desk.E, desk.F, True, angles, W, M)
    product = factor_fully(M, S)
    s00, s01, s10, s11 = pairings(W, M, S)
    return top * top * product * (s00 * s11 - s01 * s10)


@lean
def determinants(unfolded, angles, desk):
    """Puts the determinants at four angles of the hidden joint in the angles' place."""
    values = shaped(angles, (1, 1, LANES))
    if unfolded:
        write(values, 0, 0, unfolded_determinants(angles, desk))
    else:
        write(values, 0, 0, plain_determinants(angles, desk))


@leaf
def determinant(unfolded, theta, desk):
    """The determinant at an angle of the hidden joint."""
    for lane in range(LANES):
        desk.four[lane] = theta
    determinants(unfolded, desk.four, desk)
    return desk.four[0]


@leaf
def write_plain_null(angles, desk, null):
    """Writes the null vectors of M6 where its rank is five; returns a number that is zero where there is none."""
    W, M, S = open_scratch(desk)
    top = write_matrix(desk.E, desk.F, False, angles, W, M)
    product = factor_fully(M, S) * eliminate_behind(M, 4, S)
    write_right_null(M, 5, 5, S, RIGHT)
    for i in range(6):
        write(null, 0, i, read(S, RIGHT, i))
    return pick(top == lanes(0.0), top, product)


@leaf
def write_unfolded_null(angles, desk, null):
    """The same where it is four: of both null vectors, the sum that the pairings leave."""
    W, M, S = open_scratch(desk)
    top = write_matrix(desk.E, desk.F, True, angles, W, M)
    product = factor_fully(M, S)
    s00, s01, s10, s11 = pairings(W, M, S)
    second_row = size(s10) + size(s11) > size(s00) + size(s01)
    first, second = pick(second_row, lanes(-1.0) * s11, lanes(-1.0) * s01), pick(second_row, s10, s00)
    for i in range(6):
        write(null, 0, i, first * read(S, RIGHT, i) + second * read(S, OTHER_RIGHT, i))
    return pick(top == lanes(0.0), top, product)


@lean
def null_vectors(unfolded, angles, desk):
    """Writes (w1, w0) at four roots: x_a and 1 times (x_b^2, x_b, 1); and a seventh number, zero if there is none."""
    null = shaped(desk.null, (1, 7, LANES))
    if unfolded:
        write(null, 0, 6, write_unfolded_null(angles, desk, null))
    else:
        write(null, 0, 6, write_plain_null(angles, desk, null))
