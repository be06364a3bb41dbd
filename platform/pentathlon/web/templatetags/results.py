"""Tags that show the result of a match."""

from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.tournaments.challenges.models import challenge_of_lane
from pentathlon.web.templatetags.components import badge, glyph
from pentathlon.web.templatetags.formats import words
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.info import ordinal

register = template.Library()


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
    return ending(match.game, match.outcome_reason)


@register.simple_tag
def ending(game: str, reason: str) -> SafeString:
    """Return the reason why a match ended, in the word of the rules, with its explanation."""
    known = GAMES[game].commentary().endings() if game in GAMES else {}
    if reason not in known:
        return format_html("{}", words(reason))
    return format_html('<abbr title="{}">{}</abbr>', known[reason], words(reason))


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
    is_fault = match.outcome_reason == "fault"
    reason = "by another’s fault" if is_fault else words(match.outcome_reason)
    return f", {reason}"
