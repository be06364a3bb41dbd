"""A tournament that is broken holds up no other one, and the log says what went wrong."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.db import OperationalError
from django.utils import timezone
from structlog.testing import capture_logs

from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentState
from pentathlon.tournaments.organising import events
from pentathlon.tournaments.organising.events import start_due_tournaments
from pentathlon.tournaments.scheduling import blocks, schedules
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from tests.factories import make_match, make_tournament

pytestmark = pytest.mark.django_db


class Step(NamedTuple):
    """A step of the reconciler, and the part of it that looks at one tournament."""

    run: Callable[..., int]
    room: object
    part: str
    said: str


STEPS = {
    "starts": Step(start_due_tournaments, events, "start_tournament", "start of tournament"),
    "schedules": Step(make_schedules, schedules, "extend_schedule", "schedule of tournament"),
    "blocks": Step(settle_blocks, blocks, "_settle_part", "blocks of tournament"),
}


class Part:
    """Works on tournaments, of which the first one breaks it; it notes which it has seen."""

    def __init__(self, error: Exception, *, found: int = 0) -> None:
        self.seen: list[int] = []
        self._error = error
        self._found = found

    def __call__(self, tournament_id: int = 0, **about: object) -> int:
        tournament = about.get("tournament")
        self.seen.append(tournament.pk if isinstance(tournament, Tournament) else tournament_id)
        if len(self.seen) == 1:
            raise self._error
        return self._found


@pytest.fixture(params=STEPS)
def step(request: pytest.FixtureRequest) -> Step:
    """Return a step that has something to do in two tournaments."""
    name = str(request.param)
    is_open = name == "starts"
    for _ in range(2):
        tournament = make_tournament(
            state=TournamentState.OPEN if is_open else TournamentState.RUNNING,
            starts_at=timezone.now() - timedelta(seconds=1),
        )
        TournamentMatch.objects.create(
            tournament=tournament, match=make_match(), round=1, block=1, index=1, is_due=True
        )
    return STEPS[name]


def test_broken_tournament_holds_up_no_other_one(
    step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(ValueError("a broken row"))
    monkeypatch.setattr(step.room, step.part, part)

    with capture_logs() as logs:
        step.run()

    assert sorted(part.seen) == list(
        Tournament.objects.order_by("pk").values_list("pk", flat=True)
    )
    (line,) = (line for line in logs if line["log_level"] == "error")
    assert line["reason"] == "ValueError('a broken row')"
    assert (line["what"], line["key"]) == (step.said, part.seen[0])


def test_broken_tournament_waits_alone(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    part = Part(ValueError("a broken row"))
    monkeypatch.setattr(step.room, step.part, part)
    step.run()
    broken, sound = part.seen

    step.run()

    assert part.seen[2:] == [sound], "the broken one is tried again later"
    assert broken not in part.seen[2:]


def test_database_that_is_away_is_no_broken_tournament(
    step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(OperationalError("gone"))
    monkeypatch.setattr(step.room, step.part, part)

    with pytest.raises(OperationalError):
        step.run()

    assert len(part.seen) == 1
