"""What results show in a notebook: parsed, and compared with the results themselves."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import forearm as fa
from forearm.results.html import VERDICTS

ARM = fa.load("planar-3")
Q = np.linspace([0.3, 0.9, 0.4], [1.1, 1.4, 0.1], 12)
OVER = np.diag([1.0, -1.0, -1.0, 1.0])  # turned over, as no planar arm gets
VOID = {"br", "rect", "line", "polyline", "circle"}


class Page(HTMLParser):
    """Reads HTML: every tag must be closed in its order; keeps cells, tags and text."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.cells, self.words = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1][-1] += data

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)

    def row(self, first):
        return next(row for row in self.cells if row[0] == first)

    @property
    def text(self):
        return " ".join(self.words)


def shown(thing):
    return Page(thing._repr_html_())


def test_a_solution_shows_its_verdict_numbers_and_joint_values():
    solution = ARM.solve(ARM.fk(Q[0]), Q[1])
    page = shown(solution)
    assert page.words[0] == "Solved"
    assert solution.reason in page.text
    assert page.row("position error")[1] == f"{solution.position_error:.4g} m"
    assert page.row("method")[1] == solution.method
    for name, value in zip(ARM.joint_names, solution.q, strict=True):
        assert float(page.row(name)[1]) == pytest.approx(value, rel=1e-5)
    np.testing.assert_allclose(marks(page), 1.0 + 154.0 * (solution.q + np.pi) / (2 * np.pi), atol=0.06)


def marks(page):
    return [float(at["x"]) for tag, at in page.tags if tag == "rect" and at.get("width") == "4"]


@pytest.mark.parametrize("how", [{}, {"explain": False}, {"rng_seed": 3}, {"method": "general"}])
def test_a_solution_draws_the_arm_where_forward_kinematics_has_it(how):
    solution = ARM.solve(ARM.fk(Q[0]), Q[1], **how)
    page = shown(solution)
    dots = [(float(at["cx"]), float(at["cy"])) for tag, at in page.tags if tag == "circle" and at.get("fill") != "none"]
    drawn = np.array(dots[len(dots) // 2 :])  # the second view is that from above
    turned = np.cumsum(solution.q)  # three links of one length in a plane, by hand
    ends = np.cumsum(ARM.reach / 3.0 * np.column_stack([np.cos(turned), np.sin(turned)]), axis=0)
    points = np.vstack([np.zeros((2, 2)), ends])  # the base, the first joint, ..., the tip
    assert len(drawn) == len(points)
    scale = np.ptp(drawn, axis=0).max() / np.ptp(points, axis=0).max()
    np.testing.assert_allclose(drawn - drawn[0], (points - points[0]) * [scale, -scale], atol=0.2)


def test_a_solution_shows_the_limits_and_the_tool_of_its_call():
    name, tool = ARM.joint_names[2], np.eye(4)
    tool[0, 3] = 0.5
    solution = ARM.solve(ARM.fk(Q[0]), Q[0], limits={name: (0.0, 0.8)})
    row = shown(solution).row(name)
    assert row[3] == "0°"
    assert row[5] == "45.84°"
    assert marks(shown(solution))[2] == pytest.approx(1.0 + 154.0 * solution.q[2] / 0.8, abs=0.06)
    assert ARM.solve(fa.Position([2.0, 1.0, 0.0]), tool=tool).model.with_tool(np.eye(4)).n == 3
    assert shown(ARM.solve(fa.Position([2.0, 1.0, 0.0]), tool=tool)).count("svg") == 5


def test_every_branch_and_a_solution_without_an_arm_show_themselves():
    branches = ARM.solve_all(ARM.fk(Q[0]))
    assert len(branches) > 1
    assert all(shown(branch).row(ARM.joint_names[0]) for branch in branches)
    one = ARM.solve_batch(ARM.fk(Q))[3]
    assert float(shown(one).row(ARM.joint_names[0])[1]) == pytest.approx(one.q[0], rel=1e-5)
    one.model = None
    assert float(shown(one).row("q0")[1]) == pytest.approx(one.q[0], rel=1e-5)


@pytest.mark.parametrize(
    ("target", "words"),
    [(fa.Position([9.0, 0.0, 0.0]), "Out of reach"), (ARM.fk(Q[0]) @ OVER, "This orientation is not possible there")],
)
def test_a_failure_is_said_in_words(target, words):
    solution = ARM.solve(target)
    page = shown(solution)
    assert words in page.words[0]
    assert solution.reason in page.text
    assert "#d55e00" in solution._repr_html_()


def test_a_robot_shows_its_limits_as_bars():
    arm = ARM.with_limits({ARM.joint_names[0]: (-1.0, 3.0), ARM.joint_names[1]: (-np.inf, np.inf)})
    page = shown(arm)
    assert page.words[0] == arm.name
    first, second = (page.row(name) for name in arm.joint_names[:2])
    assert first[2:4] == ["-57.3°", "171.9°"]
    assert second[2:4] == ["none", "none"]
    assert page.count("svg") == 3
    bar = next(at for tag, at in page.tags if tag == "rect" and at.get("fill") == "#0072b2")
    far = np.pi  # of the third joint, the widest
    assert float(bar["x"]) == pytest.approx(160 * (0.5 - 0.5 / far), abs=0.06)
    assert float(bar["width"]) == pytest.approx(160 * 4.0 / (2 * far), abs=0.06)
    slide = fa.Robot.from_dh([{"kind": "prismatic", "limits": (0.0, 0.5)}, {"a": 0.3, "limits": (-1, 1)}], name="s")
    assert shown(slide).cells[1][2:4] == ["0 m", "0.5 m"]


def test_names_are_escaped():
    nasty = "<script>alert(1)</script>&"
    urdf = (
        '<robot name="{0}"><link name="{0}"/><link name="b"/><joint name="{0}j" type="revolute"><parent link="{0}"/>'
        '<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint></robot>'
    ).format("&lt;script&gt;alert(1)&lt;/script&gt;&amp;")
    robot = fa.Robot.from_urdf(urdf)
    page = shown(robot)
    assert page.count("script") == 0
    assert page.words[0] == nasty
    assert page.cells[1][0] == nasty + "j"
    track = robot.track([fa.Orientation(robot.fk([value])[:3, :3]) for value in (0.0, 0.1, 0.2)], [0.0])
    assert shown(track).count("script") == 0
    assert nasty + "j" in shown(track).text


def test_a_track_shows_every_joint_and_where_it_stops():
    whole = ARM.track(ARM.fk(Q), Q[0], times=np.linspace(0.0, 3.0, 12))
    page = shown(whole)
    assert page.words[0] == "Tracked to the end"
    assert page.row("way-points")[1] == "12 of 12"
    assert page.row("largest position error")[1] == f"{whole.position_errors.max():.3g} m"
    assert page.count("polyline") == 3
    ends = next(at["points"] for tag, at in page.tags if tag == "polyline").split()
    assert [float(ends[k].split(",")[0]) for k in (0, -1)] == [8.0, 412.0]
    away = ARM.fk(Q)
    away[7:, 0, 3] += 1.0
    broken = shown(ARM.track(away, Q[0]))
    assert broken.words[0] == "Stops at way-point 7: out of reach"
    assert broken.count("line") == 1
    far = ARM.fk(Q)
    far[:, 0, 3] += 5.0
    assert shown(ARM.track(far)).count("svg") == 0  # nothing to draw, and it says why


def test_every_status_has_words():
    assert set(VERDICTS) == {str(status) for status in fa.Status}


def test_a_batch_counts_its_verdicts():
    far = ARM.fk(Q[:3])
    far[:, 0, 3] += 5.0
    batch = ARM.solve_batch(np.concatenate([ARM.fk(Q), far]))
    page = shown(batch)
    assert page.row("Solved")[1] == "12"
    assert page.row("Out of reach")[1] == "3"
    widths = [float(at["width"]) for tag, at in page.tags if tag == "rect" and at.get("fill") in ("#009e73", "#d55e00")]
    np.testing.assert_allclose(widths, [160 * 12 / 15, 160 * 3 / 15], atol=0.06)


def test_chains_show_their_pose():
    chain = fa.Chain([[0.0, 0.0, 0.1 * k] for k in range(5)])
    solution = chain.solve([0.2, 0.1, 0.2])
    page = shown(solution)
    assert page.words[0] == "Solved"
    assert page.count("svg") == 2
    assert page.count("line") == 8  # four bones in two views
    first = [at for tag, at in page.tags if tag == "line"][:4]
    width = np.array([[float(at["x1"]), float(at["x2"])] for at in first])
    low, high = np.ptp(solution.points[:, 0]), np.ptp(width)
    tall = np.ptp(np.array([[float(at["y1"]), float(at["y2"])] for at in first]))
    assert high / tall == pytest.approx(low / np.ptp(solution.points[:, 2]), rel=0.01)  # one scale
    assert shown(chain).count("svg") == 2
    assert shown(fa.Chain([[0.0, 0.0], [0.0, 1.0]])).count("svg") == 1
    body = fa.Skeleton({"spine": (None, [0, 0, 1]), "arm": ("spine", [1, 0, 1]), "head": ("spine", [0, 0, 2])})
    assert shown(body).count("line") == 6
    blocked = chain.solve([0.2, 0.1, 0.2], obstacles=fa.Sphere([0.2, 0.1, 0.2], 0.05))
    assert "An obstacle is in the way" in shown(blocked).words[0]
    assert shown(blocked).row("clearance")[1] == f"{blocked.clearance:.4g} m"


def test_it_is_not_loaded_before_something_is_shown():
    code = (
        "import sys, forearm as fa; arm = fa.load('planar-3'); s = repr(arm.structure)\n"
        "assert 'forearm.results.html' not in sys.modules\n"
        "html = arm._repr_html_(); assert 'forearm.results.html' in sys.modules\n"
        "assert not {'matplotlib', 'viser', 'IPython'} & set(sys.modules); print(len(html))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"\d+", done.stdout)[0]) > 500


def test_joint_values_that_rounding_left_are_zero():
    solution = ARM.solve(ARM.fk([0.5, 0.5, 0.0]), q0=[0.5, 0.5, 0.0])
    solution.q[:] = [0.5, -4e-16, 2e-12]
    assert not re.search(r"e-\d\d<", "".join(f"{cell}<" for cell in Page(solution._repr_html_()).cells if "°" in cell))
    assert "-4e-16" not in solution._repr_html_()
    assert ">-0<" not in solution._repr_html_()
