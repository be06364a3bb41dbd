from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import F, Q

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.matches.models import Match


class UncountedResult(models.Model):
    """A match whose result has yet to be counted, or counted again; a queue."""

    match = models.OneToOneField(
        Match, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    held_lane = models.PositiveBigIntegerField(null=True)
    """The match's lane while its result is hidden, so that it is not counted; else null."""

    class Meta:
        indexes = (
            models.Index(
                fields=("match",), condition=Q(held_lane__isnull=True), name="rivalry_queue"
            ),
            models.Index(
                fields=("held_lane", "match"),
                condition=Q(held_lane__isnull=False),
                name="rivalry_held",
            ),
        )

    def __str__(self) -> str:
        return f"result of match {self.match_id}"


class HeldLaneOfResults(models.Model):
    """A lane with results that wait for their release."""

    lane = models.PositiveBigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return f"held results of lane {self.lane}"


class CountingState(models.Model):
    """The progress of the search for unqueued results; its lock serialises counters."""

    patrolled = models.PositiveBigIntegerField(default=0)
    """The id up to which the present round has looked at matches."""

    def __str__(self) -> str:
        return f"looked through to match {self.patrolled}"


class MeetingQuerySet(models.QuerySet["Meeting"]):
    """Named queries for meetings."""

    def between(self, first: int, second: int) -> Self:
        """Return the meetings of two bots, in either order."""
        low, high = sorted((first, second))
        return self.filter(first_bot=low, second_bot=high)

    def counted(self) -> Self:
        """Leave out exact repeats."""
        return self.filter(is_repeat=False)


class Meeting(models.Model):
    """Two bots at the table of one public match: who was ahead, and what had been expected.

    The first of the two is the one with the lower bot, then version, then seat.
    """

    match = models.ForeignKey(
        Match, on_delete=models.CASCADE, related_name="meetings", db_index=False
    )
    first_bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    second_bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    first = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    second = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    first_seat = models.PositiveSmallIntegerField()
    second_seat = models.PositiveSmallIntegerField()
    seats = models.PositiveSmallIntegerField()
    """The number of seats at the table."""
    game = models.CharField(max_length=30)
    kind = models.CharField(max_length=12)
    lane = models.PositiveBigIntegerField()
    plies = models.PositiveIntegerField()
    ended_on = models.DateField()
    """The date of the end, in UTC."""
    first_half_points = models.PositiveSmallIntegerField()
    """2 for being ahead, 1 for a tie. If both failed, both have lost."""
    second_half_points = models.PositiveSmallIntegerField()
    is_repeat = models.BooleanField()
    """Whether it repeats an earlier match move by move; ratings and sums count that only once."""
    expected = models.PositiveIntegerField(null=True)
    """The expected share of the first in millionths, by the ratings just before; null: unrated."""
    variance = models.PositiveIntegerField(null=True)
    """The variance of that share, in millionths."""
    winner = models.ForeignKey(
        Bot, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    """The bot whose win counts: a rated one by the rules of the game, not by a fault."""
    beaten_score = models.FloatField(null=True)
    """The loser's rating right before such a win."""
    surprise = models.PositiveIntegerField(null=True)
    """The winner's expected share in millionths; null unless both ratings had settled."""

    objects = MeetingQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("match", "first_seat", "second_seat"), name="rivalry_meeting_once"
            ),
        )
        indexes = (
            models.Index(fields=("first_bot", "second_bot", "-match"), name="rivalry_of_pair"),
            models.Index(fields=("second_bot", "first_bot"), name="rivalry_of_second"),
            models.Index(
                fields=("first_bot", "second_bot", "lane", "-match"), name="rivalry_of_pair_lane"
            ),
            models.Index(
                fields=("winner", "game", "-beaten_score", "-match"),
                condition=Q(winner__isnull=False),
                name="rivalry_best_wins",
            ),
            models.Index(
                fields=("ended_on", "surprise", "match"),
                condition=Q(surprise__isnull=False),
                name="rivalry_upsets",
            ),
        )

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id} in match {self.match_id}"


class _Counts(models.Model):
    """The columns of sums; all but `meetings` leave exact repeats out."""

    meetings = models.IntegerField()
    """All meetings, exact repeats included."""
    counted = models.IntegerField()
    wins = models.IntegerField()
    draws = models.IntegerField()
    losses = models.IntegerField()
    """Losses, including matches in which both failed."""

    class Meta:
        abstract = True


class _Expectations(_Counts):
    """Counts, and how they compare with what ratings predicted."""

    rated = models.IntegerField()
    """Meetings with an expected score."""
    rated_half_points = models.IntegerField()
    expected = models.BigIntegerField()
    """Expected points, in millionths."""
    variance = models.BigIntegerField()
    """The variance of these points, in millionths."""

    class Meta:
        abstract = True


class PairSum(_Expectations):
    """The score of two bot versions against each other, in one competition and in these seats.

    Wins and expectations are those of the first.
    """

    first_bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    second_bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    first = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    second = models.ForeignKey(
        BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    game = models.CharField(max_length=30)
    kind = models.CharField(max_length=12)
    lane = models.PositiveBigIntegerField()
    """The number of a tournament or ladder season; 0 for all challenges together."""
    seats = models.PositiveSmallIntegerField()
    first_seat = models.PositiveSmallIntegerField()
    second_seat = models.PositiveSmallIntegerField()
    both_failed = models.IntegerField()
    """Meetings that both lost, because both failed."""
    second_rated_half_points = models.IntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=(
                    *("first_bot", "second_bot", "first", "second", "game"),
                    *("kind", "lane", "seats", "first_seat", "second_seat"),
                ),
                name="rivalry_pair_sum_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.first_id} against {self.second_id}"


class OpponentSumQuerySet(models.QuerySet["OpponentSum"]):
    """Named queries for opponents."""

    def met(self, bot_id: int, game: str) -> Self:
        """Return the opponents of a bot in a game."""
        return self.filter(bot=bot_id, game=game, counted__gt=0)

    def with_surplus(self) -> Self:
        """Add `surplus`: points above expectation, in standard errors."""
        points = F("rated_half_points") * 500_000.0 - F("expected")
        error = models.functions.Sqrt(F("variance") * 1_000_000.0)
        return self.filter(variance__gt=0).annotate(
            surplus=models.ExpressionWrapper(points / error, output_field=models.FloatField())
        )

    def worst(self, *, errors: float) -> Self:
        """Return those with at least so many standard errors below expectation, worst first."""
        return self._in_order("surplus").filter(Q(surplus__lte=-errors))

    def best(self, *, errors: float) -> Self:
        """Return those with at least so many standard errors above expectation, best first."""
        return self._in_order("-surplus").filter(Q(surplus__gte=errors))

    def _in_order(self, order: str) -> Self:
        return self.with_surplus().order_by(order, "pk")


class OpponentSum(_Expectations):
    """The score of one bot against another in a game, over all versions."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    other = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=30)

    surplus: float
    """Points above expectation, in standard errors; added by `with_surplus`."""

    objects = OpponentSumQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("bot", "game", "other"), name="rivalry_opponent_sum_once"
            ),
        )
        indexes = (
            models.Index(fields=("bot", "game", "-counted", "id"), name="rivalry_opponents"),
        )

    def __str__(self) -> str:
        return f"{self.bot_id} against {self.other_id} in {self.game}"


class SeatSum(_Counts):
    """The score of a bot in a seat and in matches of a length, against all others."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=30)
    seats = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    length = models.PositiveSmallIntegerField()
    """The class of matches that have 2**(length - 1) to 2**length - 1 plies."""

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("bot", "game", "seats", "seat", "length"), name="rivalry_seat_sum_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.bot_id} in seat {self.seat} of {self.seats}"
