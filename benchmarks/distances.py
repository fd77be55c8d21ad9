"""Distances of every pair of shapes against coal, and against a search where coal is less exact.

python benchmarks/distances.py                    # 100,000 pairs of each of fourteen combinations
python benchmarks/distances.py --only sphere-hull # one of them; each hull is grown anew, so these take longest

A triangle has no inside: where it is touched, both must say so, and no depth is compared. Directions are compared where
distances are: of flat shapes they are coal's; of a cylinder coal stops within about 1e-6 of them, so there the distance
is asked for once more, moved along the direction by a micrometre.
"""

import argparse
import sys

import coal
import numpy as np

import coal_judge
import forearm as fa
from forearm.core.collision.obstacle_rows import segment_gap
from forearm.scenes import ConvexHull, Cylinder, HalfSpace, Mesh
from loops import njit, start_just_in_time
from scenes import draw_rotation

WITHIN = 1e-9  # [m]
BODIES = ("capsule", "sphere")
KINDS = ("sphere", "capsule", "box", "half-space", "triangle", "cylinder", "hull")
STEP = 1e-6  # [m]
OFTEN = 10_000  # pairs after which it is said how far they are


@njit
def searched(rows, a, d):
    """The least distance of the points of a segment by thirds: exact outside, where it is convex."""
    low, high = 0.0, 1.0
    for _ in range(150):
        s, t = low + (high - low) / 3.0, high - (high - low) / 3.0
        one = segment_gap(rows, 0, (a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2]), (0.0, 0.0, 0.0))[0]
        other = segment_gap(rows, 0, (a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]), (0.0, 0.0, 0.0))[0]
        if one <= other:
            high = t
        else:
            low = s
    s = 0.5 * (low + high)
    return segment_gap(rows, 0, (a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2]), (0.0, 0.0, 0.0))[0]


def shallowest(shape, a, b, rng):
    """The shortest way of a segment out of a box or cylinder that a search over directions finds [m]."""
    if isinstance(shape, Cylinder):
        middle, axis = np.add(shape.a, shape.b) / 2, np.subtract(shape.b, shape.a)
        half, axis = np.linalg.norm(axis) / 2, axis / np.linalg.norm(axis)
    else:
        middle, axes, half = np.array(shape.center), np.array(shape.rotation), np.multiply(0.5, shape.size)
    ways = rng.normal(size=(4000, 3))
    best, spread = np.inf, 1.0
    for _ in range(60):
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        low = np.minimum(ways @ (a - middle), ways @ (b - middle))
        if isinstance(shape, Cylinder):
            depths = half * np.abs(ways @ axis) + shape.radius * np.linalg.norm(np.cross(ways, axis), axis=1) - low
        else:
            depths = np.abs(ways @ axes) @ half - low
        k = int(np.argmin(depths))
        best, spread = min(best, float(depths[k])), 0.7 * spread
        ways = np.concatenate([ways[k : k + 1], ways[k] + spread * rng.normal(size=(1000, 3))])
    return best


def is_settled(shape, rows, a, b, ours, rng):
    """Whether a search agrees with our distance of the axis."""
    if ours > 0.0:
        return abs(ours - searched(rows, a, b - a)) <= WITHIN
    solid = isinstance(shape, (fa.Box, Cylinder))
    return solid and -ours <= shallowest(shape, a, b, rng) + WITHIN  # a search may end before the shortest


def draw(kind, rng):
    """An obstacle and the same for coal."""
    if kind == "half-space":
        shape = HalfSpace(rng.uniform(-0.5, 0.5, 3), rng.normal(size=3))
        offset = float(np.dot(shape.normal, shape.point))
        return shape, (coal.Halfspace(np.array(shape.normal), offset), coal.Transform3s.Identity())
    if kind == "triangle":
        corners, model = rng.uniform(-0.5, 0.5, (3, 3)), coal.BVHModelOBBRSS()
        model.beginModel(1, 3)
        model.addTriangle(*corners)
        model.endModel()
        return Mesh(corners, [[0, 1, 2]]), (model, coal.Transform3s.Identity())
    if kind == "hull":
        shape = ConvexHull(rng.uniform(-0.4, 0.4, 3) + 0.15 * rng.normal(size=(rng.integers(4, 24), 3)))
        corners, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points, numbers = np.unique(shape.faces.reshape(-1, 3), axis=0, return_inverse=True)
        for point in points:
            corners.append(point)
        for face in numbers.reshape(-1, 3).tolist():
            triangles.append(coal.Triangle(*face))
        return shape, (coal.Convex(corners, triangles), coal.Transform3s.Identity())
    if kind == "cylinder":
        shape = Cylinder(*rng.uniform(-0.5, 0.5, (2, 3)), rng.uniform(0.01, 0.3))
        _, placed = coal_judge.capsule(shape.a, shape.b, 0.0)
        return shape, (coal.Cylinder(shape.radius, float(np.linalg.norm(np.subtract(shape.b, shape.a)))), placed)
    if kind == "sphere":
        shape = fa.Sphere(rng.uniform(-0.5, 0.5, 3), rng.uniform(0.01, 0.3))
    elif kind == "capsule":
        shape = fa.Capsule(*rng.uniform(-0.5, 0.5, (2, 3)), rng.uniform(0.01, 0.2))
    else:
        shape = fa.Box(rng.uniform(-0.5, 0.5, 3), rng.uniform(0.02, 0.5, 3), draw_rotation(rng))
    return shape, coal_judge.shape(shape)


def compare(body, kind, n):
    """Prints how far n random pairs are off."""
    rng, worst, apart, unsettled, turned = np.random.default_rng(7), 0.0, 0, 0, 0.0
    for done in range(n):
        if done % OFTEN == 0:
            print(f"{body}-{kind}: {done} of {n}", file=sys.stderr, flush=True)
        shape, placed = draw(kind, rng)
        a, b = rng.uniform(-1.0, 1.0, (2, 3))
        b, radius, rows = a if body == "sphere" else b, rng.uniform(0.01, 0.1), shape.rows()
        ours, _, way = segment_gap(rows, 0, tuple(a), tuple(b - a))
        ours, result = ours - radius, coal.DistanceResult()
        theirs = coal_judge.distance(coal_judge.capsule(a, b, radius), placed, result)
        if kind == "hull":
            turned = max(turned, float(np.linalg.norm(way + result.normal)))
        elif kind == "cylinder":
            there = segment_gap(rows, 0, tuple(a + STEP * np.array(way)), tuple(b - a))[0] - radius
            turned = max(turned, abs(there - ours - STEP))
        error = 0.0 if kind == "triangle" and max(ours, theirs) <= 0.0 else abs(ours - theirs)
        if error <= WITHIN:
            worst = max(worst, error)
            continue
        apart += 1
        unsettled += not is_settled(shape, rows, a, b, ours + radius, rng)
    line = f"{body:8s} {kind:10s} {n - apart} of {n} within 1e-9 m of coal (most {worst:.1e})"
    way = f"; directions within {turned:.1e}" if kind in ("hull", "cylinder") else ""
    print(f"{line}{way}; {apart} others, of which {apart - unsettled} are right by a search", flush=True)


def main():
    """Compares every combination."""
    start_just_in_time()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--only", default="", help="combinations, as in sphere-hull,capsule-box")
    asked = parser.parse_args()
    only = list(filter(None, asked.only.split(",")))
    request = coal_judge.REQUEST
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    for body in BODIES:
        for kind in KINDS:
            if not only or f"{body}-{kind}" in only:
                compare(body, kind, asked.n)


if __name__ == "__main__":
    main()
