"""Expressions: the values that Python gives, and nothing that reaches beyond values."""

import math
from contextlib import suppress

import pytest

import forearm as fa
from forearm.models.expansion.bounds import MAX_STEPS, Bounds, ExpansionError
from forearm.models.expansion.expressions import evaluate

KNOWN = {"a": 2, "b": 0.5, "name": "left", "xs": [3, 1, 2], "d": {"k": {"deep": 7}, "n": [1, 2]}, "no": False}


class Names:
    def value(self, name):
        return KNOWN[name]

    def function(self, name):
        return None


def value(text):
    return evaluate(text, Names(), Bounds())


PLAIN = [
    "1 + 2 * 3 - 4 / 5", "7 // 2", "-7 % 3", "2 ** 10", "2 ** -2", "-a + +b", "not no", "a if no else b",
    "a < 3 <= 3 != 4", "1 < a < 2", "a in xs", "'x' not in name", "name + '_arm'", "name * 2", "[a, b] + xs", "xs[0]",
    "xs[-1]", "xs[1:]", "name[::-1]", "(1, 2)", "{'p': a}", "{'p': a}['p']", "no or a", "a and b", "len(xs)", "min(xs)",
    "max(1, a)", "round(b * 1.23456, 2)", "abs(-3)", "sorted(xs)", "sum(xs)", "float('2.5')", "int('7')", "str(a)",
    "list(range(3))", "dict(x=1)", "None is None", "True", "False == 0", "1e3", "0x10", "'it''s'", "list(zip(xs, xs))",
    "name.upper()", "name.split('e')", "name.startswith('l')", "any([no, 1])", "all(xs)", "bool(0)",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_plain_expressions_have_the_value_that_python_gives(text):
    allowed = {
        f.__name__: f for f in (len, min, max, round, abs, sorted, sum, float, int, str, bool, list, range, dict)
    }
    expected = eval(text, {"__builtins__": {}}, KNOWN | allowed | {"zip": zip, "any": any, "all": all})
    assert value(text) == expected
    assert type(value(text)) is type(expected)


@pytest.mark.parametrize(
    "text", ["sin(pi/3)", "math.sin(math.pi/3)", "atan2(1, 2)", "radians(180)", "sqrt(2)", "hypot(3, 4)"]
)
def test_mathematics_is_that_of_python(text):
    assert value(text) == eval(text, {**vars(math), "math": math})


def test_a_dot_looks_up_a_key():
    assert value("d.k.deep") == 7
    assert value("d['n'][1]") == 2
    assert value("python.abs(-2)") == 2


ATTACKS = [
    "(lambda: 1)()",
    "(lambda: ().__class__.__bases__[0].__subclasses__())()",
    "[x for x in xs]",
    "().__class__",
    "''.__class__.__mro__",
    "name.__len__()",
    "name.format(a)",
    "'{0.__class__}'.format(a)",
    "f'{a}'",
    "__import__('os').system('true')",
    "open('/etc/passwd')",
    "eval('1')",
    "exec('1')",
    "getattr(a, 'real')",
    "type(a)",
    "vars()",
    "globals()",
    "math.__dict__",
    "math.factorial(5)",
    "str.upper('a')",
    "min.__self__",
    "d.get.__self__",
    "d.__class__",
    "(a := 3)",
    "print(1)",
    "max(xs, key=lambda x: x)",
    "max(*xs)",
    "dict(**d)",
    "a.real",
    "(1).bit_length()",
    "b''",
    "1j",
    "...",
    "a @ b",
    "~a",
    "a << 3",
    "{1, 2}",
    "'%999999999d' % a",
    "(-1) ** 0.5",
    "await a",
    "yield a",
    "*a",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_what_reaches_beyond_values_is_refused(text):
    with pytest.raises(ExpansionError):
        value(text)


GROWTH = [
    "7 ** 7 ** 12",
    "2 ** 99999",
    "10 ** 4000 * 10 ** 4000",
    "'a' * 10 ** 11",
    "[0] * 10 ** 9",
    "(1,) * 99999",
    "range(10 ** 9)",
    "list(range(99999))",
    "round(5, -10 ** 9)",
    "int('9' * 5000)",
    "[" * 200 + "]" * 200,
    "-" * 3000 + "1",
    "(" * 1500 + "1" + ")" * 1500,
    "1 + " * 1000 + "1",
    "a" * 5000,
    "name * 100000",
    "1" * 3999,
]


@pytest.mark.parametrize("text", GROWTH)
def test_what_grows_without_bound_is_refused_before_it_is_made(text):
    with pytest.raises(ExpansionError):
        value(text)


def test_steps_are_counted_in_sum():
    bounds = Bounds(steps=MAX_STEPS - 3)
    assert evaluate("1 + 1", Names(), bounds) == 2
    with pytest.raises(ExpansionError, match="steps"):
        evaluate("1 + 1", Names(), bounds)


@pytest.mark.parametrize(
    "text", ["", "1 +", "a b", "nothing", "xs[9]", "d['z']", "d.z", "1/0", "'a' + 1", "len(5)", "\0"]
)
def test_faults_are_told_in_words(text):
    with pytest.raises(ExpansionError):
        value(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'x'.zfill(3)", "attribute '.zfill' is not allowed; these are: endswith, lower"),
        ("(1 if 1 else 2)(3)", "only functions can be called, each by its name"),
        ("nonsense(3)", "there is no function 'nonsense'"),
    ],
)
def test_what_may_not_be_called_is_told_by_what_it_is(text, words):
    with pytest.raises(fa.errors.ModelError) as caught:
        fa.Robot.from_xacro(
            f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${{{text}}}"/></robot>'
        )
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["1if a else 2", "0x1for", "[1](0)", "'\\d'"])
def test_what_python_would_warn_of_prints_nothing(text, recwarn):
    with suppress(ExpansionError):
        value(text)
    assert [str(each.message) for each in recwarn] == []
