"""Targets frame by frame: no jump where a way without one exists, the others named."""

import numpy as np
import pytest

import forearm as fa
from forearm.bones.posing.track import turns_between
from forearm.errors import OptionError
from forearm.joints import Cone, Hinge

FREE = fa.Chain([[0, 0, 0], [0.4, 0, 0], [0.8, 0, 0], [1.1, 0, 0]])
PLANE = fa.Chain([[0, 0], [1, 0], [2, 0]], [Hinge(range=(-3.0, 3.0)), Hinge(range=(-2.8, 2.8))])


def circle(frames=60, radius=0.7):
    t = np.linspace(0, 2 * np.pi, frames)
    return np.stack([radius * np.cos(t), radius * np.sin(t), 0.2 * np.sin(2 * t)], axis=1)


def test_a_smooth_path_is_followed_without_a_jump():
    targets = circle()
    track = FREE.track(targets)
    assert track.success.all()
    assert track.continuous
    assert not track.jumps
    assert np.abs(track.points[:, -1] - targets).max() < 1e-5
    turns = [turns_between(FREE.bones, a, b).max() for a, b in zip(track.points3, track.points3[1:], strict=False)]
    assert max(turns) == pytest.approx(track.turned.max())
    assert max(turns) < 0.3


def test_the_same_call_gives_the_same_bits():
    one, two = (FREE.track(circle()) for _ in range(2))
    np.testing.assert_array_equal(one.points, two.points)


def test_a_track_goes_on_from_its_start():
    start = FREE.solve([0.7, 0.05, 0])
    track = FREE.track(circle(), start=start)
    assert track.turned[0] == pytest.approx(turns_between(FREE.bones, start.points3, track[0].points3).max())


def test_a_first_pose_that_leads_nowhere_is_chosen_anew():
    # turning on, one bend of the elbow runs the shoulder into its limit; the other has room all the way
    chain = fa.Chain([[0, 0], [1, 0], [2, 0]], [Hinge(range=(-0.2, 3.1)), Hinge(range=(-2.8, 2.8))])
    t = np.linspace(1.2, 0.5, 60)
    targets = 1.2 * np.stack([np.cos(t), np.sin(t)], axis=1)
    bends = [chain.solve(targets[0], rng_seed=k).points for k in range(5)]
    track = chain.track(targets)
    assert track.success.all()
    assert track.continuous, (track.reason, bends)


def test_jumps_that_must_be_are_named():
    far = np.array([[1.2, 0.9]] * 3 + [[-1.2, 0.9]] * 3)
    track = PLANE.track(far)
    assert track.success.all()
    assert [jump.frame for jump in track.jumps] == [3]
    assert track.jumps[0].bone in PLANE.bone_names
    assert track.jumps[0].turn > 0.5
    assert f"at frame {track.jumps[0].frame}" in track.reason


def test_what_is_out_of_reach_is_missed_and_does_not_jump():
    targets = np.linspace([0.8, 0.3, 0.1], [1.6, 0.3, 0.1], 40)
    track = FREE.track(targets)
    assert not track.success.all()
    assert not track.success[-1]
    assert track.continuous
    stretched = FREE.track(targets, stretch=0.6)
    assert stretched.success.all()
    assert stretched.continuous
    assert (np.diff(stretched.stretch[:, 0]) > -1e-6).all()
    assert stretched.stretch[0, 0] == 1.0


def test_a_skeleton_is_tracked_with_poles_looks_and_obstacles():
    body = fa.Skeleton(
        {
            "spine": (None, [0, 0, 1.5]),
            "head": ("spine", [0, 0, 1.8]),
            "upper": ("spine", [0.35, 0, 1.5]),
            "fore": ("upper", [0.6, 0, 1.5]),
        },
        base=[0, 0, 1],
        joints={"spine": Cone(0.5), "upper": Cone(1.6)},
    )
    t = np.linspace(0, 2 * np.pi, 40)
    hand = np.stack([0.35 + 0.1 * np.cos(t), 0.3 + 0 * t, 1.4 + 0.1 * np.sin(t)], axis=1)
    look = np.stack([np.sin(t), 2 + 0 * t, 1.6 + 0 * t], axis=1)
    ball = fa.Sphere([0.1, 0.3, 1.3], 0.1)
    track = body.track(
        {"fore": hand}, pole={"fore": [0.5, -1, 0]}, look_at={"head": (look, [0, 1, 0])}, obstacles=[ball]
    )
    assert track.success.all()
    assert track.continuous
    assert (track.clearance >= 0).all()


@pytest.mark.parametrize("bound", [0.0, -1.0, 4.0])
def test_a_bound_that_is_no_angle_is_refused(bound):
    with pytest.raises(OptionError, match="max_turn is"):
        FREE.track(circle(), max_turn=bound)


def test_no_frames_are_no_track():
    track = FREE.track(np.empty((0, 3)))
    assert len(track) == 0
    assert track.continuous
