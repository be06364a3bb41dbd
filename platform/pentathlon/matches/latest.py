"""The latest matches and faults, at a cost that no history changes; a match in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db import connection
from django.db.models import Exists, Max, Min, OuterRef, QuerySet, Subquery

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.matches.models import Match, MatchSeat
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count, enumerate_all

_SEATS: Final = MatchSeat._meta.db_table
_BOTS: Final = Bot._meta.db_table
_VERSIONS: Final = BotVersion._meta.db_table

# Each version's seats are read from the end of an index; a plain join would read all of them.
_LATERAL: Final = f"""
    SELECT latest.id, latest.match_id FROM {_VERSIONS} v CROSS JOIN LATERAL (
        SELECT s.id, s.match_id FROM {_SEATS} s WHERE s.version_id = v.id AND {{which}}
        ORDER BY {{order}} DESC LIMIT %s
    ) latest WHERE {{whose}}
"""  # noqa: S608  our own names
_CORRELATED: Final = f"""
    SELECT latest.id, latest.match_id FROM {_VERSIONS} v JOIN {_SEATS} latest ON latest.id IN (
        SELECT s.id FROM {_SEATS} s WHERE s.version_id = v.id AND {{which}}
        ORDER BY {{order}} DESC LIMIT %s
    ) WHERE {{whose}}
"""  # noqa: S608  our own names
_OF_BOT: Final = "v.bot_id = %s"
_OF_AUTHOR: Final = f"v.bot_id IN (SELECT b.id FROM {_BOTS} b WHERE b.owner_id = %s)"  # noqa: S608
_PAIR = 2


def latest_matches(bot_id: int, *, limit: int) -> list[int]:
    """Return the ids of the youngest finished matches of each version of a bot."""
    rows = _latest(bot_id, which="s.rank IS NOT NULL", order="s.match_id", limit=limit)
    return [match_id for _, match_id in rows]


def latest_matches_of_author(user_id: int, *, limit: int) -> list[int]:
    """Return the ids of the youngest finished matches of each version of an author's bots."""
    which, order = "s.rank IS NOT NULL", "s.match_id"
    rows = _latest(user_id, which=which, order=order, limit=limit, whose=_OF_AUTHOR)
    return [match_id for _, match_id in rows]


def latest_faults(bot_id: int, *, limit: int) -> list[int]:
    """Return the ids of the youngest seats in which each version of a bot made a fault."""
    rows = _latest(bot_id, which="NOT s.fault_kind = ''", order="s.id", limit=limit)
    return [seat_id for seat_id, _ in rows]


def faults_of_lane(lane: int) -> QuerySet[MatchSeat]:
    """Return the seats that made a fault in the matches of one lane.

    Only faults between the seats of the lane's first and last match are looked at.
    """
    ids = Match.objects.of_lane(lane).order_by("pk").values("pk")
    seats = MatchSeat.objects.all()
    first = seats.filter(match=Subquery(ids[:1])).aggregate(pk=Min("pk"))["pk"]
    last = seats.filter(match=Subquery(ids.reverse()[:1])).aggregate(pk=Max("pk"))["pk"]
    if first is None or last is None:
        return seats.none()
    # For a join, the database would begin with the matches.
    in_lane = Exists(Match.objects.of_lane(lane).filter(pk=OuterRef("match")))
    return seats.filter(in_lane, pk__gte=first, pk__lte=last).exclude(fault_kind="")


def _latest(
    owner_id: int, *, which: str, order: str, limit: int, whose: str = _OF_BOT
) -> list[tuple[int, int]]:
    """Return the youngest seats of each version of a bot, or of all bots of an author."""
    shape = _LATERAL if connection.vendor == "postgresql" else _CORRELATED
    with connection.cursor() as cursor:
        cursor.execute(shape.format(which=which, order=order, whose=whose), [limit, owner_id])
        rows: list[tuple[int, int]] = cursor.fetchall()
    return rows


def tell_match(match: Match) -> str:
    """Return the result of a played match in a sentence; load the match with its seats.

    It tells the end: whoever shows a replay from its first ply folds it.
    """
    seats = sorted(match.seats.all(), key=lambda seat: (seat.rank or 0, seat.seat))
    names = name_seats(seats)
    winners = [names[seat] for seat in seats if seat.rank == 0]
    others = [seat for seat in seats if seat.rank]
    how = tell_ending(match.game, match.outcome_reason)
    faults = _faults(names)
    if not winners:
        return f"{enumerate_all(list(names.values()))} {_ALL[len(seats) == _PAIR]}{faults}."
    said = enumerate_all(winners)
    if not others:
        return f"{said} drew{_score(seats)} {how}."
    if len(seats) == _PAIR:
        if match.outcome_reason == "fault":
            return f"{said} won because {names[others[0]]} failed{faults}."
        tie_break = " on a tie-break," if len({seat.score for seat in seats} - {None}) == 1 else ""
        return f"{said} beat {names[others[0]]}{_score(seats)}{tie_break} {how}."
    behind = enumerate_all([names[seat] for seat in others if seat.rank == others[0].rank])
    if match.outcome_reason == "fault":
        at_fault = [name for seat, name in names.items() if seat.fault_kind]
        how = f"because {enumerate_all(at_fault)} failed{faults}" if at_fault else "by a fault"
    best = "" if seats[0].score is None else f" with {count(seats[0].score, 'point')}"
    return f"{said} won{best}, ahead of {behind}, {how}."


_ALL: Final = {True: "both failed", False: "all failed"}


def tell_ending(game: str, reason: str) -> str:
    """Return how the rules decided a match, in words that follow who won: `on wisdom`."""
    if reason == "fault":
        return "by another’s fault"
    known = GAMES[game].commentary().endings() if game in GAMES else {}
    return known.get(reason) or f"by {reason.replace('_', ' ')}"


def name_seats(seats: Iterable[MatchSeat]) -> dict[MatchSeat, str]:
    """Return the name of each bot, with its version where a bot sits twice."""
    times = Counter(seat.version.bot.name for seat in seats)
    return {
        seat: seat.version.bot.name if times[seat.version.bot.name] == 1 else seat.version.label
        for seat in seats
    }


def _score(seats: Sequence[MatchSeat]) -> str:
    """Return the points of two seats, the better one's first."""
    scores = [seat.score for seat in seats]
    return "" if None in scores or len(scores) != _PAIR else f" {scores[0]}–{scores[1]}"


def _faults(names: Mapping[MatchSeat, str]) -> str:
    kinds = {seat.fault_kind.replace("_", " ") for seat in names if seat.fault_kind}
    return f" ({', '.join(sorted(kinds))})" if kinds else ""
