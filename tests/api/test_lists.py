"""Lists are sorted and narrowed alike, and no page of them loses or repeats a row."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.db.models import Model
from rest_framework.test import APIClient

from api.protocol import pagination
from api.protocol.pagination import made_before, made_since
from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.friendlies.models import Friendly
from pentathlon.insight.datasets.models import Dataset
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.tournaments.challenges.models import Challenge, ChallengeState
from pentathlon.tournaments.models import Event, Tournament, TournamentState
from pentathlon.webhooks.models import Delivery
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.services import ping_endpoint
from tests.api.client import V1, assert_problem, client_of
from tests.factories import (
    make_bot,
    make_match,
    make_tournament,
    make_user,
    make_version,
    make_worker,
)
from tests.pentathlon.friendlies.acting import begun
from tests.pentathlon.insight.datasets.making import closed_cup, make_all
from tests.pentathlon.ratings.rankings.rated import rate
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db

FIRST_DAY = datetime(2026, 3, 1, tzinfo=UTC)
ROWS = 5


class Listed(NamedTuple):
    """A list: its address, its rows, and how a row of it is made for somebody."""

    address: str
    model: type[Model]
    make: Callable[[User], object]


@pytest.fixture(autouse=True)
def _halve_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for ids as in a long table, where few steps would leave all of a short one."""
    monkeypatch.setattr(pagination, "_NEAR", 0)


def _bot(person: User) -> Bot:
    return make_bot(owner=person)


def _version(person: User) -> BotVersion:
    return make_version(owner=person)


def _match(person: User) -> Match:
    versions = BotVersion.objects.all()[:2]
    return make_match([*versions] if len(versions) > 1 else ())


def _tournament(person: User) -> Tournament:
    return make_tournament(person)


def _event(person: User) -> Event:
    return Event.objects.create(owner=person, name="Week")


def _challenge(person: User) -> Challenge:
    own, other = make_version(owner=person), make_version()
    return Challenge.objects.create(
        author=person, game="tuned", version=own, opponent=other, blocks=1, planned=2
    )


def _friendly(person: User) -> Friendly:
    return begun(person=person)


def _desk_record(person: User) -> DeskRecord:
    return DeskRecord.objects.create(
        author=person,
        game="tuned",
        rules_version=1,
        plies=3,
        data=b"",
        bots=[],
        ranks=[],
        chain=f"{DeskRecord.objects.count():064}",
        outcome_reason="line",
        codec="none",
    )


def _delivery(person: User) -> None:
    endpoint = person.endpoints.first() or make_endpoint(person)
    ping_endpoint(actor=person, endpoint_id=endpoint.pk)
    spread_events()


LISTS = (
    Listed("/bots/", Bot, _bot),
    Listed("/versions/", BotVersion, _version),
    Listed("/matches/", Match, _match),
    Listed("/tournaments/", Tournament, _tournament),
    Listed("/events/", Event, _event),
    Listed("/challenges/", Challenge, _challenge),
    Listed("/friendlies/", Friendly, _friendly),
    Listed("/desk-records/", DeskRecord, _desk_record),
    Listed("/webhooks/{webhook}/deliveries/", Delivery, _delivery),
)


class Made(NamedTuple):
    """A list with five rows, one of each day, and who reads it."""

    client: APIClient
    path: str
    ids: list[int]
    """The ids in the order in which the rows were made."""


@pytest.fixture(params=LISTS, ids=[each.address for each in LISTS])
def made(request: pytest.FixtureRequest) -> Made:
    listed: Listed = request.param
    person = make_user(organiser=True)
    for _ in range(ROWS):
        listed.make(person)
    rows = listed.model._default_manager
    ids = sorted(rows.values_list("pk", flat=True))[-ROWS:]
    rows.exclude(pk__in=ids).update(created_at=FIRST_DAY - timedelta(days=1))
    for number, pk in enumerate(ids):
        rows.filter(pk=pk).update(created_at=FIRST_DAY + timedelta(days=number))
    endpoint = person.endpoints.first()
    path = V1 + listed.address.format(webhook=endpoint.pk if endpoint else 0)
    return Made(client_of(person), path, ids)


def pages(client: APIClient, path: str, **query: Any) -> Iterator[list[int]]:
    """Yield the ids of each page, from the first to the last."""
    answer = client.get(path, query)
    while True:
        assert answer.status_code == 200, answer.content
        body = answer.json()
        yield [row["id"] for row in body["results"]]
        if body["next"] is None:
            return
        answer = client.get(body["next"])


def ids_of(client: APIClient, path: str, **query: Any) -> list[int]:
    return [pk for page in pages(client, path, **query) for pk in page]


def day(number: int) -> str:
    return f"{FIRST_DAY + timedelta(days=number):%Y-%m-%d}"


def test_list_comes_in_an_order_in_pages_and_between_days(made: Made) -> None:
    first_day, up = {"since": day(0)}, {"ordering": "id"}

    in_pages = [*pages(made.client, made.path, **first_day, **up, page_size=2)]
    down = [*pages(made.client, made.path, **first_day, ordering="-id", page_size=2)]
    assert in_pages == [made.ids[:2], made.ids[2:4], made.ids[4:]]
    assert [pk for page in down for pk in page] == made.ids[::-1]
    assert ids_of(made.client, made.path, **first_day) == made.ids[::-1]

    # Spans hold their beginning and not their end.
    late = f"{day(3)}T00:00:01Z"
    assert ids_of(made.client, made.path, since=day(1), until=day(3), **up) == made.ids[1:3]
    assert ids_of(made.client, made.path, since=late, **up) == made.ids[4:]
    assert ids_of(made.client, made.path, **first_day, until=late, **up) == made.ids[:4]
    assert ids_of(made.client, made.path, until=day(-30), **up) == []
    assert ids_of(made.client, made.path, since=day(30), **up) == []

    for wrong in ("name", "", "id,-id", "-created_at"):
        answer = made.client.get(made.path, {"ordering": wrong})
        assert_problem(answer, status=400, code="bad_ordering", attr="ordering")
        assert answer.json()["errors"][0]["allowed"][:2] == ["-id", "id"], wrong


@pytest.mark.parametrize(
    "wrong", ["yesterday", "2026-02-31", "0001-01-01", "9999-12-31T23:59:59Z"]
)
def test_time_that_is_none_is_refused(wrong: str, anonymous: APIClient) -> None:
    for name in ("since", "until"):
        for path in ("/matches/", "/datasets/"):
            answer = anonymous.get(f"{V1}{path}", {name: wrong})
            assert answer.status_code == 400
            assert answer.json()["errors"][0]["attr"] == name


def test_rows_made_at_once_are_in_one_span_whatever_their_ids() -> None:
    ids = [make_bot().pk for _ in range(8)]
    # The rows alternate, as if two statements had stored them at the same time.
    for number, pk in enumerate(ids):
        at = FIRST_DAY + timedelta(seconds=30 * (number % 2))
        Bot.objects.filter(pk=pk).update(created_at=at)
    moment = FIRST_DAY + timedelta(seconds=10)

    assert [*made_since(Bot.objects.order_by("pk"), moment).values_list("pk", flat=True)] == [
        *ids[1::2]
    ]
    assert [*made_before(Bot.objects.order_by("pk"), moment).values_list("pk", flat=True)] == [
        *ids[::2]
    ]


def test_span_of_an_empty_table_is_empty() -> None:
    assert not made_since(Event.objects.all(), FIRST_DAY).exists()
    assert not made_before(Event.objects.all(), FIRST_DAY).exists()


def _ended(*minutes: int) -> list[int]:
    """Return matches that ended so many minutes after a moment."""
    versions = [make_version(), make_version()]
    found = []
    for each in minutes:
        match = make_match(versions, state=MatchState.DONE)
        Match.objects.filter(pk=match.pk).update(finished_at=FIRST_DAY + timedelta(minutes=each))
        found.append(match.pk)
    return found


def test_matches_come_in_the_order_of_their_ends(anonymous: APIClient) -> None:
    first, second, third, fourth = _ended(3, 1, 2, 1)
    make_match()
    asked = {"state": "done", "game": "tuned", "page_size": 1}

    down = ids_of(anonymous, f"{V1}/matches/", ordering="-finished_at", **asked)
    up = ids_of(anonymous, f"{V1}/matches/", ordering="finished_at", **asked)

    assert down == [first, third, fourth, second]
    assert up == down[::-1]


@pytest.mark.parametrize(
    "query",
    [{}, {"state": "void"}, {"state": "done", "bot": 1}, {"state": "done", "since": "2026-01-01"}],
)
def test_order_of_ends_is_for_what_has_ended(query: dict[str, Any], anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/matches/", {"ordering": "-finished_at", **query})

    assert_problem(answer, status=400, code="bad_ordering", attr="ordering")


def test_more_equal_keys_than_the_framework_allows_lose_nothing(anonymous: APIClient) -> None:
    now = datetime.now(tz=UTC)
    rows = [
        Match(
            game="tuned",
            kind=MatchKind.CHALLENGE,
            rules_version=1,
            seed=number,
            state=MatchState.DONE,
            finished_at=now,
        )
        for number in range(1201)
    ]
    Match.objects.bulk_create(rows)
    asked = {"state": "done", "ordering": "-finished_at", "page_size": 200}

    found = ids_of(anonymous, f"{V1}/matches/", **asked)

    assert (len(found), len(set(found))) == (1201, 1201)


class Narrowed(NamedTuple):
    """A query that keeps one of two rows."""

    path: str
    query: str
    make: Callable[[User], object]
    """Makes the row that is kept, and one that is not."""


def _two_events(person: User) -> None:
    kept = Event.objects.create(owner=person, name="Kept")
    make_tournament(person, event=kept)
    Event.objects.create(owner=make_user(), name="Other")


def _two_tournaments(person: User) -> None:
    kept = Event.objects.create(owner=person, name="Kept")
    make_tournament(person, event=kept)
    other = make_tournament(game="azure", state=TournamentState.CLOSED)
    Tournament.objects.filter(pk=other.pk).update(format="swiss")


def _two_challenges(person: User) -> None:
    _challenge(person)
    other = _challenge(make_user())
    Challenge.objects.filter(pk=other.pk).update(game="azure", state=ChallengeState.DONE)


def _two_records(person: User) -> None:
    _desk_record(person)
    other = _desk_record(make_user())
    DeskRecord.objects.filter(pk=other.pk).update(game="azure")


def _two_versions(person: User) -> None:
    make_version(owner=person, name="kept")
    other = make_version(games=("azure",), state=VersionState.REJECTED)
    BotVersion.objects.filter(pk=other.pk).update(is_candidate=True)


def _two_matches(person: User) -> None:
    make_match(state=MatchState.DONE)
    make_match(game="azure", kind=MatchKind.CHALLENGE)


NARROWED = (
    *(Narrowed("/events/", query, _two_events) for query in ("owner=KEEPER", "game=tuned")),
    *(
        Narrowed("/tournaments/", query, _two_tournaments)
        for query in ("owner=keeper", "game=tuned", "state=open", "format=round_robin", "event=E")
    ),
    *(
        Narrowed("/challenges/", query, _two_challenges)
        for query in ("author=keeper", "game=tuned", "state=running")
    ),
    *(
        Narrowed("/desk-records/", query, _two_records)
        for query in ("author=keeper", "game=tuned")
    ),
    *(
        Narrowed("/bots/", query, _two_versions)
        for query in ("owner=keeper", "game=tuned", "name=KEPT")
    ),
    *(
        Narrowed("/versions/", query, _two_versions)
        for query in ("owner=keeper", "game=tuned", "state=eligible", "candidate=false")
    ),
    *(
        Narrowed("/matches/", query, _two_matches)
        for query in ("game=tuned", "state=done", "kind=tournament")
    ),
)


@pytest.mark.parametrize(
    "narrowed", NARROWED, ids=[f"{each.path}?{each.query}" for each in NARROWED]
)
def test_filter_keeps_what_it_names(narrowed: Narrowed, anonymous: APIClient) -> None:
    narrowed.make(make_user("keeper", organiser=True))
    event = Event.objects.first()
    query = narrowed.query.replace("=E", f"={event.pk}" if event else "")

    everything = ids_of(anonymous, f"{V1}{narrowed.path}", ordering="id")
    found = ids_of(anonymous, f"{V1}{narrowed.path}?{query}")

    assert len(everything) == 2
    assert found == everything[:1]


def test_datasets_are_narrowed_by_when_they_became_whole(anonymous: APIClient) -> None:
    closed_cup(bots=2)
    make_all()
    made = Dataset.objects.get()
    Dataset.objects.update(made_at=FIRST_DAY)

    assert ids_of(anonymous, f"{V1}/datasets/", since=day(0), until=day(1)) == [made.pk]
    assert ids_of(anonymous, f"{V1}/datasets/", since=day(1)) == []
    assert ids_of(anonymous, f"{V1}/datasets/", until=day(0)) == []


def test_deliveries_are_narrowed_by_state_and_event() -> None:
    person = make_user()
    _delivery(person)
    endpoint = person.endpoints.get()
    client, path = client_of(person), f"{V1}/webhooks/{endpoint.pk}/deliveries/"
    (one,) = ids_of(client, path)

    assert ids_of(client, path, state="waiting", event="webhook.ping") == [one]
    assert ids_of(client, path, state="delivered") == []
    assert ids_of(client, path, event="version.stopped") == []
    assert client.get(path, {"state": "lost"}).status_code == 400


def test_workers_are_narrowed_by_game_and_sandbox(anonymous: APIClient) -> None:
    make_worker(version="full")
    make_worker(version="small", games={"azure": 1}, sandbox="landlock")

    def found(**query: str) -> list[str]:
        answer = anonymous.get(f"{V1}/workers/", query)
        return [row["version"] for row in answer.json()["results"]]

    assert found(game="tuned") == ["full"]
    assert found(sandbox="landlock") == ["small"]
    assert len(found(game="azure")) == 2


def test_leaderboard_is_narrowed_and_keeps_its_ranks(anonymous: APIClient) -> None:
    author = make_user("ada")
    rate(make_version(), mu=40)
    rate(make_version(owner=author), mu=30)
    rate(make_version(), mu=20)
    path = f"{V1}/leaderboards/tuned/"

    (row,) = anonymous.get(path, {"owner": "ADA"}).json()["results"]

    assert (row["rank"], row["version"]["bot"]["owner"]["username"]) == (2, "ada")
    assert anonymous.get(path, {"language": "rust"}).json()["results"] == []
    assert len(anonymous.get(path, {"references": "no"}).json()["results"]) == 3
    refused = anonymous.get(path, {"references": "maybe"})
    assert_problem(refused, status=400, code="bad_references", attr="references")


@pytest.mark.parametrize("asked", [{}, {"game": "tuned"}], ids=str)
@pytest.mark.parametrize("order", [("-finished_at", "-id"), ("finished_at", "id")])
def test_order_of_ends_is_that_of_an_index(asked: dict[str, str], order: tuple[str, str]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Otherwise small tables are read as a whole, and few rows are sorted.
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")

    ended = Match.objects.filter(state=MatchState.DONE, **asked)
    plan = ended.order_by(*order)[:50].explain()

    assert "matches_latest" in plan, plan
    assert "Sort" not in plan, plan
    assert "TEMP B-TREE" not in plan, plan


def test_span_reads_the_primary_key_alone() -> None:
    for _ in range(3):
        make_match()
    rows = made_before(made_since(Match.objects.all(), FIRST_DAY), FIRST_DAY)

    plan = str(rows.order_by("-pk")[:50].query)

    assert '"id" >=' in plan
    assert '"id" <' in plan
