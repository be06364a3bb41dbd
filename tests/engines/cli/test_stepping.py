"""Which position a key leads to."""

import pytest

from pentathlon_engines.cli.output.stepper import Stepper, split_keys

# Plies:      1          2               3               4          5               6
EVENTS = [[-1, "deal"], [0, "a", 1, 1], [0, "b", 1, 1], [-1, "r"], [0, "c", 1, 1], [1, "d", 1, 1],
          [2, "e", 1, 1], [1, "f", 1, 1], [0, "g", 1, 1], [-1, "x"]]  # fmt: skip
# Turns begin at 2 (seat 0), 6 (1), 7 (2), 8 (1: a new round), 9 (0).


@pytest.mark.parametrize(
    ("at", "keys", "ply"),
    [
        (0, [" "], 1),
        (0, ["\x1b[D"], 0),
        (10, ["n"], 10),
        (0, ["\x1b[B"], 2),
        (2, ["j"], 6),
        (4, ["\x1b[A"], 2),
        (2, ["k"], 0),
        (9, ["t"], 10),
        (2, ["]"], 9),
        (6, ["]"], 8),
        (8, ["["], 6),
        (9, ["["], 2),
        (0, ["]"], 2),
        (0, ["}"], 2),
        (2, ["}"], 8),
        (9, ["{"], 8),
        (8, ["{"], 2),
        (8, ["}"], 10),
        (5, ["g"], 0),
        (5, ["G"], 10),
        (0, ["7", "\r"], 7),
        (0, ["1", "0", "g"], 10),
        (0, ["9", "9", "\r"], 10),
        (0, ["4", "2", "\x7f", "\r"], 4),
        (3, ["7", "q", " "], 4),
        (3, ["7", "G", "?"], 10),
    ],
)
def test_keys_lead_to_a_ply(at: int, keys: list[str], ply: int) -> None:
    stepper = Stepper(EVENTS)
    stepper.ply = at

    for key in keys:
        stepper.press(key)

    assert stepper.ply == ply
    assert not stepper.is_over


@pytest.mark.parametrize("key", ["q", "\x1b"])
def test_quitting_ends(key: str) -> None:
    stepper = Stepper(EVENTS)

    stepper.press(key)

    assert stepper.is_over


def test_record_without_actions_has_no_turns() -> None:
    stepper = Stepper([])

    for key in ("]", "[", "}", "{", "t", "T", "3", "\r"):
        stepper.press(key)

    assert stepper.ply == 0


def test_keys_that_came_at_once_are_told_apart() -> None:
    typed = "12\r\x1b[B\x1b[5~\x1bOAq"

    assert list(split_keys(typed)) == ["1", "2", "\r", "\x1b[B", "\x1b[5~", "\x1bOA", "q"]
