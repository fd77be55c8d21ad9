"""The distance that is told of links on charts, on meshes of real robots: coal's, of where pinocchio puts them."""

import sysconfig
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.arm.geometry import heads_of, look_at_surfaces
from forearm.core.arm.chart import chart_gap

coal, pin = pytest.importorskip("coal"), pytest.importorskip("pinocchio")
trimesh = pytest.importorskip("trimesh")
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
FILES = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand_tcp"),
}
pytestmark = [pytest.mark.compiled, pytest.mark.skipif(not ROBOTS.is_dir(), reason="needs example-robot-data")]


class Judge:
    """The collision shapes of a URDF, meshes as their files have them."""

    def __init__(self, path):
        self.model = pin.buildModelFromUrdf(str(path))
        shapes = pin.buildGeomFromUrdf(self.model, str(path), pin.GeometryType.COLLISION, None, str(ROBOTS.parents[1]))
        self.data, self.meshes = self.model.createData(), {}
        for shape in shapes.geometryObjects:
            link, named = self.model.frames[shape.parentFrame].name, Path(shape.meshPath)
            mesh = self.triangles(trimesh.load_mesh(named), shape.meshScale) if named.is_file() else shape.geometry
            self.meshes.setdefault(link, []).append((mesh, shape))

    @staticmethod
    def triangles(mesh, scale):
        """A mesh as coal takes it."""
        found, corners = coal.BVHModelOBBRSS(), np.asarray(mesh.vertices) * scale
        found.beginModel(len(mesh.faces), len(corners))
        for face in mesh.faces:
            found.addTriangle(*corners[face])
        found.endModel()
        return found

    def distance(self, names, q, links):
        """How far two links are apart, 0 where they touch, at the values of named joints."""
        values = pin.neutral(self.model)
        for name, value in zip(names, q.tolist(), strict=True):
            joint = self.model.joints[self.model.getJointId(name)]
            values[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        pin.forwardKinematics(self.model, self.data, values)
        placed = [
            [(mesh, self.data.oMi[shape.parentJoint] * shape.placement) for mesh, shape in self.meshes[link]]
            for link in links
        ]
        return min(
            max(0.0, coal.distance(one, transform(A), other, transform(B), *asked()))
            for one, A in placed[0]
            for other, B in placed[1]
        )


def transform(M):
    return coal.Transform3s(M.rotation.copy(), M.translation.copy())


def asked():
    return coal.DistanceRequest(), coal.DistanceResult()


@pytest.mark.parametrize("name", FILES)
def test_the_distance_of_links_on_charts_is_that_of_their_meshes(name):
    path, tip = ROBOTS / FILES[name][0], FILES[name][1]
    robot, judge = fa.Robot.from_urdf(path, tip=tip), Judge(path)
    Q, apart, touching = robot.sample(150, 5), 0, 0
    for k, closest in enumerate(robot.clearance(Q)):
        if closest.charted:
            true = judge.distance(robot.joint_names, Q[k], (closest.link, closest.other))
            assert closest.distance == pytest.approx(true, abs=1e-9) if true > 0.0 else closest.distance < 0.0
            apart, touching = apart + (true > 0.0), touching + (true == 0.0)
    assert apart > 20
    assert touching > 0
    told = robot.clearance(Q).distance
    assert told[:20] == pytest.approx([robot.clearance(q).distance for q in Q[:20]], abs=0.0)


@pytest.mark.parametrize("name", FILES)
def test_nothing_that_touches_is_told_free_and_little_that_is_free_as_touching(name):
    path, tip = ROBOTS / FILES[name][0], FILES[name][1]
    robot = fa.Robot.from_urdf(path, tip=tip)
    charts, Q = robot._prepared.charted.charts, robot.sample(3000, 11)
    true = np.full(len(Q), np.inf)
    look_at_surfaces(charts, Q, true, np.zeros((len(Q), 2), np.int64))
    told = np.array([min(chart_gap(charts.rows, first, q) for first in heads_of(charts.rows)) for q in Q])
    assert (true[told >= 0.0] > 0.0).all()
    assert (told[true > 0.0] < 0.0).mean() < 0.03
