"""Plays many matches at a time on this machine, alone or in series, and tallies them.

A series: the same bots meet again and again, each block with another seed.

Seeds count up from the first one, so any match can be played again alone: the match of block 5
has seed 1004 where the first has 1000, and its bots are told the same name.
"""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final, NamedTuple

from pentathlon_engines.contract.game import Game
from pentathlon_engines.match.launcher import EndedFromOutside, HostTooSlow, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import OnLog
from pentathlon_engines.record.record import course, events_by
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchAbandoned, MatchReport, SeatBot, play_match
from pentathlon_engines.seeds import match_alias
from pentathlon_engines.strength.sprt import BlockScore, counts_of, half_points, score_of
from pentathlon_engines.tournament.formats.interface import seatings_of

MOST_ATTEMPTS: Final = 3
"""How often this machine may fail to play a match before the match is void."""
_LONGEST_WAIT_S: Final = 0.2
SEED_STEPS: Final = 2**53
"""The number of seeds; after the largest one, seeds continue from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskResult:
    """The result of a match on this machine, seat by seat."""

    ranks: tuple[int, ...]
    failed: tuple[int, ...]
    """The seats with a fault."""
    slowest_ms: tuple[int, ...]
    """The CPU time of each seat's longest action; 0 without an action."""
    reason: str
    plies: int
    course: str
    chain: str


def result_of(record: Record) -> DeskResult:
    """Return the result that a record states."""
    return DeskResult(
        ranks=tuple(record["outcome"]["ranks"]),
        failed=tuple(fault["seat"] for fault in record["faults"]),
        slowest_ms=tuple(
            max((event.cpu_ms for event in events_by(record, seat)), default=0)
            for seat in range(record["seats"])
        ),
        reason=record["outcome"]["reason"],
        plies=len(record["events"]),
        course=course(record),
        chain=record["chain"],
    )


@dataclass(slots=True)
class TallyLine:
    """The counts of one bot."""

    matches: int = 0
    wins: int = 0
    """Matches won alone."""
    draws: int = 0
    """Matches in which it shared the first rank."""
    faults: int = 0
    slowest_ms: int = 0
    against: dict[int, list[int]] = field(default_factory=dict)
    """For each other bot: how often this one was ahead of it, level with it and behind it."""

    @property
    def losses(self) -> int:
        """Matches in which somebody was ahead."""
        return self.matches - self.wins - self.draws

    def points(self, seats: int) -> float:
        """Return one point for each match won; at larger tables others share it."""
        met = self.against.values()
        return sum(ahead + level / 2 for ahead, level, _ in met) / (seats - 1)


class Tally:
    """The counts of all bots, by number."""

    def __init__(self, players: int) -> None:
        self.lines = [TallyLine() for _ in range(players)]
        self.seats: list[list[int]] = []
        """For each seat: wins, draws and losses against others at the table."""

    def count(self, players: Sequence[int], result: DeskResult) -> None:
        """Count a match; its players are in the order of the seats."""
        best = result.ranks.count(0)
        for seat, player in enumerate(players):
            line, rank = self.lines[player], result.ranks[seat]
            line.matches += 1
            line.wins += rank == 0 and best == 1
            line.draws += rank == 0 and best > 1
            line.faults += seat in result.failed
            line.slowest_ms = max(line.slowest_ms, result.slowest_ms[seat])
            for place, other in enumerate(players):
                if place != seat:
                    self._compare(seat, place, other, line, result)

    def _compare(
        self, seat: int, place: int, other: int, line: TallyLine, result: DeskResult
    ) -> None:
        """Count one seat against another; if both failed, both have lost."""
        both_failed = seat in result.failed and place in result.failed
        own, their = result.ranks[seat], result.ranks[place]
        column = 2 if both_failed or own > their else own == their
        line.against.setdefault(other, [0, 0, 0])[column] += 1
        if not both_failed:  # that says nothing about the seats
            while len(self.seats) <= seat:
                self.seats.append([0, 0, 0])
            self.seats[seat][column] += 1


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


class Series:
    """Matches between bots numbered in the order of their seats, and the results so far."""

    def __init__(self, *, seats: int, matches: int, seed: int, swaps: bool) -> None:
        players = tuple(range(seats))
        self._seatings = seatings_of(players) if swaps else (players,)
        self._seed = seed
        per_block = len(self._seatings)
        self.blocks = -(-matches // per_block)
        """The number of blocks, rounded up: blocks are played whole."""
        self.matches = self.blocks * per_block
        self.tally = Tally(seats)
        self.void = 0
        self._rest = self._plan()
        self._results: dict[int, dict[int, DeskResult | None]] = {}

    def next_match(self) -> DeskMatch | None:
        """Return the next match, or None after the last one."""
        return next(self._rest, None)

    def take(self, match: DeskMatch, result: DeskResult | None) -> None:
        """Count a match that has ended; the result is None if the match could not be played."""
        self._results.setdefault(match.block, {})[match.index] = result
        if result is None:
            self.void += 1
        else:
            self.tally.count(match.players, result)

    def score(self, player: int) -> BlockScore | None:
        """Return the share of the points that a bot took in whole blocks; None before the first.

        At tables of more than two, the points are those against each opponent.
        """
        cells = [
            sum(
                half_points(result.ranks, own=seating.index(player), other=place)
                for seating, result in zip(self._seatings, block, strict=True)
                for place, other in enumerate(seating)
                if other != player
            )
            for block in self._whole_blocks()
        ]
        others = len(self.tally.lines) - 1
        return score_of(counts_of(cells, matches=len(self._seatings) * others))

    def _plan(self) -> Iterator[DeskMatch]:
        index = 0
        for block in range(1, self.blocks + 1):
            seed = (self._seed + block - 1) % SEED_STEPS
            for leg, seating in enumerate(self._seatings, start=1):
                index += 1
                alias = desk_alias(seed, leg=leg)
                yield DeskMatch(index=index, block=block, players=seating, seed=seed, alias=alias)

    def _whole_blocks(self) -> Iterator[list[DeskResult]]:
        """Yield the results of blocks of which every match was played, in seat order."""
        for _, results in sorted(self._results.items()):
            played = [result for _, result in sorted(results.items()) if result is not None]
            if len(played) == len(self._seatings):
                yield played


def keep_nothing(_match: DeskMatch, _record: Record) -> None:
    """Keep no record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Game, rules of play and bots, and where records go."""

    game: Game
    options: Mapping[str, Any]  # Any: the game checks the values
    limits: Limits
    launcher: Launcher
    bots: Sequence[SeatBot]
    keep: Callable[[DeskMatch, Record], None] = keep_nothing
    """Stores a record; called where the match was played, so that a stop loses no record."""
    on_log: OnLog | None = None
    seat_kind: type[Seat] = Seat

    def play(self, match: DeskMatch, tick: Tick | None = None) -> MatchReport:
        """Play one match and keep its record."""
        report = play_match(
            game=self.game,
            options=self.options,
            seats=[self.bots[player] for player in match.players],
            seed=match.seed,
            limits=self.limits,
            launcher=self.launcher,
            match=match.alias,
            on_tick=tick,
            on_log=self.on_log,
            seat_kind=self.seat_kind,
        )
        self.keep(match, report.record)
        return report
