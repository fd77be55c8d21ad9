"""Pictures of answers: what they show is read back from the drawn lines."""

import re

import numpy as np
import pytest

import forearm as fa
from forearm import plot
from forearm.common.palette import INK
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


def test_several_traces_are_drawn_by_the_names_of_their_methods():
    T = ARM.fk([0.4, 0.9, -0.2])
    traces = [ARM.trace(T, method=name) for name in ("ccd", "dls", "jacobian-transpose", "ccd")]
    (axes,) = plot.draw_convergence(traces).axes
    for name, trace in zip(("ccd", "dls", "jacobian-transpose", "ccd 2"), traces, strict=True):
        np.testing.assert_allclose(drawn(axes, name).get_ydata(), np.maximum(trace.distance, 1e-12))


def test_branches_are_named_by_their_postures_and_the_target_is_black():
    arm = fa.load("ur5")
    T = arm.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    found = arm.solve_all(T)
    figure = plot.draw_branches(arm, found, target=T)
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told[:-1] == [f"branch {k + 1}: {branch.posture}" for k, branch in enumerate(found)]
    assert told[-1] == "target"
    axes = [line for line in figure.axes[0].get_lines() if line.get_color() == INK]
    assert [np.array(line.get_data_3d())[:, 0].tolist() for line in axes] == [T[:3, 3].tolist()] * 3
    assert [text.get_text() for text in figure.axes[0].texts] == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: plot.draw_convergence([]), "traces is empty; it takes traces"),
        (lambda: plot.draw_convergence(ARM.solve(ARM.fk([0.1] * 3))), r"traces has a Solution .* Robot\.trace or"),
        (lambda: plot.draw_convergence({"a": None}), r"traces has a NoneType \(drawn as 'a'\)"),
        (lambda: plot.draw_convergence(tolerance=1e-6), "missing a required argument: 'traces'; it takes, in this"),
        (lambda: plot.draw_branches(ARM), "draw_branches: missing a required argument: 'branches'; it takes, in this"),
        (lambda: plot.draw_branches(ARM, None), r"branches is a NoneType; it takes what Robot\.solve_all gave"),
        (lambda: plot.draw_branches(ARM, np.eye(4)), r"branches has shape \(4, 4\); it takes \(M, 3\) joint values"),
        (lambda: plot.draw_branches(ARM, [[0.1] * 3], targets=1), "takes no targets; did you mean target"),
        (lambda: plot.reach_counts(ARM, 5), "across is 5; it takes two of x, y and z"),
        (lambda: plot.draw_chains([[0, 0]]), "panels is a list; it takes a mapping from titles"),
        (lambda: plot.draw_chains({}), "panels is empty"),
        (lambda: plot.draw_chains({"a": {"b": [[0, 0, 0], [1, 0, 0]]}}), r"'b' of 'a' has shape \(2, 3\)"),
        (lambda: plot.draw_motion(ARM, [[0.1] * 3] * 4, across=[1, 2]), r"across has shape \(2,\); it takes a number"),
    ],
)
def test_what_is_no_answer_to_draw_is_told_in_a_sentence(draw, words):
    with pytest.raises(fa.errors.OptionError, match=words):
        draw()


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: plot.draw_reach(np.ones((3, 3)), 5), "edges is 5; it takes the edges of the cells along both axes"),
        (lambda: plot.reach_counts(fa.Chain([[0, 0], [1, 0]])), "robot is a Chain; this picture takes a Robot"),
        (lambda: plot.reach_counts(fa.load("planar-3"), at="low"), "at is 'low'"),
        (lambda: plot.draw_chains({"a": {"b": [[0, 0], [1, 0]]}}, {"a": [[1, 2]]}), "a circle is (x, y, radius)"),
        (
            lambda: plot.draw_path(fa.load("planar-3"), np.zeros((1, 3)), targets=fa.Position.many(np.zeros((2, 3)))),
            "targets is a Targets; this picture takes (M, 4, 4) poses",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(draw, words):
    with pytest.raises(fa.errors.OptionError, match=re.escape(words)):
        draw()
