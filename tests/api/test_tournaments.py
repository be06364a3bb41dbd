from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.services import start_tournament
from tests.api.client import V1, assert_problem, client_of
from tests.factories import SECRET, make_tournament, make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, settle

pytestmark = pytest.mark.django_db


def document(versions: list[int], **changes: Any) -> dict[str, Any]:
    return {
        "name": "Cup",
        "game": "tuned",
        "format": "round_robin",
        "versions": versions,
    } | changes


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version() for _ in range(3)]


@pytest.fixture
def running(organiser: User, versions: list[BotVersion]) -> Tournament:
    tournament = make_tournament(organiser, versions=versions)
    return start_tournament(actor=organiser, tournament=tournament)


def test_organiser_makes_and_starts_a_double_round_robin(
    organiser: User, versions: list[BotVersion]
) -> None:
    client = client_of(organiser)

    made = client.post(f"{V1}/tournaments/", document([v.pk for v in versions]))
    started = client.post(f"{V1}/tournaments/{made.json()['id']}/start/")

    assert made.status_code == 201
    assert (made.json()["state"], made.json()["bots"]) == ("open", 3)
    assert started.status_code == 200
    assert (started.json()["state"], started.json()["matches"]) == ("running", 6)
    assert Match.objects.count() == 6


@pytest.mark.parametrize(
    ("changes", "code", "attr"),
    [
        ({"name": ""}, "blank", "name"),
        ({"name": "x" * 81}, "max_length", "name"),
        ({"game": "chess"}, "unknown_game", "game"),
        ({"game": None}, "null", "game"),
        ({"format": "lottery"}, "unknown_format", "format"),
        ({"versions": "all"}, "not_a_list", "versions"),
        ({"versions": ["x"]}, "invalid", "versions.0"),
        ({"versions": [0]}, "min_value", "versions.0"),
        ({"versions": [10**17]}, "unknown_bots", "versions.0"),
        ({"versions": list(range(1, 1002))}, "max_length", "versions"),
        ({"cycles": 0}, "min_value", "cycles"),
        ({"cycles": 101}, "bad_parameter", "params.cycles"),
        ({"seed": 7}, "unknown_field", "seed"),
        ({"seed": 7, "rated": False}, "unknown_field", "seed"),
        ({"secret": SECRET}, "rated_replay", "secret"),
        ({"secret": "0x7", "rated": False}, "invalid", "secret"),
        ({"draw_probability": 0.2}, "rated_replay", "draw_probability"),
        ({"entries_per_author": 0}, "min_value", "entries_per_author"),
        ({"table_seats": 3}, "bad_seats", "table_seats"),
        ({"options": {"board": "big"}}, "bad_option", "options.board"),
        ({"options": ["x"]}, "not_a_dict", "options"),
        ({"limits": {"memory_mb": 10**9}}, "bad_limit", "limits.memory_mb"),
        ({"limits": {"memory_mb": "much"}}, "bad_limit", "limits.memory_mb"),
        ({"limits": {"wishes": 3}}, "unknown_limit", "limits.wishes"),
        ({"rated": "perhaps"}, "invalid", "rated"),
    ],
)
def test_bad_document_names_field_and_reason(
    changes: dict[str, Any], code: str, attr: str, organiser: User
) -> None:
    answer = client_of(organiser).post(f"{V1}/tournaments/", document([]) | changes)

    assert_problem(answer, status=400, code=code, attr=attr)
    assert not Tournament.objects.exists()


def test_ineligible_bots_are_named(organiser: User) -> None:
    version = make_version(name="Tiger", state=VersionState.REJECTED)

    answer = client_of(organiser).post(f"{V1}/tournaments/", document([version.pk]))

    assert_problem(answer, status=400, code="ineligible_bots", attr="versions.0")
    assert "Tiger v1" in answer.json()["detail"]
    assert not Tournament.objects.exists()


def test_too_few_bots_cannot_start(organiser: User) -> None:
    tournament = make_tournament(organiser, versions=[make_version()])

    answer = client_of(organiser).post(f"{V1}/tournaments/{tournament.pk}/start/")

    assert_problem(answer, status=409, code="too_few_bots", attr="entries")
    assert not Match.objects.exists()


@pytest.mark.parametrize("changes", [{}, {"game": "chess", "wishes": 3}])
@pytest.mark.parametrize("address", ["tournaments/", "tournaments/dry-run/", "events/"])
def test_who_is_no_organiser_makes_none_whatever_they_send(
    address: str, changes: dict[str, Any]
) -> None:
    answer = client_of(make_user()).post(f"{V1}/{address}", document([]) | changes)

    assert_problem(answer, status=403, code="not_an_organiser")


@pytest.mark.parametrize(
    "step",
    [
        "void",
        "rerun",
        "invitations",
        "entries/{version}/disqualify",
        "entries/{version}/reinstate",
        "entries/{version}/replace",
    ],
)
def test_who_does_not_organise_it_hears_so_before_their_fields_are_read(
    step: str, running: Tournament, versions: list[BotVersion]
) -> None:
    address = f"{V1}/tournaments/{running.pk}/{step.format(version=versions[0].pk)}/"

    answer = client_of(make_user()).post(address, {"wishes": 3})

    assert_problem(answer, status=403, code="not_your_tournament")


def test_who_edits_the_tournament_of_another_hears_so_before_their_fields_are_read(
    organiser: User,
) -> None:
    address = f"{V1}/tournaments/{make_tournament(organiser).pk}/draft/"

    answer = client_of(make_user(organiser=True)).patch(address, {"wishes": 3})

    assert_problem(answer, status=403, code="not_your_tournament")


def test_who_does_not_own_a_bot_hears_so_before_the_fields_of_its_replacement_are_read(
    organiser: User, versions: list[BotVersion]
) -> None:
    cup = make_tournament(organiser, versions=versions)
    address = f"{V1}/tournaments/{cup.pk}/entries/{versions[0].pk}/replace/"

    answer = client_of(make_user()).post(address, {"wishes": 3})

    assert_problem(answer, status=403, code="not_your_bot")


@pytest.mark.parametrize(("game", "codes"), [("tuned", ["repeated_matches"]), ("azure", [])])
def test_new_tournament_warns_of_matches_that_repeat(
    game: str, codes: list[str], organiser: User
) -> None:
    body = document([]) | {"game": game, "cycles": 2}

    made = client_of(organiser).post(f"{V1}/tournaments/", body).json()

    assert [warning["code"] for warning in made["warnings"]] == codes


def test_tournament_goes_through_its_states(running: Tournament, organiser: User) -> None:
    client = client_of(organiser)
    steps = (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled"))

    states = [
        client.post(f"{V1}/tournaments/{running.pk}/{step}/").json()["state"] for step, _ in steps
    ]

    assert states == [state for _, state in steps]
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.VOID}


@pytest.mark.parametrize("step", ["start", "resume"])
def test_wrong_state_is_a_conflict(step: str, running: Tournament, organiser: User) -> None:
    answer = client_of(organiser).post(f"{V1}/tournaments/{running.pk}/{step}/")

    assert_problem(answer, status=409, code="wrong_state")
    allowed = answer.json()["errors"][0]["allowed"]
    assert allowed
    assert "running" not in allowed


def test_author_enters_and_withdraws_their_bot() -> None:
    tournament, version = make_tournament(), make_version()
    client = client_of(version.bot.owner)
    entries = f"{V1}/tournaments/{tournament.pk}/entries/"

    entered = client.post(entries, {"version": version.pk})
    listed = client.get(entries)
    withdrawn = client.post(f"{entries}{version.pk}/withdraw/")

    assert entered.status_code == 201
    assert [row["version"]["id"] for row in listed.json()["results"]] == [version.pk]
    assert withdrawn.status_code == 200
    assert not tournament.entries.exists()


@pytest.mark.parametrize(
    ("body", "code"),
    [({}, "required"), ({"version": "x"}, "invalid"), ({"version": 0}, "min_value")],
)
def test_bad_entry_names_the_field(body: dict[str, Any], code: str) -> None:
    tournament = make_tournament()

    answer = client_of(make_user()).post(f"{V1}/tournaments/{tournament.pk}/entries/", body)

    assert_problem(answer, status=400, code=code, attr="version")


def test_entering_twice_is_a_conflict() -> None:
    version = make_version()
    tournament = make_tournament(versions=[version])

    answer = client_of(version.bot.owner).post(
        f"{V1}/tournaments/{tournament.pk}/entries/", {"version": version.pk}
    )

    assert_problem(answer, status=409, code="already_entered", attr="version")


def test_tables_of_a_tournament_show_results(running: Tournament, anonymous: APIClient) -> None:
    settle(matches_of(running)[:1], rank=lambda seat, _: seat.seat)
    settle_blocks()
    base = f"{V1}/tournaments/{running.pk}"

    standings = anonymous.get(f"{base}/standings/").json()["results"]
    cells = [row["cells"] for row in anonymous.get(f"{base}/crosstable/").json()["results"]]
    seats = anonymous.get(f"{base}/seats/").json()["results"]
    progress = anonymous.get(f"{base}/progress/").json()

    assert sorted(row["points"] for row in standings) == [0, 0, 1]
    assert all(row["fold"] is None and row["provisional"] for row in standings)
    assert [row[index] for index, row in enumerate(cells)] == [None] * 3
    assert [seat["share"] for seat in seats] == [1, 0]
    assert (progress["done"], progress["total"], progress["remaining_s"]) == (1, 6, None)
    assert (progress["fewest"], progress["most"]) == (None, None)


@pytest.mark.parametrize(
    ("query", "found"),
    [("game=tuned", True), ("state=open", True), ("state=closed", False), ("owner=nobody", False)],
)
def test_tournaments_are_narrowed_down(query: str, found: bool, anonymous: APIClient) -> None:
    make_tournament()

    answer = anonymous.get(f"{V1}/tournaments/?{query}")

    assert bool(answer.json()["results"]) is found


@pytest.mark.parametrize("rows", [3, 30])
def test_list_takes_two_queries_for_any_length(
    rows: int, anonymous: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    owner = make_user()
    for _ in range(rows):
        make_tournament(owner, state=TournamentState.OPEN)

    with django_assert_num_queries(2):
        answer = anonymous.get(f"{V1}/tournaments/")

    assert len(answer.json()["results"]) == rows


@pytest.mark.parametrize("bots", [3, 12])
def test_tables_take_as_many_queries_for_any_length(bots: int) -> None:
    owner = make_user(organiser=True)
    tournament = make_tournament(owner, versions=[make_version() for _ in range(bots)])
    start_tournament(actor=owner, tournament=tournament)

    asked = {}
    for table in ("entries", "standings", "crosstable", "seats", "progress"):
        with CaptureQueriesContext(connection) as queries:
            answer = APIClient().get(f"{V1}/tournaments/{tournament.pk}/{table}/")
        asked[table] = len(queries)
        assert answer.status_code == 200

    assert asked == {"entries": 3, "standings": 15, "crosstable": 15, "seats": 9, "progress": 5}


def test_author_withdraws_from_a_running_tournament(
    running: Tournament, versions: list[BotVersion], anonymous: APIClient
) -> None:
    author = client_of(versions[0].bot.owner)

    answer = author.post(f"{V1}/tournaments/{running.pk}/entries/{versions[0].pk}/withdraw/")

    assert answer.status_code == 200
    assert Match.objects.filter(state=MatchState.VOID).count() == 4
    (left,) = [
        entry
        for entry in anonymous.get(f"{V1}/tournaments/{running.pk}/entries/").json()["results"]
        if entry["state"] != "active"
    ]
    assert (left["version"]["id"], left["state"]) == (versions[0].pk, "withdrawn")
    assert (left["number"], left["reason"]) == (0, "Withdrawn by its author.")
    assert left["left_at"]


def test_organiser_disqualifies_and_the_table_says_so(
    organiser: User, running: Tournament, versions: list[BotVersion], anonymous: APIClient
) -> None:
    wanted = {"reason": "Two bots of one hand.", "revoke": True}

    answer = client_of(organiser).post(
        f"{V1}/tournaments/{running.pk}/entries/{versions[0].pk}/disqualify/", wanted
    )

    assert answer.status_code == 200
    assert (answer.json()["state"], answer.json()["revokes_results"]) == ("disqualified", True)
    rows = anonymous.get(f"{V1}/tournaments/{running.pk}/standings/").json()["results"]
    assert [(row["place"], row["state"]) for row in rows] == [
        (1, "active"),
        (1, "active"),  # neither has a point so far
        (None, "disqualified"),
    ]
    assert rows[-1]["reason"] == "Two bots of one hand."
    again = client_of(organiser).post(
        f"{V1}/tournaments/{running.pk}/entries/{versions[0].pk}/disqualify/", wanted
    )
    assert_problem(again, status=409, code="not_in_play")


def test_author_may_not_disqualify(running: Tournament, versions: list[BotVersion]) -> None:
    wanted = {"reason": "I lose to it."}

    answer = client_of(versions[0].bot.owner).post(
        f"{V1}/tournaments/{running.pk}/entries/{versions[1].pk}/disqualify/", wanted
    )

    assert_problem(answer, status=403, code="not_your_tournament")


@pytest.mark.parametrize("reason", ["", "two\nlines", "x" * 201])
def test_disqualification_needs_a_line_that_says_why(
    organiser: User, running: Tournament, versions: list[BotVersion], reason: str
) -> None:
    wanted = {"reason": reason}

    answer = client_of(organiser).post(
        f"{V1}/tournaments/{running.pk}/entries/{versions[0].pk}/disqualify/", wanted
    )

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["attr"] == "reason"
