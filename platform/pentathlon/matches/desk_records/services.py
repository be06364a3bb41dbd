"""Everything that changes desk records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Count, Min

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, TooLarge
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import DESK_RECORD_BYTES, DESK_RECORDS, DESK_RECORDS_A_DAY
from pentathlon.core.texts import storable
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.replays.services import canonical_record
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.shape import Record, check_shape

_DAY: Final = timedelta(days=1)
LONGEST_NAME: Final = 100


def kept_quota(author: User) -> Quota:
    """Return how many records are kept."""
    return Quota(
        key="desk_records",
        about="desk records",
        limit=DESK_RECORDS,
        used=DeskRecord.objects.by_author(author).count(),
        code="desk_record_quota",
    )


def daily_quota(author: User) -> Quota:
    """Return how many records were uploaded in the last 24 hours."""
    recent = DeskRecord.objects.by_author(author).filter(created_at__gt=database_now() - _DAY)
    found = recent.aggregate(number=Count("pk"), oldest=Min("created_at"))
    return Quota(
        key="desk_records_a_day",
        about="desk records uploaded in 24 hours",
        limit=DESK_RECORDS_A_DAY,
        used=found["number"],
        renews_at=found["oldest"] + _DAY if found["oldest"] else None,
        code="desk_record_quota",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRecord:
    """A record that verifies, and its canonical JSON."""

    record: Record
    text: bytes


def check_record(data: object) -> CheckedRecord:
    """Return a record that may be stored, after playing it again; refuse any other.

    It takes as long as the rules of the game do: call it outside of a transaction.

    Raises:
        TooLarge: `record_too_large`.
        InvalidInput: `forked_record`, `record_with_person`, or `bad_record` with what is wrong.
    """
    try:
        shaped = check_shape(data)
    except BadRecord as error:
        raise _refused(str(error)) from error
    text = canonical_record(shaped)
    if len(text) > DESK_RECORD_BYTES:
        raise TooLarge(
            f"The record has {len(text):,} bytes; {DESK_RECORD_BYTES:,} are allowed.",
            code="record_too_large",
        )
    if "fork" in shaped:
        raise InvalidInput(
            "This record was forked: its first moves come from another match, so it says nothing "
            "about its bots. Upload matches that were played from their start.",
            code="forked_record",
            pointer="/fork",
        )
    if "person" in shaped:
        raise InvalidInput(
            "A person had a seat in this match. Upload matches of bots alone.",
            code="record_with_person",
            pointer="/person",
        )
    _check_texts(shaped)
    try:
        verify_record(shaped)
    except BadRecord as error:
        raise _refused(str(error)) from error
    return CheckedRecord(record=shaped, text=text)


@transaction.atomic
def keep_record(*, actor: User, checked: CheckedRecord) -> DeskRecord:
    """Store a record that its author has played at their desk.

    Raises:
        Conflict: `same_record`, or `desk_record_quota`.
    """
    _check_quota(actor)
    record, outcome = checked.record, checked.record["outcome"]
    try:
        with transaction.atomic():
            return DeskRecord.objects.create(
                author=actor,
                game=record["game"],
                rules_version=record["rules"],
                bots=record["bots"],
                ranks=outcome["ranks"],
                scores=outcome["scores"],
                faults=sorted({fault["seat"] for fault in record["faults"]}),
                outcome_reason=outcome["reason"],
                plies=len(record["events"]),
                chain=record["chain"],
                codec=CODEC,
                data=pack(checked.text),
            )
    except IntegrityError as error:
        first = DeskRecord.objects.only("pk").get(chain=record["chain"])
        raise Conflict(
            f"This record has already been uploaded: /records/{first.pk}/.",
            code="same_record",
            allowed={"record": first.pk},
        ) from error


@transaction.atomic
def delete_record(*, actor: User, desk_record: DeskRecord) -> None:
    """Delete a record for good; only its author and staff may."""
    if actor.pk != desk_record.author_id and not is_staff(actor):
        raise NotAllowed(
            f"Only {desk_record.author.username}, who uploaded it, may delete this record.",
            code="not_your_record",
        )
    if actor.pk != desk_record.author_id:
        note_action(
            AuditAction.DESK_RECORD_DELETE,
            actor=actor,
            kind=AuditedKind.DESK_RECORD,
            object_id=desk_record.pk,
            person=desk_record.author_id,
        )
    DeskRecord.objects.filter(pk=desk_record.pk).delete()


def _check_quota(actor: User) -> None:
    # Uploads of one author come one after the other.
    User.objects.select_for_update().get(pk=actor.pk)
    kept = kept_quota(actor)
    kept.check_left(
        f"You have {kept.limit} records here, the most that one author may have. Delete some "
        "first."
    )
    uploaded = daily_quota(actor)
    uploaded.check_left(
        f"You have uploaded {uploaded.limit} records in 24 hours, the maximum for one author. "
        "Upload more tomorrow."
    )


def _check_texts(record: Record) -> None:
    """Refuse names that a database would refuse or that are too long for pages."""
    for seat, bot in enumerate(record["bots"]):
        for field, text in (("name", bot["name"]), ("hash", bot["hash"])):
            if len(text) > LONGEST_NAME or text != storable(text):
                raise _refused(
                    f"bots[{seat}].{field}: must be a text of at most {LONGEST_NAME} characters "
                    "without zero bytes and surrogates",
                    pointer=f"/bots/{seat}/{field}",
                )


def _refused(problem: str, *, pointer: str | None = None) -> InvalidInput:
    return InvalidInput(
        f"The record is refused: {storable(problem)}.", code=BadRecord.code, pointer=pointer
    )
