"""The cap on matches that one bot plays at a time, so that none keeps all workers busy.

A slot plays one match at a time, whatever else it has claimed, so the cap counts slots.

Validation does not count: an upload is checked whatever its bot plays meanwhile. Challenges do not
either: they have a share of the window of their own, and must not hold back rated play.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Count, QuerySet

from pentathlon.bots.models import Bot
from pentathlon.matches.capacity.batches import BatchSizes
from pentathlon.matches.models import COMPETITIONS, Match, MatchQuerySet, MatchSeat

_ROUNDING: Final = 1e-9
"""The rounding error to allow for, since shares of slots are sums of fractions."""
_LOCK_S: Final = 1
"""Seconds that a claim waits for others that claim matches of the same bots."""


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
        live: MatchQuerySet,
        *,
        sent: MatchQuerySet | None = None,
        bots: Iterable[int] | None = None,
        sizes: BatchSizes | None = None,
    ) -> Cap:
        """Count live matches, of these bots or else of all, and sent ones: some hundred."""
        seats = _seats_of(live)
        if bots is not None:
            seats = seats.filter(version__bot__in=bots)
        by_bot = seats.values_list("version__bot")
        slots = by_bot.annotate(slots=Count("match__worker", distinct=True))
        cap = cls(dict(slots), sizes=sizes)
        if sent is not None:
            by_game = _seats_of(sent).values_list("version__bot", "match__game")
            for bot, game, matches in by_game.annotate(count=Count("match", distinct=True)):
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


def _seats_of(matches: MatchQuerySet) -> QuerySet[MatchSeat]:
    """Return the seats of these matches, as far as they are of competitions."""
    found = matches.order_by().values_list("pk", "kind")
    return MatchSeat.objects.filter(match__in=[pk for pk, kind in found if kind in COMPETITIONS])


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
    cap = Cap.over(Match.objects.live(), bots=bots)
    # Together, the matches keep one slot busy, so they do not count against each other.
    return [
        match
        for match in matches
        if match.kind not in COMPETITIONS or cap.has_room(bots_of(match))
    ]


def _lock(bots: Collection[int]) -> set[int]:
    """Lock bots against other claims; return those that were free."""
    # In the order of ids: two claims for the same pair must not deadlock.
    rows = Bot.objects.filter(pk__in=bots).order_by("pk").values_list("pk", flat=True)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{_LOCK_S}s'")
            return set(rows.select_for_update(no_key=True))
    except OperationalError:
        if not connection.is_usable():
            raise
    # Other claims take milliseconds: one that still holds bots hangs until the database ends it.
    return set(rows.select_for_update(no_key=True, skip_locked=True))


def _is_free(match: Match, locked: Collection[int]) -> bool:
    return match.kind not in COMPETITIONS or bots_of(match).issubset(locked)


def bots_of(match: Match) -> set[int]:
    """Return the ids of the bots at the table; load seats and versions before."""
    return {seat.version.bot_id for seat in match.seats.all()}
