"""Measures the cost of a match: as a whole, through a real worker, and each part alone.

Both are measured on the same matches, batch by batch in turns, so that a machine that slows down
slows both. CPU seconds are counted, not wall time, so other programs on the core matter less.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import median

import msgspec

from pentathlon.bots.models import BotVersion
from pentathlon.matches.capacity.batches import BATCH
from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.manifest import bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.launcher import BotCommand, Launcher
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.table import request_message
from pentathlon_engines.record.shape import Record
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from tools.benchmark import bots, rows
from tools.benchmark.archives import measured_bot
from tools.benchmark.costs import Costs
from tools.benchmark.meter import own_cpu_s
from tools.benchmark.stage import Stage

_ROUND = 3 * BATCH
_WARM_UP = 3
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

    def measure(self, game: str, matches: int, say: Callable[[str], None]) -> Costs:
        """Measure a game over this many matches."""
        self.stage.play(self._schedule(game, range(_WARM_UP)))
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
        twins, claims = rows.claim_twins(self._schedule(game, seeds), records)
        accepted = rows.measure_accept(twins)
        twins, more_claims = rows.claim_twins(self._schedule(game, seeds), records)
        spent["claim"] = (claims + more_claims) / 2
        spent["re-simulation"] = rows.measure_verify(records)
        spent["rows"] = rows.rows_s(twins)
        spent["replay"] = rows.replays_s(twins)
        spent["accept"] = accepted - spent["re-simulation"] - spent["rows"] - spent["replay"]
        return spent

    def _of_bots(self, records: list[Record]) -> dict[str, float]:
        spent = dict.fromkeys(("bot starts", "plain starts", "turns", "engine"), 0.0)
        plain = PlainLauncher()
        for record in records:
            spent["bot starts"] += bots.start_s(record, self.command, self.launcher)
            spent["plain starts"] += bots.start_s(record, self.command, plain)
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
            matches=len(played),
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
        # The echo starts in our current folder, which must be one that the sandbox can show.
        with contextlib.chdir(self.command.folder):
            costs = [
                measure_turn_cost(
                    self.launcher, request=typical, codec=msgspec.json.encode, turns=300
                )
                for _ in range(_TURN_RUNS)
            ]
        return median(cost.ratio for cost in costs)


def _rounds(matches: int) -> Iterator[range]:
    for first in range(0, matches, _ROUND):
        yield range(first, min(first + _ROUND, matches))
