"""Schedules and replacements cut off by a kill, on SQLite too (`manage.py test sqlite`)."""

import pytest

from pentathlon.matches.models import Match, MatchSeat
from pentathlon.ratings.models import LedgerRow
from pentathlon.tournaments.entries import replacement_blocks
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import close_finished
from tests.factories import make_user
from tests.pentathlon.killed_process import run_killed, run_whole
from tests.pentathlon.tournaments.acting import as_drawn, as_made, matches_of, started
from tests.pentathlon.tournaments.replacing import (
    blocks_of,
    is_right,
    play,
    play_to_the_end,
    replace_version,
    row_of,
    start_cup,
    stop,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_next_process_finishes_a_schedule_whose_maker_was_killed() -> None:
    tournament = started(bots=16)
    assert (tournament.planned, tournament.scheduled) == (240, 0)

    run_killed("schedule", part=3)

    tournament.refresh_from_db()
    drawn = as_drawn(tournament)
    assert tournament.scheduled == 64
    assert as_made(tournament) == drawn[:64], "whole parts, and of the third nothing"
    assert (Match.objects.count(), MatchSeat.objects.count()) == (64, 128)
    assert LedgerRow.objects.count() == 128
    assert close_finished() == []

    run_whole("schedule")

    tournament.refresh_from_db()
    assert tournament.scheduled == 240
    assert as_made(tournament) == drawn
    assert (Match.objects.count(), LedgerRow.objects.count()) == (240, 480)


@pytest.mark.parametrize(
    ("has_left", "given"), [(False, 4), pytest.param(True, 5, marks=pytest.mark.deep)]
)
def test_next_process_goes_on_with_a_replacement_whose_reconciler_was_killed(
    monkeypatch: pytest.MonkeyPatch, has_left: bool, given: int
) -> None:
    monkeypatch.setattr(replacement_blocks, "MATCHES_AT_ONCE", 4)
    cup, new = start_cup(make_user(organiser=True), cycles=4)
    old = cup.entries.get(number=1).version
    mine = blocks_of(cup, old)
    play([each for each in matches_of(cup) if each.place.block <= mine[0]])
    if has_left:
        stop(cup, new)
    replace_version(cup, new)

    run_killed("replacement", part=2)

    assert cup.replacements.filter(is_settled=True).count() == 0
    assert blocks_of(cup, new) == mine[1:given], "whole parts, and of the third nothing"
    assert close_finished() == []

    run_whole("replacement")

    assert cup.replacements.filter(is_settled=True).count() == 1
    assert (blocks_of(cup, old), blocks_of(cup, new)) == (mine[:1], mine[1:])
    assert list(schedule_differences(cup)) == []
    play_to_the_end(cup)
    assert is_right(cup)
    assert (row_of(cup, new).matches, row_of(cup, new).place) == (24, 2)
    assert len(matches_of(cup)) == 48
