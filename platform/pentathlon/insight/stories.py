"""Stories in sentences: of a match the result, the turn and what is rare; of a tournament, too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise, takewhile
from operator import itemgetter
from typing import Any, Final, NamedTuple

from django.db.models import Max, Min

from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.scores import MILLION
from pentathlon.matches.latest import name_seats, tell_match
from pentathlon.matches.models import Match, MatchKind, MatchQuerySet, MatchSeat, MatchState
from pentathlon.tournaments.models import Tournament
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
_FEWEST, _MOST = 10, 2000
"""Among how many matches of a tournament or season records are looked for."""
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
    rare = "" if winner is None else _tell_rarity(match, winner) or _tell_record(match, winner)
    sentences = [tell_match(match), turn, rare]
    return [sentence for sentence in sentences if sentence]


def highlights(tournament: Tournament) -> list[str]:
    """Return the upset, the streak and the records of a tournament or of a season's division.

    Whoever shows them asks before whether results are hidden from the reader.
    """
    if tournament.scheduled > _MOST:
        return []
    upset = _tell_upset(tournament.pk)
    return [*([upset] if upset else []), *_records(tournament.pk, tournament.results_version)]


def _tell_upset(lane: int) -> str:
    likely = Meeting.objects.filter(match__lane=lane, surprise__lt=_UNLIKELY * MILLION)
    met = likely.order_by("surprise", "match").select_related("bot", "other").first()
    if met is None or met.surprise is None:
        return ""
    return (
        f"The biggest upset: {met.bot.name} beat {met.other.name} in match {met.match_id}, "
        f"although ratings gave it {100 * met.surprise / MILLION:.0f} % of the points."
    )


class _Played(NamedTuple):
    """A seat of a match that no fault has decided."""

    match: int
    plies: int
    rank: int
    score: int | None
    bot: str


@lru_cache(maxsize=128)
def _records(lane: int, _version: int) -> tuple[str, ...]:
    """Return the longest streak, the highest score, the longest match and the fastest win."""
    seats = MatchSeat.objects.filter(match__in=_decided(lane)).order_by("match", "seat")
    facts = ("match", "match__ply", "rank", "score", "version__bot__name")
    rows = [_Played(*row) for row in seats.values_list(*facts)]
    tables = [list(table) for _, table in groupby(rows, key=itemgetter(0))]
    if len(tables) < _FEWEST:
        return ()
    wins = [
        first[0] for each in tables if len(first := [row for row in each if not row.rank]) == 1
    ]
    streak, bot = _longest_streak(tables)
    told = [f"{bot} won {streak} in a row."] if streak >= _STREAK else []
    scored = [(row.score, row) for row in rows if row.score is not None]
    if scored:
        score, row = max(scored, key=lambda each: (each[0], -each[1].match))
        told.append(f"The highest score: {score}, by {row.bot} in match {row.match}.")
    longest = max(rows, key=lambda row: (row.plies, -row.match))
    told.append(f"The longest match: {count(longest.plies, 'ply')}, match {longest.match}.")
    if wins:
        fastest = min(wins, key=lambda row: (row.plies, row.match))
        told.append(
            f"The fastest win: {fastest.bot} after {count(fastest.plies, 'ply')} "
            f"in match {fastest.match}."
        )
    return tuple(told)


def _decided(lane: int) -> MatchQuerySet:
    """Return the matches of a lane that count and that no fault has decided."""
    played = Match.objects.of_lane(lane).filter(state=MatchState.DONE, is_revoked=False)
    return played.exclude(outcome_reason="fault")


def _longest_streak(tables: Sequence[Sequence[_Played]]) -> tuple[int, str]:
    """Return the most wins in a row, and whose they were."""
    streaks, longest = dict[str, int](), (0, "")
    for table in tables:
        first = [row for row in table if row.rank == 0]
        for row in table:
            has_won = first == [row]
            streaks[row.bot] = streaks.get(row.bot, 0) + 1 if has_won else 0
            longest = max(longest, (streaks[row.bot], row.bot))
    return longest


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


def _tell_record(match: Match, winner: int) -> str:
    """Return whether no match of its tournament is longer, was won faster or with more points."""
    if match.kind != MatchKind.TOURNAMENT or match.outcome_reason == "fault":
        return ""
    short = Tournament.objects.filter(pk=match.lane, scheduled__range=(_FEWEST, _MOST))
    cup = short.values_list("name", flat=True).first()
    if cup is None:
        return ""
    others = _decided(match.lane).exclude(pk=match.pk)
    best = others.aggregate(most=Max("ply"), fewest=Min("ply"), score=Max("seats__score"))
    if best["most"] is None:
        return ""
    score = next(seat.score for seat, _ in _by_seat(match) if seat.seat == winner) or 0
    records = {
        f"No match of {cup} is longer.": match.ply > best["most"],
        f"No match of {cup} was won faster.": match.ply < best["fewest"],
        f"No score in {cup} is higher.": score > (best["score"] or score),
    }
    return next((sentence for sentence, is_true in records.items() if is_true), "")


def _by_seat(match: Match) -> list[tuple[Any, str]]:  # Any: a seat of the match
    return list(name_seats(match.seats.all()).items())
