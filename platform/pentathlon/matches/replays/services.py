"""Accept what workers hand in: a record that re-simulates becomes the result and the replay."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from django.db import DataError, IntegrityError, transaction
from zstandard import ZstdError

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotFound
from pentathlon.core.statements import Read, store_rows
from pentathlon.core.texts import storable
from pentathlon.matches.jobs import MatchResult, SeatResult, Submission
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind
from pentathlon.matches.replays.codec import CODEC, pack, unpack
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.store import ReplayDamaged, read_packed
from pentathlon.matches.requirements import with_teams
from pentathlon.matches.services import finish_matches
from pentathlon.matches.spans import record_of_matches
from pentathlon_engines import GAMES
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.record.answers import answer_at_fault
from pentathlon_engines.record.record import canonical, course, verify_record
from pentathlon_engines.record.record import chain as chain_of
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchReport

NOTES_KEPT: Final = 100
"""How many notes of a bot are kept from a match: the last ones."""
_MATCHES: Final = Read(lambda ids: Match.objects.filter(pk__in=ids))


def expected_header(match: Match) -> dict[str, Any]:  # Any: values of `Header`
    """Return the fields that follow from the match row; load seats and versions before."""
    seats = sorted(match.seats.all(), key=lambda seat: seat.seat)
    return {
        "game": match.game,
        "rules": match.rules_version,
        "seats": len(seats),
        "options": GAMES[match.game].info.check_options(match.options),
        "seed": match.seed,
        "match": match.told_name,
        "bots": [{"name": str(seat.version), "hash": seat.version.archive_id} for seat in seats],
        "limits": Limits.from_json(match.limits).to_json(),
    }


def canonical_record(record: Record) -> bytes:
    """Return the canonical JSON of a record; raise `InvalidInput` if it is not JSON."""
    try:
        return canonical(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise _bad_record("it is not JSON.") from error


def verified_result(match: Match, submission: Submission, *, record: bytes) -> MatchResult:
    """Return the result in a submission; `record` is its record in canonical JSON.

    Raises `InvalidInput`: `bad_record` if the record is not one of this match or does not
    re-simulate, `bad_result` if the report does not cover every seat.
    """
    report = submission.report
    _check_record(match, report.record)
    by_seat: list[Sequence[object]] = [report.logs, report.notes, report.usage]
    if report.traces:
        by_seat.append(report.traces)
    if any(len(each) != report.record["seats"] for each in by_seat):
        reason = "Logs, notes, usage and traces must come for every seat."
        raise InvalidInput(reason, code="bad_result")
    is_check = match.kind == MatchKind.VALIDATION
    return MatchResult(
        match_id=match.pk,
        token=submission.token,
        outcome_reason=report.record["outcome"]["reason"],
        plies=len(report.record["events"]),
        sandbox=report.record["sandbox"],
        chain=report.record["chain"],
        course=course(report.record),
        referee_build=submission.builds.referee,
        bots_build=submission.builds.bots,
        record=record,
        seats=tuple(_with_answers(report) if is_check else seat_results(report)),
    )


def _check_record(match: Match, record: Record) -> None:
    if not isinstance(record, dict):
        raise _bad_record("it is not a JSON object.")
    for name, value in expected_header(match).items():
        found = record.get(name)
        if found != value:
            raise _bad_record(f"{name} is {found!r}, match {match.pk} has {value!r}.")
    if "fork" in record:
        raise _bad_record("with a fork it is unrated: it continues from a ply of another match.")
    if "person" in record:
        raise _bad_record("with a person in a seat it is unrated.")
    try:
        verify_record(record)
    except BadRecord as error:
        raise _bad_record(str(error)) from error


def _bad_record(problem: str) -> InvalidInput:
    return InvalidInput(f"The record is refused: {problem}", code=BadRecord.code, field="record")


def seat_results(report: MatchReport) -> Iterator[SeatResult]:
    """Yield the result of each seat from a verified record and the figures of its launcher."""
    record, traces = report.record, report.traces
    ranks, scores = record["outcome"]["ranks"], record["outcome"]["scores"]
    faults = {fault["seat"]: fault for fault in record["faults"]}
    events = [Event.of(row) for row in record["events"]]
    for seat, usage in enumerate(report.usage):
        own = [event for event in events if event.seat == seat]
        yield SeatResult(
            rank=ranks[seat],
            score=None if scores is None else scores[seat],
            cpu_ms=round(usage.cpu_s * 1000),
            actions=sum(event.is_by_bot for event in own),
            wall_ms=sum(event.wall_ms for event in own),
            memory_peak_mb=usage.memory_peak_mb,
            exit_status=usage.exit_status,
            log=storable(report.logs[seat].decode(errors="replace")),
            notes=tuple((ply, storable(note)) for ply, note in report.notes[seat][-NOTES_KEPT:]),
            **_fault_fields(faults.get(seat)),
            **(_trace_fields(traces[seat], kept=seat in faults) if traces else {}),
        )


def _with_answers(report: MatchReport) -> list[SeatResult]:
    """Return the results of seats; those with a fault say what was wrong with their answer."""
    found = list(seat_results(report))
    if report.traces:
        for fault in report.record["faults"]:
            seat = fault["seat"]
            answer = answer_at_fault(report.record, fault, report.traces[seat])
            found[seat] = replace(found[seat], answer=storable(answer))
    return found


def _fault_fields(fault: RecordedFault | None) -> dict[str, Any]:  # Any: fields of SeatResult
    if fault is None:
        return {}
    told = {**fault, "detail": storable(fault["detail"])}
    return {f"fault_{name}": told[name] for name in ("kind", "ply", "detail")}


def _trace_fields(trace: Trace, *, kept: bool) -> dict[str, Any]:  # Any: fields of SeatResult
    told = {"stdout_bytes": trace.stdout_bytes, "stderr_bytes": trace.stderr_bytes}
    return {**told, "trace": trace._asdict()} if kept else told


def accept_results(submissions: Sequence[Submission]) -> list[DomainError | None]:
    """Store the results of matches once, with everything that belongs to them, in one transaction.

    Returns for each submission None, or why it is refused: a refused submission leaves nothing
    behind, and the others are stored all the same. The same record with the same token again
    changes nothing and gets the same answer.

    - `Conflict`: `stale_token` if the match was taken away from this worker, `different_result`
      if this attempt has already handed in something else.
    - `InvalidInput`: `bad_record` if the record is not one of this match or does not re-simulate,
      `bad_result` if the rest of the report does not fit or cannot be stored.
    - `NotFound`: there is no such match.
    """
    ids = sorted({each.match_id for each in submissions})
    matches = {match.pk: match for match in with_teams(_MATCHES(ids))}
    # Playing records again may take long, so it happens outside of the transaction.
    looked_at = [_look_at(matches.get(each.match_id), each) for each in submissions]
    fit: dict[int, MatchResult] = {}
    for seen in looked_at:
        if isinstance(seen, MatchResult):
            fit.setdefault(seen.match_id, seen)
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
    """Return the record of a stored replay, as it was accepted: its chain is computed again.

    Raises:
        ReplayStoreAway: the store of old replays does not answer.
        ReplayDamaged: the stored bytes give another record than that of the result, or none.
    """
    record = intact_record(read_packed(replay), codec=replay.codec, chain=replay.match.chain)
    if record is None:
        raise ReplayDamaged(replay.match_id, reason="it is not the record of the result any more")
    return record


def intact_record(packed: bytes, *, codec: str, chain: str) -> Record | None:
    """Return the packed record with this chain; None if the bytes give another one, or none."""
    try:
        record = unpack(packed, codec=codec)
        found = chain_of(record)
    except (ZstdError, AttributeError, KeyError, TypeError, ValueError):
        return None
    return record if found == record["chain"] == chain else None


def _look_at(match: Match | None, submission: Submission) -> MatchResult | DomainError | None:
    """Return the result to store, or why it is refused; None without the current token."""
    if match is None:
        return NotFound(f"There is no match {submission.match_id}.")
    try:
        record = canonical_record(submission.report.record)
        if match.token != submission.token:
            return None
        with tracing.span("re-simulate match", parent=match.traceparent):
            return verified_result(match, submission, record=record)
    except DomainError as error:
        return error


def _store_all(results: Sequence[MatchResult]) -> dict[int, DomainError | None]:
    """Store results together; if the database refuses one, each by itself.

    Returns by id of the match None, or why the database refuses it; a match that has another token
    by now is left out.
    """
    try:
        return dict.fromkeys(_store(results))
    except (DataError, IntegrityError):
        if len(results) == 1:
            reason = "The database refuses the content of this result."
            return {results[0].match_id: InvalidInput(reason, code="bad_result")}
    return {pk: answer for each in results for pk, answer in _store_all([each]).items()}


@transaction.atomic
def _store(results: Sequence[MatchResult]) -> set[int]:
    since_ns = tracing.clock()
    counted = finish_matches(results)
    store_rows(
        Replay(
            match_id=each.match_id,
            codec=CODEC,
            data=pack(each.record),
            raw_bytes=len(each.record),
        )
        for each in results
        if each.match_id in counted
    )
    record_of_matches("commit result", counted, since_ns=since_ns)
    return counted


def _answer_again(submission: Submission) -> DomainError | None:
    """Answer by the stored result, since this worker may have handed in the same record before."""
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
    if earlier != hashlib.sha256(canonical_record(submission.report.record)).hexdigest():
        return Conflict(
            f"This attempt at match {submission.match_id} has handed in another record already; "
            "that one counts.",
            code="different_result",
        )
    return None
