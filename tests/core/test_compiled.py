"""The compiled border: whatever does not fit is an exception, never a crash or a silent answer."""

import sys
from pathlib import Path

import numpy as np
import pytest

from forearm.core import border
from forearm.core.jit import CHOICE

sys.path.insert(0, str(Path(__file__).parent))  # for sizes.py, which is no test
from sizes import NAME, axes_of, carried, misfits, valued

pytestmark = pytest.mark.skipif(not CHOICE.ahead.fresh, reason="no compiled kernels are in use")

TYPES = {"f": np.float64, "s": np.float32, "i": np.int64, "b": np.int8, "u": np.uint64, "t": np.bool_}
NUMBERS = {"f": 0.5, "i": 1, "u": 1, "t": False}
# joints, variables, targets and whatever else a name stands for
SIZES = {"m": 6, "n": 6, "N": 2, "S": 2, "v": 6, "form": 0, "kind": 0}


def arguments_for(name):
    """Arrays and numbers of the right types and sizes, and the sizes that they carry; what they hold makes no sense."""
    asked = border.arguments_of(name)
    for n in (6, 7, 2):
        names = carried_by(asked, SIZES | {"n": n, "m": n, "v": n})
        shapes = shapes_for(asked, names)
        if shapes is not None and not list(misfits(asked, shapes, names)):
            made = [make(part, shape, names) for part, shape in zip(asked, shapes, strict=True)]
            return asked, shapes, made
    raise AssertionError(f"{name}: no sizes of the test meet its rules")


def carried_by(asked, sizes):
    """The names that arrays carry as numbers."""
    return {key: sizes.get(key, 1) for part in asked for key in part.reads}


def shapes_for(asked, names):
    """Shapes that meet the rules, or None."""
    names = dict(names)
    for _, _, rule in axes_of(asked):
        key = NAME.match(rule)
        if key and key[1] != "_":
            names.setdefault(key[1], SIZES.get(key[1], 3))
    shapes = []
    for part in asked:
        shape = []
        for rule in part.sizes:
            text = rule.partition(">=")[2] or rule.split("|")[0]
            size = 3 if rule == "_" else names[key[1]] if (key := NAME.match(rule)) else valued(text, names)
            if not 0 <= size < 1e7:
                return None
            shape.append(int(size))
        shapes.append(tuple(shape))
    return shapes


def make(part, shape, names):
    """One argument."""
    if not part.sizes:
        return NUMBERS[part.letter]
    array = np.zeros(shape, TYPES[part.letter])
    for key, place in part.reads.items():
        if len(place) == 2:
            array[place[0] :, place[1]] = np.arange(len(array) - place[0]) % names[key]
            array[-1, place[1]] = names[key] - 1
        elif array.size > place[0]:
            array[place[0]] = names[key]
    return array


def wrong_arrays(part, array):
    """An array that is wrong in every way but its sizes, by word."""
    rows = np.zeros(array.shape[1:] or (), array.dtype)
    wrong = {
        "type": array.astype(np.float32 if part.letter == "f" else np.float64),
        "whole numbers": array.astype(np.int32 if part.letter == "i" else np.int64),
        "list": array.tolist(),
        "none": None,
        "number": 1.0,
        "one axis more": array[None],
        "one axis less": array[0] if len(array) else rows,
        "strided": np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)[..., ::2],
        "Fortran order": np.asfortranarray(array),
    }
    if array.itemsize > 1:
        wrong["byte order"] = array.astype(array.dtype.newbyteorder("S"))
        wrong["not aligned"] = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    if part.written:
        wrong["read-only"] = array.copy()
        wrong["read-only"].flags.writeable = False
    right = {"strided": wrong["strided"].flags.c_contiguous, "Fortran order": wrong["Fortran order"].flags.c_contiguous}
    right["not aligned"] = not array.size
    return {word: value for word, value in wrong.items() if not right.get(word)}


WRONG_NUMBERS = {"none": None, "list": [1], "text": "1", "array": np.zeros(2)}


def answers(entry, given):
    """Whether an entry takes what it is given; a refusal is one of the two errors that it may raise."""
    try:
        entry(*given)
    except (TypeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("name", CHOICE.ahead.fresh)
def test_a_wrong_type_order_or_number_of_axes_is_refused(name):
    entry, (asked, _, made) = CHOICE.ahead.fresh[name], arguments_for(name)
    for i, part in enumerate(asked):
        faults = wrong_arrays(part, made[i]) if part.sizes else WRONG_NUMBERS
        taken = [word for word, wrong in faults.items() if answers(entry, [*made[:i], wrong, *made[i + 1 :]])]
        assert not taken, f"argument {i}"


@pytest.mark.parametrize("name", CHOICE.ahead.fresh)
def test_too_few_or_too_many_arguments_are_refused(name):
    entry, (_, _, made) = CHOICE.ahead.fresh[name], arguments_for(name)
    assert not [len(wrong) for wrong in ((), made[:-1], [*made, 1.0]) if answers(entry, wrong)]


@pytest.mark.parametrize("name", CHOICE.ahead.fresh)
def test_an_array_that_is_too_short_is_refused(name):
    entry, (asked, shapes, made) = CHOICE.ahead.fresh[name], arguments_for(name)
    looked_at = 0
    for i, k, rule in axes_of(asked):
        if rule == "_" or shapes[i][k] == 0:
            continue
        short = [*shapes[:i], (*shapes[i][:k], shapes[i][k] - 1, *shapes[i][k + 1 :]), *shapes[i + 1 :]]
        given = [*made[:i], np.ascontiguousarray(made[i][tuple(map(slice, short[i]))]), *made[i + 1 :]]
        if list(misfits(asked, short, carried(asked, given))):  # else another size that is right
            assert not answers(entry, given), f"argument {i} along axis {k}"
            looked_at += 1
    assert looked_at or not any(part.sizes for part in asked) or all(rule == "_" for _, _, rule in axes_of(asked))
