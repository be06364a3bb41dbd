"""A worker that needs an address and a worker token, and nothing else.

It reads no settings, knows no database and no secret key, and imports no Django.
"""

from __future__ import annotations

import argparse
import ipaddress
import logging.config
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import structlog
from platformdirs import user_state_path

from pentathlon import logs
from pentathlon.common.errors import DomainError
from pentathlon.env import CHECKOUT, BadEnvironment, Environment, Mode, read_environment
from pentathlon_engines.match.launcher import SandboxLevel
from workers.drain import Drain
from workers.hint_source import HintSource, LongPoll, QueueReader
from workers.host.cpu_pressure import HOLD_S, Starvation
from workers.port import PlatformAway
from workers.prefork import TOKEN_REFUSED, Prefork
from workers.process import WorkerProcess
from workers.remote.adapter import RemotePlatform, TokenRefused
from workers.remote.analyses import RemoteAnalyses
from workers.remote.audience import RemoteAudience
from workers.remote.friendlies import RemoteFriendlies
from workers.sandbox.errors import LayerMissing
from workers.sandbox.levels import choose_probe
from workers.slots.broadcast import Broadcast

WAIT_S: Final = 5.0
"""How long one request for hints waits; a worker that is asked to stop notices it only then."""
HINTS_PER_PROCESS: Final = 500
"""After this many hints, a slot gets a new process, so that no leak lasts."""
_QUICK_S: Final = 0.5
"""An empty answer that comes sooner than this did not wait for a hint."""
_LONGEST_PAUSE_S: Final = 30.0

_log = structlog.stdlib.get_logger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Work until a signal comes; return an exit code."""
    try:
        environment = read_environment()
        _check_keys(environment)
        options = read_options(arguments)
        token = _token(options)
        check_address(options.server, plain_http=options.plain_http)
    except (BadEnvironment, OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    logging.config.dictConfig(logs.configuration(environment))
    logs.configure_structlog()
    # A worker installed from a wheel has no folder of a checkout or an image.
    is_installed = not (CHECKOUT / "manage.py").exists()
    own = user_state_path("pentathlon-worker") if is_installed else environment.data / "worker"
    folder = options.data or own
    platform = RemotePlatform(server=options.server, token=token, unsent=folder / "unsent")
    source = QueueReader(options.queue) if options.queue else LongPoll(platform)
    return _run(environment, platform, source, slots=options.slots)


def _run(
    environment: Environment, platform: RemotePlatform, source: HintSource, *, slots: int
) -> int:
    drain = Drain(grace_s=environment.drain_s)
    try:
        # The site gives no matches to workers whose level it considers too weak.
        least = SandboxLevel(environment.sandbox or SandboxLevel.LANDLOCK)
        probe = choose_probe(least=least, warn=_log.warning)
    except (LayerMissing, ValueError) as error:
        sys.stderr.write(f"This worker does not start. {error}\n")
        return 1
    worker = WorkerProcess(
        probe,
        platform=platform,
        friendlies=RemoteFriendlies(platform),
        analyses=RemoteAnalyses(platform),
        slots=slots,
        drain=drain,
        starvation=Starvation(slots=slots, starved=environment.starved_share),
        broadcast=Broadcast(RemoteAudience(platform)),
    )
    parent = os.getpid()

    def work(index: int) -> int:
        return _Slot(worker, platform, source, index=index, parent=parent).run()

    code = Prefork(work, slots=slots, drain=drain, grace_s=environment.drain_s).run()
    if code == TOKEN_REFUSED:
        sys.stderr.write("The site refuses this worker token. Ask its staff for a new one.\n")
    return code


class _Slot:
    """The process of one slot: waits for hints and plays."""

    def __init__(
        self,
        worker: WorkerProcess,
        platform: RemotePlatform,
        source: HintSource,
        *,
        index: int,
        parent: int,
    ) -> None:
        self._worker = worker
        self._platform = platform
        self._source = source
        self._index = index
        self._parent = parent
        self._failures = 0

    def run(self) -> int:
        """Play until it is time for a new process; return an exit code."""
        # A terminal sends its signal to all processes. Bots inherit an ignored signal, not a
        # handler.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._worker.drain.ask())
        self._worker.become_slot(self._index)
        try:
            if self._index == 0:
                self._hand_in_unsent()
            for _ in range(HINTS_PER_PROCESS):
                if self._is_over():
                    break
                self._take_one()
        finally:
            self._worker.say_goodbye()
            self._worker.remove_files()
        return TOKEN_REFUSED if self._platform.refusal else 0

    def _is_over(self) -> bool:
        if os.getppid() != self._parent:
            self._worker.drain.ask()
        return self._worker.drain.is_asked or self._platform.refusal is not None

    def _take_one(self) -> None:
        """Wait for one hint, and do what it names."""
        began = time.monotonic()
        try:
            is_held = self._worker.is_held
            hint = self._source.wait(HOLD_S if is_held else WAIT_S, only_friendlies=is_held)
            if hint.friendly_ids:
                self._worker.move_bots(hint.friendly_ids)
            if hint.match_ids:
                self._worker.play(hint.match_ids)
            for match_id in hint.analysis_ids:
                self._worker.analyse(match_id)
            for match_id in hint.lent_ids:
                self._worker.analyse(match_id, is_lent=True)
        except TokenRefused as refused:
            _log.error("worker token refused", code=refused.code, reason=str(refused))
            return
        except (PlatformAway, DomainError) as error:
            # The refusal is not about the token: the site may run another release for a while.
            self._failures += 1
            _log.warning("no work for now", reason=str(error))
            self._pause(min(_LONGEST_PAUSE_S, _QUICK_S * 2.0**self._failures))
            return
        self._failures = 0
        if not hint and time.monotonic() - began < _QUICK_S:
            self._pause(_QUICK_S)

    def _pause(self, seconds: float) -> None:
        """Wait for about this long, at random, so that workers do not all ask at once."""
        self._worker.drain.wait(seconds * random.uniform(0.5, 1.5))

    def _hand_in_unsent(self) -> None:
        try:
            taken = self._platform.hand_in_unsent()
        except (PlatformAway, DomainError) as error:
            _log.warning("results of an earlier run not handed in", reason=str(error))
            return
        if taken:
            _log.info("results of an earlier run handed in", taken=taken)


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line; end the process if they make no sense."""
    parser = argparse.ArgumentParser(
        prog="pentathlon-worker",
        description="Play matches for a Pentathlon site. Its staff make the token.",
    )
    parser.add_argument("--server", required=True, help="address, as https://example.org")
    secret = parser.add_mutually_exclusive_group(required=True)
    secret.add_argument(
        "--token", help="the worker token; other users here can see it: prefer a file"
    )
    secret.add_argument("--token-file", type=Path, help="a file that holds the worker token")
    parser.add_argument("--slots", type=int, default=os.cpu_count() or 1, help="matches at a time")
    parser.add_argument("--queue", help="redis://... with a user who may read the queue")
    parser.add_argument("--data", type=Path, help="folder for results that could not be sent")
    parser.add_argument(
        "--plain-http", action="store_true", help="allow http:// beyond this machine"
    )
    options = parser.parse_args(arguments)
    if options.slots < 1:
        parser.error("--slots must be at least 1")
    return options


def _check_keys(environment: Environment) -> None:
    """Refuse to run in production with keys, which strangers' code could read."""
    held = {
        "DATABASE_URL": environment.database_url,
        "PENTATHLON_SECRET_KEY": environment.secret_key,
        "REDIS_URL": environment.redis_url,
    }
    found = [name for name, value in held.items() if value]
    if environment.mode is Mode.PRODUCTION and found:
        raise BadEnvironment(
            ", ".join(found),
            "must not be set where bots of others run: a worker needs its token only. Start it "
            "without.",
        )


def _token(options: argparse.Namespace) -> str:
    token: str = options.token or options.token_file.read_text()
    if not token.strip().isascii() or not token.strip().isprintable():
        raise ValueError("The worker token has characters that no token has.")
    return token.strip()


def check_address(server: str, *, plain_http: bool) -> None:
    """Refuse a malformed address, and one that would carry the token in the clear."""
    parts = urlsplit(server)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"--server must be like https://example.org, not {server!r}.")
    if parts.scheme == "http" and not plain_http and not _is_loopback(parts.hostname):
        raise ValueError("http:// would show the token to the network: use https://.")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
