"""What URDF's elements say: names, numbers and poses, with words for what is wrong."""

import math
from xml.etree.ElementTree import Element

from forearm.common.transforms import from_rpy, translation
from forearm.common.types import Floats
from forearm.errors import ModelError


def read_origin(element: Element | None, label: str, where: str) -> Floats:
    """(4, 4) pose of an `<origin>`; the identity if there is none."""
    xyz = numbers(element, "xyz", (0.0, 0.0, 0.0), label, where)
    rpy = numbers(element, "rpy", (0.0, 0.0, 0.0), label, where)
    return translation(*xyz) @ from_rpy(*rpy)


def child(element: Element, tag: str, label: str, where: str) -> Element:
    """The only child of a kind, which there must be."""
    child = element.find(tag)
    if child is None:
        raise ModelError(f"{label} in {where} has no <{tag}>")
    return child


def attribute(element: Element, key: str, label: str, where: str) -> str:
    """A text that must be there."""
    value = element.get(key)
    if not value:
        raise ModelError(f"{label} in {where}: <{element.tag}> has no attribute '{key}'")
    return value


def number(element: Element | None, key: str, default: float, label: str, where: str, *, finite: bool = True) -> float:
    """A number, or its default."""
    text = None if element is None else element.get(key)
    return default if text is None else _parse(text, key, label, where, finite)


def numbers(
    element: Element | None, key: str, default: tuple[float, float, float], label: str, where: str
) -> tuple[float, float, float]:
    """Three numbers, or their default."""
    text = None if element is None else element.get(key)
    if text is None:
        return default
    words = text.split()
    if len(words) != len(default):
        raise ModelError(f'{label} in {where} has {key}="{text[:60]}"; it takes three numbers')
    x, y, z = (_parse(word, key, label, where, True) for word in words)
    return x, y, z


def _parse(text: str, key: str, label: str, where: str, finite: bool) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ModelError(f'{label} in {where} has {key}="{text[:60]}", which is not a number') from None
    if finite and not math.isfinite(value):
        raise ModelError(f'{label} in {where} has {key}="{text[:60]}"; it must be finite')
    return value
