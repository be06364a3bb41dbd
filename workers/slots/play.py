"""Plays claimed matches and friendlies and hands in the results. Knows no queue."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import structlog

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, DomainError, NotFound
from pentathlon.friendlies.jobs import FriendlyStretch, StretchResult
from pentathlon.matches.jobs import EngineBuilds, Job, Outcome, SeatJob, Submission
from pentathlon_engines import GAMES
from pentathlon_engines.builds import build_name, source_name
from pentathlon_engines.manifest import bot_command
from pentathlon_engines.match.friendly import play_bots
from pentathlon_engines.match.launcher import BotCommand, HostTooSlow, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import MatchAbandoned, SeatBot, play_match
from workers.drain import Drain, Drained
from workers.host.cpu_pressure import Starvation
from workers.port import Platform, PlatformAway, Play
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
    jobs: Sequence[Play],
    *,
    platform: Platform,
    launcher: Launcher,
    files: BotFiles,
    drain: Drain | None = None,
    host: Starvation | None = None,
    broadcast: Broadcast | None = None,
) -> int:
    """Play one after the other and hand them in, short ones together.

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
        self._finished: list[tuple[Play, Outcome]] = []
        self.failed = 0
        """The number of matches that failed because of the host or the platform."""

    def play(self, jobs: Sequence[Play]) -> None:
        """Play and hand in all of them."""
        for job in jobs:
            started = time.monotonic()
            self._try(job)
            if time.monotonic() - started > LONG_S:
                self._hand_in()
        self._hand_in()

    def _try(self, job: Play) -> None:
        log = _bind(job)
        try:
            self._play_or_refuse(job)
        except Drained as error:
            log.info("given back", reason=str(error))
            self._give_up(job, reason=str(error))
        except (MatchAbandoned, Conflict) as error:
            log.warning("result not wanted", code=error.code, reason=str(error))
        except PlatformAway as error:
            # This is no failure of the host, and must not count towards a void match.
            log.warning("given back", reason=str(error))
            self.failed += 1
            self._give_up(job, reason="The database could not be reached.")
        except Exception as error:
            log.exception("attempt failed")
            self._fail(job, error)

    def _fail(self, job: Play, error: Exception) -> None:
        self.failed += 1
        at = getattr(error, "seat", None)
        suspect = next((seat.version_id for seat in job.seats if seat.seat == at), None)
        slow = isinstance(error, HostTooSlow)
        if slow and self._host.is_starved:
            # On a starved host every bot waits, so none is to blame.
            suspect = None
        cause = {"suspect": suspect, "was_too_slow": slow}
        self._give_up(job, reason=_sentence(error), has_failed=True, **cause)

    def _play_or_refuse(self, job: Play) -> None:
        if self._drain.is_asked:
            raise Drained("The worker was asked to stop before the match began.")
        self._lease.begin(job)
        if not isinstance(job, Job):
            self._finished.append((job, self._move_bots(job)))
            return
        told = {"pentathlon.match.id": job.match_id, "pentathlon.match.attempt": job.attempt}
        try:
            with tracing.span("play match", parent=job.traceparent, attributes=told):
                self._finished.append((job, self._play(job)))
        except BuildRefused as error:
            _bind(job).info("build refused", version=error.version_id, reason=str(error))
            self._refuse(job, error)

    def _play(self, job: Job) -> Submission:
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

    def _move_bots(self, stretch: FriendlyStretch) -> StretchResult:
        """Move the bots of a friendly until the person is to move."""
        commands: dict[int, BotCommand] = {
            bot.seat: bot_command(self._folder(bot, bot.files_hash), bot.manifest)
            for bot in stretch.seats
        }
        referee = play_bots(
            stretch.course,
            commands=commands,
            limits=Limits(),
            launcher=self._launcher,
            codec=msgspec.json.encode,
            match=stretch.told_name,
            on_tick=self._tick,
        )
        if len(referee.faults) > len(stretch.course.faults):
            self._files.check([each.folder for each in commands.values()], self._launcher)
        return StretchResult(
            id=stretch.id,
            token=stretch.token,
            events=tuple(referee.events),
            faults=tuple(fault.to_json() for fault in referee.faults),
            sandbox=self._launcher.level.value,
            layers=tuple(self._launcher.layers),
        )

    def _builds(self, job: Job) -> EngineBuilds:
        own = build_name()
        is_own = self._launcher.imports_own_build(compiled=job.shows_compiled)
        return EngineBuilds(referee=own, bots=own if is_own else source_name(own))

    def _seat_bot(self, job: Job, seat: SeatJob) -> SeatBot:
        files_hash = seat.files_hash or self._build(job, seat)
        command = bot_command(self._folder(seat, files_hash), seat.manifest)
        command = replace(command, compiled=job.shows_compiled)
        return SeatBot(name=seat.name, hash=seat.content_hash, command=command)

    def _folder(self, seat: SeatJob, files_hash: str) -> Path:
        model = (str(seat.manifest.model), seat.model_hash) if seat.model_hash else None
        return self._retry(lambda: self._files.folder(files_hash, model=model))

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

    def _give_up(self, job: Play, **cause: Any) -> None:  # Any: what `Platform.give_back` takes
        """Give it back for others to play; if that fails too, its lease runs out."""
        self._lease.release(job)
        try:
            self._retry(lambda: self._platform.give_back(job, **cause))
        except Exception:
            _bind(job).exception("not given back")
        self._broadcast.note_change([job])

    def _hand_in(self) -> None:
        finished, self._finished = self._finished, []
        if not finished:
            return
        first, *others = (job.traceparent for job, _ in finished)
        since_ns = tracing.clock()
        try:
            with tracing.span("hand in result", parent=first, kind="client"):
                answers = self._retry(
                    lambda: self._platform.hand_in([result for _, result in finished])
                )
        except PlatformAway:
            raise
        except Exception:
            _log.exception("results not stored together", matches=len(finished))
            for job, result in finished:
                self._hand_in_alone(job, result)
            return
        tracing.record("hand in result", parents=filter(None, others), since_ns=since_ns)
        for (job, _), refusal in zip(finished, answers, strict=True):
            self._settle(job, refusal)
        self._broadcast.note_change(job for job, _ in finished)

    def _hand_in_alone(self, job: Play, result: Outcome) -> None:
        """Store one result, so that a broken one does not hold back the others."""
        try:
            refusal = self._retry(lambda: self._platform.hand_in([result]))[0]
        except Exception as error:
            _bind(job).exception("result not stored")
            self._fail(job, error)
        else:
            self._settle(job, refusal)
            self._broadcast.note_change([job])

    def _settle(self, job: Play, refusal: DomainError | None) -> None:
        if isinstance(refusal, Conflict | NotFound):
            _bind(job).warning("result not wanted", code=refusal.code, reason=str(refusal))
        elif refusal is not None:
            _bind(job).error("result refused", reason=str(refusal))
            self._give_up(job, reason=_sentence(refusal), has_failed=True)
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


def _bind(job: Play) -> structlog.stdlib.BoundLogger:
    if isinstance(job, Job):
        return _log.bind(match=job.match_id, attempt=job.attempt)
    return _log.bind(friendly=job.id)


def _sentence(error: Exception) -> str:
    # Pages show this text. Our own errors are written for people; others may reveal host details.
    name = type(error).__name__
    return f"{name}: {_PATH.sub('(a path)', str(error))}" if hasattr(error, "code") else name
