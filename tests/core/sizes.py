"""Judges sizes by the rules of the border with Python's own `eval`: no code is shared with what checks them in C."""

import functools
import importlib
import re

NAME = re.compile(r"([A-Za-z]\w*)(>=.+)?$")  # a size that binds a name


def carried(asked, arguments):
    """The sizes that arrays carry as numbers, by name."""
    found = {}
    for part, argument in zip(asked, arguments, strict=True):
        for key, place in part.reads.items():
            if len(place) == 2:  # how many things a column names, counted from 0
                numbers = argument[place[0] :, place[1]]
                found[key] = int(numbers.max()) + 1 if len(numbers) else 0
            else:
                first = argument[place[0]] if len(argument) > place[0] else -1.0
                found[key] = int(first) if 0.0 <= first < 1e9 else -1
    return found


def axes_of(asked):
    """Argument, axis and rule of every axis."""
    return [(i, k, rule) for i, part in enumerate(asked) for k, rule in enumerate(part.sizes)]


def bound(asked, shapes, names):
    """What every name stands for, at the first place where it is met."""
    names = dict(names)
    for i, k, rule in axes_of(asked):
        key = NAME.match(rule)
        if key:
            names.setdefault(key[1], shapes[i][k])
    return names


def misfits(asked, shapes, names):
    """What is wrong with the sizes of an entry's arguments, a sentence each."""
    names = bound(asked, shapes, names)
    for i, k, rule in axes_of(asked):
        if not fits(rule, shapes[i][k], names):
            yield f"argument {i} has {shapes[i][k]} along axis {k}; it takes {rule} with {names}"


def fits(rule, size, names):
    """Whether a size keeps its rule."""
    if rule == "_":
        return True
    key, at_least, text = rule.partition(">=")
    if at_least:
        return size >= valued(text, names) and (not key or size == names[key])
    return any(size == valued(part, names) for part in rule.split("|"))


def valued(text, names):
    """The value of an expression of sizes; infinite where a function is asked below 0."""
    return eval(text, {"__builtins__": {}}, {**functions(), **names})


@functools.cache
def functions():
    """The functions of sizes by name."""
    from forearm.core import border

    def guarded(function):
        return lambda *numbers: function(*numbers) if min(numbers) >= 0 else float("inf")

    return {
        name: guarded(getattr(importlib.import_module(f"forearm.core.{module}"), name))
        for name, module in border.SIZES.items()
    }


def least(asked, shapes, names):
    """The shapes with every size that may be larger at its least."""
    names, new = bound(asked, shapes, names), [list(shape) for shape in shapes]
    for i, k, rule in axes_of(asked):
        if rule.startswith(">="):
            new[i][k] = valued(rule[2:], names)
    return [tuple(shape) for shape in new]


def loose(asked, shapes, names):
    """The axes that could be one longer and one shorter and no rule would say so, of shapes that fit."""
    for i, k, rule in axes_of(asked):
        others = [[list(shape) for shape in shapes] for _ in range(2)]
        others[0][i][k] -= 1
        others[1][i][k] += 1
        if rule != "_" and not any(list(misfits(asked, other, names)) for other in others):
            yield f"argument {i} may have any size along axis {k}, whatever {rule} says"
