"""What pages say and draw, without a page."""

import numpy as np
import pytest

import forearm as fa
from forearm.cli.app import app
from forearm.cli.commands import view
from forearm.common.transforms import from_quaternion, from_rpy
from forearm.viewer import DEFAULT_PORT, LOOPBACK
from forearm.viewer.arm.figure import Frames, capsule_pieces, stations
from forearm.viewer.shared.curve import distance_curve
from forearm.viewer.shared.rotations import degrees_of, pose_from_degrees, pose_of, quaternion, z_onto
from forearm.viewer.shared.shapes import capsule, cone, disc
from forearm.viewer.shared.stage import round_length
from forearm.viewer.shared.words import facts_line, joint_bars, length_words, time_words

ROBOTS = ["ur5", "panda", "planar-3", "snake-12"]


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_of_a_figure_lead_to_the_tip(name):
    robot = fa.load(name)
    for q in robot.sample(5, rng_seed=2):
        T = np.eye(4)
        for turn, place in zip(*Frames(robot.model).at(q), strict=True):
            T = T @ pose_of(turn, place)
        last = np.vstack([robot.model.links[-1], [0.0, 0.0, 0.0, 1.0]])
        np.testing.assert_allclose(T @ last, robot.fk(q), atol=1e-12)
        np.testing.assert_allclose(stations(robot.model, q)[-1], robot.fk(q)[:3, 3], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_link_of_a_figure_is_drawn_in_its_own_frame(name):
    model = fa.load(name).model
    pieces = capsule_pieces(model)
    assert {piece.joint for piece in pieces} <= set(range(-1, model.m))
    long = [k for k, link in enumerate(model.links) if np.linalg.norm(link[:, 3]) > 0.01]
    assert {k - 1 for k in long} <= {piece.joint for piece in pieces if not piece.is_hub}


def test_a_slide_has_a_rail():
    model = fa.Robot.from_dh([{"kind": "prismatic", "limits": (0.0, 0.5)}, {"a": 0.3, "limits": (-1, 1)}]).model
    rail = next(piece for piece in capsule_pieces(model) if piece.is_hub and piece.joint == -1)
    assert np.ptp(rail.mesh[0][:, 2]) > 0.5


def test_a_capsule_is_all_points_at_its_radius_from_a_line():
    a, b = np.array([0.1, 0.2, 0.3]), np.array([-0.4, 0.1, 0.9])
    vertices, faces = capsule(a, b, 0.07)
    along = np.clip((vertices - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)[:, None]
    np.testing.assert_allclose(np.linalg.norm(vertices - a - along * (b - a), axis=1), 0.07, atol=1e-12)
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->", p, np.cross(q, r)) / 6.0  # positive if all faces look outward
    exact = np.pi * 0.07**2 * (np.linalg.norm(b - a) + 4.0 / 3.0 * 0.07)
    assert volume == pytest.approx(exact, rel=0.05)


def test_discs_and_cones():
    assert np.abs(disc()[0][:, 2]).max() == 0.0
    corners = cone(0.4)[0]
    away = np.linalg.norm(corners, axis=1)
    angles = np.arccos(corners[away > 0.5, 2] / away[away > 0.5])
    assert angles.max() == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(20))
def test_rotations_come_back(seed):
    rng = np.random.default_rng(seed)
    R = from_rpy(*rng.uniform(-np.pi, np.pi, 3))
    np.testing.assert_allclose(from_quaternion(*quaternion(R[:3, :3])), R, atol=1e-12)
    R[:3, 3] = rng.uniform(-1, 1, 3)
    np.testing.assert_allclose(pose_from_degrees(degrees_of(R)), R, atol=1e-12)
    unit = R[:3, :1].T
    np.testing.assert_allclose(from_quaternion(*z_onto(unit)[0])[:3, 2], unit[0], atol=1e-12)


@pytest.mark.parametrize("pitch", [90.0, -90.0])
def test_straight_up_and_down_come_back_too(pitch):
    T = pose_from_degrees([0.0, 0.0, 0.0, 20.0, pitch, 50.0])
    np.testing.assert_allclose(pose_from_degrees(degrees_of(T)), T, atol=1e-7)


def test_half_turns_have_quaternions():
    np.testing.assert_allclose(z_onto(np.array([[0.0, 0.0, -1.0]]))[0], [0.0, 1.0, 0.0, 0.0])
    for R in (np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])):
        np.testing.assert_allclose(from_quaternion(*quaternion(R))[:3, :3], R, atol=1e-15)


def test_bars_stand_where_joints_stand_and_names_are_escaped():
    arm = fa.load("ur5")
    model = arm.with_limits({"elbow_joint": (-1.0, 3.0)}).model
    html = joint_bars(model, np.zeros(6))
    assert "calc(25.00% - 4px)" in html
    assert html.count("0.0°") == 6
    slide = fa.Robot.from_dh([{"kind": "prismatic", "limits": (0.0, 0.5)}], name="a").model
    assert "250.0 mm" in joint_bars(slide, np.array([0.25]))
    nasty = fa.Robot.from_urdf(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="&lt;b&gt;" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    html = joint_bars(nasty.model, np.array([7.0]))
    assert "<b>" not in html
    assert "dashed" in html


def test_numbers_have_units_that_fit():
    assert [length_words(x) for x in (1e-9, 2e-5, 0.0123, 2.5)] == ["under 1 µm", "20 µm", "12.3 mm", "2.500 m"]
    assert [time_words(x) for x in (12e-6, 0.0034)] == ["12 µs", "3.4 ms"]
    assert facts_line(0.01, np.radians(2.0)) == "10.0 mm off, 2° off"
    assert [round_length(x) for x in (1.0, 0.3, 2.6, 12.0)] == pytest.approx([0.2, 0.05, 0.5, 2.0])


def test_a_curve_marks_the_stage_and_skips_what_is_unknown():
    svg = distance_curve(np.array([1.0, np.nan, 0.1, np.nan, 1e-7]), 2, 1e-6, "stage")
    assert svg.count('r="2.5"') == 3
    assert svg.count('r="5"') == 1
    points = svg.split('polyline points="')[1].split('"')[0].split()
    heights = [float(point.split(",")[1]) for point in points]
    assert heights == sorted(heights)
    assert "nan" not in svg
    assert distance_curve(np.array([0.0]), 0, 1e-6, "stage").startswith("<svg")


def test_the_command_has_the_defaults_of_the_viewer():
    assert (view.LOOPBACK, view.DEFAULT_PORT) == (LOOPBACK, DEFAULT_PORT)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["view"], "view takes one of: a robot, --chain N, --skeleton"),
        (["view", "ur5", "--chain", "3"], "view takes one of"),
        (["view", "--chain", "0"], "it takes 1 to 200"),
        (["view", "--chain", "3", "--tip", "x"], "--base and --tip go with a robot's file"),
    ],
)
def test_the_command_says_what_it_takes(arguments, words):
    from typer.testing import CliRunner

    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, fa.ForearmError)
    assert words in str(result.exception)
