"""One answer names everything wrong with a request, whoever finds it."""

from typing import Any

import pytest

from api.protocol.endpoint import LARGEST_ID
from pentathlon.bots.models import VersionState
from pentathlon.tournaments.documents.checks import MOST_ENTRIES_PER_AUTHOR
from pentathlon.tournaments.models import Event, Tournament
from tests.api.client import V1, client_of
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db


def _told(path: str, body: Any) -> dict[str, str]:
    answer = client_of(make_user(organiser=True)).post(f"{V1}{path}", body, format="json")
    assert answer.status_code == 400, answer.json()
    return {each["pointer"]: each["code"] for each in answer.json()["errors"]}


def test_wrong_fields_hide_neither_dates_nor_values() -> None:
    told = _told(
        "/tournaments/",
        {
            "name": "",
            "game": "tuned",
            "params": {"cycles": 0},
            "limits": {"memory_mb": 1},
            "starts_at": "2020-01-01T00:00:00Z",
            "entry_rules": {"languages": ["latin"]},
            "invited": ["nobody"],
            "colour": "red",
        },
    )

    assert told == {
        "/colour": "unknown_field",
        "/name": "blank",
        "/params/cycles": "bad_parameter",
        "/limits/memory_mb": "bad_limit",
        "/starts_at": "past",
        "/entry_rules/languages": told["/entry_rules/languages"],
        "/invited": told["/invited"],
    }
    assert not Tournament.objects.exists()


def test_wrong_fields_of_an_event_hide_nothing() -> None:
    body = {"name": "", "games": ["tuned", "tuned", "chess"], "format": "league", "x": 1}

    told = _told("/events/", {**body, "starts_at": "2020-01-01T00:00:00Z"})

    assert told.keys() == {"/x", "/name", "/games", "/format", "/starts_at"}
    assert told["/format"] == "unknown_format"
    assert not Event.objects.exists()


def test_fields_say_what_they_take() -> None:
    body = {"name": "x" * 90, "game": "tuned", "entries_per_author": 0, "versions": [0], "x": 1}

    answer = client_of(make_user(organiser=True)).post(f"{V1}/tournaments/", body, format="json")

    allowed = {each["pointer"]: each["allowed"] for each in answer.json()["errors"]}
    assert {"name", "game", "versions"} < set(allowed.pop("/x"))
    assert allowed == {
        "/name": {"maxLength": 80},
        "/entries_per_author": {"minimum": 1, "maximum": MOST_ENTRIES_PER_AUTHOR},
        "/versions/0": {"minimum": 1, "maximum": 10**18},
    }


@pytest.mark.parametrize("path", ["/tournaments/", "/tournaments/dry-run/"])
def test_bots_that_may_not_enter_are_named_with_all_else(path: str) -> None:
    good, rejected = make_version(), make_version(state=VersionState.REJECTED)
    other = make_version(games=["azure"])
    body = {
        "name": "Cup",
        "game": "tuned",
        "tie_breaks": ["luck"],
        "starts_at": "2020-01-01T00:00:00Z",
        "versions": [good.pk, other.pk, rejected.pk, good.pk, 10**9],
    }

    assert _told(path, body) == {
        "/tie_breaks/0": "unknown_tie_break",
        "/starts_at": "past",
        "/versions/1": "ineligible_bots",
        "/versions/2": "ineligible_bots",
        "/versions/3": "duplicate_bots",
        "/versions/4": "unknown_bots",
    }
    assert _told(path, {**body, "name": ""}).keys() >= {"/name", "/tie_breaks/0", "/versions/2"}


def test_expansion_is_named_with_all_else() -> None:
    other = make_version(games=["tuned"])
    body = {
        "name": "Cup",
        "game": "tash_kalar",
        "options": {"decks": ["everfrost", "highland"]},
        "tie_breaks": ["luck"],
        "versions": [other.pk],
    }

    assert _told("/tournaments/", body) == {
        "/options": "unofficial_option",
        "/tie_breaks/0": "unknown_tie_break",
        "/versions/0": "ineligible_bots",
    }


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tournaments/", {"name": "Cup", "game": "tuned"}),
        ("/tournaments/dry-run/", {"name": "Cup", "game": "tuned"}),
        ("/events/", {"name": "Week", "games": ["tuned", "azure"]}),
    ],
)
def test_ab_test_is_never_rated(path: str, body: dict[str, Any]) -> None:
    body |= {"format": "ab_test", "rated": True, "starts_at": "2020-01-01T00:00:00Z"}

    assert _told(path, body) == {"/rated": "never_rated", "/starts_at": "past"}


def test_ab_test_is_unrated_where_nothing_is_said() -> None:
    body = {"name": "Cup", "game": "tuned", "format": "ab_test"}

    answer = client_of(make_user(organiser=True)).post(f"{V1}/tournaments/", body, format="json")

    assert (answer.status_code, answer.json()["rated"]) == (201, False)


def test_refused_entry_points_into_the_request() -> None:
    organiser = make_user(organiser=True)
    cup = open_cup(organiser)
    path = f"{V1}/tournaments/{cup.pk}/entries/"

    answers = [
        client_of(organiser).post(path, {"version": version}, format="json").json()
        for version in (10**9, 0)
    ]

    assert [each["errors"][0]["pointer"] for each in answers] == ["/version", "/version"]
    assert answers[1]["errors"][0]["allowed"] == {"minimum": 1, "maximum": LARGEST_ID}


class TestDocument:
    @pytest.fixture
    def document(self) -> dict[str, Any]:
        cup = open_cup(make_user(organiser=True), versions=[make_version().pk for _ in range(2)])
        answer = client_of(cup.owner).get(f"{V1}/tournaments/{cup.pk}/document/")
        found: dict[str, Any] = answer.json()
        return found

    def test_unknown_member_hides_no_wrong_values(self, document: dict[str, Any]) -> None:
        wrong = {"params": {"cycles": 0}, "beta": 1.0, "rules": 77, "limits": {"memory_mb": 1}}

        told = _told("/tournaments/", {"document": {**document, **wrong, "a/b": 1}})

        assert told == {
            "/document/a~1b": "unknown_field",
            "/document/params/cycles": "bad_parameter",
            "/document/beta": "other_release",
            "/document/rules": "other_release",
            "/document/limits/memory_mb": "bad_limit",
        }

    def test_entrants_that_may_not_play_are_named_with_all_else(
        self, document: dict[str, Any]
    ) -> None:
        other = make_version(games=["azure"])
        entry = {"bot": other.bot.name, "version": other.number, "hash": other.archive_id}
        document["entries"].append({**document["entries"][0], **entry})
        document["tie_breaks"] = ["luck"]

        told = _told("/tournaments/", {"document": document, "secret": "7"})

        assert told == {
            "/document/entries/2": "ineligible_bots",
            "/document/tie_breaks/0": "unknown_tie_break",
            "/secret": "invalid",
        }

    def test_rated_ab_test_is_refused(self, document: dict[str, Any]) -> None:
        document |= {"scheduler": "ab_test/1", "params": {}}

        told = _told("/tournaments/dry-run/", {"document": document, "rated": True})

        assert told["/rated"] == "never_rated"

    def test_missing_game_says_nothing_of_options(self, document: dict[str, Any]) -> None:
        document |= {"tie_breaks": ["luck"], "entries": "all"}
        del document["game"]

        told = _told("/tournaments/", {"document": document})

        assert told == {
            "/document/game": "required",
            "/document/entries": "bad_type",
            "/document/tie_breaks/0": "unknown_tie_break",
        }


def test_list_is_pointed_at_as_a_whole() -> None:
    assert _told("/tournaments/", []).keys() == {""}
