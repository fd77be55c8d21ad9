"""Real roots of the determinant on the circle: each bracketed alone, or told as a cluster.

The circle is cut into four arcs; on each the determinant is a polynomial of degree 16 in the tangent of half the angle.
Its Bernstein coefficients bound it: without a change of sign there is no root, with one there is exactly one. Other
intervals are halved. Where the determinant is small, coefficients from samples of the whole circle have lost their
digits: there it is sampled anew inside the interval.
"""

import math

from forearm.core.branches.determinant import determinant, determinants
from forearm.core.branches.layout import (
    ARCS,
    COEFFICIENTS,
    DETERMINANTS,
    INTERVALS,
    NODES,
    RESAMPLED,
    ROOTS,
    SAMPLES,
    STACK,
)
from forearm.core.branches.loop import write_turns
from forearm.core.jit import leaf, lean
from forearm.core.lanes import LANES, lanes, pick, read, size, write
from forearm.core.shaped import shaped

ARC, BEGIN, END, DEPTH, LEVEL, TAU, SHARP = 0, 1, 2, 3, 4, 5, 6  # columns of the stack
BRACKET, CLUSTER = 0.0, 1.0  # kinds of roots
MARGIN, ROUNDING = 30.0, 1e-15  # how much larger than the noise a certain coefficient is; the least noise
DOUBTFUL = 100.0  # an interval without a root has coefficients of so many tau; else a pair of roots may hide there
DEEPEST = 16  # halvings of an arc: intervals of 2e-5 rad
SMALL, LEVELS, SAMPLINGS = 1e4, 3, 12  # an interval is sampled anew if its largest coefficient is below this many tau
MOST, FINE = 60, 1e-14  # steps to a root, and the last one's length [rad]
QUARTER = math.tan(math.pi / 8.0)


@lean
def sample_circle(unfolded, rules, desk, report_out):
    """Samples the determinant; writes its coefficients; returns how uncertain a value is, and its noise."""
    f, c = desk.g, desk.c
    for i in range(SAMPLES):
        f[i] = rules.angles[i]
    for i in range(0, SAMPLES, LANES):
        determinants(unfolded, f[i : i + LANES], desk)
    largest, vanishing = 0.0, 0.0
    for k in range(NODES):
        total = 0.0
        for i in range(SAMPLES):
            total += rules.waves[k, i] * f[i]
        c[k] = total
        if k < COEFFICIENTS:
            largest = max(largest, abs(total))
        else:
            vanishing = max(vanishing, abs(total))
    noise = vanishing / largest if largest > 0.0 else 1.0
    report_out[DETERMINANTS] += SAMPLES
    return MARGIN * max(noise, ROUNDING) * largest, noise


@leaf
def polynomial(c, theta):
    """The trigonometric polynomial, its slope and its second derivative at an angle."""
    x, y = math.cos(theta), math.sin(theta)
    value, slope, bend, cos, sin = c[0], 0.0, 0.0, 1.0, 0.0
    for k in range(1, 9):
        cos, sin = cos * x - sin * y, sin * x + cos * y
        a, b = c[2 * k - 1], c[2 * k]
        even, odd = a * cos + b * sin, b * cos - a * sin
        value += even
        slope += k * odd
        bend -= k * k * even
    return value, slope, bend


@leaf
def angle_at(rules, arc, u):
    """The angle at a place in [0, 1] of an arc."""
    return rules.middles[arc] + 2.0 * math.atan((2.0 * u - 1.0) * QUARTER)


@leaf
def signs(B, tau):
    """How many coefficients are uncertain, how often the others change their sign, the least and the largest."""
    uncertain, changes, least, largest, last = 0, 0, math.inf, 0.0, 0.0
    for i in range(COEFFICIENTS):
        b = B[i]
        least, largest = min(least, abs(b)), max(largest, abs(b))
        if abs(b) < tau:
            uncertain += 1
        else:
            if last * b < 0.0:
                changes += 1
            last = math.copysign(1.0, b)
    return uncertain, changes, least, largest


@lean
def resample(unfolded, rules, desk, top, report_out):
    """Samples the determinant anew inside the interval on top of the stack."""
    row, B, f = desk.stack[top], desk.B[top], desk.f
    arc, begin, wide = int(row[ARC]), row[BEGIN], row[END] - row[BEGIN]
    for i in range(f.shape[0]):  # more than there are nodes, as four are computed at once
        f[i] = angle_at(rules, arc, begin + wide * rules.nodes[min(i, NODES - 1)])
    for i in range(0, NODES, LANES):
        determinants(unfolded, f[i : i + LANES], desk)
    largest = 0.0
    for i in range(NODES):
        u = begin + wide * rules.nodes[i]
        t = (2.0 * u - 1.0) * QUARTER
        w = 1.0 + t * t
        w *= w
        w *= w
        f[i] = f[i] * w * w
        largest = max(largest, abs(f[i]))
    vanishing = ROUNDING * largest
    for k in range(4):
        total = 0.0
        for i in range(NODES):
            total += rules.tail[k, i] * f[i]
        vanishing = max(vanishing, abs(total))
    for k in range(COEFFICIENTS):
        total = 0.0
        for i in range(NODES):
            total += rules.local[k, i] * f[i]
        B[k] = total
    row[LEVEL] += 1.0
    row[TAU], row[SHARP] = MARGIN * vanishing, 0.0
    report_out[RESAMPLED] += 1.0
    report_out[DETERMINANTS] += NODES


@lean
def halve(desk, top):
    """Replaces the interval on top of the stack by its halves (de Casteljau)."""
    old, new, left, right = desk.stack[top], desk.stack[top + 1], desk.B[top], desk.B[top + 1]
    for k in range(7):
        new[k] = old[k]
    middle = 0.5 * (old[BEGIN] + old[END])
    old[END], new[BEGIN] = middle, middle
    old[DEPTH] += 1.0
    new[DEPTH] += 1.0
    for i in range(COEFFICIENTS):
        right[i] = left[i]
    # after step k the first k + 1 numbers of `left` stay; `right` is what is left of the row
    for k in range(COEFFICIENTS):
        left[k] = right[0]
        for i in range(COEFFICIENTS - 1 - k):
            right[i] = 0.5 * (right[i] + right[i + 1])
    return top + 1


@lean
def isolate(unfolded, rules, tau, desk, report_out):
    """Writes brackets and clusters of all roots; returns how many, or -1 for no room, and whether none can hide."""
    stack, roots, count, samplings, certain = desk.stack, desk.roots, 0, 0, True
    for arc in range(ARCS):
        top = 0
        row, B = stack[0], desk.B[0]
        row[ARC], row[BEGIN], row[END], row[DEPTH], row[LEVEL], row[TAU], row[SHARP] = arc, 0.0, 1.0, 0.0, 0.0, tau, 1.0
        for k in range(COEFFICIENTS):
            total = 0.0
            for i in range(SAMPLES):
                total += rules.arcs[arc, k, i] * desk.g[i]
            B[k] = total
        while top >= 0:
            row = stack[top]
            report_out[INTERVALS] += 1.0
            uncertain, changes, least, largest = signs(desk.B[top], row[TAU])
            if uncertain == 0 and changes == 0:
                doubtful = least < DOUBTFUL * row[TAU]
                if doubtful and row[LEVEL] == 0.0 and samplings < SAMPLINGS:
                    resample(unfolded, rules, desk, top, report_out)
                    samplings += 1
                    continue
                certain = certain and not doubtful
                top -= 1
                continue
            if (uncertain == 0 and changes == 1) or row[DEPTH] >= DEEPEST:
                if count == ROOTS:
                    return -1, False
                single = uncertain == 0 and changes == 1
                roots[count, 0] = BRACKET if single else CLUSTER
                roots[count, 1], roots[count, 2] = angle_at(rules, arc, row[BEGIN]), angle_at(rules, arc, row[END])
                roots[count, 3] = row[SHARP]
                count += 1
                top -= 1
                continue
            small = uncertain > 0 and row[DEPTH] >= 2.0 and largest < SMALL * row[TAU]
            if small and row[LEVEL] < LEVELS and samplings < SAMPLINGS:
                resample(unfolded, rules, desk, top, report_out)
                samplings += 1
                continue
            top = halve(desk, top) if top + 1 < STACK else top - 1
    return count, certain


@lean
def refine_all(unfolded, count, desk, report_out):
    """Writes the roots inside brackets; returns how many.

    Newton on the polynomial where it has its digits, four at once, else Illinois on the determinant.
    """
    roots, found, brackets = desk.roots, 0, shaped(desk.brackets, (3, ROOTS))
    for i in range(count):
        if roots[i, 0] == BRACKET:
            brackets[0, found], brackets[1, found], brackets[2, found] = roots[i, 1], roots[i, 2], roots[i, 3]
            found += 1
    for i in range(found, (found + LANES - 1) // LANES * LANES):
        brackets[0, i], brackets[1, i], brackets[2, i] = 0.0, 0.0, 0.0
    for i in range((found + LANES - 1) // LANES):
        newton_inside(desk, i)
    found = 0
    for i in range(count):
        if roots[i, 0] == BRACKET:
            if roots[i, 3] == 0.0:
                brackets[0, found] = illinois(unfolded, desk, roots[i, 1], roots[i, 2], report_out)
            found += 1
    return found


@leaf
def values_and_slopes(c, angles, turns):
    """The trigonometric polynomial and its slope at four angles."""
    write_turns(angles, turns)
    x, y = read(turns, 0, 0), read(turns, 0, 1)
    value, slope, cos, sin = lanes(c[0]), lanes(0.0), lanes(1.0), lanes(0.0)
    for k in range(1, 9):
        cos, sin = cos * x - sin * y, sin * x + cos * y
        a, b = lanes(c[2 * k - 1]), lanes(c[2 * k])
        value = value + (a * cos + b * sin)
        slope = slope + lanes(float(k)) * (b * cos - a * sin)
    return value, slope


@lean
def newton_inside(desk, i):
    """Roots of the polynomial in four brackets: Newton's step, or half the interval where that leads outside."""
    brackets, turns = shaped(desk.brackets, (3, ROOTS // LANES, LANES)), shaped(desk.M, (1, 36, LANES))
    angles, theta = desk.four, shaped(desk.four, (1, 1, LANES))
    low, high, moving = read(brackets, 0, i), read(brackets, 1, i), read(brackets, 2, i)
    write(theta, 0, 0, low)
    f_low, _ = values_and_slopes(desk.c, angles, turns)
    here = lanes(0.5) * (low + high)
    for _ in range(MOST):
        write(theta, 0, 0, here)
        value, slope = values_and_slopes(desk.c, angles, turns)
        before = value * f_low > lanes(0.0)
        low, high = pick(before, here, low), pick(before, high, here)
        middle, following = lanes(0.5) * (low + high), here - value / slope
        following = pick(following > low, pick(high > following, following, middle), middle)
        still = moving == lanes(1.0)
        moving = pick(lanes(FINE) > size(following - here), lanes(0.0), moving)
        here = pick(still, following, here)
        write(brackets, 2, i, moving)
        flags = desk.brackets[2, i]
        if flags[0] + flags[1] + flags[2] + flags[3] == 0.0:
            break
    write(brackets, 0, i, here)


@leaf
def illinois(unfolded, desk, low, high, report_out):
    """The root of the determinant between two angles: the secant, its older end weighed by half."""
    desk.four[0], desk.four[1], desk.four[2], desk.four[3] = low, high, low, high
    determinants(unfolded, desk.four, desk)
    f_low, f_high = desk.four[0], desk.four[1]
    report_out[DETERMINANTS] += 2.0
    side, theta, last = 0, 0.5 * (low + high), math.inf
    for _ in range(MOST):
        if f_high != f_low:
            theta = (low * f_high - high * f_low) / (f_high - f_low)
        if not low < theta < high:
            theta = 0.5 * (low + high)
        value = determinant(unfolded, theta, desk)
        report_out[DETERMINANTS] += 1.0
        if value == 0.0 or high - low < FINE or abs(theta - last) < FINE:
            break
        last = theta
        if value * f_high > 0.0:
            high, f_high, f_low = theta, value, f_low * (0.5 if side == -1 else 1.0)
            side = -1
        else:
            low, f_low, f_high = theta, value, f_high * (0.5 if side == 1 else 1.0)
            side = 1
    return theta
