"""Tells authors by webhook that matches of their bots have ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from pentathlon.core.statements import Read
from pentathlon.matches.models import Match, MatchSeat
from pentathlon.webhooks.outbox import listeners, note_events

_EVENT: Final = "match.finished"
_LISTENERS: Final = Read(lambda: listeners(_EVENT).values_list("owner")[:1])


def note_finished(match_ids: Collection[int]) -> None:
    """Note for the bots' authors which public matches of these have ended.

    Validations are left out, because an event of their own tells their result.
    """
    # Hardly anybody wants so many events; without a listener, this costs one look at an index.
    if not _LISTENERS():
        return
    shown = Match.objects.public().filter(pk__in=match_ids)
    games = dict(shown.values_list("pk", "game"))
    wanted = MatchSeat.objects.filter(
        match__in=games, version__bot__owner__in=listeners(_EVENT).values("owner")
    )
    people: dict[int, set[int]] = defaultdict(set)
    for match_id, owner in wanted.values_list("match", "version__bot__owner"):
        people[match_id].add(owner)
    note_events(
        _EVENT,
        happened=[
            (owners, {"match": pk, "game": games[pk], "url": f"/api/v1/matches/{pk}/"})
            for pk, owners in sorted(people.items())
        ],
    )
