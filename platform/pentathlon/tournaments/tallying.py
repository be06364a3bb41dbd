"""Count the results of a tournament: all of it in one read, and not again for every reader.

A large tournament takes a second to count, so while it runs its readers share a count that may
be some seconds old. One that has ended, or is small, is always counted to its last match.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, permutations
from operator import itemgetter
from typing import Final

from django.db.models import Count, Max

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.table import Score, Tally

_KEPT: Final = 32
_CHEAP_S: Final = 0.1
"""What takes less is counted at every change."""
_REST: Final = 20
"""A costly count is left alone for so many times the time that it took."""
_CHUNK: Final = 5000

Seat = tuple[int, int, int, int, bool]
"""Match, seat, bot version, rank, whether it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How the finished matches of a tournament ended. Not to be changed: readers share it."""

    tallies: Mapping[int, Tally]
    """By bot version."""
    meetings: Mapping[tuple[int, int], Score]
    """By bot version and other bot version."""
    seats: Mapping[int, Score]
    """By seat, without those that failed together with their opponent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    state: str
    done: tuple[int, datetime | None]
    counts: Counts
    fresh_until: float


class _Memory:
    """The latest counts of this process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, datetime], _Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._counting: defaultdict[tuple[int, datetime], threading.Lock] = defaultdict(
            threading.Lock
        )

    def read(self, tournament: Tournament) -> Counts:
        # Numbers alone are given twice by databases that are made anew.
        key = (tournament.pk, tournament.created_at)
        with self._lock:
            turn = self._counting[key]
        with turn:
            kept = self._kept.get(key)
            if kept is None or kept.state != tournament.state:
                return self._count(tournament, key)
            if time.monotonic() < kept.fresh_until or kept.done == _done(tournament):
                return kept.counts
            return self._count(tournament, key)

    def _count(self, tournament: Tournament, key: tuple[int, datetime]) -> Counts:
        began = time.monotonic()
        done = _done(tournament)  # before the rows: what ends meanwhile is counted next time
        counts = count_results(tournament)
        taken_s = time.monotonic() - began
        rest_s = _REST * taken_s if taken_s > _CHEAP_S else 0.0
        kept = _Kept(
            state=tournament.state,
            done=done,
            counts=counts,
            fresh_until=began + taken_s + rest_s,
        )
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._counting.pop(self._kept.popitem(last=False)[0], None)
        return counts


_memory = _Memory()


def recent_counts(tournament: Tournament) -> Counts:
    """Return the counts of a tournament, as fresh as they are cheap."""
    return _memory.read(tournament)


def count_results(tournament: Tournament) -> Counts:
    """Count all finished matches of a tournament."""
    tallies: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    meetings: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    seats: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for _, group in groupby(_finished_seats(tournament), itemgetter(0)):
        table = list(group)
        best = sum(rank == 0 for _, _, _, rank, _ in table)
        for _, _, version, rank, failed in table:
            tally = tallies[version]
            tally[0] += 1
            tally[1] += rank == 0 and best == 1
            tally[2] += rank == 0 and best > 1
            tally[3] += failed
        for (_, seat, version, rank, failed), (
            _,
            _,
            other,
            other_rank,
            other_failed,
        ) in permutations(table, 2):
            both_failed = failed and other_failed
            # Of two that failed neither was level with the other: both have lost.
            won, lost = rank < other_rank, rank > other_rank or both_failed
            level = rank == other_rank and not both_failed
            for score in [meetings[version, other], *([] if both_failed else [seats[seat]])]:
                score[0] += won
                score[1] += level
                score[2] += lost
    return Counts(
        tallies={key: _tally(counts) for key, counts in tallies.items()},
        meetings={key: _score(counts) for key, counts in meetings.items()},
        seats={key: _score(counts) for key, counts in sorted(seats.items())},
    )


def _finished_seats(tournament: Tournament) -> Iterator[Seat]:
    rows = (
        MatchSeat.objects.filter(
            match__place__tournament=tournament,
            match__state=MatchState.DONE,
            match__is_revoked=False,
        )
        .order_by("match_id", "seat")
        .values_list("match_id", "seat", "version_id", "rank", "fault_kind")
    )
    for match, seat, version, rank, fault in rows.iterator(chunk_size=_CHUNK):
        if rank is not None:  # as in every finished match
            yield match, seat, version, rank, fault != ""


def _done(tournament: Tournament) -> tuple[int, datetime | None]:
    done = Match.objects.filter(place__tournament=tournament, state=MatchState.DONE)
    found = done.filter(is_revoked=False).aggregate(count=Count("pk"), last=Max("finished_at"))
    return found["count"], found["last"]


def _tally(counts: list[int]) -> Tally:
    matches, wins, draws, faults = counts
    return Tally(matches=matches, wins=wins, draws=draws, faults=faults)


def _score(counts: list[int]) -> Score:
    wins, draws, losses = counts
    return Score(wins=wins, draws=draws, losses=losses)
