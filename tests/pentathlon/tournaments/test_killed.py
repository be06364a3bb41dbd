"""A schedule whose maker is killed, on SQLite as well (`manage.py test sqlite`)."""

import pytest

from pentathlon.matches.models import Match, MatchSeat
from pentathlon.ratings.models import LedgerRow
from pentathlon.tournaments.services import close_finished
from tests.pentathlon.killed_process import run_killed, run_whole
from tests.pentathlon.tournaments.acting import as_drawn, as_made, started

pytestmark = pytest.mark.django_db(transaction=True)


def test_next_process_finishes_a_schedule_whose_maker_was_killed() -> None:
    tournament = started(bots=16)
    assert (tournament.planned, tournament.scheduled) == (240, 0)

    run_killed("schedule", part=3)

    tournament.refresh_from_db()
    drawn = as_drawn(tournament)
    assert tournament.scheduled == 32
    assert as_made(tournament) == drawn[:32], "whole parts, and of the third nothing"
    assert (Match.objects.count(), MatchSeat.objects.count()) == (32, 64)
    assert LedgerRow.objects.count() == 64
    assert close_finished() == []

    run_whole("schedule")

    tournament.refresh_from_db()
    assert tournament.scheduled == 240
    assert as_made(tournament) == drawn
    assert (Match.objects.count(), LedgerRow.objects.count()) == (240, 480)
