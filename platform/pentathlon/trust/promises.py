"""Looks whether tokens keep their promise to play: what they hold has to make progress and to end.

The slots of a token that finishes nothing, although there is work for it, count for no plan. One
whose workers only hold matches goes into quarantine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import chain
from typing import Final

from django.db.models import Max
from django.db.models.functions import Now

from pentathlon.core.clock import database_now
from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.models import (
    Attempt,
    AttemptState,
    Match,
    MatchQuerySet,
)
from pentathlon.matches.worker_tokens import held_by_token, most_held, sent_matches
from pentathlon.trust.quarantine import begin_quarantine
from pentathlon_engines.commentary.words import count

STILL_S: Final = 60.0
"""How long a match may stand still, or wait for a worker, before its token counts as idle."""
MOST_STALLED: Final = 4
"""So many matches held without progress in an hour put a token into quarantine."""
LEAST_PLAYED: Final = 4
"""Unless it has played so many times as many."""
_LATELY: Final = timedelta(hours=1)
_LOOKED_AT: Final = 1000


def watch_promises() -> int:
    """Look at all tokens that are in use; return how many went into quarantine.

    The reconciler calls it again and again.
    """
    in_use = WorkerToken.objects.filter(
        last_used_at__gt=Now() - _LATELY, revoked_at=None, quarantined_at=None
    )
    found = 0
    for token in in_use.order_by("pk"):
        ended = _lately_ended(token)
        _note_fruit(token, ended)
        if reason := _why_idle(token, ended):
            begin_quarantine(token_id=token.pk, reason=reason, questions_results=False)
            found += 1
    return found


def matches_without_progress() -> MatchQuerySet:
    """Return matches that somebody holds and that have not gone on for a minute."""
    return Match.objects.live().filter(progressed_at__lt=Now() - timedelta(seconds=STILL_S))


def _note_fruit(token: WorkerToken, ended: Sequence[Attempt]) -> None:
    """Note since when a token has had work and finished none of it, if it does so."""
    since = token.fruitless_since
    is_idle = _has_work(token) and not _makes_progress(token)
    played = (each.ended_at for each in ended if each.state == AttemptState.ACCEPTED)
    if is_idle and since and not any(at and at > since for at in played):
        return
    if is_idle or since:
        row = WorkerToken.objects.filter(pk=token.pk)
        row.update(fruitless_since=Now() if is_idle else None)


def _why_idle(token: WorkerToken, ended: Iterable[Attempt]) -> str:
    """Say why a token goes into quarantine because it holds matches and does not play them.

    A host that dies may lose all that it holds once. What was before staff released the token does
    not count again.
    """
    released = token.quarantines.aggregate(at=Max("ended_at"))["at"]
    states = Counter(each.state for each in ended if not released or each.started_at > released)
    stalled, lost = states[AttemptState.STALLED], states[AttemptState.EXPIRED]
    played = states[AttemptState.ACCEPTED]
    is_holding = stalled >= MOST_STALLED or lost > most_held(token)
    if not is_holding or played >= LEAST_PLAYED * (stalled + lost):
        return ""
    return (
        f"In an hour, its workers held {count(stalled, 'match')} without progress, fell silent in "
        f"{lost} and played {played}."
    )


def _has_work(token: WorkerToken) -> bool:
    """Return whether a token holds matches, or could have claimed some for a while."""
    if held_by_token(token).exists():
        return True
    waiting = Match.objects.filter(pk__in=chain.from_iterable(sent_matches(token)))
    return waiting.filter(sent_at__lt=Now() - timedelta(seconds=STILL_S)).exists()


def _makes_progress(token: WorkerToken) -> bool:
    going = held_by_token(token).exclude(ply=0)
    return going.filter(progressed_at__gt=Now() - timedelta(seconds=STILL_S)).exists()


def _lately_ended(token: WorkerToken) -> list[Attempt]:
    """Return the attempts of a token that ended in the last hour, of the latest thousand."""
    begins = database_now() - _LATELY
    latest = Attempt.objects.filter(worker_token=token.pk).order_by("-pk")[:_LOOKED_AT]
    return [each for each in latest if each.ended_at is not None and each.ended_at > begins]
