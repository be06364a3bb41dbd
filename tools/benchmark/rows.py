"""The cost of the database in a match, through the services that workers call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pentathlon.matches.capacity import BATCH
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.jobs import EngineBuilds, Job, Submission
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import accept_results, read_record
from pentathlon.matches.services import claim_matches
from pentathlon_engines.builds import build_name
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.record.record import chain, verify_record
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
        builds = EngineBuilds(referee=build_name(), bots=build_name())
        return Submission(
            match_id=self.job.match_id, token=self.job.token, report=report, builds=builds
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
    before = own_cpu_s()
    answers = [accept_results(batch) for batch in _batches(submissions)]
    spent = own_cpu_s() - before
    # Refused results cost little, so they would spoil the figure, and their matches would stay
    # claimed.
    refusals = [answer for batch in answers for answer in batch if answer is not None]
    if refusals:
        raise refusals[0]
    return spent


def measure_verify(records: Sequence[Record]) -> float:
    """Play all records again; return the CPU seconds."""
    return cost_s(lambda: [verify_record(record) for record in records])


def records_of(ids: Sequence[int]) -> list[Record]:
    """Return the records of matches that were played, in their order."""
    replays = {replay.match_id: replay for replay in Replay.objects.filter(match__in=ids)}
    return [read_record(replays[match_id]) for match_id in ids]


def replay_bytes(ids: Sequence[int]) -> list[int]:
    """Return the size of each stored replay."""
    stored = Replay.objects.filter(match__in=ids).values_list("data", flat=True)
    return [len(data) for data in stored]


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
