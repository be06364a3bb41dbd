"""The rights of a worker token to matches, and what happens to them when it is revoked."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Final

from django.db import transaction
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, When
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.matches.capacity import BatchSizes
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchSeat
from pentathlon.matches.services import return_match

_WINDOW: Final = 48
"""How many matches are looked at where there is no queue."""
_LADDERS_LAST: Final = Case(
    When(kind=MatchKind.LADDER, newcomer_of=None, then=1), default=0, output_field=IntegerField()
)


def is_played_by(token: WorkerToken, *, match_id: int, content_hash: str) -> bool:
    """Return whether a worker of this token now plays these files in this match.

    Files in other matches are no business of that worker.
    """
    held = Attempt.objects.filter(
        worker_token=token.pk, match=match_id, state=AttemptState.RUNNING
    )
    seats = Match.objects.filter(pk=match_id, attempts__in=held).values_list(
        "seats__version__archive", "seats__version__built"
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
