"""Pictures for a paper or a report: all branches of a target, a motion, where the tip gets."""

import tempfile
from pathlib import Path

import numpy as np

import forearm as fa
from forearm import plot

folder = Path(tempfile.mkdtemp())
arm = fa.load("ur5")
q = np.array([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
T = arm.fk(q)

plot.draw_branches(arm, arm.solve_all(T), target=T, title="one pose, all branches").savefig(folder / "branches.png")

Q = q + np.linspace(0.0, 1.0, 50)[:, None] * np.array([1.2, 0.4, -0.5, 0.3, 0.2, 1.0])
plot.draw_path(arm, Q).savefig(folder / "path.png")
plot.draw_motion(arm, Q, targets=arm.fk(Q)).savefig(folder / "motion.png")
plot.draw_track(arm, arm.track(arm.fk(Q), q)).savefig(folder / "track.png")
plot.draw_reach(*plot.reach_counts(arm, across="xz", samples=20_000)).savefig(folder / "reach.pdf")  # or .svg, .png

print(f"written to {folder}:", ", ".join(sorted(path.name for path in folder.iterdir())))
