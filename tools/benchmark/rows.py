"""The cost of the database in a match, through the services that workers call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.db import transaction

from pentathlon.core.errors import DomainError
from pentathlon.matches.capacity.batches import BATCH
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.jobs import Job, MatchResult, Submission
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.results import seat_results
from pentathlon.matches.replays.services import accept_results, read_record
from pentathlon.matches.services import claim_matches, finish_matches
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.record.record import canonical, chain, course, verify_record
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchReport
from tools.benchmark.meter import cost_s, own_cpu_s

T = TypeVar("T")

_USAGE = Usage(cpu_s=0.02, wall_s=0.05, memory_peak_mb=12.0, exit_status=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A claimed match like one that was played, with a record that fits it."""

    job: Job
    record: Record

    def submission(self) -> Submission:
        """Return the submission that a worker would hand in."""
        seats = self.record["seats"]
        report = MatchReport(
            record=self.record,
            logs=[b""] * seats,
            notes=[[] for _ in range(seats)],
            usage=[_USAGE] * seats,
            traces=[],
        )
        return Submission(match_id=self.job.match_id, token=self.job.token, report=report)

    def result(self) -> MatchResult:
        """Return the result that goes from the record into rows."""
        return MatchResult(
            match_id=self.job.match_id,
            token=self.job.token,
            outcome_reason=self.record["outcome"]["reason"],
            plies=len(self.record["events"]),
            sandbox=self.record["sandbox"],
            chain=self.record["chain"],
            course=course(self.record),
            record=canonical(self.record),
            seats=tuple(seat_results(self.submission().report)),
        )


def claim_twins(ids: Sequence[int], records: Sequence[Record]) -> tuple[list[Twin], float]:
    """Publish and claim waiting matches; return their twins and the CPU seconds that it took."""
    before = own_cpu_s()
    publish_pending(publish=_to_nobody, window=len(ids))
    jobs = [job for batch in _batches(ids) for job in _claim(batch)]
    spent = own_cpu_s() - before
    twins = [
        Twin(job=job, record=_of_match(record, job.told_name))
        for job, record in zip(jobs, records, strict=True)
    ]
    return twins, spent


def measure_refused_claim(match_id: int, times: int) -> float:
    """Return the CPU seconds of claiming, this many times, a match that is not free."""
    return cost_s(lambda: [_claim([match_id]) for _ in range(times)])


def measure_accept(twins: Sequence[Twin]) -> float:
    """Hand all records in; return the CPU seconds."""
    submissions = [twin.submission() for twin in twins]
    answers: list[list[DomainError | None]] = []

    def hand_in() -> None:
        answers.extend(accept_results(batch) for batch in _batches(submissions))

    spent = cost_s(hand_in)
    # Refused results cost little, so they would spoil the figure, and their matches would stay
    # claimed.
    refusals = [answer for batch in answers for answer in batch if answer is not None]
    if refusals:
        raise refusals[0]
    return spent


def measure_verify(records: Sequence[Record]) -> float:
    """Play all records again; return the CPU seconds."""
    return cost_s(lambda: [verify_record(record) for record in records])


def rows_s(twins: Sequence[Twin]) -> float:
    """Store the rows of all results; return the CPU seconds."""
    results = [twin.result() for twin in twins]
    return cost_s(lambda: [finish_matches(batch) for batch in _batches(results)])


def replays_s(twins: Sequence[Twin]) -> float:
    """Store all records; return the CPU seconds."""
    return cost_s(lambda: [_keep_replays(batch) for batch in _batches(twins)])


def records_of(ids: Sequence[int]) -> list[Record]:
    """Return the records of matches that were played, in their order."""
    found = {replay.match_id: replay for replay in Replay.objects.filter(match__in=ids)}
    return [read_record(found[match_id]) for match_id in ids]


def replay_bytes(ids: Sequence[int]) -> list[int]:
    """Return the size of each stored replay."""
    stored = Replay.objects.filter(match__in=ids).values_list("data", flat=True)
    return [len(data) for data in stored]


@transaction.atomic
def _keep_replays(twins: Sequence[Twin]) -> None:
    texts = [(twin.job.match_id, canonical(twin.record)) for twin in twins]
    Replay.objects.bulk_create(
        Replay(match_id=match_id, codec=CODEC, data=pack(text), raw_bytes=len(text))
        for match_id, text in texts
    )


def _claim(match_ids: Sequence[int]) -> list[Job]:
    return claim_matches(match_ids=match_ids, worker="benchmark")


def _batches(things: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield as many things at a time as a worker claims together."""
    for start in range(0, len(things), BATCH):
        yield things[start : start + BATCH]


def _to_nobody(match_ids: Sequence[int]) -> None:
    """Publish nothing, because the broker is measured by itself."""


def _of_match(record: Record, name: str) -> Record:
    changed: Record = {**record, "match": name}
    return {**changed, "chain": chain(changed)}
