"""The statements that every claim and every result of matches runs, each compiled once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import CharField, F, Field, IntegerField, UUIDField
from django.db.models.functions import Now

from pentathlon.core.models import by_id
from pentathlon.core.statements import Changes, Read, Update
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchSeat, MatchState

NO_LEASE: Final = {"token": None, "lease_until": None, "sent_at": None}
TOLD_OF_MATCH: Final = (
    *("plies", "outcome_reason", "sandbox", "chain", "course", "referee_build", "bots_build"),
)
"""What the result of a match says of it, beside its seats."""
TOLD: Final = (
    *("rank", "score", "actions", "fault_kind", "fault_ply", "exit_status"),
    *("cpu_ms", "wall_ms", "memory_peak_mb", "stdout_bytes", "stderr_bytes"),
    "fault_detail",
)
"""The columns of a seat that its result fills."""


def _taken(ids: Sequence[int], tokens: Sequence[UUID], worker: str) -> Changes:
    changes = {
        "state": MatchState.RUNNING,
        "token": by_id(dict(zip(ids, tokens, strict=True)), UUIDField()),
        "worker": worker,
        "attempts_made": F("attempts_made") + 1,
        "lease_until": Now() + timedelta(seconds=LEASE_S),
        "started_at": Now(),
        "progressed_at": Now(),
        "ply": 0,
    }
    # Conditional, so that even without the lock one of two claimers sees no row change.
    return Match.objects.filter(pk__in=ids).startable(), changes


def _finished(ids: Sequence[int], *told: Sequence[object]) -> Changes:
    columns: dict[str, Field[Any, Any]] = {
        "ply": IntegerField(),
        **dict.fromkeys(TOLD_OF_MATCH[1:], CharField()),
    }
    changes = {
        name: by_id(dict(zip(ids, values, strict=True)), field)
        for (name, field), values in zip(columns.items(), told, strict=True)
    }
    ended = {"state": MatchState.DONE, "state_reason": "", "finished_at": Now(), **NO_LEASE}
    return Match.objects.filter(pk__in=ids), {**changes, **ended}


UNLOCKED: Final = Read(
    lambda ids: (
        Match.objects.filter(pk__in=ids)
        .startable()
        .order_by("pk")
        .select_for_update(skip_locked=True)
        .values_list("pk", flat=True)
    )
)
NOTE_SENT: Final = Update(lambda ids: (Match.objects.filter(pk__in=ids), {"sent_at": Now()}))
TAKE_BACK: Final = Update(lambda ids: (Match.objects.filter(pk__in=ids), {"sent_at": None}))
WAITING: Final = Read(
    lambda ids: (
        Match.objects.filter(pk__in=ids)
        .startable()
        .order_by("pk")
        .with_openness()
        .select_for_update(skip_locked=True)
    )
)
TAKE: Final = Update(_taken)
RUNNING: Final = Read(
    lambda ids: (
        Match.objects.filter(pk__in=ids, state=MatchState.RUNNING)
        .order_by("pk")
        .select_for_update()
        .values_list("pk", "token", "kind")
    )
)
FINISH: Final = Update(_finished)
SEAT: Final = Update(
    lambda match, seat, *told: (
        MatchSeat.objects.filter(match=match, seat=seat),
        dict(zip(TOLD, told, strict=True)),
    )
)
ACCEPT: Final = Update(
    lambda token, result_hash: (
        Attempt.objects.filter(token=token),
        {"state": AttemptState.ACCEPTED, "result_hash": result_hash, "ended_at": Now()},
    )
)
