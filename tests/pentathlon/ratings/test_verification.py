from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pentathlon.core.arithmetic import MIXED, fingerprint
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.models import (
    LedgerReason,
    LedgerRow,
    LedgerState,
    Pool,
    Rating,
    RatingChange,
    epoch_key,
)
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.services import apply_pool, enter_matches, open_pool
from pentathlon.ratings.verification import verify_pool
from tests.factories import make_match, make_user, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool() -> Pool:
    """A pool with four applied results."""
    pool = open_pool(key="game:tuned", game="tuned", title="Tuned")
    versions = [make_version() for _ in range(2)]
    matches = [make_match(versions, state=MatchState.DONE) for _ in range(4)]
    enter_matches(pool=pool, matches=matches)
    apply_pool(pool_id=pool.pk)
    return pool


def _nudge(number: float) -> float:
    """Return the next float: the smallest difference there is."""
    return number * (1 + 2**-52)


def test_applied_results_equal_their_recompute(pool: Pool) -> None:
    assert verify_pool(pool_id=pool.pk) == []


def test_matches_of_one_author_are_left_out_for_a_reason(pool: Pool) -> None:
    author = make_user()
    own = make_match([make_version(owner=author) for _ in range(2)], state=MatchState.DONE)
    Match.objects.filter(pk=own.pk).update(rated=True)
    enter_matches(pool=pool, matches=[own])

    assert verify_pool(pool_id=pool.pk) == []
    recompute_pool(pool_id=pool.pk)
    assert verify_pool(pool_id=pool.pk) == []


def test_match_of_two_authors_left_out_as_of_one_is_noticed(pool: Pool) -> None:
    match = make_match(state=MatchState.DONE)
    LedgerRow.objects.create(
        pool=pool, match=match, state=LedgerState.SKIPPED, reason=LedgerReason.SAME_OWNER
    )

    (found,) = verify_pool(pool_id=pool.pk)

    assert (found.stored, found.computed) == ("same_owner", "counts")


def test_last_bit_of_a_change_is_noticed(pool: Pool) -> None:
    change = RatingChange.objects.order_by("row__seq", "seat")[3]
    change.mu_after = _nudge(change.mu_after)
    change.save()

    differences = verify_pool(pool_id=pool.pk)

    assert len(differences) == 1
    assert differences[0].place == f"ledger row {change.row_id}, seat 1"


def test_last_bit_of_a_rating_is_noticed(pool: Pool) -> None:
    rating = Rating.objects.first()
    assert rating is not None
    rating.sigma = _nudge(rating.sigma)
    rating.save()

    assert [difference.place for difference in verify_pool(pool_id=pool.pk)] == [
        f"rating of version {rating.version_id}"
    ]


def test_ratings_of_other_arithmetic_may_differ_in_the_last_bit(pool: Pool) -> None:
    Pool.objects.update(fingerprint="of another machine")
    change = RatingChange.objects.order_by("row__seq", "seat")[3]
    RatingChange.objects.filter(pk=change.pk).update(mu_after=_nudge(change.mu_after))
    rating = Rating.objects.order_by("pk")[0]
    Rating.objects.filter(pk=rating.pk).update(sigma=_nudge(rating.sigma))
    output = StringIO()

    call_command("verify_ratings", stdout=output)

    assert verify_pool(pool_id=pool.pk) == []
    assert "4 results, equal to 1e-9 (computed with arithmetic of another" in output.getvalue()


def test_ratings_of_other_arithmetic_must_not_differ_more(pool: Pool) -> None:
    Pool.objects.update(fingerprint="of another machine")
    rating = Rating.objects.order_by("pk")[0]
    Rating.objects.filter(pk=rating.pk).update(sigma=rating.sigma * (1 + 1e-8))

    assert len(verify_pool(pool_id=pool.pk)) == 1


def test_pool_knows_the_arithmetic_of_all_its_ratings(pool: Pool) -> None:
    first = Pool.objects.get(pk=pool.pk).fingerprint
    Pool.objects.update(fingerprint="of another machine")
    versions = [make_version() for _ in range(2)]
    enter_matches(pool=pool, matches=[make_match(versions, state=MatchState.DONE)])
    apply_pool(pool_id=pool.pk)
    then = Pool.objects.get(pk=pool.pk).fingerprint
    recompute_pool(pool_id=pool.pk)

    assert first == fingerprint()
    assert then == MIXED
    assert Pool.objects.get(pk=pool.pk).fingerprint == fingerprint()


def test_changed_result_is_noticed(pool: Pool) -> None:
    row = LedgerRow.objects.get(seq=2)
    MatchSeat.objects.filter(match=row.match, seat=0).update(rank=1)
    MatchSeat.objects.filter(match=row.match, seat=1).update(rank=0)

    assert verify_pool(pool_id=pool.pk)[0].place == f"ledger row {row.pk}, seat 0"


def test_missing_change_is_noticed(pool: Pool) -> None:
    RatingChange.objects.filter(row__seq=4, seat=0).delete()

    differences = verify_pool(pool_id=pool.pk)

    assert differences[0].stored is None


def test_cursor_out_of_step_is_noticed(pool: Pool) -> None:
    Pool.objects.update(applied_seq=3)

    assert verify_pool(pool_id=pool.pk)[0].place == "applied rows"


def test_result_that_was_skipped_by_mistake_is_noticed(pool: Pool) -> None:
    row = LedgerRow.objects.get(seq=4)
    LedgerRow.objects.filter(pk=row.pk).update(state=LedgerState.SKIPPED, seq=None)
    RatingChange.objects.filter(row=row).delete()
    Pool.objects.update(applied_seq=3)
    recompute_pool(pool_id=pool.pk)

    (difference,) = verify_pool(pool_id=pool.pk)

    assert str(difference) == (
        f"game:tuned, ledger row {row.pk} of match {row.match_id}: stored skipped, "
        "recomputed counts"
    )


@pytest.mark.parametrize("columns", [{"state": "void"}, {"is_revoked": True}])
def test_result_that_should_not_count_is_noticed(pool: Pool, columns: dict[str, Any]) -> None:
    Match.objects.filter(ledger_rows__seq=2).update(**columns)

    assert [found.computed for found in verify_pool(pool_id=pool.pk)] == ["does not count"]


@pytest.mark.parametrize("state", [LedgerState.SKIPPED, LedgerState.WAITING])
def test_rows_of_matches_that_do_not_count_are_in_order(pool: Pool, state: LedgerState) -> None:
    version = make_version()
    for match in (
        make_match(state=MatchState.VOID),
        make_match(state=MatchState.DONE, sandbox="process"),
        make_match((version, version), state=MatchState.DONE),
    ):
        LedgerRow.objects.create(pool=pool, match=match, state=state)

    assert verify_pool(pool_id=pool.pk) == []


@pytest.mark.parametrize(
    ("key", "columns"),
    [("game:tuned", {"rated": True}), ("tournament:12", {"lane": 12})],
    ids=["live", "tournament"],
)
def test_result_without_a_row_is_noticed(key: str, columns: dict[str, Any]) -> None:
    pool = open_pool(key=key, game="tuned", title="Tuned")
    lost = make_match(state=MatchState.DONE, **columns)
    make_match(state=MatchState.RUNNING, **columns)
    if pool.is_live:
        make_match(state=MatchState.DONE, sandbox="process", **columns)
    make_match(state=MatchState.DONE, game="azure", rated=True)

    assert [str(found) for found in verify_pool(pool_id=pool.pk)] == [
        f"{key}, match {lost.pk}: stored no row, recomputed counts"
    ]


def test_older_algorithm_is_noticed(pool: Pool) -> None:
    Pool.objects.update(algorithm_version=0)

    assert verify_pool(pool_id=pool.pk)[0].place == "algorithm version"


def test_command_prints_each_pool(pool: Pool) -> None:
    out = StringIO()

    call_command("verify_ratings", stdout=out)

    assert out.getvalue() == f"{pool.key}: 4 results, equal bit by bit\n"


@pytest.mark.parametrize("stored", ["ab" * 32, MIXED, ""])
def test_command_names_the_arithmetic_where_bits_may_differ(pool: Pool, stored: str) -> None:
    Pool.objects.update(fingerprint=stored)
    out = StringIO()

    call_command("verify_ratings", stdout=out)

    theirs, ours = stored[:12] or "unknown", fingerprint()[:12]
    how = f"equal to 1e-9 (computed with arithmetic {theirs}, this is {ours})"
    assert out.getvalue() == f"{pool.key}: 4 results, {how}\n"


def test_command_fails_on_a_result_without_a_row(pool: Pool) -> None:
    match = make_match(state=MatchState.DONE, game="tuned", rated=True)

    with pytest.raises(CommandError, match=f"match {match.pk}: stored no row, recomputed counts"):
        call_command("verify_ratings", stdout=StringIO())


def test_result_that_waits_in_a_past_epoch_has_a_row(pool: Pool) -> None:
    match = make_match(state=MatchState.DONE, game="tuned", rated=True)
    past = open_pool(key=epoch_key("game:tuned", 1), game="tuned", title="Tuned")
    enter_matches(pool=past, matches=[match])

    assert verify_pool(pool_id=pool.pk) == []


def test_command_fails_and_names_the_first_difference(pool: Pool) -> None:
    Rating.objects.filter(pool=pool).update(wins=7)

    with pytest.raises(CommandError, match="game:tuned, rating of version") as caught:
        call_command("verify_ratings", stdout=StringIO())

    assert caught.value.returncode == 1


def test_recompute_repairs_what_verify_finds(pool: Pool) -> None:
    Rating.objects.update(mu=3)
    RatingChange.objects.update(mu_after=4)
    out = StringIO()

    call_command("recompute_ratings", stdout=out)

    assert out.getvalue() == "game:tuned: 4 results recomputed\n"
    assert verify_pool(pool_id=pool.pk) == []


def test_recompute_of_named_pools_leaves_others_alone(pool: Pool) -> None:
    Rating.objects.update(mu=3)

    call_command("recompute_ratings", "game:other", stdout=StringIO())

    assert Rating.objects.filter(mu=3).count() == pool.ratings.count()
