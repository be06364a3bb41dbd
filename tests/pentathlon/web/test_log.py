"""The page and the feed of the log, and where matches lead to it."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from pentathlon.matches.transparency.services import checkpoint_at, log_key, publish_root
from tests.pentathlon.matches.transparency.logging_matches import log_matches, play_matches

pytestmark = pytest.mark.django_db


def test_page_before_the_first_result(client: Client) -> None:
    page = client.get("/log/").content.decode()

    assert "The log has 0 receipts." in page
    assert "No root yet" in page


def test_page_shows_checkpoint_roots_and_keys(client: Client) -> None:
    log_matches(2)
    root = publish_root(datetime(2026, 5, 1, tzinfo=UTC))
    log_matches(1)

    page = client.get("/log/").content.decode()

    assert "The log has 3 receipts." in page
    assert checkpoint_at(3).replace("+", "&#x2B;") in page or checkpoint_at(3) in page
    assert "1 May 2026" in page
    assert root is not None
    assert root.digest[:16] in page
    assert log_key().to_text() in page


def test_feed_tells_each_root(client: Client) -> None:
    log_matches(2)
    root = publish_root(datetime(2026, 5, 1, tzinfo=UTC))
    assert root is not None

    feed = client.get("/log/feed.xml").content.decode()

    assert f"2026-05-01: 2 receipts, root {root.digest}" in feed
    assert log_key().name in feed


def test_match_names_its_receipt(client: Client) -> None:
    logged = log_matches(2)[1]
    (waiting,) = play_matches(1)

    assert '<a href="/log/">receipt 1</a>' in client.get(f"/matches/{logged.pk}/").content.decode()
    assert 'href="/log/"' not in client.get(f"/matches/{waiting.pk}/").content.decode()
