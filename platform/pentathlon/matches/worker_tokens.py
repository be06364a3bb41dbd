"""What a token gives a worker of matches, and what happens to them when it is revoked."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from pentathlon.bots.models import Archive
from pentathlon.common.errors import NotFound
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon.matches.services import return_match

BATCH: Final = 4
"""Most matches that are named to one slot at a time where there is no queue."""


def read_archive_of(*, token: WorkerToken, match_id: int, content_hash: str) -> bytes:
    """Return the files of a bot that sits in a match which this token's worker plays now.

    Raises `NotFound` otherwise: what sits in other matches is no affair of that worker.
    """
    held = Attempt.objects.filter(
        worker_token=token.pk, match=match_id, state=AttemptState.RUNNING
    )
    seats = Match.objects.filter(pk=match_id, attempts__in=held).values_list(
        "seats__version__archive", "seats__version__built"
    )
    if not any(content_hash in seat for seat in seats):
        raise NotFound(
            "No match that this worker plays now needs these files.", code="unneeded_files"
        )
    data = Archive.objects.values_list("data", flat=True).get(pk=content_hash)
    return bytes(data)


def sent_matches() -> list[int]:
    """Return some matches that hints were sent out for and that nobody has claimed."""
    sent = Match.objects.startable().filter(sent_at__isnull=False).order_by("sent_at", "pk")
    return list(sent.values_list("pk", flat=True)[:BATCH])


def revoke_worker_token(token: WorkerToken) -> int:
    """Revoke a token at once and for good; return how many of its matches go to others."""
    with transaction.atomic():
        WorkerToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=Now())
        Worker.objects.filter(token=token.pk).update(is_draining=True)
    running = Attempt.objects.filter(worker_token=token.pk, state=AttemptState.RUNNING)
    held = list(running.values_list("match_id", "token"))
    reason = "The token of its worker was revoked."
    return sum(
        return_match(match_id=match_id, token=attempt, reason=reason) for match_id, attempt in held
    )
