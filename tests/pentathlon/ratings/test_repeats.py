"""A match that is played again move by move tells nothing new: it counts once."""

import pytest

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings import epochs
from pentathlon.ratings.epochs import refit
from pentathlon.ratings.models import LedgerReason, LedgerState, Pool, RatingChange
from pentathlon.ratings.recompute import recompute_pool
from pentathlon.ratings.services import (
    apply_pool,
    apply_results,
    enter_matches,
    open_pool,
    revoke_results,
)
from pentathlon.ratings.skill import Result, Skill, fold
from pentathlon.ratings.verification import verify_pool
from tests.factories import make_match, make_version

pytestmark = pytest.mark.django_db

SAME = "c" * 32


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version(), make_version(), make_version()]


@pytest.fixture
def pool() -> Pool:
    return open_pool(key="game:tuned", game="tuned", title="Tuned", draw_probability=0.1)


def _play(pool: Pool, first: BotVersion, second: BotVersion, *, course: str = SAME) -> Match:
    """Store a match that the first seat wins, and enter it."""
    match = make_match((first, second), state=MatchState.DONE, course=course)
    enter_matches(pool=pool, matches=[match])
    return match


def _reasons(pool: Pool) -> list[str]:
    return list(pool.rows.order_by("seq").values_list("reason", flat=True))


def _skills(pool: Pool) -> dict[int, Skill]:
    return {rating.version_id: rating.skill for rating in pool.ratings.all()}


def _fold_of(*seatings: tuple[BotVersion, BotVersion]) -> dict[int, Skill]:
    """Return the skills after matches that the first seat wins."""
    results = (Result((first.pk, second.pk), (0, 1)) for first, second in seatings)
    return fold(results, draw_probability=0.1)


@pytest.mark.parametrize("limit", [1, 200])
def test_repeat_is_counted_as_played_and_changes_no_rating(
    pool: Pool, versions: list[BotVersion], limit: int
) -> None:
    first, second, _ = versions
    for _ in range(3):
        _play(pool, first, second)

    while apply_pool(pool_id=pool.pk, limit=limit):
        pass

    assert _reasons(pool) == ["", LedgerReason.REPEAT, LedgerReason.REPEAT]
    assert _skills(pool) == _fold_of((first, second))
    assert list(pool.ratings.order_by("version").values_list("wins", "losses")) == [(3, 0), (0, 3)]
    last = RatingChange.objects.filter(row__seq=3, seat=0).get()
    assert (last.mu_before, last.sigma_before) == (last.mu_after, last.sigma_after)
    assert verify_pool(pool_id=pool.pk) == []


def test_other_seats_other_bots_and_other_courses_are_no_repeats(
    pool: Pool, versions: list[BotVersion]
) -> None:
    first, second, third = versions
    _play(pool, first, second)
    _play(pool, second, first)
    _play(pool, first, third)
    _play(pool, first, second, course="d" * 32)

    apply_results()

    assert _reasons(pool) == [""] * 4


def test_matches_of_unknown_course_all_count(pool: Pool, versions: list[BotVersion]) -> None:
    first, second, _ = versions
    for _ in range(2):
        _play(pool, first, second, course="")

    apply_results()

    assert _skills(pool) == _fold_of((first, second), (first, second))


def test_repeat_in_another_pool_counts_there(pool: Pool, versions: list[BotVersion]) -> None:
    other = open_pool(key="tournament:7", game="tuned", title="Cup", draw_probability=0.1)
    _play(pool, *versions[:2])
    _play(other, *versions[:2])

    apply_results()

    assert _reasons(other) == [""]


def test_failure_of_all_stays_one(pool: Pool, versions: list[BotVersion]) -> None:
    for _ in range(2):
        match = make_match(
            versions[:2], state=MatchState.DONE, course=SAME, ranks=(1, 1), faults={0: "crash"}
        )
        enter_matches(pool=pool, matches=[match])

    apply_results()

    assert _reasons(pool) == [LedgerReason.ALL_FAILED] * 2


def test_first_repeat_counts_when_the_original_is_taken_back(
    pool: Pool, versions: list[BotVersion]
) -> None:
    first, second, third = versions
    original = _play(pool, first, second)
    _play(pool, second, third)
    _play(pool, first, second)
    _play(pool, first, second)
    apply_results()

    Match.objects.filter(pk=original.pk).update(is_revoked=True)
    revoke_results(match_ids=[original.pk])
    apply_results()

    assert _reasons(pool) == [LedgerReason.REVOKED, "", "", LedgerReason.REPEAT]
    assert _skills(pool) == _fold_of((second, third), (first, second))
    assert verify_pool(pool_id=pool.pk) == []


def test_recompute_leaves_every_bit(pool: Pool, versions: list[BotVersion]) -> None:
    for number in range(8):
        _play(pool, versions[number % 2], versions[2], course=SAME)
    apply_results()
    before = _skills(pool)

    recompute_pool(pool_id=pool.pk)

    assert _skills(pool) == before == _fold_of(*((each, versions[2]) for each in versions[:2]))


@pytest.mark.parametrize("wrong", ["", LedgerReason.REPEAT])
def test_wrong_mark_is_noticed(pool: Pool, versions: list[BotVersion], wrong: str) -> None:
    _play(pool, *versions[:2])
    _play(pool, *versions[:2])
    apply_results()
    seq = 2 if wrong == "" else 1
    pool.rows.filter(seq=seq).update(reason=wrong)

    places = [difference.place for difference in verify_pool(pool_id=pool.pk)]

    row = pool.rows.get(seq=seq)
    assert f"ledger row {row.pk} of match {row.match_id}" in places


def test_new_epoch_knows_repeats(
    pool: Pool, versions: list[BotVersion], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(epochs, "FEWEST_RESULTS", 3)
    for number in range(6):
        _play(pool, versions[0], versions[1 + number % 2])
    apply_results()
    pool.refresh_from_db()

    assert refit(pool=pool).epoch == 2

    new = Pool.objects.get(key=pool.key)
    assert _reasons(new) == ["", "", *[LedgerReason.REPEAT] * 4]
    assert verify_pool(pool_id=new.pk) == []
    _play(new, *versions[:2])
    apply_results()
    assert new.rows.get(seq=7).reason == LedgerReason.REPEAT


def test_numbers_of_an_epoch_are_estimated_from_what_tells(
    pool: Pool, versions: list[BotVersion]
) -> None:
    for number in range(5):
        _play(pool, versions[0], versions[1 + number % 2])
    apply_results()
    pool.refresh_from_db()

    assert len(epochs._latest_results(pool)) == 2


def test_taken_back_rows_keep_their_place(pool: Pool, versions: list[BotVersion]) -> None:
    repeat = [_play(pool, *versions[:2]) for _ in range(2)][1]
    apply_results()

    Match.objects.filter(pk=repeat.pk).update(is_revoked=True)
    revoke_results(match_ids=[repeat.pk])
    apply_results()

    states = list(pool.rows.order_by("seq").values_list("state", flat=True))
    assert states == [LedgerState.APPLIED, LedgerState.REVOKED]
    assert verify_pool(pool_id=pool.pk) == []
