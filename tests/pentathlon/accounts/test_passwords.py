from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from pentathlon.accounts.letters import RETRIES_S, find_by_reset_link, reset_link, send_letters
from pentathlon.accounts.models import ApiToken, BrowserSession, Letter, User
from pentathlon.accounts.passwords import ask_for_reset, change_password, reset_password
from pentathlon.core.errors import InvalidInput
from tests.factories import PASSWORD, make_token, make_user
from tests.pentathlon.accounts.mailing import SITE, delivered

pytestmark = pytest.mark.django_db
NEW = "another horse, another battery"


def change(person: User, **changes: Any) -> User:
    values = {"old": PASSWORD, "new": NEW, "revokes_tokens": False, "session": None, **changes}
    return change_password(actor=person, site=SITE, **values)


def reset(link: str, **changes: Any) -> User:
    return reset_password(link=link, site=SITE, **{"new": NEW, "revokes_tokens": False, **changes})


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_changed_password_is_the_one_that_counts() -> None:
    person = make_user()

    change(person)

    stored = User.objects.get(pk=person.pk)
    assert stored.check_password(NEW)
    assert not stored.check_password(PASSWORD)
    assert delivered() == [(person.email, "Pentathlon: your password was changed")]


@pytest.mark.parametrize(
    ("values", "field", "code"),
    [
        ({"old": "wrong"}, "old", "wrong_password"),
        ({"new": PASSWORD}, "new", "same_password"),
        ({"new": "short"}, "new", "weak_password"),
        ({"new": " " * 12}, "new", "weak_password"),
        ({"new": "ab " * 6}, "new", "weak_password"),
    ],
)
def test_unusable_change_is_refused_by_field(
    values: dict[str, str], field: str, code: str
) -> None:
    person = make_user()

    with pytest.raises(InvalidInput) as refusal:
        change(person, **values)

    assert (refusal.value.field, refusal.value.code) == (field, code)
    assert User.objects.get(pk=person.pk).check_password(PASSWORD)
    assert not Letter.objects.exists()


def test_change_ends_all_sessions_but_one() -> None:
    person, other = make_user(), make_user()
    kept, ended = signed_in(person), signed_in(person)
    signed_in(other)

    change(person, session=kept.session.session_key)

    left = set(BrowserSession.objects.values_list("session_key", "person"))
    assert {person_id for _, person_id in left} == {person.pk, other.pk}
    assert kept.session.session_key in {key for key, _ in left}
    assert ended.get("/account/").status_code == 302


@pytest.mark.parametrize("revokes", [True, False])
def test_tokens_go_only_if_they_are_meant_to(revokes: bool) -> None:
    person = make_user()
    make_token(person)
    make_token(make_user())

    change(person, revokes_tokens=revokes)

    assert ApiToken.objects.filter(user=person).exists() is not revokes
    assert ApiToken.objects.exclude(user=person).exists()


def test_link_sets_a_password_once() -> None:
    person = make_user()
    link = reset_link(person)

    reset(link)

    assert User.objects.get(pk=person.pk).check_password(NEW)
    with pytest.raises(InvalidInput) as refusal:
        reset(link, new=f"{NEW}!")
    assert refusal.value.code == "bad_link"


def test_link_of_two_requests_at_once_sets_one_password(monkeypatch: pytest.MonkeyPatch) -> None:
    person = make_user()
    link = reset_link(person)
    seen = find_by_reset_link(link)
    reset(link)
    monkeypatch.setattr("pentathlon.accounts.passwords.find_by_reset_link", lambda _: seen)

    with pytest.raises(Exception, match="at the same moment"):
        reset(link, new=f"{NEW}!")

    assert User.objects.get(pk=person.pk).check_password(NEW)


def test_link_ends_after_an_hour(settings: Settings) -> None:
    link = reset_link(make_user())
    assert settings.PASSWORD_RESET_TIMEOUT == 3600
    settings.PASSWORD_RESET_TIMEOUT = -1

    with pytest.raises(InvalidInput, match="for an hour"):
        reset(link)


def test_link_ends_when_its_person_signs_in_or_leaves() -> None:
    person, closed = make_user(), make_user()
    links = [reset_link(person), reset_link(closed)]
    User.objects.filter(pk=person.pk).update(last_login=timezone.now())
    User.objects.filter(pk=closed.pk).update(is_active=False)

    for link in links:
        with pytest.raises(InvalidInput):
            find_by_reset_link(link)


@pytest.mark.parametrize("link", ["", "-", "1", "zz-", "1-a-b", "\0-x", "-1-x", "9" * 30 + "-x"])
def test_made_up_link_is_refused(link: str) -> None:
    make_user()

    with pytest.raises(InvalidInput) as refusal:
        find_by_reset_link(link)

    assert refusal.value.code == "bad_link"


def test_link_of_one_person_is_no_good_for_another() -> None:
    person, other = make_user(), make_user()
    token = reset_link(person).partition("-")[2]

    with pytest.raises(InvalidInput):
        find_by_reset_link(f"{reset_link(other).partition('-')[0]}-{token}")


def test_asking_does_the_same_for_known_and_unknown_addresses() -> None:
    person = make_user()
    done = []

    for email in (person.email, "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            ask_for_reset(email=email, site=SITE)
        done.append([query["sql"].partition("VALUES")[0] for query in queries])

    assert done[0] == done[1]
    assert list(Letter.objects.values_list("person", flat=True)) == [None, None]
    assert delivered() == [(person.email, "Pentathlon: set a new password")]


def test_every_account_with_the_address_gets_a_letter_of_its_own() -> None:
    one, two, closed, without = (make_user() for _ in range(4))
    User.objects.update(email="Shared@example.org", verified_email="Shared@example.org")
    User.objects.filter(pk=closed.pk).update(is_active=False)
    without.set_unusable_password()
    without.save(update_fields=("password",))

    ask_for_reset(email="shared@example.org", site=SITE)
    send_letters()

    assert [each.to for each in mail.outbox] == [["Shared@example.org"]] * 2
    said = [str(each.body) for each in mail.outbox]
    assert [one.username in said[0], two.username in said[1]] == [True, True]


def test_letter_waits_for_a_mail_server_and_is_given_up_at_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = make_user()
    ask_for_reset(email=person.email, site=SITE)

    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("pentathlon.accounts.letters.send_mail", refuse)
    for tries in range(1, len(RETRIES_S) + 1):
        assert send_letters() == 0
        letter = Letter.objects.get()
        assert letter.tries == tries
        assert send_letters() == 0
        Letter.objects.update(next_at=timezone.now() - timedelta(seconds=1))

    assert send_letters() == 1
    assert not Letter.objects.exists()


def test_letter_is_sent_once_the_server_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    person = make_user()
    ask_for_reset(email=person.email, site=SITE)
    with monkeypatch.context() as patch:
        patch.setattr("pentathlon.accounts.letters._mails_of", lambda _: 1 / 0)
        patch.setattr(
            "pentathlon.accounts.letters._mails_of",
            lambda _: (_ for _ in ()).throw(ConnectionResetError),
        )
        assert send_letters() == 0
    Letter.objects.update(next_at=timezone.now() - timedelta(seconds=1))

    assert delivered() == [(person.email, "Pentathlon: set a new password")]
