"""The self-motion of a seven-joint arm: curves, ends, and walking along one."""

import numpy as np
import pytest
from acting import act

pytestmark = pytest.mark.compiled


def test_the_arm_walks_along_its_arc_while_the_tip_stands_still(arm_page):
    page = arm_page("iiwa14")
    arm, T = page.problem.arm, page.problem.T.copy()
    act(page, page.tabs.open, "Branches")
    tab, ribbon = page.branches_tab, page.branches_tab.ribbon
    assert ribbon.root.visible
    np.testing.assert_allclose(ribbon.at(ribbon.place), page.problem.q, atol=1e-6)
    seen = [ghost.shown for ghost in ribbon.ghosts]
    for q in seen:
        np.testing.assert_allclose(arm.fk(q), T, atol=1e-6)
    for percent in (0.0, 40.0, 100.0):
        act(page, tab._walk, percent)
        np.testing.assert_allclose(arm.fk(page.problem.q), T, atol=1e-6)
        assert ribbon.share == pytest.approx(0.01 * percent, abs=1e-6)
        assert tab.along.value == pytest.approx(percent, abs=0.5)
    np.testing.assert_allclose(page.problem.q, seen[-1], atol=1e-6)
    np.testing.assert_array_equal(page.problem.T, T)


def test_the_ends_of_an_arc_say_which_joint_is_at_its_limit(arm_page):
    page = arm_page("iiwa14")
    act(page, page.tabs.open, "Branches")
    ribbon = page.branches_tab.ribbon
    lower, upper = page.problem.arm.limits
    for end, label in zip(ribbon.arc.ends, ribbon.words, strict=True):
        k = page.problem.arm.joint_names.index(end.joint)
        assert end.q[k] == pytest.approx((lower if end.limit == "lower" else upper)[k], abs=1e-9)
        assert label.text == f"{end.joint} at its {end.limit} limit"
        assert label.visible
    assert ribbon.arc.ends[0].joint in page.branches_tab.arcs.content


def test_without_the_ribbon_every_branch_has_its_ghost_and_other_tabs_have_neither(arm_page):
    page = arm_page("iiwa14")
    act(page, page.tabs.open, "Branches")
    tab = page.branches_tab
    assert not any(ghost.root.visible for ghost, _ in tab._ghosts)
    tab.with_ribbon.value = False
    act(page, tab._show_again)
    assert not tab.ribbon.root.visible
    assert all(ghost.root.visible for ghost, _ in tab._ghosts)
    act(page, page.tabs.open, "Solve")
    assert not tab.ribbon.root.visible
    assert not any(ghost.root.visible for ghost, _ in tab._ghosts)


def test_an_arm_without_a_swivel_walks_along_its_traced_curve(arm_page):
    page = arm_page("panda")
    arm, T = page.problem.arm, page.problem.T.copy()
    act(page, page.tabs.open, "Branches")
    tab, ribbon = page.branches_tab, page.branches_tab.ribbon
    assert ribbon.root.visible
    assert ribbon.motion.method == "self-motion"
    np.testing.assert_allclose(ribbon.at(ribbon.place), page.problem.q, atol=1e-6)
    shown = [*(ghost.shown for ghost in ribbon.ghosts), *(end.q for end in ribbon.arc.ends)]
    for percent in (0.0, 40.0, 100.0):
        act(page, tab._walk, percent)
        shown.append(page.problem.q.copy())
        assert ribbon.share == pytest.approx(0.01 * percent, abs=1e-6)
    for q in shown:
        np.testing.assert_allclose(arm.fk(q), T, atol=1e-6)
        assert ((arm.limits[0] - 1e-9 <= q) & (q <= arm.limits[1] + 1e-9)).all()
    np.testing.assert_array_equal(page.problem.T, T)
