"""`bench strength`: how strong the reference bots are, from matches as anybody's bots play them.

Each pairing is a series of the desk: archives unpacked, a process for each seat, the usual limits,
the runner, and the interval of `strength.block_scores`, which counts blocks. The result goes to
`bots/strength.json` beside the bots, which a page of the docs shows.

At tables of more than two, the bot has one seat and the other bot has all others. There the bot is
first by a clear margin if two whole intervals are above the figures of an equal bot: that of its
share of the points above a half, and that of its first places above its fair part.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.core.management.base import CommandError
from rich.console import Console

from pentathlon_engines import GAMES
from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.cli.arguments import find_launcher
from pentathlon_engines.contract.game import Game
from pentathlon_engines.desk.match_pool import (
    Finished,
    Series,
    Setting,
    play_all,
    result_of,
    stop_on_interrupt,
)
from pentathlon_engines.manifest import BUILT_IN, bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import SeatBot
from pentathlon_engines.strength.sprt import WIN, counts_of, score_of
from tools.benchmark.demands import print_table
from tools.benchmark.games import check_games, offer_games
from tools.benchmark.progress import Say, show_progress

HELP: Final = "the strength of the reference bots beside its targets"
FILE: Final = BUILT_IN / "strength.json"

_HEADINGS: Final = (
    *("", "share of the points (95 %)", "matches", "CPU s a match", "slowest", "faults"),
    *("first places", "demanded", "verdict"),
)
_PAIR: Final = 2
_FIRST_SEED: Final = 1000


class Opponents(NamedTuple):
    """A pair of bots, and the least share of the points demanded of the first one."""

    bot: str
    against: str
    demanded: float


_PAIRINGS: Final = (
    Opponents("greedy", "random", 0.9),
    Opponents("mcts", "random", 0.9),
    Opponents("mcts", "greedy", 0.7),
)


class NothingPlayed(CommandError):
    """No block was played to its end, so nothing can be said about a pairing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The score of one bot in the seats of a game against another one in all other seats."""

    game: str
    seats: int
    bot: str
    against: str
    matches: int
    share: float
    low: float
    high: float
    demanded: float
    clearly: bool
    """Whether the whole interval must exceed what is demanded, not only the share."""
    firsts: float | None = None
    """The share of matches in which the bot was first, with shared first places counted in part;
    None with two seats."""
    firsts_low: float | None = None
    firsts_high: float | None = None
    faults: int
    cpu_s: float
    """The bot's mean CPU time per match."""
    most_cpu_s: float
    slowest_ms: int

    @property
    def is_met(self) -> bool:
        """Whether the bot is as strong as demanded."""
        if self.faults:
            return False
        if not self.clearly:
            return self.share >= self.demanded
        return self.low > self.demanded and (self.firsts_low or 0) > 1 / self.seats

    @property
    def verdict(self) -> str:
        """Return in words whether the demand is met, and whether the interval proves it."""
        if not self.is_met:
            return "MISSED"
        return "met" if self.low >= self.demanded else "met, interval reaches below"

    @property
    def demand(self) -> str:
        """Return what is demanded in words."""
        if self.clearly:
            return (
                f"interval above {self.demanded:.0%}, of first places above {1 / self.seats:.0%}"
            )
        return f"at least {self.demanded:.0%}"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    offer_games(parser)
    parser.add_argument("--matches", type=int, default=100, help="matches per pairing (100)")
    parser.add_argument("--bot", choices=sorted({pairing.bot for pairing in _PAIRINGS}))
    parser.add_argument("--against", choices=sorted({pairing.against for pairing in _PAIRINGS}))
    parser.add_argument("--concurrency", type=int, default=1, help="matches at a time (1)")
    parser.add_argument("--sandbox", action="store_true", help="isolate bots as workers do")
    parser.add_argument("--write", action="store_true", help="write the table of the docs")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure, print, and exit with 1 if a bot is weaker than demanded."""
    check_games(options["games"])
    rows: list[Strength] = []
    with stop_on_interrupt() as stop, show_progress(Console(stderr=True)) as say:
        for game, pairing in _pairings(options):
            if stop.is_set():
                break
            try:
                rows.append(measure(GAMES[game], pairing, options, stop=stop, say=say))
            except NothingPlayed:
                if not stop.is_set():
                    raise
                break
            if options["write"]:
                write(rows[-1])
    if options["json"]:
        sys.stdout.write(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    else:
        print_table("Reference bots", _HEADINGS, map(_cells, rows))
    if stop.is_set():
        played = ", ".join(f"{row.matches} of {row.game}" for row in rows) or "none"
        raise CommandError(f"Interrupted; whole matches played: {played}.", returncode=130)
    if not all(row.is_met for row in rows):
        raise CommandError("A bot is weaker than demanded, or failed; see above.")


def _pairings(options: dict[str, Any]) -> Iterator[tuple[str, Opponents]]:  # Any: as above
    for game in options["games"] or GAMES:
        for pairing in _PAIRINGS:
            is_bot = options["bot"] in (None, pairing.bot)
            if is_bot and options["against"] in (None, pairing.against):
                yield game, pairing


def measure(
    game: Game,
    pairing: Opponents,
    options: dict[str, Any],  # Any: Django's own shape
    *,
    stop: threading.Event,
    say: Say,
) -> Strength:
    """Let a bot play against another one in all other seats of the largest table.

    When `stop` is set, the matches that have ended by then count.
    """
    bot, other, demanded = pairing
    seats = game.info.seats[1]
    is_pair = seats == _PAIR
    setting = Setting(
        game=game,
        options=game.info.check_options(None),
        limits=Limits(),
        launcher=find_launcher(sandbox=options["sandbox"]),
        bots=[seat_bot(bot), *[seat_bot(other)] * (seats - 1)],
    )
    # At larger tables chance decides who begins, so no seats are swapped and a match is a block.
    series = Series(seats=seats, matches=options["matches"], seed=_FIRST_SEED, swaps=is_pair)
    used = _Used()
    began_s = time.monotonic()
    for finished in play_all(
        series.next_match, setting.play, concurrency=options["concurrency"], stop=stop
    ):
        series.take(finished.match, used.take(finished))
        say(_describe_progress(f"{game.info.key}: {bot} v {other}", series, used, began_s))
    score = series.score(0)
    if score is None:
        raise NothingPlayed(f"{game.info.title}: no whole block was played.")
    firsts = None if is_pair else score_of(counts_of(used.firsts, matches=1))
    first_places = (firsts.share, firsts.low, firsts.high) if firsts else (None, None, None)
    return Strength(
        game=game.info.key,
        seats=seats,
        bot=bot,
        against=other,
        matches=len(used.cpu_s),
        share=round(score.share, 4),
        low=round(score.low, 4),
        high=round(score.high, 4),
        demanded=demanded if is_pair or other == "random" else 0.5,
        clearly=not is_pair and other != "random",
        firsts=_rounded(first_places[0]),
        firsts_low=_rounded(first_places[1]),
        firsts_high=_rounded(first_places[2]),
        faults=used.faults,
        cpu_s=round(sum(used.cpu_s) / len(used.cpu_s), 2),
        most_cpu_s=round(max(used.cpu_s), 2),
        slowest_ms=used.slowest_ms,
    )


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _describe_progress(what: str, series: Series, used: _Used, began_s: float) -> str:
    """Return how far a series has come, how it stands and how long it may take."""
    done = len(used.cpu_s)
    score = series.score(0)
    stands = f", {score.share:.0%} ({score.low:.0%} to {score.high:.0%})" if score else ""
    left_s = (time.monotonic() - began_s) / max(done, 1) * (series.matches - done)
    return f"{what}: {done} of {series.matches} matches{stands}, about {left_s / 60:.0f} min left"


class _Used:
    """The time that the first bot used, its first places, and its faults."""

    def __init__(self) -> None:
        self.cpu_s: list[float] = []
        self.firsts: list[int] = []
        """First places in half points: a shared one counts one."""
        self.faults = 0
        self.slowest_ms = 0

    def take(self, finished: Finished) -> Any:  # Any: what a series takes
        """Count a match; return its result."""
        if finished.report is None:
            return None
        seat = finished.match.players.index(0)
        result = result_of(finished.report.record)
        self.cpu_s.append(finished.report.usage[seat].cpu_s)
        self.firsts.append(_first_place(result.ranks, seat))
        self.faults += seat in result.failed
        self.slowest_ms = max(self.slowest_ms, result.slowest_ms[seat])
        return result


def _first_place(ranks: Sequence[int], seat: int) -> int:
    if ranks[seat]:
        return 0
    return WIN if ranks.count(0) == 1 else 1


def read(path: Path = FILE) -> dict[str, Any]:  # Any: JSON
    """Return the table that was written last."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stored


def write(strength: Strength, path: Path = FILE) -> None:
    """Write a row into the file, in place of the old one for the same pairing."""
    new = {**asdict(strength), "demand": strength.demand, "met": strength.is_met}
    new["load"] = round(os.getloadavg()[1], 1)
    rows = [row for row in read(path)["rows"] if _key(row) != _key(new)] + [new]
    order = [(pairing.bot, pairing.against) for pairing in _PAIRINGS]
    games = list(GAMES)
    rows.sort(
        key=lambda row: (games.index(row["game"]), order.index((row["bot"], row["against"])))
    )
    text = json.dumps(
        {"command": "python3 manage.py bench strength --write", "rows": rows}, indent=2
    )
    path.write_text(text + "\n", encoding="utf-8")


def _key(row: dict[str, Any]) -> tuple[str, str, str]:  # Any: JSON
    return row["game"], row["bot"], row["against"]


def seat_bot(name: str) -> SeatBot:
    """Return a reference bot as a match takes it."""
    folder = built_in_bots()[name]
    command = bot_command(folder, read_manifest(folder))
    return SeatBot(name=name, hash=content_hash(folder), command=command)


def _cells(row: Strength) -> list[str]:
    firsts = ""
    if row.firsts is not None:
        firsts = f"{row.firsts:.0%} ({row.firsts_low:.0%} to {row.firsts_high:.0%})"
    return [
        f"{row.game}, {row.seats} seats: {row.bot} v {row.against}",
        f"{row.share:.1%} ({row.low:.0%} to {row.high:.0%})",
        str(row.matches),
        f"{row.cpu_s:.2f}, at most {row.most_cpu_s:.2f}",
        f"{row.slowest_ms} ms",
        str(row.faults),
        firsts,
        row.demand,
        row.verdict if row.is_met else f"[red]{row.verdict}[/]",
    ]
