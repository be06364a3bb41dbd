"""What the API tells about the matches of a tournament: schedule, faults, news, CSV."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling import secrecy
from pentathlon.tournaments.services import start_tournament
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user, make_version
from tests.pentathlon.friendlies.acting import begun, play_to_end
from tests.pentathlon.insight.datasets.making import closed_cup
from tests.pentathlon.tournaments.acting import open_cup, started
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.web.scene import play_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


def _hidden(organiser: User) -> Tournament:
    versions = tuple(make_version().pk for _ in range(3))
    cup = arranged_cup(organiser, versions=versions, rated=False, hides_results=True)
    return start_tournament(actor=organiser, tournament=cup)


def _get(client: APIClient, cup: Tournament, what: str, **query: Any) -> Any:
    return client.get(f"{V1}/tournaments/{cup.pk}/{what}", query)


def test_schedule_comes_in_its_order_with_what_matches_wait_for(anonymous: APIClient) -> None:
    cup = started(bots=3)
    play_all(cup, limit=1)

    first = _get(anonymous, cup, "schedule/", page_size=4).json()
    rest = anonymous.get(first["next"]).json()
    rows = first["results"] + rest["results"]

    assert [row["index"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rest["next"] is None
    assert (rows[0]["state"], rows[0]["waiting"]) == ("done", None)
    assert rows[1]["waiting"]["code"] == "no_worker"
    assert [seat["seat"] for seat in rows[0]["seats"]] == [0, 1]


def test_schedule_shows_one_round(anonymous: APIClient) -> None:
    cup = started(bots=4)

    second = _get(anonymous, cup, "schedule/", round=2).json()["results"]

    assert {row["round"] for row in second} == {2}
    assert _get(anonymous, cup, "schedule/", round=99).json()["results"] == []
    assert_problem(
        _get(anonymous, cup, "schedule/", round=0), status=400, code="min_value", attr="round"
    )


def test_schedule_with_hidden_results_is_for_who_may_see_them(
    organiser: User, anonymous: APIClient
) -> None:
    cup = _hidden(organiser)

    assert _get(anonymous, cup, "schedule/").json()["results"] == []
    assert len(_get(client_of(organiser), cup, "schedule/").json()["results"]) == 6


def test_faults_name_the_bot_and_the_match(anonymous: APIClient) -> None:
    cup = started(bots=2)
    play_all(cup, fault_in_first=True)

    (fault,) = _get(anonymous, cup, "faults/").json()["results"]

    assert fault["match"] == cup.tournament_matches.get(index=1).match_id
    assert fault["fault"]["kind"] == "cpu_time"


@pytest.mark.parametrize("what", ["faults/", "standings.csv", "results.csv"])
def test_hidden_results_are_refused(what: str, organiser: User, anonymous: APIClient) -> None:
    cup = _hidden(organiser)

    assert_problem(_get(anonymous, cup, what), status=409, code="results_hidden")
    assert _get(client_of(organiser), cup, what).status_code == 200


def test_tables_are_there_as_csv(anonymous: APIClient) -> None:
    cup = closed_cup(bots=2)

    standings, results = (_get(anonymous, cup, name) for name in ("standings.csv", "results.csv"))

    assert standings.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert standings.content.decode().splitlines()[0].startswith("place,group,bot")
    assert len(results.content.decode().splitlines()) == 1 + 2 * 2


def test_results_of_a_long_tournament_come_in_parts(
    anonymous: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = started(bots=3)
    monkeypatch.setattr(secrecy, "LARGEST_PART", 4)

    refused = _get(anonymous, cup, "results.csv")
    second = _get(anonymous, cup, "results.csv", part=2)

    assert_problem(refused, status=400, code="part_needed", attr="part")
    assert len(second.content.decode().splitlines()) == 1 + 2 * 2
    assert _get(anonymous, cup, "results.csv", part=9).status_code == 404
    assert _get(anonymous, cup, "results.csv", part="x").status_code == 400


def test_news_of_a_tournament_are_a_stream(anonymous: APIClient) -> None:
    running, closed = started(bots=2), closed_cup(bots=2)

    news = _get(anonymous, running, "events/")
    end = _get(anonymous, closed, "events/")

    assert news.headers["Content-Type"] == "text/event-stream"
    assert "Pentathlon-Stream" in news.headers
    assert "event: changed" in news.content.decode()
    assert "event: end" in end.content.decode()
    mark = news.content.decode().partition("id: ")[2].partition("\n")[0]
    path = f"{V1}/tournaments/{running.pk}/events/"
    again = anonymous.get(path, headers={"Last-Event-ID": mark})
    assert "event: changed" not in again.content.decode()


def test_news_of_a_draft_are_its_organisers(organiser: User, anonymous: APIClient) -> None:
    draft = open_cup(organiser, is_draft=True)

    assert _get(anonymous, draft, "events/").status_code == 404
    assert _get(client_of(organiser), draft, "events/").status_code == 200


def test_news_of_a_friendly_are_its_persons() -> None:
    person = make_user()
    going, ended = begun(person=person), play_to_end(begun(person=person))

    def follow(pk: int, who: User) -> Any:
        return client_of(who).get(f"{V1}/friendlies/{pk}/events/")

    assert "event: changed" in follow(going.pk, person).content.decode()
    assert "event: end" in follow(ended.pk, person).content.decode()
    assert follow(ended.pk, make_user()).status_code == 404
    assert APIClient().get(f"{V1}/friendlies/{ended.pk}/events/").status_code == 401
