"""The last lines between the referee and a bot, and what its last request took."""

import json

import pytest

from pentathlon_engines.match.traces import (
    FROM_BOT,
    LINE_BYTES_KEPT,
    LINES_KEPT,
    TO_BOT,
    Tape,
    TraceLine,
)
from tests.engines.bot_sources import EACH, HONEST, READY
from tests.engines.commands import Play


def test_tape_keeps_the_last_lines() -> None:
    tape = Tape()
    for number in range(50):
        tape.append((TO_BOT, b"%d\n" % number))

    lines = tape.read(b"")

    assert [line.text for line in lines] == [str(number) for number in range(30, 50)]
    assert len(lines) == LINES_KEPT


def test_long_line_is_cut_and_its_size_told() -> None:
    tape = Tape()
    tape.append((FROM_BOT, b"x" * 5000))

    assert tape.read(b"") == [TraceLine("<", "x" * LINE_BYTES_KEPT, 5000)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'{"action": "\xc3\xa9"}', '{"action": "é"}'),
        (b"\xff\x00\x1b[2J", r"\xff\u0000\u001b[2J"),
        (b"a\r", r"a\r"),
    ],
)
def test_line_is_told_in_signs_that_can_be_printed(line: bytes, text: str) -> None:
    tape = Tape()
    tape.append((FROM_BOT, line))

    assert tape.read(b"")[0].text == text


def test_output_that_became_no_answer_stands_last() -> None:
    tape = Tape()
    tape.append((TO_BOT, b"ask\n"))

    assert tape.read(b'{"act') == [
        TraceLine(">", "ask", 3),
        TraceLine("<", '{"act', 5, is_whole=False),
    ]


def test_crash_leaves_lines_bytes_and_times(play: Play) -> None:
    crash = """
    if ask["ply"] >= 2:
        sum(range(3_000_000))
        os.write(1, b'{"act')
        sys.exit(5)
    say({"action": action})
"""

    report = play(EACH + crash, HONEST)

    trace, other = report.traces
    events = report.record["events"]
    assert [line.way for line in trace.lines] == [">", "<", ">", "<", ">", "<"]
    assert json.loads(trace.lines[3].text) == {"action": events[0][1]}
    assert json.loads(trace.lines[4].text)["ply"] == 2
    assert trace.lines[5] == TraceLine("<", '{"act', 5, is_whole=False)
    assert trace.cpu_ms > 5
    assert trace.wall_ms > 5
    assert trace.stdout_bytes == sum(line.size for line in trace.lines if line.way == "<") + 2
    assert (trace.ended, other.ended) == (True, False)
    assert (trace.requests, other.requests) == (2, 1)


def test_answer_that_is_refused_is_timed(play: Play) -> None:
    slow = EACH + "    sum(range(3_000_000)); sys.stderr.write('hm'); say({'action': 'sing'})"

    report = play(slow, HONEST)

    trace = report.traces[0]
    assert trace.lines[-1].text == '{"action": "sing"}'
    assert trace.cpu_ms > 5
    assert (trace.stderr_bytes, trace.ended) == (2, False)


def test_bot_that_never_became_ready_was_asked_nothing(play: Play) -> None:
    report = play(HONEST, "raise SystemExit(3)")

    trace = report.traces[1]
    assert [json.loads(line.text)["type"] for line in trace.lines] == ["hello"]
    assert (trace.requests, trace.cpu_ms, trace.wall_ms, trace.ended) == (0, 0, 0, True)


def test_two_answers_at_once_are_both_told(play: Play) -> None:
    report = play(READY + "sys.stdin.readline()\nos.write(1, b'1\\n2\\n')\ntime.sleep(9)", HONEST)

    last = report.traces[0].lines[-1]
    assert (last.text, last.is_whole) == ("1\n2", False)
