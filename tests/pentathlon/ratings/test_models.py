import pytest
from pytest_django import DjangoAssertNumQueries

from pentathlon.matches.models import MatchState
from pentathlon.ratings.models import Pool, Rating, RatingChange
from pentathlon.ratings.services import apply_pool, enter_matches, open_pool
from tests.factories import make_match, make_version

pytestmark = pytest.mark.django_db


def _pool(key: str = "game:tuned") -> Pool:
    return open_pool(key=key, game="tuned", title="Tuned")


def _rated(pool: Pool, *scores: tuple[float, float]) -> list[Rating]:
    return [
        Rating.objects.create(pool=pool, version=make_version(), mu=mu, sigma=sigma)
        for mu, sigma in scores
    ]


def test_table_is_ordered_by_mu_minus_three_sigma() -> None:
    pool = _pool()
    wide, narrow, low = _rated(pool, (30, 8), (28, 1), (10, 1))

    assert list(Rating.objects.table("game:tuned")) == [narrow, low, wide]


def test_rank_is_kept_on_a_later_page() -> None:
    pool = _pool()
    _rated(pool, (30, 1), (29, 1), (29, 1), (20, 1))
    _rated(_pool("game:other"), (50, 1))

    ranks = [row.rank for row in Rating.objects.table("game:tuned").ranked()]
    later = [row.rank for row in Rating.objects.table("game:tuned").ranked()[2:]]

    assert ranks == [1, 2, 2, 4]
    assert later == [2, 4]


def test_table_needs_one_query_for_any_number_of_rows(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    _rated(_pool(), *[(20.0 + number, 1.0) for number in range(6)])

    with django_assert_num_queries(1):
        rows = [
            (row.rank, row.version.label, row.version.bot.owner.username)
            for row in Rating.objects.table("game:tuned").ranked()
        ]

    assert len(rows) == 6


def test_history_is_told_in_ledger_order() -> None:
    pool, versions = _pool(), [make_version() for _ in range(2)]
    matches = [make_match(versions, state=MatchState.DONE) for _ in range(3)]
    enter_matches(pool=pool, matches=matches)
    apply_pool(pool_id=pool.pk)

    history = RatingChange.objects.filter(row__pool=pool, version=versions[0]).order_by("row__seq")

    assert [change.row.seq for change in history] == [1, 2, 3]
    assert [change.mu_before for change in history][1:] == [change.mu_after for change in history][
        :-1
    ]


def test_live_pools_are_those_of_games() -> None:
    _pool("tournament:1")
    live = _pool("game:tuned")

    assert list(Pool.objects.live()) == [live]
