"""Files of goals: what they say, what is refused, and the command that solves them."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm as fa
from forearm.cli.app import app
from forearm.errors import OptionError
from forearm.goals import CenterOfMass, Cost, Goal, LookAt, Posture, Relative, Still
from forearm.goals.file import read_goals
from forearm.trees.body import body_of

sys.path.insert(0, str(Path(__file__).parents[1] / "trees"))  # for tree_robots.py, which is no test
from tree_robots import two_arms

ALL = """
base = "planar"
start = { turn = 0.1 }
[[goal]]
link = "left_hand"
position = [0.3, 0.2, 1.0]
rpy = [0, 1, 0]
[[goal]]
link = "left_hand"
name = "aim"
position = [0.3, 0.2, 1.0]
direction = [0, 0, 1]
level = 2
[[goal]]
link = "right_hand"
quat_wxyz = [1, 0, 0, 0]
tol = 1e-3
[[goal]]
kind = "relative"
link = "right_hand"
other = "left_hand"
position = [0, -0.3, 0]
[[goal]]
kind = "look at"
link = "head"
point = [1, 0, 1]
weight = 0.5
[[goal]]
kind = "centre of mass"
point = [0, 0]
[[goal]]
kind = "posture"
joints = { pan = 0.2 }
[[goal]]
kind = "still"
joints = ["lift"]
"""


def written(tmp_path, text):
    """A file with a text."""
    file = tmp_path / "goals.toml"
    file.write_text(text)
    return file


def test_every_kind_of_goal_is_read(tmp_path):
    asked = read_goals(written(tmp_path, ALL))
    assert asked.base == "planar"
    assert asked.start == {"turn": 0.1}
    kinds = [Goal, Goal, Goal, Relative, LookAt, CenterOfMass, Posture, Still]
    assert [type(goal) for goal in asked.goals] == kinds
    assert asked.goals[1].level == 2
    assert asked.goals[2].tol[1] == 1e-3
    assert asked.goals[3].counts == (True, False)
    assert asked.goals[4].weight == 0.5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no goals"),
        ("[[gaol]]\nlink = 'a'", "gaol"),
        ("[[goal]]\nlink = 'a'", "goal 1 of goals.toml.*needs a position"),
        ("[[goal]]\nposition = [0, 0, 0]", "needs a link"),
        ("[[goal]]\nkind = 'dance'", "there are: goal, relative"),
        ("[[goal]]\nlink = 'a'\npoint = [0, 0, 0]", "takes no 'point'"),
        ("[[goal]]\nkind = 'relative'\nlink = 'a'\nother = 'a'", "takes two links"),
        ("[[goal]]\nkind = 'centre of mass'", "a point or a support"),
        ("[[goal]]\nkind = 'centre of mass'\nsupport = [[0, 0], [1, 1], [2, 2]]", "on one line"),
        ("[[goal]]\nlink = 'a'\nposition = [0, 0, 0]\nweight = 0", "must be positive"),
    ],
)
def test_what_is_wrong_is_told_with_its_goal(tmp_path, text, told):
    with pytest.raises(OptionError, match=told):
        read_goals(written(tmp_path, text))


def test_goals_refuse_what_they_cannot_mean():
    with pytest.raises(OptionError, match="function"):
        Cost(3)
    with pytest.raises(OptionError, match="tol"):
        LookAt("head", [0, 0, 1], tol=-1.0)
    with pytest.raises(OptionError, match="axes"):
        CenterOfMass([0, 0], axes="xyz")
    with pytest.raises(OptionError, match="asks for nothing"):
        Relative("a", "b", np.eye(4), position=False, rotation=False)


def test_the_command_solves_a_file_of_goals(tmp_path):
    robot = tmp_path / "two_arms.urdf"
    robot.write_text(two_arms())
    tree = fa.Tree.from_urdf(robot)
    x, y, z = tree.fk(0.4 * tree.sample(1, rng_seed=1)[0], "left_hand")[:3, 3]
    near = written(tmp_path, f'[[goal]]\nlink = "left_hand"\nposition = [{x}, {y}, {z}]')
    ran = CliRunner().invoke(app, ["solve", str(robot), "--goals", str(near), "--json"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.output)["errors"]["left_hand"]["met"]
    far = written(tmp_path, '[[goal]]\nlink = "left_hand"\nposition = [9, 0, 0]')
    ran = CliRunner().invoke(app, ["solve", str(robot), "--goals", str(far)])
    assert ran.exit_code == 1
    assert "out of reach" in " ".join(ran.output.split())
    ran = CliRunner().invoke(app, ["solve", str(robot), "--goals", str(far), "--xyz", "0,0,0"])
    assert isinstance(ran.exception, OptionError)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('kind = "relative"\nlink = "a"\nposition = [0, 0, 0]', "needs other"),
        ('link = "a"\nposition = [0, 0, 0]\ntool_axis = [0, 0, 1]', "needs the direction"),
        ('kind = "still"', "needs joints"),
        ('kind = ["goal"]\nlink = "a"', "kind is"),
        ('link = "a"\nposition = [0, 0, 0]\nname = 3', "is called 3"),
    ],
)
def test_what_is_missing_or_of_no_use_is_told(tmp_path, lines, told):
    (tmp_path / "goals.toml").write_text(f"[[goal]]\n{lines}\n")
    with pytest.raises(OptionError, match=told):
        read_goals(tmp_path / "goals.toml")


def test_joints_that_are_no_names_are_refused():
    with pytest.raises(OptionError, match="joints is 4"):
        body_of(None, joints=4)
