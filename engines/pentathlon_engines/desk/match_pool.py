"""Plays many matches at a time on this machine, and stops without losing a finished one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final, NamedTuple

from pentathlon_engines.match.launcher import EndedFromOutside, HostTooSlow
from pentathlon_engines.runner import MatchAbandoned, MatchReport
from pentathlon_engines.seeds import match_alias

MOST_ATTEMPTS: Final = 3
"""How often this machine may fail to play a match before the match is void."""

_LONGEST_WAIT_S: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskMatch:
    """A match to be played on this machine."""

    index: int
    """The number of the match, from 1, in the order of the schedule."""
    block: int
    """The number of the block, from 1; the matches of a block have the same seed."""
    players: tuple[int, ...]
    """The number of the bot in each seat."""
    seed: int
    alias: str
    """The name of the match that its bots are told."""


def desk_alias(seed: int, *, leg: int) -> str:
    """Return the name of a match outside a tournament; it does not show the seed.

    The legs of a block share their seed, so the number of the leg gives each a name of its own.
    """
    return match_alias(str(seed).encode(), leg)


class Finished(NamedTuple):
    """A match that has ended."""

    match: DeskMatch
    report: MatchReport | None
    """The report; None if this machine could not play the match, which then counts for nobody."""
    problem: str = ""
    """Why there is no report; empty if there is one."""


Tick = Callable[[int], None]
PlayMatch = Callable[[DeskMatch, Tick], MatchReport]
"""Plays one match; it must call the tick several times a second and let its exceptions through."""


def play_all(
    next_match: Callable[[], DeskMatch | None],
    play: PlayMatch,
    *,
    concurrency: int,
    stop: threading.Event,
) -> Iterator[Finished]:
    """Yield matches as they end, until none is left or somebody sets `stop`.

    `next_match` returns None when nothing can be played before another match ends. After `stop`,
    running matches are abandoned; those that had ended are yielded all the same.

    Raises:
        LaunchFailed: a bot could not be started at all.
    """

    def tick(_ply: int) -> None:
        if stop.is_set():
            raise MatchAbandoned

    running: dict[Future[Finished | None], DeskMatch] = {}
    with ThreadPoolExecutor(concurrency, thread_name_prefix="match") as pool:
        try:
            while True:
                while (
                    len(running) < concurrency
                    and not stop.is_set()
                    and (match := next_match()) is not None
                ):
                    running[pool.submit(_attempt, play, match, tick)] = match
                if not running:
                    return
                # The kernel may hand Ctrl-C to another thread; this one must wake up to see it.
                ended, _ = wait(running, timeout=_LONGEST_WAIT_S, return_when=FIRST_COMPLETED)
                for future in sorted(ended, key=lambda each: running[each].index):
                    del running[future]
                    finished = future.result()
                    if finished is not None:
                        yield finished
        except BaseException:
            stop.set()  # else leaving the pool would wait for matches that nobody takes
            raise


def _attempt(play: PlayMatch, match: DeskMatch, tick: Tick) -> Finished | None:
    """Play a match, again if the machine failed; return None if it was abandoned."""
    problem = ""
    for _ in range(MOST_ATTEMPTS):
        try:
            return Finished(match, play(match, tick))
        except MatchAbandoned:
            return None
        except (HostTooSlow, EndedFromOutside) as error:
            problem = str(error)
    return Finished(match, None, problem)


@contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C sets; a second Ctrl-C interrupts at once, as usual."""
    stop = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, request_stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
