"""Compares meetings with matches and sums with meetings, and repairs what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from django.db import models, transaction
from django.db.models import Q

from pentathlon.bots.models import Bot
from pentathlon.insight.rivalry.meetings import (
    make_meetings,
    public_results,
    read_rated,
    read_sides,
)
from pentathlon.insight.rivalry.models import (
    Meeting,
    OpponentSum,
    PairSum,
    SeatSum,
    UncountedResult,
)
from pentathlon.insight.rivalry.services import lock_counting, queue_results
from pentathlon.insight.rivalry.sums import COUNTS, KEYS, Key, Ledger, add, new_ledger, store
from pentathlon.matches.models import Match

_AT_ONCE: Final = 300
_FACTS: Final = (
    *("match_id", "first_bot_id", "second_bot_id", "first_id", "second_id"),
    *("first_seat", "second_seat", "seats", "game", "kind", "lane", "plies", "ended_on"),
    *("first_half_points", "second_half_points", "is_repeat"),
)
"""What is compared: not expectations, which used the ratings at the time of counting."""
_OF_BOT: Final[Mapping[type[models.Model], str]] = {
    PairSum: "first_bot",
    OpponentSum: "bot",
    SeatSum: "bot",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalryDifference:
    """One place where stored meetings or sums differ from what the results give."""

    place: str
    stored: object
    computed: object
    match: int | None = None
    """The match whose meetings differ."""
    bot: int | None = None
    """The bot whose sums differ."""

    def __str__(self) -> str:
        return f"{self.place}: stored {self.stored}, computed {self.computed}"


def find_differences() -> Iterator[RivalryDifference]:
    """Yield where meetings or sums differ from what the results give; play goes on meanwhile."""
    last = Match.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    for after, upto in pairwise((*range(0, last, _AT_ONCE), last)):
        yield from _in_meetings(after, upto)
    for bot_id in Bot.objects.order_by("pk").values_list("pk", flat=True).iterator():
        yield from _in_sums(bot_id)


def repair(difference: RivalryDifference) -> None:
    """Count a match again, or sum up a bot's meetings again."""
    if difference.match is not None:
        queue_results([difference.match])
    if difference.bot is not None:
        _restore_sums(difference.bot)


@transaction.atomic
def _in_meetings(after: int, upto: int) -> list[RivalryDifference]:
    """Compare the meetings of some matches in a row, except those that wait to be counted."""
    lock_counting()
    found = Match.objects.filter(pk__gt=after, pk__lte=upto)
    waiting = UncountedResult.objects.filter(match__gt=after, match__lte=upto)
    ids = set(found.values_list("pk", flat=True)) - set(waiting.values_list("match", flat=True))
    shown, rated, sides = public_results(ids), read_rated(ids), read_sides(ids)
    stored: dict[int, set[Key]] = {pk: set() for pk in ids}
    for meeting in Meeting.objects.filter(match__in=ids):
        stored[meeting.match_id].add(_facts(meeting))
    return [
        RivalryDifference(place=f"match {pk}", match=pk, stored=sorted(stored[pk]), computed=made)
        for pk in sorted(ids)
        for made in [
            sorted(map(_facts, make_meetings(shown[pk], sides[pk], rated[pk])))
            if pk in shown and rated[pk].is_settled
            else []
        ]
        if sorted(stored[pk]) != made
    ]


@transaction.atomic
def _in_sums(bot_id: int) -> list[RivalryDifference]:
    lock_counting()
    computed, stored = _computed_sums(bot_id), _stored_sums(bot_id)
    return [
        RivalryDifference(
            place=f"{table._meta.model_name} {key}",
            bot=bot_id,
            stored=stored[table].get(key),
            computed=computed[table].get(key),
        )
        for table in KEYS
        for key in sorted(computed[table].keys() | stored[table].keys(), key=str)
        if computed[table].get(key) != stored[table].get(key)
    ]


@transaction.atomic
def _restore_sums(bot_id: int) -> None:
    lock_counting()
    for table in KEYS:
        _rows(table, bot_id).delete()
    store(_computed_sums(bot_id))


def _computed_sums(bot_id: int) -> Ledger:
    """Return the sums of a bot, computed from its meetings."""
    ledger = new_ledger()
    meetings = Meeting.objects.filter(Q(first_bot=bot_id) | Q(second_bot=bot_id))
    for meeting in meetings.order_by().iterator(chunk_size=2000):
        add(ledger, meeting)
    return {
        table: {key: counts for key, counts in sums.items() if key[0] == bot_id}
        for table, sums in ledger.items()
    }


def _stored_sums(bot_id: int) -> Ledger:
    """Return a bot's stored sums, without those that are back at zero."""
    return {
        table: {
            row[: len(keys)]: list(row[len(keys) :])
            for row in _rows(table, bot_id).values_list(*keys, *COUNTS[table])
            if any(row[len(keys) :])
        }
        for table, keys in KEYS.items()
    }


def _rows(table: type[models.Model], bot_id: int) -> models.QuerySet[models.Model]:
    return table._default_manager.filter(**{_OF_BOT[table]: bot_id})


def _facts(meeting: Meeting) -> Key:
    return tuple(getattr(meeting, name) for name in _FACTS)
