"""The judge of `honest.py`: plain numpy and coal, on the numbers of a model's file and of the call, nothing else."""

from itertools import combinations, pairwise

import numpy as np

LIMIT_SLACK = 1e-9  # what a limit may be exceeded by, as the library says
ROUNDING = 4e-15  # what products of transforms lose, per joint


def forward(robot, Q):
    """(N, 4, 4) tip poses by plain products of transforms."""
    model, T = robot.model, np.tile(np.eye(4), (len(Q), 1, 1))
    for i, (kind, variable, ratio) in enumerate(model.joints):
        T = T @ np.vstack([model.links[i], [0.0, 0.0, 0.0, 1.0]]) @ moved(kind, ratio * Q[:, int(variable)])
    return T @ np.vstack([model.links[-1], [0.0, 0.0, 0.0, 1.0]])


def moved(kind, values):
    """(N, 4, 4) slides along z, or turns about it."""
    J = np.tile(np.eye(4), (len(values), 1, 1))
    if kind == 1:
        J[:, 2, 3] = values
        return J
    J[:, 0, 0] = J[:, 1, 1] = np.cos(values)
    J[:, 1, 0] = np.sin(values)
    J[:, 0, 1] = -J[:, 1, 0]
    return J


def rotation_vectors(R):
    """(N, 3) axis times angle of rotations; near half a turn its length alone is right."""
    vee = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    sine = np.linalg.norm(vee, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0))
    scale = np.where(sine > 1e-300, angle / np.maximum(sine, 1e-300), 1.0)
    return np.where((sine > 1e-300)[:, None], vee * scale[:, None], np.array([1.0, 0.0, 0.0]) * angle[:, None])


def tilts(R, axis):
    """(N, 3) the shortest turns that take an axis of one frame to that of another, in the other's frame."""
    way = R.transpose(0, 2, 1)[:, :, axis]  # the tip's axis as the target sees it
    own = np.eye(3)[axis]
    across = np.cross(way, own)
    sine = np.linalg.norm(across, axis=1)
    angle = np.arctan2(sine, way @ own)
    return across * np.where(sine > 1e-300, angle / np.maximum(sine, 1e-300), 1.0)[:, None]


def denied(block, Q, rows):
    """(k,) words on what is wrong with answers Q to targets `rows` that are claimed as met; empty where nothing is."""
    words = np.full(len(Q), "", object)
    if not len(Q):
        return words
    m, poses = len(block.robot.model.joints), block.poses[rows]
    size = block.robot.reach + np.linalg.norm(block.tool[:3, 3]) + np.abs(poses[:, :3, 3]).max(axis=1)
    turn_slack = ROUNDING * (m + 10) + 1e-15
    slack = turn_slack * size
    tips = forward(block.robot, Q) @ block.tool
    away = poses[:, :3, 3] - tips[:, :3, 3]
    turned = tips[:, :3, :3].transpose(0, 2, 1) @ poses[:, :3, :3]
    kind, (position, rotation) = block.row["kind"], block.whole
    words[~(np.linalg.norm(away, axis=1) <= position + slack)] = "position"
    if kind == "point-axis":
        a, b = tips[:, :3, :3] @ block.axis, poses[:, :3, :3] @ block.axis
        tilt = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), (a * b).sum(axis=1))
        words[~(tilt <= rotation + turn_slack)] = "tilt"
    elif kind != "position":
        words[~(np.linalg.norm(rotation_vectors(turned), axis=1) <= rotation + turn_slack)] = "rotation"
    if kind.endswith("by axes"):
        frame = poses[:, :3, :3] if kind == "pose by axes" else np.eye(3)[None]
        along = np.abs(np.einsum("nji,nj->ni", np.broadcast_to(frame, (len(Q), 3, 3)), away))
        words[~(along <= block.bands[:3] + slack[:, None]).all(axis=1)] = "position by axes"
        about = np.abs(rotation_vectors(turned))
        free = np.flatnonzero(np.isinf(block.bands[3:]))
        if len(free) == 1:  # one axis free: what counts is how far the other two have turned it
            about = np.abs(tilts(turned, free[0]))
        words[~(about <= block.bands[3:] + turn_slack).all(axis=1)] = "rotation by axes"
    lower, upper = block.limits if block.box is None else block.box[:, rows]
    inside = (lower - LIMIT_SLACK <= Q) & (upper + LIMIT_SLACK >= Q)
    words[~inside.all(axis=1)] = "limits"
    words[~np.isfinite(Q).all(axis=1)] = "not finite"
    return words


def misreported(block, Q, rows, position, rotation):
    """(k,) whether the errors that are told of answers, met or not, are not those that are measured."""
    if block.row["kind"] not in ("pose", "position", "orientation") or np.isinf(block.row["tol"]) or not len(Q):
        return np.zeros(len(Q), bool)
    poses, tips = block.poses[rows], forward(block.robot, Q) @ block.tool
    away = np.linalg.norm(poses[:, :3, 3] - tips[:, :3, 3], axis=1)
    turned = np.linalg.norm(rotation_vectors(tips[:, :3, :3].transpose(0, 2, 1) @ poses[:, :3, :3]), axis=1)
    slack = 1e-12 * (1.0 + len(block.robot.model.joints))
    size = block.robot.reach + np.linalg.norm(block.tool[:3, 3]) + np.abs(poses[:, :3, 3]).max(axis=1)
    wrong = np.zeros(len(Q), bool)
    if block.row["kind"] != "orientation":
        wrong |= ~(np.abs(away - position) <= slack * size)
    if block.row["kind"] != "position":
        wrong |= ~(np.abs(turned - rotation) <= slack + 1e-7 * (turned > 3.0))
    return wrong


def least_gap(block, q):
    """The least distances of a skeleton arm from spheres and from itself, by coal [m].

    Links count against each other unless they are neighbours, are allowed to touch, or mostly do.
    """
    from coal_judge import SHORT, capsule, corners, distance, link_names, shape, sweeps  # noqa: PLC0415 (only blocks among obstacles need coal)

    robot, placed, bodies, T = block.tooled, {}, [], np.eye(4)
    model, names = robot.model, link_names(robot)
    for i, link in enumerate(model.links):  # from where a joint has moved to, to where the next one stands
        old, T = T, T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        ends = (old[:3, 3], old[:3, 2], T[:3, 3], T[:3, 2])
        points = corners(*ends) if 0 < i < len(model.joints) else [old[:3, 3], T[:3, 3]]
        pieces = [(a, b) for a, b in pairwise(points) if np.linalg.norm(b - a) > SHORT]
        parts = [capsule(a, b, block.radius) for a, b in pieces]
        if i > 0:  # all that moves in space
            held = i > 1 or model.joints[0, 0] == 1
            bodies += [x for x, ends in zip(parts, pieces, strict=True) if held or sweeps(*ends, model.links[0])]
        if parts:
            placed[names[i - 1]] = (i, parts)
        if i < len(model.joints):
            kind, variable, ratio = model.joints[i]
            T = T @ moved(kind, np.array([ratio * q[int(variable)]]))[0]
    shapes = [shape(obstacle) for obstacle in block.scene]
    least = min((distance(body, other) for body in bodies for other in shapes), default=np.inf)
    own = np.inf
    for one, other in combinations(placed, 2):
        why = robot.geometry.left_out.get((one, other)) or robot.geometry.left_out.get((other, one))
        if why in (None, "far apart"):
            own = min(own, *(distance(x, y) for x in placed[one][1] for y in placed[other][1]))
    return least, own
