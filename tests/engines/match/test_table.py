"""The table takes legal actions as answers and makes faults of all others."""

import json
from typing import cast

import pytest

from pentathlon_engines.match.bot_pipes import BotFailed
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.protocol import encode
from pentathlon_engines.match.referee import Request
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import ask_for_action

REQUEST = Request(
    seat=1, ply=4, events=[(0, "stay")], observation={"points": 3}, legal=["stay", "take"]
)


class AnsweringSeat:
    """A seat whose bot gives one answer."""

    def __init__(self, answer: object) -> None:
        self._answer = json.dumps(answer).encode()
        self.asked = b""

    def clock(self) -> dict[str, int]:
        """Return the milliseconds that are left."""
        return {"cpu_left_ms": 1000}

    def ask(self, line: bytes) -> bytes:
        """Return the answer."""
        self.asked = line
        return self._answer


def ask(seat: AnsweringSeat, notes: list[tuple[int, str]]) -> str:
    return ask_for_action(cast("Seat", seat), REQUEST, codec=encode, notes=notes)


def test_request_has_events_observation_legal_actions_and_clock() -> None:
    seat = AnsweringSeat({"action": "take"})

    ask(seat, [])

    assert json.loads(seat.asked) == {
        "type": "act",
        "ply": 4,
        "events": [[0, "stay"]],
        "observation": {"points": 3},
        "legal": ["stay", "take"],
        "clock": {"cpu_left_ms": 1000},
    }


def test_legal_action_is_returned_and_its_note_is_kept() -> None:
    notes: list[tuple[int, str]] = []

    action = ask(AnsweringSeat({"action": "take", "ply": 4, "note": "as planned"}), notes)

    assert action == "take"
    assert notes == [(4, "as planned")]


@pytest.mark.parametrize("action", ["fold", "", "take ", "Take"])
def test_other_action_is_a_fault_and_noted_for_the_owner(action: str) -> None:
    notes: list[tuple[int, str]] = []

    with pytest.raises(BotFailed) as failed:
        ask(AnsweringSeat({"action": action}), notes)

    assert failed.value.kind is FaultKind.ILLEGAL_ACTION
    assert notes == [(4, f"not legal: {action!r}")]


@pytest.mark.parametrize(
    "answer", [[], {"move": "take"}, {"action": 1}, {"action": "take", "ply": 3}]
)
def test_answer_that_is_no_message_is_a_fault(answer: object) -> None:
    with pytest.raises(BotFailed) as failed:
        ask(AnsweringSeat(answer), [])

    assert failed.value.kind is FaultKind.PROTOCOL
