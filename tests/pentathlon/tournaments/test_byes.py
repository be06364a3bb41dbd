"""Byes in the tables of Swiss tournaments: each counts as a won block."""

from __future__ import annotations

from typing import Any

import pytest

from pentathlon.matches.models import MatchState
from pentathlon.tournaments.entries.withdrawals import settle_entries, withdraw_entry
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.files import state_of_tables
from pentathlon.tournaments.results.final_table import verify_final_table
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.services import close_finished, start_tournament
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle

pytestmark = pytest.mark.django_db


def _begun(*, bots: int = 5, rounds: int = 2, **asked: Any) -> Tournament:
    owner = make_user(organiser=True)
    made = open_cup(
        owner,
        format="swiss",
        versions=[make_version().pk for _ in range(bots)],
        params={"rounds": rounds},
        rated=False,
        **asked,
    )
    return start_tournament(actor=owner, tournament=made)


def _play_round(tournament: Tournament) -> None:
    settle([match for match in matches_of(tournament) if match.state == MatchState.PENDING])
    while settle_entries() or settle_blocks() or make_schedules():
        pass
    tournament.refresh_from_db()


def _closed(**asked: Any) -> Tournament:
    tournament = _begun(**asked)
    for _ in range(2):
        _play_round(tournament)
    assert close_finished()
    return Tournament.objects.get(pk=tournament.pk)


def _with_bye(tournament: Tournament) -> Standing:
    (row,) = [row for row in standings(tournament) if row.byes]
    return row


def test_points_of_a_bye_are_there_with_its_round() -> None:
    tournament = _begun()

    row = _with_bye(tournament)

    assert (row.points, row.matches, row.wins) == (2, 0, 0)


def test_table_is_ordered_by_points_with_byes() -> None:
    tournament = _closed(tie_breaks=("points", "buchholz_cut_1"))

    table = standings(tournament)

    assert sorted(row.byes for row in table) == [0, 0, 0, 1, 1]
    assert sum(row.points for row in table) == 12
    assert [row.tie_breaks["points"] for row in table] == [row.points for row in table]
    assert [row.points for row in table] == sorted((row.points for row in table), reverse=True)
    assert verify_final_table(tournament_id=tournament.pk) == []


def test_round_that_somebody_missed_is_no_bye() -> None:
    tournament = _begun(bots=6)
    gone = tournament.entries.get(number=5)
    withdraw_entry(actor=tournament.owner, tournament=tournament, version_id=gone.version_id)

    _play_round(tournament)

    rows = {row.entry.number: row for row in standings(tournament)}
    assert rows[5].byes == 0
    assert sum(row.byes for row in rows.values()) == 1


def test_new_round_changes_the_tag_of_the_table() -> None:
    tournament = _begun()
    settle(matches_of(tournament))
    before = state_of_tables(tournament)

    while settle_blocks() or make_schedules():
        pass

    assert state_of_tables(Tournament.objects.get(pk=tournament.pk)) != before
