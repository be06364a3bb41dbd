"""Who gets which answer, address by address."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.insight.datasets.models import Dataset
from pentathlon.matches.models import MatchKind, MatchState
from pentathlon.tournaments.models import TournamentMatch, TournamentState
from tests.api.client import V1, assert_problem, client_of, upload
from tests.databases import rows_for_a_module
from tests.factories import make_match, make_tournament, make_upload, make_user, make_version
from tests.pentathlon.insight.datasets.making import closed_cup, make_all
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.challenges.acting import challenged
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db

STATES = {
    "tournament": TournamentState.OPEN,
    "running": TournamentState.RUNNING,
    "paused": TournamentState.PAUSED,
}
WHO = ("anonymous", "author", "other author", "organiser", "other organiser")
PUBLIC = (200,) * 5
OWNER_READS = (401, 200, 403, 403, 403)
HIDDEN = (404, 200, 404, 404, 404)

# Each row has a method, an address and the status for each of WHO.
MATRIX: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("get", "/games/", PUBLIC),
    ("get", "/games/tuned/", PUBLIC),
    ("get", "/bots/", PUBLIC),
    ("get", "/bots/{bot}/", PUBLIC),
    ("get", "/versions/", PUBLIC),
    ("get", "/versions/{version}/", PUBLIC),
    ("get", "/versions/{version}/archive/", OWNER_READS),
    ("get", "/versions/{version}/log/", OWNER_READS),
    ("post", "/versions/{version}/retire/", (401, 200, 403, 403, 403)),
    ("post", "/versions/{version}/activate/", (401, 409, 403, 403, 403)),
    ("post", "/versions/{version}/validate/", (401, 409, 403, 403, 403)),
    ("post", "/versions/{unchecked}/validate/", (401, 200, 403, 403, 403)),
    ("get", "/tournaments/", PUBLIC),
    ("get", "/tournaments/{tournament}/", PUBLIC),
    ("get", "/tournaments/{tournament}/entries/", PUBLIC),
    ("get", "/tournaments/{tournament}/progress/", PUBLIC),
    ("get", "/tournaments/{tournament}/standings/", PUBLIC),
    ("get", "/tournaments/{tournament}/crosstable/", PUBLIC),
    ("get", "/tournaments/{tournament}/seats/", PUBLIC),
    ("post", "/tournaments/", (401, 403, 403, 201, 201)),
    ("post", "/tournaments/{tournament}/start/", (401, 403, 403, 200, 403)),
    ("post", "/tournaments/{running}/pause/", (401, 403, 403, 200, 403)),
    ("post", "/tournaments/{paused}/resume/", (401, 403, 403, 200, 403)),
    ("post", "/tournaments/{tournament}/cancel/", (401, 403, 403, 200, 403)),
    ("post", "/tournaments/{tournament}/entries/", (401, 201, 403, 201, 403)),
    ("post", "/tournaments/{tournament}/entries/{version}/withdraw/", (401, 200, 403, 200, 403)),
    ("get", "/matches/", PUBLIC),
    ("get", "/matches/history/tuned.ndjson", PUBLIC),
    ("get", "/matches/{match}/", PUBLIC),
    ("get", "/matches/{match}/logs/", (401, 200, 404, 404, 404)),
    ("post", "/matches/{void}/requeue/", (401, 403, 403, 200, 403)),
    ("post", "/matches/{match}/requeue/", (401, 403, 403, 403, 403)),
    ("get", "/workers/", PUBLIC),
    ("get", "/matches/{match}/seats/0/log.txt", (401, 200, 404, 404, 404)),
    ("get", "/matches/{match}/seats/0/bundle.zip", (401, 200, 404, 404, 404)),
    ("get", "/matches/{match}/seats/1/log.txt", (401, 404, 404, 404, 404)),
    ("get", "/matches/{validation}/seats/1/bundle.zip", (401, 200, 404, 404, 404)),
    ("get", "/matches/{validation}/", HIDDEN),
    ("get", "/matches/{validation}/logs/", (401, 200, 404, 404, 404)),
    ("get", "/replays/{match}/", PUBLIC),
    ("get", "/replays/{match}/board.svg?ply=1", PUBLIC),
    ("get", "/replays/{validation}/", HIDDEN),
    ("get", "/replays/{validation}/board.svg", HIDDEN),
    ("get", "/leaderboards/", PUBLIC),
    ("get", "/leaderboards/tuned/", PUBLIC),
    ("get", "/datasets/", PUBLIC),
    ("get", "/datasets/{dataset}/", PUBLIC),
    ("get", "/datasets/{dataset}/SHA256SUMS", PUBLIC),
    ("get", "/datasets/{dataset}/decisions/1.ndjson", PUBLIC),
    ("get", "/datasets/{dataset}/matches/2.ndjson", (404,) * 5),
    ("get", "/datasets/{dataset}/matches/1.parquet", PUBLIC),
    ("get", "/challenges/", PUBLIC),
    ("get", "/challenges/{challenge}/", PUBLIC),
    ("get", "/challenges/quota/", (401, 200, 200, 200, 200)),
    ("get", "/quotas/", (401, 200, 200, 200, 200)),
    ("post", "/challenges/", (401, 201, 403, 403, 403)),
    ("post", "/challenges/{challenge}/cancel/", (401, 200, 403, 403, 403)),
    ("get", "/tokens/", (401, 401, 401, 401, 401)),
    ("get", "/webhooks/events/", PUBLIC),
    ("get", "/webhooks/", (401, 200, 200, 200, 200)),
    ("get", "/webhooks/{webhook}/", (401, 200, 404, 404, 404)),
    ("get", "/webhooks/{webhook}/deliveries/", (401, 200, 404, 404, 404)),
    ("post", "/webhooks/{webhook}/ping/", (401, 202, 404, 404, 404)),
    ("post", "/webhooks/{webhook}/rotate/", (401, 200, 404, 404, 404)),
    ("post", "/webhooks/{webhook}/deliveries/1/redeliver/", (401, 404, 404, 404, 404)),
    ("patch", "/webhooks/{webhook}/", (401, 200, 404, 404, 404)),
    ("delete", "/webhooks/{webhook}/", (401, 204, 404, 404, 404)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A client for each of `WHO`, and things of the author and the organiser."""

    clients: dict[str, APIClient]
    ids: dict[str, int]
    spare: int
    """A version of the author that has not entered."""


@pytest.fixture(scope="module")
def place(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Place]:
    with rows_for_a_module(django_db_blocker):
        yield _make_place()


def _make_place() -> Place:
    author, organiser = make_user(), make_user(organiser=True)
    people = (author, make_user(), organiser, make_user(organiser=True))
    version, spare = make_version(owner=author), make_version(owner=author)
    versions = [version, make_version()]
    own = {
        name: make_tournament(organiser, versions=versions, state=state).pk
        for name, state in STATES.items()
    }
    match = _played(make_match(versions))
    unchecked = make_version(owner=author, state=VersionState.UNCHECKED)
    validation = _played(make_match([version, version], kind=MatchKind.VALIDATION))
    void = make_match(versions, state=MatchState.VOID)
    TournamentMatch.objects.create(
        tournament_id=own["running"], match=void, round=1, block=1, index=1
    )
    return Place(
        clients={"anonymous": APIClient()}
        | {who: client_of(person) for who, person in zip(WHO[1:], people, strict=True)},
        ids={"bot": version.bot_id, "version": version.pk, "match": match}
        | {"validation": validation, "unchecked": unchecked.pk, "void": void.pk}
        | {"challenge": challenged(author=author).pk, "rival": versions[1].bot_id}
        | {"dataset": _dataset(versions)}
        | {"webhook": make_endpoint(author).pk}
        | own,
        spare=spare.pk,
    )


def _dataset(versions: list[BotVersion]) -> int:
    closed_cup(bots=2, versions=versions)
    make_all()
    return Dataset.objects.get().pk


@pytest.mark.parametrize(
    ("method", "address", "statuses"), MATRIX, ids=[f"{row[0]} {row[1]}" for row in MATRIX]
)
def test_everybody_gets_the_answer_of_the_matrix(
    method: str, address: str, statuses: tuple[int, ...], place: Place
) -> None:
    path = V1 + address.format(**place.ids)
    body = _body(method, address, place)

    answers = {who: _asked(client, method, path, body) for who, client in place.clients.items()}

    assert {who: answer.status_code for who, answer in answers.items()} == dict(
        zip(WHO, statuses, strict=True)
    )
    for answer in answers.values():
        is_problem = answer.headers.get("Content-Type") == "application/problem+json"
        assert is_problem is (answer.status_code >= 400)


@pytest.mark.parametrize("who", WHO)
def test_everybody_but_strangers_uploads_and_only_for_themselves(who: str, place: Place) -> None:
    client = place.clients[who]

    new = upload(client, "/bots/", make_upload())
    next_version = upload(client, "/versions/", make_upload("x"), bot=place.ids["bot"])

    assert new.status_code == (401 if who == "anonymous" else 201)
    # The author is only refused for the name in bot.toml, which is another bot's.
    expected = {"anonymous": 401, "author": 400}.get(who, 403)
    assert next_version.status_code == expected


@pytest.mark.parametrize(
    ("method", "address", "scope"),
    [
        ("get", "/versions/{version}/archive/", Scope.PRIVATE_READ),
        ("get", "/versions/{version}/log/", Scope.PRIVATE_READ),
        ("get", "/matches/{match}/logs/", Scope.PRIVATE_READ),
        ("get", "/matches/{match}/seats/0/log.txt", Scope.PRIVATE_READ),
        ("get", "/matches/{match}/seats/0/bundle.zip", Scope.PRIVATE_READ),
        ("post", "/versions/{version}/retire/", Scope.BOTS_WRITE),
        ("post", "/versions/{version}/validate/", Scope.BOTS_WRITE),
        ("post", "/bots/", Scope.BOTS_WRITE),
        ("post", "/versions/", Scope.BOTS_WRITE),
        ("post", "/challenges/", Scope.BOTS_WRITE),
        ("post", "/challenges/{challenge}/cancel/", Scope.BOTS_WRITE),
        ("get", "/webhooks/", Scope.WEBHOOKS_WRITE),
        ("get", "/webhooks/{webhook}/deliveries/", Scope.WEBHOOKS_WRITE),
        ("post", "/webhooks/", Scope.WEBHOOKS_WRITE),
        ("post", "/webhooks/{webhook}/rotate/", Scope.WEBHOOKS_WRITE),
        ("post", "/tournaments/", Scope.TOURNAMENTS_WRITE),
        ("post", "/tournaments/{tournament}/start/", Scope.TOURNAMENTS_WRITE),
        ("post", "/matches/{void}/requeue/", Scope.TOURNAMENTS_WRITE),
        ("post", "/tournaments/{tournament}/entries/", Scope.TOURNAMENTS_WRITE),
    ],
)
def test_token_without_the_scope_is_refused_by_name(
    method: str, address: str, scope: Scope, place: Place
) -> None:
    others = set(Scope) - {scope}
    client = client_of(make_user(organiser=True), scopes=list(others))

    answer = getattr(client, method)(V1 + address.format(**place.ids))

    assert_problem(answer, status=403, code="missing_scope")
    assert scope in answer.json()["detail"]


def test_reading_public_things_needs_no_scope(place: Place) -> None:
    client = client_of(make_user(), scopes=[])

    assert client.get(f"{V1}/matches/{place.ids['match']}/").status_code == 200


def _asked(client: APIClient, method: str, path: str, body: dict[str, Any]) -> Any:
    """Ask, and undo what it did, so that everybody asks in the same state."""
    with transaction.atomic():
        answer = getattr(client, method)(path, **body)
        transaction.set_rollback(True)
    return answer


def _body(method: str, address: str, place: Place) -> dict[str, Any]:
    if method != "post":
        return {}
    if address.endswith("/entries/"):
        return {"data": {"version": place.spare}}
    if address == "/challenges/":
        return {"data": {"version": place.spare, "bot": place.ids["rival"]}}
    return {"data": {"name": "Cup", "game": "tuned"} if address == "/tournaments/" else {}}


def _played(match: Any) -> int:
    job = claimed(match)
    submit(job, record_of(job))
    return int(match.pk)
