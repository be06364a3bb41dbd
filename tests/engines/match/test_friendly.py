"""What has happened in a friendly is played again, and nothing else is taken for it."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.contract.game import Game
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.friendly import Course, resume
from pentathlon_engines.match.referee import Referee
from tests.engines.twelve_game import TWELVE

SEED = 7


def played(game: Game, *, seats: int, plies: int, person: int = 0) -> Course:
    """Return a course of random actions of all seats."""
    referee = Referee(game=game, seats=seats, options=None, seed=SEED)
    luck = Random(1)
    while referee.seat_to_ask() is not None and referee.ply < plies:
        referee.accept(luck.choice(referee.request().legal), cpu_ms=3, wall_ms=4)
    return Course(
        game=game,
        options=referee.state.options,
        seats=seats,
        seed=SEED,
        person=person,
        events=tuple(referee.events),
    )


@pytest.fixture
def course() -> Course:
    return played(GAMES["tuned"], seats=2, plies=5)


def changed(course: Course, ply: int, **about: Any) -> Course:
    events = list(course.events)
    events[ply] = events[ply]._replace(**about)
    return replace(course, events=tuple(events))


def fault(seat: int, ply: int) -> Any:
    return Fault(FaultKind.CRASH, seat=seat, ply=ply, detail="it ended").to_json()


def test_friendly_goes_on_where_it_stood(course: Course) -> None:
    referee = resume(course)

    assert tuple(referee.events) == course.events
    assert referee.seat_to_ask() == 1


def test_chance_does_what_follows_from_the_seed() -> None:
    course = played(TWELVE, seats=3, plies=6)

    assert resume(course).events[: len(course.events)] == list(course.events)

    drawn = next(ply for ply, event in enumerate(course.events) if event.seat < 0)
    with pytest.raises(BadRecord, match=f"event {drawn}: it does not follow from the seed"):
        resume(changed(course, drawn, text="something else"))


@pytest.mark.parametrize("about", [{"text": "add everything"}, {"seat": 1}, {"text": ""}])
def test_action_that_nobody_could_do_is_refused(about: dict[str, Any], course: Course) -> None:
    with pytest.raises(BadRecord, match=r"event 4: seat . cannot do this here"):
        resume(changed(course, 4, **about), known=4)


def test_actions_that_were_checked_before_are_not_checked_again(course: Course) -> None:
    assert resume(course, known=5).ply == 5


def test_nothing_happens_after_the_end() -> None:
    whole = played(GAMES["tuned"], seats=2, plies=1000)
    more = replace(whole, events=(*whole.events, Event(0, whole.events[0].text, 1, 1)))

    with pytest.raises(BadRecord, match=f"event {len(whole.events)}: the match was over before"):
        resume(more)


def test_bot_that_failed_plays_on_as_its_stand_in() -> None:
    course = played(TWELVE, seats=3, plies=6)
    at = resume(course).seat_to_ask()
    assert at is not None

    referee = resume(replace(course, faults=(fault(at, len(course.events)),)))

    assert [each.seat for each in referee.faults] == [at]
    assert referee.seat_to_ask() != at


def test_person_who_gave_up_has_lost(course: Course) -> None:
    referee = resume(replace(course, person=1, resigned_at=5))

    assert referee.seat_to_ask() is None
    outcome = referee.final_outcome()
    assert (outcome.ranks, outcome.reason) == ((0, 1), "resigned")
