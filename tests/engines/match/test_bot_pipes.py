"""Pipes carry whole lines and keep the limits on sizes, whatever pieces they arrive in."""

import os
import resource
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from pentathlon_engines.match.bot_pipes import BotEnded, BotFailed, Pipes
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotProcess
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.traces import LINE_BYTES_KEPT

LIMITS = Limits(line_bytes=100, stdout_bytes=250, stderr_bytes=300, stderr_keep_bytes=10)
NOW = 0


class FarEnd:
    """The ends of the pipes that a bot would hold."""

    def __init__(self) -> None:
        self.input, self.stdin = os.pipe()
        self.stdout, self.output = os.pipe()
        self.stderr, self.log = os.pipe()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self._open = {self.input, self.stdin, self.stdout, self.output, self.stderr, self.log}

    def close(self, *descriptors: int) -> None:
        """Close some descriptors, or all."""
        for descriptor in descriptors or tuple(self._open):
            os.close(descriptor)
            self._open.remove(descriptor)


@pytest.fixture
def bot() -> Iterator[FarEnd]:
    far_end = FarEnd()
    yield far_end
    far_end.close()


def pipes_to(bot: FarEnd, limits: Limits = LIMITS) -> Pipes:
    return Pipes(cast("BotProcess", bot), limits)


def test_line_is_taken_when_its_last_piece_has_come(bot: FarEnd) -> None:
    pipes = pipes_to(bot)

    os.write(bot.output, b'{"action":')
    pipes.wait(NOW)
    half = pipes.take_line()
    os.write(bot.output, b'"go"}\n')
    pipes.wait(NOW)

    assert half is None
    assert pipes.take_line() == b'{"action":"go"}'
    assert pipes.take_line() is None


@pytest.mark.parametrize(
    "written",
    [
        b"\xef\xbb\xbf{}\n",
        b"\xef\xbb\xbf\n{}\n",
        b"\n \r\n\t\n{}\n",
        b"  {}\n",
        b"{}\n\n",
        b"{}\n\r\n \n ",
    ],
)
def test_mark_and_blank_lines_are_skipped(bot: FarEnd, written: bytes) -> None:
    whole, pieces = pipes_to(bot), pipes_to(bot)

    os.write(bot.output, written)
    whole.wait(NOW)
    line = whole.take_line()
    lines = []
    for at in range(len(written)):
        os.write(bot.output, written[at : at + 1])
        pieces.wait(NOW)
        lines.append(pieces.take_line())
    os.write(bot.output, b"\n")
    pieces.refuse_early_output()

    assert line == b"{}"
    assert [line for line in lines if line is not None] == [b"{}"]
    whole.refuse_early_output()


def test_blank_lines_alone_are_no_line(bot: FarEnd) -> None:
    pipes = pipes_to(bot)

    os.write(bot.output, b"\n\n \n")
    pipes.wait(NOW)

    assert pipes.take_line() is None
    pipes.refuse_early_output()


def test_mark_within_the_output_is_no_blank(bot: FarEnd) -> None:
    pipes = pipes_to(bot)

    os.write(bot.output, b"{}\n")
    pipes.wait(NOW)
    pipes.take_line()
    os.write(bot.output, b"\xef\xbb\xbf{}\n")

    with pytest.raises(BotFailed, match="before it was asked"):
        pipes.refuse_early_output()


def test_line_that_does_not_fit_into_the_pipe_is_written_in_pieces(bot: FarEnd) -> None:
    pipes, line = pipes_to(bot), b"x" * (4 * resource.getpagesize() * 16) + b"\n"
    received = b""

    pipes.send(line)
    while len(received) < len(line):
        received += os.read(bot.input, len(line))
        pipes.wait(NOW)

    assert received == line
    assert bot.stdin not in pipes.open


def test_answer_before_the_request_is_read_is_a_fault(bot: FarEnd) -> None:
    pipes = pipes_to(bot)

    pipes.send(b"x" * (4 * resource.getpagesize() * 16) + b"\n")
    os.write(bot.output, b'{"type": "ready"}\n')
    pipes.wait(NOW)

    with pytest.raises(BotFailed) as failed:
        pipes.take_line()
    assert failed.value.kind is FaultKind.PROTOCOL


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (b'{"action": "pass"}\n{}\n', "more than the one line"),
        # The reason is the same as for a banner that comes alone: it must not depend on buffers.
        (b'a banner\n{"action": "pass"}\n', "the line is not JSON"),
    ],
)
def test_two_lines_at_once_are_a_fault(bot: FarEnd, lines: bytes, reason: str) -> None:
    pipes = pipes_to(bot)
    os.write(bot.output, b"{}\n")
    pipes.wait(NOW)
    assert pipes.take_line() == b"{}"
    os.write(bot.output, lines)
    pipes.wait(NOW)

    with pytest.raises(BotFailed, match=reason):
        pipes.take_line()


@pytest.mark.parametrize("at_once", [True, False])
def test_prints_before_the_first_object_are_lines_of_the_log(bot: FarEnd, at_once: bool) -> None:
    pipes = pipes_to(bot, replace(LIMITS, stderr_keep_bytes=1000))
    lines = [b"\xef\xbb\xbfTiger 1.0\n", b"\n", b"  [1, \x1b[31m2]\r\n", b'{"type": "ready"}\n']
    answers = []

    for piece in [b"".join(lines)] if at_once else lines:
        os.write(bot.output, piece)
        pipes.wait(NOW)
        answers.append(pipes.take_line())

    assert [answer for answer in answers if answer] == [b'{"type": "ready"}']
    assert pipes.log.decode().splitlines() == [
        "standard output, where `ready` was expected: Tiger 1.0",
        "standard output, where `ready` was expected: [1, \\u001b[31m2]\\r",
    ]


@pytest.mark.parametrize("lines", [1, 50])
def test_flood_of_prints_is_a_fault_whatever_way_it_comes(bot: FarEnd, lines: int) -> None:
    """Each line costs the referee some time, which no clock of the bot counts."""
    pipes = pipes_to(bot, replace(LIMITS, stdout_bytes=10_000))

    def flood() -> None:
        for _ in range(101):
            os.write(bot.output, b"a\n" * lines)
            pipes.wait(NOW)
            assert pipes.take_line() is None

    with pytest.raises(BotFailed, match="100 lines before `ready`") as failed:
        flood()
    assert failed.value.kind is FaultKind.OUTPUT


def test_only_the_beginning_of_a_long_print_is_kept(bot: FarEnd) -> None:
    pipes = pipes_to(bot, replace(Limits(), stderr_keep_bytes=100_000))

    os.write(bot.output, b"z" * 50_000 + b"\n")
    pipes.wait(NOW)

    assert pipes.take_line() is None
    assert pipes.log.count(b"z") == LINE_BYTES_KEPT


def test_output_before_a_request_is_a_fault(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    pipes.refuse_early_output()
    os.write(bot.output, b"me first")

    with pytest.raises(BotFailed, match="before it was asked"):
        pipes.refuse_early_output()


def test_line_that_is_too_long_is_a_fault(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    os.write(bot.output, b"x" * 101)

    with pytest.raises(BotFailed, match="one line grew past 100 bytes"):
        pipes.wait(NOW)


def test_too_much_output_in_short_lines_is_a_fault(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    for _ in range(3):
        os.write(bot.output, b"x" * 79 + b"\n")
        pipes.wait(NOW)
        pipes.take_line()
    os.write(bot.output, b"x" * 79 + b"\n")

    with pytest.raises(BotFailed, match="standard output grew past 250 bytes"):
        pipes.wait(NOW)


def test_end_of_the_log_is_kept_until_it_is_too_long(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    os.write(bot.log, b"a" * 290 + b"0123456789")
    pipes.wait(NOW)

    assert bytes(pipes.log) == b"0123456789"
    os.write(bot.log, b"!")
    with pytest.raises(BotFailed) as failed:
        pipes.wait(NOW)
    assert failed.value.kind is FaultKind.OUTPUT


def test_log_is_drained_without_a_fault_after_the_end(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    os.write(bot.log, b"a" * 400 + b"last words")
    bot.close(bot.log)

    pipes.drain_log()

    assert bytes(pipes.log) == b"last words"


def test_closed_output_means_that_the_bot_has_ended(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    bot.close(bot.output)

    with pytest.raises(BotEnded):
        pipes.wait(NOW)


def test_request_to_a_bot_that_reads_no_more_is_dropped(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    bot.close(bot.input)

    pipes.send(b"hello\n")

    assert bot.stdin not in pipes.open
    assert [line.text for line in pipes.last_lines()] == ["hello"]


def test_last_lines_end_with_output_that_is_no_line(bot: FarEnd) -> None:
    pipes = pipes_to(bot)
    pipes.send(b"ask\n")
    os.write(bot.output, b'{"act')
    pipes.wait(NOW)

    asked, rest = pipes.last_lines()

    assert (asked.way, asked.text, asked.is_whole) == (">", "ask", True)
    assert (rest.way, rest.text, rest.is_whole) == ("<", '{"act', False)
