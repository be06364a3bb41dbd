"""How many matches go before one that waits, and how long that takes: numbers that fall."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from django.db.models import Q

from pentathlon.matches.capacity import durations_s, read_plays
from pentathlon.matches.dispatch.publishing import TURN_OF_NEWCOMERS
from pentathlon.matches.models import Match, MatchKind

_LATEST: Final = 50
"""The matches whose lengths tell how long a slot takes for one."""
_MOST: Final = 2000
"""The most waiting matches of new versions that are read; what stands behind them is not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What goes before a waiting match."""

    matches: int
    expected_s: int | None
    """Seconds until its turn, as matches have lasted lately; None while that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLine:
    """The matches that go out next, in their order, and how fast they go."""

    sent: tuple[int, ...] = ()
    """Matches that were sent to workers and that no slot has taken yet."""
    newcomers: tuple[tuple[int | None, int], ...] = ()
    """Matches for new versions that wait to be sent, each behind the id of its author."""
    slots: int = 0
    match_s: float | None = None
    """The seconds for which a match has lately kept a slot busy."""
    others_wait: bool = False
    """Whether others take the turns between those of new versions."""

    def before(self, match: Match) -> Before | None:
        """Return what goes before a match; None if its place is not known."""
        if match.pk in self.sent:
            place = self.sent.index(match.pk)
            return Before(matches=place, expected_s=self._seconds(place))
        own = [pk for author, pk in self.newcomers if author == match.newcomer_of]
        if match.pk not in own:
            return None
        mine = own.index(match.pk)
        # Authors take turns, and each of the others may have one before its author's next.
        authors = Counter(author for author, _ in self.newcomers if author != match.newcomer_of)
        place = mine + sum(min(count, mine + 1) for count in authors.values())
        turns = TURN_OF_NEWCOMERS if self.others_wait else 1
        return Before(matches=place, expected_s=self._seconds(len(self.sent) + place * turns))

    def _seconds(self, matches: int) -> int | None:
        if not matches:
            return 0
        if self.match_s is None or not self.slots:
            return None
        return round(matches * self.match_s / self.slots)


def read_line(*, slots: int) -> MatchLine:
    """Read the line as it is now, with four queries."""
    sent = Match.objects.sent().exclude(kind=MatchKind.LADDER, newcomer_of=None)
    unsent = Match.objects.unsent()
    newcomers = unsent.filter(newcomer_of__isnull=False).order_by("newcomer_of", "pk")
    is_other = ~Q(kind=MatchKind.LADDER) & Q(newcomer_of=None)
    lasted_s = durations_s(read_plays(Match.objects.all(), latest=_LATEST)).values()
    return MatchLine(
        sent=tuple(sent.order_by("sent_at", "pk").values_list("pk", flat=True)),
        newcomers=tuple(newcomers.values_list("newcomer_of", "pk")[:_MOST]),
        slots=slots,
        match_s=fmean(lasted_s) if lasted_s else None,
        others_wait=unsent.filter(is_other).exists(),
    )
