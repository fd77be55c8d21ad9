"""Each front end reads its own words: a shell user no Python, a Python caller no flags."""

import ast
import builtins
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm import cli
from forearm.cli.shell_words import FLAGS, REMEDIES, flag_of, for_shell
from forearm.scale import make_map

SOURCE = Path(fa.__file__).parent

# What only a Python caller can make use of.
PYTHON = re.compile(
    r"\bNone\b|\bTrue\b|\bFalse\b|\bfa\.|\b[Rr]obot\.\w|\bmath\.|\bnp\.|\w\(\)|\bfrom_(urdf|xacro|mjcf|toml)\b"
    r"|\b[a-z_]+=(?!value|lower)[\w.'{(]|\b(limits|locked)=|\b(max_joint|halfway|rng|self)_\w+"
)

FORK = """<robot name="fork"><link name="base"/><link name="tool0"/><link name="camera"/>
  <joint name="pan" type="{kind}"><parent link="base"/><child link="tool0"/>{limit}</joint>
  <joint name="look" type="fixed"><parent link="base"/><child link="camera"/></joint></robot>"""
LIMIT = '<limit lower="{}" upper="{}"/>'
MESH = """<robot name="shell"><link name="base"/><link name="tip"><collision><geometry><mesh filename="no.stl"/>
  </geometry></collision></link><joint name="pan" type="revolute"><parent link="base"/><child link="tip"/>
  <origin xyz="0 0 1"/><limit lower="-1" upper="1"/></joint></robot>"""
BALL = """<mujoco><worldbody><body name="arm"><joint name="ball" type="ball"/><geom size="0.1"/>
  <body name="hand"><joint name="hinge"/><geom size="0.1"/></body></body></worldbody></mujoco>"""
TWO = BALL.replace("</worldbody>", '<body name="other"><joint name="h"/><geom size="0.1"/></body></worldbody>')
SKEW = "1,0,0,0.4, 0,2,0,0, 0,0,1,0.3, 0,0,0,1"
FILES = {
    "fork.urdf": FORK.format(kind="revolute", limit=LIMIT.format(-1, 1)),
    "tips.urdf": FORK.format(kind="continuous", limit="").replace("fixed", "continuous"),
    "crossed.urdf": FORK.format(kind="revolute", limit=LIMIT.format(1, -1)),
    "none.urdf": FORK.format(kind="revolute", limit=""),
    "floating.urdf": FORK.format(kind="floating", limit=""),
    "macro.urdf": '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="a"><xacro:arg name="b"/></robot>',
    "arg.xacro": '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="$(arg b)"><link name="a"/></robot>',
    "mesh.urdf": MESH,
    "ball.xml": BALL,
    "two.xml": TWO,
    "far.csv": "x,y,z\n0.4,0.2,0.3\n0.4,0.6,0.3\n",
    "nan.csv": "x,y,z\n0.4,0.2,0.3\n0.4,nan,0.3\n",
    "long.json": json.dumps([{"xyz": [0.4, 0.2, 0.3], "quat_wxyz": [2, 0, 0, 0]}]),
    "skew.csv": SKEW,
    "starts.csv": "x,y,z,q0_joint0,q0_joint1\n0.4,0.2,0,99,0\n",
    "wall.toml": "[[sphere]]\ncenter = [9, 9, 9]\nradius = 0.1\n",
    "bad.toml": "[[sphere]]\ncenter = [9, 9]\nradius = 0.1\n",
}
Q0 = "0.0,-1.2,1.6,-0.4,1.5,0.0"
POINT = ("--xyz", "0.4,0.2,0.3")
WALL = ("--obstacles", "wall.toml")
COARSE = ("track", "ur5", "far.csv", "--q0", Q0, "--no-insert")

BAD = {
    "no such robot": (["info", "ur55"], "to load a file, give its path"),
    "several tips": (["info", "tips.urdf"], "choose --tip from: tool0, camera"),
    "several tips of MJCF": (["info", "two.xml"], "choose --tip from: hand, other"),
    "no such tip": (["info", "fork.urdf", "--tip", "tool9"], "tool9"),
    "crossed limits": (["info", "crossed.urdf", "--tip", "tool0"], "swap them, or pass --limit pan=-1:1"),
    "no limits": (["info", "none.urdf", "--tip", "tool0"], "make the joint continuous"),
    "macro": (["info", "macro.urdf"], "xacro cannot expand macro.urdf"),
    "argument of a xacro": (["info", "arg.xacro"], "give its value with --arg name=value"),
    "lost mesh": (["info", "mesh.urdf"], "upward; put it there, or name a folder that holds it"),
    "lost mesh in JSON": (["info", "mesh.urdf", "--json"], "upward; put it there, or name a folder"),
    "limit": (["solve", "ur5", *POINT, "--limit", "elbow_joint=1:0"], "in --limit has lower limit 1"),
    "limit that is none": (["solve", "ur5", *POINT, "--limit", "elbow_joint=nan:0"], "in --limit"),
    "lock": (["solve", "ur5", *POINT, "--lock", "elbow_joint=nan"], "in --lock is nan"),
    "start": (["solve", "ur5", *POINT, "--q0", "9,0,0,0,0,0"], "--q0 is outside the limits"),
    "start's remedy": (["solve", "ur5", *POINT, "--q0", "9,0,0,0,0,0"], "choose values inside them"),
    "matrix": (["solve", "ur5", "--matrix", SKEW], "--nearest-rigid takes the nearest one"),
    "position": (["solve", "ur5", "--xyz", "0,0,nan"], "--xyz has nan"),
    "direction": (["solve", "ur5", *POINT, "--direction", "0,0,0"], "--direction is"),
    "quaternion": (["solve", "ur5", *POINT, "--quat-wxyz", "2,0,0,0"], "--quat-wxyz has length 2"),
    "rpy": (["solve", "ur5", *POINT, "--rpy", "0,0,inf"], "--rpy has inf"),
    "tolerance": (["solve", "ur5", *POINT, "--tol", "-1"], "--tol is"),
    "free direction": (["solve", "ur5", *POINT, "--direction", "0,0,1", "--tol", "1,inf"], "give --xyz alone"),
    "free position": (["solve", "ur5", *POINT, "--direction", "0,0,1", "--tol", "inf,1"], "leave --xyz out"),
    "tool": (["solve", "ur5", *POINT, "--tool", "0,0,nan"], "--tool has nan"),
    "clearance": (["solve", "panda", *POINT, *WALL, "--clearance", "-1"], "--clearance is -1 m"),
    "radius": (["solve", "panda", *POINT, *WALL, "--radius", "-1"], "--radius is -1.0 m"),
    "scene": (["solve", "panda", *POINT, "--obstacles", "bad.toml"], "bad.toml, line 2, key 'center'"),
    "method among obstacles": (["solve", "panda", *POINT, *WALL, "--method", "dls"], "use --method auto"),
    "unknown option": (["solve", "ur5", *POINT, "--option", "max_tries_=1"], "did you mean max_tries"),
    "argument as option": (["solve", "ur5", *POINT, "--option", "max_joint_steps=1"], "has no option"),
    "option": (["solve", "ur5", *POINT, "--method", "dls", "--option", "max_iterations=-1"], "option max_iterations"),
    "too few iterations": (
        ["solve", "ur5", *POINT, "--method", "ccd", "--option", "max_iterations=1"],
        "--method general solves it",
    ),
    "step": (["track", "ur5", "far.csv", "--max-joint-step", "-1"], "--max-joint-step is -1"),
    "nan step": (["track", "ur5", "far.csv", "--max-joint-step", "nan"], "--max-joint-step is nan"),
    "halfway": (["track", "ur5", "far.csv", "--halfway-tol", "0,1"], "--halfway-tol is"),
    "start of a path": (["track", "ur5", "far.csv", "--q0", "9,0,0,0,0,0"], "--q0 is outside the limits"),
    "way-point": (["track", "ur5", "nan.csv"], "row 1, column 'y' (line 3): nan is not a finite number"),
    "way-point in JSON": (["track", "ur5", "long.json"], "row 0: quat_wxyz has length 2"),
    "result of a file": (["solve-file", "ur5", "far.csv", "--out", "a.txt"], "--out is 'a.txt'; its name must end in"),
    "block of nothing": (["solve-file", "ur5", "far.csv", "--out", "a.csv", "--rows", "0"], "--rows is 0; it takes"),
    "no map": (["map-show", "none.zarr"], "`forearm map ROBOT --out map.zarr` makes one"),
    "skew way-point": (["track", "ur5", "skew.csv"], "--nearest-rigid takes the nearest one"),
    "coarse": ([*COARSE, "--max-joint-step", "0.1"], "--max-joint-step = 0.1 rad; give more way-points, or --insert"),
    "coarse halfway": ([*COARSE, "--max-joint-step", "9"], "more than --halfway-tol"),
    "small steps": (
        ["track", "ur5", "far.csv", "--q0", Q0, "--max-joint-step", "0.05"],
        "--max-joint-step is below the path's own step",
    ),
    "map that is there": (["map", "planar-2", "--resolution", "1", "--out", "m.zarr"], "--resume goes on with it"),
    "resolution": (["map", "planar-2", "--resolution", "-1", "--out", "new.zarr"], "--resolution is -1 m"),
    "target of a map": (["map", "planar-2", "--target", "x", "--out", "new.zarr"], "--target is 'x'"),
    "tries": (["map", "planar-2", "--tries", "0", "--out", "new.zarr"], "--tries is 0"),
    "workers": (["solve-file", "ur5", "far.csv", "--out", "o.csv", "--workers", "0"], "--workers is 0"),
    "tolerance of a file": (["solve-file", "ur5", "far.csv", "--out", "o.csv", "--tol", "-1,1"], "--tol is"),
    "start in a file": (["solve-file", "planar-2", "starts.csv", "--out", "o.csv"], "choose values inside them"),
    "bounds": (["map", "planar-2", "--bounds", "1,1,1,0,0,0", "--out", "new.zarr"], "--bounds is"),
    "port": (["view", "ur5", "--port", "-1"], "--port is -1"),
    "split": (["solve", "ur5", "--xyz", "0.4", "0.2", "0.3"], "several numbers are one value: --xyz 0.4,0.2,0.3"),
    "tree": (["view", "two.urdf", "--tree", "hovering"], "--tree is 'hovering'; it takes: fixed, planar, free, rail"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_shell_user_reads_flags_and_no_python(name, tmp_path, monkeypatch, capsys):
    arguments, words = BAD[name]
    for file in arguments:
        if file in FILES:
            (tmp_path / file).write_text(FILES[file])
    monkeypatch.chdir(tmp_path)
    if "m.zarr" in arguments:
        make_map(fa.load("planar-2"), "m.zarr", resolution=1.0)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setattr(sys, "argv", ["forearm", *arguments])
    with pytest.raises(SystemExit):
        cli.main()
    captured = capsys.readouterr()
    shown = " ".join((captured.out + captured.err).split())
    assert "Traceback" not in shown
    assert words in shown
    found = PYTHON.search(shown.replace("'max_joint_steps'", ""))  # what the user typed
    assert found is None, f"{found} in {shown}"
    assert "{" not in re.sub(r"^{.*}$", "", shown)  # every mark is filled


def said(path):
    """The texts of a module that are no documentation."""
    tree = ast.parse(path.read_text())
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in bare
            and isinstance(node.value, str)]  # fmt: skip


@pytest.mark.parametrize(
    "folder", sorted(path.name for path in SOURCE.iterdir() if path.name not in ("cli", "benchmarks"))
)
def test_no_message_of_the_library_speaks_of_flags(folder):
    place = SOURCE / folder
    files = [place] if place.suffix == ".py" else place.rglob("*.py")
    flag = re.compile(r"(?<![-\w(])--[a-z][\w-]*(?![\w-]*:)")  # not the style sheet's `--ink: black` and `var(--ink)`
    flags = [(path.name, text) for path in files for text in said(path) if flag.search(text)]
    assert flags == []


def test_a_python_caller_reads_the_argument_and_its_own_remedy():
    ur5 = fa.load("ur5")
    with pytest.raises(fa.errors.OptionError, match=r"^max_joint_step is -1; ") as caught:
        ur5.track(ur5.fk(np.zeros((2, 6))), max_joint_step=-1)
    assert caught.value.argument == "max_joint_step"
    with pytest.raises(
        fa.errors.OptionError, match=r"robot\.clip\(q0\) moves it inside; did you mean degrees"
    ) as caught:
        ur5.solve(ur5.fk(np.zeros(6)), np.full(6, 9.0))
    assert caught.value.argument == "q0"


def marks():
    """The marks of the library's messages, but for the argument's, with their Python words where written out."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            ours = name == "Message" or (name.lower().endswith("error") and not hasattr(builtins, name))
            if ours:
                found |= {word.arg: getattr(word.value, "value", "") for word in node.keywords if word.arg}
    return {mark: words for mark, words in found.items() if mark != "argument"}


def test_every_mark_of_the_library_has_words_of_the_shell_and_none_is_left_over():
    library = marks()
    assert set(REMEDIES) <= set(library)
    for mark in set(library) - set(REMEDIES):
        assert (library[mark] or mark).partition("=")[0] in FLAGS, mark


def test_an_argument_is_named_as_its_flag_with_its_value():
    assert flag_of("max_joint_step") == "--max-joint-step"
    assert flag_of("limits=") == "--limit"
    assert flag_of("limits={'elbow': (-1, 1.5)}") == "--limit elbow=-1:1.5"
    assert flag_of("resume=True") == "--resume"
    assert flag_of("tip=...") == "--tip"
    assert flag_of("tip='my tool'") == "--tip 'my tool'"
    assert flag_of("the axis of joint 'a'") == "the axis of joint 'a'"
    assert for_shell("no marks, so as it is: tip=...") == "no marks, so as it is: tip=..."
