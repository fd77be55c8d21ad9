"""A tree of balls round many balls: split at the median of the widest axis, over and over.

All groups of a depth have the same length, so the tree is its order: group g of depth l is the g-th of 2^l equal parts.
"""

import math

from forearm.core.jit import leaf, lean


@lean
def split_balls(points, radii, order_out, nodes_out):
    """Writes the order of N balls and, depth after depth, the ball round each group: its middle and its radius.

    There are 2^(depth + 1) - 1 rows of `nodes_out`, which says how deep it goes; N is a multiple of 2^depth.
    """
    count, first, groups = points.shape[0], 0, 1
    for i in range(count):
        order_out[i] = i
    while first + groups <= nodes_out.shape[0]:
        width = count // groups
        for g in range(groups):
            low = g * width
            axis = enclose(points, radii, order_out, low, low + width, nodes_out[first + g])
            if first + 2 * groups < nodes_out.shape[0]:  # there is a depth below
                part(points, axis, order_out, low, low + width - 1, low + width // 2)
        first, groups = first + groups, 2 * groups


@leaf
def enclose(points, radii, order, low, high, node_out):
    """Writes the ball round the middle of the box that holds a group; returns the widest axis of its points."""
    widest, axis = -1.0, 0
    for j in range(3):
        least, most, near, far = math.inf, -math.inf, math.inf, -math.inf
        for i in range(low, high):
            x, r = points[order[i], j], radii[order[i]]
            least, most, near, far = min(least, x), max(most, x), min(near, x - r), max(far, x + r)
        node_out[j] = 0.5 * (near + far)
        if most - least > widest:
            widest, axis = most - least, j
    node_out[3] = 0.0
    for i in range(low, high):
        k, square = order[i], 0.0
        for j in range(3):
            square += (points[k, j] - node_out[j]) ** 2
        node_out[3] = max(node_out[3], math.sqrt(square) + radii[k])
    return axis


@leaf
def part(points, axis, order, low, high, middle):
    """Orders a group so that no point before `middle` lies behind one from there on, along an axis."""
    while low < high:
        pivot, i, j = points[order[(low + high) // 2], axis], low, high
        while i <= j:
            while points[order[i], axis] < pivot:
                i += 1
            while points[order[j], axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
