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
