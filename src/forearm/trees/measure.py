"""Where the links of a whole robot are, in plain NumPy: what `Tree.fk` gives, and what answers are looked at with."""

import numpy as np

from forearm.common.types import Floats
from forearm.trees.body import Body


def row_frames(body: Body, q: Floats, T: Floats) -> list[Floats]:
    """(4, 4) the moved frame of every row at (n,) joint values, with the base at T."""
    frames: list[Floats] = []
    for row in body.rows:
        above = T if row.parent < 0 else frames[row.parent]
        value = row.segment.ratio * q[row.variable]
        motion = np.eye(4)
        if row.segment.kind == "prismatic":
            motion[2, 3] = value
        else:
            c, s = np.cos(value), np.sin(value)
            motion[:2, :2] = (c, -s), (s, c)
        frames.append(above @ row.front @ motion)
    return frames


def link_pose(body: Body, q: Floats, T: Floats, link: str) -> Floats:
    """(4, 4) the pose of a link or site in the world."""
    row, tip = body.place(link)
    return (T if row < 0 else row_frames(body, q, T)[row]) @ tip


def centre_of_mass(body: Body, q: Floats, T: Floats) -> Floats:
    """(3,) the centre of mass in the world [m]."""
    mass, *centre = body.base_mass.tolist()
    moment = mass * (T[:3, :3] @ np.array(centre) + T[:3, 3])
    for row, frame in zip(body.rows, row_frames(body, q, T), strict=True):
        mass += row.mass
        moment = moment + row.mass * (frame[:3, :3] @ np.array(row.centre) + frame[:3, 3])
    return np.asarray(moment / mass)
