"""Capacity: how long matches last, and how many one bot and one worker play at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from pentathlon.bots.models import Bot
from pentathlon.core.statements import Read
from pentathlon.matches.models import COMPETITIONS, Match, MatchKind, MatchQuerySet, MatchSeat

BATCH: Final = 8
"""The most matches that one hint names; they are claimed, and their results stored, together."""
_BATCH_S = 2.0
"""Seconds that a batch may take; with longer matches, nothing is gained by a batch."""
_SAMPLE = 9
_USUAL = 0.75
"""The quantile of the lengths of matches that is taken as the usual length."""
_ROUNDING: Final = 1e-9
"""The rounding error to allow for, since shares of slots are sums of fractions."""
_LOCK_S: Final = 1
"""Seconds that a claim waits for others that claim matches of the same bots."""


class InFlight(NamedTuple):
    """A match that is played, or for which a hint was sent."""

    pk: int
    kind: str
    lane: int
    newcomer_of: int | None
    game: str
    worker: str
    sent_at: datetime | None
    now: datetime
    """When this was read, by the clock of the database."""


_TIMES: Final = ("pk", "kind", "lane", "worker", "started_at", "finished_at")
_LATEST: Final = Read(
    lambda game: Match.objects.of_game(game).recent().values_list(*_TIMES)[:_SAMPLE]
)
_BOTS: Final = Read(
    lambda ids: MatchSeat.objects.filter(match__pk__in=ids).values_list("match", "version__bot")
)
_THESE_BOTS: Final = Read(
    lambda ids, bots: MatchSeat.objects.filter(
        match__pk__in=ids, version__bot__pk__in=bots
    ).values_list("match", "version__bot")
)


def _locked(bots: Sequence[int], *, skip_locked: bool) -> QuerySet[Bot, int]:
    # In the order of ids: two claims for the same pair must not deadlock.
    rows = Bot.objects.filter(pk__in=bots).order_by("pk").values_list("pk", flat=True)
    return rows.select_for_update(no_key=True, skip_locked=skip_locked)


_LOCK: Final = Read(partial(_locked, skip_locked=False))
_LOCK_FREE: Final = Read(partial(_locked, skip_locked=True))


def _in_flight(matches: MatchQuerySet) -> QuerySet[Match, Any]:  # Any: of `InFlight`
    return matches.order_by().annotate(now=Now()).values_list(*InFlight._fields)


_LIVE: Final = Read(lambda: _in_flight(Match.objects.live()))
_SENT: Final = Read(lambda: _in_flight(Match.objects.sent()))


def live_matches() -> list[InFlight]:
    """Return the matches that are played right now."""
    return list(map(InFlight._make, _LIVE()))


def sent_matches() -> list[InFlight]:
    """Return the matches for which hints were sent that no slot has followed yet."""
    return list(map(InFlight._make, _SENT()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """The time of a match, and the slot that played it."""

    pk: int
    kind: str
    lane: int
    worker: str
    started_at: datetime
    finished_at: datetime

    @property
    def batch(self) -> tuple[str, datetime]:
        """Return the slot and the start, which all matches claimed together share."""
        return self.worker, self.started_at


def read_plays(matches: MatchQuerySet, *, latest: int) -> list[Play]:
    """Return the plays of the latest of these matches, the latest end first, in one query."""
    return _plays(matches.recent().values_list(*_TIMES)[:latest])


def _plays(rows: Iterable[Any]) -> list[Play]:  # Any: `_TIMES`
    return [
        Play(pk=pk, kind=kind, lane=lane, worker=worker, started_at=begun, finished_at=ended)
        for pk, kind, lane, worker, begun, ended in rows
        if begun is not None and ended is not None
    ]


def durations_s(plays: Sequence[Play]) -> dict[int, float]:
    """Return the seconds for which each match kept its slot busy, by its id, in the order given.

    A slot claims matches in batches and plays one after the other, so the times from claim to end
    overlap: each match begins when the one before it has ended, and those whose results came
    together share the time since then.
    """
    batches: dict[tuple[str, datetime], list[Play]] = defaultdict(list)
    for play in plays:
        batches[play.batch].append(play)
    took_s: dict[int, float] = {}
    for (_, begun), batch in batches.items():
        before = begun
        for ended, group in groupby(
            sorted(batch, key=attrgetter("finished_at")), key=attrgetter("finished_at")
        ):
            together = list(group)
            share_s = (ended - before).total_seconds() / len(together)
            took_s.update((play.pk, max(0.0, share_s)) for play in together)
            before = ended
    return {play.pk: took_s[play.pk] for play in plays}


def is_competition(play: Play) -> bool:
    """Return whether a match was of a competition; validations, for example, also build bots."""
    return play.kind in (MatchKind.TOURNAMENT, MatchKind.LADDER)


class BatchSizes:
    """The number of matches of each game that one slot takes at a time."""

    def __init__(self) -> None:
        self._sizes: dict[str, int | None] = {}

    def of(self, game: str) -> int | None:
        """Return the number for a game; None if it is not known yet. Each game costs one query."""
        if game not in self._sizes:
            self._sizes[game] = _batch_size(game)
        return self._sizes[game]


def _batch_size(game: str) -> int | None:
    plays = _plays(_LATEST(game))
    lengths_s = sorted(durations_s(plays).values())
    if not lengths_s:
        return None
    # The quantile ignores the few validations with builds, but not every third match being long:
    # then most batches would hold a long one.
    usual_s = lengths_s[int(_USUAL * len(lengths_s))]
    return max(1, int(_BATCH_S / max(usual_s, _BATCH_S / BATCH)))


class Cap:
    """Counts the slots that each bot keeps busy, or will keep busy, in competitions.

    A slot that has claimed several matches plays them one after the other, so it counts once for
    each of their bots. Sent matches count by how many of them one slot takes at a time.
    """

    def __init__(self, kept: Mapping[int, float], *, sizes: BatchSizes | None = None) -> None:
        self._kept = defaultdict[int, float](float, kept)
        self._sizes = sizes or BatchSizes()
        self._most = settings.BOT_MATCHES - _ROUNDING
        self._full = {bot for bot, slots in kept.items() if slots >= self._most}

    @classmethod
    def over(
        cls,
        live: Iterable[InFlight],
        *,
        sent: Iterable[InFlight] = (),
        bots: Collection[int] | None = None,
        sizes: BatchSizes | None = None,
    ) -> Cap:
        """Count live matches, of these bots or else of all, and sent ones: some hundred."""
        played = {each.pk: each.worker for each in live if each.kind in COMPETITIONS}
        waiting = {each.pk: each.game for each in sent if each.kind in COMPETITIONS}
        ids = [*played, *waiting]
        workers = defaultdict[int, set[str]](set)
        games = Counter[tuple[int, str]]()
        for match, bot in set(_BOTS(ids) if bots is None else _THESE_BOTS(ids, sorted(bots))):
            if match in played:
                workers[bot].add(played[match])
            else:
                games[bot, waiting[match]] += 1
        cap = cls({bot: len(names) for bot, names in workers.items()}, sizes=sizes)
        for (bot, game), matches in games.items():
            cap.count([bot], matches=matches, of=game)
        return cap

    def holds(self, match: Match) -> str | None:
        """Return the name of a bot that keeps this match waiting, if there is one."""
        if match.kind not in COMPETITIONS:
            return None
        bots = (seat.version.bot for seat in match.seats.all())
        return next((bot.name for bot in bots if bot.pk in self._full), None)

    def has_room(self, bots: Iterable[int]) -> bool:
        """Return whether each of these bots may keep one more slot busy."""
        return self._full.isdisjoint(bots)

    def count(self, bots: Iterable[int], *, matches: int, of: str) -> None:
        """Count more matches of a game between these bots, for which hints will be sent."""
        share = matches / (self._sizes.of(of) or 1)
        for bot in bots:
            self._kept[bot] += share
            if self._kept[bot] >= self._most:
                self._full.add(bot)


def within_cap(matches: Sequence[Match]) -> list[Match]:
    """Return which of these matches one slot may start now; call it in a transaction.

    The matches need their seats loaded. No other claim lets matches of the same bots through
    meanwhile; bots locked by a claim that hangs hold back only their own matches.
    """
    bots = {bot for match in matches if match.kind in COMPETITIONS for bot in bots_of(match)}
    if not bots:
        return list(matches)
    if connection.features.has_select_for_update:
        locked = _lock(bots)
        matches = [match for match in matches if _is_free(match, locked)]
    cap = Cap.over(live_matches(), bots=bots)
    # Together, the matches keep one slot busy, so they do not count against each other.
    return [
        match
        for match in matches
        if match.kind not in COMPETITIONS or cap.has_room(bots_of(match))
    ]


def _lock(bots: Collection[int]) -> set[int]:
    """Lock bots against other claims; return those that were free."""
    ids = sorted(bots)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_S}s'")
            return set(_LOCK(ids))
    except OperationalError:
        if not connection.is_usable():
            raise
    # Other claims take milliseconds: one that still holds bots hangs until the database ends it.
    return set(_LOCK_FREE(ids))


def _is_free(match: Match, locked: Collection[int]) -> bool:
    return match.kind not in COMPETITIONS or bots_of(match).issubset(locked)


def bots_of(match: Match) -> set[int]:
    """Return the ids of the bots at the table; load seats and versions before."""
    return {seat.version.bot_id for seat in match.seats.all()}
