"""The page on which an open tournament is changed, and the zones of times on forms."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.models import Tournament
from tests.factories import make_bot, make_user, make_version
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db

_KATHMANDU = ZoneInfo("Asia/Kathmandu")


@pytest.fixture
def host() -> User:
    return make_user("host", organiser=True)


def _soon(days: float = 30) -> datetime:
    return (datetime.now(UTC) + timedelta(days=days)).replace(second=0, microsecond=0)


def _address(cup: Tournament) -> str:
    return reverse("tournament_change", args=[cup.pk])


def _form(cup: Tournament, **changes: Any) -> dict[str, Any]:
    """Return what a browser sends if the page is opened, changed so, and sent."""
    fresh = as_person(cup.owner).get(_address(cup))
    form = fresh.context["form"]
    shown = {name: form[name].value() for name in form.fields}
    values = {
        name: f"{value:%Y-%m-%dT%H:%M}" if isinstance(value, datetime) else value
        for name, value in shown.items()
        if value not in (None, False, ())
    }
    return {**values, "revision": fresh.context["revision"], **changes}


def _send(cup: Tournament, **changes: Any) -> Any:
    return as_person(cup.owner).post(_address(cup), _form(cup, **changes), follow=True)


def test_organiser_extends_a_deadline_in_their_own_zone(host: User) -> None:
    cup = arranged_cup(host)
    wanted = _soon().astimezone(_KATHMANDU)

    answer = _send(cup, closes_entries_at=f"{wanted:%Y-%m-%dT%H:%M}", zone="Asia/Kathmandu")

    assert "is saved; everybody in it was told." in page_of(answer).text
    cup.refresh_from_db()
    assert cup.closes_entries_at == wanted


def test_fresh_form_shows_utc_and_can_be_turned_into_the_readers_zone(host: User) -> None:
    cup = arranged_cup(host, starts_at=_soon())

    page = as_person(host).get(_address(cup)).content.decode()

    assert f'value="{_soon():%Y-%m-%dT%H:%M}"' in page
    assert 'data-zone="UTC"' in page
    assert '<option value="Asia/Kathmandu">Asia/Kathmandu</option>' in page


@pytest.mark.parametrize(
    ("zone", "moment", "sentence"),
    [
        ("Mars/Olympus", "2027-01-01T10:00", "Select a valid choice"),
        ("Europe/Berlin", "2027-03-28T02:30", "it may be ambiguous or it may not exist"),
    ],
)
def test_time_that_no_zone_has_is_refused_and_kept(
    host: User, zone: str, moment: str, sentence: str
) -> None:
    cup = arranged_cup(host)

    answer = _send(cup, starts_at=moment, zone=zone)

    page = answer.content.decode()
    assert sentence in page
    assert f'value="{moment}"' in page
    assert "data-zone" not in page


def test_saving_what_is_there_changes_nothing(host: User) -> None:
    start = _soon() + timedelta(seconds=17)
    cup = arranged_cup(host, starts_at=start, closes_entries_at=_soon(1))
    Tournament.objects.update(closes_entries_at=datetime.now(UTC) - timedelta(hours=1, seconds=7))

    answer = _send(cup)

    assert answer.redirect_chain
    cup.refresh_from_db()
    assert cup.starts_at == start


def test_stale_form_is_refused(host: User) -> None:
    cup = arranged_cup(host)
    first = _form(cup, name="First")
    second = _form(cup, name="Second")
    browser = as_person(host)
    browser.post(_address(cup), first)

    answer = browser.post(_address(cup), second)

    assert "has changed since you began" in page_of(answer).text
    cup.refresh_from_db()
    assert cup.name == "First"


def test_too_low_cap_names_the_bots(host: User) -> None:
    cup = arranged_cup(host)
    bot = make_bot("owl", owner=make_user("ann"))
    for _ in range(2):
        enter_tournament(actor=bot.owner, tournament=cup, version_id=make_version(bot=bot).pk)

    answer = _send(cup, entries_per_author="1")

    assert "ann has 2 in (owl v1, owl v2)" in page_of(answer).text


def test_decisions_say_from_what_to_what(host: User) -> None:
    cup = arranged_cup(host)
    _send(cup, name="Great cup")

    page = as_person(make_user()).get(reverse("tournament_audit", args=[cup.pk]))

    assert "name: Cup → Great cup" in page_of(page).text


def test_others_find_no_form(host: User) -> None:
    cup = arranged_cup(host)

    answer = as_person(make_user(organiser=True)).get(_address(cup), follow=True)

    assert "Only host, who organises it" in page_of(answer).text


def test_feed_says_what_changed(host: User) -> None:
    cup = arranged_cup(host)
    _send(cup, name="Great cup")

    feed = as_person(make_user()).get(reverse("tournament_feed", args=[cup.pk])).content.decode()

    assert "Great cup has changed" in feed
    assert "host changed name: Cup → Great cup." in feed
