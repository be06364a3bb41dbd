"""CPU time request by request as a drawing: one bar each, the limit as a line."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from pentathlon.replays.usage import RequestCost
from pentathlon.web.chart import Rule

_MOST_BARS = 120
_WIDTH, _HEIGHT = 1000.0, 100.0
_WIDEST_BAR = 60.0
_NEAR_LIMIT = 0.4
"""From this share of the limit on, the limit is drawn."""
_LEAST_TOP_MS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One request, or the longest of a few that follow each other."""

    x: str
    y: str
    width: str
    height: str
    is_fault: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnChart:
    """Bars in a box of 1,000 by 100; rules and the limit in percent of the real height."""

    bars: list[Bar]
    rules: list[Rule]
    limit_y: str | None
    """None where the limit lies far above all bars."""
    limit_ms: int
    most_ms: int
    requests: int
    together: int
    """How many requests share a bar."""

    @property
    def has_fault(self) -> bool:
        """Tell whether the last request ended with a fault."""
        return self.bars[-1].is_fault


def turn_chart(turns: Sequence[RequestCost], *, limit_ms: int) -> TurnChart | None:
    """Draw the CPU times of all requests; None if there was none."""
    if not turns:
        return None
    together = ceil(len(turns) / _MOST_BARS)
    groups = [turns[start : start + together] for start in range(0, len(turns), together)]
    most_ms = max(turn.cpu_ms for turn in turns)
    shows_limit = most_ms >= _NEAR_LIMIT * limit_ms
    top_ms = _round_up(max(most_ms, limit_ms if shows_limit else 0))
    return TurnChart(
        bars=[_bar(group, index, len(groups), top_ms) for index, group in enumerate(groups)],
        rules=[Rule(y=_percent(ms, top_ms), label=f"{ms:g}") for ms in (0, top_ms / 2, top_ms)],
        limit_y=_percent(limit_ms, top_ms) if shows_limit else None,
        limit_ms=limit_ms,
        most_ms=most_ms,
        requests=len(turns),
        together=together,
    )


def _bar(group: Sequence[RequestCost], index: int, count: int, top_ms: int) -> Bar:
    space = _WIDTH / count
    width = min(_WIDEST_BAR, 0.8 * space)
    height = _HEIGHT * max(turn.cpu_ms for turn in group) / top_ms
    return Bar(
        x=f"{space * index + (space - width) / 2:.1f}",
        y=f"{_HEIGHT - height:.1f}",
        width=f"{width:.1f}",
        height=f"{height:.1f}",
        is_fault=group[-1].is_fault,
    )


def _round_up(value_ms: float) -> int:
    """Return the next of 10, 20, 50, 100, 200, ..."""
    top = _LEAST_TOP_MS
    while top < value_ms:
        top = top * 5 // 2 if str(top).startswith("2") else top * 2
    return top


def _percent(value_ms: float, top_ms: int) -> str:
    return f"{100 - 100 * value_ms / top_ms:.1f}%"
