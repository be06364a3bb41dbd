"""How many matches one bot may play at a time, so that none keeps all workers busy.

Validation does not count: an upload is checked whatever its bot plays meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.conf import settings
from django.db import connection
from django.db.models import Count

from pentathlon.bots.models import Bot
from pentathlon.matches.models import Match, MatchKind, MatchQuerySet, MatchSeat


class Cap:
    """Counts the matches of each bot; matches that are let through are counted, too."""

    def __init__(self, playing: Counter[int]) -> None:
        self._playing = playing
        self._most: int = settings.BOT_MATCHES

    @classmethod
    def over(cls, matches: MatchQuerySet, *, bots: Iterable[int] | None = None) -> Cap:
        """Count the tournament matches of these bots, else of all, among `matches`."""
        counted = matches.filter(kind=MatchKind.TOURNAMENT)
        seats = MatchSeat.objects.filter(match__in=counted)
        if bots is not None:
            seats = seats.filter(version__bot__in=bots)
        by_bot = seats.values_list("version__bot").annotate(count=Count("match", distinct=True))
        return cls(Counter(dict(by_bot)))

    def holds(self, match: Match) -> str | None:
        """Return the name of a bot that keeps this match waiting, if there is one."""
        if match.kind != MatchKind.TOURNAMENT:
            return None
        bots = (seat.version.bot for seat in match.seats.all())
        return next((bot.name for bot in bots if self._playing[bot.pk] >= self._most), None)

    def let_through(self, match: Match) -> bool:
        """Count a match if all of its bots may play one more; tell whether they may."""
        if self.holds(match) is not None:
            return False
        if match.kind == MatchKind.TOURNAMENT:
            self._playing.update(bots_of(match))
        return True


def within_cap(matches: Sequence[Match]) -> list[Match]:
    """Return those of these matches that may start now; call it in a transaction.

    Matches need their seats loaded. Nobody else lets matches of the same bots through meanwhile.
    """
    bots = {
        bot for match in matches if match.kind == MatchKind.TOURNAMENT for bot in bots_of(match)
    }
    if not bots:
        return list(matches)
    if connection.features.has_select_for_update:
        # In the order of ids: two claims for the same pair must not deadlock.
        list(Bot.objects.filter(pk__in=bots).order_by("pk").select_for_update(no_key=True))
    cap = Cap.over(Match.objects.live().order_by(), bots=bots)
    return [match for match in matches if cap.let_through(match)]


def bots_of(match: Match) -> set[int]:
    """Return the ids of the bots at the table; load seats and versions before."""
    return {seat.version.bot_id for seat in match.seats.all()}
