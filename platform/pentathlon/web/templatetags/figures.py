"""Filters that write figures the way every page does."""

from collections.abc import Mapping

from django import template

register = template.Library()

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


@register.filter
def thousands(number: int) -> str:
    """Write 1098 as 1,098."""
    return f"{number:,}"


@register.filter
def decimal(number: float) -> str:
    """Write a strength or rating with one decimal."""
    return f"{number:.1f}"


@register.filter
def spread(sigma: float) -> str:
    """Write the half-width of a 95 % interval: two sigma."""
    return f"{2 * sigma:.1f}"


@register.filter
def percent(share: float) -> str:
    """Write 0.61 as 61 %."""
    return f"{100 * share:.0f} %"


@register.filter
def percent_fine(share: float) -> str:
    """Write 0.508 as 50.8 %."""
    return f"{100 * share:.1f} %"


@register.filter
def seconds(milliseconds: float) -> str:
    """Write milliseconds as seconds: two decimals, one from ten seconds on."""
    value = milliseconds / 1000
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


@register.filter
def points(value: float) -> str:
    """Write points without a needless fraction: 11, 11.5."""
    return f"{value:g}"


@register.filter
def place(rank: int) -> str:
    """Write rank 0 as 1st."""
    number = rank + 1
    ending = "th" if 10 <= number % 100 <= 20 else _ENDINGS.get(number % 10, "th")
    return f"{number}{ending}"


@register.filter
def duration(seconds_left: float) -> str:
    """Write a duration in the unit a person would use."""
    if seconds_left < 90:
        return f"{max(1, round(seconds_left))} s"
    if seconds_left < 90 * 60:
        return f"{round(seconds_left / 60)} min"
    return f"{seconds_left / 3600:.1f} h"


@register.filter
def size(number: int) -> str:
    """Write a number of bytes in kB or MB."""
    return f"{number / 1_000_000:.1f} MB" if number >= 1_000_000 else f"{number / 1000:.1f} kB"


@register.filter
def words(identifier: str) -> str:
    """Write an identifier such as illegal_action as words."""
    return identifier.replace("_", " ")


@register.filter
def at(mapping: Mapping[object, object], key: object) -> object:
    """Look a key up; an empty text if it is missing."""
    return mapping.get(key, "")
