"""The cost of a match by part, as numbers that add up, beside the budgets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tools.benchmark.demands import Demand

LEAST_EFFICIENCY = 0.8
MOST_OWN_SHARE = 0.1
MOST_TURN_OVER_RAW = 5.0
MOST_SANDBOX_OVER_PLAIN = 0.6
AHEAD_OF = {
    "tuned": ("connectx by kaggle", "python-chess"),
    "azure": ("connectx by kaggle", "python-chess"),
    "maatatahay": ("python-chess",),
}
"""The programs than which more matches of a game are played in a second, on one core."""
PARTS = ("bot starts", "turns", "engine", "re-simulation", "queue", "claim", "accept")
"""The parts in the order of the report; `accept` excludes re-simulation."""
OWN_PARTS = ("queue", "claim", "accept")
"""The parts that a platform adds to a match played at home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """CPU milliseconds of one match of a game, and the ratios of the budgets."""

    game: str
    parts_ms: dict[str, float]
    """The cost of each of `PARTS`, measured alone."""
    whole_ms: float
    """The cost of a whole match through queue, sandbox, rows and replay."""
    matches_per_s: float
    """Matches per second of wall-clock time, on one core."""
    turn_over_raw: float
    """The ratio of one turn to one bare round trip through the same pipes."""
    sandbox_over_plain: float
    """The ratio of starting and ending the bots in the sandbox to doing so without it."""
    plies: Sequence[int]
    replay_bytes: Sequence[int]

    @property
    def sum_ms(self) -> float:
        """All parts together."""
        return sum(self.parts_ms.values())

    @property
    def efficiency(self) -> float:
        """The share of the whole that its parts explain."""
        return self.sum_ms / self.whole_ms

    @property
    def own_share(self) -> float:
        """The share of queue and rows in the whole."""
        return sum(self.parts_ms[name] for name in OWN_PARTS) / self.whole_ms


def rows_of(
    costs: Sequence[Costs], rivals: Mapping[str, Mapping[str, float]]
) -> dict[str, list[Demand]]:
    """Return a row for each part and ratio, with a column for each game and each rival."""

    def row(
        values: Sequence[float], *, least: float | None = None, most: float | None = None
    ) -> list[Demand]:
        named = zip(costs, values, strict=True)
        return [
            Demand(name=cost.game, measured=value, least=least, most=most) for cost, value in named
        ]

    def rate(cost: Costs) -> Demand:
        ahead_of = AHEAD_OF.get(cost.game, ())
        rates = [facts["matches_per_s"] for name, facts in rivals.items() if name in ahead_of]
        return Demand(name=cost.game, measured=cost.matches_per_s, least=max(rates, default=None))

    def beside(figure: str) -> list[Demand]:
        return [Demand(name=name, measured=facts[figure]) for name, facts in rivals.items()]

    return {
        **{part: row([cost.parts_ms[part] for cost in costs]) for part in PARTS},
        "sum of the parts": row([cost.sum_ms for cost in costs]),
        "whole match": row([cost.whole_ms for cost in costs]) + beside("cpu_ms"),
        "sum / whole": row([cost.efficiency for cost in costs], least=LEAST_EFFICIENCY),
        "queue and rows / whole": row([cost.own_share for cost in costs], most=MOST_OWN_SHARE),
        "turn / raw round trip": row(
            [cost.turn_over_raw for cost in costs], most=MOST_TURN_OVER_RAW
        ),
        "sandbox start / plain start": row(
            [cost.sandbox_over_plain for cost in costs], most=MOST_SANDBOX_OVER_PLAIN
        ),
        "replay bytes, median": row([median(cost.replay_bytes) for cost in costs]),
        "plies, median": row([median(cost.plies) for cost in costs]),
        "matches per second": [*map(rate, costs), *beside("matches_per_s")],
    }
