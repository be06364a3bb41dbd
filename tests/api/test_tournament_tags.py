"""Tables and proofs are sent again only when something in them has changed."""

import pytest
from django.test import Client

from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("what", ["standings", "crosstable", "seats", "proof"])
def test_answer_is_sent_again_after_a_new_result_alone(what: str, client: Client) -> None:
    tournament = started(bots=3)
    first, second, *_ = matches_of(tournament)
    settle([first])
    path = f"/api/v1/tournaments/{tournament.pk}/{what}/"
    tag = client.get(path).headers["ETag"]

    unchanged = client.get(path, headers={"If-None-Match": tag})
    settle([second])
    changed = client.get(path, headers={"If-None-Match": tag})

    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag
