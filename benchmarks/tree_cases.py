"""Robots with several tips for `benchmarks/tree.py`, goals that they can meet, and Pinocchio as their judge."""

import sysconfig
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from rich.console import Console
from rich.progress import track

import forearm as fa
from forearm.goals import CenterOfMass, Goal

try:
    import pinocchio as pin
except ImportError as problem:
    raise SystemExit("this benchmark is judged by Pinocchio: pip install pin example-robot-data") from problem

TOL = 1e-6
DATA = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
PR2, TALOS = "pr2_description/urdf/pr2.urdf", "talos_data/robots/talos_reduced.urdf"
G1, TIAGO = "g1_description/urdf/g1_29dof_rev_1_0.urdf", "tiago_description/robots/tiago_dual.urdf"
G1_TIPS = ("left_ankle_roll_link", "right_ankle_roll_link", "left_rubber_hand", "right_rubber_hand")
TALOS_TIPS = ("left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link")
# file, tips, base, whether the centre of mass is asked too; kernel cold and near of the recipe [us]
ROBOTS = {
    "dual ur10": ("dual", ("left_tool0", "right_tool0"), "fixed", False, (43, 7.1)),
    "pr2": (PR2, ("l_gripper_tool_frame", "r_gripper_tool_frame"), "fixed", False, (47, 11.5)),
    "baxter": ("baxter_description/urdf/baxter.urdf", ("left_gripper", "right_gripper"), "fixed", False, (45, 8.4)),
    "g1": (G1, G1_TIPS, "free", False, (87, 18)),
    "g1 + com": (G1, G1_TIPS, "free", True, (365, 36)),
    "talos + com": (TALOS, TALOS_TIPS, "free", True, (199, 29)),
    "tiago dual": (TIAGO, ("arm_left_tool_link", "arm_right_tool_link"), "planar", False, (24, 8.7)),
}


def dual_ur10():
    """The URDF of two UR10 side by side."""
    world = ElementTree.Element("robot", {"name": "dual ur10"})
    ElementTree.SubElement(world, "link", {"name": "stand"})
    for side, y in (("left", 0.6), ("right", -0.6)):
        arm = ElementTree.parse(DATA / "ur_description/urdf/ur10_robot.urdf").getroot()
        for element in arm:
            if element.tag in ("link", "joint"):
                element.set("name", f"{side}_{element.get('name')}")
                for end in ("parent", "child"):
                    if (found := element.find(end)) is not None:
                        found.set("link", f"{side}_{found.get('link')}")
                world.append(element)
        links = {element.get("name") for element in world if element.tag == "link"}
        children = {element.find("child").get("link") for element in world if element.tag == "joint"}
        (root,) = {link for link in links - children if link.startswith(side)}
        joint = ElementTree.SubElement(world, "joint", {"name": f"{side}_mount", "type": "fixed"})
        ElementTree.SubElement(joint, "origin", {"xyz": f"0 {y} 0", "rpy": "0 0 0"})
        ElementTree.SubElement(joint, "parent", {"link": "stand"})
        ElementTree.SubElement(joint, "child", {"link": root})
    return ElementTree.tostring(world, encoding="unicode")


class Case:
    """A robot, its judge, and random goals that it can meet."""

    def __init__(self, name):
        file, self.tips, self.base, self.com, self.floor = ROBOTS[name]
        self.name = name
        source = dual_ur10() if file == "dual" else DATA / file
        self.text = source if file == "dual" else source.read_text(errors="replace")
        folders = (DATA.parents[1],) if file == "dual" else ()  # of its meshes
        self.tree = fa.Tree.from_urdf(source, base=self.base, folders=folders)
        root = {"free": (pin.JointModelFreeFlyer(),), "planar": (pin.JointModelPlanar(),)}.get(self.base, ())
        self.model = pin.buildModelFromXML(self.text, *root)
        self.data = self.model.createData()

    def draw(self, rng):
        """Random joint values, and a base."""
        tree = self.tree
        q = tree.sample(1, rng_seed=int(rng.integers(2**31)))[0]
        base = np.eye(4)
        if self.base == "planar":
            q[:3] = *rng.uniform(-2, 2, 2), rng.uniform(-np.pi, np.pi)
        if self.base == "free":
            turn = rng.normal(size=4)
            base[:3, :3] = pin.Quaternion(turn / np.linalg.norm(turn)).toRotationMatrix()
            base[:3, 3] = rng.uniform(-1, 1, 3)
        return q, base

    def configuration(self, q, base):
        """Pinocchio's vector of what a solve returned."""
        full = pin.neutral(self.model)
        named = dict(zip(self.tree.joint_names, q, strict=True))
        for name in self.model.names[1:]:
            joint = self.model.joints[self.model.getJointId(name)]
            if name in named and joint.nq == 1:
                full[joint.idx_q] = named[name]
            elif name in named and joint.nq == 2:
                full[joint.idx_q : joint.idx_q + 2] = np.cos(named[name]), np.sin(named[name])
        if self.base == "free":
            full[:7] = pin.SE3ToXYZQUAT(pin.SE3(base))
        if self.base == "planar":
            full[:4] = q[0], q[1], np.cos(q[2]), np.sin(q[2])
        return full

    def place(self, q, base):
        """Poses of all frames of Pinocchio, and its centre of mass."""
        full = self.configuration(q, base)
        pin.framesForwardKinematics(self.model, self.data, full)
        return pin.centerOfMass(self.model, self.data, full).copy() if self.base == "free" else np.zeros(3)

    def pose(self, link):
        """(4, 4) of a link, as placed."""
        return self.data.oMf[self.model.getFrameId(link)].homogeneous.copy()

    def goals(self, rng):
        """What a random configuration makes of tips and centre of mass; and the configuration."""
        q, base = self.draw(rng)
        centre = self.place(q, base)
        wanted = {link: self.pose(link) for link in self.tips}
        return (wanted | ({"centre of mass": centre} if self.com else {})), q, base

    def is_met(self, q, base, wanted):
        """Whether goals are met and limits kept, by Pinocchio."""
        centre = self.place(q, base)
        for name, target in wanted.items():
            if np.shape(target) == (3,):
                if np.linalg.norm(centre - target) > TOL:
                    return False
            elif max(off(self.pose(name), target)) > TOL:
                return False
        lower, upper = self.tree.limits
        return bool(((q >= lower - 1e-9) & (q <= upper + 1e-9)).all())

    def stack(self):
        """The stack of its goals."""
        goals = [Goal(link, np.eye(4)) for link in self.tips]
        return self.tree.stack([*goals, *([CenterOfMass(np.zeros(3))] if self.com else [])])


def off(T, goal):
    """Position [m] and rotation [rad] between two poses."""
    return np.linalg.norm(T[:3, 3] - goal[:3, 3]), np.linalg.norm(pin.log3(T[:3, :3].T @ goal[:3, :3]))


def bar(items, words):
    """The items one by one, with a progress bar on standard error."""
    return track(items, words, console=Console(stderr=True), transient=True)
