"""The command line as a user meets it: output, JSON, exit codes, and the words for mistakes."""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm import cli
from forearm.cli.app import app
from forearm.cli.shell_words import for_shell

UR5 = fa.load("ur5")

ARM = """<robot name="tiny"><link name="base"/><link name="tool0"/><link name="camera"/>
  <joint name="pan" type="revolute"><parent link="base"/><child link="tool0"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>
  <joint name="look" type="prismatic"><parent link="base"/><child link="camera"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.2"/></joint></robot>"""

MJCF = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 0 1" range="-90 90"/>
  <geom size="0.1"/><site name="end" pos="0.3 0 0"/></body></worldbody></mujoco>"""


def run(*arguments):
    """Runs `forearm` in this process through its real entry point."""
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, fa.ForearmError):
        return 2, for_shell(result.exception.message)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def run_json(*arguments):
    code, output = run(*arguments, "--json")
    return code, json.loads(output)


def test_robots_lists_the_whole_catalog():
    code, rows = run_json("robots")
    assert code == 0
    assert {row["name"] for row in rows} == set(fa.list_robots())
    assert "ur5" in run("robots")[1]


def test_methods_lists_every_option():
    code, rows = run_json("methods")
    assert code == 0
    assert {"dls", "ccd"} <= {row["name"] for row in rows}
    assert "max_iterations" in run("methods")[1]


def test_info_shows_joints_limits_reach_and_structure():
    code, output = run("info", "ur5", "--deg")
    assert code == 0
    assert "360.000" in output
    assert "axes 2, 3, 4 parallel" in output
    data = run_json("info", "ur5")[1]
    assert [joint["name"] for joint in data["joints"]] == list(UR5.joint_names)


def test_info_shows_how_fast_joints_may_be_where_that_is_known():
    output = run("info", "ur5", "--deg")[1]
    assert " deg/s " in output
    assert output.count("180.000") == UR5.n
    assert "rad/s" not in run("info", "planar-3")[1]


@pytest.mark.compiled  # as Python, which of its links may touch takes a minute
def test_info_of_continuous_joints_is_valid_json():
    assert run_json("info", "gen3")[1]["joints"][0]["upper"] is None
    assert "none" in run("info", "gen3")[1]


def test_fk_in_degrees_and_millimetres():
    code, data = run_json("fk", "ur5", "--deg", "--q", "0 -90 90 0 90 0")
    assert code == 0
    np.testing.assert_allclose(data["pose"], UR5.fk(np.radians([0, -90, 90, 0, 90, 0])))
    assert "position in mm" in run("fk", "ur5", "--mm", "--q", "0,0,0,0,0,0")[1]


def test_fk_gives_what_solve_takes_back():
    values = "10,-80,70,20,30,40"
    code, data = run_json("fk", "ur5", "--deg", "--q", values)
    assert code == 0
    text = run("fk", "ur5", "--deg", "--q", values)[1]
    rows = dict(line.split(")", 1) for line in text.splitlines() if ")" in line)
    quaternion, rpy = rows["quaternion (w, x, y, z"], rows["roll, pitch, yaw (deg"]
    xyz = ",".join(map(str, data["xyz"]))
    for flag, numbers in (("--quat-wxyz", quaternion), ("--rpy", rpy)):
        found = run_json("solve", "ur5", "--deg", "--xyz", xyz, flag, numbers)[1]
        np.testing.assert_allclose(UR5.fk(found["q"]), data["pose"], atol=2e-6)
    np.testing.assert_allclose(fa.Pose(data["xyz"], quat_wxyz=data["quat_wxyz"]).goal, data["pose"], atol=1e-12)
    np.testing.assert_allclose(fa.Pose(data["xyz"], rpy=data["rpy"]).goal, data["pose"], atol=1e-12)
    assert "-0.000000000" not in run("fk", "ur5", "--deg", "--q", "0 -90 90 0 90 0")[1].partition("quaternion")[2]


def test_solve_by_name_gives_joint_values_that_reach():
    code, data = run_json("solve", "ur5", "--xyz", "0.4,0.2,0.3", "--rpy", "180,0,90", "--deg")
    assert code == 0
    T = UR5.fk(data["q"])
    np.testing.assert_allclose(T[:3, 3], [0.4, 0.2, 0.3], atol=1e-6)
    np.testing.assert_allclose(T[:3, 2], [0, 0, -1], atol=1e-5)


@pytest.mark.parametrize(
    "flags",
    [
        ["--xyz", "400,200,300", "--mm"],
        ["--rpy", "0,1,0"],
        ["--quat-wxyz", "1,0,0,0"],
        ["--xyz", "0.4,0.2,0.3", "--quat-xyzw", "1,0,0,0"],
        ["--xyz", "0.4,0.2,0.3", "--direction", "0,0,-1"],
        ["--from-q", "0.1,-1,1,0,1,0"],
        ["--matrix", "1,0,0,0.4, 0,-1,0,0.2, 0,0,-1,0.3, 0,0,0,1"],
        ["--from-q", "0.1,-1,1,0,1,0", "--tol", "1e-3,1e-2", "--q0", "0,-1,1,0,1,0"],
        ["--xyz", "0.4,0.2,0.3", "--method", "ccd", "--option", "max_iterations=500"],
    ],
)
def test_solve_takes_every_form_of_target(flags):
    code, data = run_json("solve", "ur5", *flags)
    assert code == 0, data
    assert data["success"]


def test_solve_reads_a_matrix_from_a_file_and_locks_a_joint(tmp_path):
    path = tmp_path / "pose.json"
    path.write_text(json.dumps(UR5.fk([0.1, -1, 1, 0, 1, 0]).tolist()))
    name = UR5.joint_names[0]
    code, data = run_json("solve", "ur5", "--matrix", str(path), "--lock", f"{name}=0.1")
    assert code == 0
    assert data["q"][0] == 0.1


def test_an_unreachable_target_exits_with_one_and_a_sentence():
    code, output = run("solve", "ur5", "--xyz", "3,0,0")
    assert code == 1
    assert "out_of_reach" in output
    assert "beyond the arm's" in " ".join(output.split())


def test_files_load_by_their_ending_or_content(tmp_path):
    urdf, mjcf = tmp_path / "tiny.urdf", tmp_path / "tiny.xml"
    urdf.write_text(ARM)
    mjcf.write_text(MJCF)
    assert run_json("info", str(urdf), "--tip", "camera")[1]["reach"] == pytest.approx(0.2)
    assert run_json("info", str(mjcf), "--tip", "end")[1]["joints"][0]["name"] == "hinge"
    assert run("fk", str(urdf), "--tip", "camera", "--mm", "--q", "150")[0] == 0


def test_a_folder_that_is_named_may_be_read_from_by_every_command(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "parts" / "tiny.xacro").write_text(ARM)
    path = tmp_path / "mine" / "robot.xacro"
    path.write_text(
        f"""<robot name="outer" xmlns:xacro="http://www.ros.org/wiki/xacro">
          <xacro:include filename="{tmp_path}/parts/tiny.xacro"/></robot>"""
    )
    asked = (str(path), "--tip", "tool0")
    code, output = run("fk", *asked, "--q", "0")
    assert code == 2
    assert "lies outside of the folders" in output
    assert "or name its folder with --folder" in output
    for command in (("info",), ("fk", "--q", "0"), ("solve", "--xyz", "0,0,0.1")):
        code, output = run(command[0], *asked, *command[1:], "--folder", str(tmp_path / "parts"))
        assert code == 0, output
    for mistake, words in (
        (("info", "ur5", "--folder", str(tmp_path)), "--folder go with a file"),
        (("info", *asked, "--folder", str(tmp_path / "none")), "which is no folder"),
        (("view", "--skeleton", "--folder", str(tmp_path)), "--folder go with a robot's file"),
    ):
        code, output = run(*mistake)
        assert code == 2
        assert words in output


def test_picture_is_written_where_asked(tmp_path):
    path = tmp_path / "pose.png"
    code, output = run("solve", "ur5", "--xyz", "0.4,0.2,0.3", "--picture", str(path))
    assert code == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "pose.png" in output


def test_demo_solves_and_draws(tmp_path):
    code, output = run("demo", "--picture", str(tmp_path / "demo.png"))
    assert code == 0
    assert "solved" in output
    assert (tmp_path / "demo.png").stat().st_size > 10_000


def test_demo_solves_without_what_draws(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "forearm.plot.figure", None)  # the import that fails without matplotlib
    code, output = run("demo", "--picture", str(tmp_path / "demo.png"))
    assert code == 0
    assert "solved" in output
    assert "no picture" in output
    assert "pip install" in output
    assert "next: forearm view" in output


BAD = [
    (
        ["info", "examples/scene.toml"],
        "a scene of obstacles, not a robot; give it beside a robot, as in `forearm solve",
    ),
    (["info", "ur55"], "robot 'ur55' is not in the catalog"),
    (["info", "no/such.urdf"], "there is no URDF file 'no/such.urdf'"),
    (["info", "no/such.udrf"], "there is no file 'no/such.udrf'; check the path"),
    (["info", "x" * 5000 + "/a.b"], "check the path"),
    (["info", "a\0b/c.d"], "check the path"),
    (["bench", "--robot", "arm.udrf"], "there is no file 'arm.udrf'; check the path"),
    (
        ["info", "ur5", "--tip", "tool0"],
        "--arg and --folder go with a file; 'ur5' is a name",
    ),
    (["fk", "ur5", "--q", "1,2"], "--q has 2 numbers; ur5 has 6 joints"),
    (["fk", "ur5", "--q", "a b c d e f"], "--q is 'a b c d e f'; it takes numbers separated by commas or blanks"),
    (["solve", "ur5"], "no target is given; give one of: --xyz"),
    (["solve", "ur5", "--rpy", "0,0,0", "--quat-wxyz", "1,0,0,0"], "--quat-wxyz, --rpy together do not make a target"),
    (["solve", "ur5", "--xyz", "1,2"], "--xyz has 2 numbers; it takes 3"),
    (["solve", "ur5", "--xyz", "1,2,nan"], "--xyz has nan"),
    (["solve", "ur5", "--xyz", "0,0,1", "--lock", "elbow"], "--lock is 'elbow'; it takes joint=value"),
    (["solve", "ur5", "--xyz", "0,0,1", "--lock", "elbow=1"], "joint 'elbow' is not in ur5"),
    (["solve", "ur5", "--xyz", "0,0,1", "--option", "speed=1"], "method 'auto' has no option 'speed'"),
    (["solve", "ur5", "--xyz", "0,0,1", "--method", "magic"], "method 'magic' is unknown"),
    (["solve", "ur5", "--matrix", "1,2,3"], "--matrix has 3 numbers; it takes 16"),
    (
        ["solve", "ur5", "--xyz", "0,0,1", "--rpy", "0,0,1", "--tol", "1"],
        "--tol has 1 number; a pose takes 2: position and rotation",
    ),
    (["solve", "ur5", "--rpy", "0,0,1", "--tol", "1,2,3"], "--tol has 3 numbers; an orientation takes 1"),
    (["solve", "ur5", "--xyz", "0,0,1", "--option", "q0=1"], "has no option 'q0'"),
    (["solve", "ur5", "--xyz", "0,0,1", "--option", "explain=1"], "has no option 'explain'"),
    (["solve", "ur5", "--xyz", "0,0,1", "--option", "tool=1"], "has no option 'tool'"),
    (
        ["solve", "ur5", "--matrix", "no.txt"],
        "--matrix is 'no.txt': not 16 numbers, and there is no matrix file 'no.txt'",
    ),
    (["solve", "ur5", "--xyz", "0,0,1", "--picture", "a.xyz"], "must end in one of: .png, .pdf, .svg, .jpg"),
    (["solve", "ur5", "--xyz", "0,0,1", "--picture", "no/such/a.png"], "there is no directory 'no/such'"),
    (["demo", "--picture", "a"], "must end in one of: .png, .pdf, .svg, .jpg"),
    (["solve", "ur5", "--xyz", "0,0,1", "--limit", "elbow_joint"], "it takes joint=lower:upper"),
    (["solve", "ur5", "--xyz", "0,0,1", "--limit", "elbow_joint=1"], "it takes joint=lower:upper"),
    (
        ["solve", "ur5", "--xyz", "0,0,1", "--limit", "elbow_joint=1:0"],
        "in --limit has lower limit 1 and upper limit 0",
    ),
    (["solve", "ur5", "--xyz", "0,0,1", "--limit", "elbow=0:1"], "joint 'elbow' is not in ur5"),
    (["solve", "ur5", "--xyz", "0,0,1", "--tool", "1,2"], "--tool has 2 numbers; it takes 3 (x, y, z) or 6"),
    (["solve", "ur5", "--xyz", "0,0,1", "--q0", "9,0,0,0,0,0"], "--q0 is outside the limits"),
    (["solve", "ur5", "--xyz", "0,0,1", "--q0", "9,0,0,0,0,0"], "choose values inside them"),
    (["info", "x" * 5000], "is not in the catalog (to load a file, give its path)"),
]


@pytest.mark.parametrize("name", ["arm.udrf", "arn.urdf"])
def test_a_misspelt_file_is_told_its_neighbour(tmp_path, name):
    (tmp_path / "arm.urdf").write_text("<robot name='a'/>")
    code, output = run("info", str(tmp_path / name))
    assert code == 2
    assert "did you mean" in output
    assert "arm.urdf" in output
    assert "catalog" not in output


@pytest.mark.parametrize("command", ["info", "view"])
def test_a_clip_is_no_robot_and_is_told_what_reads_it(tmp_path, command):
    clip = tmp_path / "wave.bvh"
    clip.write_text("HIERARCHY\n")
    code, output = run(command, str(clip))
    assert code == 2
    assert "is a motion, not a robot" in output
    assert "forearm pose" in output


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(arguments)[:40] for arguments, _ in BAD])
def test_mistakes_exit_with_two_and_say_what_to_do(arguments, words):
    code, output = run(*arguments)
    assert code == 2
    assert words in output


def test_several_tips_are_listed(tmp_path):
    path = tmp_path / "tiny.urdf"
    path.write_text(ARM)
    assert "choose --tip from: tool0, camera" in run("info", str(path))[1]


def test_what_a_file_opens_with_tells_its_format(tmp_path):
    tag = '<mujoco><compiler meshdir="meshes"/></mujoco>'
    path = tmp_path / "unitree.urdf"
    path.write_text("<?xml version='1.0'?><!-- <mujoco> below -->" + ARM.replace("<link", f"{tag}<link", 1))
    code, output = run("info", str(path), "--tip", "tool0", "--json")
    assert code == 0, output


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="long" default="false"/>
<xacro:property name="z" value="$(arg reach)"/><link name="base"/><link name="tool0"/>
<joint name="pan" type="revolute"><parent link="base"/><child link="tool0"/><origin xyz="0 0 ${z}"/>
<limit lower="1" upper="-1"/></joint></robot>"""


def test_arguments_of_a_xacro_and_limits_of_a_file_are_given_by_flags(tmp_path):
    path = tmp_path / "arm.xacro"
    path.write_text(XACRO)
    assert "give its value with --arg name=value" in run("info", str(path))[1]
    asked = (str(path), "--arg", "reach=0.7")
    code, output = run("info", *asked)
    assert code == 2
    assert "lower limit 1 and upper limit -1; swap them, or pass --limit pan=-1:1" in output
    code, output = run("fk", *asked, "--limit", "pan=-1:1", "--q", "0", "--json")
    assert code == 0, output
    assert json.loads(output)["pose"][2][3] == 0.7
    assert "--arg goes with a xacro" in run("info", *_mjcf(tmp_path), "--arg", "a=b")[1]
    path.rename(tmp_path / "arm.urdf")
    assert run("info", str(tmp_path / "arm.urdf"), *asked[1:], "--limit", "pan=-60:60", "--deg")[0] == 0


def _mjcf(folder):
    path = folder / "arm.xml"
    path.write_text('<mujoco><worldbody><body name="a"><joint/></body></worldbody></mujoco>')
    return (str(path),)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"secret words", "holds something else than numbers"),
        (b"\xff\xfe\x00secret", "holds something else than numbers"),
        (b"1 " * 100_000, "at most 65,536 are read"),
        (b"1 2 3", "--matrix has 3 numbers; it takes 16"),
    ],
    ids=["words", "not UTF-8", "huge", "three numbers"],
)
def test_a_file_that_holds_no_matrix_is_refused_unseen(content, words, tmp_path):
    path = tmp_path / "pose.txt"
    path.write_bytes(content)
    code, output = run("solve", "ur5", "--matrix", str(path))
    assert code == 2
    assert words in output
    assert "secret" not in output


def test_a_picture_in_place_of_a_directory_is_refused(tmp_path):
    folder = tmp_path / "folder.png"
    folder.mkdir()
    code, output = run("solve", "ur5", "--xyz", "0.4,0.2,0.3", "--picture", str(folder))
    assert code == 2
    assert "a directory; give the name of a file in it" in output


def test_a_picture_that_cannot_be_written_is_bad_input(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("forearm.cli.commands.solve.save_pose", fail)
    code, output = run("solve", "ur5", "--xyz", "0.4,0.2,0.3", "--picture", str(tmp_path / "a.png"))
    assert code == 2
    assert "No space left on device; choose another place" in output


def test_version_is_that_of_the_package():
    assert run("--version") == (0, f"forearm {fa.__version__}\n")


def test_one_tolerance_will_do_for_a_point_or_an_orientation_alone():
    assert run_json("solve", "ur5", "--xyz", "400,200,300", "--mm", "--tol", "1")[1]["success"]
    assert run_json("solve", "ur5", "--rpy", "0,1,0", "--tol", "0.01")[1]["success"]


def test_limits_of_the_call_are_kept_and_bound_its_locks():
    target = ["solve", "ur5", "--xyz", "0.4,0.2,0.3", "--deg"]
    code, data = run_json(*target, "--limit", "elbow_joint=0:90", "--limit", "wrist_1_joint=-inf:0")
    assert code == 0
    assert 0 <= data["q"][2] <= math.pi / 2
    assert data["q"][3] <= 0
    code, output = run(*target, "--limit", "elbow_joint=0:90", "--lock", "elbow_joint=-5")
    assert code == 2
    assert "its limits are 0 to 1.5708" in output


def test_a_tool_moves_the_tip_of_fk_and_solve():
    q = "0.1,-1,1,0,1,0"
    bare, long = (np.array(run_json("fk", "ur5", "--q", q, *tool)[1]["pose"]) for tool in ([], ["--tool", "0,0,0.1"]))
    np.testing.assert_allclose(long[:3, 3], bare[:3, 3] + 0.1 * bare[:3, 2], atol=1e-15)
    turned = np.array(run_json("fk", "ur5", "--q", q, "--tool", "0 0 0 0 0 90")[1]["pose"])
    assert turned.shape == (4, 4)
    point = ",".join(map(str, long[:3, 3]))
    data = run_json("solve", "ur5", "--xyz", point, "--tool", "0,0,0.1", "--q0", q)[1]
    np.testing.assert_allclose(UR5.fk(data["q"]) @ [0, 0, 0.1, 1], [*long[:3, 3], 1], atol=1e-6)


def test_errors_are_shown_in_the_chosen_units():
    output = " ".join(run("solve", "ur5", "--xyz", "3000,0,0", "--mm", "--deg")[1].split())
    assert "e+03 mm rotation error 0.00e+00 deg" in output


def test_narrow_terminals_cut_no_name_and_no_number(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert all(name in run("info", "ur5")[1] for name in UR5.joint_names)
    assert "-0.817250000" in run("fk", "ur5", "--q", "0,0,0,0,0,0")[1]


def test_one_joint_is_singular(tmp_path):
    assert "1 joint from" in run("info", "planar-1")[1]
    assert "has 1 joint:" in run("fk", "planar-1", "--q", "1,2")[1]


def test_main_prints_one_line_and_no_traceback(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["forearm", "info", "ur55"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: robot 'ur55' is not in the catalog")
    assert "Traceback" not in error


def test_an_interrupt_while_commands_are_imported_is_no_traceback():
    interrupted = "import sys; sys.meta_path.insert(0, type('', (), {'find_spec': hit})())"
    hit = "def hit(self, name, *_):\n    if name == 'typer':\n        raise KeyboardInterrupt"
    words = [sys.executable, "-c", f"{hit}\n{interrupted}\nfrom forearm.cli import main; main()", "robots"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_names_between_colons_are_shown_as_they_are(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["forearm", "info", ":smile:"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "':smile:'" in capsys.readouterr().err


def run_process(arguments, **streams):
    """Exit code and standard error of the command in a process of its own."""
    command = [sys.executable, "-m", "forearm", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("arguments", [["robots"], ["robots", "--json"]], ids=" ".join)
def test_a_full_disk_ends_with_one_line(arguments):
    with open("/dev/full", "w") as full:
        code, error = run_process(arguments, stdout=full)
    assert code == 2
    assert error == "error: cannot write the output: No space left on device; write it somewhere else\n"


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="needs POSIX pipes")
def test_a_reader_that_leaves_ends_the_command_in_silence():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        code, error = run_process(["robots", "--json"], stdout=writer)
    finally:
        os.close(writer)
    assert code == -signal.SIGPIPE
    assert error == ""


@pytest.mark.compiled
def test_the_installed_command_runs_as_a_process():
    done = subprocess.run(
        [sys.executable, "-m", "forearm", "solve", "ur5", "--xyz", "9,9,9"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "out_of_reach" in done.stdout


def test_help_has_examples():
    for command in ("robots", "info", "fk", "solve", "demo"):
        code, output = run(command, "--help")
        assert code == 0
        assert "forearm " + command in output


def test_solve_keeps_away_from_a_scene(tmp_path):
    scene = Path(__file__).resolve().parents[2] / "examples" / "scene.toml"
    target = ["--xyz", "0.5, 0.1, 0.2", "--rpy", "180, 0, 0", "--deg"]
    code, data = run_json("solve", "panda", *target, "--obstacles", str(scene), "--clearance", "0.02")
    assert code == 0
    assert data["clearance"]["distance"] >= 0.02
    blocked = ["--xyz", "0.45, -0.25, 0.3", "--rpy", "180, 0, 0", "--deg"]
    code, output = run("solve", "panda", *blocked, "--obstacles", str(scene), "--radius", "0.05")
    assert code == 1
    assert "'post'" in " ".join(output.split())
    broken = tmp_path / "broken.toml"
    broken.write_text("[[sphere]]\ncenter = [0, 0, 0]\nradius = -1\n")
    code, output = run("solve", "panda", *target, "--obstacles", str(broken))
    assert code == 2
    assert "line 3, key 'radius'" in " ".join(output.split())
    assert run("solve", "panda", *target, "--clearance", "0.1")[0] == 2


def test_each_command_with_obstacles_keeps_an_arm_off_itself_when_asked(tmp_path):
    """At these joint values the wrist of a thick UR5 is in its upper arm."""
    touching = "0, -0.5, 3.0, 0, 0, 0"
    thick = ("--radius", "0.05")
    target = fa.load("ur5").fk([0.0, -0.5, 3.0, 0.0, 0.0, 0.0])
    assert fa.load("ur5").with_geometry(radius=0.05).clearance([0.0, -0.5, 3.0, 0.0, 0.0, 0.0]).distance < 0.0
    solve = ("solve", "ur5", "--from-q", touching, "--q0", touching)
    assert "clearance" not in run_json(*solve)[1]
    assert run_json(*solve, *thick, "--self-collision")[1]["clearance"]["distance"] >= 0.0
    np.save(tmp_path / "targets.npy", target[None])
    out = tmp_path / "out.csv"
    run("solve-file", "ur5", str(tmp_path / "targets.npy"), "--out", str(out), *thick, "--self-collision")
    assert "clearance" in out.read_text().splitlines()[0]
    track = ("track", "ur5", str(tmp_path / "targets.npy"), "--q0", touching)
    arm = fa.load("ur5").with_geometry(radius=0.05)
    assert arm.clearance(run_json(*track)[1]["q"][0]).distance < 0.0
    assert arm.clearance(run_json(*track, *thick, "--self-collision")[1]["q"][0]).distance > 0.0
    scene = Path(__file__).resolve().parents[2] / "examples" / "scene.toml"
    among = (*solve, *thick, "--obstacles", str(scene), "--clearance", "0")
    touched = run_json(*among, "--no-self-collision")[1]
    assert touched["success"]
    assert touched["q"] == pytest.approx([0.0, -0.5, 3.0, 0.0, 0.0, 0.0], abs=1e-6)


def test_info_lists_what_is_held_against_what():
    assert "must not touch: base - after elbow_joint, " in " ".join(run("info", "ur5")[1].split())
    geometry = run_json("info", "panda")[1]["geometry"]
    assert geometry["checked"]
    assert {item["why"] for item in geometry["left_out"]} == {"neighbours", "far apart", "mostly touch"}


def test_info_says_a_guess_once_in_the_shells_words_and_keeps_behind_its_labels():
    command = [sys.executable, "-m", "forearm", "info", "ur5"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "60"})
    assert done.stderr == ""
    assert " ".join(done.stdout.split()).count("no collision shapes") == 1
    assert "--radius of solve" in " ".join(done.stdout.split())
    assert "with_geometry" not in done.stdout
    rows = done.stdout[done.stdout.index("reach ") :].splitlines()
    assert max(map(len, rows)) <= 60
    assert {row[:11].strip() for row in rows} == {"", "reach", "structure", "solved by", "geometry", "self", "note"}


def test_what_the_library_remarks_is_said_in_the_shells_words(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text("[[sphere]]\ncenter = [0.4, 0.4, 0.4]\nradius = 0.1\n")
    command = [sys.executable, "-m", "forearm", "solve", "ur5", *POINT, "--obstacles", str(scene), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["success"]
    assert done.stderr.startswith("note: ur5 has no collision shapes")
    assert "--radius of solve" in done.stderr


def complaint(monkeypatch, capsys, *arguments):
    """What `forearm` prints on standard error where it ends with exit code 2."""
    monkeypatch.setattr(sys, "argv", ["forearm", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    return capsys.readouterr().err


POINT = ("--xyz", "0.4,0.2,0.3")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", "ur5", "--foo"), "No such option: --foo"),
        (("solve",), "Missing argument 'robot'"),
        (("slove", "ur5"), "No such command 'slove'. Did you mean 'solve'?"),
        (("solve-file", "ur5", "x.csv", "--out", "o.csv", "--rows", "abc"), "--rows is 'abc'; it takes a whole number"),
        (("track", "ur5", "x.csv", "--max-joint-step", "far"), "--max-joint-step is 'far'; it takes a number"),
        (("solve", "ur5", *POINT, "--limit", "elbow_joint=0:1", "--limit", "elbow_joint=1:2"), "--limit names 'elbow_"),
        (
            ("solve", "ur5", *POINT, "--lock", "elbow_joint=1", "--lock", "elbow_joint=2"),
            "--lock names 'elbow_joint'",
        ),
        (
            ("solve", "ur5", *POINT, "--option", "max_tries=3", "--option", "max_tries=4"),
            "--option names 'max_tries'",
        ),
        (("solve", "ur5", *POINT, "--lock", "x"), "--lock is 'x'; it takes joint=value"),
        (("solve", "ur5", *POINT, "--lock", "elbow_joint=x"), "--lock elbow_joint is 'x'; it takes a number"),
        (("solve", "ur5", *POINT, "--tol", "1e-3,1e-3"), "--tol has 2 numbers; a point takes 1"),
        (("solve", "ur5", "--rpy", "0,0,0", "--tol", "1e-3,1e-3"), "--tol has 2 numbers; an orientation takes 1"),
        (("solve", "ur5", *POINT, "--radius", "0.1"), "--radius goes with --obstacles or --self-collision"),
        (("solve", "ur5", *POINT, "--no-self-collision", "--clearance", "0.1"), "--clearance goes with --obstacles or"),
        (("solve", "ur5", *POINT, "--all", "--self-collision"), "--self-collision does not go with --all"),
        (("solve", "ur5", "--xyz", "1_0,0,0"), "--xyz is '1_0,0,0'; it takes numbers"),
        (("solve-file", "ur5", "/dev/zero", "--out", "o.csv"), "'/dev/zero' is not a regular file"),
        (("track", "ur5", "/dev/zero"), "'/dev/zero' is not a regular file"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_what_was_seen(monkeypatch, capsys, arguments, words):
    error = complaint(monkeypatch, capsys, *arguments)
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert words in error


def test_a_start_outside_its_limits_is_told_in_degrees_where_it_was_given_so(monkeypatch, capsys, tmp_path):
    words = "'wrist_1_joint' = 4000 deg (limits -360 to 360)"
    q0 = ("--q0", "1,2,3,4000,5,6", "--deg")
    assert words in complaint(monkeypatch, capsys, "solve", "ur5", *POINT, *q0)
    (tmp_path / "path.csv").write_text("x,y,z\n0.4,0.2,0.3\n0.4,0.25,0.3\n")
    assert words in complaint(monkeypatch, capsys, "track", "ur5", str(tmp_path / "path.csv"), *q0)
    narrow = ("--q0", "1,2,30,4,5,6", "--deg", "--limit", "elbow_joint=-20:20")
    assert "'elbow_joint' = 30 deg (limits -20 to 20)" in complaint(
        monkeypatch, capsys, "solve", "ur5", *POINT, *narrow
    )


def test_help_without_a_command_and_exit_codes_stay(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["forearm", "--version"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert not caught.value.code
    assert capsys.readouterr().out.startswith("forearm ")
    monkeypatch.setattr(sys, "argv", ["forearm"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert (out + err).count("solve-file") == 1
    assert "error" not in err
