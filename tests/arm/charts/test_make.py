"""Charts of pairs of shapes, against coal's distances of the true shapes over random postures."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forearm as fa
from forearm.arm.charts import make
from forearm.arm.charts.make import DENIED, FINE, Charts, charts_of, gaps_at
from forearm.arm.geometry import heads_of
from forearm.arm.surfaces import SIDES
from forearm.common.kept import VARIABLE
from forearm.core.arm import chart as places
from forearm.core.arm.chart import chart_gap
from forearm.core.arm.compact import ARM_COLUMNS
from forearm.core.arm.compact import Q as VALUE
from forearm.core.arm.kinematics import fk_frames
from forearm.core.collision.bodies import OWN_MOST

coal = pytest.importorskip("coal")
pytestmark = pytest.mark.compiled  # a chart looks at some hundred thousand pairs of triangles

ROUNDING = 1e-6  # [m]
LIMIT = '<limit lower="{}" upper="{}"/>'
L_SHAPE = ("0.3 0.06 0.06", "0.12 0 0"), ("0.06 0.06 0.3", "0.24 0 0.12")


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")


def box(size, at="0 0 0", turned="0 0 0"):
    return f'<collision><origin xyz="{at}" rpy="{turned}"/><geometry><box size="{size}"/></geometry></collision>'


def tube(radius, length, at="0 0 0", turned="0 0 0"):
    shape = f'<cylinder radius="{radius}" length="{length}"/>'
    return f'<collision><origin xyz="{at}" rpy="{turned}"/><geometry>{shape}</geometry></collision>'


def ball(radius, at="0 0 0"):
    return f'<collision><origin xyz="{at}"/><geometry><sphere radius="{radius}"/></geometry></collision>'


def joint(i, axis, at="0 0 0", kind="revolute", limits=(-2.5, 2.5), more=""):
    limit = "" if kind == "continuous" else LIMIT.format(*limits)
    return (
        f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/><origin xyz="{at}"/>'
        f'<axis xyz="{axis}"/>{limit}{more}</joint>'
    )


def arm_of(shapes, joints):
    """An arm of links l0, l1, ... with shapes."""
    links = "".join(f'<link name="l{i}">{shape}</link>' for i, shape in enumerate(shapes))
    return fa.Robot.from_urdf(f'<robot name="pair">{links}{"".join(joints)}</robot>')


def solid(shape):
    """A shape as coal has it: all of it, not its surface alone."""
    if shape.kind == "box":
        return coal.Box(*shape.size)
    if shape.kind == "sphere":
        return coal.Sphere(shape.size[0])
    assert shape.kind == "cylinder"
    return coal.Cylinder(shape.size[0], shape.size[1])


def true_gaps(robot, links, Q):
    """(N,) the distances of two links by their shapes, 0 or less where they touch."""
    model, found = robot.model, np.empty(len(Q))
    sides = [[(solid(s), s.frame, s.pose) for s in model.shapes if s.link == link] for link in links]
    frames = np.empty((model.m + 1, 4, 4))
    for i, q in enumerate(Q):
        fk_frames(model.links, model.joints, q, frames)
        placed = [
            [(shape, (frames[frame] if frame >= 0 else np.eye(4)) @ pose) for shape, frame, pose in side]
            for side in sides
        ]
        found[i] = min(
            coal.distance(
                a, coal.Transform3s(A[:3, :3], A[:3, 3]), b, coal.Transform3s(B[:3, :3], B[:3, 3]),
                coal.DistanceRequest(), coal.DistanceResult(),
            )
            for a, A in placed[0]
            for b, B in placed[1]
        )  # fmt: skip
    return found


def told_gaps(charts, Q):
    """(N,) the least gaps of charts."""
    arm, found = np.zeros((Q.shape[1], ARM_COLUMNS)), np.empty(len(Q))
    for i, q in enumerate(Q):
        arm[:, VALUE] = q
        found[i] = min(chart_gap(charts, first, arm) for first in heads_of(charts))
    return found


def drawn(robot, count=600, beyond=0.0):
    """Configurations all over the limits, those at the limits too, and of joints that turn some turns on."""
    rng, (lower, upper) = np.random.default_rng(7), robot.model.limits
    low, high = (np.where(np.isfinite(end), end, turns) for end, turns in ((lower, -15.0), (upper, 15.0)))
    Q = rng.uniform(low, high, (count, robot.n))
    return np.where(rng.random(Q.shape) < 0.05, np.where(rng.random(Q.shape) < 0.5, low, high), Q)


def charted(robot, links):
    """The charts of two links."""
    charts = charts_of(robot.model, links, (0, 1), robot.sample(400, 1))
    assert isinstance(charts, Charts)
    assert len(charts.rows)
    return charts.rows


def hold(robot, links, slack=0.0, least=0.02):
    """Never free where the shapes touch or are nearer than told, and free wherever they are far enough apart.

    `slack` is by how much shapes are taken for larger. That much of the postures is free, and that much touches.
    """
    charts, Q = charted(robot, links), drawn(robot)
    told, true = told_gaps(charts, Q), true_gaps(robot, links, Q)
    free, fine = told >= 0.0, FINE[int((charts[1 : places.HEAD, places.VARIABLE] >= 0.0).sum()) - 1]
    assert (true[free] > 0.0).all()
    finite = free & np.isfinite(told)
    assert (true[finite] >= told[finite] - ROUNDING).all()
    keep = OWN_MOST if finite.any() else 0.0  # links that mostly have little room are asked not to touch only
    assert (true[told == math.inf] >= keep - ROUNDING).all()
    assert free[true > 2.0 * fine + slack].all()
    assert (told[true > OWN_MOST + 4.0 * fine + slack] == math.inf).all()
    assert least < free.mean() < 1.0 - least
    return charts


ARMS = {
    "a joint that turns": ([box("0.2 0.2 0.3", "0.2 0 0"), box("0.3 0.05 0.05", "0.15 0 0")], [joint(0, "0 0 1")]),
    "turned shapes": (
        [box("0.2 0.1 0.3", "0.2 0 0", "0.4 0.2 0.1"), box("0.3 0.05 0.05", "0.15 0 0.02", "0.1 0.3 0")],
        [joint(0, "1 2 3", "0.02 0.01 0.03")],
    ),
    "a joint without an end": (
        [box("0.1 0.1 0.1", "-0.25 0.02 0"), box("0.3 0.05 0.05", "0.15 0 0")],
        [joint(0, "0 0 1", kind="continuous")],
    ),
    "a slide": (
        [box("0.2 0.2 0.2", "0.4 0 0"), box("0.1 0.1 0.1")],
        [joint(0, "1 0.1 0", kind="prismatic", limits=(-0.2, 0.9))],
    ),
    "a slide that enters a solid wholly": (
        [box("0.6 0.6 0.6", "0.7 0 0"), ball(0.03)],
        [joint(0, "1 0 0", kind="prismatic", limits=(-0.3, 1.2))],
    ),
    "a solid that slides over a part": (
        [ball(0.03), box("0.6 0.6 0.6", "-0.7 0 0")],
        [joint(0, "1 0 0", kind="prismatic", limits=(-0.3, 1.2))],
    ),
    "two joints": (
        [box("0.1 0.1 0.5", "0 0 0.2"), "", box("0.06 0.06 0.3", "0 0 0.12")],
        [joint(0, "0 1 0", "0.15 0 0.3"), joint(1, "0 0 1", "0.1 0 0")],
    ),
    "a turn and a slide": (
        [box("0.2 0.2 0.2", "0.4 0 0"), "", tube(0.03, 0.2, "0.1 0 0", "0 1.5707963 0")],
        [joint(0, "0 0 1"), joint(1, "1 0 0", kind="prismatic", limits=(0.0, 0.3))],
    ),
    "a joint that follows another": (
        [box("0.1 0.1 0.4", "0 0 0.1"), "", box("0.05 0.05 0.3", "0 0 -0.1")],
        [
            joint(0, "0 1 0", "0.15 0 0.2"),
            joint(1, "0 1 0", "0.1 0 0.1", more='<mimic joint="j0" multiplier="-1.7" offset="0.3"/>'),
        ],
    ),
    "three joints": (
        [box("0.1 0.1 0.4", "0 0 0.1"), "", "", box("0.1 0.06 0.2", "0.05 0 -0.1")],
        [
            joint(0, "0 1 0", "0.15 0 0.2", limits=(-1.5, 1.5)),
            joint(1, "0 0 1", "0.05 0 0.05", limits=(-1.5, 1.5)),
            joint(2, "1 0 0", "0.05 0 0", limits=(-1.0, 1.0)),
        ],
    ),
    "several shapes": (
        ["".join(box(*each) for each in L_SHAPE), "", tube(0.03, 0.2, "0 0 0.1") + ball(0.05, "0 0 0.22")],
        [joint(0, "0 0 1", "0.05 0 0.1"), joint(1, "0 1 0", "0 0 0.05")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ARMS)
def test_a_chart_is_free_where_the_shapes_are_apart_and_nowhere_else(name):
    shapes, joints = ARMS[name]
    robot = arm_of(shapes, joints)
    round_ = 0.05 * (1.0 / math.cos(math.pi / SIDES) - 1.0)
    hold(robot, ("l0", f"l{len(joints)}"), slack=2.0 * round_)


def test_the_order_of_links_does_not_matter():
    robot = arm_of(*ARMS["two joints"])
    one, other = (charted(robot, links) for links in (("l0", "l2"), ("l2", "l0")))
    Q = drawn(robot, 200)
    assert (told_gaps(one, Q) == told_gaps(other, Q)).all()
    assert one[0, [places.BODY_A, places.BODY_B]].tolist() == [0.0, 1.0]
    assert other[0, [places.BODY_A, places.BODY_B]].tolist() == [1.0, 0.0]  # what is named is what was asked for


def test_beyond_its_limits_an_arm_counts_as_touching():
    robot = arm_of(*ARMS["a joint that turns"])
    charts = charted(robot, ("l0", "l1"))
    assert (told_gaps(charts, np.array([[2.51], [-2.51], [100.0]])) < 0.0).all()
    assert (told_gaps(charts, robot.model.limits) > -np.inf).all()
    assert (told_gaps(charts, robot.model.limits) == math.inf).all()  # both ends are free


def test_shapes_made_to_touch_have_no_chart():
    for size in ("0.1 0.1 0.3", "0.1 0.1 0.1"):  # the second is wholly inside of the first: their surfaces never meet
        robot = arm_of([box("0.2 0.2 0.2"), box(size)], [joint(0, "0 0 1")])
        assert charts_of(robot.model, ("l0", "l1"), (0, 1), robot.sample(400, 1)) == "made to touch"


def test_links_made_to_touch_have_no_chart_though_some_of_their_shapes_are_apart():
    """A column slides in a sleeve; a flange on it meets the sleeve's rim at the lowest heights only."""
    column, flange = box("0.1 0.1 0.3"), box("0.3 0.3 0.02", "0 0 0.1")
    slide = joint(0, "0 0 1", limits=(0.0, 0.2)).replace("revolute", "prismatic")
    robot = arm_of([box("0.2 0.2 0.2"), column + flange], [slide])
    assert charts_of(robot.model, ("l0", "l1"), (0, 1), robot.sample(400, 1)) == "made to touch"


def test_a_chart_that_hardly_ever_says_free_is_no_use():
    """A peg that turns in a hole of four walls with a hair of room: no box of the chart is small enough to be free."""
    walls = "".join(box("0.4 0.1 0.4", f"0 {y} 0") + box("0.1 0.4 0.4", f"{y} 0 0") for y in (0.10003, -0.10003))
    joints = [joint(k, axis, limits=(-0.001, 0.001)) for k, axis in enumerate(("1 0 0", "0 1 0"))]
    robot = arm_of([walls, "", box("0.1 0.1 0.01")], joints)
    why = charts_of(robot.model, ("l0", "l2"), (0, 1), robot.sample(400, 1))
    assert why == "mostly touch, hardly any posture is surely free"


def test_links_with_a_millimetre_of_room_are_told_free_where_they_are():
    """A square plate that turns about its middle twice over, between two walls that its corners pass by 1.5 mm."""
    at = 0.07 * math.sqrt(2.0) + 0.0115
    walls = "".join(box("0.02 0.3 0.1", f"{side} 0 0") for side in (-at, at))
    robot = arm_of([walls, "", box("0.14 0.14 0.02")], [joint(0, "0 0 1"), joint(1, "0 0 1")])
    charts, Q = charted(robot, ("l0", "l2")), drawn(robot, 200)
    assert (true_gaps(robot, ("l0", "l2"), Q) > 0.0).all()
    assert (told_gaps(charts, Q) >= 0.0).mean() > 0.7


def test_links_with_hardly_more_room_than_is_kept_are_told_free_where_they_are():
    """A lid over a ball, near whose middle it turns twice over, has 13 to 17 mm of room, but where a post stands."""
    shapes = [ball(0.03, "0.0018 0 0") + box("0.01 0.01 0.12", "0.02 0 0.06"), "", box("0.04 0.04 0.02", "0 0 0.055")]
    robot = arm_of(shapes, [joint(0, "0 0 1"), joint(1, "0 1 0")])
    charts, Q = charted(robot, ("l0", "l2")), np.clip(drawn(robot, 400), *robot.model.limits)
    room = true_gaps(robot, ("l0", "l2"), Q) > OWN_MOST
    assert 0.5 < room.mean() < 1.0
    assert (told_gaps(charts, Q[room]) >= OWN_MOST).mean() > 1.0 - DENIED


def test_many_gaps_are_those_of_the_kernel():
    for name in ("a joint without an end", "two joints", "three joints"):
        shapes, joints = ARMS[name]
        robot = arm_of(shapes, joints)
        chart = charted(robot, ("l0", f"l{len(joints)}"))
        Q = np.clip(drawn(robot, 300), *robot.model.limits)
        assert (gaps_at(chart, Q) == told_gaps(chart, Q)).all()


def test_what_has_too_many_variables_or_a_slide_without_an_end_has_none():
    four = [joint(i, "0 1 0" if i % 2 else "1 0 0", "0 0 0.05") for i in range(4)]
    long = arm_of([box("0.1 0.1 0.4"), "", "", "", box("0.1 0.1 0.4")], four)
    assert charts_of(long.model, ("l0", "l4"), (0, 1), long.sample(50, 1)) == "mostly touch"


def test_a_chart_is_kept_on_disk_and_made_anew_if_that_is_damaged(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    robot, made = arm_of(*ARMS["a joint that turns"]), []
    build = make.build_chart
    monkeypatch.setattr(make, "build_chart", lambda *arguments: made.append(1) or build(*arguments))
    first = charted(robot, ("l0", "l1"))
    (file,) = tmp_path.iterdir()
    assert (charted(robot, ("l0", "l1"))[:, :3] == first[:, :3]).all()
    once = len(made)
    assert once > 0
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"no arrays"):
        file.write_bytes(damaged)
        assert (charted(robot, ("l0", "l1"))[:, :3] == first[:, :3]).all()
        assert file.read_bytes() == whole
    assert len(made) == 4 * once
    moved = arm_of([box("0.2 0.2 0.3", "0.21 0 0"), ARMS["a joint that turns"][0][1]], [joint(0, "0 0 1")])
    assert charted(moved, ("l0", "l1")).shape != first.shape
    assert len(list(tmp_path.iterdir())) == 2


def test_other_rows_of_bodies_take_what_was_kept(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    robot = arm_of(*ARMS["a joint that turns"])
    one = charted(robot, ("l0", "l1"))
    other = charts_of(robot.model, ("l0", "l1"), (5, 9), robot.sample(400, 1)).rows
    assert len(list(tmp_path.iterdir())) == 1
    assert other[0, [places.BODY_A, places.BODY_B]].tolist() == [5.0, 9.0]
    assert (other[1:] == one[1:]).all()


sizes = st.tuples(*3 * [st.integers(2, 30)]).map(lambda size: " ".join(f"{0.01 * part}" for part in size))
offsets = st.tuples(*3 * [st.integers(-20, 20)]).map(lambda at: " ".join(f"{0.01 * part}" for part in at))
turns = st.tuples(*3 * [st.integers(-3, 3)]).map(lambda at: " ".join(map(str, at)))
shapes = st.one_of(
    st.builds(box, sizes, offsets, turns),
    st.builds(tube, st.sampled_from([0.01, 0.04, 0.09]), st.sampled_from([0.02, 0.1, 0.3]), offsets, turns),
    st.builds(ball, st.sampled_from([0.01, 0.04, 0.09]), offsets),
)
axes = st.tuples(*3 * [st.integers(-2, 2)]).filter(any).map(lambda axis: " ".join(map(str, axis)))
moves = st.sampled_from([("revolute", (-2.0, 3.0)), ("continuous", None), ("prismatic", (-0.3, 0.4))])


@settings(max_examples=40)
@given(shapes, shapes, axes, offsets, moves)
def test_no_two_links_that_touch_are_told_free(one, other, axis, at, move):
    """And wherever they are far enough apart they are told free."""
    robot = arm_of([one, other], [joint(0, axis, at, move[0], move[1] or (0, 0))])
    charts = charts_of(robot.model, ("l0", "l1"), (0, 1), robot.sample(400, 1))
    if isinstance(charts, Charts):
        Q = drawn(robot, 150)
        told, true = told_gaps(charts.rows, Q), true_gaps(robot, ("l0", "l1"), Q)
        assert (true[told >= 0.0] > 0.0).all()
        slack = 0.15 * (1.0 / math.cos(math.pi / SIDES) - 1.0)
        assert (told[true > 2.0 * FINE[0] + slack] >= 0.0).all()
