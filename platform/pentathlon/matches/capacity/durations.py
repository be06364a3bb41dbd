"""Measurements of how long matches keep a slot busy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from pentathlon.matches.models import MatchKind, MatchQuerySet


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
    facts = ("pk", "kind", "lane", "worker", "started_at", "finished_at")
    rows = matches.recent().values_list(*facts)[:latest]
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
