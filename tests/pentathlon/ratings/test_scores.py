"""Scores are counted once, taken back once, and made again where nobody has counted."""

import pytest

from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool, ScoreLine
from pentathlon.ratings.scores import make_scores, scores_differ
from pentathlon.ratings.services import revoke_results
from pentathlon.ratings.verification import verify_pool
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


def _settled_pool() -> Pool:
    tournament = started(bots=3)
    settle(matches_of(tournament))
    return Pool.objects.get(tournament=tournament)


def test_scores_are_what_the_results_give() -> None:
    pool = _settled_pool()

    assert (pool.done, pool.void) == (6, 0)
    assert ScoreLine.objects.count() == 3
    assert not scores_differ(pool)


def test_pool_of_an_older_release_is_counted_once() -> None:
    pool = _settled_pool()
    pool.score_lines.all().delete()
    Pool.objects.filter(pk=pool.pk).update(seat_scores=None, done=0)

    assert [make_scores(), make_scores()] == [1, 0]

    pool.refresh_from_db()
    assert pool.done == 6
    assert not scores_differ(pool)


def test_revoked_result_is_taken_back_once() -> None:
    pool = _settled_pool()
    match = pool.rows.order_by("seq")[0].match_id
    Match.objects.filter(pk=match).update(is_revoked=True)

    for _ in range(2):
        revoke_results(match_ids=[match])

    pool.refresh_from_db()
    assert not scores_differ(pool)
    assert sum(pool.score_lines.values_list("matches", flat=True)) == 10


def test_wrong_score_is_noticed() -> None:
    pool = _settled_pool()
    pool.score_lines.update(ahead=9)

    assert "scores of its tables" in str(verify_pool(pool_id=pool.pk)[0])
