"""Plays a claimed match and hands in what happened. Knows no queue."""

from __future__ import annotations

import time
from typing import Final

import msgspec
import structlog
from django.db import InterfaceError, OperationalError, close_old_connections

from pentathlon.common.errors import Conflict
from pentathlon.matches.jobs import Job, SeatJob
from pentathlon.matches.services import fail_attempt
from pentathlon.replays.services import accept_result
from pentathlon_engines import GAMES
from pentathlon_engines.launcher import Launcher
from pentathlon_engines.limits import Limits
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.runner import MatchAbandoned, MatchReport, SeatBot, play_match
from workers.bot_files import BotFiles
from workers.lease import LeaseKeeper

HAND_IN_AGAIN_AFTER_S: Final = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)

_log = structlog.stdlib.get_logger(__name__)


def play_job(job: Job, *, launcher: Launcher, files: BotFiles) -> None:
    """Play a match to its end and hand it in, or give it back if this host fails.

    Whatever escapes the runner is a failure of the host: it is never counted as a bot's loss.
    """
    log = _log.bind(match=job.match_id, attempt=job.attempt)
    try:
        with LeaseKeeper(job) as lease:
            report = _play(job, launcher=launcher, files=files, lease=lease)
            _hand_in(job, report)
    except (Conflict, MatchAbandoned) as error:
        log.warning("result not wanted", reason=str(error))
    except Exception as error:
        log.exception("attempt failed")
        fail_attempt(match_id=job.match_id, token=job.token, reason=_sentence(error))
    finally:
        files.make_room()


def _play(job: Job, *, launcher: Launcher, files: BotFiles, lease: LeaseKeeper) -> MatchReport:
    return play_match(
        game=GAMES[job.game],
        options=job.options,
        seats=[_seat_bot(seat, files) for seat in job.seats],
        seed=job.seed,
        limits=Limits.from_json(job.limits),
        launcher=launcher,
        codec=msgspec.json.encode,
        match=str(job.match_id),
        on_ply=lease.note_ply,
    )


def _seat_bot(seat: SeatJob, files: BotFiles) -> SeatBot:
    folder = files.folder(seat.content_hash)
    command = bot_command(folder, read_manifest(folder))
    return SeatBot(name=seat.name, hash=seat.content_hash, command=command)


def _hand_in(job: Job, report: MatchReport) -> None:
    """Hand in a report, patiently: to play again costs more than to wait for a database."""
    for wait_s in HAND_IN_AGAIN_AFTER_S:
        try:
            return _hand_in_once(job, report)
        except (InterfaceError, OperationalError) as error:
            _log.warning("database away", match=job.match_id, error=str(error).strip())
            close_old_connections()
            time.sleep(wait_s)
    return _hand_in_once(job, report)


def _hand_in_once(job: Job, report: MatchReport) -> None:
    accept_result(
        match_id=job.match_id,
        token=job.token,
        record=report.record,
        logs=[log.decode(errors="replace") for log in report.logs],
        notes=report.notes,
        usage=report.usage,
    )


def _sentence(error: Exception) -> str:
    # Pages show it. Our own errors are written for people, others may quote the host's affairs.
    name = type(error).__name__
    return f"{name}: {error}" if hasattr(error, "code") else name
