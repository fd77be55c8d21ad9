"""How a stopped run goes on: what it was begun with is compared, and errors say how much stands."""

import errno
from pathlib import Path

import pytest

import forearm as fa
from forearm.scale.resume import check_resumed, fingerprint_of_file, saying_how_to_go_on

PATH = Path("out")


def test_only_the_same_settings_go_on():
    begun = {"rows": 4, "robot_sha256": "a"}
    check_resumed(PATH, begun, begun, resume=True)
    with pytest.raises(fa.errors.OptionError, match="is there already; resume=True goes on with it"):
        check_resumed(PATH, begun, begun, resume=False)
    with pytest.raises(fa.errors.OptionError, match="was begun with rows 4 and this run has 5; give the same settings"):
        check_resumed(PATH, begun, {"robot_sha256": "b", "rows": 5}, resume=True)


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


def test_files_are_told_apart_by_their_length_and_both_ends(tmp_path):
    prints = set()
    for i, text in enumerate(["a" * 10, "a" * 11, "b" + "a" * 9, "a" * 9 + "b"]):
        (tmp_path / str(i)).write_text(text)
        prints.add(fingerprint_of_file(tmp_path / str(i)))
    assert len(prints) == 4
