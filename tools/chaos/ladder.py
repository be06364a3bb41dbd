"""A ladder under fire: it is joined, its season ends while it plays, and in the next all leave.

The pairings depend on when results come, so no quiet run can repeat them. But every batch must
follow from the facts stored with it, and every match must count once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.ladders.membership import join_ladder, leave_ladder
from pentathlon.ladders.models import Ladder, LadderMember, Season, SeasonState
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import LedgerRow, LedgerState
from pentathlon.tournaments.batches import Block
from pentathlon.tournaments.models import Tournament

_SEASONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderUnderFire:
    """The ladder of a game; each of its two seasons plays at least `matches_a_season` matches."""

    key: str
    matches_a_season: int

    @property
    def matches(self) -> int:
        """The minimum number of matches that the ladder plays."""
        return _SEASONS * self.matches_a_season

    def is_open(self) -> bool:
        """Return whether the reconciler has opened the ladder."""
        return Season.objects.running().filter(ladder__key=self.key).exists()

    def join(self, versions: Sequence[BotVersion]) -> None:
        """Let the author of each bot join with it."""
        ladder = Ladder.objects.get(key=self.key)
        for version in versions:
            join_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)

    def tables(self) -> list[Tournament]:
        """Return the tournaments of all divisions so far."""
        made = Tournament.objects.filter(ladder_division__season__ladder__key=self.key)
        return list(made.order_by("pk"))

    def move_on(self) -> bool:
        """End the season or leave the ladder if that is due; return whether everything is over."""
        *earlier, season = Season.objects.filter(ladder__key=self.key).order_by("number")
        done = self._matches().filter(
            place__tournament__ladder_division__season=season, state=MatchState.DONE
        )
        if done.count() >= self.matches_a_season:
            if season.number < _SEASONS:
                # The reconciler turns the season, and may be killed while it does.
                Season.objects.filter(pk=season.pk).update(closes_at=Now())
                return False
            self._leave()
        return season.number == _SEASONS and self._is_over(earlier)

    def _leave(self) -> None:
        playing = LadderMember.objects.filter(ladder__key=self.key, version__isnull=False)
        for member in playing.select_related("ladder", "bot__owner"):
            leave_ladder(actor=member.bot.owner, ladder=member.ladder, bot=member.bot)

    def _is_over(self, earlier: Sequence[Season]) -> bool:
        """Return whether nobody plays, all matches count, and earlier seasons are closed."""
        matches = self._matches()
        rows = LedgerRow.objects.filter(match__in=matches)
        left = (
            LadderMember.objects.filter(ladder__key=self.key, version__isnull=False),
            matches.exclude(state=MatchState.DONE),
            rows.filter(state__in=(LedgerState.WAITING, LedgerState.READY)),
            Block.objects.filter(tournament__in=self.tables()).open(),
        )
        is_closed = all(season.state == SeasonState.CLOSED for season in earlier)
        return is_closed and not any(each.exists() for each in left)

    def _matches(self) -> QuerySet[Match]:
        return Match.objects.filter(place__tournament__in=self.tables())
