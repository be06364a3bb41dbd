from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pentathlon.accounts.models import BrowserSession, User
from pentathlon.accounts.sessions import (
    SessionStore,
    end_other_sessions,
    end_session,
    own_sessions,
)
from pentathlon.core.errors import NotFound
from pentathlon.operations.retention import classes
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def signed_in(person: User, *, address: str = "10.1.1.1") -> Client:
    client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=FIREFOX)
    form = {"username": person.username, "password": PASSWORD}
    assert client.post("/sign-in/", form).status_code == 302
    return client


def test_session_knows_its_person_address_and_browser() -> None:
    person = make_user()

    signed_in(person, address="10.2.3.4")

    row = BrowserSession.objects.get()
    assert (row.person, row.address, row.user_agent) == (person, "10.2.3.4", FIREFOX)
    assert timezone.now() - row.begun_at < timedelta(minutes=1)


def test_visitor_has_no_session() -> None:
    Client().get("/games/")

    assert not BrowserSession.objects.exists()


def test_session_keeps_its_id_and_age_when_it_is_written_again() -> None:
    client = signed_in(make_user())
    BrowserSession.objects.update(begun_at=timezone.now() - timedelta(days=3))
    before = BrowserSession.objects.get()

    session = client.session
    session["theme"] = "dark"
    session.save()

    after = BrowserSession.objects.get()
    assert (after.public_id, after.begun_at) == (before.public_id, before.begun_at)
    assert after.address == before.address
    assert SessionStore().decode(after.session_data)["theme"] == "dark"


def test_use_is_noted_once_a_minute_and_costs_nothing_else() -> None:
    client = signed_in(make_user())
    client.get("/games/")
    with CaptureQueriesContext(connection) as queries:
        client.get("/games/")
    assert "accounts_browsersession" not in " ".join(
        query["sql"] for query in queries if query["sql"].startswith(("UPDATE", "INSERT"))
    )
    long_ago = timezone.now() - timedelta(hours=1)
    BrowserSession.objects.update(seen_at=long_ago, address="10.9.9.9")

    client.get("/games/")

    row = BrowserSession.objects.get()
    assert row.seen_at > long_ago
    assert row.address == "10.1.1.1"


def test_ended_session_is_signed_out_at_once() -> None:
    person = make_user()
    client, other = signed_in(person), signed_in(person)
    key = client.session.session_key

    end_session(actor=person, public_id=BrowserSession.objects.get(pk=key).public_id)

    assert client.get("/account/").status_code == 302
    assert other.get("/account/").status_code == 200


def test_ended_session_does_not_come_back_with_what_it_writes() -> None:
    person = make_user()
    session = signed_in(person).session
    session["theme"] = "dark"
    end_other_sessions(actor=person, kept=None)

    with pytest.raises(UpdateError):
        session.save()

    assert not BrowserSession.objects.exists()


def test_sessions_of_others_are_not_found() -> None:
    person = make_user()
    signed_in(person)

    for public_id in (BrowserSession.objects.get().public_id, uuid4()):
        with pytest.raises(NotFound):
            end_session(actor=make_user(), public_id=public_id)

    assert BrowserSession.objects.exists()


def test_all_others_end_and_this_one_stays() -> None:
    person = make_user()
    kept = signed_in(person)
    signed_in(person)
    neighbour = signed_in(make_user())

    assert end_other_sessions(actor=person, kept=kept.session.session_key) == 1

    assert kept.get("/account/").status_code == 200
    assert neighbour.get("/account/").status_code == 200


def test_list_has_good_sessions_only() -> None:
    person = make_user()
    signed_in(person)
    over = signed_in(person).session.session_key
    BrowserSession.objects.filter(pk=over).update(expire_date=timezone.now())
    assert len(own_sessions(person)) == 1

    # `manage.py changepassword` does the same.
    person.set_password("another horse, another battery")
    person.save()

    assert own_sessions(person) == []


def test_housekeeping_deletes_what_is_over() -> None:
    good = signed_in(make_user()).session.session_key
    over = SessionStore()
    over["x"] = 1
    over.save()
    BrowserSession.objects.exclude(pk=good).update(
        expire_date=timezone.now() - timedelta(seconds=1)
    )

    (sessions,) = (kind for kind in classes() if kind.key == "sessions")
    assert sessions.forget() == 1
    assert sessions.forget() == 0
    assert [row.pk for row in BrowserSession.objects.all()] == [good]
