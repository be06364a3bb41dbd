"""Plays claimed matches and hands in their results. Knows no queue."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import msgspec
import structlog

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, DomainError, NotFound
from pentathlon.matches.jobs import EngineBuilds, Job, SeatJob, Submission
from pentathlon_engines import GAMES
from pentathlon_engines.builds import build_name, source_name
from pentathlon_engines.manifest import bot_command
from pentathlon_engines.match.launcher import HostTooSlow, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import MatchAbandoned, SeatBot, play_match
from workers.drain import Drain, Drained
from workers.host.cpu_pressure import Starvation
from workers.port import Platform, PlatformAway
from workers.slots.bot_files import BotFiles
from workers.slots.broadcast import Broadcast
from workers.slots.builds import BuildRefused, build_version
from workers.slots.lease import LeaseKeeper

AGAIN_AFTER_S: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The waits between attempts while the platform answers but refuses."""
AWAY_S: Final = 0.5
"""The wait between attempts while the platform is away; their number is not limited."""
LONG_S: Final = 0.5
"""A match that took longer is handed in at once, not together with later ones."""

_PATH: Final = re.compile(r"(?<![\w/.])/[\w.@+~-]+(?:/[\w.@+~-]*)*")

T = TypeVar("T")

_log = structlog.stdlib.get_logger(__name__)


def play_jobs(
    jobs: Sequence[Job],
    *,
    platform: Platform,
    launcher: Launcher,
    files: BotFiles,
    drain: Drain | None = None,
    host: Starvation | None = None,
    broadcast: Broadcast | None = None,
) -> int:
    """Play matches one after the other and hand them in, short ones together.

    Returns how many failed on this host; those are given back for others to play. Any exception
    that escapes the runner is a failure of the host, never a bot's loss.
    """
    if not jobs:
        return 0
    drain = drain or Drain(grace_s=0)
    host = host or Starvation(slots=1)
    try:
        with LeaseKeeper(jobs, platform=platform) as lease, host.playing():
            batch = _Batch(
                platform=platform,
                launcher=launcher,
                files=files,
                drain=drain,
                lease=lease,
                host=host,
                broadcast=broadcast or Broadcast(None),
            )
            batch.play(jobs)
    finally:
        files.make_room()
    return batch.failed


class _Batch:
    """Matches that were claimed together; results of short ones are handed in together."""

    def __init__(
        self,
        *,
        platform: Platform,
        launcher: Launcher,
        files: BotFiles,
        drain: Drain,
        lease: LeaseKeeper,
        host: Starvation,
        broadcast: Broadcast,
    ) -> None:
        self._platform = platform
        self._launcher = launcher
        self._files = files
        self._drain = drain
        self._lease = lease
        self._host = host
        self._broadcast = broadcast
        self._finished: list[tuple[Job, Submission]] = []
        self.failed = 0
        """The number of matches that failed because of the host or the platform."""

    def play(self, jobs: Sequence[Job]) -> None:
        """Play and hand in all of them."""
        for job in jobs:
            started = time.monotonic()
            self._try(job)
            if time.monotonic() - started > LONG_S:
                self._hand_in()
        self._hand_in()

    def _try(self, job: Job) -> None:
        log = _log.bind(match=job.match_id, attempt=job.attempt)
        try:
            self._play_or_refuse(job)
        except Drained as error:
            log.info("given back", reason=str(error))
            self._give_up(job, self._platform.return_match, str(error))
        except (MatchAbandoned, Conflict) as error:
            log.warning("result not wanted", code=error.code, reason=str(error))
        except PlatformAway as error:
            # This is no failure of the host, and must not count towards a void match.
            log.warning("given back", reason=str(error))
            self.failed += 1
            self._give_up(job, self._platform.return_match, "The database could not be reached.")
        except Exception as error:
            log.exception("attempt failed")
            self._fail(job, error)

    def _fail(self, job: Job, error: Exception) -> None:
        self.failed += 1
        seat = getattr(error, "seat", None)
        suspect = None if seat is None else job.seats[seat].version_id
        slow = isinstance(error, HostTooSlow)
        if slow and self._host.is_starved:
            # On a starved host every bot waits, so none is to blame.
            suspect = None
        fail = partial(self._platform.fail_attempt, suspect=suspect, was_too_slow=slow)
        self._give_up(job, fail, _sentence(error))

    def _play_or_refuse(self, job: Job) -> None:
        told = {"pentathlon.match.id": job.match_id, "pentathlon.match.attempt": job.attempt}
        try:
            with tracing.span("play match", parent=job.traceparent, attributes=told):
                self._finished.append((job, self._play(job)))
        except BuildRefused as error:
            log = _log.bind(match=job.match_id, attempt=job.attempt)
            log.info("build refused", version=error.version_id, reason=str(error))
            self._refuse(job, error)

    def _play(self, job: Job) -> Submission:
        if self._drain.is_asked:
            raise Drained("The worker was asked to stop before the match began.")
        self._lease.begin(job)
        seats = [self._seat_bot(job, seat) for seat in job.seats]
        report = play_match(
            game=GAMES[job.game],
            options=job.options,
            seats=seats,
            seed=job.seed,
            limits=Limits.from_json(job.limits),
            launcher=self._launcher,
            codec=msgspec.json.encode,
            match=job.told_name,
            on_tick=self._tick,
            on_position=self._broadcast.watch(job),
            blamed={seat.seat for seat in job.seats if seat.is_blamed},
        )
        if report.record["faults"]:
            self._files.check([seat.command.folder for seat in seats], self._launcher)
        self._host.note(waited_s=report.starved_s, watched_s=report.watched_s)
        return Submission(
            match_id=job.match_id, token=job.token, report=report, builds=self._builds(job)
        )

    def _builds(self, job: Job) -> EngineBuilds:
        own = build_name()
        is_own = self._launcher.imports_own_build(compiled=job.shows_compiled)
        return EngineBuilds(referee=own, bots=own if is_own else source_name(own))

    def _seat_bot(self, job: Job, seat: SeatJob) -> SeatBot:
        files_hash = seat.files_hash or self._build(job, seat)
        folder = self._retry(lambda: self._files.folder(files_hash))
        command = bot_command(folder, seat.manifest)
        command = replace(command, compiled=job.shows_compiled)
        return SeatBot(name=seat.name, hash=seat.content_hash, command=command)

    def _build(self, job: Job, seat: SeatJob) -> str:
        return build_version(
            job,
            seat,
            self._files.folder(seat.content_hash),
            platform=self._platform,
            launcher=self._launcher,
            on_tick=lambda: self._tick(0),
        )

    def _refuse(self, job: Job, refused: BuildRefused) -> None:
        seat = next(seat for seat in job.seats if seat.version_id == refused.version_id)
        reason, log = str(refused), refused.log
        self._retry(lambda: self._platform.reject_build(job, seat, reason=reason, log=log))
        self._lease.release(job)

    def _tick(self, ply: int) -> None:
        """Report that the match is not stuck, however long a bot thinks; stop it on a drain."""
        self._lease.note_ply(ply)
        self._drain.check()

    def _give_up(self, job: Job, give_back: Callable[..., bool], reason: str) -> None:
        """Give the match back for others to play; if that fails too, its lease runs out."""
        self._lease.release(job)
        try:
            self._retry(lambda: give_back(job, reason=reason))
        except Exception:
            _log.exception("match not given back", match=job.match_id)
        self._broadcast.note_end([job])

    def _hand_in(self) -> None:
        finished, self._finished = self._finished, []
        if not finished:
            return
        first, *others = (job.traceparent for job, _ in finished)
        since_ns = tracing.clock()
        try:
            with tracing.span("hand in result", parent=first, kind="client"):
                answers = self._retry(
                    lambda: self._platform.hand_in([submission for _, submission in finished])
                )
        except PlatformAway:
            raise
        except Exception:
            _log.exception("results not stored together", matches=len(finished))
            for job, submission in finished:
                self._hand_in_alone(job, submission)
            return
        tracing.record("hand in result", parents=filter(None, others), since_ns=since_ns)
        for (job, _), refusal in zip(finished, answers, strict=True):
            self._settle(job, refusal)
        self._broadcast.note_end(job for job, _ in finished)

    def _hand_in_alone(self, job: Job, submission: Submission) -> None:
        """Store one result, so that a broken one does not hold back the others."""
        try:
            refusal = self._retry(lambda: self._platform.hand_in([submission]))[0]
        except Exception as error:
            _log.exception("result not stored", match=job.match_id)
            self._fail(job, error)
        else:
            self._settle(job, refusal)
            self._broadcast.note_end([job])

    def _settle(self, job: Job, refusal: DomainError | None) -> None:
        if isinstance(refusal, Conflict | NotFound):
            log = _log.bind(match=job.match_id, attempt=job.attempt)
            log.warning("result not wanted", code=refusal.code, reason=str(refusal))
        elif refusal is not None:
            _log.error("result refused", match=job.match_id, reason=str(refusal))
            self._give_up(job, self._platform.fail_attempt, _sentence(refusal))
        self._lease.release(job)

    def _retry(self, action: Callable[[], T]) -> T:
        """Ask the platform, and retry while it is away: playing the match again would cost more.

        When it is back, the leases are renewed first. If it answers but refuses, the action is
        retried a few times only.
        """
        pauses = iter(AGAIN_AFTER_S)
        is_first = True
        while True:
            try:
                if not is_first:
                    self._lease.renew()
                return action()
            except PlatformAway as error:
                _log.warning("platform away", error=str(error))
                pause_s = next(pauses, None) if self._platform.answers() else AWAY_S
                if pause_s is None or self._drain.is_over:
                    raise
                time.sleep(pause_s)
            is_first = False


def _sentence(error: Exception) -> str:
    # Pages show this text. Our own errors are written for people; others may reveal host details.
    name = type(error).__name__
    return f"{name}: {_PATH.sub('(a path)', str(error))}" if hasattr(error, "code") else name
