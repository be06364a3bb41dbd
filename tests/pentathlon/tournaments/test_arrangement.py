"""Dates, invitations, rules of entry, teams, replacements and events."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed
from pentathlon.tournaments.documents.document import document
from pentathlon.tournaments.entries.eligibility import EntryRules, rules_of
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.models import Event, Tournament, TournamentState
from pentathlon.tournaments.organising import arrangement
from pentathlon.tournaments.organising.arrangement import Arrangement, invite_authors
from pentathlon.tournaments.organising.events import (
    create_event,
    event_table,
    start_due_tournaments,
    tournaments_of,
)
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.tournament.document import TournamentDocument
from tests.factories import make_bot, make_team, make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, settle
from tests.pentathlon.tournaments.arranging import arranged_cup

pytestmark = pytest.mark.django_db

_HOUR = timedelta(hours=1)


def _passed(tournament: Tournament, field: str) -> None:
    """Let the time in this field pass."""
    before = timezone.now() - timedelta(seconds=1)
    Tournament.objects.filter(pk=tournament.pk).update(**{field: before})
    tournament.refresh_from_db()


class TestDates:
    def test_starts_by_itself_at_its_time(self, organiser: User) -> None:
        bots = (make_version().pk, make_version().pk)
        cup = arranged_cup(organiser, versions=bots, starts_at=timezone.now() + _HOUR)

        assert start_due_tournaments() == 0
        _passed(cup, "starts_at")
        assert start_due_tournaments() == 1

        cup.refresh_from_db()
        assert cup.state == TournamentState.RUNNING

    def test_too_few_bots_are_said_once_until_an_entry_comes(self, organiser: User) -> None:
        first, second = make_version(), make_version()
        cup = arranged_cup(organiser, versions=(first.pk,), starts_at=timezone.now() + _HOUR)
        _passed(cup, "starts_at")

        assert start_due_tournaments() == 0
        cup.refresh_from_db()
        assert "at least 2" in cup.start_problem
        with CaptureQueriesContext(
            connection,
        ) as again:
            assert start_due_tournaments() == 0
        assert len(again) == 1

        enter_tournament(actor=organiser, tournament=cup, version_id=second.pk)

        assert start_due_tournaments() == 1

    def test_entries_close_for_all_but_the_organiser(self, organiser: User) -> None:
        version, other = make_version(), make_version()
        cup = arranged_cup(organiser, closes_entries_at=timezone.now() + _HOUR)
        _passed(cup, "closes_entries_at")

        with pytest.raises(Conflict) as caught:
            enter_tournament(actor=version.bot.owner, tournament=cup, version_id=version.pk)
        enter_tournament(actor=organiser, tournament=cup, version_id=other.pk)

        assert caught.value.code == "entries_closed"

    @pytest.mark.parametrize(
        ("arranged", "code"),
        [
            ({"starts_at": -_HOUR}, "past"),
            ({"closes_entries_at": 2 * _HOUR, "starts_at": _HOUR}, "wrong_order"),
            ({"freezes_at": _HOUR, "hides_results": True}, "invalid"),
            ({"releases_at": _HOUR}, "not_hidden"),
        ],
    )
    def test_dates_that_make_no_sense_are_refused(
        self, organiser: User, arranged: dict[str, Any], code: str
    ) -> None:
        now = timezone.now()
        dates: dict[str, Any] = {
            name: now + value if isinstance(value, timedelta) else value
            for name, value in arranged.items()
        }

        with pytest.raises(DomainError) as caught:
            arranged_cup(organiser, rated=False, **dates)

        assert caught.value.code == code


class TestInvitations:
    def test_only_invited_authors_enter(self, organiser: User) -> None:
        guest, stranger = make_version(), make_version()
        cup = arranged_cup(organiser, by_invitation=True, invited=(guest.bot.owner.username,))

        enter_tournament(actor=guest.bot.owner, tournament=cup, version_id=guest.pk)
        with pytest.raises(NotAllowed) as caught:
            enter_tournament(actor=stranger.bot.owner, tournament=cup, version_id=stranger.pk)
        invite_authors(actor=organiser, tournament=cup, usernames=[stranger.bot.owner.username])
        enter_tournament(actor=stranger.bot.owner, tournament=cup, version_id=stranger.pk)

        assert caught.value.code == "not_invited"
        assert cup.entries.count() == 2

    def test_unknown_people_are_not_invited(self, organiser: User) -> None:
        with pytest.raises(InvalidInput, match="There is no user called 'nemo'"):
            arranged_cup(organiser, by_invitation=True, invited=("nemo",))

    def test_only_the_organiser_invites(self, organiser: User) -> None:
        cup = arranged_cup(organiser, by_invitation=True)

        with pytest.raises(NotAllowed):
            invite_authors(actor=make_user(), tournament=cup, usernames=[])


class TestEntryRules:
    @pytest.mark.parametrize(
        ("rules", "sentence"),
        [
            (EntryRules(languages=("java",)), "Bots in java only."),
            (EntryRules(newest_only=True), "Only the newest version of a bot."),
            (EntryRules(most_versions=1), "Only bots with at most 1 versions."),
            (EntryRules(fewest_matches=5), "at least 5 rated matches"),
            (EntryRules(uploaded_from=timezone.now() + _HOUR), "Only versions uploaded from"),
            (EntryRules(new_bots_from=timezone.now() + _HOUR), "Only bots first uploaded from"),
        ],
    )
    def test_rule_is_said_to_whom_it_stops(
        self, organiser: User, rules: EntryRules, sentence: str
    ) -> None:
        bot = make_bot()
        old, _ = make_version(bot=bot), make_version(bot=bot)
        cup = arranged_cup(organiser, entry_rules=rules)

        with pytest.raises(InvalidInput) as caught:
            enter_tournament(actor=bot.owner, tournament=cup, version_id=old.pk)
        enter_tournament(actor=organiser, tournament=cup, version_id=old.pk)

        assert caught.value.code == "not_eligible_here"
        assert sentence in caught.value.detail
        assert rules_of(cup) == rules

    def test_newest_version_that_keeps_all_rules_enters(self, organiser: User) -> None:
        version = make_version()
        rules = EntryRules(
            languages=("python",),
            newest_only=True,
            most_versions=1,
            uploaded_from=timezone.now() - _HOUR,
            new_bots_from=timezone.now() - _HOUR,
        )
        cup = arranged_cup(organiser, entry_rules=rules)

        enter_tournament(actor=version.bot.owner, tournament=cup, version_id=version.pk)

        assert cup.entries.count() == 1

    def test_unknown_language_is_refused(self, organiser: User) -> None:
        with pytest.raises(InvalidInput, match="no language 'klingon'"):
            arranged_cup(organiser, entry_rules=EntryRules(languages=("klingon",)))


class TestTeams:
    def test_members_withdraw_and_replace(self, organiser: User) -> None:
        version, mate = make_version(), make_user("mate")
        author, other = version.bot.owner, make_version(owner=mate)
        cup, team = arranged_cup(organiser), make_team(owner=author, members=[mate])
        enter_tournament(actor=author, tournament=cup, version_id=version.pk, team=team.pk)

        entry = replace_entry(actor=mate, tournament=cup, version_id=version.pk, by=other.pk)
        withdraw_entry(actor=mate, tournament=cup, version_id=other.pk)

        assert (entry.team, entry.version) == (team, other)
        assert cup.entries.count() == 0

    def test_strangers_may_do_neither(self, organiser: User) -> None:
        version = make_version()
        cup = arranged_cup(organiser, versions=(version.pk,))
        stranger = make_version()

        with pytest.raises(NotAllowed):
            withdraw_entry(actor=stranger.bot.owner, tournament=cup, version_id=version.pk)
        with pytest.raises(NotAllowed):
            replace_entry(
                actor=stranger.bot.owner,
                tournament=cup,
                version_id=version.pk,
                by=stranger.pk,
            )

    def test_team_has_a_cap(self, organiser: User) -> None:
        author = make_user()
        first, second = make_version(owner=author), make_version(owner=author)
        cup = arranged_cup(organiser, entry_rules=EntryRules(entries_per_team=1))
        team = make_team(owner=author)
        enter_tournament(actor=author, tournament=cup, version_id=first.pk, team=team.pk)

        with pytest.raises(Conflict) as caught:
            enter_tournament(actor=author, tournament=cup, version_id=second.pk, team=team.pk)

        assert caught.value.code == "team_cap"


class TestReplace:
    def test_another_version_takes_the_number(self, organiser: User) -> None:
        bot = make_bot()
        old, new = make_version(bot=bot), make_version(bot=bot)
        cup = arranged_cup(organiser, versions=(make_version().pk, old.pk))

        entry = replace_entry(actor=bot.owner, tournament=cup, version_id=old.pk, by=new.pk)

        assert (entry.number, entry.version) == (1, new)
        assert cup.entries.count() == 2

    def test_bot_of_somebody_else_is_refused_even_to_the_organiser(self, organiser: User) -> None:
        old, foreign = make_version(), make_version()
        cup = arranged_cup(organiser, versions=(old.pk,))

        with pytest.raises(NotAllowed, match="neither by the author"):
            replace_entry(actor=organiser, tournament=cup, version_id=old.pk, by=foreign.pk)


class TestEvents:
    def _event(self, organiser: User, **arranged: Any) -> Event:
        documents = [TournamentDocument(game=game) for game in ("maatatahay", "tuned")]
        return create_event(
            actor=organiser,
            name="Pentathlon Week",
            documents=documents,
            arrangement=Arrangement(**arranged),
            rated=False,
        )

    def _play(self, event: Event, authors: list[User]) -> None:
        for cup in event.tournaments.order_by("game"):
            for author in authors:
                version = make_version(owner=author, games=(cup.game,))
                enter_tournament(actor=author, tournament=cup, version_id=version.pk)
            start_tournament(actor=event.owner, tournament=cup)
            settle(matches_of(cup))
        close_finished()

    def test_has_a_tournament_of_each_game(self, organiser: User) -> None:
        start = timezone.now() + _HOUR

        event = self._event(organiser, starts_at=start)

        names = [cup.name for cup in tournaments_of(event)]
        assert names == ["Pentathlon Week: Maatatahay", "Pentathlon Week: Tuned"]
        assert {cup.starts_at for cup in tournaments_of(event)} == {start}

    def test_points_by_place_are_summed(self, organiser: User) -> None:
        event = self._event(organiser)
        authors = [make_user(f"author-{n}") for n in range(3)]
        self._play(event, authors)

        lines = event_table(tournaments_of(event), reader=None)

        assert [(line.place, line.name, line.points) for line in lines] == [
            (1, "author-0", 6),
            (2, "author-1", 4),
            (3, "author-2", 2),
        ]

    def test_team_called_like_an_author_is_another_line(self, organiser: User) -> None:
        event = self._event(organiser)
        alice, bob, mallory = make_user("alice"), make_user("bob"), make_user("mallory")
        team = make_team("bob", owner=mallory)
        for cup in event.tournaments.order_by("game"):
            for person, of in ((alice, None), (bob, None), (mallory, team.pk)):
                if cup.game == "tuned" or person is not mallory:
                    version = make_version(owner=person, games=(cup.game,))
                    enter_tournament(actor=person, tournament=cup, version_id=version.pk, team=of)
            start_tournament(actor=event.owner, tournament=cup)
            authors = [entrant.author for entrant in document(cup).entries]
            settle(matches_of(cup))
        close_finished()

        lines = event_table(tournaments_of(event), reader=None)

        assert {(line.name, line.is_team) for line in lines} == {
            ("alice", False),
            ("bob", False),
            ("bob", True),
        }
        assert authors == ["alice", "bob", "team bob"]

    def test_hidden_results_are_left_out(self, organiser: User) -> None:
        event = self._event(organiser, hides_results=True)
        self._play(event, [make_user(), make_user()])

        assert event_table(tournaments_of(event), reader=None) == []
        assert len(event_table(tournaments_of(event), reader=organiser)) == 2

    def test_each_game_comes_once(self, organiser: User) -> None:
        documents = [TournamentDocument(game="tuned")] * 2

        with pytest.raises(InvalidInput) as caught:
            create_event(actor=organiser, name="E", documents=documents, arrangement=Arrangement())

        assert caught.value.code == "games_once"

    def test_only_organisers_create_events(self) -> None:
        with pytest.raises(NotAllowed):
            create_event(actor=make_user(), name="E", documents=[], arrangement=Arrangement())


def test_who_is_invited_twice_takes_one_place(
    organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrangement, "MOST_INVITED", 2)
    cup = arranged_cup(organiser, by_invitation=True)
    first, second, third = (make_user().username for _ in range(3))
    invite_authors(actor=organiser, tournament=cup, usernames=[first, second])

    again = invite_authors(actor=organiser, tournament=cup, usernames=[first, second])

    assert len(again) == 2
    with pytest.raises(InvalidInput, match="At most 2 authors are invited"):
        invite_authors(actor=organiser, tournament=cup, usernames=[third])


def test_open_tournament_needs_no_invitations(organiser: User) -> None:
    cup = arranged_cup(organiser)

    with pytest.raises(InvalidInput, match="everybody may enter") as refused:
        invite_authors(actor=organiser, tournament=cup, usernames=[make_user().username])

    assert refused.value.code == "not_by_invitation"
