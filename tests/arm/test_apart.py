"""Pairs of bodies that are said never to come near each other: by sums of complex numbers they never do."""

from itertools import product

import numpy as np
import pytest

import forearm as fa
from forearm.arm.covers import cover
from forearm.core.collision.bodies import OWN_MOST

pytestmark = pytest.mark.compiled  # which links may touch is found out in 3,000 configurations
BEADS, RADIUS, LONG = 0.06 * np.arange(1, 8), 0.03, 0.45


def beaded(kinds, limits):
    """An arm in a plane whose links are rows of spheres along x; joints turn about z or slide along y."""
    beads = "".join(
        f'<collision><origin xyz="{x} 0 0"/><geometry><sphere radius="{RADIUS}"/></geometry></collision>' for x in BEADS
    )
    text = "".join(f'<link name="l{i}">{beads}</link>' for i in range(len(kinds) + 1))
    for i, (kind, (low, high)) in enumerate(zip(kinds, limits, strict=True)):
        limit = "" if kind == "continuous" else f'<limit lower="{low}" upper="{high}"/>'
        axis = "0 1 0" if kind == "prismatic" else "0 0 1"
        text += (
            f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>'
            f'<origin xyz="{LONG} 0 0"/><axis xyz="{axis}"/>{limit}</joint>'
        )
    return fa.Robot.from_urdf(f'<robot name="beads">{text}</robot>')


def least_gaps(kinds, Q):
    """(links, beads, links, beads) the least gaps over configurations."""
    at, way, places = np.zeros(len(Q), complex), np.ones(len(Q), complex), [np.tile(BEADS + 0j, (len(Q), 1))]
    for kind, q in zip(kinds, Q.T, strict=True):
        at = at + LONG * way
        at, way = (at + 1j * q * way, way) if kind == "prismatic" else (at, way * np.exp(1j * q))
        places.append(at[:, None] + BEADS * way[:, None])
    beads = np.stack(places, axis=1)
    far = np.full(2 * beads.shape[1:], np.inf)
    for place in beads:
        far = np.minimum(far, np.abs(place[:, :, None, None] - place))
    return far - 2.0 * RADIUS


def hold(kinds, geometry, limits):
    """Holds what is said to stay apart against a grid of configurations; the share of what does that is said."""
    gaps = least_gaps(kinds, np.array(list(product(*(np.linspace(low, high, 15) for low, high in limits)))))
    numbers, where = {name: 0 for name in geometry.names}, []
    for name in geometry.names:  # a link's beads come in their order
        where.append((int(name[1:]), numbers[name]))
        numbers[name] += 1
    seen = {tuple(pair): gaps[(*where[pair[0]], *where[pair[1]])] for pair in geometry.pairs.tolist()}
    assert min(seen[pair] for pair in geometry.apart) >= OWN_MOST
    return len(geometry.apart) / sum(gap >= OWN_MOST for gap in seen.values())


@pytest.mark.parametrize(
    ("kinds", "limits"),
    [
        (("revolute",) * 3, [(-2.9, 2.9), (-2.0, 1.0), (-1.5, 2.8)]),
        (("revolute", "prismatic", "revolute"), [(-1.0, 1.0), (-0.3, 0.2), (-2.8, 2.8)]),
        (("continuous", "revolute", "continuous"), [(-np.pi, np.pi), (-2.5, 2.5), (-np.pi, np.pi)]),
    ],
)
def test_what_is_said_to_stay_apart_does_and_little_else_is_looked_at(kinds, limits):
    assert hold(kinds, beaded(kinds, limits).geometry, limits) > 0.75


def test_wider_limits_of_a_call_are_not_held_to_the_narrow_ones():
    kinds, narrow, wide = ("revolute",) * 3, [(-2.9, 2.9), (-0.9, 0.9), (-2.8, 0.9)], [(-2.9, 2.9)] * 3
    arm = beaded(kinds, narrow)
    hold(kinds, arm.geometry, narrow)
    widened = arm._prepared.geometry_for(np.array(wide).T, False)
    assert len(widened.apart) < len(arm.geometry.apart)
    hold(kinds, widened, wide)


def test_a_slide_without_an_end_leaves_others_what_is_proven_of_them():
    kinds, limits = ("prismatic", "revolute", "revolute"), [(-0.3, 0.3), (-2.6, 1.0), (-2.6, 2.6)]
    widened = beaded(kinds, limits)._prepared.geometry_for(np.array([(-np.inf, np.inf), *limits[1:]]).T, False)
    hold(kinds, widened, [(-3.0, 3.0), *limits[1:]])


def test_clearance_is_measured_between_all_of_them():
    kinds, limits = ("revolute",) * 3, [(-2.9, 2.9), (-2.0, 1.0), (-1.5, 2.8)]
    arm = beaded(kinds, limits)
    covered, q = cover(arm.geometry), np.zeros(3)
    assert len(covered.pairs) < len(covered.every)
    gaps = least_gaps(kinds, q[None])
    checked = [gaps[int(a[1:]), :, int(b[1:])].min() for a, b in arm.geometry.checked]
    assert arm.clearance(q).distance == pytest.approx(min(checked), abs=1e-12)
