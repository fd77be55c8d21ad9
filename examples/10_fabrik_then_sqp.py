"""The combined method, watched: where FABRIK's sweeps crawl, and what the refiner does about it."""

import numpy as np

import forearm as fa

arm = fa.load("iiwa14")
q = np.array([-0.745, 1.655, -1.686, -0.019, 1.003, -2.025, -0.505])  # the elbow is almost straight
T = arm.fk(q)

# Sweeps alone: the distance from the second link's end to its target falls ever more slowly.
sweeps = arm.trace(T, method="combined", sweeps=20_000)
after = sweeps.distance[::2]
print(f"FABRIK alone: {len(after) - 1} sweeps; after 10 it is {1e3 * after[10]:.2f} mm off, "
      f"after 1000 still {1e3 * after[1000]:.3f} mm")  # fmt: skip

# The combined method: 15 sweeps, then SQP from where they stand.
both = arm.trace(T, method="combined")
print(f"combined: {both.stages.count('backward')} sweeps and {both.stages.count('sqp')} steps of SQP, "
      f"{1e3 * both.distance[-1]:.1e} mm off")  # fmt: skip

# As a solve: every sign branch is tried, all limits hold, the nearest to q0 is taken.
s = arm.solve(T, q0=q, method="combined", norm="inf")
print(s)
assert s.success
assert np.abs(arm.fk(s.q) - T).max() < 2e-6
