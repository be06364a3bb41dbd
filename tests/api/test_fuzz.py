"""Requests made up from the OpenAPI document: none may break the server or its promises."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pentathlon.wsgi import application
from tests.api.test_schema import COMMITTED
from tests.factories import make_match, make_token, make_tournament, make_user, make_version

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
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


@pytest.fixture
def headers(db: None) -> dict[str, str]:
    """Return the headers of somebody who may do much, with a thing of each kind about."""
    person = make_user(organiser=True)
    versions = [make_version(owner=person), make_version()]
    make_match(versions)
    make_tournament(person, versions=versions)
    return {"Authorization": f"Bearer {make_token(person)[1]}"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_made_up_requests_are_answered_as_documented(
    operation: Any,  # Any: the package's own
    headers: dict[str, str],
) -> None:
    @given(case=operation.as_strategy())
    @settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:  # Any: the package's own
        case.call_and_validate(checks=CHECKS, headers=headers)

    ask()
