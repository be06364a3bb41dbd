"""Bad answers in words: the line that came, and what was expected."""

from typing import NamedTuple

import pytest

from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.traces import FROM_BOT, TO_BOT, Tape, Trace
from pentathlon_engines.record.answers import find_wrong_answer, legal_texts
from tests.engines.record.random_records import tuned_record

LIMITS = Limits().to_json()
LEGAL = ["add dog a1", "add dog b1", "pass"]


class Case(NamedTuple):
    """What a bot wrote after a request, and the words for it."""

    name: str
    kind: FaultKind
    written: str
    expected: str
    lines: tuple[bytes, ...] = ()
    rest: bytes = b""
    requests: int = 2
    has_ended: bool = False


CASES = (
    Case(
        "answer before ready",
        FaultKind.PROTOCOL,
        '“{"action": "pass"}”',
        '{"type": "ready"} as the first line, one JSON object on one line in UTF-8',
        lines=(b'{"action": "pass"}',),
        requests=0,
    ),
    Case(
        "banner before the answer",
        FaultKind.PROTOCOL,
        "“thinking”",
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "one JSON object on one line in UTF-8",
        rest=b'thinking\n{"action": "pass"}\n',
    ),
    Case(
        "answer late",
        FaultKind.WALL_TIME,
        "nothing",
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "before it has slept for 3 s",
    ),
    Case(
        "answer without its line end",
        FaultKind.WALL_TIME,
        '“{"action": "pass"}” (without a line end)',
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "before it has slept for 3 s",
        rest=b'{"action": "pass"}',
    ),
    Case(
        "number",
        FaultKind.PROTOCOL,
        "“42”",
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "one JSON object on one line in UTF-8",
        lines=(b"42",),
    ),
    Case(
        "two lines",
        FaultKind.PROTOCOL,
        "“{}”",
        "nothing before the next request",
        lines=(b'{"action": "pass"}',),
        rest=b"{}\n",
    ),
    Case(
        "two answers at once",
        FaultKind.PROTOCOL,
        'more than one line: “{"action": "pass"} ⏎ {}”',
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "one JSON object on one line in UTF-8",
        rest=b'{"action": "pass"}\n{}\n',
    ),
    Case(
        "banner apart from the answer",
        FaultKind.PROTOCOL,
        "“thinking”",
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "one JSON object on one line in UTF-8",
        lines=(b"thinking",),
    ),
    Case(
        "UTF-16",
        FaultKind.PROTOCOL,
        r"“{\u0000}\u0000”",
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "one JSON object on one line in UTF-8 (this looks like UTF-16)",
        rest="{}\n".encode("utf-16-le"),
    ),
    Case(
        "illegal action",
        FaultKind.ILLEGAL_ACTION,
        '“{"action": "add cow a1"}”',
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", letter for letter',
        lines=(b'{"action": "add cow a1"}',),
    ),
    Case(
        "exit",
        FaultKind.CRASH,
        "nothing",
        '{"action": "…"} with one of the 3 legal actions, such as "add dog a1", '
        "one JSON object on one line in UTF-8",
        has_ended=True,
    ),
)


def _trace(case: Case) -> Trace:
    tape = Tape()
    tape.append((TO_BOT, b"{}\n"))
    for line in case.lines:
        tape.append((FROM_BOT, line))
    return Trace(
        lines=tape.read(case.rest),
        requests=case.requests,
        cpu_ms=0,
        wall_ms=0,
        stdout_bytes=0,
        stderr_bytes=0,
        ended=case.has_ended,
    )


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_answer_is_said_with_line_and_expectation(case: Case) -> None:
    fault = Fault(case.kind, seat=0, ply=3, detail="").to_json()

    answer = find_wrong_answer(fault, _trace(case), limits=LIMITS, legal=LEGAL)

    assert str(answer) == f"It wrote {case.written}. Expected: {case.expected}."


def test_long_line_is_cut_and_its_size_told() -> None:
    case = CASES[4]._replace(lines=(b"x" * 5000,))
    fault = Fault(FaultKind.OUTPUT, seat=0, ply=3, detail="").to_json()

    answer = find_wrong_answer(fault, _trace(case), limits=LIMITS)

    assert answer is not None
    assert answer.written == f"“{'x' * 160}…” (5,000 bytes)"
    assert "one of the texts in its list of legal actions, in at most 65,536" in answer.expected


def test_fault_that_is_no_answer_has_none() -> None:
    fault = Fault(FaultKind.MEMORY, seat=0, ply=3, detail="").to_json()

    assert find_wrong_answer(fault, _trace(CASES[0]), limits=LIMITS) is None


def test_legal_texts_are_those_of_the_ply() -> None:
    record = tuned_record()

    assert record["events"][2][1] in legal_texts(record, 2)
    assert legal_texts(record, len(record["events"])) == []
