"""Small robots for tests: two arms on a torso that lifts and turns, with masses, a head, and a finger that follows."""

import numpy as np
import pinocchio as pin

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def link(name, mass=1.0, centre="0 0 0.1"):
    """A link with a mass."""
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>{inertia}</inertial></link>'


def joint(name, parent, child, axis, xyz, kind="revolute", limits=(-2.5, 2.5), more=""):
    """A joint and the link that it moves."""
    return (
        f'{link(child)}<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="0.1 0 0.2"/><axis xyz="{AXES[axis]}"/>'
        f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="1" velocity="2"/>{more}</joint>'
    )


def arm(side, y):
    """Six joints of one arm."""
    steps = [
        ("z", f"0 {y} 0.5"),
        ("y", "0 0 0.1"),
        ("x", "0 0 0.3"),
        ("y", "0 0 0.1"),
        ("z", "0 0 0.3"),
        ("y", "0 0 0.1"),
    ]
    text, parent = "", "torso"
    for k, (axis, xyz) in enumerate(steps):
        child = f"{side}_{k}" if k < 5 else f"{side}_hand"
        text += joint(f"{side}_j{k}", parent, child, axis, xyz)
        parent = child
    return text


def two_arms(follower=False):
    """The URDF of the robot; with a follower, one joint of the right arm moves with the left one's."""
    text = link("base", 10.0) + joint("lift", "base", "column", "z", "0 0 0.3", "prismatic", (0.0, 0.3))
    text += joint("turn", "column", "torso", "z", "0 0 0.2") + arm("left", 0.2) + arm("right", -0.2)
    text += joint("pan", "torso", "neck", "z", "0 0 0.7") + joint("tilt", "neck", "head", "y", "0 0 0.1")
    if follower:
        text = text.replace(
            '<joint name="right_j4" type="revolute">',
            '<joint name="right_j4" type="revolute"><mimic joint="left_j4" multiplier="-1"/>',
        )
    return f'<robot name="two arms">{text}</robot>'


class Judge:
    """Pinocchio's own reading of a URDF: where links are at joint values by name."""

    def __init__(self, urdf, free=False):
        self.model = pin.buildModelFromXML(urdf, *((pin.JointModelFreeFlyer(),) if free else ()))
        self.data, self.free = self.model.createData(), free
        self.whole = self if free else Judge(urdf, free=True)  # it leaves the mass of a base that stands out

    def configuration(self, q, base=None):
        """Pinocchio's vector of joint values."""
        full = pin.neutral(self.model)
        for name, value in q.items():
            if not self.model.existJointName(name):
                continue
            joint = self.model.joints[self.model.getJointId(name)]
            if joint.nq == 2:
                full[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                full[joint.idx_q] = value
        if self.free:
            full[:7] = pin.SE3ToXYZQUAT(pin.SE3(np.asarray(base)))
        return full

    def pose(self, q, link, base=None):
        """(4, 4) the pose of a link."""
        pin.framesForwardKinematics(self.model, self.data, self.configuration(q, base))
        T = self.data.oMf[self.model.getFrameId(link)].homogeneous
        return T.copy()

    def centre(self, q, base=None):
        """(3,) the centre of mass."""
        whole, where = self.whole, np.eye(4) if base is None else base
        return pin.centerOfMass(whole.model, whole.data, whole.configuration(q, where)).copy()


def off(T, goal):
    """Position [m] and rotation [rad] between two poses."""
    return np.linalg.norm(T[:3, 3] - goal[:3, 3]), np.linalg.norm(pin.log3(T[:3, :3].T @ goal[:3, :3]))
