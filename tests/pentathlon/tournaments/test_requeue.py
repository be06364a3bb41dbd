"""Void matches that are played after all, and tournaments that close around them."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from structlog.testing import capture_logs

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.matches.attempts import MAX_ATTEMPTS
from pentathlon.matches.models import Attempt, Match, MatchKind, MatchState
from pentathlon.matches.services import fail_attempt
from pentathlon.ratings import services as ratings
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments import services
from pentathlon.tournaments.corrections.orders import requeue_match
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.results import final_table
from pentathlon.tournaments.results.final_table import final_rows, verify_final_table
from pentathlon.tournaments.scheduling import blocks
from tests.factories import make_match, make_user
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a block be void as soon as one of its legs is."""
    monkeypatch.setattr(blocks, "MOST_REPLAYS", 0)


def _play_rest(tournament: Tournament) -> None:
    settle([match for match in matches_of(tournament) if match.state == MatchState.PENDING])


def _fail(match: Match) -> Match:
    """Let three hosts fail a match."""
    for _ in range(MAX_ATTEMPTS):
        job = claimed(match)
        fail_attempt(match_id=match.pk, token=job.token, reason="no bwrap")
    apply_results()
    return Match.objects.get(pk=match.pk)


def _requeue(match: Match, tournament: Tournament, actor: User | None = None) -> Match:
    return requeue_match(actor=actor or tournament.owner, match=match)


def _play(match: Match) -> None:
    job = claimed(match)
    submit(job, record_of(job))


def test_void_match_waits_again_and_keeps_its_attempts() -> None:
    tournament = started(bots=2)
    match = _fail(matches_of(tournament)[0])
    assert (match.state, match.state_reason) == (MatchState.VOID, "no bwrap")

    requeued = _requeue(match, tournament)

    assert (requeued.state, requeued.state_reason) == (MatchState.PENDING, "")
    assert (requeued.finished_at, requeued.host_faults) == (None, 0)
    assert requeued.attempts_made == Attempt.objects.filter(match=match).count() == 3


def test_requeued_match_may_fail_as_often_as_a_new_one() -> None:
    tournament = started(bots=2)
    match = _fail(matches_of(tournament)[0])
    _requeue(match, tournament)

    job = claimed(match)
    fail_attempt(match_id=match.pk, token=job.token, reason="again")

    match.refresh_from_db()
    assert (match.state, job.attempt) == (MatchState.PENDING, 4)


def test_result_after_all_counts_once_in_every_pool() -> None:
    tournament = started(bots=2)
    first, *others = matches_of(tournament)
    _fail(first)
    assert set(LedgerRow.objects.filter(match=first).values_list("state", flat=True)) == {
        LedgerState.SKIPPED
    }
    for match in others:
        _play(match)
    apply_results()

    _requeue(first, tournament)
    _play(first)
    while apply_results():
        pass

    assert not LedgerRow.objects.exclude(state=LedgerState.APPLIED).exists()
    for pool in Pool.objects.all():
        assert pool.applied_seq == len(others) + 1
        assert verify_pool(pool_id=pool.pk) == []


def test_tournament_that_closed_without_it_runs_again() -> None:
    tournament = started(bots=3)
    first, *others = matches_of(tournament)
    _fail(first)
    settle(others)
    services.close_finished()
    before = list(FinalRow.objects.order_by("place").values_list("mu", flat=True))

    _requeue(first, tournament)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.finished_at) == (TournamentState.RUNNING, None)
    assert not FinalRow.objects.exists()
    _play_rest(tournament)
    services.close_finished()

    tournament.refresh_from_db()
    assert tournament.state == TournamentState.CLOSED
    assert list(FinalRow.objects.order_by("place").values_list("mu", flat=True)) != before


def test_match_of_a_paused_tournament_is_held() -> None:
    tournament = started(bots=2)
    match = _fail(matches_of(tournament)[0])
    services.pause_tournament(actor=tournament.owner, tournament=tournament)

    _requeue(match, tournament)

    assert not Match.objects.startable().exists()


class TestRefused:
    @pytest.mark.parametrize("state", [MatchState.PENDING, MatchState.RUNNING, MatchState.DONE])
    def test_match_that_is_not_void(self, state: MatchState) -> None:
        tournament = started(bots=2)
        match = matches_of(tournament)[0]
        if state != MatchState.PENDING:
            claimed(match)
        if state == MatchState.DONE:
            settle([match])

        with pytest.raises(Conflict) as caught:
            _requeue(match, tournament)

        assert caught.value.code == "not_void"

    def test_somebody_elses_tournament(self) -> None:
        tournament = started(bots=2)
        match = _fail(matches_of(tournament)[0])

        with pytest.raises(NotAllowed) as caught:
            _requeue(match, tournament, make_user(organiser=True))

        assert caught.value.code == "not_your_tournament"
        assert Match.objects.get(pk=match.pk).state == MatchState.VOID

    def test_match_without_a_tournament(self) -> None:
        match = make_match(state=MatchState.VOID, kind=MatchKind.VALIDATION)

        with pytest.raises(NotAllowed) as caught:
            requeue_match(actor=make_user(organiser=True), match=match)

        assert caught.value.code == "not_in_a_tournament"

    def test_cancelled_tournament(self) -> None:
        tournament = started(bots=2)
        services.cancel_tournament(actor=tournament.owner, tournament=tournament)

        with pytest.raises(Conflict) as caught:
            _requeue(matches_of(tournament)[0], tournament)

        assert caught.value.code == "wrong_state"


class TestClosing:
    def test_broken_final_table_keeps_no_other_tournament_open(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken, sound = started(bots=2), started(bots=2)
        for tournament in (broken, sound):
            settle(matches_of(tournament))

        def fail_for_one(tournament: Tournament) -> list[FinalRow]:
            if tournament.pk == broken.pk:
                raise ArithmeticError("no fit")
            return final_rows(tournament)

        monkeypatch.setattr(services, "final_rows", fail_for_one)

        with capture_logs() as logs:
            services.close_finished()

        assert [line["key"] for line in logs if line["log_level"] == "error"] == [broken.pk]
        states = dict(Tournament.objects.values_list("pk", "state"))
        assert states == {broken.pk: "running", sound.pk: "closed"}

    def test_match_requeued_meanwhile_keeps_it_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tournament = started(bots=2)
        first, *others = matches_of(tournament)
        _fail(first)
        settle(others)

        def requeue_in_between(found: Tournament) -> list[FinalRow]:
            rows = final_rows(found)
            _requeue(first, tournament)
            return rows

        monkeypatch.setattr(services, "final_rows", requeue_in_between)

        assert services.close_finished() == []
        tournament.refresh_from_db()
        assert tournament.state == TournamentState.RUNNING
        assert not FinalRow.objects.exists()

    def test_final_table_follows_from_all_results(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tournament = started(bots=3)
        first, *others = matches_of(tournament)
        _fail(first)
        settle(others)

        def play_after_all_in_between(found: Tournament) -> list[FinalRow]:
            rows = final_rows(found)
            _requeue(first, tournament)
            _play_rest(tournament)
            return rows

        monkeypatch.setattr(services, "final_rows", play_after_all_in_between)
        assert services.close_finished() == []
        monkeypatch.undo()

        assert services.close_finished() == [tournament]
        assert verify_final_table(tournament_id=tournament.pk) == []


class TestVerification:
    def test_table_that_lacks_a_result_is_found(self) -> None:
        tournament = started(bots=3)
        first, *others = matches_of(tournament)
        settle(others)
        old = {row.entry_id: row.mu for row in final_rows(tournament)}
        settle([first])
        services.close_finished()
        assert verify_final_table(tournament_id=tournament.pk) == []
        for entry, mu in old.items():
            FinalRow.objects.filter(entry=entry).update(mu=mu)

        found = verify_final_table(tournament_id=tournament.pk)

        assert {each.pool for each in found} == {f"tournament:{tournament.pk}"}
        with pytest.raises(CommandError, match="final table"):
            call_command("verify_ratings", stdout=StringIO())

    def test_missing_row_is_found(self) -> None:
        tournament = started(bots=2)
        settle(matches_of(tournament))
        services.close_finished()
        row = FinalRow.objects.order_by("place")[0]
        row.delete()

        found = verify_final_table(tournament_id=tournament.pk)

        assert [each.stored for each in found] == [None]

    def test_command_names_each_closed_tournament(self) -> None:
        closed, running = started(bots=2), started(bots=2)
        settle(matches_of(closed))
        services.close_finished()
        out = StringIO()

        call_command("verify_ratings", stdout=out)

        assert f"tournament:{closed.pk}: final table equal bit by bit" in out.getvalue()
        assert f"tournament:{running.pk}: final table" not in out.getvalue()

    def test_tournament_requeued_meanwhile_is_left_alone(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tournament = started(bots=3)
        first, *others = matches_of(tournament)
        _fail(first)
        settle(others)
        services.close_finished()

        def requeue_in_between(found: Tournament) -> list[FinalRow]:
            _requeue(first, tournament)
            _play_rest(tournament)
            return final_rows(found)

        monkeypatch.setattr(final_table, "final_rows", requeue_in_between)

        assert verify_final_table(tournament_id=tournament.pk) == []


def test_broken_pool_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = started(bots=2)
    for match in matches_of(tournament):
        _play(match)
    broken = tournament.pool_id
    apply_pool = ratings.apply_pool

    def fail_for_one(*, pool_id: int, limit: int) -> int:
        if pool_id == broken:
            raise ArithmeticError("no skill")
        return apply_pool(pool_id=pool_id, limit=limit)

    monkeypatch.setattr(ratings, "apply_pool", fail_for_one)

    with capture_logs() as logs:
        apply_results()

    assert [line["key"] for line in logs if line["log_level"] == "error"] == [broken]

    ready = LedgerRow.objects.ready()
    assert set(ready.values_list("pool", flat=True)) == {broken}
