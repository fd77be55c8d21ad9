"""Thousands of targets in one call: arrays in, arrays out, all processors, the bits of single calls."""

import numpy as np

import forearm as fa

arm = fa.load("iiwa14")
Ts = arm.fk(arm.sample(2_000, rng_seed=1))
Ts[::100, :3, 3] *= 2.0  # some of them beyond its reach

batch = arm.solve_batch(Ts)
print(batch.summary())

# Judge the answers without the solver's word.
off = np.linalg.norm(arm.fk(batch.q)[:, :3, 3] - Ts[:, :3, 3], axis=1)
print(f"{np.sum(off <= 1e-6)} tips are within a micrometre of their targets")

# One row is what a call of its own gives.
assert (batch[7].q == arm.solve(Ts[7]).q).all()

# Why were the others missed? Ask for those only: an explanation takes milliseconds.
missed = arm.solve_batch(Ts[~batch.success][:3], explain=True)
for solution in missed:
    print(solution.status, "-", solution.reason)

# Points with any orientation, each from a start of its own, no joint moving more than half a radian.
starts = arm.sample(500, rng_seed=2)
points = arm.fk(np.clip(starts + 0.1, *arm.limits))[:, :3, 3]
steps = arm.solve_batch(fa.Position.many(points), q0=starts, max_joint_step=0.5)
print(
    f"{steps.success.sum()} of {len(steps)} points reached, largest joint step {np.abs(steps.q - starts).max():.3f} rad"
)
