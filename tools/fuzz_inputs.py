"""Makes the inputs of `tools/fuzz.py`: files of the corpus, changed at random but the same for the same seed.

A change works on bytes (flips, cuts, copies), on words (numbers and names become those that break parsers), or on
what is between brackets and tags (copied, nested, dropped). Binary files are made here from the arrays of a seed.
"""

import io
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "corpus"
TEXTS = {
    "urdf": ".urdf",
    "xacro": ".xacro",
    "mjcf": ".xml",
    "srdf": ".srdf",
    "robot": ".toml",
    "scene": ".toml",
    "csv": ".csv",
    "json": ".json",
}
BINARIES = {"parquet": ".parquet", "npz": ".npz", "npy": ".npy"}
KINDS = (*TEXTS, *BINARIES)
WINDOW = 4_000  # characters in which elements are sought
MOST_BYTES = 200_000  # of an input: what a small file can do is the question

NUMBERS = (
    "0", "-1", "1e308", "-1e308", "1e-320", "1e154", "nan", "inf", "-inf", "1e999", "9" * 400, "9" * 6000, "0x1F",
    "1_0",
    "+30000", "99999999999", "-0", ".", "1.5e", "true", "null", "''", "0x" + "f" * 6000, "1979-05-27", "2147483648",
)  # fmt: skip
WORDS = (
    "", " ", "\0", "\ud800", "\u202e", "é", "a" * 3000, "../outside.xml", "../outside.xacro", "../outside.yaml",
    "/etc/passwd",
    "/dev/zero", "/proc/self/environ", "file:///etc/passwd", "package://outside/a.stl", "$(find outside)/a.xacro",
    "$(env HOME)/x.xacro", "pipe", "base", "world", "xyz", "q0", "__class__", "{0}", "%s", "mesh", "fixed", "planar",
    "floating", "ball", "free", "name", "id", "time", ".." + "/.." * 30, "*", "**", "*.xacro", "[", "{", "<",
    "a.a" * 400,
)  # fmt: skip
EXPRESSIONS = (
    "__import__('os').system('touch ran')", "().__class__.__bases__", "(lambda: 1)()", "[x for x in (1,)]", "9**9**9",
    "'a'*10**9", "[[0]*9999]*9999", "range(10**9)", "open('/etc/passwd')", "xacro.load_yaml('../outside.yaml')", "1/0",
    "math.inf", "-1**0.5", "'%99999999d' % 1", "str.format('{0.__class__}', 1)", "f'{1}'", "a.b.c", "python.type(1)",
    "'x'.join(['a'])", "dict(a=1).get('b')", "sorted([3, 'a'])", "round(1, -10**9)", "int('9'*9999)", "max([])", "e",
    "pi",
    "print(1)", "exec('1')", "[" * 90 + "]" * 90, "-" * 900 + "1", "1 if 0 else", "sum([[1]], [])", "min(1)", "len(1)",
)  # fmt: skip
SNIPPETS = {
    "urdf": ('<mimic joint="turn"/>', '<joint name="x" type="fixed"/>', "<!DOCTYPE a>", "<!--", "]]>",
    '<link name="base"/>'),
    "xacro": (
        '<xacro:include filename="../outside.xacro"/>', '<xacro:include filename="pipe"/>',
        '<xacro:include filename="*"/>',
        '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', '<xacro:property name="p" value="${p}${p}"/>',
        '<xacro:property name="p" value="${[p, p]}" lazy_eval="false"/>', '<xacro:call macro="${p}"/>', "<xacro:row/>",
        '<xacro:element xacro:name="${1}"/>', '<xacro:attribute name="a" value="${1}"/>',
        '<xacro:insert_block name="p"/>',
        '<xacro:property name="p" value="1" scope="global"/>', '<xacro:property name="p" remove="true"/>', "$$$${",
        "$(", "${",
    ),
    "mjcf": (
        '<include file="../outside.xml"/>', '<Include file="../outside.xml"/>', '<include file="pipe"/>',
        '<model name="m" file="arm.xml"/>',
        "<freejoint/>",
        '<attach model="hand" body="base" prefix="x"/>', '<replicate count="+30000"><body/></replicate>', "<flexcomp/>",
        '<composite count="9 9 9" type="grid"/>', '<body name="base"/>', '<joint type="free"/>',
        '<equality><weld body1="a"/></equality>',
        '<plugin plugin="x"/>', '<default class="small"/>', '<frame name="f" pos="1 2 3"/>',
        '<flexcomp file="/etc/passwd"/>',
    ),
    "srdf": ('<disable_collisions link1="a"/>',),
    "robot": ("[[joints]]", "a.b.c = 1", "joints = 5", "[base]", '"""', "x = {a = {b = [1]}}",
    "a" + ".a" * 999 + " = 1"),
    "scene": ("[[sphere]]", "[box]", "[[torus]]", "radius = [1]", 'file = "/etc/passwd"', '"""',
    "a" + ".a" * 999 + " = 1"),
    "csv": (",,,,", '"', "\r", "\n\n", ";", "\t", "id,id", "q0", "x" * 140_000),
    "json": ("[[[[", "{}", "NaN", "Infinity", '"\\ud800"', "[" * 5000, '{"xyz": [1, 2, 3]}', ",", '"q0": "a"'),
}  # fmt: skip


@dataclass(frozen=True)
class Input:
    """A file to read: its kind, its name and its bytes."""

    kind: str
    name: str
    data: bytes


def make_input(seed: int, number: int, kinds: tuple[str, ...] = KINDS) -> Input:
    """The input of a number, always the same for a seed."""
    chance = random.Random(f"{seed}:{number}")
    kind = chance.choice(kinds)
    if kind in TEXTS:
        names = sorted((CORPUS / kind).iterdir())
        text = chance.choice(names).read_text(encoding="utf-8")
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
            text = chance.choice(CHANGES)(text, kind, chance)[:MOST_BYTES]
        data = text.encode("utf-8", "surrogatepass")
        ending = TEXTS[kind]
    else:
        data, ending = binary(kind, chance), BINARIES[kind]
    if kind in BINARIES or chance.random() < 0.2:
        for _ in range(chance.choice((0, 0, 1, 1, 2, 5, 20))):
            data = changed_bytes(data, chance)
    return Input(kind, f"input{ending}", data[:MOST_BYTES])


# -- changes of text -----------------------------------------------------------------------------


def changed_number(text: str, _: str, chance: random.Random) -> str:
    """Another number in place of one."""
    return replaced(text, r"(?<![\w.])-?\d[\d.]*(?:e-?\d+)?", chance.choice(NUMBERS), chance)


def changed_word(text: str, _: str, chance: random.Random) -> str:
    """Another word in place of what is in quotes, or of a name."""
    return replaced(text, chance.choice((r'(?<=")[^"\n]*(?=")', r"[A-Za-z_]\w*")), chance.choice(WORDS), chance)


def changed_expression(text: str, _: str, chance: random.Random) -> str:
    """Another expression in place of one."""
    return replaced(text, r"(?<=\$\{)[^}]*(?=\})", chance.choice(EXPRESSIONS), chance)


def put_snippet(text: str, kind: str, chance: random.Random) -> str:
    """Something that breaks parsers of this kind, somewhere or behind a bracket."""
    places = [match.end() for match in re.finditer(r"[>\n,\]]", text)] or [0]
    place = chance.choice(places) if chance.random() < 0.8 else chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(SNIPPETS[kind]) + text[place:]


def repeated_part(text: str, _: str, chance: random.Random) -> str:
    """A part of it again, perhaps very often."""
    start = chance.randrange(len(text) + 1)
    part = text[start : start + chance.choice((1, 5, 20, 100, 400))]
    return text[:start] + part * chance.choice((2, 3, 10, 100, 1000)) + text[start:]


def repeated_element(text: str, _: str, chance: random.Random) -> str:
    """A whole element or line again, in its place or in itself."""
    start = chance.randrange(max(1, len(text) - WINDOW))
    part = text[start : start + WINDOW]  # a search through all of a long text would take longer than to read it
    found = list(re.finditer(r"<(\w[\w:]*)[^<>]*(?:/>|>.*?</\1>)|^.*\n", part, re.DOTALL | re.MULTILINE))
    if not found:
        return text
    match = chance.choice(found)
    inside = chance.randrange(match.start(), match.end() + 1)
    place = start + (match.end() if chance.random() < 0.7 else inside)
    return text[:place] + match.group() * chance.choice((2, 2, 5, 50)) + text[place:]


def dropped_part(text: str, _: str, chance: random.Random) -> str:
    """Without a part of it."""
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + chance.choice((1, 2, 10, 100)) :]


def swapped_parts(text: str, _: str, chance: random.Random) -> str:
    """With two of its words exchanged."""
    found = list(re.finditer(r"[\w.-]+", text))
    if len(found) < 2:
        return text
    a, b = sorted(chance.sample(found, 2), key=lambda match: match.start())
    return text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]


def spliced(text: str, kind: str, chance: random.Random) -> str:
    """The first part of it, then the last part of another."""
    other = chance.choice(sorted((CORPUS / kind).iterdir())).read_text(encoding="utf-8")
    return text[: chance.randrange(len(text) + 1)] + other[chance.randrange(len(other) + 1) :]


def nested_deep(text: str, _: str, chance: random.Random) -> str:
    """With an opening bracket or tag many times over."""
    place = chance.randrange(len(text) + 1)
    opening = chance.choice(("[", "{", "(", "<a>", '{"a":', "<body>", '<xacro:if value="1">', "[[", "-", "a.", "{a="))
    return text[:place] + opening * chance.choice((3, 50, 600, 5000)) + text[place:]


def replaced(text: str, pattern: str, by: str, chance: random.Random) -> str:
    """With one match of a pattern, now and then all of them, replaced."""
    found = list(re.finditer(pattern, text))
    if not found:
        return text
    if chance.random() < 0.05:
        return re.sub(pattern, lambda _: by, text)
    match = chance.choice(found)
    return text[: match.start()] + by + text[match.end() :]


CHANGES: tuple[Callable[[str, str, random.Random], str], ...] = (
    changed_number,
    changed_number,
    changed_word,
    changed_word,
    changed_expression,
    put_snippet,
    put_snippet,
    repeated_part,
    repeated_element,
    dropped_part,
    swapped_parts,
    spliced,
    nested_deep,
)


# -- bytes and binary files ----------------------------------------------------------------------


def changed_bytes(data: bytes, chance: random.Random) -> bytes:
    """With one byte or a run of bytes changed."""
    place = chance.randrange(len(data) + 1)
    way = chance.randrange(5)
    if way == 0:
        return data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
    if way == 1:
        return data[:place] + data[place + chance.choice((1, 4, 50)) :]
    if way == 2:
        return data[:place] + chance.randbytes(chance.choice((1, 4, 16))) + data[place:]
    if way == 3:
        return data[:place] + chance.choice((b"\xff", b"\0", b"\x80")) * chance.choice((1, 4, 8)) + data[place + 4 :]
    return data[:place]


def binary(kind: str, chance: random.Random) -> bytes:
    """A file of arrays, some of which make no sense."""
    count = chance.choice((0, 1, 2, 50))
    points: Any = np.linspace(0.0, 1.0, count * 3).reshape(count, 3)
    poses: Any = np.tile(np.eye(4), (count, 1, 1))
    odd: tuple[Any, ...] = (
        points.astype("f4"),
        points.astype(complex),
        np.float64(1),
        np.array("x"),
        points.astype(str),
    )
    targets = chance.choice((points, poses, poses, *odd, np.full((count, 3), np.nan), points.T, poses.astype("i1")))
    buffer = io.BytesIO()
    if kind == "npy":
        np.save(buffer, targets)
    elif kind == "npz":
        more = chance.choice(({}, {"q0": np.zeros((count, 2))}, {"q0": np.array("a")}, {"q0": 1.0}, {"other": points}))
        save = chance.choice((np.savez, np.savez_compressed))
        save(buffer, **{chance.choice(("targets", "targets", "targets", "goals")): targets}, **more)
    else:
        buffer.write(parquet(count, chance))
    return buffer.getvalue()


def parquet(count: int, chance: random.Random) -> bytes:
    """A Parquet file of points or poses with ids and times."""
    import pyarrow  # noqa: PLC0415 (an extra)
    import pyarrow.parquet  # noqa: PLC0415

    names = chance.choice((("x", "y", "z"), ("x", "y", "z", "qw", "qx", "qy", "qz"), ("x", "y"), ("x", "x", "z")))
    arrays = [pyarrow.array([1.0 if name == "qw" else 0.0] * count, pyarrow.float64()) for name in names]
    extra = {
        "id": pyarrow.array(["a"] * count, pyarrow.string()),
        "time": pyarrow.array(np.arange(count) * 1.0),
        "q0_a": pyarrow.array([[1.0]] * count, pyarrow.list_(pyarrow.float64())),
        "q0_b": pyarrow.array([None] * count, pyarrow.float64()),
    }
    chosen = [name for name in extra if chance.random() < 0.3]
    table = pyarrow.Table.from_arrays([*arrays, *(extra[name] for name in chosen)], names=[*names, *chosen])
    buffer = io.BytesIO()
    packing = chance.choice(("none", "snappy", "gzip"))
    pyarrow.parquet.write_table(table, buffer, compression=packing, row_group_size=chance.choice((1, 20, 1000)))
    return buffer.getvalue()
