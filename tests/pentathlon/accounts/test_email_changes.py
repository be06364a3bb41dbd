from typing import Any

import pytest
from django.urls import reverse

from pentathlon.accounts import letters
from pentathlon.accounts.letters import find_by_email_link
from pentathlon.accounts.models import EmailChange, User
from pentathlon.accounts.passwords import change_password
from pentathlon.accounts.verification import (
    ask_for_email_change,
    cancel_email_change,
    confirm_email_change,
)
from pentathlon.core.errors import InvalidInput
from tests.factories import PASSWORD, make_user
from tests.pentathlon.accounts.mailing import SITE, delivered, delivered_address, link_in

pytestmark = pytest.mark.django_db


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
