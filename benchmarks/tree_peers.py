"""pink, mink and placo on the goal sets of `benchmarks/tree.py`, each in a process of its own.

python benchmarks/tree_peers.py PEER < asked.json > answered.json    # as `tree.py --peers` calls it

Each has its own Pinocchio or MuJoCo, which need not be the judge's: placo's clashes with a newer one. All read one URDF
without shapes, in which joints that no answer has are fixed and a base that drives is three joints; each has 6 starts
of 50 steps, untuned. What they return is judged by the caller.
"""

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

STARTS, STEPS = 6, 50
ARRIVED = 5e-7  # largest entry of a task's error [m] or [rad]
DAMPING = 1e-6  # of a peer's Levenberg-Marquardt
FAR = 20.0  # limits of what has none [m] or [rad]
CENTRE = "centre of mass"
PACKAGES = {"pink": "pin-pink", "mink": "mink", "placo": "placo"}


# -- what is asked -------------------------------------------------------------------------------


def plain_urdf(case):
    """The robot's URDF as all peers read it."""
    robot = ElementTree.fromstring(case.text)
    kept = ElementTree.Element("robot", {"name": "robot"})
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    for link in robot.findall("link"):
        for extra in ("visual", "collision", *(() if case.com else ("inertial",))):  # some inertias are refused
            for found in link.findall(extra):
                link.remove(found)
        kept.append(link)
    for joint in robot.findall("joint"):
        for extra in ("mimic", "safety_controller", "calibration", "dynamics"):
            for found in joint.findall(extra):
                joint.remove(found)
        if joint.get("name") not in case.tree.joint_names:
            joint.set("type", "fixed")
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
            for found in joint.findall("limit"):
                joint.remove(found)
            ElementTree.SubElement(joint, "limit", bounded())
        kept.append(joint)
    if case.base == "planar":
        (root,) = {link.get("name") for link in robot.findall("link")} - children
        drive(kept, root)
    return ElementTree.tostring(kept, encoding="unicode")


def bounded():
    """The limits of what has none."""
    return {"lower": str(-FAR), "upper": str(FAR), "velocity": "1000", "effort": "1000"}


def drive(robot, root):
    """Puts three joints of a base that drives in front of a root."""
    rows = (("base/x", "prismatic", "1 0 0"), ("base/y", "prismatic", "0 1 0"), ("base/yaw", "revolute", "0 0 1"))
    for i, (name, kind, axis) in enumerate(rows):
        ElementTree.SubElement(robot, "link", {"name": f"drive {i}"})
        joint = ElementTree.SubElement(robot, "joint", {"name": name, "type": kind})
        ElementTree.SubElement(joint, "parent", {"link": f"drive {i}"})
        ElementTree.SubElement(joint, "child", {"link": root if i == 2 else f"drive {i + 1}"})
        ElementTree.SubElement(joint, "axis", {"xyz": axis})
        ElementTree.SubElement(joint, "limit", bounded())


def run_peer(peer, folder, case, count, seed):
    """A line for a peer: what it solved as Pinocchio has it, its mean time, and its median from near starts."""
    rng, asked, sets = np.random.default_rng(seed), [], []
    for _ in range(count):
        wanted, q, base = case.goals(rng)
        near = np.clip(q + rng.uniform(-0.05, 0.05, q.size), *case.tree.limits), base
        sets.append(wanted)
        asked.append({"goals": listed(wanted), "starts": [
            (q.tolist(), base.tolist()) for q, base in [case.draw(rng) for _ in range(STARTS)] + [near]
        ]})  # fmt: skip
    head = {"urdf": plain_urdf(case), "free": case.base == "free", "joints": list(case.tree.joint_names)}
    paths = [folder, str(Path(folder, "cmeel.prefix/lib", f"python3.{sys.version_info.minor}", "site-packages"))]
    paths = (paths if folder else []) + [os.environ.get("PYTHONPATH", "")]
    ran = subprocess.run(
        [sys.executable, __file__, peer], input=json.dumps({**head, "tips": list(case.tips), "sets": asked}), text=True,
        capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, check=False,
    )  # fmt: skip
    if ran.returncode:
        return {"robot": case.name, "peer": peer, "skipped": (ran.stderr.strip() or "no words").splitlines()[-1]}
    told = json.loads(ran.stdout.splitlines()[-1])
    met = [
        [case.is_met(np.array(q), np.array(base), wanted) for q, base in answers]
        for wanted, answers in zip(sets, told["answers"], strict=True)
    ]
    cold, close = np.sum(met, axis=0) if met else (0, 0)
    return {"robot": case.name, "peer": told["peer"], "solved": f"{cold} of {count}", "mean [ms]": 1e3 * told["mean"],
            "near solved": f"{close} of {count}", "near, median [us]": 1e6 * told["near"]}  # fmt: skip


def listed(wanted):
    """Goals as lists."""
    return {name: np.asarray(target).tolist() for name, target in wanted.items()}


# -- the peers: each knows how to stand, what is left, and one step ------------------------------


class Pink:
    """pink, on its own Pinocchio model."""

    def __init__(self, asked):
        import pink  # noqa: PLC0415 (a peer, may be missing)
        import pink.tasks  # noqa: PLC0415
        import pinocchio as pin  # noqa: PLC0415

        self.pink, self.pin, self.free = pink, pin, asked["free"]
        self.model = pin.buildModelFromXML(asked["urdf"], *([pin.JointModelFreeFlyer()] if self.free else []))
        self.data = self.model.createData()
        self.columns = [self.model.joints[self.model.getJointId(name)].idx_q for name in asked["joints"]]
        self.tasks = {name: pink.FrameTask(name, 1.0, 1.0, lm_damping=DAMPING) for name in asked["tips"]}
        if CENTRE in asked["sets"][0]["goals"]:
            self.tasks[CENTRE] = pink.tasks.ComTask(cost=1.0, lm_damping=DAMPING)

    def aim(self, goals):
        """Sets the targets."""
        for name, target in goals.items():
            self.tasks[name].set_target(target if name == CENTRE else self.pin.SE3(target))

    def stand(self, q, base):
        """Goes to joint values and a base."""
        full = self.pin.neutral(self.model)
        full[self.columns] = q
        if self.free:
            full[:7] = self.pin.SE3ToXYZQUAT(self.pin.SE3(base))
        self.here = self.pink.Configuration(self.model, self.data, full)

    def error(self):
        """The largest entry of what is left."""
        return max(np.abs(task.compute_error(self.here)).max() for task in self.tasks.values())

    def step(self):
        """One step; whether there was one."""
        try:
            v = self.pink.solve_ik(self.here, list(self.tasks.values()), 1.0, solver="quadprog", safety_break=False)
        except self.pink.PinkError:
            return False
        self.here.integrate_inplace(v, 1.0)
        return True

    def where(self):
        """Joint values and the base."""
        q = self.here.q
        return q[self.columns], self.pin.XYZQUATToSE3(q[:7]).homogeneous if self.free else np.eye(4)


class Mink:
    """mink, on MuJoCo's reading of the URDF."""

    def __init__(self, asked):
        import mink  # noqa: PLC0415 (a peer, may be missing)
        import mujoco  # noqa: PLC0415

        self.mink, self.free = mink, asked["free"]
        self.model = mujoco.MjModel.from_xml_string(self.with_base(asked["urdf"]))
        self.columns = [int(self.model.joint(name).qposadr[0]) for name in asked["joints"]]
        self.tasks = {
            name: mink.FrameTask(name, "body", position_cost=1.0, orientation_cost=1.0, lm_damping=DAMPING)
            for name in asked["tips"]
        }
        if CENTRE in asked["sets"][0]["goals"]:
            self.tasks[CENTRE] = mink.ComTask(cost=1.0, lm_damping=DAMPING)
        self.limits = [mink.ConfigurationLimit(self.model)]
        self.here = mink.Configuration(self.model)

    def with_base(self, urdf):
        """The URDF with what MuJoCo wants to know: no link is merged, none is without mass, a base that floats."""
        robot = ElementTree.fromstring(urdf)
        compiler = {"fusestatic": "false", "boundmass": "1e-9", "boundinertia": "1e-9", "balanceinertia": "true"}
        ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler", compiler)
        if self.free:
            children = {joint.find("child").get("link") for joint in robot.findall("joint")}
            (root,) = {link.get("name") for link in robot.findall("link")} - children
            ElementTree.SubElement(robot, "link", {"name": "world"})
            joint = ElementTree.SubElement(robot, "joint", {"name": "floats", "type": "floating"})
            ElementTree.SubElement(joint, "parent", {"link": "world"})
            ElementTree.SubElement(joint, "child", {"link": root})
        return ElementTree.tostring(robot, encoding="unicode")

    def aim(self, goals):
        """Sets the targets."""
        for name, target in goals.items():
            self.tasks[name].set_target(target if name == CENTRE else self.mink.SE3.from_matrix(target))

    def stand(self, q, base):
        """Goes to joint values and a base."""
        full = self.model.qpos0.copy()
        full[self.columns] = q
        if self.free:
            full[:3], full[3:7] = base[:3, 3], self.mink.SO3.from_matrix(base[:3, :3]).wxyz
        self.here.update(full)

    def error(self):
        """The largest entry of what is left."""
        return max(np.abs(task.compute_error(self.here)).max() for task in self.tasks.values())

    def step(self):
        """One step; whether there was one."""
        try:
            v = self.mink.solve_ik(self.here, list(self.tasks.values()), 1.0, solver="daqp", limits=self.limits)
        except self.mink.NoSolutionFound:
            return False
        self.here.integrate_inplace(v, 1.0)
        return True

    def where(self):
        """Joint values and the base."""
        q, base = self.here.q, np.eye(4)
        if self.free:
            base[:3, :3], base[:3, 3] = self.mink.SO3(q[3:7] / np.linalg.norm(q[3:7])).as_matrix(), q[:3]
        return q[self.columns], base


class Placo:
    """placo, whose base always floats unless it is held."""

    def __init__(self, asked):
        import placo  # noqa: PLC0415 (a peer, may be missing)

        self.names = asked["joints"]
        self.robot = placo.RobotWrapper("robot.urdf", placo.Flags.ignore_collisions, asked["urdf"])
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(not asked["free"])
        self.solver.enable_joint_limits(True)
        self.tasks = {name: self.solver.add_frame_task(name, np.eye(4)) for name in asked["tips"]}
        for name, task in self.tasks.items():
            task.configure(name, "soft", 1.0, 1.0)
        self.centre = self.solver.add_com_task(np.zeros(3)) if CENTRE in asked["sets"][0]["goals"] else None
        if self.centre is not None:
            self.centre.configure(CENTRE, "soft", 1.0)
        self.parts = [part for task in self.tasks.values() for part in (task.position(), task.orientation())]
        self.parts += [] if self.centre is None else [self.centre]
        self.solver.add_regularization_task(DAMPING)

    def aim(self, goals):
        """Sets the targets."""
        for name, target in goals.items():
            if name == CENTRE:
                self.centre.target_world = target
            else:
                self.tasks[name].T_world_frame = target

    def stand(self, q, base):
        """Goes to joint values and a base."""
        for name, value in zip(self.names, q, strict=True):
            self.robot.set_joint(name, value)
        self.robot.set_T_world_fbase(base)
        self.robot.update_kinematics()

    def error(self):
        """The largest norm of what is left."""
        most = 0.0
        for task in self.parts:
            task.update()  # its error is else that of the step before
            most = max(most, task.error_norm())
        return most

    def step(self):
        """One step; whether there was one."""
        try:
            self.solver.solve(True)
        except RuntimeError:
            return False
        self.robot.update_kinematics()
        return True

    def where(self):
        """Joint values and the base."""
        return np.array([self.robot.get_joint(name) for name in self.names]), self.robot.get_T_world_fbase()


PEERS = {"pink": Pink, "mink": Mink, "placo": Placo}


def descend(peer, q, base):
    """One start: whether it arrived."""
    peer.stand(np.array(q), np.array(base))
    for _ in range(STEPS):
        if peer.error() <= ARRIVED:
            return True
        if not peer.step():
            return False
    return peer.error() <= ARRIVED


def main():
    """Reads what is asked, writes what a peer answers."""
    name, asked = sys.argv[1], json.load(sys.stdin)
    peer, answers, cold, near = PEERS[name](asked), [], [], []
    for each in asked["sets"]:
        *starts, close = each["starts"]
        peer.aim({goal: np.array(target) for goal, target in each["goals"].items()})
        begin = time.thread_time()
        any(descend(peer, q, base) for q, base in starts)
        cold.append(time.thread_time() - begin)
        far = [part.tolist() for part in peer.where()]
        begin = time.thread_time()
        descend(peer, *close)
        near.append(time.thread_time() - begin)
        answers.append((far, [part.tolist() for part in peer.where()]))
    told = {"peer": f"{name} {version(PACKAGES[name])}", "answers": answers}
    print(json.dumps({**told, "mean": float(np.mean(cold)), "near": float(np.median(near))}))


if __name__ == "__main__":
    main()
