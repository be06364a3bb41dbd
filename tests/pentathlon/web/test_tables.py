"""Tables on pages, and what the API says of the same rows."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.matches.models import Match
from pentathlon.tournaments.standings import seat_rates
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import make_scene

pytestmark = pytest.mark.django_db


def test_page_and_api_show_the_same_interval() -> None:
    tournament = make_scene().closed

    page = page_of(Client().get(reverse("tournament", args=[tournament.pk])))
    rows = Client().get(f"/api/v1/tournaments/{tournament.pk}/standings/").json()["results"]

    for row in rows:
        low, high = row["interval"]
        assert f"{row['rating']['mu']:.1f} ± {(high - low) / 2:.1f}" in page.text
    assert rows


def test_game_and_tournament_rate_seats_alike() -> None:
    scene = make_scene()
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
