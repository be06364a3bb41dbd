"""`bench schedules`: whether formats pair as they promise."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Final

from django.core.management.base import CommandError

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from tools.benchmark.competition.demands import Demand
from tools.benchmark.competition.ladders import grow_divisions, play_ladder
from tools.benchmark.competition.pairings import (
    check_swiss,
    check_tables,
    cost_of_round_robin,
    count_worse_rounds,
    digest_of_formats,
)
from tools.benchmark.competition.simulation import Simulation, SimulationPart

_SWISS_EVENTS: Final = 1_000
_SMALL_EVENTS: Final = 300
_SEASONS: Final = 15
_APART: Final = {3: 1, 4: 1, 5: 2}
"""By seats, the largest allowed difference between the meetings of two pairs, in blocks."""
_LADDERS: Final = {2: (8, 20, 60), 4: (20, 60)}
"""The numbers of bots on the ladders, by seats."""
_PROGRAM: Final = (
    "from tools.benchmark.competition.pairings import digest_of_formats\n"
    "print(digest_of_formats())"
)


class _Measurement(Simulation):
    """All figures, one group after the other."""

    def demands(self) -> Iterator[Demand]:
        """Yield every figure."""
        yield from self._same_bytes()
        yield from self._round_robin()
        yield from self._tables()
        yield from self._swiss()
        yield from self._ladder()
        yield from self._divisions()

    def _same_bytes(self) -> Iterator[Demand]:
        self._say("every format in other processes")
        digests = {_digest_in_a_process(hash_seed) for hash_seed in ("0", "1", "77")}
        digests |= {digest_of_formats(), digest_of_formats(backwards=True)}
        yield Demand(
            name="all formats: digests under other hash seeds and orders of results",
            measured=len(digests),
            most=1,
            remark="different ones",
        )

    def _round_robin(self) -> Iterator[Demand]:
        self._say("a round robin of 300 bots")
        seconds, mebibytes = cost_of_round_robin(300)
        name = "dearest batch of a round robin of 300 bots"
        yield Demand(name=f"{name}: CPU s", measured=seconds, most=1)
        yield Demand(name=f"{name}: MiB allocated", measured=mebibytes, most=30)

    def _tables(self) -> Iterator[Demand]:
        keys = max(1, 5 // self._share)
        for seats, apart in _APART.items():
            self._say(f"tables of {seats}")
            tasks = [
                (bots, seats, self._seed * 100 + key)
                for bots in range(6, 41)
                for key in range(keys)
            ]
            found = self._map(check_tables, tasks)
            name = f"tables of {seats}, 6 to 40 bots"
            yield Demand(
                name=f"{name}: pairs that never meet",
                measured=sum(each.never for each in found),
                most=0,
                remark=f"{len(found)} schedules",
            )
            yield Demand(
                name=f"{name}: most less fewest meetings, in blocks",
                measured=max(each.apart for each in found),
                most=apart,
            )
            yield Demand(
                name=f"{name}: most less fewest matches in a seat",
                measured=max(each.seats_apart for each in found),
                most=0,
            )
            yield Demand(
                name=f"{name}: CPU s of a schedule",
                measured=max(each.cpu_s for each in found),
                most=2,
            )
        (large,) = self._map(check_tables, [(200, 5, self._seed)])
        yield Demand(
            name="200 bots at tables of 5: pairs that never meet", measured=large.never, most=0
        )
        yield Demand(name="200 bots at tables of 5: CPU s", measured=large.cpu_s, most=10)

    def _swiss(self) -> Iterator[Demand]:
        self._say("Swiss events")
        random = Random(self._seed)
        events = _SWISS_EVENTS // self._share
        tasks = [(random.randint(8, 200), random.getrandbits(40)) for _ in range(events)]
        found = self._map(check_swiss, tasks)
        rounds = sum(each.rounds for each in found)
        yield Demand(
            name="Swiss, 8 to 200 bots, 9 rounds: rounds with an avoidable rematch",
            measured=sum(each.avoidable for each in found),
            most=0,
            remark=f"{events:,} events, {rounds:,} rounds, "
            f"{sum(each.rematches for each in found)} rematches that nothing avoids",
        )
        yield Demand(
            name="Swiss: CPU s of the dearest round",
            measured=max(each.slowest_s for each in found),
            most=2,
        )
        self._say("Swiss events against all pairings there are")
        small = [
            (2 + number % 9, random.getrandbits(40))
            for number in range(_SMALL_EVENTS // self._share)
        ]
        yield Demand(
            name="Swiss, 2 to 10 bots: rounds that are not the only best of all pairings",
            measured=sum(self._map(count_worse_rounds, small)),
            most=0,
            remark=f"{len(small)} events",
        )

    def _ladder(self) -> Iterator[Demand]:
        for seats, sizes in _LADDERS.items():
            self._say(f"ladders of {seats} seats")
            tasks = [(bots, seats, self._seed) for bots in sizes]
            found = self._map(play_ladder, tasks)
            name = f"ladder of {seats} seats, {sizes[0]} to 60 bots"
            yield Demand(
                name=f"{name}: largest share of one opponent",
                measured=max(each.largest_share for each in found),
                most=0.4,
            )
            yield Demand(
                name=f"{name}: blocks by fewest meetings",
                measured=min(each.fill_share for each in found),
                least=0.5,
            )
            yield Demand(
                name=f"{name}: blocks of two bots of one author",
                measured=sum(each.own_pairs for each in found),
                most=0,
            )
            yield Demand(
                name=f"{name}: CPU ms of the dearest call, 16 blocks",
                measured=max(each.slowest_ms for each in found),
                most=20,
            )
            yield Demand(
                name=f"{name}: blocks of who has most / fewest",
                measured=max(each.blocks_apart for each in found),
                most=1.5,
            )

    def _divisions(self) -> Iterator[Demand]:
        self._say("divisions")
        sizes = (60, 200, 1_000, 10_000)
        found = self._map(grow_divisions, [(bots, _SEASONS, self._seed) for bots in sizes])
        yield Demand(
            name="divisions, 60 to 10,000 bots: bots in the largest",
            measured=max(each.largest for each in found),
            most=60,
        )
        for bots, each in zip(sizes, found, strict=True):
            yield Demand(
                name=f"{bots:,} bots, {_SEASONS} seasons: of the best, not in the first division",
                measured=each.outside,
                most=12,
                remark=f"{each.far_outside} not in the first two",
            )
            yield Demand(
                name=f"{bots:,} bots, {_SEASONS} seasons: nor in the second",
                measured=each.far_outside,
                most=3,
            )


def _digest_in_a_process(hash_seed: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=CHECKOUT,
        env=child_environment(PYTHONHASHSEED=hash_seed, PYTHONPATH=IMPORT_PATH),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise CommandError(ended.stderr)
    return ended.stdout.strip()


SCHEDULES: Final = SimulationPart(
    HELP="whether tables, Swiss rounds, ladders and divisions are as even as they say",
    title="Schedules",
    kind=_Measurement,
)
