"""Divisions of ladders become datasets like other tournaments, when their season has closed."""

from __future__ import annotations

import pytest

from pentathlon.insight.datasets.models import Dataset
from pentathlon.ladders.models import Season
from pentathlon.ladders.seasons import turn_seasons
from pentathlon.matches.models import Match
from pentathlon.matches.services import void_matches
from pentathlon.tournaments.services import close_finished
from tests.factories import make_version
from tests.pentathlon.insight.datasets.making import make_all
from tests.pentathlon.ladders.playing import division_of, open_ladder, seat_all, step
from tests.pentathlon.web.scene import play_all

pytestmark = pytest.mark.django_db


def test_a_division_of_a_closed_season_becomes_a_dataset() -> None:
    ladder = open_ladder()
    for _ in range(3):
        make_version()
    seat_all()
    step()
    division = division_of(ladder).tournament
    play_all(division, limit=2)
    make_all()
    assert not Dataset.objects.exists()

    void_matches(matches=Match.objects.of_lane(division.pk).waiting(), reason="Enough.")
    Season.objects.running().update(closes_at="2020-01-01T00:00Z")
    turn_seasons()
    close_finished()
    make_all()

    dataset = Dataset.objects.listed().get()
    assert (dataset.tournament_id, dataset.matches) == (division.pk, 2)
