"""What results show in a notebook: parsed, and compared with the results themselves."""

import re
import subprocess
import sys

import numpy as np
import pytest
from shown_page import Page, shown

import forearm as fa
from forearm.results.html_parts import VERDICTS

ARM = fa.load("planar-3")
Q = np.linspace([0.3, 0.9, 0.4], [1.1, 1.4, 0.1], 12)
OVER = np.diag([1.0, -1.0, -1.0, 1.0])  # turned over, as no planar arm gets


def test_a_solution_shows_its_verdict_numbers_and_joint_values():
    solution = ARM.solve(ARM.fk(Q[0]), Q[1])
    page = shown(solution)
    assert page.words[0] == "Solved"
    assert solution.reason in page.text
    assert page.row("position error")[1] == f"{solution.position_error:.4g} m"
    assert page.row("method")[1] == solution.method
    for name, value in zip(ARM.joint_names, solution.q, strict=True):
        assert float(page.row(name)[1]) == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(marks(page), 1.0 + 154.0 * (solution.q + np.pi) / (2 * np.pi), atol=0.06)


def marks(page):
    return [float(at["x"]) for tag, at in page.tags if tag == "rect" and at.get("width") == "4"]


@pytest.mark.parametrize("how", [{}, {"explain": False}, {"rng_seed": 3}, {"method": "general"}])
def test_a_solution_draws_the_arm_where_forward_kinematics_has_it(how):
    solution = ARM.solve(ARM.fk(Q[0]), Q[1], **how)
    page = shown(solution)
    dots = [(float(at["cx"]), float(at["cy"])) for tag, at in page.tags if tag == "circle" and at.get("fill") != "none"]
    drawn = np.array(dots[len(dots) // 2 :])  # the second view is that from above
    turned = np.cumsum(solution.q)  # three links of one length in a plane, by hand
    ends = np.cumsum(ARM.reach / 3.0 * np.column_stack([np.cos(turned), np.sin(turned)]), axis=0)
    points = np.vstack([np.zeros((2, 2)), ends])  # the base, the first joint, ..., the tip
    assert len(drawn) == len(points)
    scale = np.ptp(drawn, axis=0).max() / np.ptp(points, axis=0).max()
    np.testing.assert_allclose(drawn - drawn[0], (points - points[0]) * [scale, -scale], atol=0.2)


def test_a_solution_shows_the_limits_and_the_tool_of_its_call():
    name, tool = ARM.joint_names[2], np.eye(4)
    tool[0, 3] = 0.5
    solution = ARM.solve(ARM.fk(Q[0]), Q[0], limits={name: (0.0, 0.8)})
    row = shown(solution).row(name)
    assert row[3] == "0°"
    assert row[5] == "45.84°"
    assert marks(shown(solution))[2] == pytest.approx(1.0 + 154.0 * solution.q[2] / 0.8, abs=0.06)
    assert ARM.solve(fa.Position([2.0, 1.0, 0.0]), tool=tool).model.with_tool(np.eye(4)).n == 3
    assert shown(ARM.solve(fa.Position([2.0, 1.0, 0.0]), tool=tool)).count("svg") == 5


def test_every_branch_and_a_solution_without_an_arm_show_themselves():
    branches = ARM.solve_all(ARM.fk(Q[0]))
    assert len(branches) > 1
    assert all(shown(branch).row(ARM.joint_names[0]) for branch in branches)
    table = shown(branches)
    assert [float(table.row(str(1))[k + 1]) for k in range(ARM.n)] == pytest.approx(branches[1].q, abs=1e-4)
    one = ARM.solve_batch(ARM.fk(Q))[3]
    assert float(shown(one).row(ARM.joint_names[0])[1]) == pytest.approx(one.q[0], rel=1e-5)
    one.model = None
    assert float(shown(one).row("q0")[1]) == pytest.approx(one.q[0], rel=1e-5)


def test_a_list_of_branches_names_postures_and_units():
    ur5 = fa.load("ur5")
    found = ur5.solve_all(ur5.fk([0.3, -1.2, 1.4, -0.5, 1.0, 0.2]))
    page = found._repr_html_()
    assert "8 branches by closed-form" in page
    assert page.count("<tr") == 9
    assert f"{ur5.joint_names[0]} [rad]" in page
    assert all(branch.posture in page for branch in found)
    assert "q0 [rad]" not in page
    assert "-0.0000" not in ur5.solve_all(ur5.fk(ur5.home))._repr_html_()
    far = ur5.solve_all(fa.Pose([9.0, 0.0, 0.0], rpy=[0.0, 0.0, 0.0]))
    assert "0 branches" in far._repr_html_()


def test_all_branches_are_drawn_from_one_base_to_one_tip():
    found = ARM.solve_all(ARM.fk(Q[0]))
    page = shown(found)
    dots = [(float(at["cx"]), float(at["cy"])) for tag, at in page.tags if tag == "circle" and at.get("fill") != "none"]
    above = np.array(dots[len(dots) // 2 :])
    joints = ARM.n + 1
    assert len(above) == 1 + len(found) * joints
    tips = above[joints::joints]
    np.testing.assert_allclose(tips, np.tile(tips[0], (len(found), 1)), atol=0.2)
    bones = [at for tag, at in page.tags if tag == "line"][len(found) * joints :]
    firsts = bones[::joints]
    assert all((float(at["x1"]), float(at["y1"])) == pytest.approx(above[0], abs=0.2) for at in firsts)


@pytest.mark.parametrize(
    ("target", "words"),
    [(fa.Position([9.0, 0.0, 0.0]), "Out of reach"), (ARM.fk(Q[0]) @ OVER, "This orientation is not possible there")],
)
def test_a_failure_is_said_in_words(target, words):
    solution = ARM.solve(target)
    page = shown(solution)
    assert words in page.words[0]
    assert solution.reason in page.text
    assert "#d55e00" in solution._repr_html_()


def test_a_robot_shows_its_limits_as_bars():
    arm = ARM.with_limits({ARM.joint_names[0]: (-1.0, 3.0), ARM.joint_names[1]: (-np.inf, np.inf)})
    page = shown(arm)
    assert page.words[0] == arm.name
    first, second = (page.row(name) for name in arm.joint_names[:2])
    assert first[2:4] == ["-57.3°", "171.9°"]
    assert second[2:4] == ["none", "none"]
    assert page.count("svg") == 3 + 2  # the arm at home, from two sides
    bar = next(at for tag, at in page.tags if tag == "rect" and at.get("fill") == "#0072b2")
    far = np.pi  # of the third joint, the widest
    assert float(bar["x"]) == pytest.approx(160 * (0.5 - 0.5 / far), abs=0.06)
    assert float(bar["width"]) == pytest.approx(160 * 4.0 / (2 * far), abs=0.06)
    slide = fa.Robot.from_dh([{"kind": "prismatic", "limits": (0.0, 0.5)}, {"a": 0.3, "limits": (-1, 1)}], name="s")
    assert shown(slide).cells[1][2:4] == ["0 m", "0.5 m"]


def test_names_are_escaped():
    nasty = "<script>alert(1)</script>&"
    urdf = (
        '<robot name="{0}"><link name="{0}"/><link name="b"/><joint name="{0}j" type="revolute"><parent link="{0}"/>'
        '<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint></robot>'
    ).format("&lt;script&gt;alert(1)&lt;/script&gt;&amp;")
    robot = fa.Robot.from_urdf(urdf)
    page = shown(robot)
    assert page.count("script") == 0
    assert page.words[0] == nasty
    assert page.cells[1][0] == nasty + "j"
    track = robot.track([fa.Orientation(robot.fk([value])[:3, :3]) for value in (0.0, 0.1, 0.2)], [0.0])
    assert shown(track).count("script") == 0
    assert nasty + "j" in shown(track).text


def test_a_track_shows_every_joint_and_where_it_stops():
    whole = ARM.track(ARM.fk(Q), Q[0], times=np.linspace(0.0, 3.0, 12))
    page = shown(whole)
    assert page.words[0] == "Tracked to the end"
    assert page.row("way-points")[1] == "12 of 12"
    assert page.row("largest position error")[1] == f"{whole.position_errors.max():.3g} m"
    assert page.count("polyline") == 3
    ends = next(at["points"] for tag, at in page.tags if tag == "polyline").split()
    assert [float(ends[k].split(",")[0]) for k in (0, -1)] == [8.0, 412.0]
    away = ARM.fk(Q)
    away[7:, 0, 3] += 1.0
    broken = shown(ARM.track(away, Q[0]))
    assert broken.words[0] == "Stops at way-point 7: out of reach"
    assert broken.count("line") == 1
    far = ARM.fk(Q)
    far[:, 0, 3] += 5.0
    assert shown(ARM.track(far)).count("svg") == 0  # nothing to draw, and it says why


def test_every_status_has_words():
    assert set(VERDICTS) == {str(status) for status in fa.Status}


def test_a_batch_counts_its_verdicts():
    far = ARM.fk(Q[:3])
    far[:, 0, 3] += 5.0
    batch = ARM.solve_batch(np.concatenate([ARM.fk(Q), far]))
    page = shown(batch)
    assert page.row("Solved")[1] == "12"
    assert page.row("Out of reach")[1] == "3"
    widths = [float(at["width"]) for tag, at in page.tags if tag == "rect" and at.get("fill") in ("#009e73", "#d55e00")]
    np.testing.assert_allclose(widths, [160 * 12 / 15, 160 * 3 / 15], atol=0.06)


def test_chains_show_their_pose():
    chain = fa.Chain([[0.0, 0.0, 0.1 * k] for k in range(5)])
    solution = chain.solve([0.2, 0.1, 0.2])
    page = shown(solution)
    assert page.words[0] == "Solved"
    assert page.count("svg") == 2
    assert page.count("line") == 8  # four bones in two views
    first = [at for tag, at in page.tags if tag == "line"][:4]
    width = np.array([[float(at["x1"]), float(at["x2"])] for at in first])
    low, high = np.ptp(solution.points[:, 0]), np.ptp(width)
    tall = np.ptp(np.array([[float(at["y1"]), float(at["y2"])] for at in first]))
    assert high / tall == pytest.approx(low / np.ptp(solution.points[:, 2]), rel=0.01)  # one scale
    assert shown(chain).count("svg") == 2
    assert shown(fa.Chain([[0.0, 0.0], [0.0, 1.0]])).count("svg") == 1
    body = fa.Skeleton({"spine": (None, [0, 0, 1]), "arm": ("spine", [1, 0, 1]), "head": ("spine", [0, 0, 2])})
    assert shown(body).count("line") == 6
    blocked = chain.solve([0.2, 0.1, 0.2], obstacles=fa.Sphere([0.2, 0.1, 0.2], 0.05))
    assert "An obstacle is in the way" in shown(blocked).words[0]
    assert shown(blocked).row("clearance")[1] == f"{blocked.clearance:.4g} m"


def test_a_chain_followed_frame_by_frame_tells_of_misses_and_jumps():
    chain = fa.Chain([[0.0, 0.0, 0.1 * k] for k in range(5)], names=[f"<b>{k}" for k in range(4)])
    path = np.linspace([0.2, 0.1, 0.2], [0.1, 0.2, 0.25], 6)
    track = chain.track(path, max_turn=0.5)
    page = shown(track)
    assert page.words[0] == "Followed to the end"
    assert page.row("frames met")[1] == "6 of 6"
    assert page.count("line") == 8  # the last pose
    track = chain.track(np.array([[0.3, 0.1, 0.0], [-0.3, 0.1, 0.0]]), max_turn=0.1)
    page = shown(track)
    assert page.words[0] == "Followed with gaps"
    assert page.row("1")[:2] == ["1", track.jumps[0].bone]
    assert page.count("b") == 0
    assert shown(chain.solve_batch([[0.2, 0.1, 0.2], [3.0, 0.0, 0.0]])).row("Out of reach")[1] == "1"


def test_a_trajectory_shows_its_speeds_over_time():
    trajectory = ARM.track(ARM.fk(Q), Q[0]).timed(3.0, 2.0)
    page = shown(trajectory)
    assert page.words[0] == f"{len(trajectory.times)} points in {trajectory.duration:.4g} s"
    speeds = np.abs(trajectory.velocities).max(axis=0)
    for name, speed in zip(ARM.joint_names, speeds, strict=True):
        assert float(page.row(name)[1].removesuffix(" rad/s")) == pytest.approx(speed, rel=1e-3)
    ends = next(at["points"] for tag, at in page.tags if tag == "polyline").split()
    places = [float(end.split(",")[0]) for end in ends]
    np.testing.assert_allclose(places, 8.0 + 404.0 * trajectory.times / trajectory.duration, atol=0.06)


def test_a_servo_shows_its_joints_and_what_holds_it_back():
    arm = fa.load("ur5")
    q0 = [0.0, -1.0, 1.0, 0.0, 1.0, 0.0]
    servo = arm.servo(q0, rate=500.0)
    assert shown(servo).words[0] == "ur5: held"
    for _ in range(40):
        servo(arm.fk([0.9, -1.0, 1.0, 0.0, 1.0, 0.0]))
    page = shown(servo)
    assert page.words[0] == "ur5: limited"
    assert servo.reason in page.text
    row = page.row(arm.joint_names[0])
    assert float(row[1]) == pytest.approx(servo.q[0], rel=1e-5)
    share = servo.velocity[0] / servo.velocity_limits[0]
    assert share > 0.1
    assert row[-1] == f"{100 * share:.0f} %"


def test_a_self_motion_shows_its_arcs_along_their_curves():
    arm = fa.load("iiwa14")
    motion = arm.self_motion(arm.fk(arm.sample(1, rng_seed=3)[0]))
    page = shown(motion)
    assert page.words[0] == f"{len(motion.arcs)} arcs inside the limits by {motion.method}"
    rows = [row for row in page.cells if row[0] and row[0][0].isdigit()]
    assert [row[3] for row in rows] == [" to ".join(map(str, arc.ends)) for arc in motion.arcs]
    # the length of what is drawn is the length of the arcs
    drawn = sum(float(at["width"]) for tag, at in page.tags if tag == "rect" and at.get("fill") == "#0072b2")
    asked = sum(160.0 * arc.length / motion.curves[arc.curve].length for arc in motion.arcs)
    assert drawn == pytest.approx(asked, abs=2.0 * len(motion.arcs))
    far = shown(arm.self_motion(fa.Pose([9.0, 0.0, 0.0], rpy=[0.0, 0.0, 0.0])))
    assert far.words[0].startswith("0 arcs")


def test_it_is_not_loaded_before_something_is_shown():
    code = (
        "import sys, forearm as fa; arm = fa.load('planar-3'); s = repr(arm.structure)\n"
        "assert 'forearm.results.html' not in sys.modules\n"
        "html = arm._repr_html_(); assert 'forearm.results.html' in sys.modules\n"
        "assert not {'matplotlib', 'viser', 'IPython'} & set(sys.modules); print(len(html))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"\d+", done.stdout)[0]) > 500


def test_joint_values_that_rounding_left_are_zero():
    solution = ARM.solve(ARM.fk([0.5, 0.5, 0.0]), q0=[0.5, 0.5, 0.0])
    solution.q[:] = [0.5, -4e-16, 2e-12]
    assert not re.search(r"e-\d\d<", "".join(f"{cell}<" for cell in Page(solution._repr_html_()).cells if "°" in cell))
    assert "-4e-16" not in solution._repr_html_()
    assert ">-0<" not in solution._repr_html_()
