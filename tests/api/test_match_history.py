"""All matches of a game in one answer: complete, each once, and resumable from any of them."""

import functools
import json
import operator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from api.matches import replays
from pentathlon.core.server.continuations import HEADER
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from tests.api.client import V1, assert_problem
from tests.factories import make_match, make_user

pytestmark = pytest.mark.django_db

_ADDRESS = f"{V1}/matches/history/tuned.ndjson"
_BEGUN = datetime(2026, 3, 1, tzinfo=UTC)


def ended(minute: int, **values: Any) -> Match:  # Any: columns
    match = make_match(state=MatchState.DONE)
    values = {"finished_at": _BEGUN + timedelta(minutes=minute), **values}
    Match.objects.filter(pk=match.pk).update(**values)
    return match


def ids_of(lines: bytes) -> list[int]:
    return [json.loads(line)["id"] for line in lines.splitlines()]


def read(client: Client, query: str = "") -> list[list[int]]:
    stretches = []
    while True:
        answer = client.get(f"{_ADDRESS}?{query}")
        stretches.append(ids_of(answer.content))
        query = answer.headers[HEADER]
        if not query:
            return stretches


def test_matches_come_by_their_ends_and_go_on_behind_any(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "STRETCH", 2)
    matches = [ended(minute) for minute in (5, 1, 3, 3, 3)]
    expected = [matches[at].pk for at in (1, 2, 3, 4, 0)]

    stretches = read(client)

    assert [len(each) for each in stretches] == [2, 2, 1]
    assert functools.reduce(operator.iadd, stretches, []) == expected
    for at, match in enumerate(expected, start=1):
        assert functools.reduce(operator.iadd, read(client, f"after={match}"), []) == expected[at:]


def test_a_line_is_what_the_list_says(client: Client) -> None:
    ended(1)

    (line,) = client.get(_ADDRESS).content.splitlines()

    (row,) = client.get(f"{V1}/matches/?game=tuned").json()["results"]
    assert json.loads(line) == row


def test_only_what_everybody_may_see_and_what_is_settled_is_there(client: Client) -> None:
    shown = ended(1)
    ended(2, game="azure")
    ended(3, kind=MatchKind.VALIDATION)
    ended(4, state=MatchState.VOID)
    hidden = ended(5, lane=77)
    HiddenLane.objects.create(lane=77, organiser=make_user(organiser=True))
    ended(6, finished_at=datetime.now(UTC))

    assert read(client) == [[shown.pk]]
    for match in (hidden.pk, 10**17):
        missing = client.get(f"{_ADDRESS}?after={match}")
        assert_problem(missing, status=404, code="not_found", attr="after")
    for cursor in ("soon", "", "1.1", "9" * 30):
        refused = client.get(f"{_ADDRESS}?after={cursor}")
        assert_problem(refused, status=400, code="bad_cursor", attr="after")
    assert client.get(f"{V1}/matches/history/chess.ndjson").status_code == 404
    assert client.get(f"{_ADDRESS}?game=tuned").status_code == 400
