"""How a stopped run goes on: what it was begun with is compared, and errors say how much stands."""

import errno
import json
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm.scale.map_plan import MapPlan
from forearm.scale.resume import check_resumed, digest, saying_how_to_go_on, settings_of
from forearm.scale.solve_files import FilePlan
from forearm.scenes.scene import Scene

PATH = Path("out")


def test_only_the_same_settings_go_on():
    begun = {"rows": 4, "first": [1, 2], "forearm": "sha256:a"}
    check_resumed(PATH, begun, begun, resume=True)
    with pytest.raises(fa.errors.OptionError, match="is there already; resume=True goes on with it"):
        check_resumed(PATH, begun, begun, resume=False)
    with pytest.raises(fa.errors.OptionError, match="was begun with rows 4 and this run has 5; give the same settings"):
        check_resumed(PATH, begun, {"forearm": "sha256:b", "first": [1, 3], "rows": 5}, resume=True)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (OSError(errno.ENOSPC, "No space left"), "the disk of 'out' is full; 3 are left: resume=True goes on"),
        (fa.ForearmError("it is gone"), "'out' is not finished: it is gone; 3 are left: resume=True goes on"),
        (fa.errors.OptionError("rows is 0"), "rows is 0"),  # a wrong argument is not dressed up
    ],
)
def test_an_error_says_what_stands_and_how_to_go_on(problem, words):
    with pytest.raises(fa.ForearmError) as caught, saying_how_to_go_on(PATH, lambda: "3 are left"):
        raise problem
    assert str(caught.value) == words


def test_bytes_are_told_apart_from_words_and_by_where_they_end():
    assert len({digest(b"ab", b"c"), digest(b"a", b"bc"), digest("ab", "c"), digest(b"abc"), digest("b'abc'")}) == 5


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan with a field of every kind."""

    robot: fa.Robot
    targets: Path
    tol: tuple[float, float]
    rows: int
    obstacles: object
    options: dict


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "in").write_bytes(b"a" * (3 << 20))
    scene = Scene({"wall": fa.Box([0, 0, 1], [1, 1, 1])})
    return Plan(
        fa.load("planar-3"), tmp_path / "in", (1e-6, 1e-6), 4, scene, {"max_tries": 9, "seeds": list(range(99))}
    )


def settings(plan):
    """As they come back from a file."""
    return json.loads(json.dumps(settings_of(plan, plan.obstacles is not None)))


CHANGES = {
    "tol": lambda plan: replace(plan, tol=(1e-6, 1e-5)),
    "rows": lambda plan: replace(plan, rows=5),
    "options.max_tries": lambda plan: replace(plan, options=plan.options | {"max_tries": 10}),
    "options.seeds": lambda plan: replace(plan, options=plan.options | {"seeds": [*range(98), 97]}),
    "options.clearance": lambda plan: replace(plan, options=plan.options | {"clearance": 0.1}),
    "obstacles.obstacles": lambda plan: replace(
        plan, obstacles=Scene({"wall": fa.Box([0, 0, 1.0 + 1e-15], [1, 1, 1])})
    ),
    "robot.limits": lambda plan: replace(plan, robot=plan.robot.with_limits({"joint0": (-1, 1)})),
    "robot.tool": lambda plan: replace(plan, robot=plan.robot.with_tool(np.diag([1.0, -1.0, -1.0, 1.0]))),
    "robot.geometry.radius": lambda plan: replace(plan, robot=plan.robot.with_geometry(radius=0.013)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_changes_is_named(plan, name):
    other = CHANGES[name](plan)
    with pytest.raises(fa.errors.OptionError, match=f"was begun with {name} .* and this run has "):
        check_resumed(PATH, settings(plan), settings(other), resume=True)
    with pytest.raises(fa.errors.OptionError, match=f"was begun with {name} .* and this run has "):
        check_resumed(PATH, settings(other), settings(plan), resume=True)  # also what is left out now


def test_every_byte_of_a_file_counts_and_its_place_does_not(plan, tmp_path):
    begun = settings(plan)
    moved = tmp_path / "moved"
    moved.write_bytes(plan.targets.read_bytes())
    check_resumed(PATH, begun, settings(replace(plan, targets=moved)), resume=True)
    for place in (0, 3 << 19, (3 << 20) - 1):
        data = bytearray(moved.read_bytes())
        data[place] ^= 1
        plan.targets.write_bytes(data)
        with pytest.raises(
            fa.errors.OptionError, match=r"was begun with targets sha256:\w{12} and this run has sha256:"
        ):
            check_resumed(PATH, begun, settings(plan), resume=True)


@pytest.mark.parametrize("kind", [MapPlan, FilePlan])
def test_no_field_of_a_plan_can_be_forgotten(kind):
    """What settings hold is read off the plan, so every field must come out under its name."""
    values = {item.name: f"<{item.name}>" for item in fields(kind)}
    made = settings_of(kind(**values), guarded=False)
    assert made.items() >= values.items()


def test_the_same_settings_have_the_same_digest_in_every_process(plan):
    code = "from forearm.scale.resume import digest; import forearm as fa; print(digest(fa.load('panda').geometry))"
    seen = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "ab"
    }
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a", "b"], ["ab"]),
        ([["a"], "b"], ["a", ["b"]]),
        ({"a": 1}, {"b": 1}),
        (1.0, 1),
        (np.zeros(2), np.zeros((2, 1))),
    ],
)
def test_nothing_reads_as_something_else(one, other):
    assert digest(one) != digest(other)


def test_what_has_no_digest_is_a_fault_of_ours():
    with pytest.raises(TypeError, match="object has no digest"):
        digest({"a": object()})
