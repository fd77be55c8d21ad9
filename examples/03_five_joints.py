"""Five joints cannot hold six numbers: ask for a point and a tool axis instead of a pose."""

import forearm as fa

arm = fa.load("so101")
T = arm.fk([0.3, -0.4, 0.6, 0.5, 0.0])

above = arm.solve(fa.PointAxis(T[:3, 3], direction=T[:3, 2]))
print(above)

# Or keep the pose and leave the turn about the tool's z axis free.
free_roll = arm.solve(fa.Pose(T, tol=[1e-6, 1e-6, 1e-6, 1e-6, 1e-6, float("inf")]))
print(free_roll.status, free_roll.q.round(4))
