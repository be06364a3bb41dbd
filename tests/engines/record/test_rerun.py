"""One seat of a record played again: the same requests, and how the answers compare."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pentathlon_engines import Game
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record import record
from pentathlon_engines.record.rerun import Rerun, Verdict, lines_of, requests_to, rerun
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import SeatBot, play_match
from tests.engines.bot_sources import EACH, HONEST, QUICK
from tests.engines.record.random_records import make_record, tuned_record, twelve_record
from tests.engines.twelve_game import TWELVE

CRASH_AT_2 = (
    EACH
    + """
    if ask["ply"] >= 2: raise ValueError("no idea")
    say({"action": action})
"""
)
NOISY = EACH + "    sys.stderr.write(line)\n    say({'action': action})"

Again = Callable[..., Rerun]


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str], BotCommand]:
    """Return a function that makes a bot of source code."""

    def make(source: str) -> BotCommand:
        folder = tmp_path / f"bot{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "main.py").write_text(source)
        return BotCommand(folder=folder, argv=["{python}", "-S", "-u", "{bot}/main.py"])

    return make


@pytest.fixture
def played(command: Callable[[str], BotCommand]) -> Callable[..., Record]:
    """Return a function that plays bots given as source code."""

    def play(*sources: str, game: Game = GAMES["tuned"]) -> Record:
        bots = [SeatBot(name="bot", hash="sha256:00", command=command(each)) for each in sources]
        report = play_match(
            game=game, options=None, seats=bots, seed=7, limits=QUICK, launcher=PlainLauncher()
        )
        return report.record

    return play


@pytest.fixture
def again(command: Callable[[str], BotCommand]) -> Again:
    """Return a function that lets a bot play a seat of a record again."""

    def play_again(past: Record, source: str, *, seat: int = 0) -> Rerun:
        return rerun(past, seat=seat, command=command(source), launcher=PlainLauncher())

    return play_again


def test_crash_happens_again_at_the_same_ply(played: Callable[..., Record], again: Again) -> None:
    past = played(CRASH_AT_2, HONEST)

    run = again(past, CRASH_AT_2)

    assert run.verdict is Verdict.REPRODUCED
    assert run.verdict.agrees
    assert run.fault is not None
    assert (run.fault.kind, run.fault.ply) == ("crash", 2)
    assert b"ValueError: no idea" in run.log
    assert (run.differences, run.trace.requests, run.usage.exit_status) == ([], 2, 1)


def test_mended_bot_comes_past_the_fault(played: Callable[..., Record], again: Again) -> None:
    past = played(CRASH_AT_2, HONEST)

    run = again(past, HONEST)

    assert (run.verdict, run.fault) == (Verdict.FAULT_GONE, None)
    assert run.answer_in_place is not None
    assert not run.verdict.agrees


def test_same_bot_plays_a_match_without_fault_through(
    played: Callable[..., Record], again: Again
) -> None:
    past = played(HONEST, HONEST)

    run = again(past, HONEST, seat=1)

    assert (run.verdict, run.differences) == (Verdict.PLAYED_THROUGH, [])
    assert run.trace.requests == sum(event[0] == 1 for event in past["events"])


def test_other_actions_are_told_and_the_record_is_followed(again: Again) -> None:
    past = tuned_record()

    run = again(past, NOISY)

    own = {ply: event[1] for ply, event in enumerate(past["events"]) if event[0] == 0}
    asked = [json.loads(line) for line in run.log.splitlines()]
    assert run.verdict is Verdict.DIFFERS
    assert run.differences[0].recorded == own[run.differences[0].ply]
    assert [each["ply"] for each in asked] == list(own)
    assert asked[1]["events"][0] == [0, past["events"][0][1]]


def test_difference_before_the_same_fault_is_told(
    played: Callable[..., Record], again: Again
) -> None:
    past = played(CRASH_AT_2, HONEST)
    last = CRASH_AT_2.replace('len(ask["legal"]) // 3', "-1")

    run = again(past, last)

    assert run.verdict is Verdict.REPRODUCED
    assert [each.ply for each in run.differences] == [0]


@pytest.mark.parametrize(
    ("source", "kind", "ply"),
    [
        ("raise SystemExit(3)", "startup", 0),
        (EACH + "    print('add dog b2')", "protocol", 0),
        (EACH + "    say({'action': 'sing'})", "illegal_action", 0),
        (EACH + "    while True: pass", "cpu_time", 0),
    ],
)
def test_fault_that_the_record_does_not_have_is_told(
    played: Callable[..., Record], again: Again, source: str, kind: str, ply: int
) -> None:
    past = played(CRASH_AT_2, HONEST)

    run = again(past, source)

    assert run.verdict is Verdict.OTHER_FAULT
    assert run.fault is not None
    assert (run.fault.kind, run.fault.ply) == (kind, ply)


def test_stillborn_bot_is_stillborn_again(played: Callable[..., Record], again: Again) -> None:
    past = played(HONEST, "raise SystemExit(3)")

    run = again(past, "raise SystemExit(3)", seat=1)

    assert (run.verdict, run.trace.requests) == (Verdict.REPRODUCED, 0)


def asked_in_match(past: Record, seat: int) -> list[int]:
    return [
        ply for ply, event in enumerate(past["events"]) if event[0] == seat and len(event) == 4
    ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_requests_are_those_of_the_match(monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    monkeypatch.setattr(record, "GAMES", {"twelve": TWELVE})
    past = twelve_record(seats=seats)

    for seat in range(seats):
        assert [request.ply for request in requests_to(past, seat)] == asked_in_match(past, seat)


@pytest.mark.parametrize("offender", [0, 1, 2])
def test_requests_end_with_the_seat_at_fault_and_pass_over_others(
    monkeypatch: pytest.MonkeyPatch, offender: int
) -> None:
    monkeypatch.setattr(record, "GAMES", {"twelve": TWELVE})
    fault_ply = 6 + offender
    fault = Fault(FaultKind.CRASH, seat=offender, ply=fault_ply, detail="gone")
    past = twelve_record(seats=3, fault=fault)
    assert past["faults"]

    for seat in range(3):
        plies = [request.ply for request in requests_to(past, seat)]
        ends = [fault_ply] if seat == offender else []
        assert plies == asked_in_match(past, seat) + ends


def test_seat_that_never_started_is_asked_nothing(
    monkeypatch: pytest.MonkeyPatch, played: Callable[..., Record]
) -> None:
    monkeypatch.setattr(record, "GAMES", {"twelve": TWELVE})
    past = played(HONEST, "raise SystemExit(3)", HONEST, game=TWELVE)

    assert list(requests_to(past, 1)) == []
    assert [request.ply for request in requests_to(past, 2)] == asked_in_match(past, 2)


@pytest.mark.parametrize("key", list(GAMES))
def test_record_tells_the_lines_of_every_game(key: str) -> None:
    past = make_record(GAMES[key], seats=GAMES[key].info.default_seats)

    for seat in range(past["seats"]):
        *_, asked, answered = lines_of(past, seat)
        own = [event[1] for event in past["events"] if event[0] == seat]
        assert (asked.way, answered.way) == (">", "<")
        assert asked.text.startswith('{"type":"act","ply":')
        assert json.loads(answered.text) == {"action": own[-1]}


def test_lines_of_a_fault_end_with_its_request(played: Callable[..., Record]) -> None:
    past = played(CRASH_AT_2, HONEST)

    assert [line.way for line in lines_of(past, 0)] == [">", "<", ">"]
