"""What a tree tells of distances is never more than coal's between the very meshes, placed by Pinocchio."""

import itertools

import coal
import numpy as np
import pinocchio as pin
import pytest

import forearm as fa
from forearm.arm.capsules import fit_capsules
from forearm.core.tree.among import tree_pair_gaps
from forearm.trees.collision.shapes import bare_of, scratch, standing

FACES = [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)]
FACES += [(0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
BOXES = [((0, 0, 0), (60, 60, 300)), ((0, 0, 240), (220, 60, 60))]  # an angle iron, in millimetres: not convex
MESH = '<origin xyz="{at}" rpy="0.3 -0.2 0.5"/><geometry><mesh filename="iron.stl" scale="{scale}"/></geometry>'
SOLIDS = '<geometry><box size="0.1 0.2 0.1"/></geometry>', '<geometry><cylinder radius="0.04" length="0.3"/></geometry>'


def iron():
    """The STL of two boxes that make an angle."""
    lines = ["solid iron"]
    for start, size in BOXES:
        corners = [np.add(start, np.multiply(size, corner)) for corner in itertools.product((0, 1), repeat=3)]
        for face in FACES:
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += ["vertex {} {} {}".format(*corners[k]) for k in face] + ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid iron"])


def two_branches():
    """A URDF of two branches; the second follows, in part, with a mirrored mesh."""
    text, shapes = (
        "<robot name='irons'><link name='base'/>",
        [
            MESH.format(at="0.02 0 0.01", scale="0.001 0.001 0.001"),
            SOLIDS[0],
            SOLIDS[1],
            MESH.format(at="0 0.03 0", scale="0.0012 -0.001 0.0008"),
        ],
    )
    for side, y in (("left", 0.15), ("right", -0.15)):
        parent, at = "base", f"0 {y} 0.3"
        for k, shape in enumerate(shapes):
            child, axis = f"{side}_{k}", ("0 0 1", "0 1 0", "1 0 0", "0 1 0")[k]
            follows = '<mimic joint="right_j1" multiplier="-0.5" offset="0.2"/>' if child == "right_3" else ""
            text += f"<link name='{child}'><collision>{shape}</collision></link><joint name='{side}_j{k}' "
            text += f"type='revolute'><origin xyz='{at}' rpy='0 {0.2 * k} 0'/><parent link='{parent}'/><child "
            text += f"link='{child}'/><axis xyz='{axis}'/><limit lower='-2' upper='2' velocity='1' effort='1'/>"
            text, parent, at = text + follows + "</joint>", child, "0.05 0 0.25"
    return text + "</robot>"


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("irons")
    (folder / "iron.stl").write_text(iron())
    file = folder / "irons.urdf"
    file.write_text(two_branches())
    return file, fa.Tree.from_urdf(file)


def told(tree, Q):
    """(N, k) the least distances of bodies of links, and these links."""
    geometry, bare = tree.body.geometry, bare_of(tree.body)
    gaps = np.empty((len(Q), len(geometry.pairs)))
    work = np.empty(scratch(bare, len(geometry.names)))
    tree_pair_gaps(bare.numbers, geometry.bodies, geometry.pairs, standing(Q), work, gaps)
    owners = [(geometry.names[a], geometry.names[b]) for a, b in geometry.pairs.tolist()]
    links = list(dict.fromkeys(owners))
    columns = [[k for k, owner in enumerate(owners) if owner == pair] for pair in links]
    return np.stack([gaps[:, own].min(axis=1) for own in columns], axis=1), links


@pytest.mark.compiled
def test_no_distance_is_told_larger_than_that_of_the_meshes(robot):
    file, tree = robot
    model = pin.buildModelFromUrdf(str(file))
    shapes = pin.buildGeomFromUrdf(model, str(file), pin.GeometryType.COLLISION, package_dirs=[str(file.parent)])
    data, places = model.createData(), shapes.createData()
    numbers = {model.frames[each.parentFrame].name: k for k, each in enumerate(shapes.geometryObjects)}
    Q = tree.sample(60, rng_seed=4)
    gaps, links = told(tree, Q)
    assert len(links) > 10
    for q, own in zip(Q, gaps, strict=True):
        values, full = dict(zip(tree.joint_names, q, strict=True)), pin.neutral(model)
        values["right_j3"] = 0.2 - 0.5 * values["right_j1"]
        for name, value in values.items():
            full[model.joints[model.getJointId(name)].idx_q] = value
        pin.updateGeometryPlacements(model, data, shapes, places, full)
        for (one, other), gap in zip(links, own, strict=True):
            a, b = numbers[one], numbers[other]
            at = [coal.Transform3s(places.oMg[k].rotation, places.oMg[k].translation) for k in (a, b)]
            pair = (shapes.geometryObjects[a].geometry, at[0], shapes.geometryObjects[b].geometry, at[1])
            assert gap <= max(coal.distance(*pair, coal.DistanceRequest(), coal.DistanceResult()), 0.0) + 1e-6
        closest = tree.clearance(q)
        assert closest.distance == pytest.approx(own.min(), abs=1e-12)


@pytest.mark.compiled  # capsules are fitted anew
def test_distances_are_the_same_whether_capsules_were_kept_or_not(robot, tmp_path, monkeypatch):
    file, first = robot
    monkeypatch.setenv("FOREARM_CACHE_DIR", str(tmp_path))
    for _ in range(2):  # made anew, then read
        fit_capsules.cache_clear()
        again = fa.Tree.from_urdf(file).body.geometry
        assert list(tmp_path.iterdir())
        assert again.bodies.tobytes() == first.body.geometry.bodies.tobytes()
        assert again.pairs.tobytes() == first.body.geometry.pairs.tobytes()
        assert again.left_out == first.body.geometry.left_out
