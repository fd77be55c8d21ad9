"""Every way to reach a pose: branches of a six-joint arm, swivel intervals of a seven-joint one."""

import numpy as np

import forearm as fa

arm = fa.load("ur5")
print(arm.structure.summary)
q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
T = arm.fk(q)
found = arm.solve_all(T, q0=q)
print(f"{len(found)} branches, complete: {found.complete}")
for branch in found:
    print("  ", branch.q.round(3), f"off by {branch.position_error:.1e} m")
print(len(arm.solve_all(T, windings=True)), "with all whole turns inside the limits")

arm = fa.load("iiwa14")
print(arm.structure.summary)
q = np.array([0.3, 0.5, -0.2, 1.1, 0.4, 0.9, 0.1])
T = arm.fk(q)
nearest = arm.solve_all(T, q0=q)[0]
print("swivel now", round(arm.swivel(q), 4), "and inside the limits at:")
for low, high in nearest.swivel:
    print(f"   {low:.4f} to {high:.4f} rad")
lifted = arm.solve(T, q0=q, swivel=0.0)  # elbow up
print("elbow up:", lifted.q.round(3), lifted.status)

arm = fa.load("panda")  # seven joints without a swivel angle: curves of answers
q = arm.sample(1, rng_seed=3)[0]
T = arm.fk(q)
motion = arm.self_motion(T, q0=q)
print(len(motion.curves), "curves;", motion.reason)
for arc in motion.arcs:
    print(f"   {arc.length:.2f} rad long, from", " to ".join(str(end) for end in arc.ends))
print("farthest from limits:", arm.solve(T, q0=q, prefer="limits").q.round(3))
