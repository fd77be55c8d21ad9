"""Random arms of every class that has a closed form, made from their axes in space."""

from itertools import pairwise

import numpy as np

from forearm.models.model import Model
from forearm.robot import Robot


def unit(v):
    return v / np.linalg.norm(v)


def frame(h, p, rng):
    """(4, 4) a frame with z along h at a random point of the line through p, turned at random about it."""
    x = unit(np.cross(h, rng.normal(size=3)))
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(h, x), h])
    T[:3, 3] = p + rng.normal() * h
    return T


def arm_of(H, P, rng, slides=(), limits=None):
    """A robot with these axes, a random tip and frames that lie anyhow on the axes."""
    n = len(H)
    frames = [frame(h, p, rng) for h, p in zip(H, P, strict=True)]
    tip = frame(unit(rng.normal(size=3)), rng.normal(size=3), rng)
    chain = [np.eye(4), *frames, tip]
    links = np.array([(np.linalg.inv(a) @ b)[:3] for a, b in pairwise(chain)])
    joints = np.array([[float(k in slides), k, 1.0] for k in range(n)])
    names = tuple(f"j{k + 1}" for k in range(n))
    kinds = tuple("prismatic" if k in slides else "revolute" for k in range(n))
    limits = np.array([[-np.pi] * n, [np.pi] * n]) if limits is None else limits
    children = np.tile(np.eye(4), (n, 1, 1))
    return Robot(Model("arm", "base", "tip", names, kinds, names, links, joints, limits, np.full(n, np.inf), children))


def directions(rng, count, square):
    """Random unit vectors; square ones stand at right angles to their neighbours."""
    H = [unit(rng.normal(size=3))]
    while len(H) < count:
        v = rng.normal(size=3)
        H.append(unit(np.cross(H[-1], v) if square else v))
    return np.array(H)


def spherical_wrist(rng, case, square, backward):
    """Six axes, the last three through a point; the first three as the case says."""
    H, P = directions(rng, 6, square), rng.normal(size=(6, 3))
    sign = rng.choice([-1.0, 1.0])
    P[3:] = P[3]
    if case == 0:
        H[2] = sign * H[1]
    elif case == 1:
        P[1] = P[0]
    elif case == 2:
        P[2] = P[1]
    else:
        H[1] = sign * H[0]
    if square:
        H[3] = unit(np.cross(H[2], rng.normal(size=3)))
        H[4] = unit(np.cross(H[3], rng.normal(size=3)))
        H[5] = unit(np.cross(H[4], rng.normal(size=3)))
    return reversed_arm(H, P, backward, rng)


def three_parallel(rng, square, backward):
    """Six axes, 2 to 4 parallel and 5, 6 meeting."""
    H, P = directions(rng, 6, square), rng.normal(size=(6, 3))
    H[2], H[3] = rng.choice([-1.0, 1.0]) * H[1], rng.choice([-1.0, 1.0]) * H[1]
    if square:
        H[4] = unit(np.cross(H[1], rng.normal(size=3)))
        H[5] = unit(np.cross(H[4], rng.normal(size=3)))
    P[5] = P[4]
    return reversed_arm(H, P, backward, rng)


def reversed_arm(H, P, backward, rng):
    """The arm, or the same from its other end."""
    return arm_of(H[::-1], P[::-1], rng) if backward else arm_of(H, P, rng)


def swivelling(rng, limits=None):
    """Seven axes, three through a shoulder and three through a wrist, each at right angles."""
    H, P = directions(rng, 7, True), rng.normal(size=(7, 3))
    P[:3], P[4:] = P[0], P[4]
    return arm_of(H, P, rng, limits=limits)


def in_a_plane(rng, slide):
    """Three parallel turns, and a slide along them at the given place, or none at -1."""
    n = 3 if slide < 0 else 4
    H = unit(rng.normal(size=3)) * rng.choice([-1.0, 1.0], (n, 1))
    limits = np.array([[-np.pi] * n, [np.pi] * n])
    return arm_of(H, rng.normal(size=(n, 3)), rng, () if slide < 0 else (slide,), limits)
