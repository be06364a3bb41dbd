"""No event without the fact, no fact without the event; and each says what its schema says."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from jsonschema import Draft202012Validator

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import (
    disqualify_version,
    leave_unchecked,
    settle_validation,
    stop_version,
)
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind
from pentathlon.matches.services import void_matches
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.challenges.services import create_challenge
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import (
    disqualify_entry,
    settle_entries,
    withdraw_entry,
)
from pentathlon.tournaments.models import TournamentState
from pentathlon.tournaments.notices import note_end
from pentathlon.tournaments.results.hidden_results import announce_releases, release_results
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon.webhooks.event_types import ALL_TYPES, EVENT_TYPES, USUAL
from pentathlon.webhooks.messages import body_of
from pentathlon.webhooks.models import OutboxEvent
from pentathlon.webhooks.outbox import OutsideTransaction, note_event
from tests.factories import (
    make_match,
    make_staff,
    make_team,
    make_tournament,
    make_user,
    make_version,
)
from tests.pentathlon.killed_process import run_killed, run_whole
from tests.pentathlon.ladders.playing import open_ladder, play_waiting, seat_all, step
from tests.pentathlon.matches.acting import claimed, finish, result
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.tournaments.challenges.acting import challenged, drawn, play, waiting
from tests.pentathlon.webhooks.receiving import SITE, make_endpoint

pytestmark = pytest.mark.django_db


def _told(person: User) -> list[tuple[str, dict[str, Any]]]:  # Any: JSON
    """Return what somebody is told, each checked with its schema."""
    found = []
    for event in OutboxEvent.objects.order_by("pk"):
        body = json.loads(body_of(event, site=SITE))
        _check(body)
        if person.pk in event.audience:
            found.append((body["type"], body["data"]))
    return found


def _check(body: dict[str, Any]) -> None:  # Any: JSON
    schema = ALL_TYPES[body["type"]].schema
    checker = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    checker.validate(body)


@pytest.fixture
def author() -> User:
    person = make_user()
    make_endpoint(person)
    return person


@pytest.fixture
def organiser() -> User:
    person = make_user(organiser=True)
    make_endpoint(person)
    return person


@pytest.fixture
def stranger() -> User:
    person = make_user()
    make_endpoint(person)
    return person


@pytest.mark.parametrize("name", list(ALL_TYPES))
def test_example_of_every_event_fits_its_schema(name: str) -> None:
    Draft202012Validator.check_schema(ALL_TYPES[name].schema)

    _check(ALL_TYPES[name].example)


def test_frequent_events_are_only_sent_when_asked_for() -> None:
    assert set(EVENT_TYPES) - set(USUAL) == {"match.finished"}


class TestVersions:
    @pytest.mark.parametrize(
        ("passed", "event"), [(True, "version.validated"), (False, "version.rejected")]
    )
    def test_validation_is_told_to_its_author(
        self, passed: bool, event: str, author: User, stranger: User
    ) -> None:
        version = make_version(owner=author, state=VersionState.VALIDATING)

        for _ in range(2):  # the second settles nothing
            settle_validation(version_id=version.pk, passed=passed, reason="no", log="")

        facts = {
            "bot": version.bot_id,
            "bot_name": version.bot.name,
            "version": version.pk,
            "version_number": 1,
            "url": f"{SITE}/api/v1/versions/{version.pk}/",
        }
        assert _told(author) == [(event, facts)]
        assert _told(stranger) == []

    def test_validation_that_failed_on_our_side(self, author: User) -> None:
        version = make_version(owner=author, state=VersionState.VALIDATING)

        leave_unchecked(version_id=version.pk, reason="host", log="")

        assert [name for name, _ in _told(author)] == ["version.unchecked"]

    def test_stopped_or_disqualified(self, author: User) -> None:
        stopped, disqualified = make_version(owner=author), make_version(owner=author)

        assert stop_version(version_id=stopped.pk, reason="faults")
        assert not stop_version(version_id=stopped.pk, reason="faults")
        disqualify_version(actor=make_staff(), version=disqualified, reason="cheats")

        told = [(name, data["version"]) for name, data in _told(author)]
        assert told == [
            ("version.stopped", stopped.pk),
            ("version.stopped", disqualified.pk),
        ]

    def test_ladder_and_first_rated_match(self, author: User) -> None:
        version = make_version(owner=author)
        make_version()
        open_ladder()
        seat_all()
        for _ in range(2):
            step()
            play_waiting()

        told = dict(_told(author))
        names = [name for name, _ in _told(author) if name != "match.finished"]
        assert names == ["version.joined_ladder", "version.first_rated_match"]
        assert told["version.joined_ladder"]["url"] == f"{SITE}/api/v1/ladders/tuned/"
        first = Match.objects.of_version(version.pk).order_by("pk").first()
        assert first is not None
        assert told["version.first_rated_match"]["match"] == first.pk


class TestMatches:
    def test_end_is_told_to_the_authors_who_ask_for_it(self, author: User) -> None:
        usual = make_user()
        make_endpoint(usual, events=list(USUAL))
        match = make_match([make_version(owner=author), make_version(owner=usual)])
        void = make_match([make_version(owner=author), make_version()])

        finish(claimed(match), result())
        void_matches(matches=Match.objects.filter(pk=void.pk), reason="no")

        assert [(name, data["match"]) for name, data in _told(author)] == [
            ("match.finished", match.pk),
            ("match.finished", void.pk),
        ]
        assert _told(usual) == []

    def test_hidden_matches_and_validations_say_nothing(self, author: User) -> None:
        versions = [make_version(owner=author), make_version()]
        HiddenLane.objects.create(lane=7, organiser=make_user())
        hidden = make_match(versions, lane=7)
        validation = make_match([versions[0], versions[0]], kind=MatchKind.VALIDATION)

        finish(claimed(hidden), result())
        finish(claimed(validation), result())

        assert [name for name, _ in _told(author)] == []

    def test_without_listeners_an_end_costs_one_query(self) -> None:
        counts = []
        for listens in (False, True):
            match = make_match()
            job = claimed(match)
            if listens:
                make_endpoint(make_user())
            with CaptureQueriesContext(connection) as queries:
                finish(job, result())
            counts.append(sum("webhooks_" in each["sql"] for each in queries))

        assert counts[0] == 1
        assert counts[1] <= 3


class TestChallenges:
    def test_end_is_told_to_who_made_it(self, author: User, stranger: User) -> None:
        rival = make_version(owner=stranger)
        challenge = challenged(author=author, rival=rival)

        play(waiting(challenge), drawn)

        told = [each for each in _told(author) if each[0] != "match.finished"]
        url = f"{SITE}/api/v1/challenges/{challenge.pk}/"
        facts = {"challenge": challenge.pk, "game": "tuned", "url": url}
        assert told == [("challenge.finished", facts)]
        assert {name for name, _ in _told(stranger)} == {"match.finished"}

    def test_test_of_own_versions_is_a_comparison(self, author: User) -> None:
        new = make_version(owner=author)
        old = make_version(bot=new.bot)
        challenge = create_challenge(actor=author, version=new.pk, against=old.pk, blocks=1)

        play(waiting(challenge), drawn)

        told = dict(_told(author))
        assert told["comparison.finished"]["kind"] == "challenge"
        assert "challenge.finished" not in told


class TestTournaments:
    def _names(self, person: User) -> list[str]:
        return [name for name, _ in _told(person) if name != "match.finished"]

    def test_start_and_end(self, author: User, organiser: User, stranger: User) -> None:
        versions = [make_version(owner=author).pk, make_version().pk]
        cup = open_cup(organiser, versions=versions, rated=False)
        member = make_user()
        make_endpoint(member)
        cup.entries.filter(number=0).update(team=make_team(owner=author, members=[member]))

        start_tournament(actor=organiser, tournament=cup)
        settle(matches_of(cup))
        close_finished()

        for person in (author, organiser, member):
            assert self._names(person) == ["tournament.started", "tournament.finished"]
        assert _told(stranger) == []

    def test_ab_test_ends_as_a_comparison(self, organiser: User) -> None:
        versions = [make_version().pk, make_version().pk]
        cup = open_cup(organiser, format="ab_test", versions=versions, rated=False)
        start_tournament(actor=organiser, tournament=cup)
        void_matches(matches=Match.objects.of_lane(cup.pk), reason="no")
        cup.refresh_from_db()
        cup.state = TournamentState.RUNNING

        note_end(cup)

        told = dict(_told(organiser))["comparison.finished"]
        assert (told["kind"], told["tournament"]) == ("tournament", cup.pk)

    def test_entries_that_leave_or_are_replaced(self, author: User, organiser: User) -> None:
        versions = [make_version(owner=author) for _ in range(4)]
        spare, gone = make_version(owner=author), make_version()
        cup = make_tournament(organiser, versions=[*versions, gone], rated=False)

        replace_entry(actor=author, tournament=cup, version_id=versions[0].pk, by=spare.pk)
        withdraw_entry(actor=author, tournament=cup, version_id=versions[1].pk)
        cup = start_tournament(actor=organiser, tournament=cup)
        withdraw_entry(actor=author, tournament=cup, version_id=versions[2].pk)
        disqualify_entry(
            actor=organiser, tournament=cup, version_id=versions[3].pk, reason="cheats"
        )
        stop_version(version_id=gone.pk, reason="faults")
        settle_entries()

        told = [
            (name, data.get("version"), data.get("by"))
            for name, data in _told(organiser)
            if name.startswith("entry.")
        ]
        assert told == [
            ("entry.replaced", versions[0].pk, spare.pk),
            ("entry.withdrawn", versions[1].pk, None),
            ("entry.withdrawn", versions[2].pk, None),
            ("entry.disqualified", versions[3].pk, None),
            ("entry.withdrawn", gone.pk, None),
        ]
        assert sum(name.startswith("entry.") for name, _ in _told(author)) == 4

    def test_draft_is_nobodys_business(self, author: User, organiser: User) -> None:
        version = make_version(owner=author)
        cup = make_tournament(organiser, versions=[version], state=TournamentState.DRAFT)

        withdraw_entry(actor=organiser, tournament=cup, version_id=version.pk)

        assert _told(author) == []

    @pytest.mark.parametrize("by_date", [False, True])
    def test_release_is_told_once(self, by_date: bool, author: User, organiser: User) -> None:
        versions = (make_version(owner=author).pk, make_version().pk)
        soon = timezone.now() + timedelta(hours=1)
        dates: dict[str, Any] = {"releases_at": soon} if by_date else {}  # Any: arguments
        cup = arranged_cup(organiser, versions=versions, rated=False, hides_results=True, **dates)
        start_tournament(actor=organiser, tournament=cup)
        for match in matches_of(cup):
            finish(claimed(match), result())
        apply_results()
        assert announce_releases() == 0
        assert self._names(author) == ["tournament.started"]

        if by_date:
            past = timezone.now() - timedelta(seconds=1)
            HiddenLane.objects.update(hides_until=past)
            assert announce_releases() == 1
        else:
            release_results(actor=organiser, tournament=cup)
        assert announce_releases() == 0

        names = [name for name, _ in _told(author)]
        assert names == ["tournament.started", "tournament.results_released"]


class TestTransactions:
    @pytest.mark.django_db(transaction=True)
    def test_event_outside_of_a_transaction_is_refused(self) -> None:
        with pytest.raises(OutsideTransaction):
            note_event("challenge.finished", people=[1], path="/", challenge=1, game="tuned")

    def test_what_is_rolled_back_is_not_told(self, author: User) -> None:
        version = make_version(owner=author, state=VersionState.VALIDATING)

        with transaction.atomic():
            settle_validation(version_id=version.pk, passed=True, reason="", log="")
            assert len(_told(author)) == 1
            transaction.set_rollback(True)

        version.refresh_from_db()
        assert version.state == VersionState.VALIDATING
        assert _told(author) == []

    @pytest.mark.django_db(transaction=True)
    def test_killed_process_leaves_neither_and_the_next_one_both(self, author: User) -> None:
        version = make_version(owner=author, state=VersionState.VALIDATING)

        run_killed("validation", part=1)
        assert BotVersion.objects.get(pk=version.pk).state == VersionState.VALIDATING
        assert _told(author) == []
        run_whole("validation")

        assert BotVersion.objects.get(pk=version.pk).state == VersionState.ELIGIBLE
        assert [name for name, _ in _told(author)] == ["version.validated"]
