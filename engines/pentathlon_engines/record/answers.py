"""Describes a wrong answer of a bot, and the expected one.

`pentathlon play`, `check` and the server say it in these words, so authors read the same sentences
everywhere. They quote the bot, so they are for its owner only; the fault of the record is not.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.faults import FaultKind, RecordedFault
from pentathlon_engines.match.protocol import problem_of
from pentathlon_engines.match.traces import FROM_BOT, LINE_BYTES_KEPT, Trace, TraceLine
from pentathlon_engines.record.record import position
from pentathlon_engines.record.shape import Record

_LONGEST_QUOTE: Final = 160
_ANSWERED: Final = frozenset(
    {
        FaultKind.STARTUP,
        FaultKind.CRASH,
        FaultKind.WALL_TIME,
        FaultKind.CPU_TIME,
        FaultKind.OUTPUT,
        FaultKind.PROTOCOL,
        FaultKind.ILLEGAL_ACTION,
    }
)
"""Kinds of faults in which a line was expected, and another one or none came."""
_WIDE: Final = "\\u0000"
"""A zero byte of UTF-16, as traces show it."""
_READY: Final = '{"type": "ready"}'


class WrongAnswer(NamedTuple):
    """The two halves of the explanation; print it whole to say both."""

    written: str
    expected: str

    def __str__(self) -> str:
        """Return both as sentences."""
        return f"It wrote {self.written}. Expected: {self.expected}."


def find_wrong_answer(
    fault: RecordedFault, trace: Trace, *, limits: Mapping[str, float], legal: Sequence[str] = ()
) -> WrongAnswer | None:
    """Return what a bot wrote at its fault and what should have come.

    Returns None if the fault was no answer, but memory, a system call, or the like. `legal` are
    the texts of the legal actions, if the caller knows them.
    """
    if fault["kind"] not in _ANSWERED:
        return None
    written, is_early = _written(trace)
    said = "nothing" if written is None else _quote(written)
    if is_early:
        return WrongAnswer(said, "nothing before the next request")
    if not trace.requests:
        expected = f"{_READY} as the first line"
    else:
        expected = f'{{"action": "…"}} with {_choice(legal)}'
    return WrongAnswer(said, f"{expected}, {_manner(fault, trace, written, limits)}")


def answer_at_fault(record: Record, fault: RecordedFault, trace: Trace) -> str:
    """Return what a bot wrote at a fault of this record, and what was expected, as sentences.

    Returns "" if the fault was no answer.
    """
    try:
        legal = legal_texts(record, fault["ply"])
    except BadRecord:  # the record is of a release with other rules
        legal = []
    answer = find_wrong_answer(fault, trace, limits=record["limits"], legal=legal)
    return "" if answer is None else str(answer)


def legal_texts(record: Record, ply: int) -> list[str]:
    """Return the texts of the actions that are legal after `ply` events of a verified record."""
    state = position(record, ply)
    if state.to_move is None or state.to_move == CHANCE:
        return []
    return [state.text(action) for action in state.legal_actions()]


def _written(trace: Trace) -> tuple[TraceLine | None, bool]:
    """Return the last line since the last request, and whether an answer came before it."""
    after: list[TraceLine] = []
    for line in trace.lines:
        after = [*after, line] if line.way == FROM_BOT else []
    if not after:
        return None, False
    # A whole line was taken as the answer, so what follows it came too early.
    return after[-1], len(after) > 1


def _quote(line: TraceLine) -> str:
    first, line_end, rest = line.text.partition("\n")
    are_several = bool(line_end) and problem_of(first.encode()) is None
    text = f"{first} ⏎ {rest}".replace("\n", " ⏎ ") if are_several else first
    if len(text) > _LONGEST_QUOTE or line.size > LINE_BYTES_KEPT:
        quoted = f"“{text[:_LONGEST_QUOTE]}…” ({line.size:,} bytes)"
    else:
        quoted = f"“{text}”"
    if are_several:
        return f"more than one line: {quoted}"
    is_ended = line_end or line.is_whole or line.size > len(line.text.encode())
    return quoted if is_ended else f"{quoted} (without a line end)"


def _choice(legal: Sequence[str]) -> str:
    if not legal:
        return "one of the texts in its list of legal actions"
    if len(legal) == 1:
        return f'the only legal action, "{legal[0]}"'
    return f'one of the {len(legal)} legal actions, such as "{legal[0]}"'


def _manner(
    fault: RecordedFault, trace: Trace, written: TraceLine | None, limits: Mapping[str, float]
) -> str:
    """Return how the line should have come, as far as this fault is about it."""
    kind = fault["kind"]
    if kind == FaultKind.ILLEGAL_ACTION:
        return "letter for letter"
    if kind == FaultKind.WALL_TIME:
        return f"before it has slept for {limits['action_wall_s']:g} s"
    if kind == FaultKind.CPU_TIME:
        return f"within {limits['action_cpu_s']:g} s of CPU time"
    if kind == FaultKind.OUTPUT:
        return f"in at most {limits['line_bytes']:,} bytes"
    if kind == FaultKind.STARTUP and not trace.ended:
        return f"within {limits['startup_wall_s']:g} s"
    looks_wide = written is not None and _WIDE in written.text
    return "one JSON object on one line in UTF-8" + (" (this looks like UTF-16)" * looks_wide)
