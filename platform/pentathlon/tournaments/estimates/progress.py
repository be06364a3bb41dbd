"""The progress of a tournament and its expected end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db.models import Count
from django.utils import timezone

from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.capacity import Play, durations_s, is_competition, read_plays
from pentathlon.matches.models import COMPETITIONS, Match, MatchKind, MatchState
from pentathlon.ratings.models import Pool
from pentathlon.tournaments.estimates.time_left import (
    LEFT_OF_LIVE,
    NOT_TOGETHER,
    OtherLane,
    Span,
    Together,
    WorkLeft,
    expected_match_s,
    idle_per_match_s,
    play_together,
    share_of_ladders,
    time_left_s,
)
from pentathlon.tournaments.models import Tournament, TournamentState

_LATEST: Final = 200
_SAMPLE: Final = 50

_Lane = tuple[str, int]
"""Kind and number of a lane; lanes of two kinds may have the same number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a tournament, in matches."""

    done: int
    running: int
    waiting: int
    void: int
    remaining_s: float | None
    """Seconds until the last match ends, by what is left to play before it; None if unknown."""
    fewest: int | None = None
    """The fewest matches in all, if that depends on results; None if their number is known."""
    most: int | None = None

    @property
    def total(self) -> int:
        """The number of all matches of the schedule."""
        return self.done + self.running + self.waiting + self.void

    @property
    def share(self) -> float:
        """The share of matches that have ended, from 0 to 1."""
        return (self.done + self.void) / self.total if self.total else 0.0


NOTHING_PLAYED: Final = Progress(done=0, running=0, waiting=0, void=0, remaining_s=None)
"""The progress that is shown for a tournament with hidden results."""


def progress(tournament: Tournament) -> Progress:
    """Return how many matches are done, running and waiting, and how long the rest will take.

    A match counts as ended once it is rated, so the figures agree with the table.
    """
    matches = Match.objects.of_lane(tournament.pk).filter(kind__in=COMPETITIONS)
    done, void = _ended(tournament)
    running = matches.live().count()
    waiting = max(0, tournament.planned - done - void - running)
    return Progress(
        done=done,
        running=running,
        waiting=waiting,
        void=void,
        remaining_s=_remaining_s(tournament, running=running, waiting=waiting),
        fewest=tournament.fewest,
        most=tournament.most,
    )


def count_done(tournament: Tournament) -> int:
    """Return how many matches have been played, as `progress` counts them."""
    return _ended(tournament)[0]


def _ended(tournament: Tournament) -> tuple[int, int]:
    """Return how many matches were played and how many were called off."""
    pool = Pool.objects.filter(tournament=tournament).first()
    if pool is not None and pool.seat_scores is not None:
        return pool.done, pool.void
    ended = Match.objects.of_lane(tournament.pk).filter(kind__in=COMPETITIONS)
    counts: dict[str, int] = dict(ended.order_by().values_list("state").annotate(Count("pk")))
    return counts.get(MatchState.DONE, 0), counts.get(MatchState.VOID, 0)


def _remaining_s(tournament: Tournament, *, running: int, waiting: int) -> float | None:
    """Return the time until the last match ends, given other lanes that want the same slots."""
    if tournament.state != TournamentState.RUNNING or tournament.started_at is None:
        return None
    if not waiting + running:
        return 0.0
    lengths = _Lengths(tournament)
    match_s = lengths.of_own()
    if match_s is None:
        return None
    fleet = read_fleet()
    if fleet.held_slots >= fleet.slots:
        return None
    # Slots are held and released every few seconds, so the number that is held now says little;
    # the time that slots have waited for each match says how many are usually held.
    use = _read_use(fleet.slots, since=tournament.started_at)
    lengths.idle_s = use.idle_s
    in_flight = _read_in_flight()
    of_ladders = [each.game for each in in_flight if each.is_of_ladder and not each.sent_at]
    work = WorkLeft(
        match_s=match_s,
        idle_s=use.idle_s,
        running=running,
        waiting=waiting,
        in_flight=sum(each.lane == tournament.pk for each in in_flight),
        rivals=_rivals(tournament, in_flight, lengths, use),
        ladders_s=LEFT_OF_LIVE * sum(map(lengths.of_others, of_ladders)),
        ladders_share=use.ladders_share,
    )
    return time_left_s(work, slots=fleet.slots)


class _InFlight(NamedTuple):
    """A match that is being played or that a worker was told of."""

    game: str
    kind: str
    lane: int
    sent_at: datetime | None
    """When a worker was told of it; None if it is being played."""

    @property
    def is_of_ladder(self) -> bool:
        """Whether the match is one of a ladder, which is played only if nothing else waits."""
        return self.kind == MatchKind.LADDER


def _read_in_flight() -> list[_InFlight]:
    """Return the matches being played, then those that workers were told of, in their order."""
    live = Match.objects.live().order_by().values_list("game", "kind", "lane")
    facts = ("game", "kind", "lane", "sent_at")
    sent = Match.objects.sent().order_by("sent_at", "pk").values_list(*facts)
    return [*(_InFlight(*facts, None) for facts in live), *(_InFlight(*facts) for facts in sent)]


def _rivals(
    tournament: Tournament, in_flight: Iterable[_InFlight], lengths: _Lengths, use: _Use
) -> list[OtherLane]:
    """Return the other lanes that take turns with this one; one query."""
    lanes: dict[_Lane, float] = defaultdict(float)
    left: dict[_Lane, float] = defaultdict(float)
    left_before: list[dict[_Lane, float]] = []
    for each in in_flight:
        if each.lane == tournament.pk:  # a division of a ladder is one, too
            left_before.append(dict(left))
            continue
        if each.is_of_ladder:
            continue
        length_s = lengths.of_others(each.game)
        lanes[each.kind, each.lane] += length_s
        left[each.kind, each.lane] += length_s * (1.0 if each.sent_at else LEFT_OF_LIVE)
    left_s: dict[_Lane, float] = {}
    together: dict[_Lane, Together] = {}
    mine = MatchKind.TOURNAMENT, tournament.pk
    others = Tournament.objects.organised().filter(state=TournamentState.RUNNING)
    facts = ("pk", "game", "started_at", "planned", "pool__done", "pool__void")
    rows = others.exclude(pk=tournament.pk).values_list(*facts)
    for pk, game, begun, planned, done, void in rows:
        lane = MatchKind.TOURNAMENT, pk
        lanes[lane] += 0.0
        left_s[lane] = (planned - (done or 0) - (void or 0)) * lengths.of_others(game)
        together[lane] = use.of_both(mine, lane, since=begun)
    return [
        OtherLane(
            # Validations and challenges have no matches beyond those in flight.
            left_s=max(left_s.get(lane, told_s), 0.0),
            in_flight_s=told_s,
            ahead_s=[before.get(lane, 0.0) for before in left_before],
            together=together.get(lane, NOT_TOGETHER),
        )
        for lane, told_s in lanes.items()
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """The work of slots since a tournament began, or lately."""

    since: datetime
    spans: Mapping[_Lane, Sequence[Span]]
    """When slots played matches, by kind and number of their lane."""
    idle_s: float
    """Seconds that a slot has waited for each match."""
    ladders_share: float
    """Seconds of play for ladders per second of play for others."""

    def of_both(self, own: _Lane, other: _Lane, *, since: datetime | None) -> Together:
        """Return the work of slots for two lanes, of which the other began at a given time."""
        return play_together(
            self.spans.get(own, ()),
            self.spans.get(other, ()),
            since=max(since or self.since, self.since),
            idle_s=self.idle_s,
        )


def _read_use(slots: int, *, since: datetime) -> _Use:
    now = timezone.now()
    plays = read_plays(Match.objects.all(), latest=_LATEST)
    if len(plays) == _LATEST:
        since = max(since, plays[-1].finished_at)
    # Matches that a slot claims together keep only one slot busy.
    ends = {play.batch: play.finished_at for play in reversed(plays)}
    kinds = {play.batch: play.kind for play in plays}
    spans = _spans(plays)
    live = Match.objects.live().order_by("pk").values_list("worker", "started_at", "kind", "lane")
    running = 0
    for worker, begun, kind, lane in live:
        running += 1
        if begun is None:
            continue
        batch = worker, begun
        if ends.get(batch) != now:
            spans[kind, lane].append(Span(begin=ends.get(batch, begun), end=now))
            ends[batch], kinds[batch] = now, kind
    idle_s = idle_per_match_s(
        [Span(begin=begun, end=end) for (_, begun), end in ends.items()],
        since=since,
        until=now,
        slots=slots,
        matches=sum(play.finished_at > since for play in plays) + LEFT_OF_LIVE * running,
    )
    played_s = {True: 0.0, False: 0.0}
    for batch, end in ends.items():
        # Matches that had begun before did not compete with this tournament.
        if batch[1] >= since:
            played_s[kinds[batch] == MatchKind.LADDER] += (end - batch[1]).total_seconds()
    share = share_of_ladders(ladders_s=played_s[True], others_s=played_s[False])
    return _Use(since=since, spans=spans, idle_s=idle_s, ladders_share=share)


def _spans(plays: Sequence[Play]) -> dict[_Lane, list[Span]]:
    """Return when slots played the matches that have ended, by kind and lane."""
    spans: dict[_Lane, list[Span]] = defaultdict(list)
    took_s = durations_s(plays)
    for play in plays:
        begin = play.finished_at - timedelta(seconds=took_s[play.pk])
        spans[play.kind, play.lane].append(Span(begin=begin, end=play.finished_at))
    return spans


class _Lengths:
    """The present length of each game's matches, read once for each game."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._known: dict[str, tuple[list[float], list[float]]] = {}
        self.idle_s = 0.0
        """Seconds that a slot waits for a match of another lane."""

    def of_own(self) -> float | None:
        """Return the expected length of the tournament's own matches; None if unknown."""
        own_s, others_s = self._read(self._tournament.game)
        return expected_match_s(own_s, others_s=others_s)

    def of_others(self, game: str) -> float:
        """Return how long a slot waits for a match of another lane and plays it; 0 if unknown.

        Other lanes have other bots, which may think longer.
        """
        own_s, others_s = self._read(game)
        length_s = expected_match_s(others_s or own_s, others_s=())
        return 0.0 if length_s is None else length_s + self.idle_s

    def _read(self, game: str) -> tuple[list[float], list[float]]:
        """Return the lengths of a game's latest matches, own and others; one query."""
        if game in self._known:
            return self._known[game]
        plays = read_plays(Match.objects.of_game(game), latest=_LATEST)
        took_s = durations_s(plays)
        own = [took_s[play.pk] for play in plays if play.lane == self._tournament.pk]
        others = [play for play in plays if play.lane != self._tournament.pk]
        # Validations also build bots, so they count only if nothing else was played.
        alike = [took_s[play.pk] for play in others if is_competition(play)]
        others_s = alike or [took_s[play.pk] for play in others]
        self._known[game] = own[:_SAMPLE], others_s[:_SAMPLE]
        return self._known[game]
