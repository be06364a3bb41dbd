"""The page that always shows the best match that is played now."""

import pytest
from django.test import Client

from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import MatchKind, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.web.views.live import best_running
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.web.pages import page_of, part_of

pytestmark = pytest.mark.django_db


def running(*scores: float, game: str = "tuned", lane: int = 0) -> int:
    pool = open_live_pool(game=game)
    versions = [make_version(games=(game,)) for _ in scores]
    for version, score in zip(versions, scores, strict=True):
        Rating.objects.create(pool=pool, version=version, mu=score + 3, sigma=1)
    return make_match(versions, game=game, state=MatchState.RUNNING, lane=lane).pk


def test_tv_shows_the_running_match_of_the_best_bots() -> None:
    running(30, 2)
    best = running(20, 21)
    running(1, 1)
    azure = running(3, 4, game="azure")

    shown, of_azure = best_running(None), best_running("azure")

    assert shown is not None
    assert of_azure is not None
    assert (shown.pk, of_azure.pk) == (best, azure)
    page = page_of(Client().get("/tv/"))
    assert [a["data-live-viewer"] for a in page.all("div") if "data-live-viewer" in a] == [
        f"/live/matches/{best}/"
    ]


def test_tv_shows_only_what_everybody_may_watch() -> None:
    running(30, 30, lane=88)
    HiddenLane.objects.create(lane=88, organiser=make_user())
    version = make_version()
    make_match([version] * 2, kind=MatchKind.VALIDATION, state=MatchState.RUNNING)

    assert best_running(None) is None
    assert "No match is being played now." in page_of(Client().get("/tv/?game=odd")).text


def test_tv_asks_for_the_next_match_when_one_ends() -> None:
    before = part_of(Client(headers={"X-Part": "true"}).get("/tv/?game=tuned"))
    match = running(5, 6)
    after = part_of(Client(headers={"X-Part": "true"}).get("/tv/?game=tuned"))

    (empty,), (section, *_) = before.all("section"), after.all("section")
    assert (empty["data-renew"], section["data-renew"]) == ("/tv/?game=tuned",) * 2
    assert (empty["data-every"], section["data-every"]) == ("5", "60")
    assert "data-live-next" in section
    assert f'href="/matches/{match}/"' in str(
        Client(headers={"X-Part": "true"}).get("/tv/?game=tuned").content
    )
