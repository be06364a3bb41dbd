"""An account is deleted wholly or not at all, and the results of others stay what they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, models
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.accounts.device_logins import answer_device_login, begin_device_login
from pentathlon.accounts.models import AccountDeletion, ApiToken, User
from pentathlon.accounts.services import register
from pentathlon.bots.models import Archive, BotVersion, VersionState
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.ladders.models import LadderMember
from pentathlon.ladders.reference import platform_account
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match, MatchState, SeatLog
from pentathlon.matches.services import void_matches
from pentathlon.operations.personal_data import deletion
from pentathlon.operations.personal_data.deletion import (
    FATES,
    delete_account_of,
    delete_own_account,
)
from pentathlon.operations.personal_data.erasure import erase_deleted
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.challenges.models import Challenge, ChallengeState
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.models import EntryState, Tournament, TournamentState
from pentathlon.tournaments.services import cancel_tournament, close_finished
from pentathlon.webhooks.models import WebhookEndpoint
from tests.api.client import V1, client_of
from tests.factories import PASSWORD, make_match, make_staff, make_token, make_user, make_version
from tests.pentathlon.accounts.oauth.acting import FakeApp
from tests.pentathlon.friendlies.acting import begun
from tests.pentathlon.ladders.playing import open_ladder, seat_all
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle, started
from tests.pentathlon.tournaments.challenges.acting import challenged
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return make_user("ada-lovelace")


def _delete(person: User) -> str:
    return delete_own_account(actor=person, username=person.username, password=PASSWORD)


def _mentions(word: str) -> set[str]:
    """Return the columns in which a word stands, of all that the database has."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            for column in connection.introspection.get_table_description(cursor, table):
                name, of = connection.ops.quote_name(column.name), connection.ops.quote_name(table)
                sql = f"SELECT COUNT(*) FROM {of} WHERE CAST({name} AS text) LIKE %s"
                cursor.execute(sql, [f"%{word}%"])
                row = cursor.fetchone()
                if row and row[0]:
                    found.add(f"{table}.{column.name}")
    return found


def test_everything_personal_goes_and_results_stay(person: User) -> None:
    person.first_name, person.last_name = "Ada", "Lovelace"
    person.save()
    version, other = make_version(owner=person, name="ada-lovelace-wolf"), make_version()
    cup = started(versions=[version, other])
    settle(matches_of(cup))
    make_token(person)
    make_endpoint(owner=person)
    FakeApp(owner=person).tokens_of(make_user())
    FakeApp().tokens_of(person)
    login, _ = begin_device_login(name="laptop", scopes=[], address="192.0.2.7")
    answer_device_login(actor=person, user_code=login.user_code, approves=True)

    name = _delete(person)

    person.refresh_from_db()
    assert name == person.username == f"deleted-{person.pk}"
    assert (person.email, person.first_name, person.last_name) == ("", "", "")
    assert not person.has_usable_password()
    assert not person.is_active
    assert version.bot.owner_id == person.pk
    assert matches_of(cup)[0].seats.filter(version=version).exists()
    assert not ApiToken.objects.filter(user=person).exists()
    assert WebhookEndpoint.objects.filter(owner=person).exclude(url="").count() == 0
    # The document of a tournament that has begun must stay: its seeds are computed from it.
    assert _mentions("ada-lovelace") <= {"tournaments_tournament.fixed_document"}
    assert _mentions("192.0.2.7") == set()
    assert _mentions("Lovelace") == set()


def test_page_of_every_list_has_the_new_name(person: User) -> None:
    version, other = make_version(owner=person), make_version()
    cup = started(versions=[version, other])
    settle(matches_of(cup))
    close_finished()
    pages = [f"/tournaments/{cup.pk}/", f"/bots/{version.bot_id}/", "/matches/", "/search/?q=ada"]
    pages += [f"{V1}/tournaments/{cup.pk}/standings/", f"/tournaments/{cup.pk}/standings.csv"]
    pages += [f"{V1}/tournaments/{cup.pk}/crosstable/", f"{V1}/leaderboards/tuned/"]
    before = "".join(_text(Client().get(page)) for page in pages)

    name = _delete(person)

    after = "".join(_text(Client().get(page)) for page in pages)
    assert "ada-lovelace" in before
    assert "ada-lovelace" not in after
    assert name in after
    assert Client().get("/people/ada-lovelace/").status_code == 404
    assert Client().get(f"/people/{name}/").status_code == 200


def _text(response: Any) -> str:  # Any: a response of the test client
    if response.streaming:
        return b"".join(response).decode()
    return str(response.content.decode())


def test_results_ratings_and_schedules_still_verify(person: User) -> None:
    version, other, third = make_version(owner=person), make_version(), make_version()
    cup = started(versions=[version, other, third])
    settle(matches_of(cup)[:3])

    _delete(person)
    settle_entries()
    waiting = Match.objects.of_lane(cup.pk).filter(state=MatchState.PENDING)
    settle(list(waiting))
    settle_entries()
    close_finished()
    erase_deleted()
    while apply_results():
        pass

    cup.refresh_from_db()
    assert cup.entries.get(version=version).state == EntryState.WITHDRAWN
    assert cup.state == TournamentState.CLOSED
    assert [each for pool in Pool.objects.all() for each in verify_pool(pool_id=pool.pk)] == []
    call_command("verify_ratings", verbosity=0)
    call_command("verify_schedules", verbosity=0)


def test_person_leaves_all_that_is_under_way(person: User) -> None:
    open_ladder(all_others=True)
    version = make_version(owner=person)
    make_version()
    seat_all()
    cup = open_cup(make_user(organiser=True), versions=[version.pk])
    challenge = challenged(author=person)
    friendly = begun(bot=version)
    own = begun(person=person)
    draft = open_cup(_organiser(person), is_draft=True)

    _delete(person)

    version.refresh_from_db()
    assert version.state == VersionState.RETIRED
    assert not cup.entries.exists()
    assert not LadderMember.objects.filter(bot__owner=person, version__isnull=False).exists()
    assert Challenge.objects.get(pk=challenge.pk).state == ChallengeState.CANCELLED
    assert Friendly.objects.get(pk=friendly.pk).state == FriendlyState.VOID
    assert not Friendly.objects.filter(pk=own.pk).exists()
    assert not Tournament.objects.filter(pk=draft.pk).exists()
    assert not DeskRecord.objects.filter(author=person).exists()


def _organiser(person: User) -> User:
    person.is_organiser = True
    person.save()
    return person


def test_code_goes_when_no_match_needs_it(person: User) -> None:
    version, other = make_version(owner=person), make_version()
    match = make_match([version, other])
    SeatLog.objects.create(seat=match.seats.get(version=version), text="secret thoughts")

    _delete(person)
    erase_deleted()
    waiting = Archive.objects.get(pk=version.archive_id).files
    void_matches(matches=Match.objects.filter(pk=match.pk), reason="Hosts failed.")
    while erase_deleted() or AccountDeletion.objects.filter(erased_at=None).exists():
        pass

    archive = Archive.objects.get(pk=version.archive_id)
    assert waiting > 0
    assert (bytes(archive.data), archive.files) == (b"", 0)
    assert Archive.objects.get(pk=other.archive_id).files > 0
    assert not SeatLog.objects.exists()
    assert AccountDeletion.objects.get().erased_at is not None
    assert erase_deleted() == 0


def test_files_that_another_author_uploaded_too_stay(person: User) -> None:
    version, same = make_version(owner=person), make_version()
    BotVersion.objects.filter(pk=same.pk).update(archive=version.archive_id)

    _delete(person)
    erase_deleted()

    assert Archive.objects.get(pk=version.archive_id).files > 0


@pytest.mark.parametrize("state", ["open", "running"])
def test_organiser_ends_tournaments_first(person: User, state: str) -> None:
    organiser = _organiser(person)
    cup = started(owner=organiser) if state == "running" else open_cup(organiser, name="Spring")

    with pytest.raises(Conflict) as caught:
        _delete(organiser)
    cancel_tournament(actor=organiser, tournament=cup)
    _delete(organiser)

    assert caught.value.code == "organises_tournaments"
    assert cup.name in caught.value.detail
    assert Tournament.objects.get(pk=cup.pk).owner.username.startswith("deleted-")


@pytest.mark.parametrize(
    ("username", "password", "code"),
    [
        ("Ada-Lovelace", PASSWORD, "wrong_name"),
        ("", PASSWORD, "wrong_name"),
        ("ada-lovelace", "wrong", "wrong_password"),
        ("ada-lovelace", "", "wrong_password"),
    ],
)
def test_name_and_password_are_typed_again(
    person: User, username: str, password: str, code: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        delete_own_account(actor=person, username=username, password=password)

    assert caught.value.code == code
    assert User.objects.get(pk=person.pk).is_active


def test_nothing_is_done_if_one_step_fails(person: User, monkeypatch: pytest.MonkeyPatch) -> None:
    version = make_version(owner=person)
    make_token(person)

    def fail(**_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(deletion, "erase_code", fail)
    with pytest.raises(RuntimeError):
        _delete(person)

    person.refresh_from_db()
    version.refresh_from_db()
    assert (person.username, person.is_active) == ("ada-lovelace", True)
    assert version.state == VersionState.ELIGIBLE
    assert ApiToken.objects.filter(user=person).exists()
    assert not AuditEvent.objects.exists()


def test_staff_deletes_for_somebody_and_that_is_audited(person: User) -> None:
    staff = make_staff()

    delete_account_of(
        actor=staff, person=person, username="ada-lovelace", reason="Asked by letter."
    )

    event = AuditEvent.objects.get(action=AuditAction.PERSON_DELETE)
    assert (event.actor, event.reason) == (staff, "Asked by letter.")
    assert event.object_in_words == f"deleted-{person.pk}"


@pytest.mark.parametrize("who", ["stranger", "staff for staff", "oneself", "twice", "platform"])
def test_who_may_not_is_refused(person: User, who: str) -> None:
    staff, root = make_staff(), make_staff(superuser=True)
    if who == "twice":
        _delete(person)
    actor, victim = {
        "stranger": (make_user(), person),
        "staff for staff": (staff, make_staff()),
        "oneself": (root, root),
        "twice": (staff, User.objects.get(pk=person.pk)),
        "platform": (root, platform_account()),
    }[who]

    with pytest.raises(DomainError) as caught:
        delete_account_of(actor=actor, person=victim, username=victim.username, reason="So.")

    assert isinstance(caught.value, NotAllowed | Conflict)


def test_last_superuser_stays() -> None:
    root = make_staff(superuser=True)

    with pytest.raises(Conflict) as caught:
        _delete(root)

    assert caught.value.code == "last_superuser"


def test_nobody_takes_the_name_of_a_deleted_account() -> None:
    with pytest.raises(InvalidInput) as caught:
        register(username="Deleted-7", email="a@example.org", password=PASSWORD)

    assert caught.value.code == "bad_username"


def test_every_relation_of_a_person_has_a_fate() -> None:
    found = {
        f"{relation.related_model._meta.label}.{relation.field.name}" for relation in _relations()
    }

    assert found == set(FATES)


def _relations() -> Iterator[Any]:  # Any: relations of the ORM
    fields: Any = User._meta.get_fields(include_hidden=True)
    for relation in fields:
        is_foreign = isinstance(relation, models.ManyToOneRel | models.OneToOneRel)
        if is_foreign and relation.related_model._meta.auto_created is False:
            yield relation


def test_page_asks_tells_what_stays_and_signs_out(person: User) -> None:
    browser = Client()
    browser.force_login(person)
    page = page_of(browser.get(reverse("account_delete")))
    wrong = page_of(browser.post(reverse("account_delete"), {"username": "ada-lovelace"}))

    done = browser.post(
        reverse("account_delete"),
        {"username": "ada-lovelace", "password": PASSWORD},
        follow=True,
    )

    assert "This cannot be undone." in page.text
    assert "What stays, and why" in page.text
    assert wrong.field("password")["aria-invalid"] == "true"
    assert "Your account is deleted." in page_of(done).text
    assert browser.get(reverse("account")).status_code == 302
    assert not Client().login(username="ada-lovelace", password=PASSWORD)


def test_other_browsers_are_signed_out(person: User) -> None:
    other = Client()
    other.force_login(person)

    _delete(person)

    assert other.get(reverse("account")).status_code == 302


def test_page_says_what_is_in_the_way(person: User) -> None:
    open_cup(_organiser(person), name="Spring cup")
    browser = Client()
    browser.force_login(person)

    page = page_of(browser.get(reverse("account_delete")))

    assert "Spring cup" in page.text
    assert "Delete for good" not in page.text


def test_staff_page_deletes_after_the_name_and_a_reason(person: User) -> None:
    browser = Client()
    browser.force_login(make_staff())
    address = reverse("person_delete", args=[person.username])

    nothing = browser.post(address, {"username": "ada", "reason": "Asked."})
    done = browser.post(address, {"username": "ada-lovelace", "reason": "Asked."}, follow=True)

    assert nothing.status_code == 200
    assert f"deleted-{person.pk}" in page_of(done).text
    stranger = Client()
    stranger.force_login(make_user())
    assert stranger.get(reverse("person_delete", args=[make_user().username])).status_code == 403


def test_api_deletes_with_name_and_password_only(person: User) -> None:
    body = {"username": "ada-lovelace", "password": PASSWORD}
    by_token = client_of(person).post(f"{V1}/me/delete/", body, format="json")
    browser = Client()
    browser.force_login(person)
    wrong = browser.post(
        f"{V1}/me/delete/", {**body, "password": "x"}, content_type="application/json"
    )
    done: Any = browser.post(f"{V1}/me/delete/", body, content_type="application/json")

    assert by_token.status_code == 401
    assert wrong.status_code == 400
    assert done.json() == {"name": f"deleted-{person.pk}"}
