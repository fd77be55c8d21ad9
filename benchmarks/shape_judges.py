"""Judges of an arm's real shapes that share no code with forearm: pinocchio and coal of a URDF, MuJoCo of an MJCF.

Each knows where every link is from the joint values alone, how near it comes to obstacles and to itself, and points all
over its shapes.
"""

import re
from functools import partial
from itertools import combinations
from xml.etree import ElementTree

import coal
import numpy as np
import pinocchio as pin

import forearm as fa

ROOM = 0.01  # what a posture must have more than the clearance to make a proof wrong [m]
ON_THE_SPOT = 1e-9  # what rounding may move an axis by [m]
INSIDE = 1000  # points of the inside of a mesh that are tried
OBSTACLES = 8  # of a scene, at most
MADE_SO, POSTURES = 0.9, 100  # in which share of so many random postures links touch that are made to
TIGHT, MOSTLY = 0.015, 0.5  # nearer than this [m] in such a share of them, links have no room for a clearance


def held(lower, upper):
    """Where joints off the chain rest: at 0, or at the limit nearest to it."""
    return np.minimum(np.maximum(0.0, lower), upper)


def mesh_file(named, file):
    """Where a mesh lies that a URDF names: in a folder above it, with or without its package's name."""
    plain = re.sub(r"^(package|file)://", "", named)
    places = [above / tail for above in file.parents for tail in (plain, plain.split("/", 1)[-1])]
    return next((place for place in places if place.is_file()), named)


def own_pairs(owners, joined, near):
    """The pairs of shapes that must not touch: not of one body, nor of links joined or made to touch; the tight ones.

    Tight are those that mostly have so little room that they can but be asked not to touch.

    Args:
        owners: The link of every shape.
        joined: Whether two links share a joint, or move as one.
        near: In which of some random postures two shapes are nearer than a distance; None if they may be.
    """
    pairs = [(j, k) for j, k in combinations(range(len(owners)), 2) if not joined(owners[j], owners[k])]
    touching, links = {pair: near(*pair, 0.0) for pair in pairs}, {}
    touching = {pair: found for pair, found in touching.items() if found is not None}
    for (j, k), found in touching.items():
        both = frozenset((owners[j], owners[k]))
        links[both] = links.get(both, False) | found
    kept = [(j, k) for j, k in touching if links[frozenset((owners[j], owners[k]))].mean() < MADE_SO]
    return kept, {(j, k) for j, k in kept if near(j, k, TIGHT).mean() >= MOSTLY}


def share_a_joint(parents, moving, solid, one, other):
    """Whether at most one of the moving joints lies between two links, and no link with a shape.

    Args:
        parents: The joint in front of a link and the link before that, by links.
        moving: Names of the joints that move.
        solid: The links with shapes.
        one: A link.
        other: Another.
    """
    ways = []
    for link in (one, other):
        way = [(link, None)]
        while way[-1][0] in parents:
            joint, before = parents[way[-1][0]]
            way.append((before, joint))
        ways.append(way)
    common = {link for link, _ in ways[0]} & {link for link, _ in ways[1]}
    steps = [next(k for k, (link, _) in enumerate(way) if link in common) for way in ways]
    joints = [joint for way, step in zip(ways, steps, strict=True) for _, joint in way[1 : step + 1]]
    links = {link for way, step in zip(ways, steps, strict=True) for link, _ in way[: step + 1]} - {one, other}
    count = len([joint for joint in joints if joint in moving])
    return count == 0 or (count == 1 and not links & solid)


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
        for each in self.shapes.geometryObjects:
            each.geometry.computeLocalAABB()
        links = [self.model.frames[each.parentFrame].name for each in self.shapes.geometryObjects]
        self.triangles, moved, solid = {}, set(robot.model.moving_names), set(links)
        parents = {
            joint.find("child").get("link"): (joint.get("name"), joint.find("parent").get("link"))
            for joint in ElementTree.fromstring(text).iter("joint") if joint.find("child") is not None
        }  # fmt: skip
        self.postures = robot.sample(POSTURES, rng_seed=18)
        self.places = []
        for values in self.postures:
            pin.updateGeometryPlacements(self.model, self.data, self.shapes, self.shape_data, self.q(values))
            self.places.append([at.copy() for at in self.shape_data.oMg])
        self.own, self.tight = own_pairs(links, partial(share_a_joint, parents, moved, solid), self.near)

    def near(self, j, k, distance):
        """In which of some random postures two shapes are nearer than a distance, or touch."""
        one, other = (self.shapes.geometryObjects[i].geometry for i in (j, k))
        found, request = np.zeros(len(self.places), bool), coal.CollisionRequest()
        request.security_margin, reach = distance, ball(one)[1] + ball(other)[1] + distance
        for i, places in enumerate(self.places):
            if np.linalg.norm(places[j] * ball(one)[0] - places[k] * ball(other)[0]) > reach:
                continue
            at = [coal.Transform3s(places[shape].rotation, places[shape].translation) for shape in (j, k)]
            found[i] = coal.collide(one, at[0], other, at[1], request, coal.CollisionResult()) > 0
        return found

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
            for k in self.moving:
                least = self.nearest(least, k, shape, at)
            if least > 0.0 and any(self.holds(k, at.translation) for k in self.moving):
                return -ROOM  # triangles have no inside, but links have
        for j, k in self.own:
            known = min(least, TIGHT) if (j, k) in self.tight else least
            found = self.nearest(known, j, self.shapes.geometryObjects[k].geometry, self.shape_data.oMg[k])
            least = min(least, found) if found <= 0.0 or (j, k) not in self.tight else least
        return least

    def nearest(self, least, k, shape, at):
        """The lesser of a distance and that of the robot's shape k from another, whose balls tell if it matters."""
        own, placed = self.shapes.geometryObjects[k].geometry, self.shape_data.oMg[k]
        apart = np.linalg.norm(placed * ball(own)[0] - at * ball(shape)[0]) - ball(own)[1] - ball(shape)[1]
        return least if apart > least else min(least, self.between(k, shape, at))

    def holds(self, k, point):
        """Whether the closed mesh of shape k winds about a point (van Oosterom and Strackee 1983)."""
        shape = self.shapes.geometryObjects[k].geometry
        if not isinstance(shape, coal.BVHModelBase):
            return False
        if np.linalg.norm(self.shape_data.oMg[k] * ball(shape)[0] - point) > ball(shape)[1]:
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
                self.holds(k, self.shape_data.oMg[k] * ball(shape)[0])  # reads its triangles
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
        self.data, self.names, self.base = mujoco.MjData(self.model), robot.joint_names, robot.model.base
        for joint in map(self.model.joint, range(self.model.njnt)):
            if joint.limited[0] and len(joint.qpos0) == 1:
                self.data.qpos[joint.qposadr[0]] = np.clip(joint.qpos0[0], *joint.range)  # MuJoCo rests at its ref
        chain = {self.model.joint(name).id for name in robot.model.moving_names}
        self.moving, touching = [], []
        for geom in range(self.model.ngeom):
            body, joints = self.model.geom_bodyid[geom], set()
            while body:
                first = self.model.body_jntadr[body]
                joints |= set(range(first, first + self.model.body_jntnum[body])) if first >= 0 else set()
                body = self.model.body_parentid[body]
            loose = any(self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE for j in joints)  # it lies about
            placed_here = self.model.body(self.model.geom_bodyid[geom]).mocapid[0] >= 0  # an obstacle
            if self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]:
                touching += [] if loose or placed_here else [geom]
                self.moving += [geom] if joints & chain else []
        self.moving = [geom for geom in self.moving if not self.turns_on_the_spot(geom)]
        bodies = self.model.geom_bodyid[touching].tolist()
        parents = {b: (b, self.model.body_parentid[b]) for b in range(1, self.model.nbody)}  # by the body they move
        moved = {int(self.model.jnt_bodyid[joint]) for joint in chain}
        joined = partial(share_a_joint, parents, moved, set(bodies))
        self.postures = robot.sample(POSTURES, rng_seed=18)
        found = own_pairs(bodies, lambda a, b: self.excluded(a, b) or joined(a, b), partial(self.near, touching))
        self.own, self.tight = ([(touching[j], touching[k]) for j, k in each] for each in found)

    def excluded(self, a, b):
        """Whether the file says that two bodies may touch."""
        return bool({(a << 16) + b, (b << 16) + a} & set(self.model.exclude_signature.tolist()))

    def near(self, geoms, j, k, distance):
        """In which of some random postures two geoms are nearer than a distance; None if their masks let them be."""
        model, (one, other), ends = self.model, (geoms[j], geoms[k]), np.zeros(6)
        types, meets = model.geom_contype, model.geom_conaffinity
        if not (types[one] & meets[other]) | (types[other] & meets[one]):
            return None
        found = np.zeros(len(self.postures), bool)
        for i, values in enumerate(self.postures):
            self.move(values)
            self.mujoco.mj_kinematics(model, self.data)
            found[i] = self.mujoco.mj_geomDistance(model, self.data, one, other, 1.0, ends) <= distance
        return found

    def turns_on_the_spot(self, geom):
        """Whether a geom is round and no joint of the chain moves its axis: it is mounted there, as the base is."""
        model, data = self.model, self.data
        kind = self.mujoco.mjtGeom(model.geom_type[geom]).name
        if kind not in ("mjGEOM_SPHERE", "mjGEOM_CAPSULE", "mjGEOM_CYLINDER"):
            return False
        half, places = 0.0 if kind == "mjGEOM_SPHERE" else model.geom_size[geom, 1], []
        for share in (0.3, 0.6):
            self.move([share] * len(self.names))
            self.mujoco.mj_kinematics(model, data)
            way = half * data.geom_xmat[geom].reshape(3, 3)[:, 2]
            places.append([data.geom_xpos[geom] + way, data.geom_xpos[geom] - way])
        return bool(np.ptp(places, axis=0).max() < ON_THE_SPOT)

    def move(self, values):
        """Puts the joints of the chain where they shall be."""
        for name, value in zip(self.names, values, strict=True):
            self.data.qpos[self.model.joint(name).qposadr[0]] = value

    def base_pose(self):
        """The rotation and place of the arm's base in the world, which no joint of the chain moves."""
        body = self.data.body(self.base)
        return body.xmat.reshape(3, 3).copy(), body.xpos.copy()

    def hull(self, mesh):
        """(t, 3, 3) the triangles of a mesh's convex hull, as MuJoCo keeps them: counts, two rows a corner, edges."""
        model, at = self.model, self.model.mesh_graphadr[mesh]
        corners, faces = model.mesh_graph[at : at + 2]
        first = at + 2 + 3 * corners + 3 * faces
        numbers = model.mesh_graph[first : first + 3 * faces].reshape(-1, 3)
        return model.mesh_vert[model.mesh_vertadr[mesh] + numbers].astype(float)

    def solids(self, values, count, rng):
        """The body of every geom that moves, and points of it in the base frame; of a mesh its hull's."""
        mujoco, model, data = self.mujoco, self.model, self.data
        self.move(values)
        mujoco.mj_kinematics(model, data)
        R_base, p_base = self.base_pose()
        for geom in self.moving:
            kind = mujoco.mjtGeom(model.geom_type[geom])
            if kind == mujoco.mjtGeom.mjGEOM_MESH:
                points = on_triangles(self.hull(model.geom_dataid[geom]), count, rng)
                points = np.concatenate([points, 0.5 * (points[:INSIDE] + points[-INSIDE:])])
            else:
                points = in_primitive(kind.name[7:].capitalize(), model.geom_size[geom], count, rng)
            link = model.body(model.geom_bodyid[geom]).name
            yield link, (points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom] - p_base) @ R_base

    def distance(self, values, obstacles):
        """The least distance of what moves from obstacles, and of links that must not touch [m]."""
        mujoco, model, data = self.mujoco, self.model, self.data
        self.move(values)
        mujoco.mj_kinematics(model, data)
        R_base, p_base = self.base_pose()
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
            mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R_base @ R).ravel())
            at = model.body(f"obstacle{k}").mocapid[0]  # a file may have such bodies of its own
            data.mocap_pos[at], data.mocap_quat[at] = p_base + R_base @ p, quat
        mujoco.mj_kinematics(model, data)
        least, ends = np.inf, np.zeros(6)
        for k in range(len(obstacles)):
            other = model.geom(f"obstacle{k}").id
            for geom in self.moving:
                least = min(least, mujoco.mj_geomDistance(model, data, geom, other, 2.0, ends))
        for j, k in self.own:
            found = mujoco.mj_geomDistance(model, data, j, k, 2.0, ends)
            least = min(least, found) if found <= 0.0 or (j, k) not in self.tight else least
        return least


def ball(shape):
    """The middle and the radius of a ball that holds a shape of coal's, whose box must be known."""
    return shape.aabb_center, shape.aabb_radius


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


def as_coal(obstacle):
    """An obstacle of forearm's as coal's, with its pose; its box is known."""
    shape, R, p = _as_coal(obstacle)
    shape.computeLocalAABB()
    return shape, R, p


def _as_coal(obstacle):
    """The same, with a box that is not."""
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
