"""An event is written as the row that it was read from."""

import pytest

from pentathlon_engines.match.events import Event, EventRow


@pytest.mark.parametrize(
    ("row", "event"),
    [
        ([-1, "roll 6"], Event(-1, "roll 6")),
        ([1, "add dog b2", 12, 15], Event(1, "add dog b2", cpu_ms=12, wall_ms=15)),
        ([0, "add dog b2", 0, 0, "stand_in"], Event(0, "add dog b2", is_stand_in=True)),
    ],
    ids=["chance", "bot", "stand-in"],
)
def test_row_becomes_an_event_and_a_row_again(row: EventRow, event: Event) -> None:
    read = Event.of(row)

    assert read == event
    assert read.to_row() == row


def test_only_the_action_of_a_bot_is_by_a_bot() -> None:
    chance, bot, stand_in = Event(-1, "roll 6"), Event(0, "go"), Event(0, "go", is_stand_in=True)

    assert [event.is_by_bot for event in (chance, bot, stand_in)] == [False, True, False]
    assert [event.is_chance for event in (chance, bot, stand_in)] == [True, False, False]
