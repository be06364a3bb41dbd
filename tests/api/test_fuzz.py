"""Requests made up from the OpenAPI document: none may break the server or its promises."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from pytest_django.plugin import DjangoDbBlocker
from schemathesis.checks import CHECKS

from pentathlon.accounts.models import User
from pentathlon.wsgi import application
from tests.api.test_schema import COMMITTED
from tests.databases import rows_for_a_module
from tests.factories import make_token, make_user
from tests.pentathlon.web.scene import make_scene

# Which options a game has, what stands in an archive, which dates are over, who exists, who may
# meet whom and which terminal waits is beyond the document.
OPEN_BODIES = {
    "POST /api/v1/bots/",
    "POST /api/v1/versions/",
    "POST /api/v1/challenges/",
    "POST /api/v1/device/token/",
    "POST /api/v1/events/",
    "POST /api/v1/tournaments/",
    "POST /api/v1/tournaments/dry-run/",
    "POST /api/v1/tournaments/{id}/entries/",
    "POST /api/v1/tournaments/{id}/invitations/",
}
pytestmark = pytest.mark.django_db

People = list[dict[str, str]]

SCHEMA: Any = schemathesis.openapi.from_path(COMMITTED)  # Any: the package's own
SCHEMA.app = application
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]


@pytest.fixture(autouse=True)
def _one_connection() -> Iterator[None]:
    """Let requests see what the test has stored, as Django's own test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def people(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[People]:
    """Give the headers of an organiser, an author, staff and nobody at a played cup."""
    with rows_for_a_module(django_db_blocker):
        scene = make_scene()
        staff = make_user()
        User.objects.filter(pk=staff.pk).update(is_staff=True, is_superuser=True)
        known = (scene.organiser, scene.author, staff)
        yield [*({"Authorization": f"Bearer {make_token(one)[1]}"} for one in known), {}]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_made_up_requests_are_answered_as_documented(
    operation: Any,  # Any: the package's own
    people: People,
    pytestconfig: pytest.Config,
) -> None:
    turns = itertools.cycle(people)
    left_out = ["positive_data_acceptance"] if operation.label in OPEN_BODIES else []
    checks = [check for check in CHECKS.get_all() if check.__name__ not in left_out]

    @given(case=operation.as_strategy())
    @settings(
        max_examples=max(12, pytestconfig.getoption("requests") // len(OPERATIONS)),
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:  # Any: the package's own
        _put_existing_ids(case)
        # The package's client for WSGI unpacks nothing; compression has tests of its own.
        case.call_and_validate(
            checks=checks, headers={**next(turns), "Accept-Encoding": "identity"}
        )

    ask()


def _put_existing_ids(case: Any) -> None:  # Any: the package's own
    """Ask for a thing that exists, two times of three: small ids do."""
    number = (case.path_parameters or {}).get("id")
    if isinstance(number, int) and number % 3:
        case.path_parameters["id"] = number % 9
