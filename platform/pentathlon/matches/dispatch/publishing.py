"""Publishes the next matches to workers. The times of publishing are the outbox.

New versions have one turn in eight, whatever else waits: for their validations and for their first
matches on a ladder, so that a first bot plays at once on a busy site. Their lanes are their
authors', so that many uploads of one author keep no other waiting. They pay for a turn by the
length of its match, so that they never have more than an eighth while others wait; what nobody
else wants is theirs, too.

The other turns are those of tournaments, then of ladders, of challenges last. Lanes of one kind
take turns: whichever has least in flight comes next, so that a long tournament does not keep a
short one waiting. Within a lane the order of the schedule holds.

What is in flight counts by its length: a match that fills a batch alone counts as much as a batch
of short ones. Workers follow hints in the order in which they were sent; if long matches counted
no more than short ones, what is sent last would wait behind minutes of them.

Challenges have at most a quarter of the window, so that a rated match that comes later finds room
at once. An eighth is kept for them while they wait, because rated play may never pause.

Everything but new versions waits until there is room for a whole batch: a slot that follows a hint
of three matches spends as much on the hint as on one of eight.

Spot checks are few and must not wait until nothing else waits: they have a sixteenth of the window
on top of it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import chain
from math import ceil
from typing import Final

from pentathlon.core.statements import Read
from pentathlon.fleet.capabilities import Fleet, Requirements, read_fleet
from pentathlon.matches.capacity import (
    BATCH,
    BatchSizes,
    Cap,
    InFlight,
    live_matches,
    sent_matches,
)
from pentathlon.matches.dispatch.heads import NEWCOMERS, Head, Heads, waiting_lanes
from pentathlon.matches.hidden_lanes import RepeatedLane
from pentathlon.matches.models import COMPETITIONS, MatchKind
from pentathlon.matches.requirements import requirements_of_versions
from pentathlon.matches.services import note_sent, publish_again

Rank = tuple[bool, float]
"""Whether a lane goes behind all others, and how much it has in flight."""
WINDOW_PER_SLOT: Final = 3 * BATCH
"""The most short matches in flight for each slot: one batch that is played, two that wait."""
RESEND_S: Final = 60
"""Seconds after which a hint that nobody followed is published again."""
RESEND_LADDERS_S: Final = 600
"""The same for ladders, whose hints wait as long as there is anything else to play."""
RESEND_LOST_S: Final = 5
"""The same when the broker holds no hints, so that this one must have been lost."""
TURN_OF_NEWCOMERS: Final = 8
"""New versions have one turn in so many while others wait."""
MOST_FOR_CHALLENGES: Final = 1 / 4
KEPT_FOR_CHALLENGES: Final = 1 / 8
MOST_FOR_SPOT_CHECKS: Final = 1 / 16
"""These three are shares of the window."""
Publish = Callable[[Sequence[int]], None]
_REPEATED: Final = Read(lambda: RepeatedLane.objects.values_list("lane", flat=True))


class Turns:
    """Lanes that wait to be served: lowest rank first, equal ranks in turns by number.

    A turn costs a search among lanes of equal rank, not a look at each lane.
    """

    def __init__(self, lanes: Iterable[int], *, rank: Callable[[int], Rank], last: int) -> None:
        """Start behind the lane that was served `last`."""
        self._rank = rank
        self._last = last
        self._alike: defaultdict[Rank, list[int]] = defaultdict(list)
        for lane in sorted(lanes):
            self._alike[rank(lane)].append(lane)

    def __bool__(self) -> bool:
        """Whether any lane waits."""
        return bool(self._alike)

    def in_order(self) -> list[int]:
        """Return all lanes in the order of their turns, if none is put back."""
        order: list[int] = []
        last = self._last
        for rank in sorted(self._alike):
            alike = self._alike[rank]
            behind = bisect_right(alike, last)
            order += alike[behind:] + alike[:behind]
            last = order[-1]
        return order

    def take(self) -> int:
        """Take out the lane whose turn it is."""
        rank = min(self._alike)
        alike = self._alike[rank]
        behind = bisect_right(alike, self._last)
        self._last = alike.pop(behind if behind < len(alike) else 0)
        if not alike:
            del self._alike[rank]
        return self._last

    def put_back(self, lane: int) -> None:
        """Let a lane that was served wait again, by the rank it has now."""
        insort(self._alike[self._rank(lane)], lane)


@dataclass(slots=True)
class FairCursor:
    """What the publisher remembers of lanes from one look to the next."""

    lane: dict[str, int] = field(default_factory=dict)
    """The lane of each line that was served last: of a kind, or of `NEWCOMERS`."""
    refused: dict[str, dict[int, None]] = field(default_factory=dict)
    """Lanes from which nothing could be sent when they were last looked at, in that order."""
    reached: dict[str, dict[int, int]] = field(default_factory=dict)
    """For each lane, the match up to which all were refused when it was last looked at."""
    credit: float | None = None
    """What new versions may send before others, in short matches; None before the first look."""


def publish_pending(
    *,
    publish: Publish,
    publish_ladders: Publish | None = None,
    window: int | None = None,
    resend_after_s: float = RESEND_S,
    resend_ladders_after_s: float = RESEND_LADDERS_S,
    cursor: FairCursor | None = None,
) -> int:
    """Publish hints for waiting matches, up to `window` in flight; return how many matches.

    Without a window, the slots of live workers decide it, proven or not. Matches that no worker
    can play are left for later, as are those that a bot's cap holds back. Hints that an error has
    stopped are published by the next call, those lost in a crash after `resend_after_s`. Workers
    take the hints of `publish_ladders` when there are no others.
    """
    fleet = read_fleet()
    if window is None:
        window = WINDOW_PER_SLOT * (fleet.slots + fleet.doubtful_slots)
    if window == 0 or not fleet.capabilities:
        return 0
    resend_s = resend_after_s, resend_ladders_after_s
    plan = _Plan(fleet, cursor or FairCursor(), resend_after_s=resend_s)
    chosen = plan.choose(window)
    # The sending is noted first, because a worker may follow a hint, and give the match back,
    # before we could note it.
    noted = note_sent(match_ids=[match.pk for match in chosen])
    hints = plan.hints([match for match in chosen if match.pk in noted])
    sent: set[int] = set()
    try:
        for is_of_ladder, hint in hints:
            # Workers of partly trusted tokens find noted matches in the database.
            if fleet.reads_queue:
                send = (publish_ladders or publish) if is_of_ladder else publish
                send(hint)
            sent.update(hint)
    finally:
        if unsent := noted - sent:
            publish_again(match_ids=unsent)
    return len(sent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A match that goes out now."""

    pk: int
    game: str
    line: str
    """Its kind, or `NEWCOMERS`."""


class _Plan:
    """One look at what waits and what is in flight."""

    def __init__(
        self, fleet: Fleet, cursor: FairCursor, *, resend_after_s: tuple[float, float]
    ) -> None:
        self._fleet = fleet
        self._cursor = cursor
        # Two sets, because SQLite reads the whole table for "either … or".
        live, sent = live_matches(), sent_matches()
        self._sizes = BatchSizes()
        self._cap = Cap.over(live, sent=sent, sizes=self._sizes)
        self._covered: dict[Requirements, bool] = {}
        self._stale = sorted(each for each in sent if _is_stale(each, *resend_after_s))
        self._repeated = frozenset(_REPEATED())
        self._in_flight: dict[tuple[str, int], float] = defaultdict(float)
        waiting = [each for each in sent if not _is_stale(each, *resend_after_s)]
        for each in chain(live, waiting):
            self._in_flight[_lane_of(each)] += self._weight(each.game)
        self._waiting = len(waiting)
        """How many matches wait in hints that no slot has taken yet."""
        self._left = 0.0
        """How much of the window stays empty, because the next batch has no room yet."""

    def choose(self, window: int) -> list[Chosen]:
        """Return what to publish now, in order."""
        chosen: list[Chosen] = []
        for each in self._stale:
            line, lane = _lane_of(each)
            if self._room(window, line) > 0:
                self._in_flight[line, lane] += self._weight(each.game)
                chosen.append(Chosen(pk=each.pk, game=each.game, line=line))
        newcomers = self._by_turns(NEWCOMERS, self._room(window))
        if window >= 2 * BATCH:
            self._left = max(0.0, self._room(window)) % BATCH
        chosen += self._on_credit(newcomers, window)
        kept, most = self._room_for_challenges(window)
        others: list[Chosen] = []
        for competition in COMPETITIONS:
            others += self._by_turns(competition, self._room(window, competition) - kept)
        others += self._by_turns(MatchKind.CHALLENGE, min(most, self._room(window)))
        self._earn(others, window)
        chosen += others
        while self._room(window) > 0 and (match := next(newcomers, None)):
            chosen.append(match)
        checks = max(1, window * MOST_FOR_SPOT_CHECKS) - self._in_flight_of(MatchKind.SPOT_CHECK)
        chosen += self._by_turns(MatchKind.SPOT_CHECK, checks)
        return chosen

    def _on_credit(self, newcomers: Iterator[Chosen], window: int) -> Iterator[Chosen]:
        """Yield the matches of new versions whose turn it is; the last one may be on loan."""
        credit = self._cursor.credit
        left = window / TURN_OF_NEWCOMERS if credit is None else credit
        while left > 0 and (match := next(newcomers, None)):
            left -= self._weight(match.game)
            yield match
        self._cursor.credit = left

    def _earn(self, others: Sequence[Chosen], window: int) -> None:
        """Let new versions earn a turn by what others send, to use now or for a while to come.

        Matches of ladders take room from nobody, so nothing is earned by them.
        """
        sent = sum(self._weight(each.game) for each in others if each.line != MatchKind.LADDER)
        earned = (self._cursor.credit or 0.0) + sent / (TURN_OF_NEWCOMERS - 1)
        self._cursor.credit = min(earned, window / TURN_OF_NEWCOMERS)

    def _weight(self, game: str) -> float:
        """Return how many short matches a match of this game counts as."""
        return BATCH / (self._sizes.of(game) or BATCH)

    def _room(self, window: int, line: str = "") -> float:
        """Return how much of a line may be sent; hints of ladders take room from ladders only."""
        counts_ladders = line == MatchKind.LADDER
        return (
            window
            - self._left
            - sum(
                weight
                for (other, _), weight in self._in_flight.items()
                if counts_ladders or other != MatchKind.LADDER
            )
        )

    def _room_for_challenges(self, window: int) -> tuple[float, float]:
        """Return how much is kept for challenges, and how much they may have."""
        if not waiting_lanes(MatchKind.CHALLENGE):
            return 0, 0
        in_flight = self._in_flight_of(MatchKind.CHALLENGE)
        kept = int(window * KEPT_FOR_CHALLENGES) - in_flight
        most = max(1, int(window * MOST_FOR_CHALLENGES)) - in_flight
        return max(0, kept), max(0, most)

    def _in_flight_of(self, kind: MatchKind) -> float:
        return sum(count for (other, _), count in self._in_flight.items() if other == kind)

    def hints(self, chosen: Sequence[Chosen]) -> Iterator[tuple[bool, list[int]]]:
        """Put matches of one game together in hints, small enough for every slot to get a share.

        Yield each hint with whether it is of ladders; those of new versions come first.
        """
        new = [match for match in chosen if match.line == NEWCOMERS]
        yield from self._hints(new)
        yield from self._hints([match for match in chosen if match.line != NEWCOMERS])

    def _hints(self, chosen: Sequence[Chosen]) -> Iterator[tuple[bool, list[int]]]:
        # Hints that wait already are enough for slots that this one gives nothing.
        share = -(-(len(chosen) + self._waiting) // max(1, self._fleet.slots))
        hints: dict[tuple[bool, str], list[int]] = {}
        for match in chosen:
            key = match.line == MatchKind.LADDER, match.game
            hint = hints.setdefault(key, [])
            hint.append(match.pk)
            if len(hint) >= min(share, self._sizes.of(match.game) or 1):
                yield key[0], hints.pop(key)
        yield from ((is_of_ladder, hint) for (is_of_ladder, _), hint in hints.items())

    def _by_turns(self, line: str, room: float) -> Iterator[Chosen]:
        if room <= 0:
            return
        refused = self._cursor.refused.setdefault(line, {})
        lanes = waiting_lanes(line)
        for lane in refused.keys() - set(lanes):
            del refused[lane]
        # One refused lane is tried like any other: those may always have something to send.
        if refused:
            del refused[next(iter(refused))]
        if not lanes:
            return
        reached = self._cursor.reached.setdefault(line, {})
        heads = Heads(line, fits=self._fits, reached=reached, repeated=self._repeated)
        last = self._cursor.lane.get(line, 0)
        turns = Turns(lanes, rank=partial(self._rank, line), last=last)
        heads.open(turns.in_order(), room=ceil(room))
        while room > 0 and turns and not heads.is_spent:
            lane = turns.take()
            head = heads.next(lane)
            self._cursor.lane[line] = lane
            if head is None:
                if heads.has_refused(lane):
                    refused.setdefault(lane)
                continue
            self._in_flight[line, lane] += self._weight(head.game)
            refused.pop(lane, None)
            turns.put_back(lane)
            room -= self._weight(head.game)
            yield Chosen(pk=head.pk, game=head.game, line=line)

    def _rank(self, line: str, lane: int) -> Rank:
        """Return the rank of a lane, by what it has in flight.

        Lanes from which nothing could be sent at the last look go behind all others.
        """
        return lane in self._cursor.refused.get(line, ()), self._in_flight[line, lane]

    def _fits(self, head: Head) -> bool:
        """Return whether all bots are in play, a worker can play the match and no cap holds it."""
        lineup = head.lineup
        is_capped = head.kind in COMPETITIONS
        if not head.may_play or (is_capped and not self._cap.has_room(lineup.bots)):
            return False
        needs = requirements_of_versions(
            lineup.versions,
            game=head.game,
            rules_version=head.rules_version,
            rated=head.rated,
            reserved_for=head.reserved_for,
        )
        if needs not in self._covered:
            self._covered[needs] = self._fleet.satisfies(needs)
        if not self._covered[needs]:
            return False
        if is_capped:
            self._cap.count(lineup.bots, matches=1, of=head.game)
        return True


def _lane_of(match: InFlight) -> tuple[str, int]:
    """Return the line and the lane in which a match waits."""
    if match.newcomer_of is None:
        return match.kind, match.lane
    return NEWCOMERS, match.newcomer_of


def _is_stale(match: InFlight, usual_s: float, ladders_s: float) -> bool:
    """Return whether a match was sent so long ago that its hint is lost."""
    is_of_ladder = match.kind == MatchKind.LADDER and match.newcomer_of is None
    after = timedelta(seconds=ladders_s if is_of_ladder else usual_s)
    return match.sent_at is not None and match.sent_at < match.now - after
