import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.matches.services import fail_attempt
from pentathlon.tournaments.models import TournamentMatch, TournamentState
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_match, make_tournament, make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


def played(match: Match, *, logs: tuple[str, str] = ("first", "second")) -> Match:
    job = claimed(match)
    return submit(job, record_of(job), logs=logs)


def test_match_shows_seats_ranks_and_times(anonymous: APIClient) -> None:
    match = played(make_match())

    body = anonymous.get(f"{V1}/matches/{match.pk}/").json()

    assert (body["state"], body["game"], body["chain"]) == ("done", "tuned", match.chain)
    assert sorted(seat["rank"] for seat in body["seats"]) == [0, 1]
    assert [seat["cpu_ms"] for seat in body["seats"]] == [50, 50]
    assert body["seats"][0]["fault"] is None


def test_fault_is_told_with_its_detail(anonymous: APIClient) -> None:
    job = claimed(make_match())
    match = submit(job, record_of(job, fault_at=0))

    seats = anonymous.get(f"{V1}/matches/{match.pk}/").json()["seats"]

    assert seats[0]["fault"] == {
        "kind": "cpu_time",
        "ply": 0,
        "detail": "used 1.2 s of CPU time",
    }


def test_match_of_a_tournament_names_it(anonymous: APIClient) -> None:
    match, tournament = make_match(), make_tournament()
    TournamentMatch.objects.create(tournament=tournament, match=match, round=1, block=1, index=1)

    assert anonymous.get(f"{V1}/matches/{match.pk}/").json()["tournament"] == tournament.pk


def test_waiting_match_says_why(anonymous: APIClient) -> None:
    match = make_match()

    body = anonymous.get(f"{V1}/matches/{match.pk}/").json()

    assert body["waiting"] == {
        "code": "no_worker",
        "sentence": "No worker is alive.",
        "before": None,
    }
    assert body["attempts"] == []


def test_attempts_are_told_one_by_one(anonymous: APIClient) -> None:
    match = make_match()
    job = claimed(match)
    fail_attempt(match_id=match.pk, token=job.token, reason="no bwrap")
    played(match)

    body = anonymous.get(f"{V1}/matches/{match.pk}/").json()

    assert body["waiting"] is None
    tries = [(each["number"], each["state"], each["reason"]) for each in body["attempts"]]
    assert tries == [(1, "failed", "no bwrap"), (2, "accepted", "")]


def test_void_match_is_requeued_by_its_organiser() -> None:
    match = make_match(state=MatchState.VOID, state_reason="three hosts failed")
    tournament = make_tournament(state=TournamentState.RUNNING)
    TournamentMatch.objects.create(tournament=tournament, match=match, round=1, block=1, index=1)
    path = f"{V1}/matches/{match.pk}/requeue/"

    first = client_of(tournament.owner).post(path)
    second = client_of(tournament.owner).post(path)

    assert (first.status_code, first.json()["state"]) == (200, "pending")
    assert_problem(second, status=409, code="not_void")


def test_validation_of_others_is_hidden(anonymous: APIClient) -> None:
    version = make_version()
    match = make_match([version, version], kind=MatchKind.VALIDATION)
    path = f"{V1}/matches/{match.pk}/"

    assert_problem(anonymous.get(path), status=404, code="not_found")
    assert_problem(client_of(make_user()).get(path), status=404, code="not_found")
    assert client_of(version.bot.owner).get(path).status_code == 200
    assert anonymous.get(f"{V1}/matches/").json()["results"] == []


def test_logs_show_own_seats_only() -> None:
    match = played(make_match())
    owner = MatchSeat.objects.get(match=match, seat=1).version.bot.owner

    answer = client_of(owner).get(f"{V1}/matches/{match.pk}/logs/")

    assert [(each["seat"], each["text"], each["notes"]) for each in answer.json()] == [
        (1, "second", [])
    ]


def test_logs_of_a_match_without_own_bots_are_not_found() -> None:
    match = played(make_match())

    answer = client_of(make_user()).get(f"{V1}/matches/{match.pk}/logs/")

    assert_problem(answer, status=404, code="not_found")


def test_matches_are_narrowed_down(anonymous: APIClient) -> None:
    tournament = make_tournament()
    match = make_match(state=MatchState.DONE, lane=tournament.pk)
    make_match()
    version = MatchSeat.objects.get(match=match, seat=0).version
    TournamentMatch.objects.create(tournament=tournament, match=match, round=1, block=1, index=1)

    for query in (
        "state=done&game=tuned",
        f"bot={version.bot_id}",
        f"version={version.pk}",
        f"tournament={tournament.pk}",
        f"kind=tournament&version={version.pk}",
    ):
        answer = anonymous.get(f"{V1}/matches/?{query}")
        assert [row["id"] for row in answer.json()["results"]] == [match.pk], query


@pytest.mark.parametrize(
    ("query", "attr"),
    [
        ("state=lost", "state"),
        ("game=chess", "game"),
        ("bot=tiger", "bot"),
        ("bot=0", "bot"),
        ("bot=1.5", "bot"),
        (f"version={10**30}", "version"),
        ("tournament=-1", "tournament"),
    ],
)
def test_unusable_filter_is_named(query: str, attr: str, anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/matches/?{query}")

    assert answer.status_code == 400
    assert [error["attr"] for error in answer.json()["errors"]] == [attr]


@pytest.mark.parametrize("rows", [3, 30])
def test_list_takes_two_queries_for_any_length(
    rows: int, anonymous: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    versions = [make_version(), make_version()]
    for _ in range(rows):
        make_match(versions)

    with django_assert_num_queries(2):
        answer = anonymous.get(f"{V1}/matches/")

    assert len(answer.json()["results"]) == rows
