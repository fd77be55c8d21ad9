"""Whether "free" is free for the real shapes of robots, and "proven" proven; and how far capsules stand out of them.

python benchmarks/real_shapes.py                      # 16 URDF robots and 10 MJCF arms, 60 scenes each
python benchmarks/real_shapes.py --scenes 5 --only ur5,panda
python benchmarks/real_shapes.py --scenes 0           # how far capsules stand out, and nothing is solved
python benchmarks/real_shapes.py --scenes 0 --points 100000   # and whether they hold so many points of every shape
python benchmarks/real_shapes.py --scenes 0 --times 60 --only "urdf panda"   # what solves take among obstacles

The judges share no code with forearm. A URDF is read by pinocchio, its meshes by assimp, and distances are coal's on
the triangles; an MJCF is read by MuJoCo, and distances are MuJoCo's between its geoms. They know where every
link is from the joint values alone. MJCF arms come from robosuite and gymnasium-robotics where these are installed, the
others are URDF robots that MuJoCo itself has written as MJCF.

Per scene: one target (single), and, over all scenes, one batch and every fifth scene a track of 20 points. A free
answer is wrong if the judge finds anything nearer than the clearance; a proven verdict if the judge finds a posture
that meets the target and keeps a centimetre more. With --points, every shape of a link is looked at by itself: points
of its surface and its inside, placed by the judge at a random configuration, must lie in the link's own capsules.
"""

import argparse
import importlib.util
import os
import re
import tempfile
import time
from functools import partial
from itertools import combinations
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin

import forearm as fa
from forearm.core.arm.kinematics import fk_frames
from forearm.core.collision.bodies import FRAME, RADIUS, SPAN, START
from forearm.scenes.scene import Scene
from many_obstacles import least
from scenes import draw_obstacle

CLEARANCE, ROUNDING, ROOM = 0.01, 2e-6, 0.01
ON_THE_SPOT = 1e-9  # what rounding may move an axis by [m]
OUT = 1e-6  # how far a point may lie outside of capsules [m]: assimp and MuJoCo keep some meshes in single precision
INSIDE = 1000  # points of the inside of a mesh that are tried
OBSTACLES, WITNESSES = 8, 30
SITE = Path(importlib.util.find_spec("numpy").origin).parents[1]
DATA = SITE / "cmeel.prefix/share/example-robot-data/robots"
RTB = SITE / "rtbdata/xacro"
URDFS = {  # name: file, base, tip
    "ur3": (DATA / "ur_description/urdf/ur3_robot.urdf", None, "tool0"),
    "ur5": (DATA / "ur_description/urdf/ur5_robot.urdf", None, "tool0"),
    "ur10": (DATA / "ur_description/urdf/ur10_robot.urdf", None, "tool0"),
    "ur5-gripper": (DATA / "ur_description/urdf/ur5_gripper.urdf", None, "tool0"),
    "panda": (DATA / "panda_description/urdf/panda.urdf", None, "panda_hand_tcp"),
    "kinova": (DATA / "kinova_description/robots/kinova.urdf", None, "j2s6s200_end_effector"),
    "xarm7": (DATA / "xarm_description/urdf/xarm7.urdf", None, "link7"),
    "z1": (DATA / "z1_description/urdf/z1.urdf", None, "link06"),
    "so101": (DATA / "so_arm_description/urdf/so101.urdf", None, "gripper_frame_link"),
    "talos-arm": (DATA / "talos_data/robots/talos_left_arm.urdf", None, "arm_left_7_link"),
    "tiago": (DATA / "tiago_description/robots/tiago_no_hand.urdf", "torso_lift_link", "arm_7_link"),
    "baxter": (DATA / "baxter_description/urdf/baxter.urdf", "torso", "left_wrist"),
    "irb140": (RTB / "abb_irb140_description/urdf/irb140.urdf", None, "tool0"),
    "kr210": (RTB / "kuka_description/kuka_kr210/urdf/kr210l150.urdf", None, "tool0"),
    "kr16": (RTB / "kuka_description/kuka_kr16/urdf/kr16_2.urdf", None, "tool0"),
    "iiwa14": (RTB / "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf", None, "tool0"),
}
MJCFS = {  # package: files below it and tips
    "robosuite": {
        f"models/assets/robots/{name}/robot.xml": "right_hand"
        for name in ("panda", "sawyer", "iiwa", "ur5e", "kinova3", "jaco")
    },
    "gymnasium_robotics": {
        "envs/assets/fetch/reach.xml": "robot0:grip",
        "envs/assets/kitchen_franka/franka_assets/franka_panda.xml": "EEF",
    },
}
AS_MJCF = ("ur3", "ur5", "ur10", "panda", "xarm7", "z1", "so101", "irb140", "kr210", "iiwa14")
MESHES = (".stl", ".obj")  # that MuJoCo reads


def held(lower, upper):
    """Where joints off the chain rest: at 0, or at the limit nearest to it."""
    return np.minimum(np.maximum(0.0, lower), upper)


def mesh_file(named, file):
    """Where a mesh lies that a URDF names: in a folder above it, with or without its package's name."""
    plain = re.sub(r"^(package|file)://", "", named)
    places = [above / tail for above in file.parents for tail in (plain, plain.split("/", 1)[-1])]
    return next((place for place in places if place.is_file()), named)


def own_pairs(robot, links):
    """The pairs of shapes, by their links, that are not neighbours, nor allowed to touch, nor mostly do."""
    geometry = robot.geometry
    apart = {frozenset(pair) for pair in geometry.checked}
    apart |= {frozenset(pair) for pair, why in geometry.left_out.items() if why == "far apart"}
    return [(j, k) for j, k in combinations(range(len(links)), 2) if {links[j], links[k]} in apart]


class UrdfJudge:
    """The robot of a URDF as pinocchio and coal have it."""

    def __init__(self, file, robot):
        text = file.read_text()
        for named in set(re.findall(r'filename="([^"]+)"', text)):
            text = text.replace(f'"{named}"', f'"{mesh_file(named, file)}"')
        self.model = pin.buildModelFromXML(text)
        self.shapes = pin.buildGeomFromUrdfString(self.model, text, pin.COLLISION)
        self.data, self.shape_data = self.model.createData(), pin.GeometryData(self.shapes)
        self.base = self.model.getFrameId(robot.model.base)
        base_joint = self.model.frames[self.base].parentJoint
        self.moving = [  # what the chain's joints move in space
            k for k, each in enumerate(self.shapes.geometryObjects)
            if {self.model.names[j] for j in self.model.supports[each.parentJoint]} & set(robot.model.moving_names)
        ]  # fmt: skip
        assert not {self.model.names[j] for j in self.model.supports[base_joint]} & set(robot.model.moving_names)
        self.names = robot.joint_names
        self.moving = [k for k in self.moving if not self.turns_on_the_spot(k)]
        links = [self.model.frames[each.parentFrame].name for each in self.shapes.geometryObjects]
        self.own, self.triangles = own_pairs(robot, links), {}

    def q(self, values):
        """The whole configuration."""
        q = pin.neutral(self.model)
        for j in range(1, self.model.njoints):
            at, name, joint = self.model.idx_qs[j], self.model.names[j], self.model.joints[j]
            if name in self.names:
                value = values[self.names.index(name)]
            elif joint.nq == 1:
                value = held(self.model.lowerPositionLimit[at], self.model.upperPositionLimit[at])
            else:
                continue
            q[at : at + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        return q

    def turns_on_the_spot(self, k):
        """Whether shape k is round and no joint of the chain moves its axis: it is mounted there, as the base is."""
        shape = self.shapes.geometryObjects[k].geometry
        if not isinstance(shape, (coal.Sphere, coal.Capsule, coal.Cylinder)):
            return False
        end, places = np.array([0.0, 0.0, getattr(shape, "halfLength", 0.0)]), []
        for share in (0.3, 0.6):
            q = self.q([share] * len(self.names))
            pin.updateGeometryPlacements(self.model, self.data, self.shapes, self.shape_data, q)
            places.append([self.shape_data.oMg[k] * end, self.shape_data.oMg[k] * -end])
        return bool(np.ptp(places, axis=0).max() < ON_THE_SPOT)

    def distance(self, values, obstacles):
        """The least distance of what moves from obstacles, and of links that must not touch [m]."""
        pin.updateGeometryPlacements(self.model, self.data, self.shapes, self.shape_data, self.q(values))
        pin.updateFramePlacements(self.model, self.data)
        T = self.data.oMf[self.base]
        least = np.inf
        for shape, R, p in obstacles:
            at = T * pin.SE3(R, p)
            least = min([least, *(self.between(k, shape, at) for k in self.moving)])
            if least > 0.0 and any(self.holds(k, at.translation) for k in self.moving):
                return -ROOM  # triangles have no inside, but links have
        for j, k in self.own:
            least = min(least, self.between(j, self.shapes.geometryObjects[k].geometry, self.shape_data.oMg[k]))
        return least

    def holds(self, k, point):
        """Whether the closed mesh of shape k winds about a point (van Oosterom and Strackee 1983)."""
        shape = self.shapes.geometryObjects[k].geometry
        if not isinstance(shape, coal.BVHModelBase):
            return False
        if k not in self.triangles:
            corners, faces = np.array(shape.vertices()), range(shape.num_tris)
            self.triangles[k] = corners[[[shape.tri_indices(f)[i] for i in range(3)] for f in faces]]
        a, b, c = np.moveaxis(self.triangles[k] - self.shape_data.oMg[k].inverse() * point, 1, 0)
        x, y, z = (np.linalg.norm(each, axis=1) for each in (a, b, c))
        below = x * y * z + (a * b).sum(axis=1) * z + (b * c).sum(axis=1) * x + (c * a).sum(axis=1) * y
        return abs(np.arctan2((a * np.cross(b, c)).sum(axis=1), below).sum()) > np.pi

    def solids(self, values, count, rng):
        """The link of every shape, and points of it in the base frame at joint values."""
        pin.updateGeometryPlacements(self.model, self.data, self.shapes, self.shape_data, self.q(values))
        pin.updateFramePlacements(self.model, self.data)
        for k, each in enumerate(self.shapes.geometryObjects):
            link, shape = self.model.frames[each.parentFrame].name, each.geometry
            if isinstance(shape, coal.BVHModelBase):
                self.holds(k, np.zeros(3))  # reads its triangles
                points = on_triangles(self.triangles[k], count, rng)
                middles = 0.5 * (points[:INSIDE] + points[-INSIDE:])
                points = np.concatenate([points, [p for p in middles if self.holds(k, self.shape_data.oMg[k] * p)]])
            else:
                points = in_primitive(type(shape).__name__, coal_size(shape), count, rng)
            at = self.data.oMf[self.base].inverse() * self.shape_data.oMg[k]
            yield link, points @ at.rotation.T + at.translation

    def between(self, k, shape, at):
        """The distance of the robot's shape k from another, by coal."""
        own, placed = self.shapes.geometryObjects[k].geometry, self.shape_data.oMg[k]
        places = [coal.Transform3s(each.rotation, each.translation) for each in (placed, at)]
        return coal.distance(own, places[0], shape, places[1], coal.DistanceRequest(), coal.DistanceResult())


class MjcfJudge:
    """The robot of an MJCF as MuJoCo has it, with balls, capsules and boxes that can be put anywhere."""

    def __init__(self, file, robot):
        import mujoco  # noqa: PLC0415 (an extra)

        self.mujoco, spec = mujoco, mujoco.MjSpec.from_file(str(file))
        for k in range(OBSTACLES):
            body = spec.worldbody.add_body(name=f"obstacle{k}", mocap=True)
            body.add_geom(name=f"obstacle{k}", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0.1, 0.1])
        self.model = spec.compile()
        self.data, self.names = mujoco.MjData(self.model), robot.joint_names
        chain = {self.model.joint(name).id for name in robot.model.moving_names}
        self.moving = []
        for geom in range(self.model.ngeom):
            body, joints = self.model.geom_bodyid[geom], set()
            while body:
                first = self.model.body_jntadr[body]
                joints |= set(range(first, first + self.model.body_jntnum[body])) if first >= 0 else set()
                body = self.model.body_parentid[body]
            if joints & chain and (self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]):
                self.moving.append(geom)
        links = [self.model.body(self.model.geom_bodyid[geom]).name for geom in self.moving]
        self.own = [(self.moving[j], self.moving[k]) for j, k in own_pairs(robot, links)]

    def move(self, values):
        """Puts the joints of the chain where they shall be."""
        for name, value in zip(self.names, values, strict=True):
            self.data.qpos[self.model.joint(name).qposadr[0]] = value

    def hull(self, mesh):
        """(t, 3, 3) the triangles of a mesh's convex hull, as MuJoCo keeps them: counts, two rows a corner, edges."""
        model, at = self.model, self.model.mesh_graphadr[mesh]
        corners, faces = model.mesh_graph[at : at + 2]
        first = at + 2 + 3 * corners + 3 * faces
        numbers = model.mesh_graph[first : first + 3 * faces].reshape(-1, 3)
        return model.mesh_vert[model.mesh_vertadr[mesh] + numbers].astype(float)

    def solids(self, values, count, rng):
        """The body of every geom that moves, and points of it in the world at joint values; of a mesh its hull's."""
        mujoco, model, data = self.mujoco, self.model, self.data
        self.move(values)
        mujoco.mj_kinematics(model, data)
        for geom in self.moving:
            kind = mujoco.mjtGeom(model.geom_type[geom])
            if kind == mujoco.mjtGeom.mjGEOM_MESH:
                points = on_triangles(self.hull(model.geom_dataid[geom]), count, rng)
                points = np.concatenate([points, 0.5 * (points[:INSIDE] + points[-INSIDE:])])
            else:
                points = in_primitive(kind.name[7:].capitalize(), model.geom_size[geom], count, rng)
            link = model.body(model.geom_bodyid[geom]).name
            yield link, points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]

    def distance(self, values, obstacles):
        """The least distance of what moves from obstacles, and of links that must not touch [m]."""
        mujoco, model, data = self.mujoco, self.model, self.data
        self.move(values)
        kinds = {
            coal.Sphere: mujoco.mjtGeom.mjGEOM_SPHERE,
            coal.Capsule: mujoco.mjtGeom.mjGEOM_CAPSULE,
            coal.Box: mujoco.mjtGeom.mjGEOM_BOX,
        }
        for k, (shape, R, p) in enumerate(obstacles):
            geom, quat = model.geom(f"obstacle{k}").id, np.empty(4)
            model.geom_type[geom] = kinds[type(shape)]
            size = (
                shape.halfSide
                if isinstance(shape, coal.Box)
                else [shape.radius, getattr(shape, "halfLength", 0.0), 0.0]
            )
            model.geom_size[geom], model.geom_rbound[geom] = size, np.linalg.norm(size)
            mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
            data.mocap_pos[k], data.mocap_quat[k] = p, quat
        mujoco.mj_kinematics(model, data)
        least, ends = np.inf, np.zeros(6)
        for k in range(len(obstacles)):
            other = model.geom(f"obstacle{k}").id
            for geom in self.moving:
                least = min(least, mujoco.mj_geomDistance(model, data, geom, other, 2.0, ends))
        return min([least, *(mujoco.mj_geomDistance(model, data, j, k, 2.0, ends) for j, k in self.own)])


def coal_size(shape):
    """The sizes of a primitive of coal's as MuJoCo has them: radius and half length, or half axes."""
    if isinstance(shape, coal.Box):
        return np.array(shape.halfSide)
    return np.array([shape.radius, getattr(shape, "halfLength", 0.0), 0.0])


def in_primitive(kind, size, count, rng):
    """Points all over a primitive along z, its surface included."""
    ball = rng.normal(size=(count, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    ball[::2] *= rng.uniform(size=(len(ball[::2]), 1)) ** (1 / 3)
    if kind == "Box":
        points = rng.uniform(-1.0, 1.0, (count, 3))
        points[np.arange(0, count, 2), rng.integers(3, size=len(points[::2]))] = rng.choice([-1.0, 1.0])
        return points * size
    if kind == "Cylinder":
        way = ball[:, :2] / np.linalg.norm(ball[:, :2], axis=1)[:, None]
        off = np.sqrt(rng.uniform(size=(count, 1)))
        off[::2] = 1.0
        return np.column_stack([size[0] * off * way, size[1] * rng.choice([-1.0, 1.0, rng.uniform(-1, 1)], count)])
    if kind == "Ellipsoid":
        return ball * size
    along = rng.uniform(-1.0, 1.0, count) * size[1] if kind == "Capsule" else np.zeros(count)
    assert kind in ("Sphere", "Capsule"), kind
    return ball * size[0] + np.column_stack([np.zeros((count, 2)), along])


def on_triangles(triangles, count, rng):
    """Points all over (t, 3, 3) triangles, their corners first."""
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    a, b, c = np.moveaxis(triangles[rng.choice(len(triangles), count, p=areas / areas.sum())], 1, 0)
    u, v = np.sqrt(rng.uniform(size=(count, 1))), rng.uniform(size=(count, 1))
    return np.concatenate([triangles.reshape(-1, 3), (1 - u) * a + u * (1 - v) * b + u * v * c])


def sticks_out(name, robot, judge, count):
    """The farthest that any of so many points of a shape is outside of its link's capsules [m]; says where."""
    rng, geometry, model = np.random.default_rng(18), robot.geometry, robot.model
    q, frames = robot.sample(1, rng_seed=18)[0], np.empty((model.m + 1, 4, 4))
    fk_frames(model.links, model.joints, q, frames)
    capsules = [placed(model, frames, row) for row in geometry.bodies]
    worst, shapes = -np.inf, 0
    for link, points in judge.solids(q, count, rng):
        own = [capsule for capsule, owner in zip(capsules, geometry.names, strict=True) if owner == link]
        if not own:
            continue  # behind another joint than the chain's base
        out = np.full(len(points), np.inf)
        for a, way, radius in own:
            share = np.clip((points - a) @ way / max(way @ way, 1e-300), 0.0, 1.0)
            np.minimum(out, np.linalg.norm(points - a - share[:, None] * way, axis=1) - radius, out=out)
        worst, shapes = max(worst, float(out.max())), shapes + 1
        if out.max() > OUT:
            print(
                f"  {name}: {int((out > OUT).sum())} points of {link} stick out, by {1e3 * out.max():.4f} mm",
                flush=True,
            )
    print(f"  {name}: {count} points of each of {shapes} shapes, farthest out {1e3 * worst:.6f} mm", flush=True)
    return worst


def placed(model, frames, row):
    """A body of a geometry in the base frame: one end of its axis, the way to the other, its radius."""
    frame = int(row[FRAME])
    a, way = row[START : START + 3], row[SPAN : SPAN + 3]
    if frame >= 0:
        C = model.links[frame + 1]
        angle = np.arctan2(C[0, 2], -C[1, 2])  # by which the compact chain has it turned
        c, s = np.cos(angle), np.sin(angle)
        R = frames[frame, :3, :3] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        a, way = R @ a + frames[frame, :3, 3], R @ way
    return a, way, row[RADIUS]


def as_coal(obstacle):
    """An obstacle of forearm's as coal's, with its pose."""
    if isinstance(obstacle, fa.Sphere):
        return coal.Sphere(obstacle.radius), np.eye(3), np.array(obstacle.center)
    if isinstance(obstacle, fa.Box):
        return coal.Box(*obstacle.size), np.array(obstacle.rotation), np.array(obstacle.center)
    way = np.subtract(obstacle.b, obstacle.a)
    z = way / np.linalg.norm(way)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    return coal.Capsule(obstacle.radius, float(np.linalg.norm(way))), R, 0.5 * np.add(obstacle.a, obstacle.b)


def draw(robot, seed):
    """A target that the arm reaches, and obstacles about the arm that reaches it."""
    rng = np.random.default_rng([seed, 18])
    q = robot.sample(1, rng_seed=seed)[0]
    points = np.concatenate([robot.fk_all(each)[:, :3, 3] for each in (q, *robot.sample(2, rng_seed=seed + 999))])
    size = min(1.0, robot.reach)
    found = []
    while len(found) < OBSTACLES:
        center = points[rng.integers(len(points))] + rng.normal(size=3) * 0.25 * size
        if np.linalg.norm(center) > 0.25 * size:
            found.append(draw_obstacle(rng, center))
    return q, found


def judge_robot(name, robot, judge, scenes, tally):
    """Asks for every scene, alone, in a batch and on a track, and has all answers judged."""
    drawn = [draw(robot, seed) for seed in range(scenes)]
    if not drawn:
        return
    for i, (q, obstacles) in enumerate(drawn):
        shapes, T = [as_coal(each) for each in obstacles], robot.fk(q)
        scene = Scene(obstacles)
        start = time.perf_counter()
        s = robot.solve(T, obstacles=scene, clearance=CLEARANCE)
        tally["time"].append(time.perf_counter() - start)
        tally["asked"] += 1
        if s.success:
            tally["free"] += 1
            count_touch(name, "single", i, judge.distance(s.q, shapes), tally)
        elif "(proven)" in s.reason:
            tally["proven"] += 1
            room = max((judge.distance(each, shapes) for each in postures(robot, T, q)), default=-np.inf)
            if room > CLEARANCE + ROOM:
                tally["wrong proofs"] += 1
                print(f"  {name} scene {i}: proven, but a posture has {1e3 * room:.1f} mm of room", flush=True)
        if i % 5 == 0:
            ends = robot.sample(2, rng_seed=i)
            way = ends[0] + np.linspace(0.0, 0.2, 20)[:, None] * (ends[1] - ends[0])
            track = robot.track(robot.fk(way), way[0], obstacles=scene, clearance=CLEARANCE)
            for a, b in zip(track.q[:-1], track.q[1:], strict=True):
                tally["track points"] += 1
                for share in (0.0, 0.5):
                    count_touch(name, "track", i, judge.distance(a + share * (b - a), shapes), tally)
    _, obstacles = drawn[0]
    batch = robot.solve_batch(np.array([robot.fk(q) for q, _ in drawn]), obstacles=obstacles, clearance=CLEARANCE)
    for i in np.flatnonzero(batch.success):
        tally["batch"] += 1
        count_touch(name, "batch", i, judge.distance(batch.q[i], [as_coal(each) for each in obstacles]), tally)


def say_times(name, robot, scenes):
    """Prints what solves take among obstacles: processor time as Python sees it, the least of some calls."""
    met, missed = [], []
    for seed in range(scenes):
        q, obstacles = draw(robot, seed)
        T, scene = robot.fk(q), Scene(obstacles)
        free = robot.solve(T, obstacles=scene, clearance=CLEARANCE, explain=False).success
        ask = partial(robot.solve, T, obstacles=scene, clearance=CLEARANCE, explain=False)
        (met if free else missed).append(least(ask, 9 if free else 3))
    middle, most = (f"{np.median(met):.1f}, p95 {np.percentile(met, 95):.1f}", max(met)) if met else ("none", np.nan)
    lost = f"median {1e-3 * np.median(missed):.2f}, largest {1e-3 * max(missed):.2f} ms" if missed else "none"
    print(f"  {name}: {len(met)} of {scenes} free, us median {middle}, largest {most:.0f}; missed: {lost}", flush=True)


def count_touch(name, what, i, distance, tally):
    """Counts a free answer that is nearer than the clearance."""
    if distance < CLEARANCE - ROUNDING:
        tally["touching"] += 1
        print(f"  {name} {what} {i}: free, but {1e3 * distance:.2f} mm by the judge", flush=True)


def postures(robot, T, q):
    """Postures that meet a target."""
    found = [q, *(branch.q for branch in robot.solve_all(T))]
    for start in robot.sample(WITNESSES, rng_seed=5):
        s = robot.solve(T, start)
        found += [s.q] if s.success else []
    return found


def robots():
    """Every robot that is there, with its judge: name, robot, judge; or the reason why not."""
    for name, (file, base, tip) in URDFS.items():
        yield (
            f"urdf {name}",
            lambda file=file, base=base, tip=tip: with_judge(fa.Robot.from_urdf, UrdfJudge, file, base, tip),
        )
    for package, files in MJCFS.items():
        spec = importlib.util.find_spec(package)
        for file, tip in files.items() if spec else ():
            path = Path(spec.origin).parent / file
            yield f"mjcf {file}", lambda path=path, tip=tip: with_judge(fa.Robot.from_mjcf, MjcfJudge, path, None, tip)
        if not spec:
            print(f"{package} is not installed; its arms are left out")
    for name in AS_MJCF:
        yield f"mjcf of {name}", lambda name=name: as_mjcf(*URDFS[name])


def with_judge(load, judge, file, base, tip):
    """A robot of a file, and its judge."""
    robot = load(file, base=base, tip=tip)
    return robot, judge(file, robot)


def as_mjcf(file, base, tip):
    """A URDF as MuJoCo writes it as MJCF, its collision meshes copied beside it."""
    import mujoco  # noqa: PLC0415 (an extra)
    import trimesh  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix="real-shapes-"))
    text = re.sub(
        r"<visual.*?</visual>|<transmission.*?</transmission>|<gazebo.*?</gazebo>", "", file.read_text(), flags=re.S
    )
    for k, named in enumerate(sorted(set(re.findall(r'filename="([^"]+)"', text)))):
        found = mesh_file(named, file)
        mesh = trimesh.load(found, force="mesh")
        mesh.export(folder / f"part{k}.stl")
        text = text.replace(f'"{named}"', f'"part{k}.stl"')
    text = re.sub(
        r"(<robot[^>]*>)", r'\1<mujoco><compiler fusestatic="false" strippath="false"/></mujoco>', text, count=1
    )
    (folder / "arm.urdf").write_text(text)
    before = os.getcwd()
    os.chdir(folder)
    try:
        spec = mujoco.MjSpec.from_file("arm.urdf")
        spec.compile()
        (folder / "arm.xml").write_text(spec.to_xml())
    finally:
        os.chdir(before)
    return with_judge(fa.Robot.from_mjcf, MjcfJudge, folder / "arm.xml", base, tip)


def main():
    """Prints a row per robot, and ends with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=60)
    parser.add_argument("--only", default="", help="robots with one of these words in their names, as in ur5,panda")
    parser.add_argument("--points", type=int, default=0, help="of each shape, that its capsules must hold")
    parser.add_argument("--times", type=int, default=0, help="scenes in which solves are timed, unexplained")
    asked = parser.parse_args()
    only, wrong = asked.only.split(",") if asked.only else [""], 0
    print("robot | capsules | excess of a link in mm, largest (median) | links with more than wished", end="")
    print(" | asked | free | proven | batch | track points | touching | wrong proofs | ms")
    for name, load in robots():
        if not any(word in name for word in only):
            continue
        try:
            robot, judge = load()
        except Exception as problem:  # whatever a reader raises: a robot that is not there is told, and not judged
            print(f"{name} | not judged: {' '.join(str(problem).split())[:150]}", flush=True)
            continue
        keys = ("asked", "free", "proven", "batch", "track points", "touching", "wrong proofs")
        tally = dict.fromkeys(keys, 0) | {"time": []}
        judge_robot(name, robot, judge, asked.scenes, tally)
        if asked.times:
            say_times(name, robot, asked.times)
        held = asked.points == 0 or sticks_out(name, robot, judge, asked.points) <= OUT
        excess = list(robot.geometry.excess.values()) or [0.0]
        counts = " | ".join(str(tally[key]) for key in keys)
        missed = len(robot.geometry.missed)
        fits = f"{1e3 * max(excess):.0f} ({1e3 * np.median(excess):.0f}) | {missed} of {len(robot.geometry.excess)}"
        middle = 1e3 * np.median(tally["time"] or [np.nan])
        print(f"{name} | {len(robot.geometry.bodies)} | {fits} | {counts} | {middle:.2f}", flush=True)
        for note in robot.geometry.notes:
            print(f"  {note}"[:300])
        if robot.geometry.notes:
            print(f"  {name}: parts of it are guessed, so what touches does not count")
            tally["touching"] = 0
        wrong += tally["touching"] + tally["wrong proofs"] + (not held and not robot.geometry.notes)
    print(f"wrong in all: {wrong}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
