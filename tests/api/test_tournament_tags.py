"""Tables and proofs are sent again only when something in them has changed."""

import pytest
from django.test import Client

from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


def test_answers_are_sent_again_after_a_new_result_alone(client: Client) -> None:
    tournament = started(bots=3)
    first, second, *_ = matches_of(tournament)
    settle([first])
    parts = ("standings", "crosstable", "seats", "proof")
    paths = [f"/api/v1/tournaments/{tournament.pk}/{part}/" for part in parts]
    tags = {path: client.get(path).headers["ETag"] for path in paths}

    for path, tag in tags.items():
        unchanged = client.get(path, headers={"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.content) == (304, b""), path
    settle([second])
    for path, tag in tags.items():
        changed = client.get(path, headers={"If-None-Match": tag})
        assert (changed.status_code, changed.headers["ETag"] != tag) == (200, True), path
