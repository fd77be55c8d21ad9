"""Solves and tracks among obstacles: a slot, a target behind a wall, a table under the arm."""

import numpy as np

import forearm as fa
from forearm.plot import save_pose
from forearm.scenes import HalfSpace, Scene

arm = fa.load("panda").with_geometry(radius=0.05)  # capsules of 5 cm along its skeleton
down = fa.Pose([0.55, 0.0, 0.25], rpy=[np.pi, 0.0, 0.0])
forward = fa.Pose([0.6, 0.0, 0.45], rpy=[0.0, np.pi / 2, 0.0])

scenes = {
    "slot": (
        forward,
        Scene(
            {
                "left": fa.Box([0.55, 0.23, 0.45], [0.3, 0.04, 0.6]),
                "right": fa.Box([0.55, -0.23, 0.45], [0.3, 0.04, 0.6]),
            }
        ),
    ),
    "wall": (
        fa.Pose([0.3, 0.45, 0.3], rpy=[np.pi, 0.0, 0.0]),
        Scene({"wall": fa.Box([0.35, 0.25, 0.2], [0.5, 0.03, 0.4])}),
    ),
    "table": (down, Scene({"table": HalfSpace([0.0, 0.0, 0.1])})),
}
for name, (target, scene) in scenes.items():
    s = arm.solve(target, obstacles=scene, clearance=0.02)
    print(f"{name}: {s.status}; {s.closest}")
    assert s.success
    save_pose(arm, s, f"collision-{name}.png", target=target.goal, obstacles=scene)  # extra `plot`

# a target that no pose can meet: the verdict names what is in the way, and whether that is proven
blocked = arm.solve(down, obstacles={"vase": fa.Sphere([0.55, 0.0, 0.25], 0.1)})
print(f"{blocked.status}: {blocked.reason}")

# a way in joint space, certified as a whole; and a path of the tip past a post
q0 = arm.solve(down, obstacles=scenes["table"][1]).q
print("free all the way:", arm.is_free_between(q0, q0 + 0.1, scenes["table"][1]))
path = [fa.Pose([0.55, y, 0.3], rpy=[np.pi, 0.0, 0.0]) for y in np.linspace(-0.2, 0.2, 50)]
post = Scene({"post": fa.Capsule([0.25, 0.0, 0.0], [0.25, 0.0, 0.15], 0.03)})
print(arm.track(path, obstacles=post, clearance=0.02).reason)
