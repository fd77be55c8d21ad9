"""Every public call answers as it did when the golden file was written, bit by bit (first block of each case).

After a change that is meant to change answers: `python tests/golden/recorded.py` names what differs, and
`--write --only WORD` records those cases anew.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for recorded.py, which is no test
from recorded import CASES, GOLDEN, answers, probe

RECORDED = json.loads(GOLDEN.read_text())
HERE = RECORDED.get(probe(), {})


def test_every_case_is_recorded_for_some_kind_of_processor():
    assert {name for kind in RECORDED.values() for name in kind} == set(CASES)


@pytest.fixture(autouse=True)
def garbage(monkeypatch):
    """What stands in memory that nobody has written yet; no answer may depend on it."""
    empty = np.empty

    def filled(*args, **kwargs):
        array = empty(*args, **kwargs)
        if array.dtype == float:
            array[...] = -1e200
        return array

    monkeypatch.setattr(np, "empty", filled)


NEAR = {name for name in CASES if name.endswith(("pose from near", "fabrik-r position"))}
QUICK = {name for name in NEAR if not {"ccd", "jacobian-transpose"} & set(name.split())}  # as Python, too


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.compiled) for name in CASES]
)
def test_the_answers_have_the_recorded_bits(name):
    if name not in HERE:
        pytest.skip("there is no recording for this kind of processor")
    assert answers(name, 1) == HERE[name][:1]
