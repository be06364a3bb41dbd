"""Where the site sends mail, rated play and more than a few uploads need a verified address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from api.accounts.me import MeSerializer
from pentathlon.accounts.letters import MOST_ACCOUNTS, email_link
from pentathlon.accounts.models import EmailChange, User
from pentathlon.accounts.roles import PersonRole, give_role
from pentathlon.accounts.verification import confirm_email_change, unverified
from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import DomainError, NotAllowed
from pentathlon.core.server.limits import MOST_OF_UNVERIFIED
from pentathlon.ladders.membership import join_ladder
from pentathlon.ladders.models import LadderMember
from pentathlon.matches.uploads.services import submit_version
from pentathlon.tournaments.entries.enrolment import enter_tournament
from tests.api.client import assert_problem, client_of, upload
from tests.factories import PASSWORD, make_staff, make_upload, make_user, make_version
from tests.pentathlon.accounts.mailing import SITE
from tests.pentathlon.ladders.playing import open_ladder, seat_all
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _sends_mail(settings: Settings) -> None:
    settings.DEMANDS_VERIFIED_EMAIL = True


def _stranger(**fields: Any) -> User:  # Any: values of a person
    person = make_user()
    User.objects.filter(pk=person.pk).update(**{"verified_email": "", **fields})
    return User.objects.get(pk=person.pk)


def _code_of(act: Callable[[], object]) -> str:
    with pytest.raises(DomainError) as caught:
        act()
    return caught.value.code


def _confirm(person: User, email: str) -> None:
    change = EmailChange.objects.create(person=person, email=email)
    confirm_email_change(link=email_link(change), site=SITE)


@pytest.mark.parametrize(
    ("fields", "may"),
    [
        ({}, False),
        ({"verified_email": "other@example.org"}, False),
        ({"email": ""}, True),
        ({"is_vouched": True}, True),
        ({"is_organiser": True}, True),
        ({"is_staff": True}, True),
        ({"is_superuser": True}, True),
    ],
    ids=str,
)
def test_person_and_query_say_the_same(fields: dict[str, Any], may: bool) -> None:
    person = _stranger(**fields)

    assert person.may_play_rated is may
    assert unverified().filter(pk=person.pk).exists() is not may
    assert make_user().may_play_rated


def test_nobody_is_asked_where_no_mail_is_sent(settings: Settings) -> None:
    settings.DEMANDS_VERIFIED_EMAIL = False

    assert _stranger().may_play_rated
    assert not unverified().exists()


def test_version_joins_its_ladder_once_the_address_is_verified() -> None:
    ladder = open_ladder()
    author = _stranger()
    version = make_version(owner=author, games=(ladder.game,))
    places = LadderMember.objects.filter(bot=version.bot, version=version)

    refused = _code_of(lambda: join_ladder(actor=author, ladder=ladder, bot=version.bot))
    seat_all()
    before = places.exists()
    _confirm(author, author.email)
    seat_all()

    assert (refused, before, places.exists()) == ("email_not_verified", False, True)


@pytest.mark.parametrize("by_organiser", [True, False])
def test_rated_tournament_takes_no_bot_of_a_stranger(by_organiser: bool) -> None:
    organiser, author = make_user(organiser=True), _stranger()
    version = make_version(owner=author)
    rated, unrated = open_cup(organiser), open_cup(organiser, rated=False)
    actor = organiser if by_organiser else author

    def enter(cup: Any) -> object:
        return enter_tournament(actor=actor, tournament=cup, version_id=version.pk)

    assert _code_of(lambda: enter(rated)) == "email_not_verified"
    assert enter(unrated)
    give_role(actor=organiser, person=author, role=PersonRole.VOUCHED, reason="My student.")
    assert enter(rated)


def test_stranger_uploads_a_few_versions() -> None:
    author = _stranger()
    for _ in range(MOST_OF_UNVERIFIED):
        submit_version(actor=author, archive=make_upload())

    refused = upload(client_of(author), "/bots/", make_upload())

    assert_problem(refused, status=403, code="email_not_verified")
    assert "Follow the link in our e-mail" in refused.content.decode()
    assert BotVersion.objects.owned_by(author).count() == MOST_OF_UNVERIFIED


def test_pages_and_the_api_say_what_to_do() -> None:
    author = _stranger()
    browser = as_person(author)

    banner = page_of(browser.get(reverse("bots"))).text
    sent = browser.post(reverse("email_verify"))

    assert f"{author.email} is not verified." in banner
    assert "Send the e-mail again" in banner
    assert sent.status_code == 302
    assert MeSerializer(author).data["may_play_rated"] is False
    assert "is not verified" not in page_of(as_person(make_user()).get(reverse("bots"))).text


def test_organiser_vouches_on_a_page_and_decides_nothing_else() -> None:
    organiser, author = make_user(organiser=True), _stranger()
    browser, page = as_person(organiser), reverse("person_roles", args=[author.username])

    shown = page_of(browser.get(page))
    browser.post(page, {"decision": "give-vouched", "reason": "My student."})
    browser.post(page, {"decision": "close", "reason": "A rival."})
    browser.post(page, {"decision": "give-organiser", "reason": "A friend."})

    author.refresh_from_db()
    assert "Delete the account" not in shown.text
    assert (author.is_vouched, author.is_active, author.is_organiser) == (True, True, False)
    assert as_person(make_user()).get(page).status_code == 403


@pytest.mark.parametrize("make", [lambda: make_user(organiser=True), make_staff])
def test_vouching_is_for_others(make: Callable[[], User]) -> None:
    actor = make()

    for person, code in ((actor, "own_account"), (make_staff(), "superusers_only")):
        with pytest.raises(NotAllowed) as caught:
            give_role(actor=actor, person=person, role=PersonRole.VOUCHED, reason="Me.")
        assert caught.value.code == code
    with pytest.raises(NotAllowed):
        give_role(actor=make_user(), person=actor, role=PersonRole.VOUCHED, reason="A friend.")


@pytest.mark.parametrize(
    ("used", "email"),
    [
        ("grace{}@example.org", "a@example.org"),
        ("grace+{}@example.org", "Grace@example.org"),
        ("gr.ace+{}@gmail.com", "g.race@googlemail.com"),
        ("gr.ace+{}@example.org", "grace@example.org"),
    ],
)
def test_mailbox_verifies_a_few_accounts(used: str, email: str) -> None:
    for number in range(MOST_ACCOUNTS):
        _confirm(_stranger(), used.format(number))
    last = _stranger()
    is_same = used.startswith("grace+") or "gmail" in used

    if is_same:
        assert _code_of(lambda: _confirm(last, email)) == "mailbox_full"
    else:
        _confirm(last, email)


def test_one_address_makes_a_few_accounts_a_day(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "sign_ups": "2/day"}

    def sign_up(name: str) -> int:
        form = {"username": name, "email": f"{name}@example.org", "password": PASSWORD}
        return Client().post(reverse("sign_up"), form).status_code

    assert [sign_up(name) for name in ("grace", "ada-l", "alan")] == [302, 302, 429]
