"""World files: the same room as URDF, MJCF and SDF is the same scene, and faults are told."""

import numpy as np
import pytest

import forearm as fa
from forearm.arm.worlds import read_world
from forearm.core.collision.obstacle_rows import segment_gap
from forearm.scenes import ConvexHull, Cylinder, HalfSpace, HeightField, Mesh

URDF = """<robot name="room">
  <link name="world"/>
  <link name="table"><visual><geometry><box size="9 9 9"/></geometry></visual>
    <collision><origin xyz="0 0 -0.1" rpy="0 0 0.5"/><geometry><box size="1 0.8 0.04"/></geometry></collision></link>
  <link name="post"><collision><geometry><cylinder radius="0.05" length="0.6"/></geometry></collision></link>
  <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="a" type="fixed"><parent link="world"/><child link="table"/><origin xyz="0.5 0 0.3"/></joint>
  <joint name="b" type="fixed"><parent link="table"/><child link="post"/><origin xyz="0 0 0.4" rpy="0.3 0 0"/></joint>
  <joint name="c" type="prismatic"><parent link="world"/><child link="ball"/><origin xyz="0 0.6 0"/><axis xyz="0 0 1"/>
    <limit lower="0.2" upper="0.5"/></joint>
</robot>"""
MJCF = """<mujoco><compiler angle="radian"/><default><geom contype="1"/><default class="seen"><geom contype="0"
  conaffinity="0"/></default></default><asset><texture type="2d" name="t" file="no.png"/>
  <material name="m" texture="t"/>
  <mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <hfield name="hills" nrow="3" ncol="4" size="0.3 0.2 0.5 0.1" elevation="0 1 0 1 0 1 0 1 0 0 1 1"/></asset>
  <worldbody><light pos="0 0 3"/><geom name="floor" type="plane" size="1 1 1" material="m"/>
  <geom class="seen" type="sphere" size="5"/>
  <body name="table" pos="0.5 0 0.3"><geom type="box" size="0.5 0.4 0.02" pos="0 0 -0.1" euler="0 0 0.5"/>
    <body name="post" pos="0 0 0.4" euler="0.3 0 0"><geom type="cylinder" size="0.05 0.3"/></body></body>
  <body name="ball" pos="0 0.6 0.2"><joint type="slide" axis="0 0 1"/><geom type="sphere" size="0.1"/></body>
  <body name="egg" pos="2 0 1"><geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
  <body name="wedge" pos="2 2 1"><geom type="mesh" mesh="wedge"/></body>
  <body name="hills" pos="-2 0 0"><geom type="hfield" hfield="hills"/></body>
  </worldbody></mujoco>"""
SDF = """<sdf version="1.9"><world name="w">
  <model name="ground"><static>true</static><link name="l"><collision name="c"><geometry><plane><normal>0 0 1</normal>
    </plane></geometry></collision></link></model>
  <model name="room"><pose>0.5 0 0.3 0 0 0</pose>
    <link name="table"><visual name="v"><geometry><box><size>9 9 9</size></box></geometry></visual>
      <collision name="c"><pose>0 0 -0.1 0 0 0.5</pose>
        <geometry><box><size>1 0.8 0.04</size></box></geometry></collision>
    </link>
    <link name="post"><pose degrees="true">0 0 0.4 17.188733853924695 0 0</pose>
      <collision name="c">
        <geometry><cylinder><radius>0.05</radius><length>0.6</length></cylinder></geometry></collision>
    </link></model>
  <include><uri>model://ball</uri><pose>0 0.6 0.2 0 0 0</pose><name>toy</name></include>
</world></sdf>"""
BALL = """<sdf version="1.9"><model name="ball"><link name="l"><collision name="c"><geometry>
<sphere><radius>0.1</radius></sphere></geometry></collision></link></model></sdf>"""
PLACES = [(0.9, 0.4, 0.25), (0.5, 0.1, 0.8), (0.1, 0.5, 0.3), (0.2, 0.2, 0.2)]


def gaps(scene, names):
    """The distance of some points from the obstacles under some names."""
    rows = [scene.obstacles[scene.names.index(name)].rows() for name in names]
    return [[segment_gap(row, 0, place, (0.0, 0.0, 0.0))[0] for place in PLACES] for row in rows]


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


@pytest.fixture
def urdf(tmp_path):
    return read_world(write(tmp_path, "room.urdf", URDF))


def test_a_urdf_stands_with_its_joints_at_nought_or_as_near_as_they_can(urdf):
    assert urdf.names == ("table", "post", "ball")
    assert urdf.obstacles[2] == fa.Sphere([0.0, 0.6, 0.2], 0.1)
    assert isinstance(urdf.obstacles[1], Cylinder)
    assert urdf.obstacles[0].center == pytest.approx((0.5, 0.0, 0.2))


def test_an_sdf_is_the_same_room_with_what_it_includes(tmp_path, urdf):
    (tmp_path / "ball").mkdir()
    write(tmp_path / "ball", "model.sdf", BALL)
    scene = read_world(write(tmp_path, "room.sdf", SDF))
    assert set(scene.names) == {"ground/l", "room/table", "room/post", "toy/l"}
    assert isinstance(scene.obstacles[0], HalfSpace)
    same = gaps(scene, ("room/table", "room/post", "toy/l"))
    assert np.allclose(same, gaps(urdf, ("table", "post", "ball")), atol=1e-12)


def test_an_mjcf_is_the_same_room_and_what_is_seen_only_is_left_out(tmp_path, urdf):
    pytest.importorskip("mujoco")
    scene = read_world(write(tmp_path, "room.xml", MJCF))
    assert scene.names == ("floor", "table", "post", "ball", "egg", "wedge", "hills")
    assert np.allclose(gaps(scene, ("table", "post", "ball")), gaps(urdf, ("table", "post", "ball")), atol=1e-7)
    kinds = [type(obstacle) for obstacle in scene.obstacles[4:]]
    assert kinds == [ConvexHull, ConvexHull, HeightField]


def test_an_ellipsoid_is_held_by_its_hull_and_not_much_larger(tmp_path):
    pytest.importorskip("mujoco")
    egg = read_world(write(tmp_path, "room.xml", MJCF)).obstacles[4]
    rng = np.random.default_rng(0)
    ways = rng.normal(size=(2000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    reach = np.linalg.norm(ways * [0.1, 0.2, 0.3], axis=1)
    held = ((egg.faces.reshape(-1, 3) - [2.0, 0.0, 1.0]) @ ways.T).max(axis=0)
    assert (held >= reach - 1e-12).all()
    assert (held <= 1.12 * reach).all()


def test_mujocos_height_field_has_its_hills_where_they_are(tmp_path):
    pytest.importorskip("mujoco")
    hills = read_world(write(tmp_path, "room.xml", MJCF)).obstacles[6]
    top = hills.faces.reshape(-1, 3)
    assert top.min(axis=0) == pytest.approx([-2.3, -0.2, 0.0])
    assert top.max(axis=0) == pytest.approx([-1.7, 0.2, 0.5])
    corner = top[np.argmin(np.linalg.norm(top[:, :2] - [-1.7, 0.2], axis=1))]
    assert corner[2] == pytest.approx(0.5)  # the last of its elevations


def test_a_urdfs_mesh_is_read_from_beside_it(tmp_path):
    pytest.importorskip("trimesh")
    write(tmp_path, "tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    shape = '<collision><origin xyz="0 0 1"/><geometry><mesh filename="tri.obj" scale="2 1 1"/></geometry></collision>'
    scene = read_world(write(tmp_path, "m.urdf", f'<robot name="m"><link name="sheet">{shape}</link></robot>'))
    assert isinstance(scene.obstacles[0], Mesh)
    assert scene.obstacles[0].vertices.max(axis=0).tolist() == [2.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.toml", "[[spere]]", "did you mean sphere"),
        ("a.xml", "<html/>", "has the root <html>; worlds have <robot>"),
        ("a.urdf", '<robot name="r"><link name="l"/></robot>', "nothing to collide with"),
        ("a.sdf", SDF.replace("model://ball", "model://none"), "includes 'model://none', which was not found"),
        ("a.sdf", SDF.replace("<pose>0.5", '<pose relative_to="x">0.5'), "relative to 'x'"),
        ("a.sdf", SDF.replace("<pose>0.5 0", "<pose>0.5"), "has 5 numbers"),
        ("a.sdf", SDF.replace("0.05</radius>", "big</radius>"), "the radius of 'room/post' in a.sdf is 'big'"),
        ("a.sdf", SDF.replace("cylinder", "polyline"), "is a <polyline>; there are: box"),
        ("a.sdf", SDF.replace("1 0.8 0.04", "1 0.8"), "has 2 lengths"),
    ],
)
def test_what_is_wrong_with_a_world_is_told(tmp_path, name, text, words):
    with pytest.raises(fa.ForearmError, match=words):
        read_world(write(tmp_path, name, text))


def test_a_world_that_includes_itself_is_refused(tmp_path):
    (tmp_path / "ball").mkdir()
    again = BALL.replace("<model", "<include><uri>model://ball</uri></include><model")
    write(tmp_path / "ball", "model.sdf", again)
    with pytest.raises(fa.ForearmError, match=r"model\.sdf includes 'model://ball', which includes it: a ring"):
        read_world(write(tmp_path, "room.sdf", SDF))


def test_a_world_may_include_a_model_often_and_not_without_end(tmp_path):
    (tmp_path / "ball").mkdir()
    write(tmp_path / "ball", "model.sdf", BALL)
    include = "<include><uri>model://ball</uri></include>"
    world = '<sdf version="1.7"><world name="w">{}</world></sdf>'
    assert len(read_world(write(tmp_path, "few.sdf", world.format(3 * include)))) == 3
    with pytest.raises(fa.ForearmError, match="includes more than 200 models"):
        read_world(write(tmp_path, "many.sdf", world.format(201 * include)))


def test_an_mjcfs_mesh_is_read_from_its_own_folders_alone(tmp_path):
    pytest.importorskip("mujoco")
    corners = "\n".join(f"v {x} {y} {z}" for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    (tmp_path / "room" / "parts").mkdir(parents=True)
    for file in (tmp_path / "secret.obj", tmp_path / "room" / "parts" / "wedge.obj"):
        file.write_text(f"{corners}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    text = """<mujoco><compiler meshdir="parts"/><asset><mesh file="wedge.obj"/></asset><worldbody><body name="b">
      <geom type="mesh" mesh="wedge"/></body></worldbody></mujoco>"""
    scene = read_world(write(tmp_path / "room", "a.xml", text))
    assert isinstance(scene.obstacles[0], ConvexHull)
    assert np.ptp(scene.obstacles[0].faces.reshape(-1, 3), axis=0) == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    with pytest.raises(fa.ForearmError, match="lies outside"):
        read_world(write(tmp_path / "room", "b.xml", text.replace("wedge.obj", '../../secret.obj" name="wedge')))


def test_an_mjcf_without_bodies_is_a_world_and_what_it_attaches_is_part_of_it(tmp_path):
    pytest.importorskip("mujoco")
    floor = '<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>{}</worldbody>{}</mujoco>'
    assert read_world(write(tmp_path, "floor.xml", floor.format("", ""))).names == ("floor",)
    write(tmp_path, "ball.xml", '<mujoco><worldbody><body name="b"><geom size="0.1"/></body></worldbody></mujoco>')
    frame = '<frame pos="0 0 2"><attach model="ball" body="b" prefix="my "/></frame>'
    text = floor.format(frame, '<asset><model name="ball" file="ball.xml"/></asset>')
    scene = read_world(write(tmp_path, "two.xml", text))
    assert scene.names == ("floor", "my b")
    assert scene.obstacles[1].center == pytest.approx((0.0, 0.0, 2.0))
    with pytest.raises(fa.ForearmError, match=r"MuJoCo cannot read bad.xml: .*positive"):
        read_world(write(tmp_path, "bad.xml", floor.format('<geom size="-1"/>', "")))


def test_mujocos_height_field_is_read_from_a_file(tmp_path):
    pytest.importorskip("mujoco")
    heights = np.array([[0.0, 1.0, 2.0], [0.0, 4.0, 1.0]], np.float32)  # rows, columns, then their numbers
    (tmp_path / "hills.bin").write_bytes(np.array(heights.shape, np.int32).tobytes() + heights.tobytes())
    field = '<asset><hfield name="h" file="{}" size="1 0.5 2 0.1"/></asset>'
    text = '<mujoco><worldbody><geom type="hfield" hfield="h"/></worldbody>' + field + "</mujoco>"
    hills = read_world(write(tmp_path, "hills.xml", text.format("hills.bin"))).obstacles[0]
    top = hills.faces.reshape(-1, 3)
    assert top[np.argmin(np.linalg.norm(top[:, :2] - [0.0, 0.5], axis=1)), 2] == pytest.approx(2.0)
    with pytest.raises(fa.ForearmError, match=r"none\.bin"):
        read_world(write(tmp_path, "none.xml", text.format("none.bin")))
