"""Random scenes that an arm can work in, by construction: a reference pose is drawn first, obstacles around it.

- std: 8 to 20 spheres, capsules and boxes of 0.05 to 0.25 m anywhere in reach;
- shelf: the tool stands in an opening of five panels, and six obstacles are about;
- cage: 20 obstacles, each 0.0105 to 0.05 m from the reference arm.

The reference keeps the clearance; the target is its tip's pose. Seeds are the scene's own number.
"""

import numpy as np

import forearm as fa
from forearm.scenes.scene import Scene

CLEARANCE = 0.01
KINDS = ("std", "shelf", "cage")
RADII = {"ur5": 0.055, "iiwa14": 0.055, "panda": 0.055, "snake-15": 0.04}
MARGIN = 0.0005  # the reference keeps this much more than the clearance [m]
PANEL = 0.02  # thickness of a shelf's panels [m]
MOST_DRAWS = 20000


def load(name):
    """A robot of the spec with its capsules."""
    return fa.load(name).with_geometry(radius=RADII[name])


def draw_rotation(rng):
    """A uniform rotation."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.sign(np.linalg.det(Q))


def draw_obstacle(rng, center):
    """A sphere, capsule or box of 0.05 to 0.25 m about a point."""
    kind, size = rng.integers(3), rng.uniform(0.05, 0.25)
    if kind == 0:
        return fa.Sphere(center, 0.5 * size)
    if kind == 1:
        way = draw_rotation(rng)[0] * 0.5 * size
        return fa.Capsule(center - way, center + way, rng.uniform(0.025, 0.08))
    return fa.Box(center, rng.uniform(0.05, 0.25, 3), draw_rotation(rng))


def moved(obstacle, by):
    """The obstacle elsewhere."""
    if isinstance(obstacle, fa.Sphere):
        return fa.Sphere(np.add(obstacle.center, by), obstacle.radius)
    if isinstance(obstacle, fa.Capsule):
        return fa.Capsule(np.add(obstacle.a, by), np.add(obstacle.b, by), obstacle.radius)
    return fa.Box(np.add(obstacle.center, by), obstacle.size, obstacle.rotation)


def gap(robot, q, obstacle):
    """The distance of the arm at q from one obstacle."""
    return robot.clearance(q, [obstacle], self_collision=False).distance


def origins(robot, q):
    """(m+1, 3) the joints' origins and the tip."""
    frames = robot.fk_all(q)
    model = robot.model
    T, points = np.eye(4), []
    for i in range(model.m):
        T = T @ np.vstack([model.links[i], [0, 0, 0, 1]])
        points.append(T[:3, 3].copy())
        c, s = np.cos(q[i]), np.sin(q[i])
        T = T @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    return np.array([*points, frames[-1][:3, 3]])


def draw_reference(robot, rng):
    """A configuration that does not touch itself."""
    while True:
        q = rng.uniform(*robot.limits)
        if robot.clearance(q).distance >= CLEARANCE + MARGIN:
            return q


def std(robot, rng):
    """Obstacles anywhere in reach."""
    q = draw_reference(robot, rng)
    found, count = [], rng.integers(8, 21)
    while len(found) < count:
        way = draw_rotation(rng)[0]
        obstacle = draw_obstacle(rng, way * robot.reach * rng.uniform(0.2, 1.0) ** (1 / 3))
        if gap(robot, q, obstacle) >= CLEARANCE + MARGIN:
            found.append(obstacle)
    return q, found


def cage(robot, rng):
    """Obstacles close to the arm, each pushed in along a line until it is 0.0105 to 0.05 m away."""
    q = draw_reference(robot, rng)
    points = origins(robot, q)[1:]
    found = []
    while len(found) < 20:
        i, way = rng.integers(len(points) - 1), draw_rotation(rng)[0]
        at = points[i] + rng.uniform() * (points[i + 1] - points[i])
        obstacle, wanted = draw_obstacle(rng, at + way), rng.uniform(0.0105, 0.05)
        for _ in range(60):  # never farther than what is missing, so it never passes the arm
            distance = gap(robot, q, obstacle)
            if abs(distance - wanted) < 1e-6:
                break
            obstacle = moved(obstacle, -(distance - wanted) * way)
        if CLEARANCE + MARGIN <= gap(robot, q, obstacle) <= 0.05:
            found.append(obstacle)
    return q, found


def shelf(robot, rng):
    """The tool in an opening of five panels, and six obstacles."""
    for _ in range(MOST_DRAWS):
        q = draw_reference(robot, rng)
        panels = opening(robot, q, rng)
        if robot.clearance(q, panels).distance >= CLEARANCE + MARGIN:
            break
    found = list(panels)
    while len(found) < 11:
        obstacle = draw_obstacle(rng, draw_rotation(rng)[0] * robot.reach * rng.uniform(0.2, 1.0) ** (1 / 3))
        if gap(robot, q, obstacle) >= CLEARANCE + MARGIN:
            found.append(obstacle)
    return q, found


def opening(robot, q, rng):
    """Five panels round the last link that has a length, open toward the arm."""
    points = origins(robot, q)
    spans = np.diff(points, axis=0)
    last = max(i for i in range(len(spans)) if np.linalg.norm(spans[i]) > 0.02)
    z = spans[last] / np.linalg.norm(spans[last])
    x = np.cross(z, draw_rotation(rng)[0])
    x /= np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    radius = RADII.get(robot.name, 0.055)
    half = radius + CLEARANCE + rng.uniform(0.02, 0.08, 2)
    depth = rng.uniform(0.08, 0.16)
    back = points[-1] + z * (radius + CLEARANCE + rng.uniform(0.002, 0.03) + PANEL / 2)
    middle = back - z * (depth / 2)
    sizes = [2 * half[0] + 2 * PANEL, 2 * half[1] + 2 * PANEL]
    panels = [fa.Box(back, [*sizes, PANEL], R)]
    for sign in (-1.0, 1.0):
        panels.append(fa.Box(middle + sign * R[:, 0] * (half[0] + PANEL / 2), [PANEL, sizes[1], depth], R))
        panels.append(fa.Box(middle + sign * R[:, 1] * (half[1] + PANEL / 2), [sizes[0], PANEL, depth], R))
    return panels


def draw(robot, kind, seed):
    """The target, the scene and the reference configuration of one seed."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    q, obstacles = {"std": std, "shelf": shelf, "cage": cage}[kind](robot, rng)
    return robot.fk(q), Scene(obstacles), q
