"""Shows costs as a table for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from rich.table import Table

from tools.benchmark.costs import PARTS, Costs
from tools.benchmark.rivals import RIVALS, Figures

LEAST_EFFICIENCY = 0.8
MOST_TURN_OVER_RAW = 5.0
MOST_OWN_SHARE = 0.1
MOST_SANDBOX_OVER_PLAIN = 1.25

_NOT_TO_BE_HAD = (
    "fastchess and cutechess are available neither from PyPI (whose fastchess is another program)"
    " nor from Debian, so they are not measured."
)


def table_of(costs: Sequence[Costs]) -> Table:
    """Return a column for each game and a row for each part and ratio."""
    table = Table(title="CPU ms per match with fresh bots, by part measured alone")
    table.add_column("")
    for cost in costs:
        table.add_column(cost.game, justify="right")
    for part in PARTS:
        table.add_row(part, *(f"{cost.parts_ms[part]:.2f}" for cost in costs))
    table.add_section()
    table.add_row("sum of the parts", *(f"{cost.sum_ms:.2f}" for cost in costs))
    table.add_row("whole match", *(f"{cost.whole_ms:.2f}" for cost in costs))
    table.add_section()
    table.add_row(
        f"sum / whole (at least {LEAST_EFFICIENCY:g})",
        *(_judged(cost.efficiency, is_met=cost.efficiency >= LEAST_EFFICIENCY) for cost in costs),
    )
    table.add_row(
        f"queue and rows / whole (at most {MOST_OWN_SHARE:g})",
        *(_judged(cost.own_share, is_met=cost.own_share <= MOST_OWN_SHARE) for cost in costs),
    )
    table.add_row(
        f"turn / raw round trip (at most {MOST_TURN_OVER_RAW:g})",
        *(
            _judged(cost.turn_over_raw, is_met=cost.turn_over_raw <= MOST_TURN_OVER_RAW)
            for cost in costs
        ),
    )
    table.add_row(
        f"sandbox start / plain start (at most {MOST_SANDBOX_OVER_PLAIN:g})",
        *(
            _judged(
                cost.sandbox_over_plain,
                is_met=cost.sandbox_over_plain <= MOST_SANDBOX_OVER_PLAIN,
            )
            for cost in costs
        ),
    )
    table.add_row("replay bytes, median", *(f"{median(c.replay_bytes):.0f}" for c in costs))
    table.add_row("plies, median", *(f"{median(cost.plies):.0f}" for cost in costs))
    table.add_row("matches per second", *(f"{cost.matches_per_s:.1f}" for cost in costs))
    table.add_row("matches", *(str(cost.matches) for cost in costs))
    return table


def beside(rivals: Mapping[str, Figures]) -> str:
    """Describe how fast other programs are in the same run, and what they leave out."""
    lines = [
        f"{rival.name}, same core, same run: {found['matches_per_s']:.1f} matches per second, "
        f"{found['cpu_ms']:.1f} CPU ms each, {rival.manner}."
        for rival in RIVALS
        if (found := rivals.get(rival.name))
    ]
    return "\n".join([*lines, _NOT_TO_BE_HAD])


def _judged(ratio: float, *, is_met: bool) -> str:
    return f"[{'green' if is_met else 'red'}]{ratio:.2f}[/] {'' if is_met else 'MISSED'}".rstrip()
