from hashlib import sha256
from typing import Any

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.errors import (
    Conflict,
    DomainError,
    InvalidInput,
    NotAllowed,
    NotFound,
    Problems,
    TooLarge,
)
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.ratings.models import LedgerRow, Pool
from pentathlon.tournaments import services
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentMatch, TournamentState
from pentathlon.tournaments.scheduling import blocks
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament import checks as document_checks
from tests.factories import SECRET, make_match, make_tournament, make_user, make_version
from tests.pentathlon.together import all_at_once
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    """Somebody who may create tournaments."""
    return make_user(organiser=True)


def _create(owner: User, **changes: Any) -> Tournament:  # Any: what a caller may get wrong
    return open_cup(owner, **changes)


class TestCreate:
    def test_tournament_is_open_with_its_entries_in_order(self, owner: User) -> None:
        versions = [make_version() for _ in range(3)]

        tournament = _create(owner, versions=[version.pk for version in reversed(versions)])

        assert tournament.state == TournamentState.OPEN
        assert [entry.version for entry in tournament.entries.in_order()] == versions[::-1]
        assert [entry.number for entry in tournament.entries.in_order()] == [0, 1, 2]

    def test_secret_is_drawn_and_only_its_commitment_is_public(self, owner: User) -> None:
        first, second = _create(owner), _create(owner)

        assert first.secret != second.secret
        assert len(bytes.fromhex(first.secret)) == 32
        assert first.commitment == sha256(bytes.fromhex(first.secret)).hexdigest()
        assert first.revealed_secret is None
        assert not first.secret_given

    def test_unrated_replay_may_bring_its_secret(self, owner: User) -> None:
        tournament = _create(owner, secret=SECRET, draw_probability=0.2, rated=False)

        assert (tournament.secret, tournament.secret_given) == (SECRET, True)
        assert tournament.draw_probability == 0.2

    def test_game_decides_what_is_left_out(self, owner: User) -> None:
        tournament = _create(owner)

        assert tournament.table_seats == 2
        assert tournament.rules_version >= 1

    @pytest.mark.parametrize(
        ("changes", "code", "field"),
        [
            ({"name": "  "}, "bad_name", "name"),
            ({"name": "x" * 81}, "bad_name", "name"),
            ({"name": "Cup \u202egnp"}, "bad_name", "name"),
            ({"name": "two\nlines"}, "bad_name", "name"),
            ({"game": "chess"}, "unknown_game", "game"),
            ({"format": "lottery"}, "unknown_format", "scheduler"),
            ({"table_seats": 9}, "bad_seats", "table_seats"),
            ({"cycles": 0}, "bad_parameter", "params.cycles"),
            ({"cycles": 101}, "bad_parameter", "params.cycles"),
            ({"entries_per_author": 0}, "invalid", "entries_per_author"),
            ({"entries_per_author": 201}, "invalid", "entries_per_author"),
            ({"secret": SECRET}, "rated_replay", "secret"),
            ({"draw_probability": 0.2}, "rated_replay", "draw_probability"),
            ({"secret": "7", "rated": False}, "invalid", "secret"),
            ({"secret": SECRET.upper(), "rated": False}, "invalid", "secret"),
            ({"draw_probability": 0.9, "rated": False}, "invalid", "draw_probability"),
            ({"options": {"no such": 1}}, "bad_option", "options.no such"),
            (
                {"game": "way_of_the_dragon", "table_seats": 3, "options": {"start_seat": "3"}},
                "bad_option",
                "options",
            ),
            (
                {"game": "tash_kalar", "options": {"decks": ["everfrost", "drawn"]}},
                "unofficial_option",
                "options",
            ),
            (
                {"game": "tash_kalar", "options": {"decks": ["highland", "etherweave"]}},
                "unofficial_option",
                "options",
            ),
            (
                {"game": "tash_kalar", "options": {"decks": ["sylvan", "nethervoid"]}},
                "unofficial_option",
                "options",
            ),
            ({"limits": {"stderr_bytes": 1}}, "unknown_limit", "limits.stderr_bytes"),
            ({"limits": {"memory_mb": 10**6}}, "bad_limit", "limits.memory_mb"),
            ({"limits": {"action_cpu_s": True}}, "bad_limit", "limits.action_cpu_s"),
            ({"limits": {"action_cpu_s": "fast"}}, "bad_limit", "limits.action_cpu_s"),
            ({"versions": [10**9]}, "unknown_bots", "versions.0"),
        ],
    )
    def test_what_cannot_be_used_is_refused_by_field(
        self, owner: User, changes: dict[str, Any], code: str, field: str
    ) -> None:
        with pytest.raises(InvalidInput) as caught:
            _create(owner, **changes)

        assert (caught.value.code, caught.value.field) == (code, field)
        assert not Tournament.objects.exists()

    def test_bots_that_may_not_play_are_named_with_the_reason(self, owner: User) -> None:
        good = make_version()
        fresh = make_version(name="fresh", state=VersionState.VALIDATING)
        other = make_version(name="other")
        other.games.update(game="chess")

        with pytest.raises(InvalidInput) as caught:
            _create(owner, versions=[good.pk, fresh.pk, other.pk])

        assert isinstance(caught.value, Problems)
        assert [(each.code, each.field, each.detail) for each in caught.value.errors] == [
            (
                "ineligible_bots",
                "versions.1",
                "fresh v1 is not eligible for tuned: being validated.",
            ),
            ("ineligible_bots", "versions.2", "other v1 is not eligible for tuned: plays chess."),
        ]

    def test_same_bot_twice_is_refused(self, owner: User) -> None:
        version = make_version()

        with pytest.raises(InvalidInput) as caught:
            _create(owner, versions=[version.pk, version.pk])

        assert caught.value.code == "duplicate_bots"

    def test_too_many_matches_are_refused(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(document_checks, "MOST_MATCHES", 5)

        with pytest.raises(TooLarge) as caught:
            _create(owner, versions=[make_version().pk for _ in range(3)])

        assert caught.value.code == "too_many_matches"
        assert "3 bots make up to 6 matches" in caught.value.detail
        assert caught.value.allowed == {"maxItems": 2}

    def test_too_many_bots_are_refused(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(document_checks, "MOST_BOTS", 2)

        with pytest.raises(TooLarge) as caught:
            _create(owner, versions=[make_version().pk for _ in range(3)])

        assert (caught.value.code, caught.value.field) == ("too_large", "entries")

    def test_only_organisers_create(self) -> None:
        with pytest.raises(NotAllowed) as caught:
            _create(make_user())

        assert caught.value.code == "not_an_organiser"


class TestEntries:
    def test_author_enters_an_own_bot(self, owner: User) -> None:
        author = make_user()
        version, tournament = make_version(owner=author), _create(owner)

        entry = enter_tournament(actor=author, tournament=tournament, version_id=version.pk)

        assert (entry.version, entry.number) == (version, 0)

    def test_somebody_else_may_not(self, owner: User) -> None:
        tournament, version = _create(owner), make_version()

        with pytest.raises(NotAllowed) as caught:
            enter_tournament(actor=make_user(), tournament=tournament, version_id=version.pk)

        assert caught.value.code == "not_your_bot"
        assert not tournament.entries.exists()

    def test_second_entry_of_the_same_bot_is_refused(self, owner: User) -> None:
        version = make_version()
        tournament = _create(owner, versions=[version.pk])

        with pytest.raises(Conflict) as caught:
            enter_tournament(actor=owner, tournament=tournament, version_id=version.pk)

        assert caught.value.code == "already_entered"

    def test_withdrawn_bot_does_not_play(self, owner: User) -> None:
        versions = [make_version() for _ in range(3)]
        tournament = _create(owner, versions=[version.pk for version in versions])

        withdraw_entry(actor=owner, tournament=tournament, version_id=versions[1].pk)
        enter_tournament(actor=owner, tournament=tournament, version_id=versions[1].pk)
        withdraw_entry(actor=owner, tournament=tournament, version_id=versions[0].pk)
        services.start_tournament(actor=owner, tournament=tournament)

        players = set(Match.objects.values_list("seats__version", flat=True))
        assert players == {versions[1].pk, versions[2].pk}

    def test_withdrawing_what_never_entered_is_refused(self, owner: User) -> None:
        with pytest.raises(NotFound) as caught:
            withdraw_entry(actor=owner, tournament=_create(owner), version_id=make_version().pk)

        assert caught.value.code == "not_entered"

    def test_strangers_bot_cannot_be_withdrawn(self, owner: User) -> None:
        version = make_version()
        tournament = _create(owner, versions=[version.pk])

        with pytest.raises(NotAllowed):
            withdraw_entry(actor=make_user(), tournament=tournament, version_id=version.pk)

    def test_entries_close_at_the_start(self, owner: User) -> None:
        tournament, version = started(owner=owner), make_version()

        with pytest.raises(Conflict) as caught:
            enter_tournament(actor=owner, tournament=tournament, version_id=version.pk)

        assert caught.value.code == "wrong_state"


class TestEntryLock:
    def test_leapfrogging_versions_lock_nobody_out(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(document_checks, "MOST_BOTS", 6)
        author = make_user()
        one, two = make_version(owner=author), make_version(owner=author)
        tournament = _create(owner)
        enter_tournament(actor=author, tournament=tournament, version_id=one.pk)
        for coming, going in [(two, one), (one, two)] * 5:
            enter_tournament(actor=author, tournament=tournament, version_id=coming.pk)
            withdraw_entry(actor=author, tournament=tournament, version_id=going.pk)

        for _ in range(5):
            enter_tournament(actor=owner, tournament=tournament, version_id=make_version().pk)

        assert tournament.entries.count() == 6
        begun = services.start_tournament(actor=owner, tournament=tournament)
        assert [entry.number for entry in begun.entries.in_order()] == list(range(6))
        assert begun.entries.in_order()[0].version == one

    def test_entry_that_is_one_too_many_is_refused(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(document_checks, "MOST_BOTS", 2)
        tournament = _create(owner, versions=[make_version().pk, make_version().pk])

        with pytest.raises(TooLarge):
            enter_tournament(actor=owner, tournament=tournament, version_id=make_version().pk)

    def test_author_enters_so_many_versions_and_no_more(self, owner: User) -> None:
        author = make_user()
        versions = [make_version(owner=author) for _ in range(4)]
        tournament = _create(owner)
        for version in versions[:3]:
            enter_tournament(actor=author, tournament=tournament, version_id=version.pk)

        with pytest.raises(Conflict) as caught:
            enter_tournament(actor=author, tournament=tournament, version_id=versions[3].pk)

        assert (caught.value.code, caught.value.field) == ("author_cap", "version")
        withdraw_entry(actor=author, tournament=tournament, version_id=versions[0].pk)
        enter_tournament(actor=author, tournament=tournament, version_id=versions[3].pk)

    def test_cap_is_the_organisers_choice(self, owner: User) -> None:
        author = make_user()
        first, second = make_version(owner=author), make_version(owner=author)
        tournament = _create(owner, entries_per_author=1)
        enter_tournament(actor=author, tournament=tournament, version_id=first.pk)

        with pytest.raises(Conflict):
            enter_tournament(actor=author, tournament=tournament, version_id=second.pk)
        enter_tournament(actor=owner, tournament=tournament, version_id=second.pk)

        assert tournament.entries.count() == 2

    def test_organiser_enters_any_number_of_own_bots(self, owner: User) -> None:
        versions = [make_version(owner=owner).pk for _ in range(5)]

        assert _create(owner, versions=versions).entries.count() == 5


class TestStart:
    def test_whole_schedule_is_stored(self) -> None:
        tournament = started(bots=4)

        assert tournament.state == TournamentState.RUNNING
        assert tournament.started_at is not None
        assert Match.objects.count() == TournamentMatch.objects.count() == 12
        assert set(Match.objects.values_list("kind", "state", "rated")) == {
            (MatchKind.TOURNAMENT, MatchState.PENDING, True)
        }

    def test_results_count_in_both_pools(self) -> None:
        tournament = started(bots=3)

        assert set(Pool.objects.values_list("key", flat=True)) == {
            "game:tuned",
            f"tournament:{tournament.pk}",
        }
        assert LedgerRow.objects.count() == 12

    def test_unrated_tournament_counts_only_for_itself(self) -> None:
        tournament = started(bots=3, rated=False)

        assert set(LedgerRow.objects.values_list("pool", flat=True)) == {tournament.pool_id}
        assert not Match.objects.filter(rated=True).exists()

    def test_limits_and_options_reach_the_matches(self, owner: User) -> None:
        versions = [make_version().pk for _ in range(2)]
        tournament = _create(owner, versions=versions, limits={"memory_mb": 64}, rated=False)

        services.start_tournament(actor=owner, tournament=tournament)

        match = matches_of(tournament)[0]
        assert match.limits == {"memory_mb": 64}
        assert match.options == tournament.options

    def test_usual_limits_may_be_written_out(self, owner: User) -> None:
        usual = Limits()

        made = _create(owner, limits={"memory_mb": usual.memory_mb})

        assert made.rated

    def test_one_bot_is_too_few(self, owner: User) -> None:
        tournament = _create(owner, versions=[make_version().pk])

        with pytest.raises(Conflict) as caught:
            services.start_tournament(actor=owner, tournament=tournament)

        assert caught.value.code == "too_few_bots"
        assert "at least 2 bots to start, and 1 entered" in caught.value.detail

    def test_bot_retired_since_entry_stops_the_start(self, owner: User) -> None:
        versions = [make_version(name="gone"), make_version()]
        tournament = _create(owner, versions=[version.pk for version in versions])
        BotVersion.objects.filter(pk=versions[0].pk).update(state=VersionState.RETIRED)

        with pytest.raises(
            DomainError, match="gone v1 is not eligible for tuned: no longer scheduled"
        ):
            services.start_tournament(actor=owner, tournament=tournament)

        assert not Match.objects.exists()

    def test_second_start_is_refused(self, owner: User) -> None:
        tournament = started(owner=owner)

        with pytest.raises(
            Conflict, match="you can start the tournament only while it is open for entries"
        ):
            services.start_tournament(actor=owner, tournament=tournament)

    @pytest.mark.django_db(transaction=True)
    def test_two_starts_at_once_make_one_schedule(self, owner: User) -> None:
        tournament = _create(owner, versions=[make_version().pk for _ in range(3)])

        outcomes = all_at_once(
            [lambda: services.start_tournament(actor=owner, tournament=tournament)] * 3
        )

        assert sum(isinstance(outcome, Tournament) for outcome in outcomes) == 1
        assert Match.objects.count() == 6


@pytest.mark.parametrize("action", ["start", "pause", "resume", "cancel"])
def test_only_the_organiser_runs_a_tournament(action: str) -> None:
    tournament = make_tournament()

    with pytest.raises(NotAllowed) as caught:
        getattr(services, f"{action}_tournament")(
            actor=make_user(organiser=True), tournament=tournament
        )

    assert caught.value.code == "not_your_tournament"


class TestPauseAndCancel:
    def test_paused_matches_are_held_until_resumed(self, owner: User) -> None:
        tournament = started(owner=owner)

        paused = services.pause_tournament(actor=owner, tournament=tournament)
        assert paused.state == TournamentState.PAUSED
        assert not Match.objects.startable().exists()

        resumed = services.resume_tournament(actor=owner, tournament=tournament)
        assert resumed.state == TournamentState.RUNNING
        assert Match.objects.startable().count() == 12

    def test_pause_leaves_other_tournaments_alone(self, owner: User) -> None:
        tournament, other = started(owner=owner), started()

        services.pause_tournament(actor=owner, tournament=tournament)

        assert set(Match.objects.startable()) == set(matches_of(other))

    def test_cancelling_keeps_results_and_calls_off_the_rest(self, owner: User) -> None:
        tournament = started(owner=owner, bots=3)
        settle(matches_of(tournament)[:2])

        cancelled = services.cancel_tournament(actor=owner, tournament=tournament)

        states = [match.state for match in matches_of(tournament)]
        assert states == [MatchState.DONE] * 2 + [MatchState.VOID] * 4
        assert cancelled.state == TournamentState.CANCELLED
        assert cancelled.finished_at is not None

    @pytest.mark.parametrize(
        ("action", "state"),
        [
            ("pause", TournamentState.OPEN),
            ("pause", TournamentState.CLOSED),
            ("resume", TournamentState.RUNNING),
            ("cancel", TournamentState.CLOSED),
            ("cancel", TournamentState.CANCELLED),
        ],
    )
    def test_wrong_state_is_refused(
        self, owner: User, action: str, state: TournamentState
    ) -> None:
        tournament = make_tournament(owner, state=state)

        with pytest.raises(Conflict) as caught:
            getattr(services, f"{action}_tournament")(actor=owner, tournament=tournament)

        assert caught.value.code == "wrong_state"


class TestClose:
    def test_tournament_closes_with_its_last_result(self) -> None:
        tournament = started(bots=3)
        settle(matches_of(tournament))

        assert services.close_finished() == [tournament]

        tournament.refresh_from_db()
        assert tournament.state == TournamentState.CLOSED
        assert tournament.finished_at is not None
        assert FinalRow.objects.count() == 3

    def test_second_call_closes_nothing(self) -> None:
        settle(matches_of(started(bots=3)))
        services.close_finished()

        assert services.close_finished() == []

    @pytest.mark.parametrize("state", [MatchState.PENDING, MatchState.RUNNING])
    def test_unfinished_match_keeps_it_open(self, state: MatchState) -> None:
        tournament = started(bots=3)
        settle(matches_of(tournament)[:-1])
        if state is MatchState.RUNNING:
            running = make_match(state=MatchState.RUNNING)
            TournamentMatch.objects.filter(index=6).update(match=running)

        assert services.close_finished() == []

    def test_result_that_is_not_rated_yet_keeps_it_open(self) -> None:
        tournament = started(bots=3)
        settle(matches_of(tournament))
        LedgerRow.objects.filter(pool=tournament.pool_id, seq=1).update(state="waiting", seq=None)

        assert services.close_finished() == []

    def test_void_matches_do_not_keep_it_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(blocks, "MOST_REPLAYS", 0)
        tournament = started(bots=3)
        settle(matches_of(tournament)[:-1])
        void_matches(matches=Match.objects.all(), reason="test")
        settle([])

        assert services.close_finished() == [tournament]

    def test_paused_tournament_waits_for_its_organiser(self, owner: User) -> None:
        tournament = started(bots=3, owner=owner)
        settle(matches_of(tournament))
        services.pause_tournament(actor=owner, tournament=tournament)

        assert services.close_finished() == []

    @pytest.mark.django_db(transaction=True)
    def test_two_reconcilers_close_it_once(self) -> None:
        settle(matches_of(started(bots=3)))

        closed = all_at_once([services.close_finished] * 3)

        assert sorted(len(part) for part in closed if isinstance(part, list)) == [0, 0, 1]
        assert FinalRow.objects.count() == 3
