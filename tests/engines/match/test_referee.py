"""The referee without any process: turns, secrets, faults and their consequence."""

import json
from random import Random
from typing import cast

import pytest

from pentathlon_engines import CHANCE, GAMES, Outcome
from pentathlon_engines.match.bot_pipes import BotFailed
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.protocol import encode
from pentathlon_engines.match.referee import Referee, Request, chance_random, judge
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import ask_for_action
from tests.engines.twelve_game import TWELVE


def tuned_referee() -> Referee:
    return Referee(game=GAMES["tuned"], seats=2, options=None, seed=7)


def twelve_referee(seats: int = 3, seed: int = 7) -> Referee:
    return Referee(game=TWELVE, seats=seats, options=None, seed=seed)


def crash(seat: int, ply: int = 0) -> Fault:
    return Fault(FaultKind.CRASH, seat=seat, ply=ply, detail="the process ended")


def play_on(referee: Referee, action: str = "stay") -> None:
    while referee.seat_to_ask() is not None:
        referee.request()
        referee.accept(action, cpu_ms=1, wall_ms=2)


def test_first_seat_of_tuned_is_asked_first() -> None:
    referee = tuned_referee()

    assert referee.seat_to_ask() == 0
    request = referee.request()

    assert (request.seat, request.ply, request.events) == (0, 0, [])
    assert "add dog b2" in request.legal
    assert request.observation["you"] == 0
    assert "legal" not in request.observation


def test_events_begin_with_own_action_and_are_told_once() -> None:
    referee = tuned_referee()
    for action in ("add dog b2", "add cat b2", "add dog a1"):
        referee.seat_to_ask()
        request = referee.request()
        referee.accept(action, cpu_ms=0, wall_ms=0)

    assert request.events == [(0, "add dog b2"), (1, "add cat b2")]
    referee.seat_to_ask()
    assert referee.request().events == [(1, "add cat b2"), (0, "add dog a1")]


def test_request_lists_the_legal_actions_beside_the_observation() -> None:
    referee = tuned_referee()
    referee.seat_to_ask()

    request = referee.request()

    assert request.legal == [referee.state.text(each) for each in referee.state.legal_actions()]
    assert "legal" not in request.observation


def test_events_carry_times() -> None:
    referee = tuned_referee()
    referee.seat_to_ask()
    referee.request()

    referee.accept("add dog b2", cpu_ms=12, wall_ms=15)

    assert referee.events == [Event(0, "add dog b2", cpu_ms=12, wall_ms=15)]
    assert referee.ply == 1


def test_chance_draws_before_anybody_is_asked() -> None:
    referee = twelve_referee()

    assert referee.seat_to_ask() == 0
    assert [event.seat for event in referee.events] == [CHANCE, CHANCE]
    assert referee.request().ply == 2


def test_seat_reads_only_its_own_card() -> None:
    referee = twelve_referee()
    referee.seat_to_ask()

    request = referee.request()

    deal = referee.events[0][1].split()
    assert request.events[0] == (CHANCE, f"deal {deal[1]} ? ?")
    assert request.observation["cards"] == [int(deal[1]), None, None]
    assert request.events[1][1] == referee.events[1][1]


def test_same_seed_draws_the_same_whoever_plays() -> None:
    bold, shy = twelve_referee(), twelve_referee()
    play_on(bold, "take")
    play_on(shy, "stay")

    drawn = [[event for event in game.events if event.is_chance] for game in (bold, shy)]

    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 4


def test_generators_differ_by_draw() -> None:
    assert chance_random(7, draw=0).random() != chance_random(7, draw=1).random()
    assert chance_random(7, draw=0).random() == Random("7:chance:0").random()


def test_offender_of_two_loses() -> None:
    referee = tuned_referee()
    referee.seat_to_ask()

    referee.expel(crash(0))

    assert referee.seat_to_ask() is None
    assert referee.final_outcome() == Outcome((1, 0), "fault")


def test_two_offenders_of_two_both_lose() -> None:
    referee = tuned_referee()

    referee.expel(crash(0))
    referee.expel(crash(1))

    assert referee.final_outcome() == Outcome((1, 1), "fault")


@pytest.mark.parametrize("seats", [3, 4])
def test_nobody_is_best_where_all_failed(seats: int) -> None:
    referee = twelve_referee(seats=seats)

    for seat in range(seats):
        referee.expel(crash(seat))

    assert referee.final_outcome() == Outcome((1,) * seats, "fault")


def test_only_seat_without_a_fault_is_best() -> None:
    referee = twelve_referee(seats=4)

    for seat in (0, 3, 1):
        referee.expel(crash(seat))

    assert referee.final_outcome() == Outcome((1, 1, 0, 1), "fault")


def test_stand_in_plays_on_for_the_offender_of_three() -> None:
    referee = twelve_referee()
    referee.seat_to_ask()

    referee.expel(crash(0, ply=2))
    play_on(referee)

    stood_in = [event for event in referee.events if event.seat == 0]
    assert len(stood_in) == 3
    assert all(event.is_stand_in and event.cpu_ms == 0 for event in stood_in)
    assert all(event.is_by_bot for event in referee.events if event.seat in (1, 2))
    outcome = referee.final_outcome()
    assert outcome.ranks[0] == 2
    assert sorted(outcome.ranks[1:]) in ([0, 0], [0, 1])
    assert outcome.reason == "closest"


def test_stand_in_does_the_same_again() -> None:
    games = [twelve_referee(), twelve_referee()]
    for referee in games:
        referee.seat_to_ask()
        referee.expel(crash(1, ply=2))
        play_on(referee)

    assert games[0].events == games[1].events


def test_match_ends_when_one_seat_is_left() -> None:
    referee = twelve_referee(seats=4)
    referee.seat_to_ask()
    for seat in (0, 3):
        referee.expel(crash(seat))
    assert referee.outcome is None

    referee.expel(crash(1))

    assert referee.final_outcome() == Outcome((1, 1, 0, 1), "fault")


@pytest.mark.parametrize(
    ("ranks", "offenders", "expected"),
    [
        ((0, 1, 2), {0}, (2, 0, 1)),
        ((0, 1, 2), {1}, (0, 2, 1)),
        ((1, 0, 1), {1}, (0, 2, 0)),
        ((0, 0, 2, 3), {0}, (3, 0, 1, 2)),
        ((0, 1, 2, 3), {0, 1}, (2, 2, 0, 1)),
        ((3, 2, 0, 1), {2, 3}, (1, 0, 2, 2)),
    ],
)
def test_offenders_rank_behind_everybody(
    ranks: tuple[int, ...], offenders: set[int], expected: tuple[int, ...]
) -> None:
    state = TWELVE.start(len(ranks))
    state.outcome = Outcome(ranks, "closest", ranks)

    assert judge(state, offenders) == Outcome(expected, "closest", ranks)


def test_unfinished_match_has_no_final_outcome() -> None:
    with pytest.raises(RuntimeError):
        tuned_referee().final_outcome()


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
