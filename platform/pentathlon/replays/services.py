"""Accept what workers hand in: a record that re-simulates becomes the result and the replay."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from pentathlon.common.errors import Conflict, InvalidInput, NotFound
from pentathlon.matches.jobs import MatchResult
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon.matches.services import finish_match
from pentathlon.replays.codec import CODEC, pack, unpack
from pentathlon.replays.models import Replay
from pentathlon.replays.receipt import expected_header, seat_results
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.launcher import Usage
from pentathlon_engines.record import canonical, verify_record

Record = dict[str, Any]  # Any: JSON, checked by `verify_record`


def accept_result(
    *,
    match_id: int,
    token: UUID,
    record: Record,
    logs: Sequence[str],
    notes: Sequence[Sequence[tuple[int, str]]],
    usage: Sequence[Usage],
) -> Match:
    """Store the result of a match once, with all that belongs to it, in one transaction.

    The same record with the same token again changes nothing and gets the same answer.

    Raises:
        Conflict: `stale_token` if the match was taken away from this worker, `different_result`
            if this attempt has already handed in something else.
        InvalidInput: `bad_record` if the record is not one of this match or does not re-simulate.
    """
    result_hash = hashlib.sha256(canonical(record)).hexdigest()
    match = Match.objects.with_seats().filter(pk=match_id).first()
    if match is None:
        raise NotFound(f"There is no match {match_id}.")
    if match.token != token:
        return _answer_again(match, token, result_hash)
    # Playing the record again takes as long as the game's rules do: not inside a transaction.
    _check(match, record)
    outcome = record["outcome"]
    result = MatchResult(
        outcome_reason=outcome["reason"],
        plies=len(record["events"]),
        sandbox=record["sandbox"],
        chain=record["chain"],
        result_hash=result_hash,
        seats=seat_results(record, logs=logs, notes=notes, usage=usage),
    )
    if not _store(match_id, token, record, result):
        return _answer_again(match, token, result_hash)
    match.refresh_from_db()
    return match


def read_record(replay: Replay) -> Record:
    """Return the record of a stored replay."""
    return unpack(bytes(replay.data), codec=replay.codec)


@transaction.atomic
def _store(match_id: int, token: UUID, record: Record, result: MatchResult) -> bool:
    if not finish_match(match_id=match_id, token=token, result=result):
        return False
    Replay.objects.create(
        match_id=match_id,
        codec=CODEC,
        data=pack(record),
        raw_bytes=len(canonical(record)),
    )
    return True


def _answer_again(match: Match, token: UUID, result_hash: str) -> Match:
    """Answer a worker without the match: it may have handed in the same record before."""
    accepted = Attempt.objects.filter(match=match, token=token, state=AttemptState.ACCEPTED)
    earlier = accepted.values_list("result_hash", flat=True).first()
    if earlier is None:
        raise Conflict(
            f"Match {match.pk} is no longer this worker's: its lease ran out, or it was called "
            "off. Drop the result.",
            code="stale_token",
        )
    if earlier != result_hash:
        raise Conflict(
            f"This attempt at match {match.pk} has handed in another record already; that one "
            "counts.",
            code="different_result",
        )
    match.refresh_from_db()
    return match


def _check(match: Match, record: Record) -> None:
    for name, value in expected_header(match).items():
        if record.get(name) != value:
            raise _bad_record(f"{name} is {record.get(name)!r}, match {match.pk} has {value!r}.")
    try:
        verify_record(record)
    except BadRecord as error:
        raise _bad_record(str(error)) from error


def _bad_record(problem: str) -> InvalidInput:
    return InvalidInput(f"The record is refused: {problem}", code=BadRecord.code, field="record")
