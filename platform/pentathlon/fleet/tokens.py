"""Workers and their tokens: made by staff, kept as digests, revoked for good."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from knox.crypto import hash_token

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.fleet.announcements import DEFAULT_SLOTS, MOST_SLOTS, Announcement, Work
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon_engines.commentary.words import count

PREFIX: Final = "ptw_"
LONGEST_NAME: Final = 60
_SECRET_BYTES: Final = 32
_USE_NOTED_EVERY: Final = timedelta(minutes=1)
FORGOTTEN_AFTER: Final = timedelta(hours=1)


@transaction.atomic
def create_worker_token(
    *, actor: User | None, name: str, work: Collection[str], slots: int = DEFAULT_SLOTS
) -> tuple[WorkerToken, str]:
    """Make a token and return it with its secret, which nobody can read again.

    `actor` is the member of staff who makes it; None stands for the command line. `slots` is how
    many matches all its workers together may play at a time.
    """
    name = check_token_name(name)
    unknown = sorted(set(work) - set(Work))
    if unknown or not work:
        raise InvalidInput(
            f"Name the work it is trusted with: {', '.join(Work)}.",
            code="unknown_work",
            field="work",
        )
    if not 1 <= slots <= MOST_SLOTS:
        raise InvalidInput(
            f"A worker token has 1 to {MOST_SLOTS} slots, not {slots}.",
            code="bad_slots",
            field="slots",
        )
    secret = PREFIX + secrets.token_hex(_SECRET_BYTES)
    token = WorkerToken.objects.create(
        name=name,
        digest=hash_token(secret),
        work=[each.value for each in Work if each in work],
        slots=slots,
        created_by=actor,
    )
    note_action(
        AuditAction.WORKER_TOKEN_CREATE,
        actor=actor,
        kind=AuditedKind.WORKER_TOKEN,
        object_id=token.pk,
        object_name=token.name,
        work=token.work,
        slots=token.slots,
    )
    return token, secret


@transaction.atomic
def rotate_worker_token(token: WorkerToken) -> str:
    """Give a token another secret and return it; the one that it had is worth nothing from now on.

    The matches of its workers stay theirs, so a worker that starts again with it goes on.
    """
    secret = PREFIX + secrets.token_hex(_SECRET_BYTES)
    WorkerToken.objects.filter(pk=token.pk).update(digest=hash_token(secret))
    note_action(
        AuditAction.WORKER_TOKEN_ROTATE,
        actor=None,
        kind=AuditedKind.WORKER_TOKEN,
        object_id=token.pk,
        object_name=token.name,
    )
    return secret


def check_token_name(name: str) -> str:
    """Return the name for a new token without spaces around it; refuse a bad or a taken one."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            f"A worker token has a name of 1 to {LONGEST_NAME} printable characters.",
            field="name",
        )
    if WorkerToken.objects.filter(name=name).exists():
        raise Conflict(f"There is a worker token {name} already.", code="name_taken", field="name")
    return name


def find_worker_token(secret: str) -> WorkerToken | None:
    """Return the token with this secret, revoked or not; note that it is used."""
    if not secret.startswith(PREFIX) or not secret.isascii():
        return None
    token = WorkerToken.objects.filter(digest=hash_token(secret)).first()
    if token is not None and token.revoked_at is None:
        _note_use(token)
    return token


def _note_use(token: WorkerToken) -> None:
    """Remember that a token was used, at most once a minute."""
    last = token.last_used_at
    if last is None or timezone.now() - last > _USE_NOTED_EVERY:
        WorkerToken.objects.filter(pk=token.pk).update(last_used_at=Now())


def announce_worker(announcement: Announcement, *, token: WorkerToken | None = None) -> None:
    """Store that a worker is alive and what it can play, and by which token it works.

    Raises:
        Conflict: the token has too many workers; an honest one gets through when others have
            fallen silent.
    """
    if token is not None:
        _check_number(announcement.name, token)
    facts = {
        "slots": min(announcement.slots, MOST_SLOTS if token is None else token.slots),
        "games": announcement.games,
        "runtimes": sorted(announcement.runtimes),
        "untried": sorted(announcement.untried),
        "sandbox": announcement.sandbox,
        "layers": announcement.layers,
        "version": announcement.version,
        "started_at": Now() - timedelta(seconds=time.monotonic() - announcement.began_s),
        "is_draining": False,
        "seen_at": Now(),
        "token": token,
        "work": [] if token is None else token.work,
    }
    Worker.objects.update_or_create(name=announcement.name, defaults=facts)


def record_heartbeat(*, name: str, starved: float = 0.0, held_slots: int = 0) -> bool:
    """Store that a worker is still alive, and how short of CPU time its host is.

    Return False if its row is gone: then it has to announce itself again.
    """
    facts = {"starved": starved, "held_slots": held_slots, "seen_at": Now()}
    return bool(Worker.objects.filter(name=name).update(**facts))


def mark_draining(name: str) -> None:
    """Store that a worker finishes its matches and takes no more."""
    Worker.objects.filter(name=name).update(is_draining=True, seen_at=Now())


def _check_number(name: str, token: WorkerToken) -> None:
    """Refuse a new worker of a token that has two for each slot: new ones beside draining ones."""
    own = Worker.objects.lately_seen().filter(token=token)
    if own.count() >= 2 * token.slots and not own.filter(name=name).exists():
        raise Conflict(
            f"The worker token {token.name} has {count(token.slots, 'slot')} and already twice as "
            "many workers. Stop some, or ask the staff of this site for a token with more slots.",
            code="too_many_workers",
        )
