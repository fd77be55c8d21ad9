"""`arm.self_motion` and `solve_all` of seven turning joints: arcs, their ends, walking along them, and words."""

from dataclasses import replace

import numpy as np
import pytest

import forearm as fa
from branch_cases import frames_of
from forearm.errors import OptionError, UnsupportedError
from forearm.results.self_motion import in_words

pytestmark = pytest.mark.compiled
ARMS = {name: fa.load(name) for name in ("panda", "xarm7", "gen3", "iiwa14")}


@pytest.fixture(params=ARMS)
def case(request):
    arm = ARMS[request.param]
    q = arm.sample(1, rng_seed=8)[0]
    return arm, q, arm.fk(q)


def test_every_arc_holds_the_tip_inside_the_limits_and_ends_at_one(case):
    arm, q, T = case
    motion = arm.self_motion(T, q)
    assert motion.complete
    assert motion.arcs
    for arc in motion.arcs:
        Q = arc.sample(40)
        assert np.abs(frames_of(arm, Q)[-1] - T).max() < 1e-9
        assert (arm.limits[0] - Q).max() < 1e-9
        assert (Q - arm.limits[1]).max() < 1e-9
        for end in arc.ends:
            k, side = arm.joint_names.index(end.joint), ("lower", "upper").index(end.limit)
            assert abs(end.q[k] - arm.limits[side, k]) < 1e-9
            assert np.abs(frames_of(arm, end.q[None])[-1, 0] - T).max() < 1e-9
            assert end.joint in str(end)
        if not arc.whole:
            np.testing.assert_allclose(arc.q([arc.begin, arc.end]), [end.q for end in arc.ends])
            with pytest.raises(OptionError, match="is off the arc, which goes from"):
                arc.q(arc.end + 0.1)


def test_ends_hold_the_tip_where_another_joint_winds_farther_than_its_limits():
    """A joint that turns all round inside its limits is turned back by whole turns; the ends are no exception."""
    model = fa.load("panda").model
    limits = model.limits.copy()
    limits[:, 4], limits[:, 6] = (-5.0, 5.0), (-4.0, 4.0)
    arm = fa.Robot(replace(model, limits=limits))
    for q in arm.sample(20, rng_seed=5):
        T = arm.fk(q)
        ends = np.array([end.q for arc in arm.self_motion(T, q).arcs for end in arc.ends]).reshape(-1, 7)
        assert np.abs(frames_of(arm, ends)[-1] - T).max(initial=0.0) < 1e-9
        assert (limits[0] <= ends).all()
        assert (ends <= limits[1]).all()


def test_the_start_itself_is_the_nearest_place_and_the_first_answer(case):
    arm, q, T = case
    assert np.abs(arm.self_motion(T, q).nearest(q).q - q).max() < 1e-6
    found = arm.solve_all(T, q)
    assert found.complete
    assert np.abs(found[0].q - q).max() < 1e-6
    for branch in found:
        assert np.abs(frames_of(arm, branch.q[None])[-1, 0] - T).max() < 1e-9


def test_one_answer_for_each_arc_that_knows_its_arc():
    arm = ARMS["panda"]
    q = arm.sample(1, rng_seed=3)[0]
    found = arm.solve_all(arm.fk(q), q)
    assert len(found) == len(found.motion.arcs)
    assert {id(branch.arc) for branch in found} == {id(arc) for arc in found.motion.arcs}
    for branch in found:  # nothing on the arc is nearer
        other = np.abs(branch.arc.sample(300) - q).max(axis=1).min()
        assert np.abs(branch.q - q).max() <= other + 1e-9


def test_narrower_limits_cut_arcs_and_none_left_is_told():
    arm = ARMS["panda"]
    q = arm.sample(1, rng_seed=3)[0]
    T, name = arm.fk(q), arm.joint_names[2]
    wide, narrow = arm.self_motion(T), arm.self_motion(T, limits={name: (q[2] - 0.1, q[2] + 0.1)})
    assert sum(arc.length for arc in narrow.arcs) < sum(arc.length for arc in wide.arcs)
    assert any(end.joint == name for arc in narrow.arcs for end in arc.ends)
    none = arm.self_motion(T, limits={name: (2.0, 2.001), arm.joint_names[6]: (0.0, 0.001)})
    assert none.arcs == ()
    assert "no stretch of its curves is inside the limits" in none.reason
    with pytest.raises(OptionError, match="there is no place to choose"):
        none.nearest(q)


def test_a_pose_out_of_reach_says_so():
    T = np.eye(4)
    T[:3, 3] = 4.0
    for arm in ARMS.values():
        motion = arm.self_motion(T)
        assert len(motion) == 0
        assert motion.complete
        assert motion.reason.startswith("no joint values make this pose")


def test_it_is_sampled_as_densely_as_asked_and_shown_as_data():
    arm = ARMS["panda"]
    motion = arm.self_motion(arm.fk(arm.sample(1, rng_seed=3)[0]))
    for Q in motion.sample(0.05):
        assert np.linalg.norm(np.diff(Q, axis=0), axis=1).max() < 0.051
    curve = next(iter(motion))
    assert curve.sample(5).shape == (5, 7)
    assert not curve.closed
    assert "Arc(" in repr(motion)
    data = in_words(motion)
    assert len(data["curves"]) == len(motion.curves)
    with pytest.raises(OptionError, match="step is 0; it takes a positive number"):
        motion.sample(0)
    with pytest.raises(OptionError, match="count is 0; it takes a whole number from 1"):
        motion.arcs[0].sample(0)


def test_other_arms_targets_and_arguments_are_refused_by_name():
    with pytest.raises(UnsupportedError, match="self-motion curves are those of an exact pose of seven turning joints"):
        fa.load("ur5").self_motion(np.eye(4))
    with pytest.raises(UnsupportedError, match="another target of panda"):
        ARMS["panda"].self_motion(fa.Position([0.3, 0.0, 0.4]))
    with pytest.raises(OptionError, match="self_motion takes no swivel"):
        ARMS["panda"].self_motion(np.eye(4), swivel=0.1)
