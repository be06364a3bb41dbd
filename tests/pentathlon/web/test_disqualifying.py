"""Pages on which bots leave: asked for once more, with a reason, by those who may."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.entries.withdrawals import disqualify_entry
from pentathlon.tournaments.models import Tournament
from tests.databases import made_once
from tests.factories import make_staff, make_user, make_version
from tests.pentathlon.tournaments.acting import started
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


made_cup = made_once(lambda: started(bots=3))


@pytest.fixture
def running(made_cup: Tournament, db: None) -> Tournament:
    return Tournament.objects.get(pk=made_cup.pk)


@pytest.fixture
def staff() -> User:
    return make_staff()


def _as(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def _first(tournament: Tournament) -> BotVersion:
    return tournament.entries.in_order()[0].version


def test_organiser_disqualifies_after_saying_why(running: Tournament) -> None:
    client, version = _as(running.owner), _first(running)
    link = f"{reverse('tournament_disqualify', args=[running.pk])}?version={version.pk}"
    assert link in page_of(client.get(reverse("tournament", args=[running.pk]))).links()
    assert "4 matches of it will not be played" in page_of(client.get(link)).text

    refused = client.post(link, {"reason": ""})
    done = client.post(link, {"reason": "Two of one hand.", "revoke": "on"}, follow=True)

    assert page_of(refused).field("reason")["aria-invalid"] == "true"
    assert f"{version.label} is disqualified." in page_of(done).text
    assert "disqualified Two of one hand." in page_of(done).text
    assert Match.objects.filter(state=MatchState.VOID).count() == 4


def test_author_withdraws_after_being_asked(running: Tournament) -> None:
    version = _first(running)
    client = _as(version.bot.owner)
    link = f"{reverse('tournament_withdraw', args=[running.pk])}?version={version.pk}"
    assert link in page_of(client.get(reverse("tournament", args=[running.pk]))).links()
    assert "without a place" in page_of(client.get(link)).text

    done = client.post(reverse("tournament_withdraw", args=[running.pk]), {"version": version.pk})

    assert done.status_code == 302
    assert running.entries.get(version=version).state == "withdrawn"


@pytest.mark.parametrize("name", ["tournament_withdraw", "tournament_disqualify"])
def test_strangers_are_asked_nothing(name: str, running: Tournament) -> None:
    link = f"{reverse(name, args=[running.pk])}?version={_first(running).pk}"

    assert _as(make_user()).get(link).status_code == 403


@pytest.mark.parametrize("version", ["", "x", "99999999", "9" * 40])
def test_unknown_entries_are_not_found(version: str, running: Tournament) -> None:
    link = f"{reverse('tournament_disqualify', args=[running.pk])}?version={version}"

    assert _as(running.owner).get(link).status_code == 404


def test_match_taken_back_says_so(running: Tournament) -> None:
    version = _first(running)
    match = Match.objects.of_version(version.pk).earliest("pk")
    match.seats.filter(seat=0).update(rank=0)
    match.seats.filter(seat=1).update(rank=1)
    Match.objects.filter(pk=match.pk).update(state=MatchState.DONE, finished_at=match.created_at)

    disqualify_entry(
        actor=running.owner,
        tournament=running,
        version_id=version.pk,
        reason="Two of one hand.",
        revoke=True,
    )

    table = Client().get(reverse("tournament_csv", args=[running.pk]))
    lines = b"".join(table).decode().splitlines()
    assert [line.endswith(",1") for line in lines if f",{match.pk},done," in line] == [True, True]


def test_staff_disqualify_a_version_after_saying_why(staff: User) -> None:
    version = make_version()
    client = _as(staff)
    link = reverse("version_disqualify", args=[version.pk])
    page = reverse("version", args=[version.pk])
    assert link in page_of(client.get(page)).links()

    refused = client.post(link, {"reason": " "})
    done = client.post(link, {"reason": "It calls home."}, follow=True)

    assert page_of(refused).field("reason")["aria-invalid"] == "true"
    assert "It calls home. Its results stay." in page_of(done).text
    lifted = client.post(reverse("version_reinstate", args=[version.pk]), follow=True)
    assert "is no longer disqualified" in page_of(lifted).text


def test_nobody_else_disqualifies_a_version() -> None:
    version = make_version()
    link = reverse("version_disqualify", args=[version.pk])

    for person in (version.bot.owner, make_user(organiser=True)):
        assert _as(person).get(link).status_code == 403
        assert _as(person).post(link, {"reason": "No."}).status_code == 403
        assert link not in page_of(_as(person).get(reverse("version", args=[version.pk]))).links()
        assert _as(person).post(reverse("version_reinstate", args=[version.pk])).status_code == 403


def test_author_of_a_stopped_version_is_told_everywhere() -> None:
    version = make_version()
    reason = "Stopped after 5 faults at its start in a row."
    BotVersion.objects.filter(pk=version.pk).update(
        state=VersionState.STOPPED, state_reason=reason, stopped_at=version.created_at
    )
    client = _as(version.bot.owner)

    for page in (
        reverse("account"),
        reverse("bot", args=[version.bot_id]),
        reverse("version", args=[version.pk]),
    ):
        assert reason in page_of(client.get(page)).text
    client.post(reverse("version_validate", args=[version.pk]))

    version.refresh_from_db()
    assert version.state == VersionState.VALIDATING


def test_admin_leads_staff_to_the_page_that_asks_why() -> None:
    root, version = make_staff(superuser=True), make_version()
    action = {"action": "disqualify", "_selected_action": [str(version.pk)]}

    answer = _as(root).post(reverse("admin:bots_botversion_changelist"), action)

    assert answer.status_code == 302
    assert answer.headers["Location"] == reverse("version_disqualify", args=[version.pk])
