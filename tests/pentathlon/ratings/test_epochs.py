from io import StringIO
from random import Random

import pytest
from django.core.management import CommandError, call_command

from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import Conflict
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings import epochs
from pentathlon.ratings.epochs import estimate, log_loss, refit
from pentathlon.ratings.models import LedgerReason, LedgerState, Pool, epoch_key, live_key
from pentathlon.ratings.services import (
    apply_pool,
    apply_results,
    enter_matches,
    mark_ready,
    open_pool,
    revoke_results,
)
from pentathlon.ratings.skill import BETA, Result, fold
from pentathlon.ratings.verification import verify_pool
from tests.factories import make_match, make_version

KEY = live_key("tuned")


def _results(*, draws: float, spread: float, matches: int = 600) -> list[Result]:
    """Return results of ten bots, drawn with this probability whoever they are."""
    rng, found = Random(4), []
    strengths = [rng.gauss(0, spread) for _ in range(10)]
    for _ in range(matches):
        first, second = rng.sample(range(10), 2)
        lead = strengths[first] - strengths[second] + rng.gauss(0, 1)
        is_draw = rng.random() < draws
        found.append(Result((first, second), (0, 0) if is_draw else (lead < 0, lead >= 0)))
    return found


class TestNumbers:
    def test_draws_of_the_results_are_found(self) -> None:
        found = estimate(_results(draws=0.3, spread=0.3), draw_probability=0.1, beta=BETA)

        assert found.draw_probability == pytest.approx(0.3, abs=0.05)

    def test_found_numbers_predict_better(self) -> None:
        results = _results(draws=0.02, spread=4, matches=200)

        found = estimate(results, draw_probability=0.1, beta=BETA)

        assert found.log_loss < log_loss(results, draw_probability=0.1, beta=BETA)


@pytest.mark.django_db
class TestEpochs:
    @pytest.fixture(autouse=True)
    def _few_are_enough(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(epochs, "FEWEST_RESULTS", 5)

    @pytest.fixture
    def versions(self) -> list[BotVersion]:
        return [make_version() for _ in range(3)]

    @pytest.fixture
    def pool(self, versions: list[BotVersion]) -> Pool:
        """A pool with eight draws, of which nobody knew that they are likely."""
        pool = open_pool(key=KEY, game="tuned", title="Tuned", draw_probability=0.01)
        matches = [_draw(versions, number) for number in range(8)]
        enter_matches(pool=pool, matches=matches)
        apply_pool(pool_id=pool.pk)
        pool.refresh_from_db()
        return pool

    def test_new_epoch_has_all_results_with_other_numbers(
        self, pool: Pool, versions: list[BotVersion]
    ) -> None:
        done = refit(pool=pool)

        new = Pool.objects.get(key=KEY)
        assert (new.epoch, done.epoch, new.applied_seq) == (2, 2, 8)
        assert done.after.log_loss < done.before.log_loss
        rated = {rating.version_id: rating.skill for rating in new.ratings.all()}
        results = [
            Result((versions[number % 3].pk, versions[(number + 1) % 3].pk), (0, 0))
            for number in range(8)
        ]
        assert rated == fold(results, draw_probability=new.draw_probability, beta=new.beta)
        assert verify_pool(pool_id=new.pk) == []

    def test_old_epoch_stays_as_it_was(self, pool: Pool) -> None:
        before = list(pool.ratings.order_by("version").values_list("mu", "sigma"))

        refit(pool=pool)

        old = Pool.objects.get(key=epoch_key(KEY, 1))
        assert old.pk == pool.pk
        assert list(old.ratings.order_by("version").values_list("mu", "sigma")) == before
        assert verify_pool(pool_id=old.pk) == []
        assert list(Pool.objects.live().values_list("epoch", flat=True)) == [2]

    def test_what_waits_counts_in_the_new_epoch(
        self, pool: Pool, versions: list[BotVersion]
    ) -> None:
        waiting = make_match(versions[:2])
        enter_matches(pool=pool, matches=[waiting])

        refit(pool=pool)
        Match.objects.filter(pk=waiting.pk).update(
            state=MatchState.DONE, finished_at="2026-01-01T00:00Z", sandbox="namespaces"
        )
        waiting.seats.update(rank=0)
        mark_ready([waiting.pk])
        apply_results()

        apply_results()

        assert Pool.objects.get(key=KEY).applied_seq == 9
        assert Pool.objects.get(key=epoch_key(KEY, 1)).applied_seq == 8

    def test_refit_that_was_cut_off_is_gone_on_with(
        self, pool: Pool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def crash(*_pools: Pool) -> bool:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(epochs, "_switch", crash)
            with pytest.raises(KeyboardInterrupt):
                refit(pool=pool)
        assert Pool.objects.get(key=KEY).epoch == 1

        assert refit(pool=pool).epoch == 2
        assert verify_pool(pool_id=Pool.objects.get(key=KEY).pk) == []

    def test_results_that_were_taken_back_count_in_no_epoch(
        self, pool: Pool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        row = pool.rows.get(seq=3)
        switch = epochs._switch

        def revoke_before(old: Pool, new: Pool) -> bool:
            Match.objects.filter(pk=row.match_id).update(is_revoked=True)
            revoke_results(match_ids=[row.match_id])
            return switch(old, new)

        monkeypatch.setattr(epochs, "_switch", revoke_before)
        refit(pool=pool)
        apply_results()

        new = Pool.objects.get(key=KEY)
        assert new.rows.get(match=row.match_id).state == LedgerState.REVOKED
        assert verify_pool(pool_id=new.pk) == []

    def test_switch_writes_no_rows_of_results_that_wait(
        self, pool: Pool, versions: list[BotVersion]
    ) -> None:
        enter_matches(pool=pool, matches=[make_match(versions[:2]) for _ in range(5)])

        refit(pool=pool)

        assert pool.rows.waiting().count() == 5, "they are handed over as they come in"
        assert verify_pool(pool_id=Pool.objects.get(key=KEY).pk) == []

    def test_many_results_taken_back_meanwhile_are_carried_over_in_parts(
        self, pool: Pool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(epochs, "_AT_ONCE", 2)
        rows = pool.rows.filter(seq__lte=5)
        switch = epochs._switch
        ended: list[bool] = []

        def revoke_before(old: Pool, new: Pool) -> bool:
            if not ended:
                # Make it look as if the rows had been copied in the moment of their revocation.
                Match.objects.filter(pk__in=rows.values("match")).update(is_revoked=True)
                rows.update(state=LedgerState.REVOKED, reason=LedgerReason.REVOKED)
            ended.append(switch(old, new))
            return ended[-1]

        monkeypatch.setattr(epochs, "_switch", revoke_before)
        refit(pool=pool)
        apply_results()

        assert ended == [False, True]
        new = Pool.objects.get(key=KEY)
        assert new.rows.filter(state=LedgerState.REVOKED).count() == 5
        assert verify_pool(pool_id=new.pk) == []

    def test_few_results_are_refused(self, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(epochs, "FEWEST_RESULTS", 200)

        with pytest.raises(Conflict, match="200"):
            refit(pool=pool)

    def test_command_says_what_changed(self, pool: Pool) -> None:
        said = StringIO()

        call_command("refit_game", "tuned", stdout=said)

        assert "before: draw probability 0.0100" in said.getvalue()
        assert "epoch 2" in said.getvalue()

    def test_command_needs_a_leaderboard(self) -> None:
        with pytest.raises(CommandError, match="no leaderboard"):
            call_command("refit_game", "azure")


def _draw(versions: list[BotVersion], number: int) -> Match:
    pair = [versions[number % 3], versions[(number + 1) % 3]]
    return make_match(pair, state=MatchState.DONE, ranks=(0, 0), sandbox="namespaces")
