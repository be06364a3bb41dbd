"""Blocks on ladders in which a match was not played."""

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.ladders.membership import leave_ladder
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.ratings.models import LedgerState, Rating
from pentathlon.ratings.recompute import recompute_outdated
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.batches import Block, BlockState
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.blocks import MOST_REPLAYS, settle_blocks
from pentathlon.tournaments.scheduling.verification import schedule_differences
from tests.factories import make_version
from tests.pentathlon.ladders.playing import division_of, open_ladder, play_waiting, seat_all, step

pytestmark = pytest.mark.django_db

HOST_FAILED = "Three workers failed."


def _first_block() -> tuple[Tournament, BotVersion]:
    """Pair two bots for a first block of two matches."""
    ladder = open_ladder(slots=1)
    version = make_version()
    make_version()
    seat_all()
    step()
    return division_of(ladder).tournament, version


def _legs(tournament: Tournament) -> list[Match]:
    matches = Match.objects.filter(place__tournament=tournament, place__block=1)
    return list(matches.order_by("place__index"))


def _void(match: Match) -> None:
    void_matches(matches=Match.objects.filter(pk=match.pk), reason=HOST_FAILED)
    apply_results()
    settle_blocks()


def _state(tournament: Tournament) -> str:
    return Block.objects.get(tournament=tournament, number=1).state


def _is_stale() -> bool:
    return any(rating.pool.is_stale for rating in Rating.objects.select_related("pool"))


def test_whole_block_is_complete() -> None:
    tournament, _ = _first_block()

    play_waiting()
    settle_blocks()

    assert _state(tournament) == BlockState.COMPLETE
    assert list(schedule_differences(tournament)) == []


def test_match_that_the_platform_could_not_play_is_queued_again() -> None:
    tournament, _ = _first_block()
    leg, other = _legs(tournament)
    seed = leg.seed
    play_waiting(only=other.pk)

    _void(leg)

    leg.refresh_from_db()
    assert (leg.state, leg.seed) == (MatchState.PENDING, seed)
    play_waiting()
    settle_blocks()
    assert _state(tournament) == BlockState.COMPLETE
    assert set(leg.ledger_rows.values_list("state", flat=True)) == {LedgerState.APPLIED}


def test_block_that_the_platform_cannot_play_counts_nowhere() -> None:
    tournament, _ = _first_block()
    leg, other = _legs(tournament)
    play_waiting(only=other.pk)

    for _ in range(MOST_REPLAYS + 1):
        _void(leg)
    recompute_outdated()

    other.refresh_from_db()
    assert (_state(tournament), other.is_revoked) == (BlockState.VOID, True)
    assert set(other.ledger_rows.values_list("state", flat=True)) == {LedgerState.REVOKED}


def test_block_of_a_bot_that_has_gone_counts_as_far_as_it_was_played() -> None:
    tournament, version = _first_block()
    leg, other = _legs(tournament)
    play_waiting(only=leg.pk)
    BotVersion.objects.filter(pk=version.pk).update(state=VersionState.RETIRED)

    settle_entries()
    step()
    apply_results()
    settle_blocks()

    leg.refresh_from_db()
    other.refresh_from_db()
    assert (leg.state, other.state) == (MatchState.DONE, MatchState.VOID)
    assert (_state(tournament), leg.is_revoked) == (BlockState.PARTIAL, False)
    assert set(leg.ledger_rows.values_list("state", flat=True)) == {LedgerState.APPLIED}
    assert not _is_stale(), "a leaderboard is not recomputed because somebody retires a bot"
    assert all(verify_pool(pool_id=row.pool_id) == [] for row in leg.ledger_rows.all())
    assert settle_blocks() == 0


def test_block_of_a_bot_whose_author_had_it_leave_is_played_whole() -> None:
    tournament, version = _first_block()
    ladder = division_of(open_ladder(slots=0)).season.ladder
    leave_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    leg, other = _legs(tournament)
    play_waiting(only=other.pk)

    _void(leg)
    play_waiting()
    settle_blocks()

    assert _state(tournament) == BlockState.COMPLETE
