"""FK and Jacobian against pinocchio, for every leaf link of every URDF two data packages carry."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from forearm.core.arm.kinematics import fk_tip, jacobian
from forearm.errors import ModelError
from forearm.models.urdf import from_urdf

AGREEMENT = 1e-12  # [m] and [rad]
CONFIGURATIONS = 3


def package_folder(name):
    """Where a package that only carries data is installed."""
    spec = importlib.util.find_spec(name)
    assert spec is not None, f"{name} is not installed"
    return Path(next(iter(spec.submodule_search_locations)))


def find_urdfs():
    """Every URDF of example-robot-data and rtb-data."""
    pinocchio = package_folder("pinocchio")
    share = next(p for p in pinocchio.parents if p.name == "cmeel.prefix") / "share" / "example-robot-data"
    return sorted(share.rglob("*.urdf")) + sorted(package_folder("rtbdata").rglob("*.urdf"))


def loads_in_pinocchio(path):
    try:
        pin.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError):
        return False
    return True


LOADABLE = [path for path in find_urdfs() if loads_in_pinocchio(path)]


def test_at_least_forty_files_were_found():
    assert len(LOADABLE) >= 40


class Oracle:
    """A URDF as pinocchio and a plain XML reader see it."""

    def __init__(self, path):
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        root = ElementTree.parse(path).getroot()
        joints = root.findall("joint")
        parents = {joint.find("parent").get("link") for joint in joints}
        self.leaves = [link.get("name") for link in root.findall("link") if link.get("name") not in parents]
        names = {joint.get("name") for joint in joints}
        mimics = {joint.get("name"): joint.find("mimic") for joint in joints if joint.find("mimic") is not None}
        # One file has joints that mimic a joint it does not hold: they count as joints of their own.
        self.mimic = {name: element for name, element in mimics.items() if element.get("joint") in names}

    def driven_by(self, joint):
        """(driver, ratio, offset) of a joint, following its mimic elements."""
        ratio, offset = 1.0, 0.0
        while joint in self.mimic:
            element = self.mimic[joint]
            offset += ratio * float(element.get("offset", 0.0))
            ratio *= float(element.get("multiplier", 1.0))
            joint = element.get("joint")
        return joint, ratio, offset

    def evaluate(self, robot, q, tip):
        """Pose and Jacobian of the tip for the robot's variables, by pinocchio."""
        full = pin.neutral(self.model)
        values = dict(zip(robot.joint_names, q, strict=True))
        for name in robot.moving_names:
            driver, ratio, offset = self.driven_by(name)
            joint = self.model.joints[self.model.getJointId(name)]
            value = ratio * values[driver] + offset
            full[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
        frame = self.model.getFrameId(tip, pin.FrameType.BODY)
        columns = pin.computeFrameJacobian(self.model, self.data, full, frame, pin.LOCAL_WORLD_ALIGNED)
        pin.updateFramePlacements(self.model, self.data)
        J = np.zeros((6, robot.n))
        for name in robot.moving_names:
            driver, ratio, _ = self.driven_by(name)
            column = self.model.joints[self.model.getJointId(name)].idx_v
            J[:, robot.joint_names.index(driver)] += ratio * columns[:, column]
        return self.data.oMf[frame].homogeneous, J


def chain_to(path, tip):
    """The chain to a tip, or None if no joint moves on the way."""
    try:
        return from_urdf(path, tip=tip)
    except ModelError as error:
        if "no joint moves between" in str(error):
            return None
        raise


@pytest.mark.parametrize("path", LOADABLE, ids=lambda path: path.stem)
def test_fk_and_jacobian_agree_with_pinocchio_for_every_leaf(path):
    oracle = Oracle(path)
    rng = np.random.default_rng(0)
    compared = 0
    for tip in oracle.leaves:
        robot = chain_to(path, tip)
        if robot is None:
            continue
        for _ in range(CONFIGURATIONS):
            q = rng.uniform(-3.0, 3.0, robot.n)
            T, J = np.empty((4, 4)), np.empty((6, robot.n))
            fk_tip(robot.links, robot.joints, q, T)
            jacobian(robot.links, robot.joints, q, np.empty((robot.m + 1, 4, 4)), J)
            expected_T, expected_J = oracle.evaluate(robot, q, tip)
            np.testing.assert_allclose(T, expected_T, rtol=0, atol=AGREEMENT)
            np.testing.assert_allclose(J, expected_J, rtol=0, atol=AGREEMENT)
            compared += 1
    assert compared > 0 or oracle.model.nv == 0
