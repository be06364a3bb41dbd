"""Turn the report of a worker into a result, after checking that it belongs to its match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from pentathlon.core.errors import InvalidInput
from pentathlon.core.texts import storable
from pentathlon.matches.jobs import MatchResult, SeatResult, Submission
from pentathlon.matches.models import Match, MatchKind
from pentathlon_engines import GAMES
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.record.answers import answer_at_fault
from pentathlon_engines.record.record import canonical, course, events_by, verify_record
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchReport

NOTES_KEPT: Final = 100
"""How many notes of a bot are kept from a match: the last ones."""


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
    for seat, usage in enumerate(report.usage):
        yield SeatResult(
            rank=ranks[seat],
            score=None if scores is None else scores[seat],
            cpu_ms=round(usage.cpu_s * 1000),
            actions=sum(event.is_by_bot for event in events_by(record, seat)),
            wall_ms=sum(event.wall_ms for event in events_by(record, seat)),
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
