"""The rights of a worker token to matches, and what happens to them when it is revoked."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from functools import partial, reduce
from operator import or_
from typing import Final

from django.db import transaction
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, When
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.matches.capacity import BATCH, BatchSizes
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import (
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchQuerySet,
    MatchSeat,
)
from pentathlon.matches.services import claim_matches, publish_again, return_match
from pentathlon_engines.commentary.words import count

_WINDOW: Final = 48
"""How many matches are looked at where there is no queue."""
_LADDERS_LAST: Final = Case(
    When(kind=MatchKind.LADDER, newcomer_of=None, then=1), default=0, output_field=IntegerField()
)
_CLAIM_WINDOW: Final = timedelta(minutes=1)


def is_played_by(token: WorkerToken, *, match_id: int, content_hash: str) -> bool:
    """Return whether a worker of this token now plays these files in this match.

    Files in other matches are no business of that worker.
    """
    held = Attempt.objects.filter(
        worker_token=token.pk, match=match_id, state=AttemptState.RUNNING
    )
    seats = Match.objects.filter(pk=match_id, attempts__in=held).values_list(
        "seats__version__archive", "seats__version__built", "seats__version__model"
    )
    return any(content_hash in seat for seat in seats)


def sent_matches(token: WorkerToken) -> Iterator[list[int]]:
    """Yield matches that a token allows, that were sent and that nobody has claimed.

    Those that one slot plays together come together, those of ladders only if there are no others.
    It begins anywhere: workers that ask at once, or that cannot play what comes first, would get
    in each other's way.
    """
    sent = Match.objects.startable().filter(sent_at__isnull=False)
    sent = sent.order_by(_LADDERS_LAST, "sent_at", "pk").filter(
        Q(reserved_for=None) | Q(reserved_for=token.pk)
    )
    kinds = {
        Work.RATED: Q(rated=True),
        Work.UNRATED: Q(rated=False) & ~Q(to_be_built=True),
        Work.BUILDS: Q(rated=False, to_be_built=True),
    }
    unbuilt = MatchSeat.objects.filter(match=OuterRef("pk"), version__built=None).exclude(
        version__manifest__build=[]
    )
    wanted = reduce(
        or_, (kind for name, kind in kinds.items() if name in token.work), Q(pk__in=())
    )
    found = sent.annotate(to_be_built=Exists(unbuilt), last=_LADDERS_LAST).filter(wanted)
    rows = list(found.values_list("last", "pk", "game")[:_WINDOW])
    first = [(pk, game) for last, pk, game in rows if last == rows[0][0]]
    begin = random.randrange(len(first)) if first else 0
    sizes = BatchSizes()
    hints: dict[str, list[int]] = {}
    for pk, game in [*first[begin:], *first[:begin]]:
        hint = hints.setdefault(game, [])
        hint.append(pk)
        if len(hint) >= (sizes.of(game) or 1):
            yield hints.pop(game)
    yield from hints.values()


def revoke_worker_token(token: WorkerToken, *, actor: User | None = None) -> int:
    """Revoke a token at once and for good; return how many of its matches go to others.

    `actor` is the member of staff who does it; None stands for the command line. Another token may
    have the name from now on.
    """
    valid = WorkerToken.objects.filter(pk=token.pk, revoked_at=None)
    former = f"{token.name[:40]} (revoked {token.pk})"
    with transaction.atomic():
        if valid.update(revoked_at=Now(), name=former):
            note_action(
                AuditAction.WORKER_TOKEN_REVOKE,
                actor=actor,
                kind=AuditedKind.WORKER_TOKEN,
                object_id=token.pk,
                object_name=token.name,
            )
    return take_back_matches(token, reason="The token of its worker was revoked.")


def take_back_matches(token: WorkerToken, *, reason: str) -> int:
    """Give all matches that the workers of a token play to others; return how many.

    Call it when the token can claim nothing any more.
    """
    Worker.objects.filter(token=token.pk).update(is_draining=True)
    running = Attempt.objects.filter(worker_token=token.pk, state=AttemptState.RUNNING)
    held = list(running.values_list("match_id", "token"))
    return sum(
        return_match(match_id=match_id, token=attempt, reason=reason) for match_id, attempt in held
    )


def claim_by_token(
    token: WorkerToken, *, match_ids: Sequence[int], worker: str, capabilities: Capabilities
) -> list[Job]:
    """Claim those of these matches that wait, that were sent out, and that the token has room for.

    Raises:
        Conflict: `slots_full`, if there is no room at all; others get the matches.
    """
    with transaction.atomic():
        locked = _lock(token)
        offered = _offered(locked, match_ids)
        room = max(0, most_held(locked) - held_by_token(locked).count()) if offered else 0
        jobs = claim_matches(
            match_ids=offered[:room],
            worker=worker,
            capabilities=capabilities,
            worker_token=locked.pk,
            pass_on=partial(_give_back, locked),
        )
        _give_back(locked, offered[room:])
    if offered and not room:
        raise Conflict(
            f"The worker token {token.name} has {count(locked.slots, 'slot')} and holds "
            f"{count(most_held(locked), 'match')}, the most that it may. Play or return some of "
            "them, or ask the staff of this site for a token with more slots.",
            code="slots_full",
        )
    return jobs


def give_back_hints(token: WorkerToken, *, match_ids: Collection[int]) -> None:
    """Let hints be sent again for matches that a worker of this token leaves to others.

    Raises:
        Conflict: `hints_spent`, if the token has given back too many lately; hints of the rest are
            sent again when nobody has followed them for a while.
    """
    with transaction.atomic():
        locked = _lock(token)
        offered = _offered(locked, match_ids)
        given = _give_back(locked, offered)
    if given < len(offered):
        raise Conflict(
            f"The worker token {token.name} gives back at most "
            f"{count(most_held(locked), 'hint')} in a minute, as many as it could claim.",
            code="hints_spent",
        )


def note_told(token: WorkerToken, match_ids: Sequence[int]) -> None:
    """Remember the latest matches that the site has told workers of this token of.

    One that is trusted with everything reads the queue, too, so nothing rests on it.
    """
    if token.is_trusted_with_all or set(match_ids) <= set(token.told_matches):
        return
    with transaction.atomic():
        locked = _lock(token)
        new = [pk for pk in match_ids if pk not in locked.told_matches]
        told = [*locked.told_matches, *new][-2 * most_held(locked) :]
        WorkerToken.objects.filter(pk=locked.pk).update(told_matches=told)


def most_held(token: WorkerToken) -> int:
    """Return how many matches the workers of a token may hold at a time."""
    return token.slots * BATCH


def held_by_token(token: WorkerToken) -> MatchQuerySet:
    """Return the matches that workers of a token hold now."""
    return Match.objects.live().filter(worker__startswith=token.prefix)


def _lock(token: WorkerToken) -> WorkerToken:
    """Return the token as it is now; two claims at once must not pass its limit."""
    return WorkerToken.objects.select_for_update(no_key=True).get(pk=token.pk)


def _offered(token: WorkerToken, match_ids: Collection[int]) -> list[int]:
    """Return which of these matches wait with hints that a worker of this token may have seen."""
    ids = set(match_ids)
    if not token.is_trusted_with_all:
        ids &= set(token.told_matches)
    sent = Match.objects.sent().filter(pk__in=ids).order_by("pk")
    return list(sent.values_list("pk", flat=True))


def _give_back(token: WorkerToken, match_ids: Collection[int]) -> int:
    """Give back as many hints as a locked token may in this minute; return how many."""
    if not match_ids:
        return 0
    now = database_now()
    since = token.passed_since
    if since is None or not since <= now < since + _CLAIM_WINDOW:
        token.passed_since, token.passed_hints = now, 0
    given = sorted(match_ids)[: max(0, most_held(token) - token.passed_hints)]
    token.passed_hints += len(given)
    token.save(update_fields=("passed_since", "passed_hints"))
    publish_again(match_ids=given)
    return len(given)
