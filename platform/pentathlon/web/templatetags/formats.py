"""Filters that write numbers, so that every page writes them in the same way."""

from collections.abc import Mapping

from django import template

from pentathlon.core.texts import duration
from pentathlon.ratings.uncertainty import half_width
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match import traces

register = template.Library()
register.filter(duration)

_KB = 1000
_UNITS = ("kB", "MB", "GB", "TB")
_TEN_SECONDS = 10


@register.filter
def thousands(number: int) -> str:
    """Write 1098 as 1,098."""
    return f"{number:,}"


@register.filter
def printable(text: str) -> str:
    """Escape what a program has written that would turn or hide other letters on a page."""
    return traces.printable(text)


@register.filter
def count_of(number: int, noun: str) -> str:
    """Write a number with its noun: 1 point, 1,098 matches."""
    return count(number, noun)


@register.filter
def up_to(number: int, most: int) -> str:
    """Write a number that was counted only up to `most`."""
    return thousands(number) if number <= most else f"more than {thousands(most)}"


@register.filter
def decimal(number: float) -> str:
    """Write a strength or rating with one decimal."""
    return f"{number:.1f}"


@register.filter
def spread(sigma: float) -> str:
    """Write the half-width of a 95 % interval."""
    return f"{half_width(sigma):.1f}"


@register.filter
def percent(share: float) -> str:
    """Write 0.61 as 61 %."""
    return f"{100 * share:.0f} %"


@register.filter
def difference(share: float) -> str:
    """Write how far a share is from another one, in percentage points with the sign."""
    points = round(100 * share)
    return f"{'+' if points > 0 else '−' if points < 0 else '±'}{abs(points)} pp"  # noqa: RUF001  a minus


@register.filter
def percent_fine(share: float) -> str:
    """Write 0.508 as 50.8 %."""
    return f"{100 * share:.1f} %"


@register.filter
def seconds(milliseconds: float) -> str:
    """Write milliseconds as seconds: two decimals, one from ten seconds on."""
    value = milliseconds / 1000
    return f"{value:.2f}" if value < _TEN_SECONDS else f"{value:.1f}"


@register.filter
def place(number: int) -> str:
    """Write a place from 1 in words: "3rd"."""
    return ordinal(number - 1)


@register.filter
def per_minute(in_an_hour: int) -> str:
    """Write a number per hour as a number per minute: 0.4, 12, 1,200."""
    rate = in_an_hour / 60
    return f"{rate:.1f}" if rate < _TEN_SECONDS else f"{rate:,.0f}"


@register.filter
def points(value: float) -> str:
    """Write points without a needless fraction: 11, 11.5."""
    return f"{value:g}"


@register.filter
def half(number: int) -> float:
    """Return half of a number: points from half points."""
    return number / 2


@register.filter
def size(number: int) -> str:
    """Write a number of bytes in the unit a person would use."""
    if number < _KB:
        return f"{number} bytes"
    power = next((each for each in (1, 2, 3) if number < _KB ** (each + 1)), len(_UNITS))
    return f"{number / _KB**power:.1f} {_UNITS[power - 1]}"


@register.filter
def words(identifier: str) -> str:
    """Write an identifier such as illegal_action as words."""
    return identifier.replace("_", " ")


@register.filter
def at(mapping: Mapping[object, object], key: object) -> object:
    """Return the value of a key; empty if the key is missing."""
    return mapping.get(key, "")


@register.filter
def pause_words(seconds_long: float) -> str:
    """Return a pause in its largest whole unit: "5 s", "10 min", "8 h"."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds_long >= length:
            return f"{seconds_long / length:g} {unit}"
    return f"{seconds_long:g} s"
