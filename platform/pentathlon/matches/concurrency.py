"""How many matches one bot may play at a time, so that none keeps all workers busy.

Validation does not count: an upload is checked whatever its bot plays meanwhile. Challenges do not
either: they have a share of the window of their own, and must not hold back rated play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Final

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Count

from pentathlon.bots.models import Bot
from pentathlon.matches.models import COMPETITIONS, Match, MatchQuerySet, MatchSeat

_LOCK_S: Final = 1
"""How long a claim waits for others that claim matches of the same bots."""


class Cap:
    """Counts the matches of each bot in competitions, those that are let through included."""

    def __init__(self, playing: Counter[int]) -> None:
        self._playing = playing
        self._most: int = settings.BOT_MATCHES
        self._full = {bot for bot, count in playing.items() if count >= self._most}

    @classmethod
    def over(cls, *sets: MatchQuerySet, bots: Iterable[int] | None = None) -> Cap:
        """Count matches in competitions of these bots, else of all, among some hundred."""
        found = (matches.order_by().values_list("pk", "kind") for matches in sets)
        counted = [pk for pk, kind in chain(*found) if kind in COMPETITIONS]
        seats = MatchSeat.objects.filter(match__in=counted)
        if bots is not None:
            seats = seats.filter(version__bot__in=bots)
        by_bot = seats.values_list("version__bot").annotate(count=Count("match", distinct=True))
        return cls(Counter(dict(by_bot)))

    def holds(self, match: Match) -> str | None:
        """Return the name of a bot that keeps this match waiting, if there is one."""
        if match.kind not in COMPETITIONS:
            return None
        bots = (seat.version.bot for seat in match.seats.all())
        return next((bot.name for bot in bots if bot.pk in self._full), None)

    def has_room(self, bots: Iterable[int]) -> bool:
        """Tell whether each of these bots may play one more match."""
        return self._full.isdisjoint(bots)

    def count(self, bots: Collection[int]) -> None:
        """Count one more match of these bots."""
        self._playing.update(bots)
        self._full.update(bot for bot in bots if self._playing[bot] >= self._most)

    def let_through(self, match: Match) -> bool:
        """Count a match if all of its bots may play one more; tell whether they may."""
        if match.kind not in COMPETITIONS:
            return True
        bots = bots_of(match)
        if not self.has_room(bots):
            return False
        self.count(bots)
        return True


def within_cap(matches: Sequence[Match]) -> list[Match]:
    """Return those of these matches that may start now; call it in a transaction.

    Matches need their seats loaded. Nobody else lets matches of the same bots through meanwhile;
    bots that somebody who hangs has locked hold back their own matches only.
    """
    bots = {bot for match in matches if match.kind in COMPETITIONS for bot in bots_of(match)}
    if not bots:
        return list(matches)
    if connection.features.has_select_for_update:
        locked = _lock(bots)
        matches = [match for match in matches if _is_free(match, locked)]
    cap = Cap.over(Match.objects.live(), bots=bots)
    return [match for match in matches if cap.let_through(match)]


def _lock(bots: Collection[int]) -> set[int]:
    """Lock bots against other claims; return those that were to be had."""
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
    # Other claims take milliseconds: whoever has these hangs, until the database ends it.
    return set(rows.select_for_update(no_key=True, skip_locked=True))


def _is_free(match: Match, locked: Collection[int]) -> bool:
    return match.kind not in COMPETITIONS or bots_of(match).issubset(locked)


def bots_of(match: Match) -> set[int]:
    """Return the ids of the bots at the table; load seats and versions before."""
    return {seat.version.bot_id for seat in match.seats.all()}
