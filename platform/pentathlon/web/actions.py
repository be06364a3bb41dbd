"""The list of actions beside a replay."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pentathlon_engines import CHANCE
from pentathlon_engines.match.referee import STAND_IN
from pentathlon_engines.record.record import Record

_SLOW_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """One event of a record as people read it."""

    ply: int
    """The position after it."""
    seat: int
    """`CHANCE` for a draw or a roll."""
    text: str
    cpu_ms: int = 0
    is_slow: bool = False
    """It used most of the time that one action has."""
    stood_in: bool = False
    faults: tuple[dict[str, Any], ...] = ()  # Any: JSON of the record
    """What a bot did wrong when it was asked to act before this."""

    @property
    def is_chance(self) -> bool:
        """Tell whether no seat decided this."""
        return self.seat == CHANCE

    @property
    def said(self) -> str:
        """The sentence for those who hear the page."""
        who = "chance" if self.is_chance else f"seat {self.seat}"
        return f"ply {self.ply}, {who}: {self.text}"


def action_rows(record: Record) -> Iterator[ActionRow]:
    """Yield a row for every event of the record."""
    slow_ms = _SLOW_SHARE * 1000 * record["limits"]["action_cpu_s"]
    for index, event in enumerate(record["events"]):
        cpu_ms = event[2] if len(event) > 2 else 0  # noqa: PLR2004  # chance has seat and text
        yield ActionRow(
            ply=index + 1,
            seat=event[0],
            text=event[1],
            cpu_ms=cpu_ms,
            is_slow=cpu_ms >= slow_ms,
            stood_in=event[-1] == STAND_IN,
            faults=faults_at(record, index),
        )


def faults_at(record: Record, ply: int) -> tuple[dict[str, Any], ...]:  # Any: JSON
    """Return the faults of the action that was asked for at this ply."""
    return tuple(fault for fault in record["faults"] if fault["ply"] == ply)
