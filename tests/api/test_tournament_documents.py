"""Whole documents: what was published can be posted, and one answer names all that is wrong."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pentathlon.accounts.models import User
from pentathlon.tournaments.documents.document import document_json
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines.tournament.formats.registry import FORMATS
from tests.api.client import V1, client_of
from tests.deep import mostly_deep
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import division_of, open_ladder
from tests.pentathlon.tournaments.acting import as_made, matches_of, open_cup, settle, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


@pytest.fixture
def played(organiser: User) -> Tournament:
    return started(bots=4, owner=organiser)


def _document(tournament: Tournament) -> dict[str, Any]:
    answer = client_of(tournament.owner).get(f"{V1}/tournaments/{tournament.pk}/document/")
    assert answer.status_code == 200
    return dict(answer.json())


def test_published_document_can_be_posted_as_it_is(played: Tournament, organiser: User) -> None:
    answer = client_of(organiser).post(f"{V1}/tournaments/", _document(played))

    assert answer.status_code == 201, answer.json()
    made = answer.json()
    assert (made["bots"], made["scheduler"], made["rated"]) == (4, "round_robin/2", False)
    assert made["commitment"] != played.commitment


@pytest.mark.parametrize("scheduler", mostly_deep(FORMATS, keep=[*FORMATS][:3]))
def test_document_of_each_format_fits_the_schema_and_can_be_posted(
    scheduler: str, organiser: User
) -> None:
    game, seats = ("way_of_the_dragon", 3) if scheduler.startswith("tables") else ("tuned", 2)
    versions = [make_version(games=[game]).pk for _ in range(2 if "ab_test" in scheduler else 5)]
    cup = open_cup(
        organiser,
        game=game,
        scheduler=scheduler,
        table_seats=seats,
        versions=versions,
        tie_breaks=("points",),
        rated=False,
    )
    schema = client_of(organiser).get(f"{V1}/tournaments/schema/").json()
    Draft202012Validator.check_schema(schema)

    before = _document(cup)
    start_tournament(actor=organiser, tournament=cup)
    document = _document(cup)

    for each in (before, document):
        assert [error.message for error in Draft202012Validator(schema).iter_errors(each)] == []
    assert document["scheduler"] == scheduler
    answer = client_of(organiser).post(f"{V1}/tournaments/", document)
    assert answer.status_code == 201, answer.json()
    assert _document(Tournament.objects.get(pk=answer.json()["id"])) == {
        **document,
        "commitment": answer.json()["commitment"],
    }


def test_document_of_a_ladders_division_can_be_posted(organiser: User) -> None:
    division = division_of(open_ladder()).tournament
    document = dict(client_of(organiser).get(f"{V1}/tournaments/{division.pk}/document/").json())
    schema = client_of(organiser).get(f"{V1}/tournaments/schema/").json()

    answer = client_of(organiser).post(f"{V1}/tournaments/", document)

    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    assert answer.status_code == 201, answer.json()
    made = Tournament.objects.get(pk=answer.json()["id"])
    assert (made.scheduler, made.params, made.is_ladder) == ("ladder/1", {"rounds": 20}, False)


def test_replay_with_the_secret_has_the_same_rows(played: Tournament, organiser: User) -> None:
    body = {"document": _document(played), "name": "Again", "secret": played.secret}

    answer = client_of(organiser).post(f"{V1}/tournaments/", body)

    again = Tournament.objects.get(pk=answer.json()["id"])
    again = start_tournament(actor=organiser, tournament=again)
    assert document_json(again) == document_json(played)
    assert as_made(again) == as_made(played)


def test_one_answer_names_everything_that_is_wrong(played: Tournament, organiser: User) -> None:
    document = _document(played)
    document |= {"starts_at": "tomorrow", "tie_breaks": "points", "game": 7}
    document["entries"][0]["colour"] = "red"
    del document["scheduler"]

    answer = client_of(organiser).post(f"{V1}/tournaments/", document)
    wrapped = client_of(organiser).post(f"{V1}/tournaments/", {"document": document})

    assert (answer.status_code, answer.json()["code"]) == (400, "problems")
    within = [each["pointer"] for each in wrapped.json()["errors"]]
    assert within == [f"/document{each['pointer']}" for each in answer.json()["errors"]]
    found = {(each["pointer"], each["code"]) for each in answer.json()["errors"]}
    assert found == {
        ("/scheduler", "required"),
        ("/starts_at", "unknown_field"),
        ("/tie_breaks", "bad_type"),
        ("/game", "bad_type"),
        ("/entries/0/colour", "unknown_field"),
    }
    assert Tournament.objects.count() == 1


def test_problems_of_each_kind_come_in_one_answer(played: Tournament, organiser: User) -> None:
    document = _document(played)
    document["entries"][1]["hash"] = "sha256:0"
    document["limits"] |= {"memory_mb": 1, "wishes": 3}
    document |= {"params": {"cycles": 0}, "tie_breaks": ["luck"], "beta": 7}

    answer = client_of(organiser).post(
        f"{V1}/tournaments/", {"document": document, "entries_per_author": 900}
    )

    found = {(each["pointer"], each["code"]) for each in answer.json()["errors"]}
    assert found == {
        ("/document/entries/1/hash", "unknown_entrant"),
        ("/document/limits/memory_mb", "bad_limit"),
        ("/document/limits/wishes", "unknown_limit"),
        ("/document/params/cycles", "bad_parameter"),
        ("/document/tie_breaks/0", "unknown_tie_break"),
        ("/document/beta", "other_release"),
        ("/entries_per_author", "max_value"),
    }


def test_entrants_that_are_not_known_or_twice_are_named(
    played: Tournament, organiser: User
) -> None:
    document = _document(played)
    document["entries"][1]["hash"] = "sha256:0"
    document["entries"][3] = document["entries"][0]

    answer = client_of(organiser).post(f"{V1}/tournaments/", document)

    found = {(each["pointer"], each["code"]) for each in answer.json()["errors"]}
    assert found == {
        ("/entries/1/hash", "unknown_entrant"),
        ("/entries/3", "duplicate_bots"),
    }


@pytest.mark.parametrize(
    ("changes", "code", "allowed"),
    [
        ({"scheduler": "swiss/99"}, "other_scheduler", ["swiss/1"]),
        ({"tie_breaks": ["luck"]}, "unknown_tie_break", None),
        ({"rating_algorithm": 10**6}, "other_release", None),
        ({"params": {"cycles": 0}}, "bad_parameter", None),
        ({"params": {"rounds": 3}}, "unknown_parameter", ["cycles", "same_author"]),
    ],
)
def test_value_that_is_not_allowed_says_what_is(
    played: Tournament,
    organiser: User,
    changes: dict[str, Any],
    code: str,
    allowed: list[str] | None,
) -> None:
    answer = client_of(organiser).post(f"{V1}/tournaments/", {**_document(played), **changes})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["code"] == code
    assert error["allowed"] == allowed if allowed else error["allowed"]


def test_several_fields_of_the_short_form_are_named_at_once(organiser: User) -> None:
    body = {
        "name": "Cup",
        "game": "tuned",
        "params": {"cycles": 0},
        "limits": {"wishes": 3},
        "options": {"board": "big"},
    }

    answer = client_of(organiser).post(f"{V1}/tournaments/", body)

    found = {(error["pointer"], error["code"]) for error in answer.json()["errors"]}
    assert found == {
        ("/params/cycles", "bad_parameter"),
        ("/limits/wishes", "unknown_limit"),
        ("/options/board", "bad_option"),
    }


def test_documents_over_a_mebibyte_are_refused(organiser: User) -> None:
    answer = client_of(organiser).post(f"{V1}/tournaments/", {"document": {"x": "y" * 2**20}})

    assert answer.status_code == 413


def test_schema_has_every_format_with_its_parameters() -> None:
    schema = client_of(make_user()).get(f"{V1}/tournaments/schema/").json()

    names = schema["properties"]["scheduler"]["enum"]
    assert {"round_robin/2", "swiss/1", "knockout/1"} <= set(names)
    assert len(schema["allOf"]) == len(names)


def test_organiser_has_a_block_made_void(organiser: User) -> None:
    tournament = started(bots=3, owner=organiser)
    settle(matches_of(tournament))
    address = f"{V1}/tournaments/{tournament.pk}/void/"

    answers = [
        client_of(organiser).post(address, {"block": 1, "reason": "A broken host."})
        for _ in range(2)
    ]
    other = client_of(make_user(organiser=True)).post(address, {"block": 1, "reason": "No."})

    assert [answer.json() for answer in answers] == [{"blocks": 1}, {"blocks": 0}]
    assert other.status_code == 403


def test_table_is_ordered_by_the_tie_breaks_in_their_order(organiser: User) -> None:
    versions = [make_version() for _ in range(3)]
    by = ["points", "head_to_head", "fit"]
    made = open_cup(organiser, versions=[each.pk for each in versions], tie_breaks=tuple(by))
    tournament = start_tournament(actor=organiser, tournament=made)
    settle(matches_of(tournament))

    rows = client_of(organiser).get(f"{V1}/tournaments/{tournament.pk}/standings/").json()

    assert [row["tie_breaks"]["points"] for row in rows["results"]] == [4, 2, 0]
    assert [list(row["tie_breaks"]) for row in rows["results"]] == [by] * 3


def test_organiser_has_a_match_played_again_for_a_reason(organiser: User) -> None:
    tournament = started(bots=3, owner=organiser)
    settle(matches_of(tournament)[:2])
    first = matches_of(tournament)[0]
    address = f"{V1}/matches/{first.pk}/rerun/"

    bare = client_of(organiser).post(address, {})
    foreign = client_of(make_user(organiser=True)).post(address, {"reason": "No."})
    again = client_of(organiser).post(address, {"reason": "A broken host."})
    twice = client_of(organiser).post(address, {"reason": "A broken host."})

    assert (bare.status_code, bare.json()["errors"][0]["pointer"]) == (400, "/reason")
    assert foreign.status_code == 403
    assert (again.status_code, again.json()["state"]) == (200, "pending")
    assert again.json()["id"] != first.pk
    assert (twice.status_code, twice.json()["code"]) == (409, "played_again")


def test_organiser_makes_a_match_void_for_a_reason(organiser: User) -> None:
    tournament = started(bots=3, owner=organiser)
    settle(matches_of(tournament)[:2])
    first = matches_of(tournament)[0]
    address = f"{V1}/matches/{first.pk}/void/"

    bare = client_of(organiser).post(address, {})
    foreign = client_of(make_user(organiser=True)).post(address, {"reason": "No."})
    void = client_of(organiser).post(address, {"reason": "A broken host."})

    assert (bare.status_code, bare.json()["errors"][0]["pointer"]) == (400, "/reason")
    assert foreign.status_code == 403
    assert (void.status_code, void.json()["state"]) == (200, "pending")
    assert void.json()["id"] != first.pk
    events = client_of(organiser).get(f"{V1}/tournaments/{tournament.pk}/audit/").json()["results"]
    assert (events[0]["action"], events[0]["reason"]) == ("match.void", "A broken host.")
