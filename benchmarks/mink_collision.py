"""mink: differential IK with its collision-avoidance limit, looped from ten random starts."""

import time

import numpy as np

import forearm as fa
import scenes

STARTS, STEPS, DT = 10, 100, 0.1
DETECT = 0.2  # how far mink looks for what it may hit [m]: with 0.05 it is faster and solves less


def numbers(values):
    """Numbers as MJCF writes them."""
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


def quaternion(R):
    """W, x, y, z of a rotation, by the eigenvector of its quaternion matrix."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
            [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
            [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]],
        ]
    )
    x, y, z, w = np.linalg.eigh(K / 3.0)[1][:, -1]
    return w, x, y, z


def place(T):
    """The pos and quat of a frame."""
    return f'pos="{numbers(T[:, 3])}" quat="{numbers(quaternion(T[:, :3]))}"'


def obstacle_geom(k, item):
    """An obstacle as a geom."""
    if isinstance(item, fa.Sphere):
        return f'<geom name="o{k}" type="sphere" size="{item.radius}" pos="{numbers(item.center)}"/>'
    if isinstance(item, fa.Capsule):
        return f'<geom name="o{k}" type="capsule" size="{item.radius}" fromto="{numbers([*item.a, *item.b])}"/>'
    turn = numbers(quaternion(np.array(item.rotation)))
    half = numbers(np.multiply(0.5, item.size))
    return f'<geom name="o{k}" type="box" size="{half}" pos="{numbers(item.center)}" quat="{turn}"/>'


def mjcf(robot, scene):
    """The arm's capsules and the obstacles as a MuJoCo model; and the frame of each of its geoms by link."""
    model, radius = robot.model, scenes.RADII[robot.name]
    text, geoms = "", {}
    base = model.links[0, :, 3]
    if np.linalg.norm(base) > 1e-9:
        text += f'<geom name="g-1" type="capsule" size="{radius}" fromto="0 0 0 {numbers(base)}"/>'
        geoms[model.base] = ("g-1", -1)
    for i in range(model.m):
        lower, upper = robot.limits[:, i]
        text += f'<body name="b{i}" {place(model.links[i])}><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        text += f'<joint name="j{i}" type="hinge" axis="0 0 1" range="{numbers([lower, upper])}" limited="true"/>'
        end = model.links[i + 1, :, 3]
        if np.linalg.norm(end) > 1e-9:
            text += f'<geom name="g{i}" type="capsule" size="{radius}" fromto="0 0 0 {numbers(end)}"/>'
            geoms[f"after {model.moving_names[i]}"] = (f"g{i}", i)
    text += f'<site name="tip" {place(model.links[-1])}/>' + "</body>" * model.m
    text += "".join(obstacle_geom(k, item) for k, item in enumerate(scene.obstacles))
    head = '<mujoco><compiler angle="radian"/><worldbody>'
    return head + text + "</worldbody></mujoco>", geoms


class Mink:
    """One scene, solved by mink."""

    def __init__(self, robot, scene):
        import mink  # noqa: PLC0415 (a peer, may be missing)
        import mujoco  # noqa: PLC0415

        text, geoms = mjcf(robot, scene)
        self.mink, self.robot = mink, robot
        self.model = mujoco.MjModel.from_xml_string(text)
        arm = [name for name, frame in geoms.values() if frame > 0]
        pairs = [(arm, [f"o{k}" for k in range(len(scene.obstacles))])]
        pairs += [([geoms[a][0]], [geoms[b][0]]) for a, b in robot.geometry.checked]
        self.task = mink.FrameTask("tip", "site", position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6)
        clear = mink.CollisionAvoidanceLimit(
            self.model,
            geom_pairs=pairs,
            minimum_distance_from_collisions=scenes.CLEARANCE,
            collision_detection_distance=DETECT,
        )
        self.limits = [mink.ConfigurationLimit(self.model), clear]

    def solve(self, T, rng):
        """Joint values that meet the target, or the last tried; right or wrong."""
        mink, q = self.mink, self.robot.neutral
        self.task.set_target(mink.SE3.from_matrix(T))
        for _ in range(STARTS):
            q = rng.uniform(*self.robot.limits)
            state = mink.Configuration(self.model, q)
            for _ in range(STEPS):
                try:
                    velocity = mink.solve_ik(state, [self.task], DT, solver="daqp", damping=1e-9, limits=self.limits)
                except Exception:  # a QP without an answer: this start collides
                    break
                state.integrate_inplace(velocity, DT)
                error = self.task.compute_error(state)
                if np.linalg.norm(error[:3]) < 1e-7 and np.linalg.norm(error[3:]) < 1e-7:
                    return np.clip(state.q, *self.robot.limits)
            q = state.q
        return np.clip(q, *self.robot.limits)


def run_mink(robot, kind, n, first, is_good):
    """Mink on the same scenes; prints a line."""
    times, good, rng = np.empty(n), np.zeros(n, bool), np.random.default_rng(0)
    for i in range(n):
        T, scene, _ = scenes.draw(robot, kind, first + i)
        peer = Mink(robot, scene)  # making its model is not timed
        begin = time.perf_counter()
        q = peer.solve(T, rng)
        times[i] = 1e6 * (time.perf_counter() - begin)
        good[i] = is_good(robot, q, T, scene)
    line = f"{robot.name:9s} {kind:6s} mink, {STARTS} starts {100 * good.mean():6.2f} %"
    print(f"{line}  us median {np.median(times):9.1f} mean {times.mean():9.1f}", flush=True)
