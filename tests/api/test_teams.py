"""Teams by the API: who is shown, and what an invited person sees and answers."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope, User
from pentathlon.bots.models import BotVersion
from pentathlon.tournaments.people_rows import TeamMember
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_team, make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db


def _get(client: APIClient, path: str) -> Any:  # Any: JSON
    return client.get(f"{V1}{path}").json()


def test_invited_person_is_shown_to_the_team_and_to_nobody_else(anonymous: APIClient) -> None:
    founder, guest = client_of(make_user("founder")), make_user("guest")
    team = founder.post(f"{V1}/teams/", {"name": "Axes"}).json()["id"]

    told = founder.post(f"{V1}/teams/{team}/invite/", {"person": "guest"}).json()

    assert told["invited"] == ["guest"]
    assert "guest" not in str(_get(anonymous, f"/teams/{team}/"))
    assert "guest" not in str(_get(client_of(make_user()), "/teams/"))
    assert [each["name"] for each in _get(client_of(guest), "/teams/invitations/")] == ["Axes"]
    assert _get(anonymous, "/teams/?member=guest")["results"] == []


def test_member_is_shown_from_the_acceptance_on(anonymous: APIClient) -> None:
    guest, team = make_user("guest"), make_team("Axes")
    TeamMember.objects.create(team=team, person=guest)
    client = client_of(guest)

    client.post(f"{V1}/teams/{team.pk}/accept/")

    (told,) = _get(anonymous, "/teams/?member=guest")["results"]
    names = [row["person"]["username"] for row in told["members"]]
    assert names == [team.owner.username, "guest"]
    assert _get(client, "/teams/invitations/") == []


def test_members_leave_and_are_removed() -> None:
    mate, other = make_user("mate"), make_user("other")
    team = make_team(members=[mate, other])

    left = client_of(mate).post(f"{V1}/teams/{team.pk}/leave/")
    told = client_of(team.owner).post(f"{V1}/teams/{team.pk}/remove/", {"person": "other"})

    assert left.status_code == 204
    names = [row["person"]["username"] for row in told.json()["members"]]
    assert names == [team.owner.username]


def test_team_is_deleted_by_its_owner_only() -> None:
    mate = make_user()
    team = make_team(members=[mate])

    refused = client_of(mate).delete(f"{V1}/teams/{team.pk}/")
    deleted = client_of(team.owner).delete(f"{V1}/teams/{team.pk}/")

    assert_problem(refused, status=403, code="not_your_team")
    assert deleted.status_code == 204


def test_invitations_are_private() -> None:
    guest = make_user()
    blind = client_of(guest, scopes=[Scope.TOURNAMENTS_WRITE])

    refused = blind.get(f"{V1}/teams/invitations/")

    assert_problem(refused, status=403, code="missing_scope")


def test_author_lets_no_organiser_enter_bots() -> None:
    organiser, version = make_user(organiser=True), make_version()
    author: User = version.bot.owner
    cup = open_cup(organiser)
    client = client_of(author)

    told = client.patch(f"{V1}/me/settings/", {"takes_organiser_entries": False})
    refused = client_of(organiser).post(
        f"{V1}/tournaments/{cup.pk}/entries/", {"version": version.pk}
    )

    assert told.json()["takes_organiser_entries"] is False
    assert _get(client, "/me/")["takes_organiser_entries"] is False
    assert_problem(refused, status=403, code="refuses_organisers", attr="version")


def test_every_bot_of_a_list_that_may_not_come_in_is_named() -> None:
    organiser = make_user(organiser=True)
    unwilling, candidate, fine = make_version(), make_version(), make_version()
    User.objects.filter(pk=unwilling.bot.owner_id).update(takes_organiser_entries=False)
    BotVersion.objects.filter(pk=candidate.pk).update(is_candidate=True)
    ids = [fine.pk, unwilling.pk, candidate.pk]

    answer = client_of(organiser).post(
        f"{V1}/tournaments/", {"name": "Cup", "game": "tuned", "versions": ids}, format="json"
    )

    told = [(each["code"], each["pointer"]) for each in answer.json()["errors"]]
    assert answer.status_code == 400
    assert told == [("refuses_organisers", "/versions/1"), ("candidate", "/versions/2")]


def test_document_names_an_entrant_that_may_not_come_in() -> None:
    organiser, candidate = make_user(organiser=True), make_version()
    author = candidate.bot.owner
    BotVersion.objects.filter(pk=candidate.pk).update(is_candidate=True)
    cup = open_cup(make_user(organiser=True))
    client_of(author).post(f"{V1}/tournaments/{cup.pk}/entries/", {"version": candidate.pk})
    document = _get(client_of(author), f"/tournaments/{cup.pk}/document/")

    answer = client_of(organiser).post(f"{V1}/tournaments/", {"document": document}, format="json")

    told = [(each["code"], each["pointer"]) for each in answer.json()["errors"]]
    assert told == [("ineligible_bots", "/document/entries/0")]
    assert "candidate" in answer.json()["errors"][0]["detail"]
