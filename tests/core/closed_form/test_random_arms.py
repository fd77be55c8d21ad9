"""Every class on random arms: it is recognised, and no branch is missing or wrong."""

import numpy as np
import pytest
from random_arms import in_a_plane, spherical_wrist, swivelling, three_parallel

from forearm.arm.structure import Kind
from forearm.core.jit import CHOICE

# arms per class, case, angle and direction, and targets each: few where the formulas run as Python
ARMS, TARGETS = (2, 6) if CHOICE.way == "python" else (6, 12)


def angle_apart(a, b):
    """The largest difference of joints, but for whole turns."""
    return np.abs(np.remainder(a - b + np.pi, 2.0 * np.pi) - np.pi).max(axis=-1)


def check_all_branches(arm):
    """The configuration that made a target is among its branches, and all of them make it."""
    for q in arm.sample(TARGETS, rng_seed=7):
        T = arm.fk(q)
        found = arm.solve_all(T)
        assert found.complete
        assert np.abs(arm.fk(found.q) - T).max() < 1e-9
        assert angle_apart(found.q, q).min() < 1e-6, f"{q} is missing: {found}"
        apart = [angle_apart(a.q, b.q) for i, a in enumerate(found) for b in found[:i]]
        assert min(apart, default=1.0) > 1e-6
        solved = arm.solve(T, q0=q)
        assert solved.method.startswith("closed-form")
        assert angle_apart(solved.q, q) < 1e-6


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("square", [True, False], ids=["square", "oblique"])
@pytest.mark.parametrize("case", range(4))
def test_spherical_wrists(case, square, backward):
    for seed in range(ARMS):
        arm = spherical_wrist(np.random.default_rng(seed), case, square, backward)
        found = arm.structure
        assert (found.kind, found.case, found.reversed) == (Kind.WRIST, case, backward)
        check_all_branches(arm)


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("square", [True, False], ids=["square", "oblique"])
def test_three_parallel_axes(square, backward):
    for seed in range(ARMS):
        arm = three_parallel(np.random.default_rng(seed), square, backward)
        assert (arm.structure.kind, arm.structure.reversed) == (Kind.UR, backward)
        check_all_branches(arm)


@pytest.mark.parametrize("slide", [-1, 0, 1, 2, 3])
def test_arms_in_a_plane(slide):
    for seed in range(ARMS):
        arm = in_a_plane(np.random.default_rng(seed), slide)
        assert arm.structure.kind is (Kind.PLANAR if slide < 0 else Kind.SCARA)
        for q in arm.sample(TARGETS, rng_seed=7):
            T = arm.fk(q)
            found = arm.solve_all(T)
            assert 1 <= len(found) <= 2
            assert np.abs(arm.fk(found.q) - T).max() < 1e-9
            assert np.abs(found.q - q).max(axis=1).min() < 1e-6


def test_swivelling_arms():
    for seed in range(ARMS):
        arm = swivelling(np.random.default_rng(seed))
        assert arm.structure.kind is Kind.SRS
        for q in arm.sample(TARGETS, rng_seed=7):
            T = arm.fk(q)
            found = arm.solve_all(T, q0=q)
            assert len(found) == 8
            assert np.abs(arm.fk(found.q) - T).max() < 1e-9
            at = arm.solve(T, q0=q, swivel=arm.swivel(q))
            assert angle_apart(at.q, q) < 1e-6
            assert any(low <= arm.swivel(q) + turn <= high for b in found for low, high in b.swivel for turn in (0, 7))


def test_a_pose_out_of_the_plane_is_not_solved():
    arm = in_a_plane(np.random.default_rng(0), -1)
    T = arm.fk(arm.sample(1)[0])
    T[:3, 3] += 0.1 * arm.structure.H[0]
    assert len(arm.solve_all(T)) == 0
    assert not arm.solve(T, explain=False)
