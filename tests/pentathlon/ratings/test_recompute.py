"""How a recompute reads and writes: in bounded parts, and no more than differs."""

import pytest
from pytest_django import DjangoAssertNumQueries

from pentathlon.matches.models import MatchState
from pentathlon.ratings import recompute, services
from pentathlon.ratings.models import Pool, RatingChange
from pentathlon.ratings.recompute import (
    ChangeRow,
    ledger_chunks,
    recompute_pool,
    replace_changes,
    stored_changes,
)
from pentathlon.ratings.verification import verify_pool
from tests.factories import make_match, make_version

pytestmark = pytest.mark.django_db

RESULTS = 12
SEATS = 3


@pytest.fixture
def pool() -> Pool:
    """Return a pool with twelve results of three seats."""
    pool = services.open_pool(key="game:tuned", game="tuned", title="Tuned")
    versions = [make_version() for _ in range(4)]
    matches = [
        make_match(
            [versions[(number + seat) % 4] for seat in range(SEATS)],
            state=MatchState.DONE,
            ranks=((0, 1, 2), (1, 0, 0), (2, 1, 0))[number % 3],
        )
        for number in range(RESULTS)
    ]
    services.enter_matches(pool=pool, matches=matches)
    services.apply_results()
    pool.refresh_from_db()
    return pool


def _facts(pool: Pool) -> list[ChangeRow]:
    return [line for _, line in stored_changes(pool, first=1, last=RESULTS)]


def _ids(pool: Pool) -> list[int]:
    return [pk for pk, _ in stored_changes(pool, first=1, last=RESULTS)]


def _outdate(pool: Pool, *, draw_probability: float = 0.3) -> None:
    """Let every rating of a pool have to be another one."""
    stored = Pool.objects.filter(pk=pool.pk)
    stored.update(draw_probability=draw_probability, is_stale=True)


@pytest.mark.parametrize(("results", "seats"), [(500, 1000), (5, 1000), (500, 10), (1, 3)])
def test_parts_hold_every_result_once_and_no_more_than_they_may(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, results: int, seats: int
) -> None:
    monkeypatch.setattr(recompute, "_MOST_RESULTS", results)
    monkeypatch.setattr(recompute, "_MOST_SEATS", seats)

    chunks = list(ledger_chunks(pool))

    assert [each.seq for chunk in chunks for each in chunk.results] == list(range(1, RESULTS + 1))
    bounds = [(chunk.first, chunk.last) for chunk in chunks]
    assert [first for first, _ in bounds] == [1, *(last + 1 for _, last in bounds[:-1])]
    assert bounds[-1][1] == RESULTS
    assert max(len(chunk.results) for chunk in chunks) <= min(results, seats // SEATS)


def test_parts_of_any_size_leave_the_same_bits(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _outdate(pool)
    recompute_pool(pool_id=pool.pk)
    expected = _facts(pool)
    _outdate(pool, draw_probability=0.1)
    recompute_pool(pool_id=pool.pk)
    assert _facts(pool) != expected

    monkeypatch.setattr(recompute, "_MOST_RESULTS", 5)
    _outdate(pool)
    recompute_pool(pool_id=pool.pk)

    assert _facts(pool) == expected
    assert verify_pool(pool_id=pool.pk) == []


def test_changes_that_differ_in_numbers_are_updated_in_place(pool: Pool) -> None:
    before, ids = _facts(pool), _ids(pool)
    _outdate(pool)

    recompute_pool(pool_id=pool.pk)

    assert _ids(pool) == ids
    assert all(new[4:] != old[4:] for new, old in zip(_facts(pool), before, strict=True))
    assert verify_pool(pool_id=pool.pk) == []


def test_changes_of_another_seat_or_none_are_stored_anew(pool: Pool) -> None:
    expected = _facts(pool)
    RatingChange.objects.filter(row__seq=2, seat=1).update(seat=7)
    RatingChange.objects.filter(row__seq=3, seat=0).delete()

    recompute_pool(pool_id=pool.pk)

    assert _facts(pool) == expected


def test_changes_that_somebody_replaced_meanwhile_are_stored_anyway(pool: Pool) -> None:
    stored = stored_changes(pool, first=1, last=RESULTS)
    lines = [(*line[:4], 1.0, 2.0, 3.0, 4.0, line[8]) for _, line in stored]
    RatingChange.objects.filter(pk=stored[0][0]).delete()

    replace_changes(pool, first=1, last=RESULTS, stored=stored, lines=lines)

    assert _facts(pool) == lines


def test_equal_changes_are_only_read(
    pool: Pool, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    recompute_pool(pool_id=pool.pk)

    # Queries for the pool, its lock in a savepoint, seats, changes, ratings, and the pool again.
    with django_assert_num_queries(8):
        recompute_pool(pool_id=pool.pk)
