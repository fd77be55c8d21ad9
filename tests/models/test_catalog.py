"""The catalog: every robot loads, and agrees with papers, data sheets and the URDFs of others."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from forearm.common.transforms import from_rpy, inverse, rotation_about, translation
from forearm.core.arm.kinematics import fk_tip
from forearm.errors import ModelError
from forearm.models import catalog
from forearm.models.dh import from_dh
from forearm.models.model import Model
from forearm.models.urdf import from_urdf

DATA_FILES = sorted(path.stem for path in (Path(catalog.__file__).parent / "robots").glob("*.toml"))
EXACT = 1e-12  # only rounding in float64 between the two sides


def fk(model: Model, q) -> np.ndarray:
    T = np.empty((4, 4))
    fk_tip(model.links, model.joints, np.array(q, dtype=np.float64), T)
    return T


def rotation_gap(A: np.ndarray, B: np.ndarray) -> float:
    """About the angle between two poses [rad], for small angles."""
    return float(np.linalg.norm(A[:3, :3] - B[:3, :3]) / math.sqrt(2.0))


def position_gap(A: np.ndarray, B: np.ndarray) -> float:
    return float(np.linalg.norm(A[:3, 3] - B[:3, 3]))


# -- every robot ---------------------------------------------------------------------------------


def test_the_robots_asked_for_are_there():
    asked = (
        "ur3 ur5 ur10 ur3e ur5e ur10e iiwa7 iiwa14 panda xarm7 gen3 jaco2 puma560 irb120 irb140 scara so101 "
        "fabrik-r-5dof fabrik-r-10dof pioneer planar-N snake-N"
    )
    assert set(catalog.list_robots()) == set(asked.split())


@pytest.mark.parametrize("name", DATA_FILES)
def test_every_robot_loads_with_rigid_links_and_sane_limits(name):
    model = catalog.load(name)
    assert model.name == name
    assert np.isfinite(model.links).all()
    for link in model.links:
        np.testing.assert_allclose(link[:, :3] @ link[:, :3].T, np.eye(3), atol=EXACT)
    lower, upper = model.limits
    assert (lower < upper).all()
    for kind, lo, hi in zip(model.joint_kinds, lower, upper, strict=True):
        assert (kind == "continuous") == math.isinf(lo) == math.isinf(hi)
        assert kind == "continuous" or max(abs(lo), abs(hi)) <= math.radians(400)
    assert (model.velocity > 0.0).all()
    reach = np.linalg.norm(model.links[:, :, 3], axis=1).sum()
    assert 0.3 < reach < 2.0  # arms that stand on a table or a floor


@pytest.mark.parametrize("name", DATA_FILES)
def test_every_data_file_says_what_it_is_and_where_its_numbers_come_from(name):
    entry = catalog._read_data_file(name)
    assert entry.name == name
    assert entry.description
    assert entry.source
    note = catalog.load(name).note
    assert entry.source.rstrip(".") in note
    assert entry.note.rstrip(".") in note


def test_aliases_lead_to_one_robot_each():
    owners = [(alias, name) for name in DATA_FILES for alias in catalog._read_data_file(name).aliases]
    aliases = [alias for alias, _ in owners]
    assert len(aliases) == len(set(aliases))
    assert not set(aliases) & set(DATA_FILES)
    for alias, name in owners:
        assert catalog.load(alias).name == name


def test_describe_robots_follows_list_robots():
    rows = catalog.describe_robots()
    assert tuple(row.name for row in rows) == catalog.list_robots()
    patterns = {row.name: row.joints for row in rows}
    assert patterns["ur5"] == "6R"
    assert patterns["fabrik-r-10dof"] == "10R"
    assert patterns["scara"] == "RRPR"
    assert patterns["snake-N"] == "NR"
    assert all(row.description and row.source for row in rows)


def test_right_angles_are_exact():
    twist = catalog._read_data_file("ur5").joints[0]["alpha"]
    assert twist == math.pi / 2


# -- papers --------------------------------------------------------------------------------------

# Xu et al., A Combined Inverse Kinematics Algorithm Using FABRIK with Optimization, section IV-A: a
# target printed with 3 digits and the joint angles found for it, printed with 3 digits.
PRINTED_ANSWERS = {
    "ur5": (
        (1.103, -0.107, -0.114, -1.226, 1.333, -1.995),
        ((-0.770, 0.618, 0.156, -0.296), (-0.638, -0.740, -0.214, -0.869), (-0.017, -0.265, 0.964, 0.288)),
    ),
    "iiwa14": (
        (-0.745, 1.655, -1.686, -0.019, 1.003, -2.025, -0.505),
        ((0.537, 0.838, 0.094, 0.618), (-0.654, 0.344, 0.674, -0.463), (0.532, -0.423, 0.733, 0.382)),
    ),
}
# Half a digit in the entry and half a digit in each angle; measured: UR5 1.14e-3, iiwa 1.14e-3.
PRINTED_ROUNDING = 1.15e-3


@pytest.mark.parametrize("name", PRINTED_ANSWERS)
def test_printed_answers_of_the_combined_paper_reach_the_printed_targets(name):
    q, target = PRINTED_ANSWERS[name]
    np.testing.assert_allclose(fk(catalog.load(name), q)[:3], target, atol=PRINTED_ROUNDING)


# Santos et al., FABRIK-R, Table 6, the rows "Calculated": target [cm], servo angles [deg], error [cm].
PIONEER_ROWS = [
    ((-10, 20, 15), (72.0357, 232.9128, 43.3716, 69.2559, 172.3524, 223.2029, 138.8450), 0.0040),
    ((0, 30, 20), (289.1147, 235.2849, 202.8857, 100.5722, 240.3555, 232.0421, 172.8121), 0.8720),
    ((30, 30, 10), (273.7206, 238.8962, 162.5669, 130.0883, 221.3856, 174.0569, 117.9238), 0.3881),
    ((30, 0, 15), (300.6636, 211.9604, 94.5865, 59.9430, 96.6166, 188.9827, 181.7716), 0.1894),
    ((10, 20, 30), (149.8723, 159.8053, 273.1128, 60.5343, 224.4086, 216.4675, 150.1219), 0.0002),
    ((-20, -25, 10), (150.0939, 200.3210, 114.4607, 75.1049, 130.3213, 180.7206, 169.4944), 0.0181),
    ((30, -25, 20), (174.1269, 212.2136, 210.1987, 83.6652, -0.2260, 184.7386, 171.2706), 0.0162),
    ((10, -30, 5), (187.3628, 231.8674, 172.7498, 119.6384, 58.4168, 230.7213, 138.7609), 0.9812),
    ((-20, -30, 5), (146.0524, 229.3575, 113.6657, 109.7320, 112.1990, 192.1306, 141.2146), 0.0022),
    ((0, -30, 15), (133.0709, 239.5468, 138.8185, 121.5291, 320.9745, 260.8913, 223.0277), 0.2807),
]
PIONEER_ROUNDING = 0.00016  # [cm], from the 4 printed digits of angles and errors


@pytest.mark.parametrize(("target", "theta", "error"), PIONEER_ROWS)
def test_pioneer_reproduces_the_printed_errors(target, theta, error):
    tip = fk(catalog.load("pioneer"), np.radians(theta))[:3, 3] * 100.0
    assert abs(np.linalg.norm(tip - target) - error) <= PIONEER_ROUNDING


def test_pioneer_rows_4_7_and_10_leave_the_servo_range():
    lower, upper = catalog.load("pioneer").limits
    angles = np.radians([theta for _, theta, _ in PIONEER_ROWS])
    outside = ((angles < lower) | (angles > upper)).any(axis=1)
    assert (np.flatnonzero(outside) + 1).tolist() == [4, 7, 10]


def test_pioneer_stands_upright_at_the_servo_centres():
    # The paper's start: "the end-effector at (0cm, 0cm, 59cm)".
    tip = fk(catalog.load("pioneer"), np.radians([150.0] * 7))[:3, 3]
    np.testing.assert_allclose(tip, (0.0, 0.0, 0.59), atol=5e-3)


@pytest.mark.parametrize(("name", "length"), [("fabrik-r-5dof", 0.34), ("fabrik-r-10dof", 0.9)])
def test_the_paper_arms_have_the_paper_lengths_and_no_limits(name, length):
    model = catalog.load(name)
    assert np.linalg.norm(model.links[:, :, 3], axis=1).sum() == pytest.approx(length, abs=EXACT)
    assert set(model.joint_kinds) == {"continuous"}


# -- data sheets and other models ----------------------------------------------------------------

# Tip position at zero [m], added up by hand from the published lengths: guards against slips in a row.
HOME_POSITIONS = {
    "ur3e": (-0.45675, -0.22315, 0.0665),
    "ur5e": (-0.8172, -0.2329, 0.0628),
    "ur10e": (-1.18425, -0.2907, 0.06085),
    "iiwa7": (0.0, 0.0, 1.266),
    "iiwa14": (0.0, 0.0, 1.306),
    "panda": (0.088, 0.0, 0.926),
    "irb120": (0.374, 0.0, 0.630),
    "irb140": (0.515, 0.0, 0.712),
    "scara": (0.600, 0.0, 0.387),
}


@pytest.mark.parametrize("name", HOME_POSITIONS)
def test_tip_at_zero_is_the_sum_of_the_published_lengths(name):
    model = catalog.load(name)
    np.testing.assert_allclose(fk(model, np.zeros(model.n))[:3, 3], HOME_POSITIONS[name], atol=EXACT)


# A point on each axis at zero [m]; the axes are z, y, y, x, y, x, each turning by the right-hand rule.
# Origin: ROS-Industrial, abb_irb120_support irb120_3_58 and abb_irb140_support irb140t_6_81.
ABB_AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
ABB_POINTS = {
    "irb120": ((0, 0, 0), (0, 0, 0.29), (0, 0, 0.56), (0, 0, 0.63), (0.302, 0, 0.63), (0, 0, 0.63)),
    "irb140": ((0, 0, 0), (0.07, 0, 0.352), (0.07, 0, 0.712), (0, 0, 0.712), (0.45, 0, 0.712), (0, 0, 0.712)),
}


@pytest.mark.parametrize("name", ABB_POINTS)
def test_abb_arms_turn_about_the_axes_of_ros_industrial(name):
    model = catalog.load(name)
    T_home = translation(*HOME_POSITIONS[name]) @ from_rpy(0.0, math.pi / 2, 0.0)
    for q in np.random.default_rng(0).uniform(-3.0, 3.0, (50, 6)):
        T = np.eye(4)
        for axis, point, angle in zip(ABB_AXES, ABB_POINTS[name], q, strict=True):
            there = translation(*point)
            T = T @ there @ rotation_about(axis, angle) @ inverse(there)
        np.testing.assert_allclose(fk(model, q), T @ T_home, atol=EXACT)


def test_gen3_agrees_with_the_dh_table_of_its_user_guide():
    # Kinova Gen3 user guide, 7 DOF classical DH parameters: d in metres with 4 digits, thetas plus 180 deg.
    d = (-0.2848, -0.0118, -0.4208, -0.0128, -0.3143, 0.0, -0.1674)
    turns = [math.pi / 2] * 6 + [math.pi]
    offsets = [0.0] + [math.pi] * 6
    table = from_dh(
        [{"d": di, "alpha": turn, "offset": off} for di, turn, off in zip(d, turns, offsets, strict=True)],
        base=from_rpy(math.pi, 0.0, 0.0),
    )
    model = catalog.load("gen3")
    gaps = []
    for q in np.random.default_rng(0).uniform(-3.0, 3.0, (200, 7)):
        assert rotation_gap(fk(model, q), fk(table, q)) <= EXACT
        gaps.append(position_gap(fk(model, q), fk(table, q)))
    assert max(gaps) <= 6e-4  # 4 printed digits, and the 0.35 mm wrist offset that the table leaves out


def test_puma560_takes_the_nominal_pose_of_the_robotics_toolbox():
    # P. Corke, Robotics Toolbox: fkine(qn), printed with 4 digits.
    T = fk(catalog.load("puma560"), (0.0, math.pi / 4, math.pi, 0.0, math.pi / 4, 0.0))
    np.testing.assert_allclose(T[:3], [[0, 0, 1, 0.5963], [0, 1, 0, -0.1501], [-1, 0, 0, 0.6575]], atol=5.1e-5)


def test_scara_tool_points_down_and_the_stroke_lowers_it():
    model = catalog.load("scara")
    T = fk(model, (0.3, -0.7, 0.1, 0.2))
    np.testing.assert_allclose(T[:3, 2], (0.0, 0.0, -1.0), atol=EXACT)
    assert T[2, 3] == pytest.approx(0.287, abs=EXACT)
    assert model.limits[:, 2].tolist() == [0.0, 0.21]


# -- URDFs of the same arms ----------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """A catalog robot beside a URDF of the same arm, in frames `base` and `tip` of the URDF.

    A URDF joint has `signs * q + offsets`; the URDF's tip lies `tip_z` further out along z. `position`
    is the largest gap [m], None where the lengths differ; it is measured with the joints in `held`
    at their values. `limits` is the largest gap in the joint limits [rad], None where they differ.
    """

    robot: str
    urdf: str
    base: str
    tip: str
    position: float | None
    rotation: float
    reason: str
    limits: float | None = None
    signs: tuple[float, ...] = ()
    offsets: tuple[float, ...] = ()
    tip_z: float = 0.0
    held: tuple[tuple[int, float], ...] = ()


UR = "example-robot-data/robots/ur_description/urdf"
ELEVEN_DIGITS = "right angles written with 11 digits"
UR_LIMITS = "; its elbow is halved for planners, so limits differ"
PAIRS = [
    Pair("ur3", f"{UR}/ur3_robot.urdf", "base", "tool0", 1e-10, 1e-10, ELEVEN_DIGITS + UR_LIMITS),
    Pair("ur5", f"{UR}/ur5_robot.urdf", "base", "tool0", 1e-10, 1e-10, ELEVEN_DIGITS + UR_LIMITS),
    Pair("ur10", f"{UR}/ur10_robot.urdf", "base", "tool0", 1e-10, 1e-10, ELEVEN_DIGITS + UR_LIMITS),
    Pair(
        "panda",
        "example-robot-data/robots/panda_description/urdf/panda.urdf",
        "panda_link0",
        "panda_link8",
        EXACT,
        EXACT,
        "the same numbers",
        limits=EXACT,
    ),
    Pair(
        "xarm7",
        "example-robot-data/robots/xarm_description/urdf/xarm7.urdf",
        "link_base",
        "link_eef",
        1e-5,
        3e-5,
        "right angles written as 1.5708, off by 4e-6 rad each",
        limits=5e-4,
    ),
    Pair(
        "jaco2",
        "example-robot-data/robots/kinova_description/robots/kinova.urdf",
        "j2s6s200_link_base",
        "j2s6s200_end_effector",
        1e-10,
        1e-10,
        ELEVEN_DIGITS,
        limits=1e-10,
    ),
    Pair(
        "so101",
        "example-robot-data/robots/so_arm_description/urdf/so101.urdf",
        "base_link",
        "gripper_frame_link",
        1e-5,
        3e-5,
        "right angles written as 1.5708 and 3.14159, off by up to 4e-6 rad each",
        limits=EXACT,
    ),
    Pair(
        "iiwa14",
        "rtb-data/kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf",
        "base_link",
        "tool0",
        2 * 0.00043624 + EXACT,
        EXACT,
        "the URDF shifts the axes of joints 2 and 4 by 0.436 mm, there and back; A4 counts the other way",
        limits=3e-4,
        signs=(1, 1, 1, -1, 1, 1, 1),
    ),
    Pair(
        "puma560",
        "rtb-data/unimation_puma560_description/urdf/puma560_robot.urdf",
        "link1",
        "link7",
        1.4e-3,
        1e-7,
        "the URDF moves the elbow axis by 20.3 mm instead of the wrist, which is the same only in the stretched "
        "arm; its forearm is 1.3 mm longer; joints 3 and 4 count from the other side",
        offsets=(0, 0, math.pi, math.pi, 0, 0),
        tip_z=0.0558,
        held=((2, -math.pi / 2),),
    ),
    Pair(
        "irb140",
        "rtb-data/abb_irb140_description/urdf/irb140.urdf",
        "base_link",
        "tool0",
        None,
        1e-10,
        "the URDF is four times too large and has a wrist offset of 20 mm: only its orientations are the robot's",
    ),
]


def urdf_path(name: str) -> Path:
    """Where the packages example-robot-data and rtb-data keep a URDF."""
    package, _, rest = name.partition("/")
    if package == "rtb-data":
        return Path(pytest.importorskip("rtbdata").__file__).parent / "xacro" / rest
    pin = Path(pytest.importorskip("pinocchio").__file__)
    prefix = next(folder for folder in pin.parents if folder.name == "cmeel.prefix")
    return prefix / "share" / name


def pinocchio_fk(pair: Pair, joint_names: tuple[str, ...]):
    """A function from URDF joint values to the pose of the tip, by pinocchio."""
    pin = pytest.importorskip("pinocchio")
    path = urdf_path(pair.urdf)
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    base, tip = model.getFrameId(pair.base), model.getFrameId(pair.tip)

    def pose(q):
        full = pin.neutral(model)
        for name, value in zip(joint_names, q, strict=True):
            joint = model.joints[model.getJointId(name)]
            # pinocchio keeps a continuous joint as its cosine and sine
            full[joint.idx_q : joint.idx_q + joint.nq] = (
                [value] if joint.nq == 1 else [math.cos(value), math.sin(value)]
            )
        pin.framesForwardKinematics(model, data, full)
        return (data.oMf[base].inverse() * data.oMf[tip]).homogeneous

    return pose


def configurations(model: Model) -> np.ndarray:
    """100 configurations a turn wide or so: the pairs agree outside the limits too."""
    return np.random.default_rng(0).uniform(-3.2, 3.2, (100, model.n))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.robot)
def test_robot_turns_as_its_urdf_does(pair):
    model = catalog.load(pair.robot)
    pose = pinocchio_fk(pair, model.joint_names)
    signs, offsets = pair.signs or np.ones(model.n), pair.offsets or np.zeros(model.n)
    gaps = [rotation_gap(fk(model, q), pose(np.multiply(signs, q) + offsets)) for q in configurations(model)]
    assert max(gaps) <= pair.rotation, pair.reason


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.position is not None], ids=lambda pair: pair.robot)
def test_robot_reaches_where_its_urdf_does(pair):
    model = catalog.load(pair.robot, tool=translation(0.0, 0.0, pair.tip_z))
    pose = pinocchio_fk(pair, model.joint_names)
    signs, offsets = pair.signs or np.ones(model.n), pair.offsets or np.zeros(model.n)
    gaps = []
    for q in configurations(model):
        for joint, value in pair.held:
            q[joint] = value
        gaps.append(position_gap(fk(model, q), pose(np.multiply(signs, q) + offsets)))
    assert max(gaps) <= pair.position, pair.reason


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.limits is not None], ids=lambda pair: pair.robot)
def test_robot_has_the_limits_and_speeds_of_its_urdf(pair):
    model = catalog.load(pair.robot)
    other = from_urdf(urdf_path(pair.urdf), base=pair.base, tip=pair.tip)
    assert model.joint_names == other.joint_names
    assert model.joint_kinds == other.joint_kinds
    np.testing.assert_allclose(model.limits, other.limits, atol=pair.limits)
    if np.isfinite(model.velocity).all():
        np.testing.assert_allclose(model.velocity, other.velocity, atol=2e-3)  # xarm7 writes 3.14


# -- planar and snake ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
@pytest.mark.parametrize("family", ["planar", "snake"])
def test_chains_lie_along_x_at_zero(family, n):
    model = catalog.load(f"{family}-{n}")
    assert model.n == n
    assert model.name == f"{family}-{n}"
    T = fk(model, np.zeros(n))
    np.testing.assert_allclose(T[:3, :3], np.eye(3), atol=1e-10)
    np.testing.assert_allclose(T[:3, 3], (0.1 * n, 0.0, 0.0), atol=1e-10)


def test_planar_joints_turn_about_z():
    model = catalog.load("planar-3")
    q = np.array([0.3, -1.1, 0.5])
    angles = np.cumsum(q)
    expected = 0.1 * np.array([np.cos(angles).sum(), np.sin(angles).sum(), 0.0])
    np.testing.assert_allclose(fk(model, q)[:3, 3], expected, atol=EXACT)
    np.testing.assert_allclose(model.limits, np.pi * np.array([[-1.0] * 3, [1.0] * 3]))


def test_snake_joints_turn_about_z_and_y_in_turn():
    model = catalog.load("snake-4")
    q = (0.3, -1.1, 0.5, 0.9)
    T = np.eye(4)
    for i, angle in enumerate(q):
        T = T @ rotation_about((0, 0, 1) if i % 2 == 0 else (0, 1, 0), angle) @ translation(0.1, 0.0, 0.0)
    np.testing.assert_allclose(fk(model, q), T, atol=EXACT)
    np.testing.assert_allclose(model.limits, np.radians([[-120.0] * 4, [120.0] * 4]))


@pytest.mark.parametrize("count", ["0", "1001", "-3", "2.5", "x", "N", "99999", "\u0663"])
def test_a_chain_takes_1_to_1000_joints(count):
    with pytest.raises(ModelError, match=r"whole number of joints from 1 to 1000, as in planar-5"):
        catalog.load(f"planar-{count}")


# -- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["FABRIK_R 5dof", "Fabrik-R-5DOF", " fabrik r 5dof ", "fabrik_r_5"])
def test_capitals_blanks_and_underscores_do_not_matter(name):
    assert catalog.load(name).name == "fabrik-r-5dof"


def test_franka_is_the_panda():
    model = catalog.load("Franka")
    assert (model.name, model.base, model.tip) == ("panda", "panda_link0", "panda_link8")


def test_an_unknown_name_gets_the_nearest_ones_and_the_way_to_a_file():
    with pytest.raises(ModelError, match=r"robot 'ur6' is not in the catalog .*give its path.*did you mean ur5"):
        catalog.load("UR6")


def test_a_name_near_nothing_gets_the_list():
    with pytest.raises(ModelError, match=r"there are: fabrik-r-10dof, "):
        catalog.load("qqq")
    with pytest.raises(ModelError, match=r"there is no URDF file 'qqq.urdf'; check the path"):
        catalog.load("qqq.urdf")


def test_a_name_must_be_text():
    with pytest.raises(ModelError, match="text, not int"):
        catalog.load(5)


def test_a_tool_moves_the_tip():
    tool = translation(0.0, 0.0, 0.1) @ rotation_about((0, 0, 1), 0.5)
    q = np.linspace(-1.0, 1.0, 7)
    np.testing.assert_allclose(fk(catalog.load("panda", tool=tool), q), fk(catalog.load("panda"), q) @ tool, atol=EXACT)
    np.testing.assert_allclose(
        fk(catalog.load("planar-7", tool=tool), q), fk(catalog.load("planar-7"), q) @ tool, atol=EXACT
    )
