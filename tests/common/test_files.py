"""Reading files that may be anything."""

import os

import pytest

from forearm.common.files import MAX_TOML, parse_toml, read_file, words_of
from forearm.errors import ModelError, OptionError


def test_a_file_is_read_whole_and_no_larger_than_allowed(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, "test", 5) == b"12345"
    with pytest.raises(ModelError, match=r"a has 5 bytes; at most 4 are read. Is it a test file\?"):
        read_file(path, "test", 4)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(ModelError, match="is not a regular file"):
            read_file(tmp_path / path, "test")


HOSTILE_TOML = {
    "a dotted key": b"a" + b".a" * 100_000 + b" = 1",
    "a dotted key in a table": b"x = {a" + b".a" * 100_000 + b" = 1}",
    "a dotted header": b"[a" + b".a" * 100_000 + b"]",
    "a long number": b"a = " + b"9" * 6000,
    "deep lists": b"a = " + b"[" * 5000,
    "no text": b"\xff\xfe\x00",
    "large": b"#" * (MAX_TOML + 1),
    "half a character": b'a = "\\ud800"',
}


@pytest.mark.parametrize("name", HOSTILE_TOML)
def test_toml_that_breaks_parsers_is_refused_in_one_line(name):
    with pytest.raises(OptionError, match=r"here\.toml") as caught:
        parse_toml(HOSTILE_TOML[name], "here.toml", OptionError)
    assert "\n" not in str(caught.value)
    assert "set_int_max" not in str(caught.value)


def test_dots_in_texts_and_numbers_are_no_dotted_keys():
    text = f'note = "{"Yes. " * 90}"\nrows = [{", ".join(["0.5"] * 4000)}]'
    assert len(parse_toml(text.encode(), "here.toml", ModelError)["rows"]) == 4000


def test_words_of_a_problem_are_one_line():
    assert words_of(ValueError("a\n  b")) == "a b"
    assert words_of(RecursionError("maximum")) == "it nests too deep"
    assert words_of(KeyError()) == "KeyError"
