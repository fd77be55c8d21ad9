"""Reads numbers and pairs as flags have them."""

from forearm.common.checks import brief, number_in
from forearm.errors import OptionError, counted


def read_numbers(text: str, flag: str, count: int | None = None) -> list[float]:
    """Numbers separated by commas or blanks."""
    try:
        numbers = parse_numbers(text)
    except ValueError:
        takes = "a number" if count == 1 else "numbers separated by commas or blanks"
        raise OptionError(f"{flag} is {brief(text)}; it takes {takes}") from None
    if count is not None and len(numbers) != count:
        raise OptionError(f"{flag} has {counted(len(numbers), 'number')}; it takes {count}")
    return numbers


def parse_numbers(text: str) -> list[float]:
    """Numbers separated by commas or blanks; a ValueError where something else is."""
    return [number_in(word) for word in text.replace(",", " ").split()]


def read_pairs(items: list[str], flag: str, form: str = "name=value") -> dict[str, str]:
    """`name=value` items; `form` says what they look like."""
    pairs: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise OptionError(f"{flag} is '{item}'; it takes {form}")
        if name in pairs:
            raise OptionError(f"{flag} names '{name}' twice, with '{pairs[name]}' and with '{value}'; give it once")
        pairs[name] = value
    return pairs
