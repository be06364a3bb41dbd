"""Candidates: versions that take no place until their author activates them."""

import pytest
from django.test import Client

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import activate_version
from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.ladders.models import LadderMember
from pentathlon.matches.uploads.services import submit_version
from pentathlon.ratings.models import Pool, Rating
from pentathlon.tournaments.challenges.services import create_challenge
from tests.api.client import V1, assert_problem, client_of, upload
from tests.factories import make_bot, make_upload, make_user, make_version
from tests.pentathlon.ladders.playing import open_ladder, seat_all

pytestmark = pytest.mark.django_db


def make_candidate(active: BotVersion) -> BotVersion:
    made = make_version(bot=active.bot)
    BotVersion.objects.filter(pk=made.pk).update(is_candidate=True)
    made.refresh_from_db()
    return made


def playing(version: BotVersion) -> int | None:
    member = LadderMember.objects.filter(bot=version.bot_id).first()
    return member.version_id if member else None


def test_candidate_does_not_take_the_place_of_the_active_version() -> None:
    open_ladder()
    active = make_version()
    seat_all()

    candidate = make_candidate(active)
    seat_all()
    before = playing(active)
    activate_version(actor=active.bot.owner, version=candidate)
    seat_all()

    assert (before, playing(active)) == (active.pk, candidate.pk)


def test_first_version_as_a_candidate_joins_no_ladder() -> None:
    open_ladder()
    candidate = make_candidate(make_version(state=VersionState.REJECTED))

    seat_all()

    assert playing(candidate) is None


def test_others_meet_the_active_version() -> None:
    active, rival = make_version(), make_version()
    make_candidate(active)

    made = create_challenge(actor=rival.bot.owner, version=rival.pk, bot=active.bot_id, blocks=1)

    assert made.opponent == active


def test_its_author_may_test_it() -> None:
    active = make_version()
    candidate = make_candidate(active)

    made = create_challenge(
        actor=active.bot.owner, version=candidate.pk, against=active.pk, blocks=1
    )

    assert made.is_test


def test_candidate_does_not_hide_the_rating_of_the_active_version() -> None:
    active = make_version()
    candidate = make_candidate(active)
    pool = Pool.objects.create(key="game:tuned", game="tuned", title="t", draw_probability=0.1)
    for version in (active, candidate):
        Rating.objects.create(pool=pool, version=version, mu=25, sigma=1, matches=3)

    assert [row.version_id for row in Rating.objects.table(pool.key).active()] == [active.pk]


def test_active_version_cannot_be_activated() -> None:
    active = make_version()

    with pytest.raises(Conflict, match="is not a candidate") as refused:
        activate_version(actor=active.bot.owner, version=active)

    assert refused.value.code == "not_a_candidate"


def test_newer_version_is_not_replaced_by_an_older_candidate() -> None:
    candidate = make_candidate(make_version())
    make_version(bot=candidate.bot)

    with pytest.raises(Conflict, match="Version 3 is newer") as refused:
        activate_version(actor=candidate.bot.owner, version=candidate)

    assert refused.value.code == "newer_version_plays"


def test_only_the_author_activates() -> None:
    candidate = make_candidate(make_version())

    with pytest.raises(NotAllowed):
        activate_version(actor=make_user(), version=candidate)


def test_api_uploads_lists_and_activates_candidates() -> None:
    author = make_user()
    bot = make_bot("tiger", owner=author)
    client = client_of(author)

    made = upload(client, "/versions/", make_upload("tiger"), bot=bot.pk, candidate=True)
    listed = client.get(f"{V1}/versions/?candidate=true").json()["results"]
    others = client.get(f"{V1}/versions/?candidate=false").json()["results"]
    active = client.post(f"{V1}/versions/{made.json()['id']}/activate/")
    again = client.post(f"{V1}/versions/{made.json()['id']}/activate/")

    assert (made.status_code, made.json()["is_candidate"]) == (201, True)
    assert ([row["id"] for row in listed], others) == ([made.json()["id"]], [])
    assert (active.status_code, active.json()["is_candidate"]) == (200, False)
    assert_problem(again, status=409, code="not_a_candidate")


def test_author_activates_on_the_page() -> None:
    author = make_user()
    bot = make_bot("tiger", owner=author)
    version = submit_version(actor=author, bot=bot, archive=make_upload("tiger"), candidate=True)
    client = Client()
    client.force_login(author)

    page = client.get(f"/versions/{version.pk}/").content.decode()
    answer = client.post(f"/versions/{version.pk}/activate/")
    stranger = Client()
    stranger.force_login(make_user())

    assert "A candidate." in page
    assert "Activate</button>" in page
    assert answer.status_code == 302
    assert not BotVersion.objects.get(pk=version.pk).is_candidate
    assert stranger.post(f"/versions/{version.pk}/activate/").status_code == 404
