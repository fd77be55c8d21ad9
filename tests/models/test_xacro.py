"""The xacro loader: packages, arguments, refusals, and FK against pinocchio on rtb-data's robots."""

import importlib.util
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models.urdf import from_urdf
from forearm.models.xacro import expand, from_xacro

AGREEMENT = 1e-12  # [m] and [rad]
CONFIGURATIONS = 3
NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'

LINK_MACRO = """<xacro:macro name="arm_link" params="name parent length">
  <link name="${name}"/>
  <joint name="${name}_joint" type="revolute">
    <parent link="${parent}"/><child link="${name}"/>
    <origin xyz="0 0 ${length}" rpy="${pi/2} 0 0"/><axis xyz="0 1 0"/><limit lower="-${pi}" upper="${pi/4}"/>
  </joint>
</xacro:macro>"""


def document(content):
    return f'<?xml version="1.0"?>\n<robot name="arm" {NAMESPACE}>{content}</robot>'


ARM = document(
    f"""{LINK_MACRO}<xacro:arg name="length" default="0.5"/><link name="base"/>
    <xacro:arm_link name="upper" parent="base" length="0.1"/>
    <xacro:arm_link name="lower" parent="upper" length="$(arg length)"/>"""
)
USES_MACRO = '<link name="base"/><xacro:arm_link name="upper" parent="base" length="0.1"/>'


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def forearm_fk(model, q):
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.asarray(q, dtype=np.float64), T)
    return T


def test_macros_and_expressions_are_expanded(tmp_path):
    model = from_xacro(write(tmp_path / "arm.xacro", ARM))
    assert (model.name, model.base, model.tip) == ("arm", "base", "lower")
    assert model.joint_names == ("upper_joint", "lower_joint")
    np.testing.assert_allclose(model.limits, [[-np.pi] * 2, [np.pi / 4] * 2], rtol=1e-15)
    np.testing.assert_allclose(forearm_fk(model, [0.0, 0.0])[:3, 3], [0.0, -0.5, 0.1], atol=1e-15)
    assert model.note == "expanded from arm.xacro"


def test_args_replace_the_defaults_of_the_file(tmp_path):
    path = write(tmp_path / "arm.xacro", ARM)
    model = from_xacro(str(path), args={"length": "2"})
    np.testing.assert_allclose(forearm_fk(model, [0.0, 0.0])[:3, 3], [0.0, -2.0, 0.1], atol=1e-15)


def test_text_is_expanded_too_and_the_options_of_urdf_hold():
    tool = np.eye(4)
    tool[0, 3] = 0.25
    model = from_xacro(ARM, base="upper", tip="lower", tool=tool, limits={"lower_joint": (-1, 1)})
    assert (model.base, model.limits.tolist()) == ("upper", [[-1.0], [1.0]])
    np.testing.assert_allclose(forearm_fk(model, [0.0])[:3, 3], [0.25, 0.0, 0.5], atol=1e-15)


def test_relative_includes_mean_the_folder_of_the_file(tmp_path, monkeypatch):
    write(tmp_path / "urdf" / "macros" / "link.xacro", document(LINK_MACRO + '<xacro:include filename="more.xacro"/>'))
    write(tmp_path / "urdf" / "macros" / "more.xacro", document('<link name="extra"/>'))
    include = '<xacro:include filename="macros/link.xacro"/>'
    path = write(tmp_path / "urdf" / "arm.xacro", document(include + USES_MACRO))
    assert from_xacro(path, base="base", tip="upper").joint_names == ("upper_joint",)
    monkeypatch.chdir(tmp_path)
    assert from_xacro("urdf/arm.xacro", base="base", tip="upper").n == 1
    monkeypatch.chdir(tmp_path / "urdf")
    assert from_xacro(path.read_text(), base="base", tip="upper").n == 1


# --- packages -------------------------------------------------------------------------------


def write_workspace(folder, own_package):
    """A robot whose macro is in another package beside its own."""
    write(folder / "tools" / "package.xml", "<package><name>link_macros</name></package>")
    write(folder / "tools" / "urdf" / "link.xacro", document(LINK_MACRO))
    write(
        folder / own_package / "urdf" / "part.xacro",
        document('<xacro:include filename="$(find link_macros)/urdf/link.xacro"/>'),
    )
    include = '<xacro:include filename="$(find my_robot)/urdf/part.xacro"/>'
    return write(folder / own_package / "urdf" / "arm.xacro", document(include + USES_MACRO))


@pytest.mark.parametrize("own_package", ["my_robot", "renamed_checkout"])
def test_packages_are_found_around_the_file(tmp_path, own_package):
    assert from_xacro(write_workspace(tmp_path, own_package)).tip == "upper"


def test_a_package_found_for_one_robot_is_not_used_for_the_next(tmp_path):
    for name, length in (("one", "0.1"), ("two", "0.7")):
        path = write_workspace(tmp_path / name, "my_robot")
        macro = tmp_path / name / "tools" / "urdf" / "link.xacro"
        macro.write_text(macro.read_text().replace("${length}", length))
        np.testing.assert_allclose(forearm_fk(from_xacro(path), [0.0])[2, 3], float(length))


def test_a_package_that_is_nowhere_is_named(tmp_path):
    path = write(tmp_path / "arm.xacro", document('<xacro:include filename="$(find nowhere_at_all)/a.xacro"/>'))
    with pytest.raises(ModelError, match=r"arm.xacro: Package not found: nowhere_at_all; put that package's folder"):
        from_xacro(path)


def test_meshes_of_unknown_packages_are_no_error():
    mesh = '<visual><geometry><mesh filename="package://nowhere_at_all/a.stl"/></geometry></visual>'
    assert from_xacro(ARM.replace('<link name="base"/>', f'<link name="base">{mesh}</link>')).n == 2


# --- what is refused ------------------------------------------------------------------------

REFUSED = {
    "no XML": ("<robot", "not well-formed"),
    "another root": ("<mujoco/>", "expected <robot>"),
    "entities": ('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "refused for safety"),
    "no such file": ("nowhere.xacro", "there is no xacro file"),
    "no text": (5, "not int"),
    "undefined property": (document('<link name="${nothing}"/>'), "'nothing' is not defined"),
    "undefined argument": (document('<link name="$(arg side)"/>'), r"side; give its value in args=\{...\}"),
    "unknown macro": (document("<xacro:leg/>"), "unknown macro name: xacro:leg"),
    "no such include": (
        document('<xacro:include filename="nowhere.xacro"/>'),
        "there is no xacro file .*nowhere.xacro",
    ),
    "macros only": (document(LINK_MACRO), r"the xacro text \(expanded\) has no root link"),
    "endless macro": (document('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>'), "more than 200 deep"),
    "Python beyond xacro's": (document("<link name=\"${__import__('os').getcwd()}\"/>"), "cannot expand"),
    "division by zero": (document('<link name="${1/0}"/>'), "division by zero"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_expanded_is_refused_in_one_line(name, capfd):
    source, message = REFUSED[name]
    with pytest.raises(ModelError, match=message) as caught:
        from_xacro(source)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_args_must_be_a_mapping():
    with pytest.raises(ModelError, match="args is 5; it takes a mapping from argument name to value"):
        from_xacro(ARM, args=5)


def test_a_file_that_includes_itself_is_refused(tmp_path):
    path = write(tmp_path / "arm.xacro", document('<xacro:include filename="arm.xacro"/>'))
    with pytest.raises(ModelError, match=r"cannot expand arm.xacro"):
        from_xacro(path)


def test_python_files_beside_the_robot_are_not_run(tmp_path):
    for name in ("json", "yaml", "xacro", "resource", "re"):
        write(tmp_path / f"{name}.py", "open('ran', 'w').close()")
    assert from_xacro(write(tmp_path / "arm.xacro", ARM)).n == 2
    assert not (tmp_path / "ran").exists()


# --- files from anywhere --------------------------------------------------------------------


def test_includes_stay_below_the_robots_folders(tmp_path):
    write(tmp_path / "secret" / "part.xacro", document(LINK_MACRO))
    for name in ("../secret/part.xacro", str(tmp_path / "secret" / "part.xacro"), "$(find secret)/part.xacro"):
        path = write(tmp_path / "robot" / "arm.xacro", document(f'<xacro:include filename="{name}"/>{USES_MACRO}'))
        with pytest.raises(ModelError, match=r"lies outside of the folders|Package not found: secret"):
            from_xacro(path)


def test_a_folder_that_the_user_names_may_be_read(tmp_path):
    write(tmp_path / "shared" / "part.xacro", document(LINK_MACRO))
    include = '<xacro:include filename="../shared/part.xacro"/>'
    path = write(tmp_path / "robot" / "arm.xacro", document(include + USES_MACRO))
    assert from_xacro(path, folders=[tmp_path / "shared"]).n == 1


def test_a_link_to_a_file_outside_is_outside(tmp_path):
    write(tmp_path / "secret" / "part.xacro", document(LINK_MACRO))
    path = write(tmp_path / "robot" / "arm.xacro", document(f'<xacro:include filename="part.xacro"/>{USES_MACRO}'))
    path.with_name("part.xacro").symlink_to(tmp_path / "secret" / "part.xacro")
    with pytest.raises(ModelError, match="lies outside of the folders"):
        from_xacro(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "part.xacro")
    path = write(tmp_path / "arm.xacro", document('<xacro:include filename="part.xacro"/>'))
    with pytest.raises(ModelError, match="not a regular file"):
        from_xacro(path)


def test_a_mesh_of_a_xacro_is_sought_from_its_file(tmp_path):
    mesh = '<collision><geometry><mesh filename="meshes/a.stl"/></geometry></collision>'
    path = write(tmp_path / "arm.xacro", ARM.replace('<link name="base"/>', f'<link name="base">{mesh}</link>'))
    assert from_xacro(path).shapes[0].folders.own == tmp_path


# --- every xacro of rtb-data ----------------------------------------------------------------

# Two mount a scanner whose package is not there; one uses `deg`, which it nowhere defines.
BROKEN = {"sick_lms1xx_mount.urdf.xacro", "sick_s300_mount.urdf.xacro", "kr210l150.xacro"}


def find_xacros():
    spec = importlib.util.find_spec("rtbdata")
    assert spec is not None, "rtb-data is not installed"
    return sorted(Path(next(iter(spec.submodule_search_locations))).rglob("*.xacro"))


def expanded_robots():
    """The URDF texts of all files that hold links; the others are macros for those."""
    texts = [expand(path, {})[0] for path in find_xacros() if path.name not in BROKEN]
    return [urdf for urdf in texts if "<link" in urdf]


def moving_tips(urdf):
    """The leaf links with a moving joint somewhere above them, by a plain XML reader."""
    root = ElementTree.fromstring(urdf)
    joints = {joint.find("child").get("link"): joint for joint in root.findall("joint")}
    parents = {joint.find("parent").get("link") for joint in joints.values()}
    return [
        link.get("name")
        for link in root.findall("link")
        if link.get("name") not in parents and has_motion(link.get("name"), joints)
    ]


def has_motion(link, joints):
    while link in joints:
        if joints[link].get("type") != "fixed":
            return True
        link = joints[link].find("parent").get("link")
    return False


def mimicked(urdf, values):
    """The values of the joints that mimic another, as written in the URDF."""
    followers = {}
    for joint in ElementTree.fromstring(urdf).findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and mimic.get("joint") in values:
            driver = values[mimic.get("joint")]
            followers[joint.get("name")] = float(mimic.get("multiplier", 1)) * driver + float(mimic.get("offset", 0))
    return followers


def pinocchio_fk(oracle, values, base, tip):
    """T_base_tip at the given joint values; continuous joints are (cos, sin) there."""
    q = pin.neutral(oracle)
    for name, value in values.items():
        joint = oracle.joints[oracle.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    data = oracle.createData()
    pin.framesForwardKinematics(oracle, data, q)
    T_base, T_tip = (data.oMf[oracle.getFrameId(name, pin.FrameType.BODY)] for name in (base, tip))
    return (T_base.inverse() * T_tip).homogeneous


def assert_same_kinematics(model, urdf, oracle):
    rng = np.random.default_rng(5)
    for _ in range(CONFIGURATIONS):
        q = rng.uniform(np.maximum(model.limits[0], -3.0), np.minimum(model.limits[1], 3.0))
        values = dict(zip(model.joint_names, q, strict=True))
        expected = pinocchio_fk(oracle, values | mimicked(urdf, values), model.base, model.tip)
        assert np.abs(forearm_fk(model, q) - expected).max() < AGREEMENT


def test_fk_is_that_of_pinocchio_on_every_robot_of_rtb_data():
    robots = expanded_robots()
    chains = 0
    for urdf in robots:
        oracle = pin.buildModelFromXML(urdf)
        for tip in moving_tips(urdf):
            assert_same_kinematics(from_urdf(urdf, tip=tip), urdf, oracle)
            chains += 1
    assert len(robots) >= 36
    assert chains >= 60


def test_a_robot_of_rtb_data_loads_from_its_file():
    path = next(path for path in find_xacros() if path.name == "lbr_iiwa_14_r820.xacro")
    model = from_xacro(path, tip="tool0")
    assert (model.n, model.note) == (7, "expanded from lbr_iiwa_14_r820.xacro")


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_files_that_lack_something_say_what(name):
    path = next(path for path in find_xacros() if path.name == name)
    with pytest.raises(ModelError, match=r"cannot expand .*(Package not found: lms1xx|'deg' is not defined)"):
        from_xacro(path)
