"""Entries, invitations and events through the API."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import cancel_tournament, start_tournament
from tests.api.client import V1, assert_problem
from tests.factories import make_bot, make_team, make_user, make_version
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

_SOON = f"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%dT%H:%M:00Z}"


def _client(person: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(person)
    return client


def _post(person: User, path: str, body: dict[str, Any]) -> Any:
    return _client(person).post(f"{V1}/{path}", body, format="json")


@pytest.fixture
def organiser() -> User:
    return make_user("host", organiser=True)


def test_tournament_is_made_with_its_arrangement(organiser: User) -> None:
    body = {
        "name": "Cup",
        "game": "tuned",
        "rated": False,
        "hides_results": True,
        "starts_at": _SOON,
        "entry_rules": {"newest_only": True},
    }

    made = _post(organiser, "tournaments/", body)

    assert made.status_code == 201
    assert made.json()["hides_results"] is True
    assert made.json()["starts_at"] == _SOON
    assert made.json()["entry_rules"] == {"newest_only": True}


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"hides_results": True}, 400, "hidden_and_rated"),
        ({"starts_at": "2001-01-01T10:00:00Z"}, 400, "past"),
        ({"starts_at": "9999-01-01T10:00:00Z"}, 400, "too_late"),
        ({"rated": False, "freezes_at": "9999-12-31T23:59:59+00:00"}, 400, "too_late"),
        ({"entry_rules": {"uploaded_from": "9999-01-01T10:00:00Z"}}, 400, "too_late"),
        ({"starts_at": "2027-01-01T10:00:00"}, 400, "zone_missing"),
        ({"entry_rules": {"new_bots_from": "2027-01-01"}}, 400, "zone_missing"),
        ({"description": "\u202egnol"}, 400, "bad_description"),
        ({"entry_rules": {"colour": "red"}}, 400, "unknown_field"),
        ({"begins_at": "2027-01-01T10:00:00Z"}, 400, "unknown_field"),
    ],
)
def test_bad_arrangement_is_refused(
    organiser: User, changes: dict[str, Any], status: int, code: str
) -> None:
    answer = _post(organiser, "tournaments/", {"name": "Cup", "game": "tuned", **changes})

    assert answer.status_code == status
    assert code in answer.content.decode()


def test_all_problems_of_document_and_arrangement_come_at_once(organiser: User) -> None:
    body = {
        "name": "Cup",
        "game": "tuned",
        "format": "luck",
        "hides_results": True,
        "starts_at": "2001-01-01T10:00:00Z",
        "invited": ["nobody"],
        "entry_rules": {"languages": ["latin"], "most_versions": 0},
        "limits": {"memory_mb": 1},
    }

    answer = _post(organiser, "tournaments/", body)

    found = {(error["pointer"], error["code"]) for error in answer.json()["errors"]}
    assert (answer.status_code, found) == (
        400,
        {
            ("/format", "unknown_format"),
            ("/hides_results", "hidden_and_rated"),
            ("/starts_at", "past"),
            ("/invited", "invalid"),
            ("/invited", "unknown_person"),
            ("/entry_rules/languages", "unknown_language"),
            ("/entry_rules/most_versions", "invalid"),
            ("/limits/memory_mb", "bad_limit"),
        },
    )


def test_unknown_fields_and_bad_values_come_at_once(organiser: User) -> None:
    body = {"game": "tuned", "colour": "red", "table_seats": "two", "entry_rules": {"shape": 1}}

    answer = _post(organiser, "tournaments/", body)

    found = {(error["pointer"], error["code"]) for error in answer.json()["errors"]}
    assert found == {
        ("/name", "required"),
        ("/colour", "unknown_field"),
        ("/table_seats", "invalid"),
        ("/entry_rules/shape", "unknown_field"),
    }


def test_bad_values_come_with_what_is_wrong_in_other_fields(organiser: User) -> None:
    body = {
        "name": "",
        "game": "chess",
        "format": "luck",
        "colour": "red",
        "limits": {"memory_mb": 1},
        "tie_breaks": ["luck"],
        "starts_at": "soon",
    }

    answer = _post(organiser, "tournaments/", body)

    found = {(error["pointer"], error["code"]) for error in answer.json()["errors"]}
    assert (answer.status_code, found) == (
        400,
        {
            ("/name", "blank"),
            ("/game", "unknown_game"),
            ("/format", "unknown_format"),
            ("/colour", "unknown_field"),
            ("/limits/memory_mb", "bad_limit"),
            ("/tie_breaks/0", "unknown_tie_break"),
            ("/starts_at", "invalid"),
        },
    )


def test_all_problems_of_an_event_come_at_once(organiser: User) -> None:
    body = {
        "name": "Week",
        "games": ["tuned", "azure", "chess"],
        "params": {"cycles": 0},
        "starts_at": "2001-01-01T10:00:00Z",
    }

    answer = _post(organiser, "events/", body)

    found = sorted((error["pointer"], error["code"]) for error in answer.json()["errors"])
    assert found == [
        ("/games", "unknown_game"),
        ("/params/cycles", "bad_parameter"),
        ("/starts_at", "past"),
    ]


class TestReplaceAfterTheStart:
    def _started(self, organiser: User) -> tuple[str, BotVersion, BotVersion]:
        bot = make_bot()
        old, new = make_version(bot=bot), make_version(bot=bot)
        cup = arranged_cup(organiser, versions=(old.pk, make_version().pk))
        start_tournament(actor=organiser, tournament=cup)
        return f"tournaments/{cup.pk}/entries/", old, new

    def test_organiser_replaces_it_and_everybody_reads_why(self, organiser: User) -> None:
        entries, old, new = self._started(organiser)
        body = {"by": new.pk, "reason": "It hung on rivers."}

        answer = _post(organiser, f"{entries}{old.pk}/replace/", body)

        assert answer.status_code == 200
        told = _client(make_user()).get(f"{V1}/{entries}").json()["results"][0]
        assert told["version"]["id"] == new.pk
        (replaced,) = told["replacements"]
        assert (replaced["old"]["id"], replaced["new"]["id"]) == (old.pk, new.pk)
        assert (replaced["reason"], replaced["first_block"]) == ("It hung on rivers.", 1)

    def test_bot_that_was_withdrawn_comes_back(self, organiser: User) -> None:
        entries, old, new = self._started(organiser)
        _post(organiser, f"{entries}{old.pk}/withdraw/", {})
        body = {"by": new.pk, "reason": "It was mended."}

        answer = _post(organiser, f"{entries}{old.pk}/replace/", body)

        told = answer.json()
        assert (answer.status_code, told["state"], told["reason"]) == (200, "active", "")
        (replaced,) = told["replacements"]
        assert replaced["left"] == "withdrawn: Withdrawn by the organiser."

    def test_disqualified_bot_does_not_come_back(self, organiser: User) -> None:
        entries, old, new = self._started(organiser)
        _post(organiser, f"{entries}{old.pk}/disqualify/", {"reason": "It cheats."})
        body = {"by": new.pk, "reason": "It was mended."}

        answer = _post(organiser, f"{entries}{old.pk}/replace/", body)

        assert (answer.status_code, answer.json()["code"]) == (409, "disqualified")

    def test_author_is_refused(self, organiser: User) -> None:
        entries, old, new = self._started(organiser)
        body = {"by": new.pk, "reason": "It hung on rivers."}

        answer = _post(new.bot.owner, f"{entries}{old.pk}/replace/", body)

        assert (answer.status_code, answer.json()["code"]) == (403, "not_your_tournament")

    def test_all_problems_come_at_once(self, organiser: User) -> None:
        entries, old, _ = self._started(organiser)

        answer = _post(organiser, f"{entries}{old.pk}/replace/", {"by": make_version().pk})

        found = {(error["pointer"], error["code"]) for error in answer.json()["errors"]}
        assert (answer.status_code, found) == (
            400,
            {("/reason", "required"), ("/by", "other_bot")},
        )

    def test_ended_tournament_names_the_states(self, organiser: User) -> None:
        entries, old, new = self._started(organiser)
        cup = Tournament.objects.get()
        cancel_tournament(actor=organiser, tournament=cup)

        answer = _post(organiser, f"{entries}{old.pk}/replace/", {"by": new.pk, "reason": "Why."})

        assert answer.status_code == 409
        (error,) = answer.json()["errors"]
        assert error["allowed"] == ["draft", "open", "running", "paused"]


def test_entry_is_replaced_withdrawn_and_disqualified(organiser: User) -> None:
    bot = make_bot()
    old, new = make_version(bot=bot), make_version(bot=bot)
    other = make_version()
    cup = arranged_cup(organiser, versions=(old.pk, other.pk))
    entries = f"tournaments/{cup.pk}/entries"

    replaced = _post(bot.owner, f"{entries}/{old.pk}/replace/", {"by": new.pk})
    foreign = _post(bot.owner, f"{entries}/{other.pk}/withdraw/", {})
    withdrawn = _post(bot.owner, f"{entries}/{new.pk}/withdraw/", {})
    out = _post(organiser, f"{entries}/{other.pk}/disqualify/", {"reason": "It cheats."})

    assert (replaced.status_code, replaced.json()["version"]["id"]) == (200, new.pk)
    assert (foreign.status_code, foreign.json()["code"]) == (403, "not_your_bot")
    assert withdrawn.status_code == 200
    assert (out.status_code, out.json()["state"]) == (200, "disqualified")


def test_bot_enters_for_a_team(organiser: User) -> None:
    version = make_version()
    cup, team = arranged_cup(organiser), make_team("Axes", owner=version.bot.owner)
    body = {"version": version.pk, "team": team.pk}

    made = _post(version.bot.owner, f"tournaments/{cup.pk}/entries/", body)

    assert made.status_code == 201
    assert made.json()["team"] == {"id": team.pk, "name": "Axes"}


def test_nobody_is_made_a_member_by_an_entry(organiser: User) -> None:
    version = make_version()
    cup, team = arranged_cup(organiser), make_team(owner=version.bot.owner)
    body = {"version": version.pk, "team": team.pk, "members": ["famous"]}

    refused = _post(version.bot.owner, f"tournaments/{cup.pk}/entries/", body)

    assert_problem(refused, status=400, code="unknown_field", attr="members")


def test_authors_are_invited_by_name(organiser: User) -> None:
    make_user("guest")
    cup = arranged_cup(organiser, by_invitation=True)
    address = f"tournaments/{cup.pk}/invitations/"

    invited = _post(organiser, address, {"invited": ["guest"]})
    refused = _post(make_user(), address, {"invited": ["guest"]})

    assert [row["username"] for row in invited.json()] == ["guest"]
    assert refused.status_code == 403


def test_event_is_made_in_one_request(organiser: User) -> None:
    body = {"name": "Week", "games": ["tuned", "azure"], "starts_at": _SOON}

    made = _post(organiser, "events/", body)
    table = APIClient().get(f"{V1}/events/{made.json()['id']}/table/")
    twice = _post(organiser, "events/", {**body, "games": ["tuned", "tuned"]})

    assert made.status_code == 201
    assert len(made.json()["tournaments"]) == 2
    assert table.json() == []
    assert (twice.status_code, twice.json()["code"]) == (400, "games_once")


def test_event_warns_of_cycles_in_a_game_without_chance(organiser: User) -> None:
    body = {"name": "Week", "games": ["tuned", "azure"], "params": {"cycles": 3}}

    made = _post(organiser, "events/", body)
    page = page_of(Client().get(f"/events/{made.json()['id']}/"))

    (warning,) = made.json()["warnings"]
    assert (warning["code"], warning["pointer"]) == ("repeated_matches", "/params/cycles")
    assert warning["detail"].startswith("Tuned has no chance")
    assert warning["detail"] in page.text


def test_unrated_tournament_takes_the_expansion_schools(organiser: User) -> None:
    schools = {"decks": ["everfrost", "etherweave"]}
    body = {"name": "Cup", "game": "tash_kalar", "options": schools}

    unrated = _post(organiser, "tournaments/", {**body, "rated": False})
    rated = _post(organiser, "tournaments/", body)

    assert unrated.status_code == 201, unrated.json()
    assert (rated.status_code, rated.json()["code"]) == (400, "unofficial_option")
