"""Accept what workers hand in: a record that re-simulates becomes the result and the replay."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.db import DataError, IntegrityError, transaction
from zstandard import ZstdError

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotFound
from pentathlon.matches.jobs import MatchResult, Submission
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon.matches.replays.codec import CODEC, pack, unpack
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.results import canonical_record, verified_result
from pentathlon.matches.replays.store import ReplayDamaged, read_packed
from pentathlon.matches.services import finish_matches
from pentathlon.matches.spans import record_of_matches
from pentathlon_engines.record.record import chain as chain_of
from pentathlon_engines.record.shape import Record


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
    matches = Match.objects.with_needs().in_bulk({each.match_id for each in submissions})
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
    Replay.objects.bulk_create(
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
