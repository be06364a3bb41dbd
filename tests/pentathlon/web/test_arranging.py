"""The pages of dates, invitations, replacements, events and the organisers' guide."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.bots.services import stop_version
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.models import Event, Tournament
from pentathlon.tournaments.services import start_tournament
from tests.factories import make_bot, make_user, make_version
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

_HOUR = timedelta(hours=1)


def _as(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_open_page_says_dates_and_rules() -> None:
    cup = arranged_cup(
        make_user(organiser=True),
        closes_entries_at=timezone.now() + 2 * _HOUR,
        starts_at=timezone.now() + 3 * _HOUR,
        by_invitation=True,
    )

    page = page_of(Client().get(reverse("tournament", args=[cup.pk])))

    assert page.mistakes == []
    assert "Entries close" in page.text
    assert "Starts automatically" in page.text
    assert "hour" in page.text
    assert "invited authors" in page.text


def test_page_says_why_it_has_not_started() -> None:
    cup = arranged_cup(make_user(organiser=True))
    Tournament.objects.filter(pk=cup.pk).update(start_problem="Enter more.")

    page = page_of(Client().get(reverse("tournament", args=[cup.pk])))

    assert "It could not start at its time. Enter more." in page.text


def test_invited_author_finds_it_on_the_account_page() -> None:
    guest, organiser = make_user("guest"), make_user(organiser=True)
    cup = arranged_cup(organiser, by_invitation=True)

    sent = _as(organiser).post(reverse("tournament_invite", args=[cup.pk]), {"invited": "guest"})
    page = page_of(_as(guest).get(reverse("account")))

    assert sent.status_code == 302
    assert "You are invited" in page.text
    assert page.mistakes == []


def test_author_replaces_a_bot_by_form() -> None:
    bot = make_bot()
    old, new = make_version(bot=bot), make_version(bot=bot)
    cup = arranged_cup(make_user(organiser=True), versions=(old.pk,))
    address = f"{reverse('tournament_replace', args=[cup.pk])}?version={old.pk}"

    asked = page_of(_as(bot.owner).get(address))
    done = _as(bot.owner).post(address, {"by": new.pk})

    assert asked.mistakes == []
    assert done.status_code == 302
    assert cup.entries.get().version == new
    changed = f"{reverse('tournament_replace', args=[cup.pk])}?version={new.pk}"
    assert _as(make_user()).get(changed).status_code == 403


def test_organiser_replaces_a_running_bot_by_form() -> None:
    organiser, bot = make_user(organiser=True), make_bot()
    old, new = make_version(bot=bot), make_version(bot=bot)
    cup = arranged_cup(organiser, versions=(old.pk, make_version().pk))
    start_tournament(actor=organiser, tournament=cup)
    address = f"{reverse('tournament_replace', args=[cup.pk])}?version={old.pk}"
    table = reverse("tournament", args=[cup.pk])

    offered = _as(organiser).get(table).content.decode()
    asked = page_of(_as(organiser).get(address))
    unsaid = page_of(_as(organiser).post(address, {"by": new.pk}))
    done = _as(organiser).post(address, {"by": new.pk, "reason": "It hung on rivers."})
    shown = page_of(Client().get(table))

    assert f'href="{address}"' in offered
    assert asked.mistakes == unsaid.mistakes == shown.mistakes == []
    assert "This field is required." in unsaid.text
    assert done.status_code == 302
    assert "It hung on rivers." in shown.text
    assert "from block 1 on, match 1" in " ".join(shown.text.split())
    of_new = f"{reverse('tournament_replace', args=[cup.pk])}?version={new.pk}"
    assert _as(bot.owner).get(of_new).status_code == 403


def test_organiser_brings_a_stopped_bot_back_by_form() -> None:
    organiser, bot = make_user(organiser=True), make_bot()
    old, new = make_version(bot=bot), make_version(bot=bot)
    cup = arranged_cup(organiser, versions=(old.pk, make_version().pk))
    start_tournament(actor=organiser, tournament=cup)
    stop_version(version_id=old.pk, reason="It fails at its start.")
    settle_entries()
    address = f"{reverse('tournament_replace', args=[cup.pk])}?version={old.pk}"
    table = reverse("tournament", args=[cup.pk])

    offered = _as(organiser).get(table).content.decode()
    asked = page_of(_as(organiser).get(address))
    done = _as(organiser).post(address, {"by": new.pk, "reason": "It was mended."})
    shown = page_of(Client().get(table))

    assert f'href="{address}"' in offered
    assert asked.mistakes == shown.mistakes == []
    assert "comes back in its place" in asked.text
    assert done.status_code == 302
    assert "had left: withdrawn: It fails at its start." in shown.text


def test_form_shows_all_problems_at_once() -> None:
    form = {"name": "", "starts_at": "2020-01-01T10:00", "languages": ["klingon"]}

    page = page_of(_as(make_user(organiser=True)).post(reverse("tournament_new"), form))

    assert page.mistakes == []
    assert page.text.count("This field is required.") >= 2
    assert "klingon" in page.text


def test_event_is_made_by_form_and_shown() -> None:
    organiser = make_user(organiser=True)
    form = {"name": "Games Week", "games": ["azure", "tuned"], "entries_per_author": 2}
    form["cycles"] = 1

    made = _as(organiser).post(reverse("event_new"), form)

    event = Event.objects.get()
    assert made.headers["Location"] == reverse("event", args=[event.pk])
    page = page_of(Client().get(reverse("event", args=[event.pk])))
    assert page.mistakes == []
    assert "Games Week: Azure" in page.text
    assert "Too early: no result yet." in page.text


@pytest.mark.parametrize("name", ["events", "organiser_guide"])
def test_page_is_sound(name: str) -> None:
    assert page_of(Client().get(reverse(name))).mistakes == []


def test_event_form_is_sound_and_for_organisers() -> None:
    page = page_of(_as(make_user(organiser=True)).get(reverse("event_new")))

    assert page.mistakes == []
    assert _as(make_user()).get(reverse("event_new")).status_code == 403
