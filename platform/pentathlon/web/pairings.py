"""Brackets and rounds of tournaments whose later rounds follow from results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from pentathlon.matches.models import MatchSeat, MatchState
from pentathlon.tournaments.documents.document import document, event_key
from pentathlon.tournaments.models import Entry, EntryState, Tournament
from pentathlon.tournaments.scheduling.blocks import numbers_of_versions
from pentathlon_engines.tournament.formats.interface import (
    PAIR,
    WIN,
    FieldEntry,
    PlayedBlock,
    count_points,
)
from pentathlon_engines.tournament.formats.knockout import Knockout
from pentathlon_engines.tournament.formats.seeding import seed_order
from pentathlon_engines.tournament.formats.swiss import BYE_POINTS, count_byes, round_scores

MOST_MATCHES: Final = 4_000
"""The most matches of a tournament whose pairings fit on one page; the schedule shows more."""
_FEWEST_FOR_THIRD: Final = 4
_ENDED: Final = (MatchState.DONE, MatchState.VOID)
Row = tuple[Any, ...]  # Any: values of columns
_FIELDS: Final = (
    *("match__place__round", "match__place__block", "match"),
    *("version", "rank", "match__state", "match__is_revoked"),
)


class Leg(NamedTuple):
    """One match of a block."""

    match: int
    score: str
    """The points of the first bot and of the second; empty before the match has ended."""
    state: str

    @property
    def state_words(self) -> str:
        """The state of the leg in words."""
        return MatchState(self.state).label


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketMeeting:
    """One block of two bots, as played so far."""

    number: int
    bots: tuple[int, int]
    """The numbers of the two entries."""
    points: tuple[float, float]
    legs: Sequence[Leg]
    played: PlayedBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two sides of a duel or pairing."""

    entry: Entry | None
    """None if it is not known yet, or if there is a bye."""
    score: float
    has_won: bool = False
    before: float = 0
    after: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Two entries that meet in a round, with the blocks between them."""

    first: Side
    second: Side
    meetings: Sequence[BracketMeeting] = ()
    is_bye: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketRound:
    """One column of a bracket."""

    title: str
    pairings: Sequence[Pairing]


def bracket(tournament: Tournament) -> list[BracketRound]:
    """Return the bracket of a knockout, including the rounds that are not paired yet."""
    book = _Bracket(tournament)
    slots = book.first_round
    rounds: list[BracketRound] = []
    fallen: list[int | None] = []
    number = 0
    while len(slots) > 1:
        number += 1
        if len(slots) == PAIR and book.third_round == number:
            third = [book.pairing(number, fallen)]
            rounds.append(BracketRound(title="Third place", pairings=third))
            number += 1
        duels = [slots[place : place + PAIR] for place in range(0, len(slots), PAIR)]
        pairings = [book.pairing(number, duel) for duel in duels]
        rounds.append(BracketRound(title=_title(number, len(duels)), pairings=pairings))
        winners = [book.winner(number, duel) for duel in duels]
        fallen = [_other(duel, winner) for duel, winner in zip(duels, winners, strict=True)]
        slots = winners
    return rounds


def swiss_round(tournament: Tournament, number: int) -> list[Pairing]:
    """Return the pairings of one round, with the scores before and after it; byes come last."""
    field, entries = _field(tournament), _entries(tournament)
    meetings = [each for each in read_meetings(tournament) if each.played.round <= number]
    blocks = [each.played for each in meetings]
    earlier = [block for block in blocks if block.round < number]
    before, after = round_scores(field, earlier), round_scores(field, blocks)

    def side(bot: int, score: float) -> Side:
        return Side(
            entry=entries.get(bot), score=score, before=before[bot] / WIN, after=after[bot] / WIN
        )

    pairings = [
        Pairing(
            first=side(each.bots[0], each.points[0]),
            second=side(each.bots[1], each.points[1]),
            meetings=[each],
        )
        for each in meetings
        if each.played.round == number
    ]
    byes = count_byes(field, blocks) - count_byes(field, earlier)
    nobody = Side(entry=None, score=0)
    return pairings + [
        Pairing(first=side(bot, BYE_POINTS / WIN), second=nobody, is_bye=True)
        for bot in sorted(byes)
    ]


def read_meetings(tournament: Tournament) -> list[BracketMeeting]:
    """Return all blocks of a tournament of two seats in schedule order; two queries."""
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(match__place__tournament=tournament)
    rows = seats.order_by("match__place__index", "seat").values_list(*_FIELDS)
    return [
        _meeting(round_number, block, list(legs), numbers)
        for (round_number, block), legs in groupby(rows, key=lambda row: row[:2])
    ]


class _Bracket:
    """The matches of a knockout, by round and pair."""

    def __init__(self, tournament: Tournament) -> None:
        field = _field(tournament)
        self.entries = _entries(tournament)
        key = event_key(tournament)
        seeds = seed_order(field, key)
        plan = document(tournament).plan(key=key)
        self.first_round = Knockout().first_round(plan, field, seeds)
        is_third = tournament.params.get("third_place", True)
        has_third = is_third and len(field) >= _FEWEST_FOR_THIRD
        self.third_round = (len(field) - 1).bit_length() if has_third else None
        self.place = {
            bot: place for place, group in enumerate(tournament.places or ()) for bot in group
        }
        self.meetings: dict[tuple[int, frozenset[int]], list[BracketMeeting]] = defaultdict(list)
        self.rounds: dict[int, set[int]] = defaultdict(set)
        for meeting in read_meetings(tournament):
            number = meeting.played.round
            self.meetings[number, frozenset(meeting.bots)].append(meeting)
            for bot in meeting.bots:
                self.rounds[bot].add(number)

    def winner(self, number: int, duel: Sequence[int | None]) -> int | None:
        """Return the winner of a duel, who goes on; None while unknown."""
        bots = [bot for bot in duel if bot is not None]
        if len(bots) < PAIR:
            return bots[0] if number == 1 else None
        first, second = bots
        if self.place and self.place.get(first) != self.place.get(second):
            return min(bots, key=lambda bot: self.place.get(bot, len(self.place)))
        return next((bot for bot in bots if self._has_gone_on(bot, number)), None)

    def pairing(self, number: int, duel: Sequence[int | None]) -> Pairing:
        """Return a duel with the blocks won by each."""
        known = frozenset(bot for bot in duel if bot is not None)
        meetings = [_seen_by(duel[0], each) for each in self.meetings.get((number, known), [])]
        wins: Counter[int] = Counter()
        for meeting in meetings:
            if meeting.points[0] != meeting.points[1]:
                wins[meeting.bots[meeting.points[1] > meeting.points[0]]] += 1
        winner = self.winner(number, duel)
        first, second = (
            Side(
                entry=None if bot is None else self.entries.get(bot),
                score=0 if bot is None else wins[bot],
                has_won=bot is not None and bot == winner,
            )
            for bot in duel
        )
        is_bye = number == 1 and len(known) < PAIR
        return Pairing(first=first, second=second, meetings=meetings, is_bye=is_bye)

    def _has_gone_on(self, bot: int, number: int) -> bool:
        return any(each > number and each != self.third_round for each in self.rounds[bot])


def _meeting(
    round_number: int, block: int, rows: Sequence[Row], numbers: Mapping[int, int]
) -> BracketMeeting:
    legs = [list(seats) for _, seats in groupby(rows, key=lambda row: row[2])]
    seatings = tuple(tuple(numbers[row[3]] for row in leg) for leg in legs)
    ranks = tuple(_ranks(leg) for leg in legs)
    has_ended = all(leg[0][5] in _ENDED for leg in legs)
    played = PlayedBlock(round_number, seatings, ranks if has_ended else None)
    points = count_points(played)
    first, second = seatings[0]
    return BracketMeeting(
        number=block,
        bots=(first, second),
        points=(points[first] / WIN, points[second] / WIN),
        legs=[
            Leg(leg[0][2], _score(each, seating.index(first)), leg[0][5])
            for leg, seating, each in zip(legs, seatings, ranks, strict=True)
        ],
        played=played,
    )


def _seen_by(bot: int | None, meeting: BracketMeeting) -> BracketMeeting:
    """Return a block with the points of this bot first."""
    if bot == meeting.bots[0]:
        return meeting
    legs = [leg._replace(score=leg.score[::-1]) for leg in meeting.legs]
    bots, points = meeting.bots[::-1], meeting.points[::-1]
    return replace(meeting, bots=bots, points=points, legs=legs)


def _ranks(leg: Sequence[Row]) -> tuple[int, ...] | None:
    """Return the rank of each seat; None if the match has not ended or does not count."""
    *_, state, is_revoked = leg[0]
    counts = state == MatchState.DONE and not is_revoked
    return tuple(row[4] for row in leg) if counts else None


def _score(ranks: Sequence[int] | None, seat: int) -> str:
    """Return the points of the bot in this seat, then those of the other, as text."""
    if ranks is None:
        return ""
    best = [place for place, rank in enumerate(ranks) if rank == 0]
    if len(best) > 1:
        return "½–½"
    return "0–0" if not best else ("1–0" if best[0] == seat else "0–1")


def _field(tournament: Tournament) -> list[FieldEntry]:
    gone = tournament.entries.scheduled().exclude(state=EntryState.ACTIVE)
    left = {number or 0 for number in gone.values_list("number", flat=True)}
    return document(tournament).field(left=left)


def _entries(tournament: Tournament) -> dict[int, Entry]:
    return {entry.number or 0: entry for entry in tournament.entries.in_order()}


def _other(duel: Sequence[int | None], winner: int | None) -> int | None:
    """Return the loser of a duel; None while unknown."""
    return next((bot for bot in duel if bot != winner), None) if winner is not None else None


def _title(number: int, duels: int) -> str:
    return {1: "Final", 2: "Semi-finals", 4: "Quarter-finals"}.get(duels, f"Round {number}")
