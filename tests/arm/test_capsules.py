"""Capsules hold what they stand for, wholly: its surface and its inside; and how far they stand out is told."""

import numpy as np
import pytest

from forearm.arm.capsules import _cell, _cuts, _exact, fit_capsules
from forearm.arm.surfaces import (
    ROUNDER,
    box_triangles,
    cylinder_triangles,
    ellipsoid_triangles,
    from_triangles,
    look_at,
    winding,
)

POINTS = 100_000
pytestmark = pytest.mark.compiled  # as Python, a fit takes minutes; its kernels: `tests/core/maths/test_capsules.py`


def inside(capsules, points):
    """(N,) whether points lie in one of some capsules."""
    found = np.zeros(len(points), bool)
    for c in capsules:
        way = c[3:6] - c[:3]
        square = way @ way
        share = np.clip((points - c[:3]) @ way / square, 0, 1) if square > 0 else np.zeros(len(points))
        found |= np.linalg.norm(points - c[:3] - share[:, None] * way, axis=1) <= c[6]
    return found


def fit(triangles, **options):
    return fit_capsules(np.ascontiguousarray(triangles, float).tobytes(), **options)


def on_triangles(triangles, count, rng):
    """Points all over triangles, their corners among them."""
    edges = triangles[:, 1:] - triangles[:, :1]
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    chosen = rng.choice(len(triangles), count, p=area / area.sum())
    u, v = np.sort(rng.random((2, count, 1)), axis=0)
    points = triangles[chosen, 0] + u * edges[chosen, 0] + (v - u) * edges[chosen, 1]
    return np.concatenate([points, triangles.reshape(-1, 3)])


def test_capsules_hold_the_whole_box_and_tell_how_far_they_stand_out():
    rng = np.random.default_rng(0)
    for size in ((0.1, 0.2, 0.3), (0.4, 0.4, 0.02), (1.0, 0.3, 0.05)):
        made = fit(box_triangles(size))
        assert inside(made.capsules, rng.uniform(-0.5, 0.5, (POINTS, 3)) * size).all()
        corners = 0.5 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size
        assert inside(made.capsules, corners).all()
        # what is outside of the box by more than they say is outside of them
        away = rng.uniform(-1.0, 1.0, (POINTS, 3)) * size
        off = np.linalg.norm(np.maximum(np.abs(away) - 0.5 * np.asarray(size), 0.0), axis=1)
        assert off[inside(made.capsules, away)].max() < made.excess + 0.005
        # and what is surely part of it is: every point of the axes is as deep in the box as they say
        for capsule, inner in zip(made.capsules, made.inner, strict=True):
            axis = capsule[:3] + np.linspace(0, 1, 50)[:, None] * (capsule[3:6] - capsule[:3])
            depth = (0.5 * np.asarray(size) - np.abs(axis)).min(axis=1)
            assert inner <= depth.min() + 1e-12


def test_capsules_hold_the_whole_cylinder_and_the_whole_ellipsoid():
    rng = np.random.default_rng(1)
    for radius, length in ((0.1, 1.0), (0.3, 0.1)):
        made = fit(cylinder_triangles(radius, length))
        angle, share = rng.uniform(0, 2 * np.pi, POINTS), np.sqrt(rng.random(POINTS))
        flat = radius * share[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        assert inside(made.capsules, np.column_stack([flat, rng.uniform(-0.5, 0.5, POINTS) * length])).all()
        assert inside(made.capsules, np.column_stack([flat, rng.choice([-0.5, 0.5], POINTS) * length])).all()
    ball = rng.normal(size=(POINTS, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    assert inside(fit(ellipsoid_triangles((0.1, 0.2, 0.05))).capsules, ball * [0.1, 0.2, 0.05]).all()


def test_what_stands_for_something_round_is_larger_by_no_more_than_is_taken_off_its_depth():
    """Else what counts as surely part of a shape, and proves verdicts, would lie outside of it."""
    prism, ball = (t.reshape(-1, 3) for t in (cylinder_triangles(0.3, 0.4), ellipsoid_triangles((0.1, 0.2, 0.05))))
    assert np.hypot(prism[:, 0], prism[:, 1]).max() <= 0.3 * (1.0 + ROUNDER)
    assert np.linalg.norm(ball / [0.1, 0.2, 0.05], axis=1).max() <= 1.0 + ROUNDER


def hook():
    """A bent solid of three boxes."""
    boxes = [((0.4, 0.06, 0.06), (0.2, 0, 0)), ((0.06, 0.3, 0.06), (0.4, 0.15, 0)), ((0.2, 0.06, 0.06), (0.3, 0.3, 0))]
    return np.concatenate([box_triangles(size) + np.array(at) for size, at in boxes])


def test_capsules_of_a_bent_solid_hold_its_surface_and_its_inside_and_leave_its_mouth_open():
    rng, triangles = np.random.default_rng(2), hook()
    made, one = fit(triangles), fit(triangles, most=1)
    assert inside(made.capsules, on_triangles(triangles, POINTS, rng)).all()
    for size, at in (((0.4, 0.06, 0.06), (0.2, 0, 0)), ((0.06, 0.3, 0.06), (0.4, 0.15, 0))):
        assert inside(made.capsules, at + rng.uniform(-0.5, 0.5, (POINTS, 3)) * size).all()
    assert made.excess < 0.5 * one.excess
    assert made.excess <= made.goal
    mouth = np.array([[0.2, 0.15, 0.0]])
    assert inside(one.capsules, mouth).all()
    assert not inside(made.capsules, mouth).any()


def test_more_triangles_than_are_planned_by_are_held_too():
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.torus(0.2, 0.05, major_sections=80, minor_sections=40)
    triangles = np.asarray(mesh.vertices)[mesh.faces]
    assert len(triangles) > 3000
    made = fit(triangles)
    assert inside(made.capsules, on_triangles(triangles, POINTS, np.random.default_rng(3))).all()
    assert made.excess <= made.goal


def test_what_is_inside_of_a_solid_never_passes_for_outside():
    """Its grid's walls have no gaps: capsules inside of it would seem to stand out, and be cut for nothing."""
    for triangles in (cylinder_triangles(0.1, 0.3), box_triangles((0.4, 0.4, 0.02)), hook()):
        solid = look_at(triangles, np.zeros(3))
        at = np.random.default_rng(6).integers(solid.away.shape, size=(400, 3))
        places = at * solid.step + solid.corner
        deep = (from_triangles(places, triangles) > solid.step) & (winding(places, triangles) > 0.5)
        assert deep.any() or np.ptp(triangles[:, :, 2]) < 0.05
        assert (solid.away[tuple(at[deep].T)] == 0.0).all()


def test_all_within_a_distance_is_held_where_asked_for():
    made = fit(box_triangles((0.1, 0.1, 0.2)), inflate=0.03)
    ways = np.random.default_rng(4).normal(size=(POINTS, 3))
    points = np.random.default_rng(5).uniform(-0.5, 0.5, (POINTS, 3)) * [0.1, 0.1, 0.2]
    assert inside(made.capsules, points + 0.03 * ways / np.linalg.norm(ways, axis=1)[:, None]).all()


def test_on_the_side_of_the_base_they_stand_out_less():
    """A first link mostly stands close above the table that the arm is mounted on."""
    triangles = cylinder_triangles(0.06, 0.13)
    overhang = [
        -0.065 - min(min(c[2], c[5]) - c[6] for c in fit(triangles, most=8, down=down).capsules)
        for down in ((0.0, 0.0, 0.0), (0.0, 0.0, -1.0))
    ]
    assert overhang[1] < min(0.7 * overhang[0], 0.0125)


def test_a_slice_as_thin_as_the_grid_is_cut_across_its_other_sides():
    """Halves of it would look as good as the whole, and all capsules would go into ever thinner slices."""
    solid, axes = look_at(box_triangles((0.2, 0.08, 0.09)), np.zeros(3)), np.eye(3)
    thin = solid.points[np.abs(solid.points[:, 0]) <= 0.6 * solid.step]
    box = np.array([[-0.1 * solid.step, -np.inf, -np.inf], [0.1 * solid.step, np.inf, np.inf]])
    cuts = list(_cuts(_cell(thin, box, axes, solid), axes, solid))
    assert cuts
    for parts in cuts:
        assert all((part.box[:, 0] == box[:, 0]).all() for part in parts)


def test_a_cell_with_nothing_of_the_solid_in_it_holds_nothing():
    """It was stretched to the first triangle, wherever that is: an upper arm of 14 cm stood out by 12 cm."""
    triangles, axes = box_triangles((0.2, 0.08, 0.09)), np.eye(3)
    solid = look_at(triangles, np.zeros(3))
    near = solid.points[solid.points[:, 0] > 0.1 - 0.5 * solid.step]
    beyond = np.array([[0.1 + 1e-6, -np.inf, -np.inf], [np.inf, np.inf, np.inf]])
    assert not len(_exact(_cell(near, beyond, axes, solid), triangles, axes, solid).held)
    within = np.array([[0.1 - 1e-6, -np.inf, -np.inf], [np.inf, np.inf, np.inf]])
    assert len(_exact(_cell(near, within, axes, solid), triangles, axes, solid).held)
