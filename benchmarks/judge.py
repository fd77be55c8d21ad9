"""The one judge of all benchmarks: forward kinematics of what was returned, and nothing else."""

import numpy as np

TOLERANCE = 1e-6  # [m] and [rad]
LIMIT_SLACK = 1e-6


def count_solved(robot, Q, targets, tol=TOLERANCE):
    """How many configurations meet their target poses inside the limits."""
    return int(np.sum(solved(robot, Q, targets, tol)))


def solved(robot, Q, targets, tol=TOLERANCE):
    """(N,) whether each configuration meets its target pose inside the limits."""
    Q = np.asarray(Q, dtype=float)
    poses = robot.fk(np.nan_to_num(Q))
    position = np.linalg.norm(poses[:, :3, 3] - targets[:, :3, 3], axis=1)
    inside = ((robot.limits[0] - LIMIT_SLACK <= Q) & (robot.limits[1] + LIMIT_SLACK >= Q)).all(axis=1)
    return (position <= tol) & (rotation_errors(poses, targets) <= tol) & inside & np.isfinite(Q).all(axis=1)


def rotation_errors(A, B):
    """(N,) angles between the rotations of two stacks of poses [rad], exact near 0."""
    R = A[:, :3, :3].transpose(0, 2, 1) @ B[:, :3, :3]
    vee = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    return np.arctan2(np.linalg.norm(vee, axis=1) / 2.0, (np.trace(R, axis1=1, axis2=2) - 1.0) / 2.0)


def forward(robot, Q):
    """(M, 4, 4) tip poses by plain products of transforms: no code of the library but its numbers."""
    model, T = robot.model, np.tile(np.eye(4), (len(Q), 1, 1))
    for i, (kind, variable, ratio) in enumerate(model.joints):
        J, value = np.tile(np.eye(4), (len(Q), 1, 1)), ratio * Q[:, int(variable)]
        if kind == 1:
            J[:, 2, 3] = value
        else:
            J[:, 0, 0] = J[:, 1, 1] = np.cos(value)
            J[:, 1, 0] = np.sin(value)
            J[:, 0, 1] = -J[:, 1, 0]
        T = T @ np.vstack([model.links[i], [0.0, 0.0, 0.0, 1.0]]) @ J
    return T @ np.vstack([model.links[-1], [0.0, 0.0, 0.0, 1.0]])


def on_chord(poses, places):
    """(M, 4, 4) poses of a path at places: straight lines, turns at constant rate by the axis and angle."""
    i = np.minimum(np.floor(places).astype(int), len(poses) - 2) if len(poses) > 1 else np.zeros(len(places), int)
    A, B, f = poses[i], poses[np.minimum(i + 1, len(poses) - 1)], places - i
    result, R = A.copy(), A[:, :3, :3].transpose(0, 2, 1) @ B[:, :3, :3]
    result[:, :3, 3] += f[:, None] * (B[:, :3, 3] - A[:, :3, 3])
    axis = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    angle = rotation_errors(A, B)
    axis /= np.maximum(np.linalg.norm(axis, axis=1), 1e-300)[:, None]
    K = np.zeros((len(places), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = axis.T
    K -= K.transpose(0, 2, 1)
    turn = (f * angle)[:, None, None]
    result[:, :3, :3] = A[:, :3, :3] @ (np.eye(3) + np.sin(turn) * K + (1.0 - np.cos(turn)) * (K @ K))
    return result


def track_faults(robot, poses, track, max_joint_step, halfway=(1e-4, 1e-3), tol=TOLERANCE):
    """What is wrong with a track, as words; an empty list if all of its contract holds."""
    q, places, faults = track.q, track.places, []
    if len(q) == 0:
        return [] if track.stopped_at == 0 else ["nothing returned"]
    whole = places[places == np.floor(places)]
    if not (np.array_equal(whole, np.arange(len(whole))) and (np.diff(places) > 0.0).all()):
        faults.append("places")
    if (len(whole) == len(poses)) != track.complete or (not track.complete and track.stopped_at != len(whole)):
        faults.append("how far it says it came")
    if not all(off <= tol for off in _off(forward(robot, q), on_chord(poses, places))):
        faults.append("pose")
    if (q < robot.limits[0] - 1e-9).any() or (q > robot.limits[1] + 1e-9).any():
        faults.append("limits")
    if np.abs(np.diff(q, axis=0)).max(initial=0.0) > max_joint_step + 1e-12:
        faults.append("step")
    between = on_chord(poses, 0.5 * (places[1:] + places[:-1]))
    off = _off(forward(robot, 0.5 * (q[1:] + q[:-1])), between)
    if off[0] > halfway[0] + tol or off[1] > halfway[1] + tol:
        faults.append("halfway")
    return faults


def _off(A, B):
    """The largest distance [m] and angle [rad] between two stacks of poses."""
    position = np.linalg.norm(A[:, :3, 3] - B[:, :3, 3], axis=1)
    return position.max(initial=0.0), rotation_errors(A, B).max(initial=0.0)
