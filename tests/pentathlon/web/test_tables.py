"""Tables on pages, and what the API says of the same rows."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.matches.models import Match
from pentathlon.tournaments.results.standings import CrosstableRow, Score, crosstable, seat_rates
from pentathlon.web.tables import crosstable_rows
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


def test_page_and_api_show_the_same_interval(scene: Scene) -> None:
    tournament = scene.closed

    page = page_of(Client().get(reverse("tournament", args=[tournament.pk])))
    rows = Client().get(f"/api/v1/tournaments/{tournament.pk}/standings/").json()["results"]

    for row in rows:
        low, high = row["interval"]
        assert f"{row['rating']['mu']:.1f} ± {(high - low) / 2:.1f}" in page.text
    assert rows


def test_pair_that_has_not_met_has_no_tint(scene: Scene) -> None:
    standing = crosstable(scene.closed)[0].standing
    cells = (Score.of(0, 0, 0), Score.of(2, 0, 0))

    [row, _] = crosstable_rows([CrosstableRow(standing=standing, cells=cells)] * 2)

    assert [cell and cell.tint for cell in row.cells] == ["", "t5"]


def test_game_and_tournament_rate_seats_alike(scene: Scene) -> None:
    Match.objects.exclude(place__tournament=scene.closed).update(is_revoked=True)

    rates = seat_rates(scene.closed)
    pages = [
        page_of(Client().get(reverse(name, args=[argument])))
        for name, argument in (("tournament", scene.closed.pk), ("game", "tuned"))
    ]

    shares = [rate.score.points / rate.score.meetings for rate in rates]
    assert len(shares) == 2
    for page in pages:
        assert all(f"{100 * share:.1f} %" in page.text for share in shares)
