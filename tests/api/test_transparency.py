"""The log of receipts by API: what clients need to check it without trusting the site."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from pentathlon.matches.transparency.services import checkpoint_at, log_key, publish_root
from pentathlon_engines.transparency.merkle import is_consistent, is_included, leaf_hash
from pentathlon_engines.transparency.notes import Checkpoint, LogKey, read_note
from tests.factories import make_match
from tests.pentathlon.matches.transparency.logging_matches import log_matches, play_matches

pytestmark = pytest.mark.django_db

LOG = "/api/v1/log/"
DAY = datetime(2026, 5, 1, tzinfo=UTC)


def test_log_can_be_checked_by_its_answers_alone(client: Client) -> None:
    match = log_matches(3)[1]
    old = client.get(LOG).json()
    log_matches(2)

    key = LogKey.from_text(old["keys"][0])
    before = Checkpoint.from_text(read_note(old["checkpoint"], key=key))
    proof = client.get(f"/api/v1/matches/{match.pk}/inclusion/").json()
    now = Checkpoint.from_text(read_note(proof["checkpoint"], key=key))
    sizes = {"first": before.size, "second": now.size}
    growth = client.get(f"{LOG}consistency/", sizes).json()

    assert sizes == {"first": 3, "second": 5}
    leaf = leaf_hash(read_note(proof["note"], key=key).encode())
    path = [bytes.fromhex(each) for each in proof["path"]]
    assert is_included(leaf, index=proof["index"], size=now.size, path=path, root=now.root)
    path = [bytes.fromhex(each) for each in growth["path"]]
    assert is_consistent(**sizes, roots=(before.root, now.root), path=path)


def test_roots_of_days_come_latest_first(client: Client) -> None:
    log_matches(1)
    publish_root(DAY)
    log_matches(1)
    publish_root(DAY + timedelta(days=1))

    first, second = client.get(f"{LOG}roots/").json()["results"]

    assert first == {"day": "2026-05-02", "size": 2, "checkpoint": checkpoint_at(2)}
    assert (second["day"], second["size"]) == ("2026-05-01", 1)


def test_entry_is_a_signed_receipt(client: Client) -> None:
    (match,) = log_matches(1)

    entry = client.get(f"{LOG}0/receipt/").json()

    assert (entry["index"], entry["match"]) == (0, match.pk)
    assert match.chain in read_note(entry["note"], key=log_key())
    assert client.get(f"{LOG}1/receipt/").status_code == 404


@pytest.mark.parametrize("query", ["", "first=1", "first=x&second=2", "first=0&second=2"])
def test_sizes_that_are_none_are_named(client: Client, query: str) -> None:
    answer = client.get(f"{LOG}consistency/?{query}")

    assert answer.status_code == 400
    assert {error["pointer"] for error in answer.json()["errors"]} <= {"/first", "/second"}


def test_sizes_may_come_in_either_order(client: Client) -> None:
    log_matches(3)

    answers = [
        client.get(f"{LOG}consistency/?{query}").json()
        for query in ("first=3&second=2", "first=2&second=3")
    ]

    assert answers[0] == answers[1]
    assert (answers[0]["first"], answers[0]["second"]) == (2, 3)


def test_sizes_that_the_log_does_not_have(client: Client) -> None:
    (match,) = log_matches(1)

    for path in (
        f"{LOG}consistency/?first=1&second=2",
        f"/api/v1/matches/{match.pk}/inclusion/?size=2",
    ):
        answer = client.get(path)

        assert (answer.status_code, answer.json()["code"]) == (404, "no_such_size")


def test_match_that_is_not_logged_yet(client: Client) -> None:
    (played,) = play_matches(1)

    for match in (played, make_match()):
        answer = client.get(f"/api/v1/matches/{match.pk}/inclusion/")

        assert (answer.status_code, answer.json()["code"]) == (404, "not_logged")
