"""The value of a `${...}`: an interpreter over Python's syntax tree that knows values, never objects.

Numbers, texts, lists and dictionaries; arithmetic, comparisons, `and`, `or`, `not`, `a if b else c`; and calls of the
functions in a table (`functions.py`). A dot looks up a key (`math.pi`, `limits.shoulder.lower`), never an attribute.
What takes steps, digits or room beyond any robot's need is refused before it is done.
"""

import ast
import operator
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from forearm.models.expansion.bounds import (
    MAX_BITS,
    MAX_EXPRESSION,
    MAX_NESTING,
    Bounds,
    ExpansionError,
    check_room,
)
from forearm.models.expansion.functions import FUNCTIONS, METHODS, SPACES

ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
NUMBERS = (bool, int, float)
SEQUENCES = (str, list, tuple)
# What the interpreter itself throws at a wrong operand; all of it is the file's fault.
FAULTS = (ArithmeticError, LookupError, TypeError, ValueError, RecursionError, MemoryError)


class Space(ABC):
    """Names with values that an included file brought; a dot looks them up."""

    @abstractmethod
    def __contains__(self, name: object) -> bool:
        """Whether it has a name."""

    @abstractmethod
    def __getitem__(self, name: str) -> Any:
        """The value of a name; raises KeyError for one that is not there."""


class Names(Protocol):
    """Where an expression finds its names, and the functions that need to know the document."""

    def value(self, name: str) -> Any:
        """The value of a property; raises KeyError for one that is not there."""

    def function(self, name: str) -> Callable[..., Any] | None:
        """A function of the document by its dotted name, if there is one."""


def evaluate(text: str, names: Names, bounds: Bounds) -> Any:
    """The value of an expression."""
    if len(text) > MAX_EXPRESSION:
        raise ExpansionError(f"an expression has {len(text):,} characters; at most {MAX_EXPRESSION:,} are evaluated")
    try:
        with warnings.catch_warnings():  # of `1if`, say: of what a file holds, errors are told
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
        return _Interpreter(names, bounds).value(tree.body, 0)
    except ExpansionError:
        raise
    except SyntaxError as problem:
        raise ExpansionError(f"'{shown(text)}' is no expression ({problem.msg})") from None
    except FAULTS as problem:
        raise ExpansionError(f"'{shown(text)}' has no value: {problem or type(problem).__name__}") from None


def shown(text: str) -> str:
    """An expression as messages show it."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]}..."


class _Interpreter:
    """Walks a tree; a kind of node that is not in `VISITS` is refused by name."""

    def __init__(self, names: Names, bounds: Bounds) -> None:
        self.names, self.bounds = names, bounds

    def value(self, node: ast.AST, depth: int) -> Any:
        """The value of a node, `depth` below the root."""
        self.bounds.step()
        if depth > MAX_NESTING:
            raise ExpansionError(f"an expression nests more than {MAX_NESTING} deep")
        visit = VISITS.get(type(node))
        if visit is None:
            raise ExpansionError(f"{type(node).__name__} is not evaluated; {ALLOWED}")
        return visit(self, node, depth + 1)

    def _kept(self, value: Any) -> Any:
        """A value that is made or looked through, if it is not too large; it counts by its size."""
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise ExpansionError(f"a whole number has {value.bit_length():,} digits; at most {MAX_BITS:,} are kept")
        if isinstance(value, complex):
            raise ExpansionError("a complex number comes out; only real ones are kept")
        if isinstance(value, (*SEQUENCES, Mapping)):
            self.bounds.step(check_room(value))
        return value

    def _constant(self, node: ast.Constant, _: int) -> Any:
        if not (node.value is None or isinstance(node.value, (*NUMBERS, str))):
            raise ExpansionError(f"{type(node.value).__name__} is not evaluated; {ALLOWED}")
        return self._kept(node.value)

    def _name(self, node: ast.Name, _: int) -> Any:
        try:
            return self.names.value(node.id)
        except KeyError:
            if node.id in SPACES:
                return SPACES[node.id]
            if node.id in SPACES["math"]:
                return SPACES["math"][node.id]
            raise ExpansionError(f"name '{node.id}' is not defined") from None

    def _attribute(self, node: ast.Attribute, depth: int) -> Any:
        whole = self.value(node.value, depth)
        if not isinstance(whole, (Mapping, Space)):
            raise ExpansionError(f"'.{node.attr}' asks {type(whole).__name__} for a key; only dictionaries have them")
        if node.attr not in whole:
            raise ExpansionError(f"'.{node.attr}' is not defined")
        return whole[node.attr]

    def _subscript(self, node: ast.Subscript, depth: int) -> Any:
        whole = self._kept(self.value(node.value, depth))
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            return whole[slice(*(None if part is None else self.value(part, depth) for part in parts))]
        return whole[self.value(node.slice, depth)]

    def _list(self, node: ast.List, depth: int) -> Any:
        return self._kept([self.value(each, depth) for each in node.elts])

    def _tuple(self, node: ast.Tuple, depth: int) -> Any:
        return self._kept(tuple(self.value(each, depth) for each in node.elts))

    def _dict(self, node: ast.Dict, depth: int) -> Any:
        if None in node.keys:
            raise ExpansionError(f"** is not evaluated; {ALLOWED}")
        pairs = zip(node.keys, node.values, strict=True)
        return self._kept({self.value(key, depth): self.value(each, depth) for key, each in pairs if key})

    def _unaryop(self, node: ast.UnaryOp, depth: int) -> Any:
        if type(node.op) not in SIGNS:
            raise ExpansionError(f"{type(node.op).__name__} is not evaluated; {ALLOWED}")
        return SIGNS[type(node.op)](self.value(node.operand, depth))

    def _binop(self, node: ast.BinOp, depth: int) -> Any:
        if type(node.op) not in ARITHMETIC:
            raise ExpansionError(f"{type(node.op).__name__} is not evaluated; {ALLOWED}")
        left, right = self.value(node.left, depth), self.value(node.right, depth)
        _check_operands(node.op, left, right)
        return self._kept(ARITHMETIC[type(node.op)](left, right))

    def _boolop(self, node: ast.BoolOp, depth: int) -> Any:
        stop = isinstance(node.op, ast.Or)
        result: Any = None
        for each in node.values:
            result = self.value(each, depth)
            if bool(result) == stop:
                break
        return result

    def _compare(self, node: ast.Compare, depth: int) -> Any:
        left, result = self.value(node.left, depth), True
        for sign, each in zip(node.ops, node.comparators, strict=True):
            right = self._kept(self.value(each, depth))
            result = COMPARISONS[type(sign)](left, right)
            if not result:
                break
            left = right
        return result

    def _ifexp(self, node: ast.IfExp, depth: int) -> Any:
        return self.value(node.body if self.value(node.test, depth) else node.orelse, depth)

    def _call(self, node: ast.Call, depth: int) -> Any:
        call = self._function(node.func, depth)
        if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
            raise ExpansionError(f"* and ** are not evaluated; {ALLOWED}")
        given = [self.value(each, depth) for each in node.args]
        named = {str(each.arg): self.value(each.value, depth) for each in node.keywords}
        for each in given:
            self._kept(each)
        return self._kept(call(*given, **named))

    def _function(self, node: ast.AST, depth: int) -> Callable[..., Any]:
        """What is called: a name of the tables, or a method of a text or a dictionary that stands there."""
        name = _dotted(node)
        found = (self.names.function(name) or FUNCTIONS.get(name)) if name else None
        if found is None and isinstance(node, ast.Attribute):
            method = METHODS.get(node.attr)
            if method is not None:
                whole = self.value(node.value, depth)
                return lambda *given: method(whole, *given)
        if found is None and isinstance(node, ast.Attribute) and not name:
            raise ExpansionError(f"attribute '.{node.attr}' is not allowed; these are: {', '.join(METHODS)}")
        if found is None:
            fault = f"there is no function '{name}'" if name else "only functions can be called, each by its name"
            raise ExpansionError(f"{fault}; {ALLOWED}")
        return found


VISITS: dict[type[ast.AST], Callable[[_Interpreter, Any, int], Any]] = {
    getattr(ast, name): getattr(_Interpreter, f"_{name.lower()}")
    for name in (
        "Attribute", "BinOp", "BoolOp", "Call", "Compare", "Constant", "Dict", "IfExp", "List", "Name", "Subscript",
        "Tuple", "UnaryOp",
    )
}  # fmt: skip


def _dotted(node: ast.AST) -> str:
    """A name with its dots, or an empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def _check_operands(sign: ast.operator, left: Any, right: Any) -> None:
    """Refuses, before it is computed, what would have too many digits or be too long."""
    if isinstance(sign, ast.Mod) and isinstance(left, str):
        raise ExpansionError("texts are not filled in by %; write them one after the other")
    if isinstance(sign, ast.Mult):
        for items, count in ((left, right), (right, left)):
            if isinstance(items, SEQUENCES) and isinstance(count, int):
                check_room(items, times=count)
    if isinstance(sign, ast.Pow) and isinstance(left, int) and isinstance(right, int):
        digits = left.bit_length() * abs(right)
        if digits > MAX_BITS:
            raise ExpansionError(f"a power would have {digits:,} digits")


MAX_SHOWN = 60  # characters of an expression that a message shows
ALLOWED = "expressions are made of numbers, texts, lists, dictionaries, comparisons and the functions of xacro"
