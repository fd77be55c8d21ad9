"""TOML data files: units in the keys, both conventions, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.common.transforms import from_rpy, rotation_about, translation
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models import catalog
from forearm.models.cut import placed_shapes
from forearm.models.toml import from_toml

DATA_FILES = sorted(path.stem for path in (Path(catalog.__file__).parent / "robots").glob("*.toml"))
EXACT = 1e-12  # only rounding in float64 between the two sides


def fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.array(q, dtype=np.float64), T)
    return T


DH_FILE = """
name = "my-arm"
convention = "standard"
joints = [
    { a = 0.3, alpha_deg = 90, d = 0.1, offset_deg = 30, limits_deg = [-90, 90], velocity_deg = 180 },
    { name = "slide", kind = "prismatic", offset_m = 0.05, limits_m = [0, 0.2] },
    { a = 0.2, theta_deg = 45 },
]
[base]
xyz = [1, 2, 3]
rpy_deg = [0, 0, 90]
[flange]
name = "plate"
xyz = [0, 0, 0.1]
rpy = [0.1, 0.2, 0.3]
"""
URDF_FILE = """
name = "my-arm"
convention = "urdf"
joints = [
    { xyz = [0, 0, 0.3], rpy = [0, 0, 0.5], axis = [0, 2, 0], limits_rad = [-1, 2] },
    { kind = "prismatic", xyz = [0.1, 0, 0], axis = [1, 0, 0], limits_m = [0, 0.2], velocity_m = 0.5 },
]
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "arm.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_dh_file_of_ones_own_is_read_with_its_units(write):
    model = from_toml(write(DH_FILE))
    assert model.joint_names == ("joint0", "slide", "joint2")
    assert model.joint_kinds == ("revolute", "prismatic", "continuous")
    assert (model.base, model.tip) == ("base", "plate")
    assert model.velocity.tolist() == [math.pi, math.inf, math.inf]
    assert model.limits[:, :2].tolist() == [[-math.pi / 2, 0.0], [math.pi / 2, 0.2]]
    z = (0, 0, 1)
    expected = (
        (translation(1, 2, 3) @ rotation_about(z, math.pi / 2))
        @ (rotation_about(z, 0.4 + math.pi / 6) @ translation(0.3, 0, 0.1) @ rotation_about((1, 0, 0), math.pi / 2))
        @ translation(0, 0, 0.15)
        @ (rotation_about(z, -0.6 + math.pi / 4) @ translation(0.2, 0, 0))
        @ (translation(0, 0, 0.1) @ from_rpy(0.1, 0.2, 0.3))
    )
    np.testing.assert_allclose(fk(model, (0.4, 0.1, -0.6)), expected, atol=EXACT)


def test_a_urdf_file_of_ones_own_is_read_with_its_units(write):
    model = from_toml(str(write(URDF_FILE)), tool=translation(0, 0, 0.1))
    assert model.limits.tolist() == [[-1.0, 0.0], [2.0, 0.2]]
    assert model.velocity.tolist() == [math.inf, 0.5]
    expected = (
        (translation(0, 0, 0.3) @ rotation_about((0, 0, 1), 0.5) @ rotation_about((0, 1, 0), 0.7))
        @ translation(0.1 + 0.15, 0, 0)
        @ translation(0, 0, 0.1)
    )
    np.testing.assert_allclose(fk(model, (0.7, 0.15)), expected, atol=EXACT)


@pytest.mark.parametrize("name", DATA_FILES)
def test_a_catalog_file_reads_the_same_by_its_path(name):
    by_path = from_toml(Path(catalog.__file__).parent / "robots" / f"{name}.toml")
    np.testing.assert_array_equal(by_path.links, catalog.load(name).links)


# What is changed in a good file, and what the message must say.
DH_FAULTS = [
    ('name = "my-arm"', "", r"arm\.toml has no name; add a line such as name"),
    ('name = "my-arm"', "name = 3", r"name of arm\.toml is 3; it must be text"),
    ('name = "my-arm"', 'nmae = "my-arm"', r"arm\.toml has the unknown key 'nmae'; did you mean name"),
    ('"standard"', '"dh"', r"arm\.toml has convention 'dh'; there are: standard, modified, urdf"),
    (
        "alpha_deg = 90",
        "alpha = 90",
        r"joint 0 in arm\.toml has the unknown key 'alpha'; did you mean alpha_rad, alpha_deg",
    ),
    ("alpha_deg = 90", "alpha_deg = 90, alpha_rad = 1", r"joint 0 in arm\.toml gives alpha twice"),
    ("a = 0.3", 'a = "0.3"', r"a of joint 0 in arm\.toml has '0\.3', which is not a number"),
    ("a = 0.3", "a = true", r"a of joint 0 in arm\.toml has 'True', which is not a number"),
    ("a = 0.3", "a = nan", r"a of joint 0 in arm\.toml has nan; it must be below"),
    ("a = 0.3", "a = 1" + "0" * 400, r"a of joint 0 in arm\.toml has 1000"),
    ("[-90, 90]", "[-inf, inf]", r"a continuous joint has no limits"),
    ("[-90, 90]", "[-90]", r"limits_deg of joint 0 in arm\.toml is \[-90\]; it takes a list of 2 numbers"),
    ("[-90, 90]", "[90, -90]", r"joint 'joint0' in arm\.toml has lower limit 1\.5708 and upper limit"),
    ("limits_deg", "limits_m", r"joint 0 in arm\.toml has limits_m but is revolute; write limits_deg"),
    ("limits_m", "limits_deg", r"joint 1 in arm\.toml has limits_deg but is prismatic; write limits_m"),
    (", limits_m = [0, 0.2]", "", r"joint 1 in arm\.toml is prismatic and has no limits; add them"),
    (
        '"prismatic"',
        '"sliding"',
        r"joint 1 in arm\.toml has kind 'sliding'; there are: revolute, continuous, prismatic",
    ),
    (
        "a = 0.2",
        'a = 0.2, kind = "continuous", limits_deg = [0, 1]',
        r"joint 2 in arm\.toml is continuous but has limits",
    ),
    ("velocity_deg = 180", "velocity_deg = 0", r"joint 0 in arm\.toml has velocity 0; it must be above 0"),
    ('"slide"', '"joint0"', r"arm\.toml has two joints named 'joint0'; names must differ"),
    ("xyz = [1, 2, 3]", "xyz = 1", r"xyz of \[base\] in arm\.toml is 1; it takes a list of 3 numbers"),
    ("xyz = [1, 2, 3]", "xzy = [1, 2, 3]", r"\[base\] in arm\.toml has the unknown key 'xzy'; did you mean xyz"),
    ("[base]", "[base2]", r"arm\.toml has the unknown key 'base2'"),
    ('"my-arm"', '"my-arm', r"arm\.toml is not a TOML file: "),
    ('"my-arm"', '"my-arm"\naliases = "arm"', r"aliases in arm\.toml is arm; it must be a list"),
    ('"my-arm"', '"my-arm"\naliases = [1]', r"an alias of arm\.toml is 1; it must be text"),
]
URDF_FAULTS = [
    ("axis = [0, 2, 0], ", "", r"joint 0 in arm\.toml has no axis; add the axis it turns about"),
    ("[0, 2, 0]", "[0, 0, 0]", r"axis of joint 'joint0' in arm\.toml is .*length zero"),
    ("xyz = [0.1", "a = 1, xyz = [0.1", r"joint 1 in arm\.toml has the unknown key 'a'"),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [(DH_FILE, *fault) for fault in DH_FAULTS] + [(URDF_FILE, *fault) for fault in URDF_FAULTS],
)
def test_a_fault_in_a_file_is_named(write, text, old, new, message):
    assert old in text
    with pytest.raises(ModelError, match=message):
        from_toml(write(text.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"arm\.toml has no name"),
        ('name = "x"\nconvention = "urdf"', r"arm\.toml has no joints; add joints"),
        ('name = "x"\nconvention = "urdf"\njoints = 3', r"joints in arm\.toml is 3; it must be a list"),
        ('name = "x"\nconvention = "urdf"\njoints = [3]', r"joint 0 in arm\.toml is '3'; it must be a table"),
        (b"name = '\xff'", r"arm\.toml is not a TOML file"),
        ("a = " + "[" * 5000, r"arm\.toml is not a TOML file"),
    ],
)
def test_a_file_that_is_no_robot_is_refused(write, text, message):
    with pytest.raises(ModelError, match=message):
        from_toml(write(text))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"there is no TOML file '.*none\.toml'; check the path"):
        from_toml(tmp_path / "none.toml")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(ModelError, match="not a regular file"):
        from_toml(tmp_path)


def test_a_file_is_given_by_its_path():
    with pytest.raises(ModelError, match="not by int"):
        from_toml(3)


@pytest.mark.parametrize("value", ["0x" + "f" * 6000, "9" * 400, "9" * 6000, "1979-05-27", "[[[1]]]"])
@pytest.mark.parametrize("key", ["name", "joints", "base", "aliases"])
def test_odd_values_are_told_in_one_line(key, value, tmp_path):
    lines = {"name": '"x"', "convention": '"standard"', "joints": "[{a = 1}]"} | {key: value}
    (tmp_path / "a.toml").write_text("\n".join(f"{name} = {text}" for name, text in lines.items()))
    with pytest.raises(ModelError, match=r"a\.toml"):
        from_toml(tmp_path / "a.toml")


def test_a_file_of_sixty_thousand_joints_is_refused_at_once(tmp_path):
    rows = "".join("{a=0.1},\n" for _ in range(60_000))
    (tmp_path / "a.toml").write_text(f'name = "x"\nconvention = "standard"\njoints = [{rows}]\n')
    with pytest.raises(ModelError, match="has 60,000 joints"):
        from_toml(tmp_path / "a.toml")


LOOKS = """name = "two"
convention = "standard"
joints = [
    { name = "turn", d = 0.4, alpha_deg = 90, limits_deg = [-170, 170]HOME },
    { name = "lift", a = 0.3, limits_deg = [-110, 110] },
]
visuals = [ VISUAL ]
"""


def test_home_and_looks_are_read(tmp_path):
    path = tmp_path / "two.toml"
    visual = '{ joint = "lift", cylinder = [[-0.3, 0, 0.1], [0, 0, 0.1]], radius = [0.05, 0.03], colour = "#a0b0c0" }'
    path.write_text(LOOKS.replace("HOME", ", home_deg = 30").replace("VISUAL", visual))
    robot = fa.Robot.from_toml(path)
    np.testing.assert_allclose(robot.home, [np.pi / 6, 0.0])
    np.testing.assert_allclose(robot.with_limits({"turn": (-1.0, 0.2)}).home, [0.2, 0.0])
    (shape,) = placed_shapes(robot.model.mechanism, robot.model.places, seen=True)
    assert (shape.kind, shape.frame, shape.colour) == ("cone", 1, "#a0b0c0")
    assert shape.size == pytest.approx((0.05, 0.3, 0.03))
    # about its middle, along x of the DH frame at the end of the link
    np.testing.assert_allclose(shape.pose[:3, 3], [0.15, 0.0, 0.1], atol=1e-12)
    np.testing.assert_allclose(shape.pose[:3, 2], [1.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("home", "visual", "words"),
    [
        (", home_deg = 200", "", "outside its limits"),
        (", home_m = 0.1", "", "write home_deg"),
        ("", "{ ball = [0, 0, 0] }", "one of: cylinder, capsule, sphere, box"),
        ("", '{ joint = "lft", sphere = [0, 0, 0], radius = 0.1 }', "lift"),
        ("", "{ sphere = [0, 0], radius = 0.1 }", "list of 3 numbers"),
        ("", "{ sphere = [0, 0, 0], radius = -0.1 }", "above 0"),
        ("", "{ sphere = [0, 0, 0], radius = [0.1, 0.2] }", "takes 1 number"),
        ("", '{ sphere = [0, 0, 0], radius = 0.1, colour = "red" }', "#rrggbb"),
        ("", "{ capsule = [[0, 0, 0], [0, 0, 0]], radius = 0.1 }", "one point"),
        ("", "{ box = [0, 0, 0], size = [1, 1] }", "takes 3 number"),
    ],
)
def test_homes_and_looks_that_cannot_be_are_refused(tmp_path, home, visual, words):
    path = tmp_path / "two.toml"
    path.write_text(LOOKS.replace("HOME", home).replace("VISUAL", visual))
    with pytest.raises(fa.errors.ModelError, match=words):
        fa.Robot.from_toml(path)


def test_a_scene_in_the_place_of_a_robot_is_told_what_it_is():
    scene = Path(__file__).parents[2] / "examples" / "scene.toml"
    with pytest.raises(ModelError, match=r"no joints, but tables of half_space, .* a scene of obstacles, .*read_world"):
        fa.load(scene)
