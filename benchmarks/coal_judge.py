"""Distances by coal, an independent library: the judge of what keeps its clearance."""

from itertools import pairwise

import coal
import numpy as np

import forearm as fa
from scenes import RADII

REQUEST = coal.DistanceRequest()
REQUEST.enable_signed_distance = True
SHORT = 1e-9
ON_AXIS = 1e-6


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


def distance(one, other, result=None):
    """The signed distance of two placed shapes [m]; more of it in a result."""
    return coal.distance(one[0], one[1], other[0], other[1], REQUEST, result or coal.DistanceResult())


def clearance(robot, q, scene):
    """The least distance of a skeleton arm from obstacles and from itself, by coal."""
    radius, links = RADII[robot.name], walk(robot, q)
    placed, bodies, names = {}, [], link_names(robot)
    for i, points in enumerate(links):  # link i - 1 lies behind joint i - 1; the first is the base
        name = names.get(i - 1)
        pieces = [(a, b) for a, b in pairwise(points) if np.linalg.norm(b - a) > SHORT]
        parts = [capsule(a, b, radius) for a, b in pieces]
        placed[name] = (i, parts)
        if i > 0:  # all that moves in space
            held = i > 1 or robot.model.joints[0, 0] == 1
            bodies += [x for x, ends in zip(parts, pieces, strict=True) if held or sweeps(*ends, robot.model.links[0])]
    shapes = [shape(obstacle) for obstacle in scene.obstacles]
    least = min((distance(body, other) for body in bodies for other in shapes), default=np.inf)
    own = (distance(x, y) for a, b in robot.geometry.checked for x in placed[a][1] for y in placed[b][1])
    return min(least, min(own, default=np.inf))


def link_names(robot):
    """What the links of a skeleton arm are called, by the joint in front; the base is -1."""
    return dict(zip(robot.geometry.bodies[:, 0].astype(int).tolist(), robot.geometry.names, strict=True))


def sweeps(a, b, stand):
    """Whether a segment moves when the first joint, which stands in a (3, 4) pose, turns."""
    return max(np.linalg.norm(np.cross(end - stand[:, 3], stand[:, 2])) for end in (a, b)) > ON_AXIS


def walk(robot, q):
    """The points of each link in the base frame: between two axes along one, across, and along the other."""
    T, lines = np.eye(4), []
    for link, angle in zip(robot.model.links, [*q, 0.0], strict=True):
        T = T @ np.vstack([link, [0, 0, 0, 1]])
        lines.append((T[:3, 3].copy(), T[:3, 2].copy()))
        T = T @ np.array(
            [[np.cos(angle), -np.sin(angle), 0, 0], [np.sin(angle), np.cos(angle), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        )
    links = [[np.zeros(3), lines[0][0]]]
    for k, ((p, u), (q_, v)) in enumerate(pairwise(lines)):
        last = k == len(lines) - 2  # to the tip there is no axis
        links.append([p, q_] if last else corners(p, u, q_, v))
    return links


def corners(p, u, q, v):
    """The points of a link from p on an axis along u to q on one along v."""
    if np.linalg.norm(np.cross(u, v)) < 1e-3:
        return [p, q - v * (v @ (q - p)), q]
    s, t = np.linalg.lstsq(np.column_stack([u, -v]), q - p, rcond=None)[0]
    near = max(abs(s), abs(t)) <= 2.0 * np.linalg.norm(q - p)
    return [p, p + s * u, q + t * v, q] if near else [p, q]
