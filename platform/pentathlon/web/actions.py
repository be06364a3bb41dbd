"""The list of actions beside a replay."""

from collections.abc import Iterator
from dataclasses import dataclass

from pentathlon_engines import CHANCE
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.record.shape import Record

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
    faults: tuple[RecordedFault, ...] = ()
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
    for index, row in enumerate(record["events"]):
        event = Event.of(row)
        yield ActionRow(
            ply=index + 1,
            seat=event.seat,
            text=event.text,
            cpu_ms=event.cpu_ms,
            is_slow=event.cpu_ms >= slow_ms,
            stood_in=event.is_stand_in,
            faults=faults_at(record, index),
        )


def faults_at(record: Record, ply: int) -> tuple[RecordedFault, ...]:
    """Return the faults of the action that was asked for at this ply."""
    return tuple(fault for fault in record["faults"] if fault["ply"] == ply)
