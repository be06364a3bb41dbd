"""The home page tells a stranger what this is, what is on, who leads and what to do."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from pentathlon.matches.models import Match
from tests.pentathlon.web.pages import page_of, part_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


def test_home_names_the_leader_of_each_game_and_who_won_last(scene: Scene) -> None:
    page = page_of(Client().get("/"))

    assert "led by" in page.text
    assert "with three of one kind in a row." in page.text


def test_match_on_tv_is_not_listed_again(scene: Scene) -> None:
    live = scene.live.pk
    Match.objects.filter(pk=live).update(started_at=now() - timedelta(minutes=1))

    home = page_of(Client().get("/"))
    part = part_of(Client(headers={"X-Part": "true"}).get(f"/now/matches/?besides={live}"))
    all_running = part_of(Client(headers={"X-Part": "true"}).get("/now/matches/"))

    shown = [each["data-live-match"] for _, each in home.elements if "data-live-match" in each]
    assert shown == [str(live)]
    assert [each for _, each in part.elements if "data-live-match" in each] == []
    assert len([each for _, each in all_running.elements if "data-live-match" in each]) == 1
