"""`bench analysis`: the cost of win-chance curves, and whether their chances come true.

A reference bot plays itself in all seats, as anybody's bots play. For some matches the whole curve
is computed, to measure its CPU time. In each match a few positions are judged, and their chances
are compared with the winners: on average (Brier score, beside that of equal chances for all) and
in bins of a fifth (expected calibration error, beside what the true chances would show by luck).

`--write` fits the power of each game to all matches and writes it. The figures then come from
powers fitted to the other half of the matches, so that no power is judged by its own matches.
"""

import json
import threading
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log
from random import Random
from typing import Any, Final, NamedTuple

from django.core.management.base import CommandError

from pentathlon_engines import GAMES
from pentathlon_engines.analysis.curve import draw_curve
from pentathlon_engines.analysis.playouts import (
    COMMAND,
    FILE,
    estimate_chances,
    power_of,
    temper,
    truth_of,
)
from pentathlon_engines.cli.arguments import find_launcher
from pentathlon_engines.contract.game import Game, Outcome
from pentathlon_engines.desk.match_pool import Series, Setting, play_all
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import positions
from pentathlon_engines.record.shape import Record
from tools.benchmark.demands import Demand, print_table, show_demands
from tools.benchmark.games import check_games, offer_games
from tools.benchmark.strength import seat_bot

HELP: Final = "CPU s of a win-chance curve, and whether its chances come true"
MOST_CPU_S: Final = 60.0
"""The CPU seconds that a curve may take: half of the longest loan of a slot."""
LARGEST_GAP: Final = 0.05
"""An expected calibration error that is always accepted; a larger one may still be luck."""
_BINS: Final = 5
_HEADINGS: Final = ("chances", "said", "came true", "seats")
_POWERS: Final = [index / 20 for index in range(4, 31)]
_DOUBT: Final = 0.5
"""The weight of a penalty on powers far from 1, which shrinks with the number of matches."""
_LUCK: Final = 200
"""How many times winners are drawn by the chances themselves."""
_FIRST_SEED: Final = 5000


class Sample(NamedTuple):
    """One judged position."""

    match: int
    shares: list[float]
    """The share of the playouts that each seat won, before the power of the game is applied."""
    won: list[float]
    """The share of the first place that each seat took in the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """All chances within one fifth: the predicted mean, and the share that came true."""

    said: float
    came: float
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The accuracy of predicted chances."""

    brier: float
    even_brier: float
    """The Brier score if all seats had equal chances."""
    gap: float
    """The expected calibration error."""
    lucky_gap: float
    """The calibration error that 19 of 20 samples of true chances do not exceed."""
    bins: list[Bin]
    positions: int


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    offer_games(parser)
    parser.add_argument("--matches", type=int, default=60, help="matches per game (60)")
    parser.add_argument("--positions", type=int, default=3, help="positions per match (3)")
    parser.add_argument(
        "--curves", type=int, default=3, help="curves per game, to measure their cost (3)"
    )
    parser.add_argument(
        "--bot",
        choices=sorted(built_in_bots()),
        default="greedy",
        help="the bot that plays itself",
    )
    parser.add_argument("--concurrency", type=int, default=1, help="matches at a time (1)")
    parser.add_argument("--write", action="store_true", help="fit the exponents and write them")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure, print, and exit with 1 if a figure misses its demand."""
    check_games(options["games"])
    missed = False
    for key in options["games"] or GAMES:
        records = play(GAMES[key], options)
        costs = [curve_cost(record) for record in records[: options["curves"]]]
        samples = judge_positions(records, number=options["positions"])
        if options["write"]:
            write(key, fit_power(samples), options)
            chances = cross_fitted(samples)
        else:
            chances = [temper(sample.shares, power=power_of(key)) for sample in samples]
        calibration = calibration_of(samples, chances)
        demands = demands_on(calibration, costs)
        title = f"{GAMES[key].info.title}, {options['bot']}, power {power_of(key):g}"
        missed |= bool(show_demands(title, demands, as_json=options["json"]))
        if not options["json"]:
            print_table("Predicted and actual results", _HEADINGS, map(_cells, calibration.bins))
    if missed:
        raise CommandError("The demands are not met; see above.")


def play(game: Game, options: dict[str, Any]) -> list[Record]:  # Any: Django's own shape
    """Return records of a bot that plays itself at the smallest table."""
    seats = game.info.seats[0]
    records: list[Record] = []
    setting = Setting(
        game=game,
        options=game.info.check_options(None),
        limits=Limits(),
        launcher=find_launcher(sandbox=False),
        bots=[seat_bot(options["bot"])] * seats,
        keep=lambda _match, record: records.append(record),
    )
    series = Series(seats=seats, matches=options["matches"], seed=_FIRST_SEED, swaps=False)
    list(
        play_all(
            series.next_match,
            setting.play,
            concurrency=options["concurrency"],
            stop=threading.Event(),
        )
    )
    return sorted(records, key=lambda record: record["seed"])


def curve_cost(record: Record) -> float:
    """Return the CPU seconds of the curve of a match."""
    begun_at = time.process_time()
    draw_curve(record)
    return time.process_time() - begun_at


def judge_positions(records: Sequence[Record], *, number: int) -> list[Sample]:
    """Judge `number` random positions of every match, by playouts alone."""
    samples = []
    for match, record in enumerate(records):
        rng = Random(f"calibration:{record['chain']}")
        outcome = record["outcome"]
        won = truth_of(Outcome(tuple(outcome["ranks"]), outcome["reason"])).chances
        states = list(positions(record))
        for ply in sorted(rng.choices(range(len(states) - 1), k=number)):
            judged = estimate_chances(states[ply], rng=rng, power=1.0)
            samples.append(Sample(match, judged.chances, won))
    return samples


def fit_power(samples: Sequence[Sample]) -> float:
    """Return the power with the least Brier score, drawn towards 1 when there are few matches."""
    matches = len({sample.match for sample in samples})
    return min(
        _POWERS, key=lambda power: _brier(samples, power) + _DOUBT * log(power) ** 2 / matches
    )


def cross_fitted(samples: Sequence[Sample]) -> list[list[float]]:
    """Return the chances of each half of the matches by the power fitted to the other half."""
    powers = [
        fit_power([sample for sample in samples if sample.match % 2 != half]) for half in (0, 1)
    ]
    return [temper(sample.shares, power=powers[sample.match % 2]) for sample in samples]


def calibration_of(samples: Sequence[Sample], chances: Sequence[Sequence[float]]) -> Calibration:
    """Compare the chances of samples with what came true."""
    won = [sample.won for sample in samples]
    bins = _bins(chances, won)
    rng = Random(0)
    by_luck = sorted(_gap(_bins(chances, _draw(samples, chances, rng))) for _ in range(_LUCK))
    seats = len(samples[0].won)
    return Calibration(
        brier=_mean_square(chances, won),
        even_brier=_mean_square([[1 / seats] * seats] * len(samples), won),
        gap=_gap(bins),
        lucky_gap=by_luck[_LUCK * 19 // 20],
        bins=bins,
        positions=len(samples),
    )


def demands_on(calibration: Calibration, costs: Sequence[float]) -> list[Demand]:
    """Return the figures with their bounds."""
    mean = sum(costs) / max(1, len(costs))
    of = f"{calibration.positions} positions"
    most = max(LARGEST_GAP, calibration.lucky_gap)
    why = f"{of}; or what true chances show by luck: {calibration.lucky_gap:.3f}"
    return [
        Demand(name="CPU s of a curve, mean", measured=mean, remark=f"{len(costs)} matches"),
        Demand(name="CPU s of a curve, most", measured=max(costs, default=0), most=MOST_CPU_S),
        Demand(
            name="Brier score", measured=calibration.brier, most=calibration.even_brier, remark=of
        ),
        Demand(name="expected calibration error", measured=calibration.gap, most=most, remark=why),
    ]


def write(game: str, power: float, options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Store the power of a game."""
    games = json.loads(FILE.read_text(encoding="utf-8"))["games"]
    games[game] = {"power": power, "bot": options["bot"], "matches": options["matches"]}
    text = json.dumps({"command": COMMAND, "games": dict(sorted(games.items()))}, indent=2)
    FILE.write_text(text + "\n", encoding="utf-8")
    power_of.cache_clear()


def _brier(samples: Sequence[Sample], power: float) -> float:
    chances = [temper(sample.shares, power=power) for sample in samples]
    return _mean_square(chances, [sample.won for sample in samples])


def _mean_square(chances: Sequence[Sequence[float]], won: Sequence[Sequence[float]]) -> float:
    """Return the mean squared error over all seats of all positions."""
    squares = [
        (said - came) ** 2
        for predicted, truth in zip(chances, won, strict=True)
        for said, came in zip(predicted, truth, strict=True)
    ]
    return sum(squares) / len(squares)


def _bins(chances: Sequence[Sequence[float]], won: Sequence[Sequence[float]]) -> list[Bin]:
    pairs: list[list[tuple[float, float]]] = [[] for _ in range(_BINS)]
    for predicted, truth in zip(chances, won, strict=True):
        for said, came in zip(predicted, truth, strict=True):
            pairs[min(_BINS - 1, int(said * _BINS))].append((said, came))
    return [
        Bin(
            said=sum(said for said, _ in inside) / len(inside),
            came=sum(came for _, came in inside) / len(inside),
            number=len(inside),
        )
        for inside in pairs
        if inside
    ]


def _gap(bins: Sequence[Bin]) -> float:
    number = sum(one.number for one in bins)
    return sum(one.number * abs(one.said - one.came) for one in bins) / number


def _draw(
    samples: Sequence[Sample], chances: Sequence[Sequence[float]], rng: Random
) -> list[list[float]]:
    """Draw winners by the chances, with one random number for all positions of a match."""
    numbers: dict[int, float] = {}
    drawn = []
    for sample, predicted in zip(samples, chances, strict=True):
        number = numbers.setdefault(sample.match, rng.random())
        sums = list(accumulate(predicted))
        first = next(
            (seat for seat, total in enumerate(sums) if number < total), len(predicted) - 1
        )
        drawn.append([float(seat == first) for seat in range(len(predicted))])
    return drawn


def _cells(one: Bin) -> list[str]:
    low = min(_BINS - 1, int(one.said * _BINS)) / _BINS
    span = f"{low:.0%} to {low + 1 / _BINS:.0%}"
    return [span, f"{one.said:.1%}", f"{one.came:.1%}", str(one.number)]
