"""A recompute whose process is killed."""

import pytest

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import MatchState
from pentathlon.ratings import services
from pentathlon.ratings.models import Pool, RatingChange
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.verification import verify_pool
from tests.factories import make_match, make_version
from tests.pentathlon.killed_process import run_killed, run_whole

pytestmark = pytest.mark.django_db(transaction=True)

Rows = list[tuple[object, ...]]


@pytest.fixture
def pool() -> Pool:
    """Return a pool with 90 results: five parts of a recompute."""
    pool = services.open_pool(key="game:tuned", game="tuned", title="Tuned")
    versions: list[BotVersion] = [make_version() for _ in range(4)]
    matches = [
        make_match((versions[number % 4], versions[(number + 1) % 4]), state=MatchState.DONE)
        for number in range(90)
    ]
    services.enter_matches(pool=pool, matches=matches)
    services.apply_results()
    return pool


def _ratings(pool: Pool) -> Rows:
    columns = ("version", "mu", "sigma", "matches", "wins", "draws", "losses", "last_seq")
    return list(pool.ratings.order_by("version").values_list(*columns))


def _changes(pool: Pool) -> Rows:
    changes = RatingChange.objects.filter(row__pool=pool).order_by("row__seq", "seat")
    columns = ("mu_before", "sigma_before", "mu_after", "sigma_after", "nth")
    return list(changes.values_list("row__seq", "seat", "version", "rank", *columns))


def _outdate(pool: Pool, *, draw_probability: float) -> None:
    """Let every rating of a pool have to be another one."""
    stored = Pool.objects.filter(pk=pool.pk)
    stored.update(draw_probability=draw_probability, is_stale=True)


def test_next_process_finishes_a_recompute_that_was_killed(pool: Pool) -> None:
    draws, before = pool.draw_probability, (_ratings(pool), _changes(pool))
    _outdate(pool, draw_probability=0.3)
    recompute_pool(pool_id=pool.pk)
    expected = _ratings(pool), _changes(pool)
    _outdate(pool, draw_probability=draws)
    recompute_pool(pool_id=pool.pk)
    assert (_ratings(pool), _changes(pool)) == before
    _outdate(pool, draw_probability=0.3)

    run_killed("recompute", part=3)

    assert _ratings(pool) == before[0], "the table is as it was until all of it is new"
    left = _changes(pool)
    assert left[:80] == expected[1][:80], "two parts were written"
    assert left[80:] == before[1][80:], "of the third there is nothing"
    assert Pool.objects.outdated().get() == pool

    run_whole("recompute")

    assert (_ratings(pool), _changes(pool)) == expected
    assert not Pool.objects.outdated().exists()
    assert verify_pool(pool_id=pool.pk) == []
