"""Distances by coal, an independent library: the judge of what keeps its clearance."""

import coal
import numpy as np

import forearm as fa
from scenes import RADII, origins

REQUEST = coal.DistanceRequest()
REQUEST.enable_signed_distance = True
SHORT = 1e-9


def capsule(a, b, radius):
    """A capsule and its placement."""
    way = np.subtract(b, a)
    length = float(np.linalg.norm(way))
    if length < SHORT:
        return coal.Sphere(radius), coal.Transform3s(np.eye(3), np.asarray(a, float))
    z = way / length
    x = np.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.9 else [0, 1.0, 0])
    x /= np.linalg.norm(x)
    return coal.Capsule(radius, length), coal.Transform3s(np.stack([x, np.cross(z, x), z], axis=1), np.add(a, b) / 2)


def shape(obstacle):
    """An obstacle of forearm's as coal's."""
    if isinstance(obstacle, fa.Sphere):
        return coal.Sphere(obstacle.radius), coal.Transform3s(np.eye(3), np.array(obstacle.center))
    if isinstance(obstacle, fa.Capsule):
        return capsule(obstacle.a, obstacle.b, obstacle.radius)
    return coal.Box(*obstacle.size), coal.Transform3s(np.array(obstacle.rotation), np.array(obstacle.center))


def distance(one, other):
    """The signed distance of two placed shapes [m]."""
    result = coal.DistanceResult()
    return coal.distance(one[0], one[1], other[0], other[1], REQUEST, result)


def clearance(robot, q, scene):
    """The least distance of a skeleton arm from obstacles and from itself, by coal."""
    radius, points = RADII[robot.name], origins(robot, q)
    ends = np.array([np.zeros(3), *points])
    placed = {}
    for i in range(len(ends) - 1):  # link i - 1 lies behind joint i - 1; the first is the base
        if np.linalg.norm(ends[i + 1] - ends[i]) > SHORT:
            name = robot.model.base if i == 0 else f"after {robot.model.moving_names[i - 1]}"
            placed[name] = (i, capsule(ends[i], ends[i + 1], radius))
    shapes = [shape(obstacle) for obstacle in scene.obstacles]
    least = min((distance(body, other) for i, body in placed.values() if i > 1 for other in shapes), default=np.inf)
    own = (distance(placed[a][1], placed[b][1]) for a, b in robot.geometry.checked)
    return min(least, min(own, default=np.inf))
