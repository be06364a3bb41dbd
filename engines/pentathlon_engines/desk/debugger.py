"""A match in which a Python bot runs in this very process, so that a debugger stops in it.

The match itself runs on another thread, as any other does. The bot keeps the main thread, where
`breakpoint()` and the debuggers of editors work. Nobody's clock counts.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import sys
import traceback
from bdb import BdbQuit
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, contextmanager, redirect_stderr, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from pentathlon_engines import bot
from pentathlon_engines.manifest import read_manifest
from pentathlon_engines.match.launcher import (
    NOBODY,
    Awake,
    BotCommand,
    BotProcess,
    Breach,
    Launcher,
    Usage,
)
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.table import OnLog

_HELPER: Final = re.compile(r"pentathlon_engines(\.bot\b| import .*\bbot\b)")
_FOR_EVER_S: Final = 10**9
_Result = TypeVar("_Result")


class DebugLauncher(Launcher):
    """Starts bots without limits of time, one of them in this process.

    That needs a Python bot that calls `bot.play`; any other is a process, whose number is told.
    """

    level = PlainLauncher.level
    layers = PlainLauncher.layers

    def __init__(
        self, command: BotCommand, *, seat: int, on_log: OnLog, tell: Callable[[str], None]
    ) -> None:
        self._seat = seat
        self._tell = tell
        main = _main_to_run(command)
        self._here = None if main is None else _BotHere(main, seat, on_log, tell)

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        """Start a bot as a process, or return the one that runs here."""
        if self._here is not None and seat == self._seat:
            return self._here
        process = PlainLauncher().start(
            command, seat=seat, limits=replace(limits, match_cpu_s=_FOR_EVER_S)
        )
        if seat == self._seat:
            self._tell(f"seat {seat} is process {process.pid}: attach a debugger to it")
        return process

    def run(self, play: Callable[[], _Result]) -> _Result:
        """Return what `play` returns, which runs on another thread while the bot has this one."""
        if (here := self._here) is None:
            return play()
        with ThreadPoolExecutor(1, thread_name_prefix="referee") as pool:
            playing = pool.submit(play)
            playing.add_done_callback(lambda _: here.stop())
            here.run()
        return playing.result()


def _main_to_run(command: BotCommand) -> Path | None:
    """Return the main file of a Python bot that leaves the protocol to `bot.play`, or None."""
    main = read_manifest(command.folder).main
    if command.language != "python" or main is None:
        return None
    sources = (path.read_text(errors="replace") for path in command.folder.rglob("*.py"))
    return command.folder / main if any(map(_HELPER.search, sources)) else None


class _BotHere:
    """A bot in this process, with pipes to the referee as any other bot has."""

    def __init__(self, main: Path, seat: int, on_log: OnLog, tell: Callable[[str], None]) -> None:
        self._main = main
        self._seat = seat
        self._on_log = on_log
        self._tell = tell
        self._ply = 0
        self._usage = Usage(cpu_s=0.0, wall_s=0.0, memory_peak_mb=0.0, exit_status=0)
        requests, self.stdin = os.pipe()
        self.stdout, self._answers = os.pipe()
        self.stderr, log = os.pipe()
        os.close(log)  # what the bot writes there is shown at once
        self._requests = os.fdopen(requests, "rb")
        self._ends = [self.stdin, self.stdout, self.stderr]
        for end in self._ends:
            os.set_blocking(end, False)

    def run(self) -> None:
        """Run the program of the bot to its end, and show how it failed."""
        status = 1
        try:
            with self._as_program():
                runpy.run_path(str(self._main), run_name="__main__")
            status = 0
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else bool(error.code)
        except BdbQuit:
            raise KeyboardInterrupt from None
        except Exception:
            traceback.print_exc()
        finally:
            self._usage = replace(self._usage, exit_status=int(status))
            self._requests.close()
            os.close(self._answers)

    def play(self, choose: Callable[[bot.Turn], str]) -> None:
        """Do what `bot.play` does, with the pipes of this bot."""

        def choose_and_tell(turn: bot.Turn) -> str:
            self._ply = turn.ply
            self._tell(f"ply {turn.ply}: seat {turn.seat} is to move")
            return choose(turn)

        if self._requests.peek(1):  # else the match has not begun at all
            with suppress(BrokenPipeError):
                bot.serve(choose_and_tell, self._requests, self._answers)

    def note(self, text: str) -> None:
        """Show what the bot writes to standard error."""
        self._on_log(self._seat, self._ply, text.encode(errors="backslashreplace"))

    @contextmanager
    def _as_program(self) -> Iterator[None]:
        folder, kept = self._main.parent, (sys.argv, sys.path, bot.play)
        sys.argv, sys.path = [str(self._main)], [str(folder), *sys.path]
        bot.play = self.play
        try:
            with chdir(folder), redirect_stderr(_Notes(self.note)):
                yield
        finally:
            sys.argv, sys.path, bot.play = kept

    def cpu_s(self) -> float:
        """Return 0: nobody counts."""
        return 0.0

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Return nobody: nobody counts."""
        return NOBODY

    def pause(self) -> None:
        """Do nothing: the bot waits for its next request."""

    resume = release = pause

    def breach(self) -> Breach | None:
        """Return None: it has no limits."""
        return None

    def stop(self) -> Usage:
        """Close the pipes, at which the bot ends."""
        while self._ends:
            os.close(self._ends.pop())
        return self._usage

    def verdict(self, usage: Usage) -> Breach | None:
        """Return None: it has no limits."""
        return None


class _Notes(io.TextIOBase):
    """A file that gives on what is written to it."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    def write(self, text: str) -> int:
        """Give on a piece of text."""
        self._note(text)
        return len(text)
