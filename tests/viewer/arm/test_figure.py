"""The figure of an arm: its frames lead to the tip, every link is drawn."""

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.arm.figure import Frames, capsule_pieces, stations
from forearm.viewer.shared.rotations import pose_of

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
