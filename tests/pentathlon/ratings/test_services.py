from datetime import UTC, datetime

import pytest
from django.db import IntegrityError
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings import services
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool, Rating, RatingChange
from pentathlon.ratings.skill import Result, Skill, fold
from tests.factories import make_match, make_version
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db


def _pool(key: str = "game:tuned") -> Pool:
    return services.open_pool(key=key, game="tuned", title="Tuned")


def _entered(pool: Pool, versions: list[BotVersion], *games: tuple[int, int]) -> list[Match]:
    """Store finished matches, each between a winner and a loser, and enter them."""
    matches = [
        make_match((versions[winner], versions[loser]), state=MatchState.DONE)
        for winner, loser in games
    ]
    services.enter_matches(pool=pool, matches=matches)
    return matches


def _skills(pool: Pool) -> dict[int, Skill]:
    return {rating.version_id: rating.skill for rating in pool.ratings.all()}


class TestOpenPool:
    def test_same_key_gives_the_same_pool(self) -> None:
        assert _pool() == _pool()

    def test_first_pool_of_a_game_assumes_one_draw_in_ten(self) -> None:
        assert _pool().draw_probability == pytest.approx(0.1)

    def test_draws_so_far_decide_and_stay(self) -> None:
        for ranks in [(0, 1)] * 8 + [(0, 0)] * 2:
            make_match(state=MatchState.DONE, ranks=ranks)

        pool = _pool()
        make_match(state=MatchState.DONE, ranks=(0, 0))

        assert pool.draw_probability == pytest.approx(3 / 20)
        assert _pool().draw_probability == pytest.approx(3 / 20)

    def test_validation_matches_tell_nothing_about_draws(self) -> None:
        make_match(state=MatchState.DONE, ranks=(0, 0), kind=MatchKind.VALIDATION)

        assert _pool().draw_probability == pytest.approx(0.1)


class TestApplyPool:
    def test_ratings_are_the_fold_of_the_results(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(3)]
        _entered(pool, versions, (0, 1), (1, 2), (0, 2), (2, 1))

        services.apply_pool(pool_id=pool.pk)

        first, second, third = (version.pk for version in versions)
        games = [(first, second), (second, third), (first, third), (third, second)]
        expected = fold(
            (Result(game, (0, 1)) for game in games), draw_probability=pool.draw_probability
        )
        assert _skills(pool) == expected

    def test_counts_and_cursor_follow(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        _entered(pool, versions, (0, 1), (0, 1))
        drawn = make_match(versions, state=MatchState.DONE, ranks=(0, 0))
        services.enter_matches(pool=pool, matches=[drawn])

        assert services.apply_pool(pool_id=pool.pk) == 3

        pool.refresh_from_db()
        rating = pool.ratings.get(version=versions[0])
        assert pool.applied_seq == 3
        assert (rating.matches, rating.wins, rating.draws, rating.losses) == (3, 2, 1, 0)
        assert rating.last_seq == 3

    def test_second_call_changes_nothing(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        _entered(pool, versions, (0, 1))
        services.apply_pool(pool_id=pool.pk)
        before = _skills(pool)

        assert services.apply_pool(pool_id=pool.pk) == 0

        assert _skills(pool) == before
        assert RatingChange.objects.count() == 2

    def test_small_batches_give_the_same_bits(self) -> None:
        versions = [make_version() for _ in range(3)]
        pools = [_pool("game:tuned"), _pool("tournament:1")]
        matches = _entered(pools[0], versions, (0, 1), (1, 2), (2, 0), (0, 1), (1, 2))
        services.enter_matches(pool=pools[1], matches=matches)

        services.apply_pool(pool_id=pools[0].pk)
        while services.apply_pool(pool_id=pools[1].pk, limit=1):
            pass

        assert _skills(pools[0]) == _skills(pools[1])

    def test_results_are_applied_in_the_order_of_acceptance(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        late, early = _entered(pool, versions, (0, 1), (1, 0))
        Match.objects.filter(pk=early.pk).update(finished_at=datetime(2020, 1, 1, tzinfo=UTC))

        services.apply_pool(pool_id=pool.pk)

        assert LedgerRow.objects.get(match=early).seq == 1
        assert LedgerRow.objects.get(match=late).seq == 2

    def test_unfinished_match_waits_without_holding_others_back(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        waiting = make_match(versions, state=MatchState.RUNNING)
        services.enter_matches(pool=pool, matches=[waiting])
        _entered(pool, versions, (0, 1))

        assert services.apply_pool(pool_id=pool.pk) == 1

        assert LedgerRow.objects.get(match=waiting).state == LedgerState.WAITING

    @pytest.mark.parametrize(
        ("state", "sandbox"), [(MatchState.VOID, ""), (MatchState.DONE, "process")]
    )
    def test_match_that_does_not_count_is_skipped(self, state: MatchState, sandbox: str) -> None:
        pool = _pool()
        match = make_match(state=state, sandbox=sandbox)
        services.enter_matches(pool=pool, matches=[match])

        assert services.apply_pool(pool_id=pool.pk) == 1

        assert LedgerRow.objects.get().state == LedgerState.SKIPPED
        assert not pool.ratings.exists()

    def test_match_against_itself_is_skipped(self) -> None:
        pool, version = _pool(), make_version()
        services.enter_matches(
            pool=pool, matches=[make_match((version, version), state=MatchState.DONE)]
        )

        services.apply_pool(pool_id=pool.pk)

        assert LedgerRow.objects.get().state == LedgerState.SKIPPED

    def test_match_entered_twice_counts_once(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        matches = _entered(pool, versions, (0, 1))

        services.enter_matches(pool=pool, matches=matches)
        services.apply_pool(pool_id=pool.pk)

        assert LedgerRow.objects.count() == 1

    def test_crash_in_the_middle_leaves_nothing_behind(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        _entered(pool, versions, (0, 1))

        def crash(*_args: object) -> None:
            raise IntegrityError("power cut")

        monkeypatch.setattr(services, "_store_lines", crash)
        with pytest.raises(IntegrityError):
            services.apply_pool(pool_id=pool.pk)

        pool.refresh_from_db()
        assert pool.applied_seq == 0
        assert not RatingChange.objects.exists()
        assert LedgerRow.objects.get().state == LedgerState.WAITING

    def test_queries_do_not_grow_with_results(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        pool, versions = _pool(), [make_version() for _ in range(4)]
        _entered(
            pool, versions, *[(one, two) for one in range(4) for two in range(4) if one != two]
        )

        with django_assert_num_queries(10):
            services.apply_pool(pool_id=pool.pk)

    def test_ratings_of_an_older_algorithm_are_recomputed_first(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        _entered(pool, versions, (0, 1))
        services.apply_pool(pool_id=pool.pk)
        expected = _skills(pool)
        Pool.objects.update(algorithm_version=0)
        Rating.objects.update(mu=1)

        services.apply_pool(pool_id=pool.pk)

        assert _skills(pool) == expected


@pytest.mark.django_db(transaction=True)
def test_callers_at_once_apply_each_result_once() -> None:
    pool, versions = _pool(), [make_version() for _ in range(4)]
    _entered(pool, versions, (0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))

    settled = all_at_once([lambda: services.apply_pool(pool_id=pool.pk, limit=4)] * 4)

    assert sum(count for count in settled if isinstance(count, int)) == 6
    pool.refresh_from_db()
    assert pool.applied_seq == 6
    assert set(LedgerRow.objects.values_list("seq", flat=True)) == {1, 2, 3, 4, 5, 6}


def test_apply_results_visits_only_pools_with_news() -> None:
    pool, versions = _pool(), [make_version() for _ in range(2)]
    _pool("game:other")
    _entered(pool, versions, (0, 1))

    assert list(Pool.objects.with_new_results()) == [pool]
    assert services.apply_results() == 1
    assert services.apply_results() == 0


def test_recompute_gives_the_same_bits() -> None:
    pool, versions = _pool(), [make_version() for _ in range(3)]
    _entered(pool, versions, (0, 1), (1, 2), (2, 0), (0, 2))
    services.apply_pool(pool_id=pool.pk)
    before = (
        _skills(pool),
        list(RatingChange.objects.order_by("row__seq", "seat").values(*_KEPT)),
    )
    Rating.objects.update(mu=0, sigma=1, wins=99)

    assert services.recompute_pool(pool_id=pool.pk) == 4

    after = (_skills(pool), list(RatingChange.objects.order_by("row__seq", "seat").values(*_KEPT)))
    assert after == before


_KEPT = ("row", "version", "seat", "rank", "mu_before", "sigma_before", "mu_after", "sigma_after")
