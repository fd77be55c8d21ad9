"""A tool, tighter limits and a locked joint, each for one call and without a new model."""

import numpy as np

import forearm as fa

arm = fa.load("panda")
gripper = np.eye(4)
gripper[2, 3] = 0.1034  # the fingertips, along the flange's z axis [m]

q = np.array([0.2, -0.3, 0.1, -1.9, 0.1, 1.7, 0.6])
T = arm.with_tool(gripper).fk(q)

held = arm.solve(T, q0=q, tool=gripper, locked={arm.joint_names[2]: 0.0})
print(held)

narrow = arm.solve(T, q0=q, tool=gripper, limits={arm.joint_names[0]: (0.0, 0.5)})
print(narrow.status, narrow.q.round(4))
