"""The exception tree: what survives a trip to another process, and the words helpers make."""

import copy
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from forearm import errors
from forearm.common import files
from forearm.errors import counted, nearest_names
from forearm.results.solution import Solution, Status
from forearm.scale.run import connected
from forearm.targets.files import open_targets

FAILED = Solution(np.zeros(2), Status.OUT_OF_REACH, "dls", np.zeros(8), "too far")
EVERY = [
    errors.ForearmError("words"),
    errors.ModelError("words"),
    errors.TargetError("words"),
    errors.OptionError("words"),
    errors.UnsupportedError("words"),
    errors.MissingExtraError("drawing", "plot"),
    errors.NotSolvedError("words", FAILED),
]


def test_every_exception_is_tried():
    tree = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ForearmError)}
    assert {type(error) for error in EVERY} == tree


@pytest.mark.parametrize("error", EVERY, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy], ids=["pickle", "copy"])
def test_exceptions_survive_pickling(error, again):
    back = again(error)
    assert type(back) is type(error)
    assert str(back) == str(error)


def test_what_an_exception_carries_survives_too():
    solution = pickle.loads(pickle.dumps(errors.NotSolvedError("words", FAILED))).solution
    assert solution.status is Status.OUT_OF_REACH
    assert pickle.loads(pickle.dumps(errors.MissingExtraError("drawing", "plot"))).extra == "plot"


def test_nearest_names_takes_what_is_no_text():
    assert nearest_names(5, ["a", "b"]) == "there are: a, b"


@pytest.mark.parametrize("typed", ["LHand", "hand_l", "left_hand", "lefthand", "l.hand", "LEFTHAND", "Hand L"])
def test_a_name_of_the_other_side_is_not_proposed(typed):
    names = ["LeftHand", "RightHand", "LeftUpLeg", "RightUpLeg", "Hips"]
    assert nearest_names(typed, names).startswith("did you mean LeftHand")
    assert "Right" not in nearest_names(typed, names)
    mirrored = typed.replace("eft", "ight").replace("EFT", "IGHT").replace("L", "R").replace("l", "r")
    assert nearest_names(mirrored, names).startswith("did you mean RightHand")


def test_counts_fit_their_noun():
    assert [counted(n, "joint") for n in (0, 1, 2)] == ["0 joints", "1 joint", "2 joints"]


MARKED = errors.OptionError("{argument} is {-1}; {ask}", argument="tries", ask="give tries=5")


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy], ids=["pickle", "copy"])
def test_marks_survive_too(again):
    back = again(MARKED)
    assert str(back) == "tries is {-1}; give tries=5"
    assert back.argument == "tries"
    assert errors.filled(back.message.text, {"argument": "--tries", "ask": "try"}) == "--tries is {-1}; try"


def test_only_what_is_an_argument_is_named_as_one():
    assert errors.OptionError("choose {argument}", argument="tip=...").argument == "tip"
    assert errors.OptionError("{argument} is 5", argument="way-point 3").argument is None
    assert errors.OptionError("words").argument is None


def test_a_message_inside_another_keeps_its_remedy_and_fixes_its_argument():
    inside = errors.TargetError(errors.within("way-point 3", MARKED))
    assert str(inside) == "way-point 3: tries is {-1}; give tries=5"
    assert inside.message.text == "way-point 3: tries is {-1}; {ask}"
    assert inside.argument == "tries"
    assert errors.within("here", "plain") == "here: plain"


def test_a_message_goes_on_with_its_marks():
    longer = MARKED.message + "; or else"
    assert longer == "tries is {-1}; give tries=5; or else"
    assert longer.said == MARKED.message.said


def test_what_a_file_holds_never_steers_a_terminal():
    told = errors.ModelError("joint '\ud800\x1b[2Jé\u202e' is wrong: {what}", what="\x07")
    assert str(told) == r"joint '\ud800\x1b[2Jé\u202e' is wrong: \x07"
    assert str(told).encode("utf-8")


def test_long_words_are_cut_and_long_sentences_are_not():
    assert len(str(errors.ModelError("a" * 100_000))) < 300
    assert str(errors.ModelError("one\r\ntwo")) == "one two"
    assert str(errors.ModelError("word " * 1000)) == "word " * 1000


def test_what_a_missing_package_is_told_to_install_is_what_the_project_asks_for():
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    extras = files.tomllib.loads(text)["project"]["optional-dependencies"]
    assert {name: tuple(extras[name]) for name in errors.EXTRAS} == errors.EXTRAS
    assert set(extras) - set(errors.EXTRAS) == {"bench", "dev", "docs"}  # no message speaks of these
    assert errors.pip_install("collision") == "pip install 'trimesh>=4' 'pycollada>=0.8'"


XACRO = """<robot xmlns:xacro="http://ros.org/wiki/xacro">
<link name="${xacro.load_yaml('name.yaml')}"/></robot>"""


@pytest.mark.parametrize(
    ("package", "call", "command"),
    [
        ("matplotlib", lambda place: fa.plot.draw_pose(fa.load("ur5"), np.zeros(6)), "'matplotlib>=3.8'"),
        ("viser", lambda place: fa.show("ur5", browser=False), "'viser>=1.1.1,<1.2'"),
        ("mujoco", lambda place: fa.load(place / "arm.xml"), "'mujoco>=3.10'"),
        ("yaml", lambda place: fa.Robot.from_xacro(place / "arm.xacro"), "'pyyaml>=6'"),
        ("trimesh", lambda place: fa.scenes.Mesh.from_file(place / "a.stl"), "'trimesh>=4'"),
        ("trimesh", lambda place: fa.scenes.Mesh.from_file(place / "a.dae"), "'trimesh>=4' 'pycollada>=0.8'"),
        ("pyarrow", lambda place: open_targets(place / "a.parquet"), "'pyarrow>=16'"),
        ("distributed", lambda place: connected("tcp://a:1").__enter__(), "'dask>=2024.8' 'distributed>=2024.8'"),
    ],
)
def test_a_missing_package_ends_in_one_line_with_what_installs_it(package, call, command, tmp_path, monkeypatch):
    for name in [package, *(each for each in sys.modules if each.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "forearm.plot.figure", raising=False)
    (tmp_path / "arm.xml").write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    (tmp_path / "arm.xacro").write_text(XACRO)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(errors.MissingExtraError) as told:
        call(tmp_path)
    assert str(told.value).endswith(f"needs an optional package: pip install {command}")


@errors.told_in_words
class Shape:
    """Made of two numbers."""

    def __init__(self, center, *, radius=1.0):
        if radius == "odd":
            raise TypeError("its own")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Shape(0, raduis=1), "Shape takes no raduis; did you mean radius?"),
        (lambda: Shape(0, r=1), "Shape takes no r; did you mean radius?"),
        (lambda: Shape(xyz=1), "Shape takes no xyz; did you mean center?"),
        (lambda: Shape(0, colour=1), "Shape takes no colour; there are: center, radius"),
        (Shape, "Shape: missing a required argument: 'center'; it takes, in this order: center, radius"),
        (lambda: Shape(0, 1), "Shape: too many positional arguments; it takes, in this order: center, radius"),
    ],
)
def test_arguments_that_a_call_does_not_take_are_told_with_those_it_takes(call, words):
    with pytest.raises(errors.OptionError) as told:
        call()
    assert str(told.value) == words


def test_a_type_error_of_a_calls_own_stays_what_it_is():
    with pytest.raises(TypeError, match="its own") as told:
        Shape(0, radius="odd")
    assert not isinstance(told.value, errors.ForearmError)
