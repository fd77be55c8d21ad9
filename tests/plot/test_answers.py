"""Pictures of answers: what they show is read back from the drawn lines."""

import numpy as np

import forearm as fa
from forearm import plot
from forearm.plot.answers import reach_counts

ARM = fa.load("planar-3")


def drawn(axes, label):
    """The line of an axes with this label."""
    return next(line for line in axes.get_lines() if line.get_label() == label)


def test_convergence_leaves_out_what_is_zero_by_construction():
    arm = fa.load("fabrik-r-10dof")
    trace = arm.trace(fa.Position([0.25, 0.3, 0.35]), np.array([0.0, -np.pi / 2, *[0.0] * 8]))
    (axes,) = plot.draw_convergence({"fabrik-r": trace}).axes
    np.testing.assert_allclose(drawn(axes, "fabrik-r").get_ydata(), np.maximum(trace.distance[::2], 1e-12))


def test_a_fan_holds_every_branch():
    T = ARM.fk([0.4, 0.9, -0.2])
    found = ARM.solve_all(T)
    (axes,) = plot.draw_branches(ARM, found, target=T).axes
    for k in range(len(found)):
        tip = np.array(drawn(axes, f"branch {k + 1}").get_data_3d())[:, -1]
        np.testing.assert_allclose(tip, T[:3, 3], atol=2e-6)


def test_a_slice_counts_tips_and_nothing_beyond_the_reach():
    counts, (edge, _) = reach_counts(ARM, "xy", 0.0, 4000, 0)
    assert counts.sum() == 4000  # a planar arm lies in this slice
    middle = 0.5 * (edge[1:] + edge[:-1])
    far = np.hypot(*np.meshgrid(middle, middle, indexing="ij")) > ARM.reach + 0.02
    assert counts[far].sum() == 0
    axes = plot.draw_reach(counts, (edge, edge), across="xy").axes[0]
    drawn_cells = axes.collections[0].get_array()
    np.testing.assert_array_equal(np.ma.getmaskarray(drawn_cells), counts.T == 0)
    assert axes.get_ylabel() == "y [m]"


def test_a_slice_takes_any_cells_and_leaves_out_what_is_not_known():
    cells = np.array([[1.0, np.nan, 0.5], [0.0, 2.0, 3.0]])
    figure = plot.draw_reach(cells, ([0, 1, 2], [0, 1, 2, 3]), label="dexterity", title="a map")
    axes, bar = figure.axes
    shown = axes.collections[0].get_array()
    assert shown.shape == (3, 2)
    assert np.ma.getmaskarray(shown).sum() == 2
    assert bar.get_ylabel() == "dexterity"
