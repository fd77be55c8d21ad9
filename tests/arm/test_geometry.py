"""Where an arm's capsules come from, and which pairs of links are held against each other."""

import importlib.util

import numpy as np
import pytest

import forearm as fa
from forearm.core.collision.bodies import FRAME, RADIUS, START, WATCHED

URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
<link name="one"><collision>
  <origin xyz="0 0 0.2"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link>
<link name="two"><collision><origin xyz="0 0 0.15"/><geometry><sphere radius="0.06"/></geometry></collision></link>
<link name="three"><collision><origin xyz="0 0 0.1"/><geometry>{shape}</geometry></collision></link>
<link name="grip"><collision><geometry><capsule radius="0.02" length="0.1"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="one"/>
  <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="j2" type="revolute"><parent link="one"/><child link="two"/>
  <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5"/></joint>
<joint name="j3" type="revolute"><parent link="two"/><child link="three"/>
  <origin xyz="0 0 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5"/></joint>
<joint name="j4" type="fixed"><parent link="three"/><child link="grip"/><origin xyz="0 0 0.25"/></joint>
</robot>"""
SRDF = """<robot name="arm"><disable_collisions link1="base" link2="grip" reason="Never"/>
<disable_collisions link1="base" link2="elsewhere" reason="User"/></robot>"""


def arm(shape='<box size="0.1 0.1 0.2"/>', tip="three"):
    return fa.Robot.from_urdf(URDF.format(shape=shape), tip=tip)


@pytest.mark.compiled
def test_shapes_of_a_file_ride_on_the_joints_that_move_them():
    g = arm(tip="grip").geometry
    assert g.source == "the collision shapes of its file"
    assert dict(zip(g.names, g.bodies[:, FRAME].astype(int), strict=True)) == {
        "base": -1,
        "one": 0,
        "two": 1,
        "three": 2,
        "grip": 2,
    }
    # the base is mounted, and the cylinder about the first axis only turns on the spot
    assert set(g.names[i] for i in np.flatnonzero(g.bodies[:, WATCHED])) == {"two", "three", "grip"}
    robot = arm(tip="grip")
    q = np.array([0.4, 0.7, -0.3])
    at = robot.fk(q)[:3, 3]
    ball = robot.clearance(q, [fa.Sphere(at + np.array([0, 0, 3.0]), 0.1)], self_collision=False)
    assert ball.link in {"grip", "three"}
    on = robot.clearance(q, [fa.Sphere(at, 0.0)], self_collision=False)
    assert on.distance == pytest.approx(-0.02, abs=0.06)
    assert on.distance < 0.0


def test_a_first_link_that_sweeps_is_held_against_obstacles():
    scara = fa.load("scara")
    found = scara.clearance([0, 0, 0, 0], [fa.Sphere([0.16, 0, 0.387], 0.05)], self_collision=False)
    assert found.distance == pytest.approx(-0.05 - scara.geometry.bodies[0, RADIUS])
    planar = fa.Robot.from_dh([(0.5, 0, 0), (0.4, 0, 0)], convention="standard").with_geometry(radius=0.02)
    for q in planar.sample(5):
        elbow = planar.fk_all(q)[0, :3, 3]
        ball = fa.Sphere(0.5 * elbow, 0.01)
        assert planar.clearance(q, [ball], self_collision=False).distance == pytest.approx(-0.03)


@pytest.mark.compiled
def test_what_only_turns_on_the_spot_is_held_against_obstacles_if_asked_for():
    robot, foot, q = arm(), [fa.Sphere([0.0, 0.0, 0.1], 0.02)], np.array([0.4, 0.3, -0.3])
    column = [fa.Sphere([0.0, 0.0, 0.2], 0.02)]
    assert robot.clearance(q, foot, self_collision=False).link == "two"
    asked = robot.with_geometry(base=True)
    assert asked.clearance(q, column, self_collision=False).link == "one"
    assert -0.1 < asked.clearance(q, column, self_collision=False).distance <= -0.07
    low = [fa.Sphere([0.1, 0.1, 0.0], 0.02)]
    assert asked.clearance(q, low, self_collision=False).link == "base"
    with pytest.raises(fa.errors.OptionError, match="base is 'yes'; it takes True or False"):
        robot.with_geometry(base="yes")


@pytest.mark.compiled
def test_what_is_fixed_to_a_link_counts_though_the_tip_is_before_it():
    assert "grip" in arm(tip="three").geometry.names


OFF_CHAIN = """<link name="finger"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<link name="thumb"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<link name="lever"><collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.02"/></geometry></collision></link>
<link name="cube"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="open" type="prismatic"><parent link="grip"/><child link="finger"/>
  <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="0.02" upper="0.05"/></joint>
<joint name="follow" type="prismatic"><parent link="grip"/><child link="thumb"/>
  <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/><mimic joint="open" multiplier="-1"/></joint>
<joint name="turn" type="revolute"><parent link="base"/><child link="lever"/>
  <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
<joint name="loose" type="floating"><parent link="base"/><child link="cube"/></joint>
</robot>"""


@pytest.mark.compiled
def test_what_hangs_off_the_chain_is_held_where_it_rests_or_where_the_user_says():
    robot = fa.Robot.from_urdf(
        URDF.format(shape='<box size="0.1 0.1 0.2"/>').replace("</robot>", OFF_CHAIN), tip="grip"
    )
    q = np.array([0.4, 0.7, -0.3])
    T = robot.fk(q)
    for opened, arm_ in ((0.02, robot), (0.04, robot.with_geometry(joints={"open": 0.04}))):
        for side, link in ((1.0, "finger"), (-1.0, "thumb")):  # 0 is no value of theirs: the nearest is
            ball = fa.Sphere((T @ [0.0, side * opened, 0.1, 1.0])[:3] + 0.015 * side * T[:3, 1], 0.001)
            found = arm_.clearance(q, [ball], self_collision=False)
            assert (found.link, found.distance) == (link, pytest.approx(0.004, abs=1e-9))
    geometry = robot.geometry
    assert "cube" not in geometry.names  # it is not joined to the arm
    assert ("lever", "grip") in geometry.checked  # a second arm stands with the base
    assert geometry.bodies[geometry.names.index("lever"), WATCHED] == 0.0
    turned = robot.with_geometry(joints={"turn": 0.8, "open": 0.03}).geometry
    at = turned.bodies[turned.names.index("lever"), START : START + 3]
    assert at == pytest.approx([0.4 + 0.5 * np.sin(0.8), 0.0, 0.5 * np.cos(0.8)])
    for joints, words in (
        ({"opn": 0.03}, "joint 'opn' in joints is not off the chain of arm; did you mean open"),
        ({"j2": 0.0}, "joint 'j2' in joints is not off the chain"),
        ({"open": 0.3}, "0.02 to 0.05"),
        ({"open": "wide"}, "a number"),
    ):
        with pytest.raises(fa.errors.OptionError, match=words):
            robot.with_geometry(joints=joints)


@pytest.mark.compiled
def test_pairs_are_listed_with_the_reason_why_they_may_touch():
    g = arm(tip="grip").geometry
    assert g.left_out["base", "one"] == "neighbours"
    assert g.left_out["one", "two"] == "neighbours"
    assert ("one", "grip") in g.checked
    every = set(g.checked) | set(g.left_out)
    assert len(every) == len(g.checked) + len(g.left_out) == 9  # ten pairs, less the two on one frame


@pytest.mark.compiled
def test_an_allow_list_and_an_srdf_take_pairs_out():
    robot = arm(tip="grip")
    allowed = robot.with_geometry(allow=[("one", "grip")]).geometry
    assert allowed.left_out["one", "grip"] == "allowed"
    assert ("one", "grip") not in allowed.checked
    by_srdf = robot.with_geometry(srdf=SRDF).geometry
    assert by_srdf.left_out["base", "grip"] == "allowed"


@pytest.mark.parametrize(("link", "allowed"), [("three", True), ("grip", False)])
def test_an_srdf_goes_with_a_skeleton_by_the_links_of_the_file(link, allowed):
    srdf = f'<robot><disable_collisions link1="one" link2="{link}"/></robot>'
    skeleton = arm(tip="grip").with_geometry(radius=0.03, srdf=srdf).geometry
    pair = "one", "three"
    assert (skeleton.left_out.get(pair) == "allowed") == allowed
    assert (pair in skeleton.checked) != allowed  # a part that is fixed to a link does not speak for it


def test_links_of_a_skeleton_are_called_as_the_file_calls_them():
    robot = arm(tip="grip").with_geometry(radius=0.03, bodies={"grip": fa.Sphere([0.0, 0.0, 0.1], 0.02)})
    assert dict.fromkeys(robot.geometry.names) == dict.fromkeys(["one", "two", "three", "grip"])
    q = np.array([0.4, 0.7, -0.3])
    ball = (robot.fk(q) @ [0.0, 0.0, 0.1, 1.0])[:3]
    found = robot.clearance(q, {"post": fa.Sphere(ball, 0.01)}, self_collision=False)
    assert (found.link, found.other, found.distance) == ("grip", "post", pytest.approx(-0.03))
    assert str(found) == "link 'grip' is 0.03 m into 'post'"
    own = robot.clearance(np.array([0.0, 0.3, 2.5]))
    assert (own.other, str(own)[-10:]) == ("one", "link 'one'")


def test_parts_beside_the_way_to_the_tip_are_no_neighbours():
    """A camera on the second link sweeps through what the third one carries."""
    camera = """<link name="camera"><collision><geometry><sphere radius="0.03"/></geometry></collision></link>
    <joint name="mount" type="fixed"><parent link="two"/><child link="camera"/><origin xyz="0.15 0 0.3"/></joint>
    </robot>"""
    robot = fa.Robot.from_urdf(URDF.format(shape='<box size="0.02 0.02 0.2"/>').replace("</robot>", camera), tip="grip")
    g = robot.geometry
    assert g.left_out["two", "three"] == "neighbours"
    assert ("camera", "grip") in g.checked
    assert ("camera", "three") in g.checked
    assert robot.clearance([0.0, 0.0, 1.5]).distance < 0.0


def folding(model):
    """A boom that pans and tilts on a plate, with nothing that has a shape between the two joints."""
    if model == "mjcf":
        return """<mujoco><worldbody><body name="plate"><geom type="box" size="0.4 0.4 0.02"/>
        <body name="boom" pos="0 0 0.2"><joint name="pan" axis="0 0 1" range="-170 170"/>
        <joint name="tilt" axis="0 1 0" range="-170 170"/>
        <geom type="cylinder" size="0.03" fromto="0 0 0.05 0 0 0.35"/></body></body></worldbody></mujoco>"""
    joint = '<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="0 0 {}"/>'
    joint += '<axis xyz="{}"/><limit lower="-2.97" upper="2.97" velocity="1" effort="1"/></joint>'
    shape = '<link name="{}"><collision><origin xyz="0 0 {}"/><geometry>{}</geometry></collision></link>'
    parts = [
        shape.format("plate", 0, '<box size="0.8 0.8 0.04"/>'),
        shape.format("boom", 0.2, '<cylinder radius="0.03" length="0.3"/>'),
        '<link name="post"/>',
        joint.format("pan", "plate", "post", 0.2, "0 0 1"),
        joint.format("tilt", "post", "boom", 0, "0 1 0"),
    ]
    return f'<robot name="boom">{"".join(parts)}</robot>'


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [fa.Robot, fa.Tree])
@pytest.mark.parametrize("model", ["urdf", "mjcf"])
def test_links_that_two_joints_part_are_no_neighbours_though_nothing_lies_between(model, kind):
    robot = getattr(kind, f"from_{model}")(folding(model))
    through = robot.clearance([0.4, 2.9])  # the boom stands in the plate
    assert through.distance < 0.0
    assert {through.link, through.other} == {"plate", "boom"}
    assert robot.clearance([0.4, 1.0]).distance > 0.0


def test_an_srdf_of_another_robot_is_refused():
    with pytest.raises(fa.errors.OptionError, match=r"2 pairs, but none of its links .* is in ur5"):
        fa.load("ur5").with_geometry(srdf=SRDF.replace("base", "panda_link0"))


@pytest.mark.compiled
def test_an_unknown_link_in_the_allow_list_is_refused_with_the_nearest_name():
    with pytest.raises(fa.errors.OptionError, match="link 'gripp' in the allow-list is not in arm; did you mean grip"):
        arm(tip="grip").with_geometry(allow=[("one", "gripp")])
    with pytest.raises(fa.errors.OptionError, match="pairs of link names"):
        arm().with_geometry(allow=["one"])
    with pytest.raises(fa.errors.ModelError, match="link1 or link2"):
        arm().with_geometry(srdf="<robot><disable_collisions link1='a'/></robot>")


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ('<box size="0.1 -0.1 0.2"/>', "a box of 0.1, -0.1, 0.2 m"),
        ('<cylinder radius="x" length="1"/>', "not a number"),
        ("<cone/>", "there are: box, cylinder"),
        ("", "no shape in it"),
        ('<mesh filename="three.stl" scale="1 1 x"/>', "not a number"),
        ('<mesh filename="package://nowhere/three.stl"/>', "was not found"),
    ],
)
def test_a_bad_shape_is_said_once_and_replaced_for_its_link_only(shape, words, caplog):
    robot = arm(shape, tip="grip")
    geometry = robot.geometry
    assert geometry.source == "the collision shapes of its file"
    assert len(geometry.notes) == 1
    assert words in geometry.notes[0]
    assert "link 'three'" in geometry.notes[0]
    assert list(dict.fromkeys(geometry.names)) == ["base", "one", "two", "grip", "three"]
    stand_in = geometry.bodies[geometry.names.index("three")]
    assert stand_in[RADIUS] == pytest.approx(0.04 * robot.reach)
    assert np.linalg.norm(stand_in[4:7]) == pytest.approx(0.25)  # from its joint to the tip
    said = [record.message for record in caplog.records]
    assert [text for text in said if words in text] == said[:1]
    assert robot.with_tool(np.eye(4)).geometry.notes == geometry.notes
    assert len(caplog.records) == len(said)  # once
    assert robot.with_geometry(radius=0.05).geometry.source == "tubes from joint to joint, of radius 0.05 m"


def test_a_skeleton_that_is_a_guess_is_said(caplog):
    with_radius = fa.load("ur3e").with_geometry(radius=0.05)
    assert with_radius.geometry.notes == ()
    robot = fa.load("ur3e")
    assert robot.clearance(robot.neutral, []).distance > 0.0
    assert "ur3e has no collision shapes" in robot.geometry.notes[0]
    assert [record.message for record in caplog.records] == list(robot.geometry.notes)


def test_a_mesh_is_read_from_beside_its_file_and_held_by_its_capsule(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.07)
    folder = tmp_path / "arm_description" / "meshes"
    folder.mkdir(parents=True)
    mesh.export(folder / "three.stl")
    file = tmp_path / "arm_description" / "urdf" / "arm.urdf"
    file.parent.mkdir()
    shape = '<mesh filename="package://arm_description/meshes/three.stl" scale="1 1 2"/>'
    file.write_text(URDF.format(shape=shape))
    robot, q = fa.Robot.from_urdf(file, tip="three"), np.array([0.3, 0.4, 0.5])
    assert robot.geometry.excess["three"] < 0.03
    T = robot.fk(q)
    for x, z in (
        (0.0, 0.24),
        (0.07, 0.1),
        (-0.07, 0.1),
    ):  # on the mesh, twice as long as broad, about 0.1 above its link
        ball = fa.Sphere((T @ [x, 0.0, z, 1.0])[:3], 0.01)
        assert -0.05 < robot.clearance(q, [ball], self_collision=False).distance < -0.009
    far = fa.Sphere((T @ [0.2, 0.0, 0.1, 1.0])[:3], 0.01)
    assert robot.clearance(q, [far], self_collision=False).distance > 0.09


@pytest.mark.compiled
def test_a_mesh_whose_reader_is_not_installed_says_what_to_install(tmp_path, monkeypatch):
    pytest.importorskip("trimesh")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "collada" else find(name))
    (tmp_path / "three.dae").write_text("<COLLADA/>")
    file = tmp_path / "arm.urdf"
    file.write_text(URDF.format(shape='<mesh filename="three.dae"/>'))
    notes = fa.Robot.from_urdf(file, tip="three").geometry.notes
    assert "link 'three': reading the mesh 'three.dae' needs an optional package" in notes[0]
    assert "pip install 'pycollada>=0.8'" in notes[0]


def test_own_bodies_are_added_to_the_skeleton():
    robot = fa.load("ur5").with_geometry(radius=0.05, bodies={"wrist_3_joint": fa.Sphere([0, 0, 0.15], 0.06)})
    assert "after wrist_3_joint" in robot.geometry.names
    q = np.zeros(6)
    at = robot.fk_all(q)[5] @ [0, 0, 0.15, 1]
    assert robot.clearance(q, [fa.Sphere(at[:3], 0.01)], self_collision=False).distance == pytest.approx(-0.07)
    for bodies, words in (
        ({"wrist": []}, "did you mean"),
        ({"wrist_3_joint": [fa.Box([0, 0, 0], [1, 1, 1])]}, "fa.Sphere and fa.Capsule"),
    ):
        with pytest.raises(fa.errors.OptionError, match=words):
            robot.with_geometry(bodies=bodies)
    with pytest.raises(fa.errors.OptionError, match="positive length"):
        robot.with_geometry(radius=0.0)


@pytest.mark.compiled
def test_an_arm_without_limits_or_of_slides_has_pairs_too():
    scara = fa.load("scara").geometry
    assert len(scara.bodies) >= 4
    assert (scara.bodies[:, RADIUS] > 0).all()
    assert len(fa.load("gen3").geometry.checked) > 0


def test_links_that_a_short_one_holds_apart_do_not_forbid_every_pose():
    panda = fa.load("panda").with_geometry(radius=0.04)  # 0.0025 m between upper arm and forearm, always
    assert panda.geometry.left_out["after panda_joint2", "after panda_joint4"] == "mostly touch"
    for clearance in (0.0, 0.01, 0.03, 0.06):
        s = panda.solve(panda.fk(panda.neutral), obstacles=[], clearance=clearance)
        assert s.success, s.reason


def segment_points(a, b):
    """Points along a segment, close together."""
    return a + np.linspace(0.0, 1.0, 200)[:, None] * (b - a)


def dh_points(rows, q, modified):
    """Points along the links of a DH table by its own definition: along each axis by d, across by a."""
    T, points = np.eye(4), []
    for (a, alpha, d), angle in zip(rows, q, strict=True):
        c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(alpha), np.sin(alpha)
        turn, lift = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), np.eye(4)
        across = np.array([[1, 0, 0, a], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]])
        lift[2, 3] = d
        for step in (across, turn, lift) if modified else (turn, lift, across):
            begin, T = T[:3, 3], T @ step
            points.append(segment_points(begin, T[:3, 3]))
    # without what stands on the base or turns on the spot about the first axis: it is not held against obstacles
    return np.concatenate(points[3 if modified else 2 :])


@pytest.mark.compiled
@pytest.mark.parametrize("modified", [False, True])
def test_a_skeleton_follows_the_links_of_a_dh_table_with_their_corners(modified):
    rng = np.random.default_rng(4)
    twists = rng.choice([0.0, np.pi / 2, -np.pi / 2, 0.7], 6)
    rows = [(rng.uniform(-0.4, 0.4), twist, rng.uniform(-0.2, 0.2)) for twist in twists]
    robot = fa.Robot.from_dh(rows, convention="modified" if modified else "standard").with_geometry(radius=0.03)
    for q in robot.sample(5, rng_seed=1):
        points = dh_points(rows, q, modified)
        # as seen from outside: each point of the links lies on the axis of a capsule, and none of these elsewhere
        for point in points[rng.integers(0, len(points), 40)]:
            ball = fa.Sphere(point, 1e-6)
            assert robot.clearance(q, obstacles=[ball], self_collision=False).distance < -0.03 + 1e-5
        away = points[rng.integers(0, len(points), 40)] + rng.normal(0.0, 0.3, (40, 3))
        for point in away:
            apart = np.linalg.norm(points - point, axis=1).min()
            gap = robot.clearance(q, obstacles=[fa.Sphere(point, 1e-6)], self_collision=False).distance
            assert gap >= apart - 0.03 - 5e-3


UR5_ROWS = (
    *((0, np.pi / 2, 0.089159), (-0.425, 0, 0), (-0.39225, 0, 0)),
    *((0, np.pi / 2, 0.10915), (0, -np.pi / 2, 0.09465), (0, 0, 0.0823)),
)


def gap_of_links(rows, q, center):
    """The distance of a point from the links of a DH table, those that stand or only turn on the base left out."""
    points = dh_points(rows, q, False).reshape(-1, 200, 3)
    a, d = points[:, 0], points[:, -1] - points[:, 0]
    along = np.clip(((center - a) * d).sum(axis=1) / np.maximum((d * d).sum(axis=1), 1e-30), 0.0, 1.0)
    return np.linalg.norm(a + along[:, None] * d - center, axis=1).min()


def test_the_clearance_of_a_ur5_is_that_of_its_links():
    robot, rng, seen = fa.load("ur5").with_geometry(radius=0.05), np.random.default_rng(0), 0
    for q in robot.sample(40, rng_seed=3):
        balls = rng.uniform(-0.8, 0.8, (6, 3))
        gap = robot.clearance(q, obstacles=[fa.Sphere(ball, 0.1) for ball in balls], self_collision=False).distance
        assert gap == pytest.approx(min(gap_of_links(UR5_ROWS, q, ball) for ball in balls) - 0.15, abs=1e-12)
        seen += gap >= 0.01
    assert seen > 5


@pytest.mark.compiled
def test_poses_of_a_ur5_that_are_called_free_are_free_on_its_links():
    robot, rng, free = fa.load("ur5").with_geometry(radius=0.05), np.random.default_rng(5), 0
    for T in robot.fk(robot.sample(220, rng_seed=5)):
        balls = rng.uniform(-0.8, 0.8, (4, 3))
        s = robot.solve(T, obstacles=[fa.Sphere(ball, 0.1) for ball in balls], clearance=0.01, explain=False)
        if s.success:
            free += 1
            assert min(gap_of_links(UR5_ROWS, s.q, ball) for ball in balls) >= 0.16 - 1e-12
    assert free >= 150
