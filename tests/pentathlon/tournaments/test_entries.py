"""Bots that leave a tournament: withdrawn, disqualified, or out of play everywhere."""

from typing import Any

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import disqualify_version, retire_version
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed, NotFound
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool, Rating
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.skill import Skill
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments import services
from pentathlon.tournaments.corrections.orders import requeue_match
from pentathlon.tournaments.entries import withdrawals
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.withdrawals import (
    disqualify_entry,
    settle_entries,
    withdraw_entry,
)
from pentathlon.tournaments.models import Entry, EntryState, Tournament, TournamentState
from pentathlon.tournaments.results.final_table import verify_final_table
from pentathlon.tournaments.results.standings import crosstable, seat_rates, standings
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.services import close_finished, start_tournament
from tests.databases import made_once
from tests.factories import make_staff, make_tournament, make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


def _half_played() -> Tournament:
    """Store a double round robin of three, of which each pair has played its first match."""
    tournament = started(bots=3)
    settle(matches_of(tournament)[::2])
    return tournament


made_cup = made_once(_half_played)


@pytest.fixture
def running(made_cup: Tournament, db: None) -> Tournament:
    return Tournament.objects.get(pk=made_cup.pk)


def _versions(tournament: Tournament) -> list[BotVersion]:
    return [entry.version for entry in tournament.entries.in_order()]


def _disqualify(
    tournament: Tournament, version: BotVersion, actor: User | None = None, **changes: Any
) -> Entry:
    values = {"reason": "It plays for another.", **changes}
    actor = actor or tournament.owner
    return disqualify_entry(actor=actor, tournament=tournament, version_id=version.pk, **values)


def _states(tournament: Tournament, version: BotVersion) -> list[str]:
    own = Match.objects.filter(place__tournament=tournament).of_version(version.pk)
    return list(own.order_by("pk").values_list("state", flat=True))


def _end(tournament: Tournament) -> Tournament:
    """Settle all that waits and close the tournament."""
    settle([each for each in matches_of(tournament) if each.state == MatchState.PENDING])
    while settle_entries() or settle_blocks() or apply_results():
        pass
    close_finished()
    tournament.refresh_from_db()
    return tournament


def _is_exact(tournament: Tournament) -> bool:
    pools = [verify_pool(pool_id=pool.pk) for pool in Pool.objects.all()]
    return not any(pools) and not verify_final_table(tournament_id=tournament.pk)


class TestWithdraw:
    def test_author_withdraws_from_a_running_tournament(self, running: Tournament) -> None:
        first, *_ = _versions(running)

        withdraw_entry(actor=first.bot.owner, tournament=running, version_id=first.pk)

        states = _states(running, first)
        assert set(states) == {"done", "void"}
        void = Match.objects.filter(state=MatchState.VOID).first()
        assert void is not None
        assert void.state_reason == f"{first.label} was withdrawn: Withdrawn by its author."
        entry = running.entries.get(version=first)
        assert (entry.state, entry.left_by) == (EntryState.WITHDRAWN, first.bot.owner)
        assert entry.left_at is not None

    def test_tournament_ends_and_lists_it_last(self, running: Tournament) -> None:
        first, second, third = _versions(running)
        withdraw_entry(actor=running.owner, tournament=running, version_id=first.pk)

        _end(running)

        assert running.state == TournamentState.CLOSED
        rows = standings(running)
        assert [(row.version, row.place) for row in rows] == [
            (second, 1),
            (third, 2),
            (first, None),
        ]
        assert sum(row.chance_of_best for row in rows[:2]) == pytest.approx(1)
        assert [len(row.cells) for row in crosstable(running)] == [3, 3, 3]
        assert _is_exact(running)

    def test_results_so_far_stay(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        before = {row.version.pk: row.points for row in standings(running)}

        withdraw_entry(actor=running.owner, tournament=running, version_id=first.pk)

        assert {row.version.pk: row.points for row in standings(running)} == before

    def test_stranger_may_not(self, running: Tournament) -> None:
        first, *_ = _versions(running)

        with pytest.raises(NotAllowed):
            withdraw_entry(actor=make_user(), tournament=running, version_id=first.pk)

    def test_who_has_left_does_not_leave_again(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        withdraw_entry(actor=running.owner, tournament=running, version_id=first.pk)

        with pytest.raises(Conflict) as caught:
            withdraw_entry(actor=running.owner, tournament=running, version_id=first.pk)

        assert caught.value.code == "not_in_play"

    def test_its_void_matches_are_not_requeued(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        withdraw_entry(actor=running.owner, tournament=running, version_id=first.pk)
        void = Match.objects.filter(state=MatchState.VOID).first()
        assert void is not None

        with pytest.raises(Conflict, match="was withdrawn"):
            requeue_match(actor=running.owner, match=void)


class TestDisqualify:
    def test_results_stay_unless_they_are_taken_back(self, running: Tournament) -> None:
        first, *_ = _versions(running)

        entry = _disqualify(running, first)
        settle_entries()

        assert (entry.state, entry.reason) == (EntryState.DISQUALIFIED, "It plays for another.")
        assert set(_states(running, first)) == {"done", "void"}
        assert not Match.objects.filter(is_revoked=True).exists()
        assert Rating.objects.filter(version=first).count() == 2

    @pytest.mark.parametrize("rated", [True, False])
    def test_results_taken_back_count_nowhere(self, rated: bool) -> None:
        tournament = started(bots=3, rated=rated)
        settle(matches_of(tournament)[:4])
        first, *others = _versions(tournament)
        against = Match.objects.of_version(first.pk).filter(state=MatchState.DONE)
        assert against.exists()

        _disqualify(tournament, first, revoke=True)
        _end(tournament)

        assert not Rating.objects.filter(version=first).exists()
        assert Pool.objects.filter(ratings__version__in=others).distinct().count() == 1 + rated
        rows = {row.version: row for row in standings(tournament)}
        assert [rows[version].points for version in others] == [2, 0]
        assert [rows[version].matches for version in others] == [2, 2]
        assert (rows[first].points, rows[first].place) == (0, None)
        assert rows[first].rating == Skill()
        assert sum(rate.score.meetings for rate in seat_rates(tournament)) == 4
        states = LedgerRow.objects.filter(match__in=against).values_list("state", flat=True)
        assert set(states) == {LedgerState.REVOKED}
        assert _is_exact(tournament)

    def test_before_the_start_it_is_left_out_of_the_schedule(self) -> None:
        versions = [make_version() for _ in range(3)]
        tournament = make_tournament(versions=versions)

        _disqualify(tournament, versions[1])
        with pytest.raises(Conflict, match="was disqualified: It plays"):
            enter_tournament(
                actor=tournament.owner, tournament=tournament, version_id=versions[1].pk
            )
        start_tournament(actor=tournament.owner, tournament=tournament)

        players = {seat.version_id for each in matches_of(tournament) for seat in each.seats.all()}
        assert players == {versions[0].pk, versions[2].pk}

    def test_paused_tournament_loses_it_at_once(self, running: Tournament) -> None:
        services.pause_tournament(actor=running.owner, tournament=running)
        first, *_ = _versions(running)

        _disqualify(running, first)

        assert "pending" not in _states(running, first)

    def test_closed_tournament_gets_its_table_anew(self, running: Tournament) -> None:
        _end(running)
        first, second, third = _versions(running)
        assert [row.version for row in standings(running)] == [first, second, third]

        _disqualify(running, first, revoke=True)
        _end(running)

        assert running.state == TournamentState.CLOSED
        assert [row.version for row in standings(running)] == [second, third, first]
        assert _is_exact(running)

    def test_disqualification_may_be_made_stricter(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        _disqualify(running, first)

        _disqualify(running, first, revoke=True)

        assert Match.objects.filter(is_revoked=True).exists()
        with pytest.raises(Conflict):
            _disqualify(running, first, revoke=True)

    def test_only_the_organiser_may(self, running: Tournament) -> None:
        first, *_ = _versions(running)

        for actor in (first.bot.owner, make_user(organiser=True)):
            with pytest.raises(NotAllowed):
                _disqualify(running, first, actor)

    @pytest.mark.parametrize("reason", ["", "  ", "x" * 201, "two\nlines"])
    def test_reason_is_demanded(self, running: Tournament, reason: str) -> None:
        with pytest.raises(InvalidInput) as caught:
            _disqualify(running, _versions(running)[0], reason=reason)

        assert caught.value.field == "reason"

    def test_who_never_entered_is_not_found(self, running: Tournament) -> None:
        with pytest.raises(NotFound):
            _disqualify(running, make_version())

    def test_match_that_ends_meanwhile_is_taken_back_too(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        _disqualify(running, first, revoke=True)
        late = Match.objects.of_version(first.pk).filter(state=MatchState.VOID)[:1]
        settle(list(late))

        _end(running)

        assert not Rating.objects.filter(version=first).exists()
        assert _is_exact(running)


class TestOutOfPlay:
    def test_retired_version_leaves_and_the_tournament_ends(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        retire_version(actor=first.bot.owner, version=first)
        assert not Match.objects.startable().of_version(first.pk).exists()

        settle_entries()

        assert set(_states(running, first)) == {"done", "void"}
        entry = running.entries.get(version=first)
        assert (entry.state, entry.reason) == (EntryState.WITHDRAWN, "Retired by its author.")
        assert _end(running).state == TournamentState.CLOSED

    def test_stopped_version_leaves_with_the_reason(self, running: Tournament) -> None:
        first, *_ = _versions(running)
        reason = "Stopped after 5 faults at its start in a row."
        BotVersion.objects.filter(pk=first.pk).update(
            state=VersionState.STOPPED, state_reason=reason
        )

        settle_entries()

        void = Match.objects.filter(state=MatchState.VOID).first()
        assert void is not None
        assert void.state_reason == f"{first.label} was withdrawn: {reason}"

    def test_version_disqualified_by_staff_is_listed_as_that(self, running: Tournament) -> None:
        staff, (first, *_) = make_staff(), _versions(running)
        disqualify_version(actor=staff, version=first, reason="It calls home.")

        settle_entries()

        entry = running.entries.get(version=first)
        assert (entry.state, entry.reason) == (EntryState.DISQUALIFIED, "It calls home.")

    def test_its_matches_are_not_requeued(self, running: Tournament) -> None:
        services.pause_tournament(actor=running.owner, tournament=running)
        match = matches_of(running)[-1]
        Match.objects.filter(pk=match.pk).update(state=MatchState.VOID)
        BotVersion.objects.all().update(state=VersionState.RETIRED)

        with pytest.raises(DomainError, match="no longer scheduled"):
            requeue_match(actor=running.owner, match=match)

    def test_nothing_is_left_to_do_afterwards(self, running: Tournament) -> None:
        retire_version(actor=_versions(running)[0].bot.owner, version=_versions(running)[0])
        settle_entries()

        assert settle_entries() == 0


def test_many_matches_are_called_off_in_batches(
    running: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(withdrawals, "_BATCH", 1)
    versions = _versions(running)
    last = max(versions, key=lambda version: _states(running, version).count("pending"))
    waiting = _states(running, last).count("pending")
    assert waiting > 1

    _disqualify(running, last, revoke=True)
    assert _states(running, last).count("pending") == waiting - 1
    assert not Tournament.objects.finished().exists()
    while settle_entries():
        pass
    _end(running)

    assert _states(running, last).count("void") == waiting
    assert running.state == TournamentState.CLOSED
    assert _is_exact(running)
