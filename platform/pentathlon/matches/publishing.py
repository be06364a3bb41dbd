"""Which matches workers are told of next. The times of publishing are the outbox.

Validation goes first. Then lanes take turns: whichever has least in flight comes next, so that a
long tournament does not keep a short one waiting. Within a lane the order of the schedule holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from statistics import median
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Now

from pentathlon.matches.cap import Cap
from pentathlon.matches.fleet import Fleet, read_fleet
from pentathlon.matches.models import Match, MatchKind, MatchQuerySet, MatchSeat, MatchState
from pentathlon.matches.needs import needs_of

BATCH: Final = 8
"""Most matches that one hint names: they are claimed, and their results stored, together."""
WINDOW_PER_SLOT: Final = 3 * BATCH
"""Most matches in flight for each slot there is: one batch that is played, two that wait."""
RESEND_S: Final = 60
"""After how long a hint that nobody followed is published again."""
RESEND_LOST_S: Final = 5
"""The same, when the broker holds no hints: then it was lost on the way."""

_BATCH_S = 2.0
"""How long a batch may take: for longer matches nothing is won by taking them together."""
_SAMPLE = 9
_MOST_PAGES = 8

Publish = Callable[[Sequence[int]], None]


@dataclass(slots=True)
class Turn:
    """Which lane was served last; whoever publishes again and again keeps it."""

    lane: int = 0


def publish_pending(
    *,
    publish: Publish,
    window: int | None = None,
    resend_after_s: float = RESEND_S,
    turn: Turn | None = None,
) -> int:
    """Publish hints for waiting matches, up to `window` in flight; return how many matches.

    Without a window, it follows from the slots of the workers that are alive. What none of them
    can play is left for later, as is what a bot's cap holds back. A crash or an error on the way
    publishes again.
    """
    fleet = read_fleet()
    window = WINDOW_PER_SLOT * fleet.slots if window is None else window
    if window == 0 or not fleet.abilities:
        return 0
    plan = _Plan(fleet, turn or Turn(), resend_after_s=resend_after_s)
    chosen = plan.choose(window)
    hints = _hints(chosen, slots=fleet.slots)
    sent: list[int] = []
    try:
        for hint in hints:
            publish(hint)
            sent += hint
    finally:
        Match.objects.filter(pk__in=sent, state=MatchState.PENDING).update(sent_at=Now())
    return len(sent)


class _Plan:
    """One look at what waits and what is in flight."""

    def __init__(self, fleet: Fleet, turn: Turn, *, resend_after_s: float) -> None:
        self._fleet = fleet
        self._turn = turn
        in_flight = Match.objects.in_flight()
        self._cap = Cap.over(in_flight)
        stale = Q(state=MatchState.PENDING, sent_at__lt=Now() - timedelta(seconds=resend_after_s))
        self._stale = in_flight.filter(stale).order_by("pk")
        self._in_flight: Counter[tuple[str, int]] = Counter()
        for kind, lane, count in (
            in_flight.exclude(stale).values_list("kind", "lane").annotate(Count("pk"))
        ):
            self._in_flight[kind, lane] = count

    def choose(self, window: int) -> list[Match]:
        """Return what to publish now, in order."""
        room = max(0, window - self._in_flight.total())
        chosen = list(self._stale[:room])
        chosen += self._first(MatchKind.VALIDATION, room - len(chosen))
        chosen += self._by_turns(room - len(chosen))
        return chosen

    def _first(self, kind: MatchKind, room: int) -> list[Match]:
        if room <= 0:
            return []
        playable = self._playable(Match.objects.unsent().filter(kind=kind), page=room)
        return list(islice(playable, room))

    def _by_turns(self, room: int) -> Iterator[Match]:
        if room <= 0:
            return
        waiting = Match.objects.unsent().filter(kind=MatchKind.TOURNAMENT)
        numbers = list(_lanes(waiting))
        page = -(-room // max(1, len(numbers))) + BATCH
        lanes = {lane: self._playable(waiting.filter(lane=lane), page=page) for lane in numbers}
        while room and lanes:
            lane = min(lanes, key=self._precedence)
            match = next(lanes[lane], None)
            if match is None:
                del lanes[lane]
                continue
            self._in_flight[MatchKind.TOURNAMENT, lane] += 1
            self._turn.lane = lane
            room -= 1
            yield match

    def _precedence(self, lane: int) -> tuple[int, bool, int]:
        """Order lanes by what they have in flight, then in turns after the one served last."""
        return self._in_flight[MatchKind.TOURNAMENT, lane], lane <= self._turn.lane, lane

    def _playable(self, matches: MatchQuerySet, *, page: int) -> Iterator[Match]:
        """Yield those that a worker can play and that no cap holds back, in schedule order."""
        seats = MatchSeat.objects.filter(match=OuterRef("pk"))
        unknown = ~Q(version__manifest__language__in=self._fleet.runtimes)
        free = matches.exclude(Exists(seats.filter(unknown)))
        if full := self._cap.full():
            held = seats.filter(version__bot__in=full)
            free = free.exclude(Exists(held), kind=MatchKind.TOURNAMENT)
        in_order = free.with_needs().order_by("pk")
        last = 0
        # More pages are worth it only where a bot has just reached its cap.
        for _ in range(_MOST_PAGES):
            found = list(in_order.filter(pk__gt=last)[:page])
            for match in found:
                if self._fleet.covers(needs_of(match)) and self._cap.let_through(match):
                    yield match
            if len(found) < page:
                return
            last = found[-1].pk


def _lanes(waiting: MatchQuerySet) -> Iterator[int]:
    """Yield the lanes in which something waits, each found by the index alone."""
    after = -1
    in_order = waiting.order_by("lane").values_list("lane", flat=True)
    while (lane := in_order.filter(lane__gt=after).first()) is not None:
        yield lane
        after = lane


def _hints(chosen: Sequence[Match], *, slots: int) -> Iterator[list[int]]:
    """Put matches of one game together, but so that every slot gets its part of them."""
    share = -(-len(chosen) // max(1, slots))
    sizes = {game: min(share, _together(game)) for game in {match.game for match in chosen}}
    hints: dict[str, list[int]] = {}
    for match in chosen:
        hint = hints.setdefault(match.game, [])
        hint.append(match.pk)
        if len(hint) >= sizes[match.game]:
            yield hints.pop(match.game)
    yield from hints.values()


def _together(game: str) -> int:
    """Return how many matches of a game one slot should take at a time, by the latest ones."""
    latest = Match.objects.of_game(game).filter(state=MatchState.DONE).order_by("-pk")
    times = latest.values_list("started_at", "finished_at")[:_SAMPLE]
    lengths_s = [(end - start).total_seconds() for start, end in times if start and end]
    if not lengths_s:
        return 1
    longest = max(median(lengths_s), _BATCH_S / BATCH)
    return max(1, int(_BATCH_S / longest))
