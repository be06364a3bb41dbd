"""Filters and tags that write numbers, results and terms in the same way on every page."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from pentathlon.core.texts import duration
from pentathlon.matches.latest import tell_ending, tell_match
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.replays.explanations import Explanation, line_as_text
from pentathlon.matches.replays.explanations import figure as write_figure
from pentathlon.ratings.uncertainty import half_width
from pentathlon.tournaments.challenges.models import challenge_of_lane
from pentathlon.web.drawing.charts import TurnChart, turn_chart
from pentathlon.web.templatetags.components import badge, glyph
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match import traces
from pentathlon_engines.match.traces import TraceLine

register = template.Library()
register.filter(duration)

_KB = 1000
_UNITS = ("kB", "MB", "GB", "TB")
_TEN_SECONDS = 10
_TERM = '<span class="term" tabindex="0">{}<span class="tip" role="tooltip">{}</span></span>'


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


@register.filter
def game_title(key: str) -> str:
    """Return the title of a game, or its key if the game is no longer installed."""
    return GAMES[key].info.title if key in GAMES else key


@register.filter
def first_fault(seats: Iterable[MatchSeat]) -> MatchSeat | None:
    """Return the first seat with a fault, if there is one."""
    return next((seat for seat in seats if seat.fault_kind), None)


@register.filter
def at_seat(seats: Iterable[MatchSeat], seat: int) -> MatchSeat | None:
    """Return the seat of a match with this number."""
    return next((place for place in seats if place.seat == seat), None)


@register.filter
def challenge_number(match: Match) -> int | None:
    """Return the id of the challenge that a match belongs to, if it belongs to one."""
    return challenge_of_lane(match.lane)


@register.simple_tag
def match_result(match: Match) -> SafeString:
    """Show how a match ended, or its state."""
    if match.state != MatchState.DONE:
        return badge(match.state)
    if match.outcome_reason == "fault":
        offender = first_fault(match.seats.all())
        return fault_badge(offender.fault_kind if offender else "fault")
    return conditional_escape(tell_ending(match.game, match.outcome_reason))


register.simple_tag(tell_ending, name="ending")
register.filter("story", tell_match)


@register.simple_tag
def fault_badge(kind: str) -> SafeString:
    """Draw the badge of a fault with its name."""
    return format_html('<span class="badge bad">{}{}</span>', glyph("fault"), words(kind))


@register.simple_tag
def seat_result(
    place: MatchSeat, match: Match, beside: Mapping[int, int] | None = None
) -> SafeString:
    """Draw the place of a seat with its reason, and the points unless they stand beside it."""
    points = "" if beside or place.score is None else f", {count(place.score, 'point')}"
    if place.rank is None:
        return SafeString("")
    ranks = {seat.rank for seat in match.seats.all()}
    if ranks == {0}:
        return format_html('<span class="badge">draw{}</span>', _by(match) + points)
    if 0 not in ranks:
        lost = SafeString('<span class="badge">lost</span>')
        return format_html("{} {}", lost, fault_badge(place.fault_kind))
    if place.fault_kind:
        return format_html("{} {}", _place(place.rank, "", ""), fault_badge(place.fault_kind))
    if place.rank == 0:
        return _place(0, "good", _by(match) + points)
    return _place(place.rank, "", points)


def _place(rank: int, tone: str, by: str) -> SafeString:
    tick = glyph("tick") if rank == 0 else ""
    return format_html('<span class="badge {}">{}{}{}</span>', tone, tick, ordinal(rank), by)


def _by(match: Match) -> str:
    """Describe how a match was won, since points do not always decide."""
    return f", {tell_ending(match.game, match.outcome_reason)}"


@cache
def _terms(game: str) -> tuple[Mapping[str, str], re.Pattern[str]]:
    """Return the texts of a game's cards by name, and a pattern of the names, longest first."""
    cards = GAMES[game].commentary().cards()
    names = sorted(cards, key=len, reverse=True)
    return cards, re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")


@register.simple_tag
def explain_cards(sentence: str, game: str) -> SafeString:
    """Return a sentence in which each name of a card shows the card's text on hover and focus."""
    cards, pattern = _terms(game)
    if not cards:
        return conditional_escape(sentence)
    parts, end = [], 0
    for found in pattern.finditer(sentence):
        parts.append(conditional_escape(sentence[end : found.start()]))
        parts.append(format_html(_TERM, found[0], cards[found[0]]))
        end = found.end()
    parts.append(conditional_escape(sentence[end:]))
    return mark_safe("".join(parts))  # noqa: S308  # every part was escaped


@register.filter
def figure(value: float, unit: str) -> str:
    """Write a number with its unit, bytes in a readable one."""
    return size(round(value)) if unit == "bytes" else f"{write_figure(value, unit)} {unit}"


@register.filter
def line_text(line: TraceLine) -> str:
    """Write a line of the protocol with its direction."""
    return line_as_text(line)


@register.simple_tag
def draw_turns(explanation: Explanation) -> TurnChart | None:
    """Draw the CPU times of a bot's requests."""
    return turn_chart(
        explanation.turns, limit_ms=round(1000 * explanation.record["limits"]["action_cpu_s"])
    )
