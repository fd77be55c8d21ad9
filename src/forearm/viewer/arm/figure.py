"""An arm as a figure of capsules, piece by piece in the frames of its joints, and where these frames are.

A link runs across the next joint's axis first and along it last, which is how arms are built: the
figure of a UR5 has its shoulder and elbow where the real one has them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from forearm.arm.bodies import make_bodies
from forearm.common.transforms import to_quaternion
from forearm.common.types import Floats
from forearm.core.arm.kinematics import fk_frames
from forearm.core.codes import KIND, PRISMATIC, RATIO, VARIABLE
from forearm.models.model import Model
from forearm.viewer.shared.shapes import Mesh, capsule, cone_between

THICK_PER_REACH = 0.035  # radius of the first link, per metre of the chain
THICK_PER_LINK = 0.30  # and at most this share of a usual link, so that long snakes stay slender
TAPER = 0.55  # radius of the last link against the first
HUB_SHARE, HUB_LENGTH = 1.22, 1.35  # radius and half length of a joint's drum against its link's radius
SLIDE_SHARE = 0.6  # radius of a slide's rod against its link
VISIBLE = 0.02  # parts of the chain shorter than this share of the radius are left out


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of the figure: a mesh in the frame of the joint that carries it."""

    joint: int  # that moves, counted from 0; -1 is the base
    mesh: Mesh
    is_hub: bool = False  # whether it is a joint's body and not a link
    colour: str | None = None  # "#rrggbb", or that of all links


def capsule_pieces(model: Model) -> list[Piece]:
    """The figure of an arm of which only the frames are known, base first: tubes, and drums about turning joints."""
    radii = link_radii(model)
    pieces = _base_pieces(model, radii[0])
    for k, link in enumerate(model.links):
        slides = k < model.m and model.joints[k, KIND] == PRISMATIC
        corner = link[:, 3] - (link[:, 3] @ link[:, 2]) * link[:, 2]
        stations = [np.zeros(3), corner, link[:, 3]]
        pieces += [
            Piece(k - 1, capsule(a, b, radii[k]))
            for a, b in pairwise(stations)
            if np.linalg.norm(b - a) > VISIBLE * radii[k]
        ]
        if slides:  # the rail is as long as the limits; a metre to each side if there are none
            ends = model.joints[k, RATIO] * np.clip(model.limits[:, int(model.joints[k, VARIABLE])], -1.0, 1.0)
            a, b = link[:, 3] + ends[:, None] * link[:, 2]
            pieces.append(Piece(k - 1, capsule(a, b, SLIDE_SHARE * radii[k]), is_hub=True))
        elif k < model.m:
            half, radius = np.array([0.0, 0.0, HUB_LENGTH * radii[k]]), HUB_SHARE * radii[k]
            pieces.append(Piece(k, cone_between(-half, half, radius, radius), is_hub=True))
    end = model.links[-1]
    rim = end[:, 3] - 0.35 * radii[-1] * end[:, 2]
    pieces.append(Piece(model.m - 1, cone_between(rim, end[:, 3], 0.9 * radii[-1], 0.9 * radii[-1]), is_hub=True))
    return pieces


def _base_pieces(model: Model, radius: float) -> list[Piece]:
    """A foot under the first link, where that stands upright."""
    link = model.links[0]
    upright = link[2, 3] > radius and np.linalg.norm(link[:2, 3]) < radius
    if not upright:
        return []
    foot = (0.0, 0.0, 0.5 * radius)
    return [Piece(-1, cone_between((0.0, 0.0, 0.0), foot, 2.0 * radius, 1.7 * radius), is_hub=True)]


def hull_pieces(model: Model) -> list[Piece]:
    """What is held against obstacles: the capsules of an arm's links, as `robot.geometry` has them."""
    rows = make_bodies(model).rows
    return [Piece(body.frame, capsule(body.capsule[:3], body.capsule[3:6], float(body.capsule[6]))) for body in rows]


def link_radii(model: Model) -> Floats:
    """(m+1,) how thick each link is drawn [m]."""
    lengths = np.linalg.norm(model.links[:, :, 3], axis=1)
    long = lengths[lengths > 1e-3 * max(lengths.max(), 1e-9)]
    usual = float(np.median(long)) if len(long) else 0.1
    first = min(THICK_PER_REACH * float(lengths.sum()), THICK_PER_LINK * usual) or 0.01
    return np.linspace(first, TAPER * first, model.m + 1)


def stations(model: Model, q: Floats) -> Floats:
    """(2m+3, 3) the line along which the capsules of an arm run at joint values q, base first."""
    frames = np.empty((model.m + 1, 4, 4))
    fk_frames(np.array(model.links), np.array(model.joints), q, frames)
    before = np.concatenate([np.eye(4)[None], frames[:-1]])
    origins = model.links[:, :, 3]
    corners = origins - np.sum(origins * model.links[:, :, 2], axis=1)[:, None] * model.links[:, :, 2]
    places = np.stack([corners, origins], axis=1)  # (m+1, 2, 3) in the frame before each joint
    points = np.einsum("kij,ksj->ksi", before[:, :3, :3], places) + before[:, None, :3, 3]
    return np.vstack([np.zeros(3), points.reshape(-1, 3)])


def corners_of(pieces: Sequence[Piece], model: Model, q: Floats) -> Floats:
    """(8k, 3) the corners of boxes round the pieces of a figure at joint values q."""
    frames = np.empty((model.m + 1, 4, 4))
    fk_frames(np.array(model.links), np.array(model.joints), q, frames)
    return corners_in(pieces, [np.eye(4), *frames[: model.m]])


def corners_in(pieces: Sequence[Piece], carried: Sequence[Floats]) -> Floats:
    """(8k, 3) the corners of boxes round pieces, with the (4, 4) frames of the base and of all joints."""
    found = [np.empty((0, 3))]
    for piece in pieces:
        ends = np.stack([piece.mesh[0].min(axis=0), piece.mesh[0].max(axis=0)])
        box = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        T = carried[piece.joint + 1]
        found.append(box @ T[:3, :3].T + T[:3, 3])
    return np.concatenate(found)


def joint_frames(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """(m, 4) quaternions and (m, 3) positions of the joints' frames at q, each in the frame of the joint before."""
    slides = model.joints[:, KIND] == PRISMATIC
    moved = model.joints[:, RATIO] * q[model.joints[:, VARIABLE].astype(int)]
    turns = np.array([to_quaternion(link[:, :3]) for link in model.links[:-1]])
    return moved_frames(model.links[:-1], turns, slides, moved)


def moved_frames(fronts: Floats, turns: Floats, slides: NDArray[np.bool_], moved: Floats) -> tuple[Floats, Floats]:
    """(m, 4) quaternions and (m, 3) positions of (m, 3, 4) frames, moved along or about their own z.

    `turns` are the (m, 4) quaternions at rest.
    """
    half = np.where(slides, 0.0, 0.5 * moved)
    c, s = np.cos(half), np.sin(half)
    w, x, y, z = turns.T
    turned = np.stack([w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s], axis=1)  # about its own z
    slide = np.where(slides, moved, 0.0)[:, None]
    return turned, fronts[:, :, 3] + slide * fronts[:, :, 2]
