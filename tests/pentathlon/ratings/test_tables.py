"""Long rating tables: what is counted of all their rows is kept for a moment."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.ratings import tables
from pentathlon.ratings.models import Pool, Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.ratings.tables import count_active, known_mean, read_progress, versions_in_play
from pentathlon.web.tables import rating_table
from tests.factories import make_version

pytestmark = pytest.mark.django_db

KEY = "game:tuned"


@pytest.fixture
def pool() -> Pool:
    cache.clear()
    pool = open_live_pool(game="tuned")
    Rating.objects.bulk_create(
        Rating(pool=pool, version=make_version(), mu=mu, sigma=2, matches=1)
        for mu in (20, 30, 30, 41)
    )
    return pool


@pytest.fixture
def large(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> Pool:
    monkeypatch.setattr(tables, "LARGE", 100)
    Pool.objects.update(applied_seq=100)
    return pool


def retire_best() -> None:
    best = Rating.objects.table(KEY)[0]
    BotVersion.objects.filter(pk=best.version_id).update(state=VersionState.RETIRED)


def test_short_table_is_counted_for_each_answer(pool: Pool) -> None:
    before = count_active(read_progress(KEY)), versions_in_play(read_progress(KEY))

    retire_best()

    after = count_active(read_progress(KEY)), versions_in_play(read_progress(KEY))
    assert before[0] == 4
    assert after[0] == 3
    assert after[1] != before[1]
    assert known_mean(read_progress(KEY)) is None


def test_long_table_is_counted_once_for_many_answers(
    large: Pool, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    progress = read_progress(KEY)
    before = count_active(progress), versions_in_play(progress), known_mean(progress)
    retire_best()

    with django_assert_num_queries(0):
        kept = count_active(progress), versions_in_play(progress), known_mean(progress)
    cache.clear()

    assert kept == before == (4, before[1], 30.25)
    assert count_active(progress) == 3
    assert versions_in_play(progress) != before[1]


def test_mean_of_a_long_table_follows_its_results(large: Pool) -> None:
    assert known_mean(read_progress(KEY)) == 30.25
    Rating.objects.filter(mu=41).update(mu=45)
    assert known_mean(read_progress(KEY)) == 30.25

    Pool.objects.update(applied_seq=101)

    assert known_mean(read_progress(KEY)) == 31.25


def test_long_and_short_tables_show_the_same(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> list[tuple[int, float, int]]:
        table = rating_table(KEY, reader=None, page=2, size=2)
        return [(row.rank, row.rating.bar.strength, table.total) for row in table.rows]

    short = shown()
    monkeypatch.setattr(tables, "LARGE", 0)

    assert shown() == short
    assert [rank for rank, *_ in short] == [2, 4]


def test_pool_that_is_not_there_yet_has_come_nowhere() -> None:
    assert read_progress("game:chess") == ("game:chess", 0, 0, 0)
