"""A time that somebody sends says in which zone it is."""

from collections.abc import Iterator
from typing import Any

import pytest
from django_filters import rest_framework as filters
from rest_framework import serializers

import pentathlon.urls  # noqa: F401  loads all resources
from api.protocol.pagination import MomentFilter
from api.protocol.requests import MomentField, RequestSerializer
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user


def _descendants(base: Any) -> Iterator[Any]:  # Any: classes of a kind
    for each in base.__subclasses__():
        yield each
        yield from _descendants(each)


def test_every_time_in_a_body_asks_for_its_zone() -> None:
    times = [
        (f"{made.__name__}.{name}", field)
        for made in _descendants(RequestSerializer)
        if made.__module__.startswith("api.")
        for name, field in made().fields.items()
        if isinstance(field, serializers.DateTimeField) and not field.read_only
    ]

    assert len(times) > 10
    assert [name for name, field in times if not isinstance(field, MomentField)] == []


def test_every_time_in_a_query_asks_for_its_zone() -> None:
    times = [
        (f"{made.__name__}.{name}", each)
        for made in _descendants(filters.FilterSet)
        for name, each in made.base_filters.items()
        if isinstance(each, filters.IsoDateTimeFilter | filters.DateTimeFilter)
    ]

    assert times
    assert [name for name, each in times if not isinstance(each, MomentFilter)] == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize("path", ["tournaments", "matches", "bots", "datasets"])
def test_query_with_a_time_without_a_zone_is_refused(path: str, name: str) -> None:
    client = client_of(make_user())

    answers = {
        value: client.get(f"{V1}/{path}/", {name: value})
        for value in ("2026-11-23T12:00:00", "2026-11-23T12:00:00Z", "2026-11-23")
    }

    assert_problem(answers["2026-11-23T12:00:00"], status=400, code="zone_missing", attr=name)
    assert {each.status_code for each in answers.values()} == {200, 400}
