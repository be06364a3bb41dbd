"""The story of a finished match in one to three sentences: the result, the turn, what is rare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any, Final

from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.scores import MILLION
from pentathlon.matches.latest import name_seats, tell_match
from pentathlon.matches.models import Match
from pentathlon_engines.commentary.words import count
from pentathlon_engines.strength.sprt import WIN

Line = Sequence[Sequence[int]]
"""The points, or the chances in thousandths, of each seat at every ply that is known."""

_LOOKED_AT: Final = 100
"""How many earlier meetings are looked at for a streak."""
_STREAK: Final = 5
"""The fewest wins in a row that are told."""
_MET: Final = 5
"""The fewest meetings without a win after which the first one is told."""
_UNLIKELY: Final = 0.35
"""The largest share expected of a winner that makes an upset."""
_LEADS: Final = 3
"""The fewest changes of the lead that are told."""
_BEHIND: Final = 0.1
"""The smallest arrears of a later winner that are told, as a part of all final points."""
_TURN: Final = 200
"""The smallest change of a chance that is told, in thousandths."""


def story_of(match: Match, *, line: Line | None) -> list[str]:
    """Return one to three sentences on a played match; load it with its seats.

    `line` has the points of each seat at every ply, if the game has any.
    """
    names = [name for _, name in _by_seat(match)]
    winners = [seat.seat for seat, _ in _by_seat(match) if seat.rank == 0]
    winner = winners[0] if len(winners) == 1 else None
    found = Analysis.objects.filter(match=match, curve__isnull=False).only("curve").first()
    turn = _tell_turn(found.curve, names) if found and found.curve else ""
    if not turn and line is not None and winner is not None:
        turn = _tell_course(line, winner, names)
    sentences = [tell_match(match), turn, "" if winner is None else _tell_rarity(match, winner)]
    return [sentence for sentence in sentences if sentence]


def tell_upset(lane: int) -> str:
    """Return the biggest upset among the matches of a tournament; empty if there was none."""
    likely = Meeting.objects.public().filter(match__lane=lane, surprise__lt=_UNLIKELY * MILLION)
    met = likely.order_by("surprise", "match").select_related("bot", "other").first()
    if met is None or met.surprise is None:
        return ""
    return (
        f"The biggest upset: {met.bot.name} beat {met.other.name} in match {met.match_id}, "
        f"although ratings gave it {100 * met.surprise / MILLION:.0f} % of the points."
    )


def lead_changes(line: Line) -> int:
    """Return how often another seat than before was alone in front."""
    leaders = [points.index(max(points)) for points in line if points.count(max(points)) == 1]
    return sum(before != after for before, after in pairwise(leaders))


def _tell_turn(curve: dict[str, Any], names: Sequence[str]) -> str:  # Any: JSON
    """Return the largest change of a chance that one event made."""
    changes = [
        (abs(after - before), mark["ply"], names[seat], before, after)
        for mark in curve["marks"]
        for seat, (before, after) in enumerate(zip(mark["before"], mark["after"], strict=True))
    ]
    size, ply, name, before, after = max(changes, default=(0, 0, "", 0, 0))
    if size < _TURN:
        return ""
    verb = "rose" if after > before else "fell"
    percents = f"from {before / 10:.0f} % to {after / 10:.0f} %"
    return f"It turned at ply {ply}, where the chance of {name} {verb} {percents}."


def _tell_course(line: Line, winner: int, names: Sequence[str]) -> str:
    """Return how far the winner was behind, how often the lead changed, or since when it stood."""
    behind = [
        max(others) - points[winner]
        for points in line
        if (others := [*points[:winner], *points[winner + 1 :]])
    ]
    most, changes = max(behind), lead_changes(line)
    if most >= max(2, _BEHIND * sum(line[-1])):
        at = len(behind) - 1 - behind[::-1].index(most)
        return f"{names[winner]} was still {count(most, 'point')} behind at ply {at}."
    if changes >= _LEADS:
        return f"The lead changed {changes} times."
    ahead = sum(1 for _ in takewhile(lambda arrears: arrears < 0, reversed(behind)))
    if not ahead:
        return ""
    return f"{names[winner]} was in front from ply {len(line) - ahead} to the end."


def _tell_rarity(match: Match, winner: int) -> str:
    """Return whether it was an upset, a first win or one more of many, by counted meetings."""
    own = Meeting.objects.public().filter(match=match, seat=winner).first()
    if own is None or own.half_points != WIN:
        return ""
    bot = next(name for seat, name in _by_seat(match) if seat.seat == winner)
    if own.surprise is not None and own.surprise < _UNLIKELY * MILLION:
        return f"An upset: ratings gave {bot} {100 * own.surprise / MILLION:.0f} % of the points."
    if own.seats > 2 or own.other_id == own.bot_id:  # noqa: PLR2004  a duel
        return ""
    earlier = Meeting.objects.public().filter(bot=own.bot_id, match__lt=match.pk)
    of_game = earlier.filter(game=own.game, seats=own.seats).order_by("-match")
    met = list(
        of_game.filter(other=own.other_id).values_list("half_points", flat=True)[:_LOOKED_AT]
    )
    if _MET <= len(met) < _LOOKED_AT and WIN not in met:
        return f"It is the first win of {bot} in {len(met) + 1} meetings of the two."
    latest = of_game.values_list("half_points", flat=True)[:_LOOKED_AT]
    streak = 1 + sum(1 for _ in takewhile(lambda half_points: half_points == WIN, latest))
    if _STREAK <= streak <= _LOOKED_AT:
        return f"{bot} has now won {streak} in a row."
    return ""


def _by_seat(match: Match) -> list[tuple[Any, str]]:  # Any: a seat of the match
    return list(name_seats(match.seats.all()).items())
