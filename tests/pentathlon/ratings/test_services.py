from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.core.errors import Conflict
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings import services
from pentathlon.ratings.models import (
    LedgerReason,
    LedgerRow,
    LedgerState,
    Pool,
    Rating,
    RatingChange,
)
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.skill import ALGORITHM_VERSION, Result, Skill, fold
from pentathlon.ratings.verification import verify_pool
from tests.factories import make_match, make_user, make_version
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


BOTH_CRASH: dict[str, Any] = {"ranks": (1, 1), "faults": {0: "crash", 1: "crash"}}


def _table(pool: Pool) -> list[Rating]:
    return list(pool.ratings.order_by("version"))


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

    def test_crashes_of_both_leave_the_next_pool_as_it_was(self) -> None:
        before = _pool("game:before").draw_probability
        for _ in range(30):
            make_match(state=MatchState.DONE, **BOTH_CRASH)

        assert _pool("game:after").draw_probability == before

    def test_draws_are_counted_in_matches_without_a_fault(self) -> None:
        versions = [make_version() for _ in range(3)]
        make_match(versions, state=MatchState.DONE, ranks=(0, 1, 1), faults={1: "crash"})
        make_match(versions, state=MatchState.DONE, ranks=(0, 1, 1))

        assert _pool().draw_probability == pytest.approx(2 / 12)


class TestAllFailed:
    def test_both_lose_and_no_rating_changes(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        _entered(pool, versions, (0, 1))
        services.apply_pool(pool_id=pool.pk)
        before = _skills(pool)
        match = make_match(versions, state=MatchState.DONE, **BOTH_CRASH)
        services.enter_matches(pool=pool, matches=[match])

        services.apply_pool(pool_id=pool.pk)

        row = LedgerRow.objects.get(match=match)
        assert _skills(pool) == before
        assert (row.state, row.reason) == (LedgerState.APPLIED, LedgerReason.ALL_FAILED)
        assert [(rating.matches, rating.draws, rating.losses) for rating in _table(pool)] == [
            (2, 0, 1),
            (2, 0, 2),
        ]

    def test_bots_that_always_crash_stay_where_a_new_bot_starts(self) -> None:
        pool, versions = services.open_live_pool(game="tuned"), [make_version() for _ in range(6)]
        pairs = [(one, two) for one in versions for two in versions if one != two]
        matches = [make_match(pair, state=MatchState.DONE, **BOTH_CRASH) for pair in pairs]
        services.enter_matches(pool=pool, matches=matches)

        services.apply_results()

        assert [rating.score for rating in _table(pool)] == [0] * 6
        assert [(rating.draws, rating.losses) for rating in _table(pool)] == [(0, 10)] * 6
        assert verify_pool(pool_id=pool.pk) == []

    def test_recompute_of_an_older_algorithm_takes_their_draws_back(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        match = make_match(versions, state=MatchState.DONE, ranks=(0, 0))
        services.enter_matches(pool=pool, matches=[match])
        services.apply_pool(pool_id=pool.pk)
        match.seats.update(rank=1, fault_kind="startup")
        Pool.objects.update(algorithm_version=1)

        services.apply_results()

        assert set(_skills(pool).values()) == {Skill()}
        assert LedgerRow.objects.get().reason == LedgerReason.ALL_FAILED


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
        late, early = (make_match(versions, state=MatchState.DONE) for _ in range(2))
        Match.objects.filter(pk=early.pk).update(finished_at=datetime(2020, 1, 1, tzinfo=UTC))
        services.enter_matches(pool=pool, matches=[late, early])

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
        ("state", "sandbox", "reason"),
        [(MatchState.VOID, "", "void"), (MatchState.DONE, "process", "no_sandbox")],
    )
    def test_match_that_does_not_count_is_skipped(
        self, state: MatchState, sandbox: str, reason: str
    ) -> None:
        pool = _pool()
        match = make_match(state=state, sandbox=sandbox)
        services.enter_matches(pool=pool, matches=[match])

        assert services.apply_pool(pool_id=pool.pk) == 1

        row = LedgerRow.objects.get()
        assert (row.state, row.reason) == (LedgerState.SKIPPED, reason)
        assert not pool.ratings.exists()

    def test_match_against_itself_is_skipped(self) -> None:
        pool, version = _pool(), make_version()
        services.enter_matches(
            pool=pool, matches=[make_match((version, version), state=MatchState.DONE)]
        )

        services.apply_pool(pool_id=pool.pk)

        assert LedgerRow.objects.get().reason == LedgerReason.SAME_VERSION

    def test_match_of_two_bots_of_one_author_counts_on_no_leaderboard(self) -> None:
        author = make_user()
        versions = [make_version(owner=owner) for owner in (author, None, author)]
        match = make_match(versions, state=MatchState.DONE, ranks=(0, 1, 2))
        live, own = _pool(), _pool("tournament:1")

        for pool in (live, own):
            services.enter_matches(pool=pool, matches=[match])
            services.apply_pool(pool_id=pool.pk)

        rows = {row.pool_id: (row.state, row.reason) for row in LedgerRow.objects.all()}
        assert rows[live.pk] == (LedgerState.SKIPPED, LedgerReason.SAME_OWNER)
        assert rows[own.pk] == (LedgerState.APPLIED, "")
        assert not live.ratings.exists()
        assert own.ratings.count() == 3

    def test_void_match_of_one_author_stays_apart_when_it_is_played_again(self) -> None:
        author = make_user()
        match = make_match([make_version(owner=author) for _ in range(2)], state=MatchState.VOID)
        services.enter_matches(pool=_pool(), matches=[match])

        services.await_results(match_ids=[match.pk])

        assert LedgerRow.objects.get().reason == LedgerReason.SAME_OWNER

    def test_reference_bots_meet_on_the_leaderboard(self) -> None:
        platform = make_user()
        versions = [make_version(owner=platform) for _ in range(2)]
        Bot.objects.update(is_reference=True)
        pool = _pool()
        services.enter_matches(pool=pool, matches=[make_match(versions, state=MatchState.DONE)])

        services.apply_pool(pool_id=pool.pk)

        assert LedgerRow.objects.get().state == LedgerState.APPLIED

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

        monkeypatch.setattr(services, "store_ratings", crash)
        with pytest.raises(IntegrityError):
            services.apply_pool(pool_id=pool.pk)

        pool.refresh_from_db()
        assert pool.applied_seq == 0
        assert not RatingChange.objects.exists()
        assert LedgerRow.objects.get().state == LedgerState.READY

    def test_queries_do_not_grow_with_results(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        pool, versions = _pool(), [make_version() for _ in range(4)]
        _entered(
            pool, versions, *[(one, two) for one in range(4) for two in range(4) if one != two]
        )

        # One of the queries asks which authors want to hear of first rated matches.
        with django_assert_num_queries(12):
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


class TestNewerRelease:
    """During a rolling update processes of two releases apply results."""

    @pytest.fixture
    def newer(self) -> Pool:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        _entered(pool, versions, (0, 1))
        services.apply_pool(pool_id=pool.pk)
        _entered(pool, versions, (0, 1))
        Pool.objects.update(algorithm_version=ALGORITHM_VERSION + 1)
        return pool

    def test_its_pools_are_left_alone(self, newer: Pool) -> None:
        before = _skills(newer)

        assert services.apply_pool(pool_id=newer.pk) == 0
        assert services.apply_results() == 0

        newer.refresh_from_db()
        assert newer.algorithm_version == ALGORITHM_VERSION + 1
        assert (newer.applied_seq, _skills(newer)) == (1, before)

    def test_recompute_refuses_its_pools(self, newer: Pool) -> None:
        with pytest.raises(Conflict, match="newer release"):
            recompute_pool(pool_id=newer.pk)

    def test_other_pools_go_on(self, newer: Pool) -> None:
        other = _pool("game:other")
        _entered(other, [make_version() for _ in range(2)], (0, 1))

        assert services.apply_results() == 1


class TestRevoke:
    def test_result_taken_back_changes_nothing_any_more(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(3)]
        matches = _entered(pool, versions, (0, 1), (2, 1), (0, 2))
        services.apply_results()
        Match.objects.filter(pk=matches[1].pk).update(is_revoked=True)

        services.revoke_results(match_ids=[matches[1].pk])
        services.apply_results()

        first, second, third = (version.pk for version in versions)
        left = [Result((first, second), (0, 1)), Result((first, third), (0, 1))]
        assert _skills(pool) == fold(left, draw_probability=pool.draw_probability)
        assert verify_pool(pool_id=pool.pk) == []
        assert list(pool.rows.order_by("seq").values_list("seq", "state")) == [
            (1, "applied"),
            (2, "revoked"),
            (3, "applied"),
        ]

    def test_results_after_it_go_on_from_there(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        (match,) = _entered(pool, versions, (1, 0))
        services.apply_results()
        Match.objects.filter(pk=match.pk).update(is_revoked=True)
        services.revoke_results(match_ids=[match.pk])
        _entered(pool, versions, (0, 1))

        services.apply_results()

        pool.refresh_from_db()
        assert (pool.applied_seq, pool.recomputes, pool.is_stale) == (2, 1, False)
        assert [rating.wins for rating in _table(pool)] == [1, 0]
        assert verify_pool(pool_id=pool.pk) == []

    def test_result_that_was_not_applied_yet_never_counts(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        (match,) = _entered(pool, versions, (1, 0))
        Match.objects.filter(pk=match.pk).update(is_revoked=True)

        services.revoke_results(match_ids=[match.pk])

        assert services.apply_results() == 0
        assert (LedgerRow.objects.get().state, pool.ratings.count()) == (LedgerState.REVOKED, 0)
        assert verify_pool(pool_id=pool.pk) == []

    def test_until_the_recompute_verification_says_so(self) -> None:
        pool, versions = _pool(), [make_version() for _ in range(2)]
        (match,) = _entered(pool, versions, (1, 0))
        services.apply_results()
        Match.objects.filter(pk=match.pk).update(is_revoked=True)
        services.revoke_results(match_ids=[match.pk])

        assert verify_pool(pool_id=pool.pk)[0].place == "recompute"


@pytest.mark.django_db(transaction=True)
def test_callers_at_once_apply_each_result_once() -> None:
    pool, versions = _pool(), [make_version() for _ in range(4)]
    _entered(pool, versions, (0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))

    settled = all_at_once([lambda: services.apply_pool(pool_id=pool.pk, limit=4)] * 4)

    assert all(isinstance(count, int) for count in settled)
    rest = services.apply_pool(pool_id=pool.pk)  # who found the pool locked left it alone
    assert sum(settled) + rest == 6
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

    assert recompute_pool(pool_id=pool.pk) == 4

    after = (_skills(pool), list(RatingChange.objects.order_by("row__seq", "seat").values(*_KEPT)))
    assert after == before


_KEPT = ("row", "version", "seat", "rank", "mu_before", "sigma_before", "mu_after", "sigma_after")
