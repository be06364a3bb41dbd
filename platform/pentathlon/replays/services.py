"""Accept what workers hand in: a record that re-simulates becomes the result and the replay."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import DataError, IntegrityError, transaction

from pentathlon.common.errors import Conflict, DomainError, InvalidInput, NotFound
from pentathlon.matches.jobs import Ending, MatchResult
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon.matches.services import finish_matches
from pentathlon.replays.codec import CODEC, pack, unpack
from pentathlon.replays.models import Replay
from pentathlon.replays.receipt import expected_header, seat_results
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.match.trace import Trace
from pentathlon_engines.record.record import canonical, verify_record
from pentathlon_engines.record.shape import Record

_LATEST_LIMITS: Final = {"match_wall_s": 60}
"""Limits that the previous release did not have, with their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a worker hands in after a match."""

    match_id: int
    token: UUID
    record: Record
    logs: Sequence[str]
    notes: Sequence[Sequence[tuple[int, str]]]
    usage: Sequence[Usage]
    traces: Sequence[Trace] = ()
    """One for each seat, or none at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """A submission that is fit to be stored."""

    ending: Ending
    text: bytes
    """The canonical JSON of the record."""


def accept_result(
    *,
    match_id: int,
    token: UUID,
    record: Record,
    logs: Sequence[str],
    notes: Sequence[Sequence[tuple[int, str]]],
    usage: Sequence[Usage],
    traces: Sequence[Trace] = (),
) -> Match:
    """Store the result of one match as `accept_results` does; raise why it is refused."""
    submission = Submission(
        match_id=match_id,
        token=token,
        record=record,
        logs=logs,
        notes=notes,
        usage=usage,
        traces=traces,
    )
    for refusal in accept_results([submission]):
        if refusal is not None:
            raise refusal
    return Match.objects.get(pk=match_id)


def accept_results(submissions: Sequence[Submission]) -> list[DomainError | None]:
    """Store the results of matches once, with all that belongs to them, in one transaction.

    Returns for each submission None, or why it is refused: then it leaves nothing behind, and the
    others are stored all the same. The same record with the same token again changes nothing and
    gets the same answer.

    - `Conflict`: `stale_token` if the match was taken away from this worker, `different_result`
      if this attempt has already handed in something else.
    - `InvalidInput`: `bad_record` if the record is not one of this match or does not re-simulate,
      `bad_result` if what comes with it does not fit or cannot be stored.
    - `NotFound`: there is no such match.
    """
    matches = Match.objects.with_needs().in_bulk({each.match_id for each in submissions})
    # Playing records again takes as long as the games' rules do: not inside a transaction.
    looked_at = [_look_at(matches.get(each.match_id), each) for each in submissions]
    fit: dict[int, _Checked] = {}
    for seen in looked_at:
        if isinstance(seen, _Checked):
            fit.setdefault(seen.ending.match_id, seen)
    stored = _store_all(list(fit.values()))
    return [
        seen
        if isinstance(seen, DomainError)
        else stored[each.match_id]
        if seen is fit.get(each.match_id) and each.match_id in stored
        else _answer_again(each)
        for each, seen in zip(submissions, looked_at, strict=True)
    ]


def read_record(replay: Replay) -> Record:
    """Return the record of a stored replay."""
    return unpack(bytes(replay.data), codec=replay.codec)


def _look_at(match: Match | None, submission: Submission) -> _Checked | DomainError | None:
    """Return what may be stored, or why it may not; None if it comes without the current token."""
    if match is None:
        return NotFound(f"There is no match {submission.match_id}.")
    try:
        text = _text(submission)
        return _checked(match, submission, text) if match.token == submission.token else None
    except DomainError as error:
        return error


def _checked(match: Match, submission: Submission, text: bytes) -> _Checked:
    record = submission.record
    _check(match, record)
    told: list[Sequence[object]] = [submission.logs, submission.notes, submission.usage]
    if submission.traces:
        told.append(submission.traces)
    if any(len(each) != record["seats"] for each in told):
        reason = "Logs, notes, usage and traces must come for every seat."
        raise InvalidInput(reason, code="bad_result")
    result = MatchResult(
        outcome_reason=record["outcome"]["reason"],
        plies=len(record["events"]),
        sandbox=record["sandbox"],
        chain=record["chain"],
        result_hash=hashlib.sha256(text).hexdigest(),
        seats=seat_results(
            record,
            logs=submission.logs,
            notes=submission.notes,
            usage=submission.usage,
            traces=submission.traces,
        ),
    )
    ending = Ending(match_id=match.pk, token=submission.token, result=result)
    return _Checked(ending=ending, text=text)


def _text(submission: Submission) -> bytes:
    try:
        return canonical(submission.record)
    except (TypeError, ValueError, RecursionError) as error:
        raise _bad_record("it is not JSON.") from error


def _check(match: Match, record: Record) -> None:
    if not isinstance(record, dict):
        raise _bad_record("it is not a JSON object.")
    for name, value in expected_header(match).items():
        told = record.get(name)
        if told != value and not (name == "limits" and _are_limits(told, value)):
            raise _bad_record(f"{name} is {told!r}, match {match.pk} has {value!r}.")
    try:
        verify_record(record)
    except BadRecord as error:
        raise _bad_record(str(error)) from error


def _are_limits(told: object, expected: Record) -> bool:
    """Compare limits; a worker of the previous release leaves out what has come since."""
    return isinstance(told, dict) and {**_LATEST_LIMITS, **told} == expected


def _bad_record(problem: str) -> InvalidInput:
    return InvalidInput(f"The record is refused: {problem}", code=BadRecord.code, field="record")


def _store_all(results: Sequence[_Checked]) -> dict[int, DomainError | None]:
    """Store results together; if the database refuses one, each by itself.

    Returns by id of the match None, or why the database refuses it; nothing for a match that
    another token has by now.
    """
    try:
        return dict.fromkeys(_store(results))
    except (DataError, IntegrityError):
        if len(results) == 1:
            reason = "The database refuses what this result consists of."
            return {results[0].ending.match_id: InvalidInput(reason, code="bad_result")}
    return {pk: answer for each in results for pk, answer in _store_all([each]).items()}


@transaction.atomic
def _store(results: Sequence[_Checked]) -> set[int]:
    counted = finish_matches(endings=[each.ending for each in results])
    Replay.objects.bulk_create(
        Replay(
            match_id=each.ending.match_id,
            codec=CODEC,
            data=pack(each.text),
            raw_bytes=len(each.text),
        )
        for each in results
        if each.ending.match_id in counted
    )
    return counted


def _answer_again(submission: Submission) -> DomainError | None:
    """Answer by what counts now: this worker may have handed in the same record before."""
    accepted = Attempt.objects.filter(
        match=submission.match_id, token=submission.token, state=AttemptState.ACCEPTED
    )
    earlier = accepted.values_list("result_hash", flat=True).first()
    if earlier is None:
        return Conflict(
            f"Match {submission.match_id} is no longer this worker's: its lease ran out, or it "
            "was called off. Drop the result.",
            code="stale_token",
        )
    if earlier != hashlib.sha256(_text(submission)).hexdigest():
        return Conflict(
            f"This attempt at match {submission.match_id} has handed in another record already; "
            "that one counts.",
            code="different_result",
        )
    return None
