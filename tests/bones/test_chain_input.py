"""What makes no sense is refused with words; and how a chain shows itself."""

import math
import pickle

import numpy as np
import pytest

import forearm as fa
from forearm.joints import Ball, Cone, Fixed, Hinge

LINE = [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]
FLAT = [[0, 0], [0.5, 0], [1, 0]]


@pytest.mark.parametrize(
    ("points", "joints", "words"),
    [
        ([[0, 0, 0]], None, "shape"),
        ([[0, 0, 0], [1, 0, math.nan]], None, "nan"),
        ([[0, 0, 0, 0], [1, 0, 0, 0]], None, "shape"),
        ([[0, 0, 0], [0, 0, 0], [1, 0, 0]], None, "bone '0' has length 0"),
        ([[0, 0], [0, 0]], None, "longest bone is 0"),
        (LINE, [Ball()], "2 bones"),
        (LINE, [Ball(), 3], "fa.joints"),
        (LINE, Hinge(), "axis"),
        (LINE, Hinge((1, 0, 0)), "along the bone"),
        (FLAT, Hinge((0, 0, 1)), "leave it out"),
        (FLAT, Cone((0.1, 0.2)), "in a plane"),
        (FLAT, Ball(twist=(-1, 1)), "do not twist"),
        (LINE, Cone((0.5, 0.4), toward=(1, 0, 0)), "across it"),
    ],
)
def test_chains_that_make_no_sense_are_refused(points, joints, words):
    with pytest.raises(fa.errors.ModelError, match=words):
        fa.Chain(points, joints)


@pytest.mark.parametrize(
    "make",
    [lambda: Cone(45.0), lambda: Hinge((0, 0, 1), (-90, 45)), lambda: Ball(twist=(0, 30))],
)
def test_angles_in_degrees_are_asked_about(make):
    with pytest.raises(fa.errors.ModelError, match=r"did you mean degrees\? math.radians\((45|-90|30)\)"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Cone(0.0),
        lambda: Cone(4.0),
        lambda: Cone((0.1, 0.2, 0.3)),
        lambda: Cone(math.nan),
        lambda: Hinge((0, 0, 0)),
        lambda: Hinge((0, 0, 1), (0.5, 1.0)),
        lambda: Hinge((0, 0, 1), (1.0, -1.0)),
        lambda: Ball(twist=3.0),
        lambda: Ball(twist=(0.0, math.inf)),
    ],
)
def test_joints_that_make_no_sense_are_refused(make):
    with pytest.raises(fa.errors.ModelError):
        make()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.1, math.nan, 0],), "finite"),
        ((np.array([0.1, math.nan, 0]),), "finite"),
        (([0.1, 0.2],), "3 numbers"),
        (("x",), "number"),
        (([1e200, 0, 0],), "below 1e"),
        ((fa.Position([0, 0, 0], tol=[1, 2, 3]),), "axis by axis"),
    ],
)
def test_targets_that_are_none_are_refused(bones, arguments, words):
    with pytest.raises(fa.errors.TargetError, match=words):
        fa.Chain(bones.straight(3)).solve(*arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "bezzier"},
        {"refine": "yes"},
        {"tolerance": 0.0},
        {"max_sweeps": -1},
        {"max_tries": 0},
        {"max_swivel": 0.0},
        {"rng_seed": 0.5},
        {"pole": [0, 1]},
        {"start": 3.0},
    ],
)
def test_options_out_of_range_are_refused(bones, options):
    with pytest.raises(fa.ForearmError):
        fa.Chain(bones.straight(3)).solve([0.1, 0.2, 0.3], **options)


def test_more_wrong_input(bones):
    chain = fa.Chain(bones.straight(3))
    with pytest.raises(fa.errors.OptionError, match="another chain"):
        chain.solve([0.1, 0.2, 0.3], start=fa.Chain(bones.straight(3)).solve([0.1, 0.2, 0.3]))
    with pytest.raises(fa.errors.OptionError, match="True or False"):
        fa.Chain(bones.straight(3), free_base="loose")
    with pytest.raises(fa.errors.TargetError, match="2 numbers"):
        fa.Chain(bones.straight(3, 2)).solve(np.array([0.1, 0.2, 0.3]))
    with pytest.raises(fa.errors.ModelError, match="rest"):
        fa.Chain(bones.straight(3), rest=2 * bones.straight(3))
    with pytest.raises(fa.errors.ModelError, match="leave the limits"):
        fa.Chain(bones.arc(4), Cone(0.01), rest=bones.straight(4))
    with pytest.raises(fa.errors.TargetError, match="plane"):
        fa.Chain(bones.straight(3, 2)).solve(fa.Position([0.1, 0.2, 0.3]))
    with pytest.raises(fa.errors.TargetError, match="plane"):
        fa.Chain(bones.straight(3, 2)).solve(fa.Pose([0.1, 0.2, 0.0], rpy=(1, 0, 0)))
    with pytest.raises(fa.errors.OptionError, match="sweeps"):
        chain.trace([0.1, 0.2, 0.3], sweeps=0)
    with pytest.raises(AttributeError, match="cannot be changed"):
        chain.bones = None


def test_a_chain_survives_pickling_and_shows_itself(bones):
    chain = fa.Chain(bones.straight(3), Cone(0.8))
    twin = pickle.loads(pickle.dumps(chain))
    pose = chain.solve([0.7, 0.4, 0.2])
    assert (twin.solve([0.7, 0.4, 0.2]).points == pose.points).all()
    assert repr(chain) == "Chain(3 bones in space, reach 1 m)"
    assert "solved by fabrik" in repr(pose)
    assert pose.to_dict()["success"] is True
    assert bool(pose)
    assert chain.lengths == pytest.approx(1 / 3)
    assert chain.joints[0] == Cone(0.8)


def least_and_most(chain, bone):
    """The reaches of a bone by the words of their definition: rigid links in a row."""
    links = []
    for i in chain.bones.path(bone):
        along = chain.bones.start[i + 1] - chain.bones.start[chain.bones.parent[i] + 1]
        if isinstance(chain.bones.kinds[i], Fixed) and links:
            links[-1] = links[-1] + along
        else:
            links.append(along)
    lengths = [np.linalg.norm(link) for link in links]
    return max(0.0, 2.0 * max(lengths) - sum(lengths)), sum(lengths)


@pytest.mark.parametrize("seed", range(4))
def test_reaches_are_those_of_the_links_that_fixed_joints_make(seed):
    chance = np.random.default_rng(seed)
    points = np.cumsum(chance.normal(size=(13, 3)), axis=0)
    chain = fa.Chain(points, [Fixed() if chance.random() < 0.4 else Ball() for _ in range(12)])
    np.testing.assert_allclose(chain.bones.reaches, [least_and_most(chain, bone) for bone in range(12)], rtol=1e-14)


def test_a_chain_of_thousands_of_bones_is_made_at_once():
    assert fa.Chain(np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 2001)).n == 2000
