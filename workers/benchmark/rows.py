"""What the database costs in a match, measured alone through the services that workers call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from pentathlon.matches.jobs import Job, MatchResult
from pentathlon.matches.publishing import publish_pending
from pentathlon.matches.services import claim_match, finish_match
from pentathlon.replays.codec import CODEC, pack
from pentathlon.replays.models import Replay
from pentathlon.replays.receipt import seat_results
from pentathlon.replays.services import accept_result, read_record
from pentathlon_engines.launcher import Usage
from pentathlon_engines.record import canonical, chain, verify_record
from workers.benchmark.meter import cost_s, own_cpu_s

Record = dict[str, Any]  # Any: JSON, verified when it was handed in

_USAGE = Usage(cpu_s=0.02, wall_s=0.05, memory_peak_mb=12.0, exit_status=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A match like one that was played, claimed, with a record that fits it."""

    job: Job
    record: Record

    @property
    def _logs(self) -> list[str]:
        return [""] * self.record["seats"]

    @property
    def _notes(self) -> list[list[tuple[int, str]]]:
        return [[] for _ in range(self.record["seats"])]

    @property
    def _usage(self) -> list[Usage]:
        return [_USAGE] * self.record["seats"]

    def accept(self) -> None:
        """Hand the record in, as a worker does."""
        accept_result(
            match_id=self.job.match_id,
            token=self.job.token,
            record=self.record,
            logs=self._logs,
            notes=self._notes,
            usage=self._usage,
        )

    def result(self) -> MatchResult:
        """Return what the rows show of the record."""
        return MatchResult(
            outcome_reason=self.record["outcome"]["reason"],
            plies=len(self.record["events"]),
            sandbox=self.record["sandbox"],
            chain=self.record["chain"],
            result_hash=self.record["chain"],
            seats=seat_results(self.record, logs=self._logs, notes=self._notes, usage=self._usage),
        )

    def finish(self, result: MatchResult) -> None:
        """Store the result in rows of match, seats and attempt."""
        finish_match(match_id=self.job.match_id, token=self.job.token, result=result)

    def keep_replay(self) -> None:
        """Store the record, compressed."""
        with transaction.atomic():
            Replay.objects.create(
                match_id=self.job.match_id,
                codec=CODEC,
                data=pack(self.record),
                raw_bytes=len(canonical(self.record)),
            )


def claimed_twins(ids: Sequence[int], records: Sequence[Record]) -> tuple[list[Twin], float]:
    """Publish and claim waiting matches; return them with the CPU seconds that took."""
    jobs: list[Job] = []
    spent = cost_s(lambda: publish_pending(publish=_to_nobody, window=len(ids)))
    spent += cost_s(lambda: jobs.extend(filter(None, map(_claim, ids))))
    twins = [
        Twin(job=job, record=_of_match(record, job.match_id))
        for job, record in zip(jobs, records, strict=True)
    ]
    return twins, spent


def refused_claim_s(match_id: int, times: int) -> float:
    """Return the CPU seconds of asking that often for a match that is not to be had."""
    return cost_s(lambda: [_claim(match_id) for _ in range(times)])


def accepted_s(twins: Sequence[Twin]) -> float:
    """Hand all records in; return the CPU seconds."""
    return _each(twins, Twin.accept)


def verified_s(records: Sequence[Record]) -> float:
    """Play all records again; return the CPU seconds."""
    return cost_s(lambda: [verify_record(record) for record in records])


def rows_s(twins: Sequence[Twin]) -> float:
    """Store the rows of all results; return the CPU seconds."""
    results = [twin.result() for twin in twins]
    before = own_cpu_s()
    for twin, result in zip(twins, results, strict=True):
        twin.finish(result)
    return own_cpu_s() - before


def replays_s(twins: Sequence[Twin]) -> float:
    """Store all records; return the CPU seconds."""
    return _each(twins, Twin.keep_replay)


def records_of(ids: Sequence[int]) -> list[Record]:
    """Return the records of matches that were played, in their order."""
    found = {replay.match_id: replay for replay in Replay.objects.filter(match__in=ids)}
    return [read_record(found[match_id]) for match_id in ids]


def replay_bytes(ids: Sequence[int]) -> list[int]:
    """Return the size of each stored replay."""
    stored = Replay.objects.filter(match__in=ids).values_list("data", flat=True)
    return [len(data) for data in stored]


def _each(twins: Sequence[Twin], action: Callable[[Twin], None]) -> float:
    before = own_cpu_s()
    for twin in twins:
        action(twin)
    return own_cpu_s() - before


def _claim(match_id: int) -> Job | None:
    return claim_match(match_id=match_id, worker="benchmark")


def _to_nobody(match_ids: Sequence[int]) -> None:
    """Publish nothing: the broker is measured by itself."""


def _of_match(record: Record, match_id: int) -> Record:
    changed = {**record, "match": str(match_id)}
    return {**changed, "chain": chain(changed)}
