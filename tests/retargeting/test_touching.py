"""Links that come near each other, against distances of the shapes themselves."""

import numpy as np

import forearm as fa
from forearm.retargeting.apart import spread, touching_of
from forearm.retargeting.touching import COVER, Watch, capsule_of


def arm():
    """A trunk that is a box, and an arm of four joints beside it that ends in a ball."""
    text = '<link name="trunk"><collision><geometry><box size="0.3 0.3 0.6"/></geometry></collision></link>'
    above = "trunk"
    for k in range(4):
        shape = '<collision><geometry><sphere radius="0.05"/></geometry></collision>' if k == 3 else ""
        text += f'<link name="l{k}">{shape}</link><joint name="j{k}" type="prismatic"><parent link="{above}"/>'
        text += f'<child link="l{k}"/><origin xyz="0 {0.5 if k == 0 else 0} 0"/><axis xyz="0 1 0"/>'
        text += '<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
        above = f"l{k}"
    return fa.Tree.from_urdf(f'<robot name="arm">{text}</robot>')


def test_gaps_are_those_of_the_shapes_and_the_way_leads_apart():
    tree = arm()
    watch = Watch(tree.body, np.zeros(4))
    assert len(watch.pairs) == 1
    Q = np.zeros((30, 4))
    Q[:, 0] = np.linspace(0.0, -0.4, 30)  # the ball goes to the box, and into it
    (near,) = watch.look(Q, np.tile(np.eye(4), (30, 1, 1)))
    true = 0.5 + Q[:, 0] - 0.15 - 0.05
    seen = np.isfinite(near.gap)
    assert seen[true < 0.0].all()
    assert not seen[true > 0.05].any()
    outside = seen & (true > 0.0)
    assert np.abs(near.gap - true)[outside].max() < COVER + 0.002  # the ball is a polyhedron round it
    touches = true < -0.013
    assert (near.gap[touches] < 0.0).sum() > 0.7 * touches.sum()
    np.testing.assert_allclose(near.way[outside][:, 1], 1.0, atol=0.05)
    least, told = touching_of([near], 30)
    assert told[0][1:] == ("l3", "trunk")
    assert least.min() < 0.0


def test_a_capsule_holds_its_points():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 3)) * [0.3, 0.05, 0.04]
    capsule = capsule_of(points)
    a, b = capsule[:3], capsule[3:6]
    s = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    assert (np.linalg.norm(points - a - s[:, None] * (b - a), axis=1) <= capsule[6]).all()


def test_a_push_is_spread_without_a_jump():
    push = np.zeros((60, 3))
    push[30, 1] = 0.03
    wide = spread(push, np.arange(60) / 30.0)
    assert wide[30, 1] > 0.02
    assert np.abs(np.diff(wide, axis=0)).max() < 0.006
    assert np.abs(wide[[0, -1]]).max() == 0.0
