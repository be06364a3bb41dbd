"""Results played by broken rules are taken back, whole blocks of them."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import LedgerState, Pool, live_key
from pentathlon.ratings.services import apply_results, enter_matches, open_live_pool
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.batches import Block, BlockState
from pentathlon.tournaments.corrections import revocations
from pentathlon.tournaments.corrections.revocations import count_results, revoke_rules
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.services import close_finished
from tests.factories import make_match, make_version
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db

BROKEN = 77
"""A version of the rules that never existed."""


@pytest.fixture
def cup() -> Tournament:
    """Return a closed cup of four bots; its first two blocks were played by broken rules."""
    tournament = started()
    settle(matches_of(tournament))
    settle_blocks()
    close_finished()
    numbers = list(tournament.blocks.order_by("number").values_list("number", flat=True)[:2])
    legs = tournament.tournament_matches.filter(block__in=numbers)
    Match.objects.filter(place__in=legs).update(rules_version=BROKEN)
    tournament.refresh_from_db()
    assert tournament.state == TournamentState.CLOSED
    return tournament


def _command(*arguments: str) -> str:
    said = StringIO()
    call_command(
        *("revoke_results", "--game", "tuned", "--rules", str(BROKEN), "--reason", "A bug."),
        *arguments,
        stdout=said,
    )
    return said.getvalue()


def test_dry_run_counts_and_changes_nothing(cup: Tournament) -> None:
    said = _command()

    assert "4 results of matches" in said
    assert "2 blocks of 1 tournaments" in said
    assert "1 of these are closed" in said
    assert f"4 results that count in {live_key('tuned')}" in said
    assert f"4 results that count in tournament:{cup.pk}" in said
    assert "Nothing was changed" in said
    assert not Match.objects.filter(is_revoked=True).exists()
    assert FinalRow.objects.filter(entry__tournament=cup).exists()


def test_results_are_taken_back_everywhere(cup: Tournament) -> None:
    said = _command("--yes")

    assert "Revoked" in said
    gone = Match.objects.filter(rules_version=BROKEN)
    assert set(gone.values_list("is_revoked", flat=True)) == {True}
    assert Match.objects.exclude(rules_version=BROKEN).filter(is_revoked=True).count() == 0
    void = Block.objects.filter(tournament=cup, state=BlockState.VOID)
    assert set(void.values_list("reason", flat=True)) == {"A bug."}
    assert void.count() == 2
    pools = Pool.objects.all()
    assert [(pool.is_stale, verify_pool(pool_id=pool.pk)) for pool in pools] == [(False, [])] * 2
    live = Pool.objects.get(key=live_key("tuned"))
    assert live.rows.filter(state=LedgerState.REVOKED).count() == 4
    assert sum(live.ratings.values_list("matches", flat=True)) == 2 * 8


def test_closed_tournament_gets_a_new_final_table(cup: Tournament) -> None:
    revoke_rules(game="tuned", rules=BROKEN, reason="A bug.")
    cup.refresh_from_db()
    assert cup.state == TournamentState.RUNNING

    close_finished()

    cup.refresh_from_db()
    assert cup.state == TournamentState.CLOSED
    assert FinalRow.objects.filter(entry__tournament=cup).count() == 4


def test_second_time_finds_nothing(cup: Tournament) -> None:
    revoke_rules(game="tuned", rules=BROKEN, reason="A bug.")
    version = Tournament.objects.get(pk=cup.pk).results_version

    again = revoke_rules(game="tuned", rules=BROKEN, reason="A bug.")

    assert (again.matches, again.blocks, again.results) == (0, 0, {})
    assert Tournament.objects.get(pk=cup.pk).results_version == version


def test_many_are_taken_back_in_parts(cup: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revocations, "_AT_ONCE", 1)

    revoke_rules(game="tuned", rules=BROKEN, reason="A bug.")

    assert count_results(game="tuned", rules=BROKEN).matches == 0


def test_results_without_a_block_are_taken_back() -> None:
    pool = open_live_pool(game="tuned")
    versions = [make_version(), make_version()]
    matches = [
        make_match(versions, state=MatchState.DONE, kind=MatchKind.LADDER, rules_version=rules)
        for rules in (BROKEN, BROKEN + 1, BROKEN)
    ]
    enter_matches(pool=pool, matches=matches)
    apply_results()

    found = revoke_rules(game="tuned", rules=BROKEN, reason="A bug.")

    assert (found.matches, found.tournaments, found.results) == (2, 0, {pool.key: 2})
    revoked = Match.objects.filter(is_revoked=True).order_by("pk")
    assert list(revoked) == [matches[0], matches[2]]
    assert verify_pool(pool_id=pool.pk) == []


def test_other_games_and_rules_stay(cup: Tournament) -> None:
    before = Match.objects.filter(is_revoked=False).count()

    revoke_rules(game="azure", rules=BROKEN, reason="A bug.")
    revoke_rules(game="tuned", rules=BROKEN + 1, reason="A bug.")

    assert Match.objects.filter(is_revoked=False).count() == before


def test_reason_is_demanded(cup: Tournament) -> None:
    with pytest.raises(CommandError):
        call_command("revoke_results", "--game", "tuned", "--rules", "1", "--reason", "", "--yes")
    assert not Match.objects.filter(is_revoked=True).exists()
