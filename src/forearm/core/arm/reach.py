"""What a reachability map needs of many configurations at once."""

import math

import numpy as np

from forearm.core.arm.kinematics import jacobian, manipulability
from forearm.core.jit import kernel


@kernel
def best_manipulability(links, joints, Q, met, rows, best_out):
    """Writes the largest of Yoshikawa's measures among the met configurations of each voxel.

    Args:
        links: (m+1, 3, 4), joints: (m, 3): the arm.
        Q: (V, K, n) configurations, K at each of V voxels.
        met: (V, K) which of them count.
        rows: How many rows of the Jacobian: 6 for poses, 3 for positions.
        best_out: (V,); NaN where none counts.
    """
    J = np.empty((6, Q.shape[2]))
    part = np.empty((rows, Q.shape[2]))
    for v in range(Q.shape[0]):
        best_out[v] = math.nan
        for k in range(Q.shape[1]):
            if met[v, k]:
                jacobian(links, joints, Q[v, k], J)
                part[:, :] = J[:rows]
                value = manipulability(part)
                if not best_out[v] >= value:
                    best_out[v] = value
