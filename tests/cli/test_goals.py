"""Whole robots as commands read them."""

from pathlib import Path

import pytest

import forearm as fa
from forearm.cli.goals import read_tree
from forearm.errors import ModelError


def test_an_arm_of_the_catalog_stands_on_any_base():
    tree = read_tree("ur5", [], [], "planar")
    assert tree.joint_names == ("base/x", "base/y", "base/yaw", *fa.load("ur5").joint_names)


def test_what_goes_with_files_is_refused_for_names():
    with pytest.raises(ModelError, match="--arg and --folder go with a file; 'ur5' is a name of the catalog"):
        read_tree("ur5", [Path()], [], "fixed")


def test_one_goal_is_told_of_as_one():
    tree = read_tree("ur5", [], [], "fixed")
    arm = fa.load("ur5")
    found = tree.solve({"after wrist_3_joint": arm.fk(arm.neutral + 0.3)})
    assert found.success
    assert found.reason.startswith("the goal is met to")
