"""The mutations of `tools/mutate.py` still fit the code: each line they change stands there, once."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def load():
    """The tool as a module."""
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "tools" / "mutate.py")
    module = sys.modules["mutate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MUTATIONS = load().MUTATIONS


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_line_that_is_changed_stands_once(mutation):
    assert (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.old) == 1
    assert mutation.new != mutation.old


def test_there_are_enough_of_every_paper():
    assert len(MUTATIONS) >= 20
    assert {mutation.paper for mutation in MUTATIONS} == {"bezier", "combined", "fabrik-r"}
