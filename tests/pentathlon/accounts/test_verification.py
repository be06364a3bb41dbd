"""Letters go to verified addresses; the one that verifies goes to the others, and no more."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from pentathlon.accounts import letters
from pentathlon.accounts.letters import find_by_email_link
from pentathlon.accounts.models import EmailChange, User
from pentathlon.accounts.passwords import ask_for_reset, change_password
from pentathlon.accounts.services import register
from pentathlon.accounts.verification import (
    ask_for_email_change,
    ask_for_verification,
    cancel_email_change,
    confirm_email_change,
)
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.webhooks.services import choose_mail
from tests.factories import PASSWORD, make_user
from tests.pentathlon.accounts.mailing import SITE, delivered, delivered_address, link_in
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db
NEW = "another horse, another battery"
VERIFYING = "Pentathlon: confirm your address"


def unverified() -> User:
    person = make_user()
    person.verified_email = ""
    person.save(update_fields=("verified_email",))
    return person


def now(person: User) -> User:
    return User.objects.get(pk=person.pk)


def test_sign_up_sends_the_letter_and_its_link_verifies() -> None:
    form = {"username": "grace", "email": "grace@example.org", "password": PASSWORD}
    said = page_of(Client().post(reverse("sign_up"), form, follow=True)).text
    person = User.objects.get(username="grace")
    before = person.has_verified_email

    confirm_email_change(link=link_in(delivered_address()), site=SITE)

    assert "Confirm your address with the e-mail to grace@example.org." in said
    assert (before, now(person).has_verified_email) == (False, True)
    assert delivered() == []


def test_account_without_a_site_gets_no_letter() -> None:
    person = register(username="grace", email="grace@example.org", password=PASSWORD)

    assert not person.has_verified_email
    assert delivered() == []


def test_unverified_address_gets_no_other_letter() -> None:
    person = unverified()

    ask_for_reset(email=person.email, site=SITE)
    change_password(
        actor=person, old=PASSWORD, new=NEW, revokes_tokens=False, site=SITE, session=None
    )
    with pytest.raises(Conflict) as caught:
        choose_mail(actor=person, events=["tournament.started"], site=SITE)

    assert delivered() == []
    assert caught.value.code == "email_not_verified"


def test_mistyped_address_is_replaced_and_not_told() -> None:
    person = unverified()
    ask_for_email_change(actor=person, email="right@example.org", password=PASSWORD, site=SITE)
    link = link_in(delivered_address())

    confirm_email_change(link=link, site=SITE)

    assert (now(person).email, now(person).has_verified_email) == ("right@example.org", True)
    assert delivered() == []


def test_address_that_staff_change_is_not_verified() -> None:
    person = make_user()
    User.objects.filter(pk=person.pk).update(email="else@example.org")

    ask_for_reset(email="else@example.org", site=SITE)

    assert not now(person).has_verified_email
    assert delivered() == []


def test_verified_and_missing_addresses_are_refused() -> None:
    without = make_user()
    without.email = ""
    without.save(update_fields=("email",))

    for person, code in ((make_user(), "email_verified"), (without, "no_email")):
        with pytest.raises(Conflict) as caught:
            ask_for_verification(actor=person, site=SITE)
        assert caught.value.code == code


class TestPage:
    def test_account_page_sends_the_letter_again(self) -> None:
        person = unverified()
        client = as_person(person)

        shown = page_of(client.get(reverse("account"))).text
        said = page_of(client.post(reverse("email_verify"), follow=True)).text

        assert "not verified" in shown
        assert f"We have written to {person.email}." in said
        assert "Keep the old address" not in said
        assert delivered() == [(person.email, VERIFYING)]

    def test_verified_address_has_no_such_line(self) -> None:
        shown = page_of(as_person(make_user()).get(reverse("account"))).text

        assert "not verified" not in shown

    def test_letters_to_one_address_are_few(self, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "letters": "2/hour"}
        person = unverified()
        client = as_person(person)

        answers = [client.post(reverse("email_verify")).status_code for _ in range(3)]

        assert answers == [302, 302, 429]
        assert len(delivered()) == 2

    def test_sign_up_is_not_refused_because_of_letters(self, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "letters": "1/hour"}
        for username in ("grace", "hopper"):
            form = {"username": username, "email": "one@example.org", "password": PASSWORD}
            assert Client().post(reverse("sign_up"), form).status_code == 302

        assert User.objects.filter(email="one@example.org").count() == 2
        assert len(delivered()) == 1


def test_password_that_changes_ends_the_link() -> None:
    person = unverified()
    ask_for_verification(actor=person, site=SITE)

    change_password(
        actor=person, old=PASSWORD, new=NEW, revokes_tokens=False, site=SITE, session=None
    )

    assert not EmailChange.objects.exists()


def ask(person: User, **changes: Any) -> EmailChange:
    values = {"email": "new@example.org", "password": PASSWORD, **changes}
    return ask_for_email_change(actor=person, site=SITE, **values)


def link_of(person: User) -> str:
    return letters.email_link(EmailChange.objects.get(person=person))


def test_address_changes_when_the_letter_is_answered() -> None:
    person = make_user()
    old = person.email
    ask(person)
    assert User.objects.get(pk=person.pk).email == old
    link = link_in(delivered_address())

    confirm_email_change(link=link, site=SITE)

    assert User.objects.get(pk=person.pk).email == "new@example.org"
    assert delivered() == [(old, "Pentathlon: your address was changed")]


def test_both_addresses_get_a_letter() -> None:
    person = make_user()

    ask(person)

    assert delivered() == [
        ("new@example.org", "Pentathlon: confirm your address"),
        (person.email, "Pentathlon: another address was asked for"),
    ]


@pytest.mark.parametrize(
    ("values", "field", "code"),
    [
        ({"password": "no"}, "password", "wrong_password"),
        ({"email": "nowhere"}, "email", "bad_email"),
    ],
)
def test_unusable_request_is_refused_by_field(
    values: dict[str, str], field: str, code: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        ask(make_user(), **values)

    assert (refusal.value.field, refusal.value.code) == (field, code)
    assert not EmailChange.objects.exists()


def test_own_address_is_no_change() -> None:
    person = make_user()

    with pytest.raises(InvalidInput) as refusal:
        ask(person, email=person.email)

    assert refusal.value.code == "same_email"


def test_link_works_once() -> None:
    person = make_user()
    ask(person)
    link = link_of(person)
    confirm_email_change(link=link, site=SITE)

    with pytest.raises(InvalidInput) as refusal:
        confirm_email_change(link=link, site=SITE)

    assert refusal.value.code == "bad_link"


def test_link_ends_after_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    person = make_user()
    ask(person)
    link = link_of(person)
    monkeypatch.setattr(letters, "EMAIL_LINK_S", -1)

    with pytest.raises(InvalidInput, match="for a day"):
        find_by_email_link(link)


def test_later_request_and_cancelling_end_a_link() -> None:
    person, other = make_user(), make_user()
    ended = []
    for each in (person, other):
        ask(each)
        ended.append(link_of(each))

    ask(person, email="third@example.org")
    cancel_email_change(actor=other)

    for link in ended:
        with pytest.raises(InvalidInput):
            find_by_email_link(link)
    assert find_by_email_link(link_of(person)).email == "third@example.org"


def test_new_password_ends_a_link() -> None:
    person = make_user()
    ask(person)
    link = link_of(person)

    change_password(
        actor=person,
        old=PASSWORD,
        new="another horse, another battery",
        revokes_tokens=False,
        site=SITE,
        session=None,
    )

    with pytest.raises(InvalidInput):
        find_by_email_link(link)


@pytest.mark.parametrize("link", ["", "x", "a:b:c", "\0"])
def test_made_up_link_is_refused(link: str) -> None:
    with pytest.raises(InvalidInput):
        find_by_email_link(link)


def test_letters_lead_to_the_pages() -> None:
    assert reverse("email_confirm") == letters.CONFIRM_AT
    assert reverse("password_reset_new") == letters.RESET_AT
    text = " ".join(write(User(username="ada"), "") for _, write in letters._NOTICES.values())
    for name in ("password_change", "password_reset", "second_factors"):
        assert f" {reverse(name)}\n" in f"{text}\n"
