"""A count is shared while it is costly, and never wrong for longer than that."""

import pytest
from pytest_django import DjangoAssertNumQueries

from pentathlon.matches.models import MatchState
from pentathlon.tournaments import tallying
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentState
from pentathlon.tournaments.tallying import Counts, recent_counts
from tests.factories import make_match, make_tournament, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament() -> Tournament:
    return make_tournament(versions=[make_version() for _ in range(3)])


def play(tournament: Tournament) -> None:
    index = TournamentMatch.objects.filter(tournament=tournament).count() + 1
    match = make_match([make_version(), make_version()], state=MatchState.DONE)
    for seat in match.seats.all():
        seat.rank = seat.seat
        seat.save()
    TournamentMatch.objects.create(
        tournament=tournament, match=match, round=1, block=index, index=index
    )


def matches(counts: Counts) -> int:
    return sum(tally.matches for tally in counts.tallies.values()) // 2


def test_every_new_result_of_a_small_tournament_counts_at_once(tournament: Tournament) -> None:
    seen = []
    for _ in range(3):
        play(tournament)
        seen.append(matches(recent_counts(tournament)))

    assert seen == [1, 2, 3]


def test_nothing_new_is_not_counted_again(
    tournament: Tournament, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    play(tournament)
    first = recent_counts(tournament)

    with django_assert_num_queries(1):
        assert recent_counts(tournament) is first


@pytest.mark.parametrize("has_ended", [False, True])
def test_costly_count_is_shared_until_the_tournament_ends(
    has_ended: bool, tournament: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallying, "_CHEAP_S", 0.0)
    monkeypatch.setattr(tallying, "_REST", 1e9)
    play(tournament)
    recent_counts(tournament)
    play(tournament)
    if has_ended:
        tournament.state = TournamentState.CLOSED

    assert matches(recent_counts(tournament)) == (2 if has_ended else 1)


def test_memory_holds_so_many_tournaments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "_KEPT", 2)
    memory = tallying._Memory()

    for _ in range(4):
        memory.read(make_tournament(versions=[]))

    assert len(memory._kept) == len(memory._counting) == 2
