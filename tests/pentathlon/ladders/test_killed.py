"""Ladders whose maker is killed, on SQLite as well (`manage.py test sqlite`)."""

from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction

from pentathlon.ladders import seasons
from pentathlon.ladders.models import Division, FieldLine, Ladder, LadderMember, Season
from pentathlon.ladders.seasons import open_divisions, turn_seasons
from pentathlon.matches.models import Match, MatchSeat
from pentathlon.ratings.models import LedgerRow
from pentathlon.tournaments.batches import Batch, Block
from pentathlon.tournaments.models import Entry, FinalRow, Tournament, TournamentMatch
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import close_finished
from pentathlon_engines.tournament.formats import divisions
from tests.factories import make_version
from tests.pentathlon.killed_process import run_killed
from tests.pentathlon.ladders.playing import (
    division_of,
    make_due,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db(transaction=True)

BOTS = 7
DIVISIONS = 4
"""The number of divisions that seven bots make, where two are enough for one."""
_KINDS = (Match, MatchSeat, TournamentMatch, LedgerRow, Batch, Block)


def _played_ladder() -> Ladder:
    ladder = open_ladder(slots=3)
    make_reference()
    for _ in range(BOTS):
        make_version()
    seat_all()
    for _ in range(4):
        step()
        play_waiting()
    return ladder


def _counts() -> list[int]:
    return [kind.objects.count() for kind in _KINDS]


def _made(tournament: Tournament) -> list[tuple[Any, ...]]:
    """Return all seats of all matches as they were drawn, and what every entry has met."""
    places = TournamentMatch.objects.filter(tournament=tournament)
    seats = places.order_by("index", "match__seats__seat").values_list(
        *("index", "round", "block", "leg", "match__seed", "match__alias"),
        "match__seats__version",
    )
    lines = FieldLine.objects.filter(entry__tournament=tournament).order_by("entry")
    notes = tournament.batches.order_by("number").values_list("number", "input", "input_digest")
    return [*seats, *lines.values_list("entry", "met", "told"), *notes]


def test_next_process_makes_the_batch_whose_maker_was_killed() -> None:
    tournament = division_of(_played_ladder()).tournament
    before = _counts(), _made(tournament)
    with transaction.atomic():
        step()
        undisturbed = _made(tournament)
        transaction.set_rollback(True)
    make_due()

    run_killed("ladder batch", part=1)

    assert (_counts(), _made(tournament)) == before, "nothing is left of the batch"

    assert step() > 0
    assert _made(tournament) == undisturbed
    assert list(schedule_differences(tournament)) == []


def _seating(ladder: Ladder) -> list[list[int]]:
    """Return the members of the running season, division by division, by their places."""
    levels = Division.objects.filter(season__ladder=ladder, season__state="running")
    members = LadderMember.objects.filter(bot__is_reference=False)
    return [
        sorted(members.filter(entry__tournament=each.tournament).values_list("pk", flat=True))
        for each in levels.order_by("level")
    ]


def test_next_process_goes_on_with_a_season_whose_maker_was_killed() -> None:
    ladder = _played_ladder()
    season = Season.objects.get(ladder=ladder)
    with patch.object(divisions, "MOST_BOTS", 2):
        wanted = [sorted(members) for members in seasons._next_seating(season)]
    assert len(wanted) == DIVISIONS
    Season.objects.filter(pk=season.pk).update(closes_at="2020-01-01T00:00Z")

    run_killed("season", part=1)
    season.refresh_from_db()
    assert (season.state, ladder.seasons.count()) == ("running", 1), "whole or not at all"
    assert division_of(ladder).due_at is not None

    run_killed("season", part=4)
    new = ladder.seasons.get(number=2)
    assert (new.divisions.count(), new.unopened) == (2, 2), "two of the four parts are stored"

    turn_seasons()
    open_divisions(for_s=60)
    run_killed("places", part=3)
    assert [len(members) for members in _seating(ladder)] == [1, 2, 0, 0]

    seat_all()
    assert _seating(ladder) == wanted
    levels = list(new.divisions.order_by("level").values_list("level", flat=True))
    assert levels == [1, 2, 3, 4]
    places = Entry.objects.filter(tournament__ladder_division__season=new)
    assert places.count() == BOTS + DIVISIONS, "the reference bot stands in each"
    assert FieldLine.objects.filter(entry__in=places).count() == places.count()


def test_next_process_stores_the_final_table_whose_maker_was_killed() -> None:
    ladder = _played_ladder()
    tournament = division_of(ladder).tournament
    Season.objects.filter(ladder=ladder).update(closes_at="2020-01-01T00:00Z")
    turn_seasons()
    table = FinalRow.objects.filter(entry__tournament=tournament).order_by("place", "entry")
    columns = ("place", "group", "entry", "mu", "sigma", "chance_of_best")
    with transaction.atomic():
        close_finished()
        undisturbed = list(table.values_list(*columns))
        transaction.set_rollback(True)
    assert len(undisturbed) == BOTS + 1

    run_killed("final tables", part=1)
    assert not table.exists()

    close_finished()
    assert list(table.values_list(*columns)) == undisturbed
