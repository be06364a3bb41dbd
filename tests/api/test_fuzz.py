"""Requests made up from the OpenAPI document: none may break the server or its promises."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
import yaml
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.db.models import Model
from hypothesis import HealthCheck, Phase, given, settings
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.accounts.models import ApiToken, User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.friendlies.models import Friendly
from pentathlon.insight.datasets.models import Dataset
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.models import Event, Tournament
from pentathlon.tournaments.services import start_tournament
from pentathlon.webhooks.models import WebhookEndpoint
from pentathlon.wsgi import application
from tests.api.test_schema import COMMITTED
from tests.databases import rows_for_a_module
from tests.deep import mostly_deep
from tests.factories import make_staff, make_token
from tests.pentathlon.friendlies.acting import begun
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.tournaments.challenges.acting import challenged
from tests.pentathlon.web.scene import make_scene
from tests.pentathlon.webhooks.receiving import make_endpoint

# The document cannot say which options a game has, what is in an archive, which dates are past,
# who exists, who may meet whom, which terminal waits, which filters go with an order, what can
# happen in a game, or whether a tournament has begun.
OPEN_BODIES = {
    "GET /api/v1/games/{key}/explorer/",
    "GET /api/v1/matches/",
    "POST /api/v1/bots/",
    "POST /api/v1/versions/",
    "POST /api/v1/versions/batch/",
    "POST /api/v1/challenges/",
    "POST /api/v1/desk-records/",
    "POST /api/v1/friendlies/",
    "POST /api/v1/friendlies/{id}/act/",
    "POST /api/v1/device/token/",
    "POST /api/v1/teams/",
    "POST /api/v1/teams/{id}/invitations/",
    "POST /api/v1/tournaments/{id}/organisers/",
    "POST /api/v1/events/",
    "POST /api/v1/tournaments/",
    "POST /api/v1/tournaments/dry-run/",
    "POST /api/v1/tournaments/{id}/entries/",
    "POST /api/v1/tournaments/{id}/entries/{version}/replace/",
    "POST /api/v1/tournaments/{id}/handover/",
    "POST /api/v1/tournaments/{id}/handover/assign/",
    "POST /api/v1/tournaments/{id}/invitations/",
}
STREAMS = {
    "GET /api/v1/friendlies/{id}/events/",
    "GET /api/v1/matches/events/",
    "GET /api/v1/matches/{id}/events/",
    "GET /api/v1/tournaments/{id}/events/",
}
pytestmark = pytest.mark.django_db

_PATHS: dict[str, dict[str, Any]] = yaml.load(COMMITTED.read_bytes(), yaml.CSafeLoader)["paths"]
OPERATIONS = [f"{verb.upper()} {path}" for path, verbs in _PATHS.items() for verb in verbs]
MODELS: dict[str, type[Model]] = {
    "bots": Bot,
    "challenges": Challenge,
    "datasets": Dataset,
    "desk-records": DeskRecord,
    "matches": Match,
    "events": Event,
    "friendlies": Friendly,
    "replays": Match,
    "tokens": ApiToken,
    "tournaments": Tournament,
    "versions": BotVersion,
    "webhooks": WebhookEndpoint,
}
"""The models that the ids in addresses stand for."""
_NAME = re.compile("[^/]{1,150}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, by the headers that are sent."""

    headers: dict[str, str]
    own: tuple[str, ...] = ()
    """Texts that nobody else is shown: the person's address, and where the webhook goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Who asks, and what is there."""

    people: list[Asker]
    ids: dict[str, list[int]]
    names: list[str]


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Let requests see what the test has stored, as Django's own test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def platform(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Platform]:
    """Give an organiser, an author, staff and nobody at a played cup."""
    with rows_for_a_module(django_db_blocker):
        scene = make_scene()
        challenged(author=scene.author)
        entered = tuple(version.pk for version in scene.versions)
        hidden = arranged_cup(scene.organiser, versions=entered, rated=False, hides_results=True)
        start_tournament(actor=scene.organiser, tournament=hidden)
        staff = make_staff(superuser=True)
        begun(person=scene.author)
        known = (scene.organiser, scene.author, staff)
        yield Platform(
            people=[*map(_asker, known), Asker(headers={})],
            ids={name: _ids_of(model) for name, model in MODELS.items()},
            names=[person.username for person in known],
        )


def _asker(person: User) -> Asker:
    hook = f"https://ci.example.org/of-{person.pk}-alone"
    make_endpoint(person, url=hook)
    token = make_token(person)[1]
    return Asker(headers={"Authorization": f"Bearer {token}"}, own=(person.email, hook))


@pytest.fixture(scope="module")
def document() -> Any:  # Any: the package's own
    """Read the document with a package that takes a second: no other process imports it."""
    schema = import_module("schemathesis").openapi.from_path(COMMITTED)
    schema.app = application
    return schema


def _ids_of(model: type[Model]) -> list[int]:
    return list(model._default_manager.order_by("pk").values_list("pk", flat=True))


@pytest.mark.parametrize("label", mostly_deep(OPERATIONS, keep=OPERATIONS[::3]))
def test_made_up_requests_are_answered_as_documented_with_nothing_of_others(
    label: str,
    document: Any,  # Any: the package's own
    platform: Platform,
    pytestconfig: pytest.Config,
) -> None:
    turns = itertools.cycle(platform.people)
    for _ in range(OPERATIONS.index(label) % len(platform.people)):
        next(turns)
    left_out = ["positive_data_acceptance"] if label in OPEN_BODIES else []
    # The package would compare each event with the schema of the whole text.
    left_out += ["response_schema_conformance"] if label in STREAMS else []
    known = import_module("schemathesis.checks").CHECKS.get_all()
    checks = [check for check in known if check.__name__ not in left_out]
    assert len(checks) > 5

    @given(case=document.find_operation_by_label(label).as_strategy())
    @settings(
        max_examples=max(1, pytestconfig.getoption("requests") // len(OPERATIONS)),
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:  # Any: the package's own
        _put_existing_ids(case, platform)
        asker = next(turns)
        # The package's client for WSGI unpacks nothing; compression has tests of its own.
        answer = case.call_and_validate(
            checks=checks, headers={**asker.headers, "Accept-Encoding": "identity"}
        )
        others = (text for other in platform.people if other != asker for text in other.own)
        told = answer.text_lossy()
        assert not [text for text in others if text in told]

    ask()


def _put_existing_ids(case: Any, platform: Platform) -> None:  # Any: the package's own
    """Ask for a thing that exists, two times of three."""
    asked = case.path_parameters or {}
    kind = case.path.split("/")[3]
    place = "match" if kind == "replays" else "id"
    number, name = asked.get(place), asked.get("username")
    known = platform.ids.get(kind)
    if isinstance(number, int) and number % 3 and known:
        asked[place] = known[number % len(known)]
    if isinstance(name, str) and len(name) % 3 and _NAME.fullmatch(name):
        asked["username"] = platform.names[len(name) % len(platform.names)]
