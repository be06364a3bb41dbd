"""When a seed may be shown: not before every match with it is done, or the tournament over."""

import pytest
from django.db import connection

from pentathlon.core.errors import Conflict
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.tournaments.corrections.orders import requeue_match
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.scheduling import blocks
from pentathlon.tournaments.scheduling.secrecy import check_unsealed, sealed_blocks, with_seals
from pentathlon.tournaments.services import cancel_tournament, close_finished
from tests.factories import make_match
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a block be void as soon as one of its legs is."""
    monkeypatch.setattr(blocks, "MOST_REPLAYS", 0)


def _sealed(*matches: Match) -> list[bool]:
    found = with_seals(Match.objects.all()).in_bulk([match.pk for match in matches])
    return [found[match.pk].is_sealed for match in matches]


def _with_void_leg() -> tuple[Tournament, Match, Match]:
    """Return a running tournament, and a block of which one leg is done and one void."""
    tournament = started(bots=3)
    done, void, *_ = matches_of(tournament)
    settle([done])
    void_matches(matches=Match.objects.filter(pk=void.pk), reason="Hosts failed.")
    return tournament, done, void


def test_seed_of_a_done_leg_waits_for_the_other_leg() -> None:
    first, second, other, _ = matches_of(started(bots=3))[:4]

    settle([first])
    between = _sealed(first, second, other)
    settle([second])

    assert between == [True, True, True]
    assert _sealed(first, second, other) == [False, False, True]


def test_record_can_be_had_with_the_seed_and_not_before() -> None:
    tournament = started(bots=2)
    first, second = matches_of(tournament)
    settle([first])

    with pytest.raises(Conflict) as caught:
        check_unsealed(first)
    settle([second])

    assert caught.value.code == "sealed"
    check_unsealed(first)
    check_unsealed(second)


def test_void_leg_keeps_its_block_sealed_while_it_may_be_requeued() -> None:
    tournament, done, void = _with_void_leg()

    assert _sealed(done, void) == [True, True]
    assert sealed_blocks(tournament.tournament_matches.all()) == {1, 2, 3}


def test_close_reveals_the_secret_and_what_void_legs_sealed() -> None:
    tournament, done, void = _with_void_leg()
    settle(matches_of(tournament)[2:])

    close_finished()

    tournament.refresh_from_db()
    assert tournament.state == TournamentState.CLOSED
    assert tournament.revealed_secret == tournament.secret
    assert _sealed(done, void) == [False, False]
    assert sealed_blocks(tournament.tournament_matches.all()) == set()


def test_requeue_after_the_close_does_not_pretend_to_hide_the_secret_again() -> None:
    tournament, _, void = _with_void_leg()
    settle(matches_of(tournament)[2:])
    close_finished()
    tournament.refresh_from_db()
    revealed = tournament.revealed_at

    requeue_match(actor=tournament.owner, match=void)
    settle([match for match in matches_of(tournament) if match.state == MatchState.PENDING])
    close_finished()

    tournament.refresh_from_db()
    assert tournament.revealed_at == revealed
    assert tournament.revealed_secret == tournament.secret


def test_cancelling_reveals_everything() -> None:
    tournament = started(bots=3)

    cancelled = cancel_tournament(actor=tournament.owner, tournament=tournament)

    assert cancelled.revealed_secret == tournament.secret
    assert not any(_sealed(*matches_of(tournament)))


@pytest.mark.parametrize("state", [MatchState.PENDING, MatchState.RUNNING])
def test_match_outside_of_tournaments_is_sealed_until_it_is_done(state: MatchState) -> None:
    waiting, done = make_match(state=state), make_match(state=MatchState.DONE)

    assert _sealed(waiting, done) == [True, False]


def test_blocks_of_other_tournaments_are_nobodys_business() -> None:
    first, second = started(bots=2), started(bots=2)

    settle(matches_of(first))

    assert sealed_blocks(first.tournament_matches.all()) == set()
    assert sealed_blocks(second.tournament_matches.all()) == {1}
    assert _sealed(*matches_of(first)) == [False, False]


def test_seal_of_a_waiting_match_costs_the_same_in_a_long_lane() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL skips parts of a condition by itself")
    long = [make_match(lane=7) for _ in range(60)]
    short = make_match(lane=8)

    assert _steps(long[0]) == _steps(short)


def _steps(match: Match) -> int:
    """Return how many steps of its virtual machine SQLite takes to read a match with its seal."""
    steps: list[None] = []
    with_seals(Match.objects.filter(pk=match.pk)).get()  # connected
    connection.connection.set_progress_handler(lambda: steps.append(None), 1)
    try:
        with_seals(Match.objects.filter(pk=match.pk)).get()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return len(steps)
