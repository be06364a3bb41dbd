"""Measures the cost of a match: as a whole, through a real worker, and each part alone.

Both are measured on the same matches, batch by batch in turns, so that a machine that slows down
slows both. CPU seconds are counted, not wall time, so other programs on the core matter less.
"""

import contextlib
import os
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from django.conf import settings
from django.core.management.base import CommandError

from pentathlon.bots.models import BotVersion
from pentathlon.env import CHECKOUT, IMPORT_PATH
from pentathlon.fleet.capabilities import least_sandbox
from pentathlon.local.environment.compiled_build import CannotCompile, compiled_engines
from pentathlon.local.environment.installer import InstallFailed
from pentathlon.matches.capacity import BATCH
from pentathlon_engines import GAMES
from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.manifest import bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.launcher import BotCommand, Launcher
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.table import request_message
from pentathlon_engines.record.shape import Record
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from tools.benchmark import bots, rows
from tools.benchmark.archives import measured_bot
from tools.benchmark.costs import Costs, rows_of
from tools.benchmark.demands import Figures
from tools.benchmark.games import check_games, offer_games
from tools.benchmark.meter import own_cpu_s
from tools.benchmark.part import BenchPart, Options, SizeOption
from tools.benchmark.progress import Say
from tools.benchmark.rivals import RIVALS, measure_rival
from tools.benchmark.speed.command import opponents_python
from tools.benchmark.stage import Stage, open_stage
from workers.direct import DirectPlatform
from workers.sandbox.levels import choose_level
from workers.slots.slot import open_slot

_ROUND = 3 * BATCH
_WARM_UP = BATCH
_HINTS = 60
_TURN_RUNS = 7
_FIRST_SEED = 1


@dataclass(kw_only=True)
class Bench:
    """One bot that plays itself in every game, on one stage."""

    stage: Stage
    bot: str
    launcher: Launcher
    version: BotVersion = field(init=False)
    command: BotCommand = field(init=False)

    def __post_init__(self) -> None:
        folder = built_in_bots()[self.bot]
        self.version = self.stage.enter(measured_bot(self.bot))
        command = bot_command(folder, read_manifest(folder))
        self.command = replace(command, compiled=IS_COMPILED)

    def measure(self, game: str, matches: int, say: Say) -> Costs:
        """Measure a game over this many matches."""
        ids = self._schedule(game, range(_WARM_UP))
        self.stage.play(ids)
        self._of_rows(game, ids, range(_WARM_UP))
        totals: defaultdict[str, float] = defaultdict(float)
        played: list[int] = []
        for seeds in _rounds(matches):
            say(f"{game}: {len(played)} of {matches} matches")
            ids = self._schedule(game, seeds)
            spent, lasted = self.stage.play(ids)
            totals["whole"] += spent
            totals["wall"] += lasted
            for name, spent in self._parts(game, ids, seeds).items():
                totals[name] += spent
            played += ids
        return self._costs(game, totals, played)

    def _parts(self, game: str, ids: list[int], seeds: range) -> dict[str, float]:
        records = rows.records_of(ids)
        spent = self._of_bots(records)
        spent["queue"] = self._queue_s(ids[0]) * len(ids) / BATCH
        return {**spent, **self._of_rows(game, ids, seeds)}

    def _of_rows(self, game: str, ids: list[int], seeds: range) -> dict[str, float]:
        """Claim matches like these, which were played, and hand their records in."""
        records = rows.records_of(ids)
        twins, claim_s = rows.claim_twins(self._schedule(game, seeds), records)
        verify_s = rows.measure_verify(records)
        accept_s = rows.measure_accept(twins) - verify_s
        return {"claim": claim_s, "re-simulation": verify_s, "accept": accept_s}

    def _of_bots(self, records: list[Record]) -> dict[str, float]:
        spent = dict.fromkeys(("turns", "engine"), 0.0)
        for name, launcher in (("bot starts", self.launcher), ("plain starts", PlainLauncher())):
            spent[name] = bots.starts_s(records, self.command, launcher)
        for record in records:
            before = own_cpu_s()
            requests = bots.referee_match(record)
            spent["engine"] += own_cpu_s() - before
            spent["turns"] += bots.turns_s(record, requests, self.command, self.launcher)
        return spent

    def _queue_s(self, finished: int) -> float:
        """Return the CPU seconds of a hint, without those of the claim that follows it."""
        delivered = self.stage.deliver(finished, _HINTS)
        return (delivered - rows.measure_refused_claim(finished, _HINTS)) / _HINTS

    def _schedule(self, game: str, seeds: range) -> list[int]:
        return self.stage.schedule(self.version, game, [_FIRST_SEED + seed for seed in seeds])

    def _costs(self, game: str, totals: Mapping[str, float], played: list[int]) -> Costs:
        each_ms = {name: 1000 * total / len(played) for name, total in totals.items()}
        whole_ms, plain_ms = each_ms.pop("whole"), each_ms.pop("plain starts")
        wall_ms = each_ms.pop("wall")
        records = rows.records_of(played)
        return Costs(
            game=game,
            parts_ms=each_ms,
            whole_ms=whole_ms,
            matches_per_s=1000 / wall_ms,
            turn_over_raw=self._turn_over_raw(records[0]),
            sandbox_over_plain=each_ms["bot starts"] / plain_ms,
            plies=[len(record["events"]) for record in records],
            replay_bytes=rows.replay_bytes(played),
        )

    def _turn_over_raw(self, record: Record) -> float:
        requests = bots.referee_match(record)
        typical = request_message(requests[len(requests) // 2], clock={})
        costs = [
            measure_turn_cost(self.launcher, request=typical, codec=msgspec.json.encode, turns=300)
            for _ in range(_TURN_RUNS)
        ]
        return median(cost.ratio for cost in costs)


@contextlib.contextmanager
def open_bench(bot: str = "random") -> Iterator[Bench]:
    """Start a worker beside the database and the broker of this process."""
    with open_stage(Path(str(settings.DATA_FOLDER)).parent) as stage:
        level = choose_level(least=least_sandbox())
        slot = open_slot(level, name="benchmark", fetch=DirectPlatform().archive)
        yield Bench(stage=stage, bot=bot, launcher=slot.launcher)


def _rounds(matches: int) -> Iterator[range]:
    for first in range(0, matches, _ROUND):
        yield range(first, min(first + _ROUND, matches))


def _measure(options: Options, say: Say) -> Figures:
    with open_bench(options["bot"]) as bench:
        games = options["games"] or GAMES
        costs = [bench.measure(game, options["matches"], say) for game in games]
    rivals = {}
    for rival in RIVALS if options["rivals"] else ():
        say(rival.name)
        rivals[rival.name] = measure_rival(rival, Path(options["rivals"]))
    return rows_of(costs, rivals)


def _offer(parser: ArgumentParser) -> None:
    offer_games(parser)
    bots = sorted(built_in_bots())
    parser.add_argument("--bot", choices=bots, default="random", help="the bot that plays itself")
    what = "without the packages from PyPI to compare with"
    parser.add_argument("--alone", action="store_true", help=what)
    what = "use compiled engines and build them first if necessary"
    parser.add_argument("--compiled", action="store_true", help=what)


def _prepare(options: Options) -> dict[str, str]:
    """Install the rivals and compile the engines if they are to be used."""
    check_games(options["games"])
    try:
        options["rivals"] = (
            None if options["alone"] else str(opponents_python(CHECKOUT / ".venv-bench"))
        )
        engines = [str(compiled_engines())] if options["compiled"] else []
    except InstallFailed as error:
        raise CommandError(f"{error} `--alone` measures without them.") from error
    except CannotCompile as error:
        raise CommandError(str(error)) from error
    return {"PYTHONPATH": os.pathsep.join([*engines, IMPORT_PATH])}


MATCH: Final = BenchPart(
    HELP="CPU ms of a match with fresh bots, by part measured alone, and as a whole",
    measure=_measure,
    sizes=(SizeOption("matches", 20, 2, "matches per game"),),
    databases=("sqlite",),
    has_broker=True,
    on_one_core=True,
    offer=_offer,
    prepare=_prepare,
)
