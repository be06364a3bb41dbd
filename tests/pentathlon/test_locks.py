"""Whoever waits for a lock acts on what was done meanwhile; without the lock, on what was before.

Each case holds the rows that an action locks, and changes something once the action waits for
them. Then the same without any lock has to go wrong, or the case would prove nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from pentathlon.accounts.device_logins import (
    answer_device_login,
    begin_device_login,
    poll_device_login,
)
from pentathlon.accounts.models import DeviceLogin, User
from pentathlon.accounts.services import MOST_TOKENS, create_token
from pentathlon.bots import archives as bot_quotas
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.errors import DomainError
from pentathlon.core.server.limits import CHALLENGES_UNDER_WAY
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.matches.uploads.services import submit_version
from pentathlon.matches.validation import settle_versions
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool
from pentathlon.ratings.services import await_results
from pentathlon.tournaments.challenges.services import create_challenge
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.handovers.services import offer_tournament
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.people_rows import Team, TeamMember
from pentathlon.tournaments.results.hidden_results import release_results
from pentathlon.tournaments.teams.services import (
    MOST_MEMBERS,
    MOST_TEAMS,
    accept_invitation,
    create_team,
    invite_member,
)
from pentathlon.webhooks.attempt_results import record_answers
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.models import Delivery, WebhookEndpoint
from pentathlon.webhooks.outbox import note_event, spread_events
from pentathlon.webhooks.services import MOST_ENDPOINTS, create_endpoint
from tests.factories import make_match, make_team, make_upload, make_user, make_version
from tests.pentathlon.together import behind
from tests.pentathlon.tournaments.acting import matches_of, open_cup, started
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.tournaments.challenges.acting import challenged
from tests.pentathlon.webhooks.receiving import SITE, make_endpoint

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite locks the database as a whole"
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An action, the rows that it locks, a change meanwhile, and what it has to come to."""

    rows: QuerySet[Any]  # Any: rows of any table
    change: Callable[[], object]
    action: Callable[[], object]
    ends: Callable[[], object] = lambda: None
    """What it came to, besides the error that it raised."""
    expected: object


def _row_of(person: User) -> QuerySet[User]:
    return User.objects.filter(pk=person.pk)


def _upload() -> Case:
    author = make_user()
    validating = [make_version(owner=author, state=VersionState.VALIDATING) for _ in range(2)]
    return Case(
        rows=_row_of(author),
        change=lambda: make_version(bot=validating[0].bot, state=VersionState.VALIDATING),
        action=lambda: submit_version(actor=author, archive=make_upload()),
        expected="too_many_validating",
    )


def _token() -> Case:
    person = make_user()
    for number in range(MOST_TOKENS - 1):
        create_token(actor=person, name=f"{number}", scopes=[], days=1)
    return Case(
        rows=_row_of(person),
        change=lambda: create_token(actor=person, name="one", scopes=[], days=1),
        action=lambda: create_token(actor=person, name="other", scopes=[], days=1),
        expected="too_many_tokens",
    )


def _webhook() -> Case:
    person = make_user()
    for _ in range(MOST_ENDPOINTS - 1):
        make_endpoint(person)
    return Case(
        rows=_row_of(person),
        change=lambda: make_endpoint(person),
        action=lambda: create_endpoint(
            actor=person,
            url="https://ci.example.org/hook",
            events=["challenge.finished"],
            site=SITE,
        ),
        expected="too_many_webhooks",
    )


def _challenge() -> Case:
    author, rival = make_user(), make_version()
    version = make_version(owner=author)
    for _ in range(CHALLENGES_UNDER_WAY - 1):
        challenged(author=author, rival=rival)
    return Case(
        rows=_row_of(author),
        change=lambda: challenged(author=author, rival=rival),
        action=lambda: create_challenge(
            actor=author, version=version.pk, bot=rival.bot_id, blocks=1
        ),
        expected="too_many_challenges",
    )


def _team() -> Case:
    person = make_user()
    for _ in range(MOST_TEAMS - 1):
        make_team(owner=person)
    return Case(
        rows=_row_of(person),
        change=lambda: make_team(owner=person),
        action=lambda: create_team(actor=person, name="One more"),
        expected="too_many_teams",
    )


def _invitation() -> Case:
    team, guest = make_team(members=[make_user() for _ in range(MOST_MEMBERS - 2)]), make_user()
    return Case(
        rows=Team.objects.filter(pk=team.pk),
        change=lambda: TeamMember.objects.create(team=team, person=make_user()),
        action=lambda: invite_member(actor=team.owner, team=team, username=guest.username),
        expected="team_full",
    )


def _member_joins_while_the_team_enters() -> Case:
    team, guest = make_team(), make_user()
    own, coming = make_version(owner=guest), make_version(owner=team.owner)
    cup = open_cup(make_user(organiser=True), entries_per_author=1)
    enter_tournament(actor=guest, tournament=cup, version_id=own.pk)
    TeamMember.objects.create(team=team, person=guest)
    return Case(
        rows=Team.objects.filter(pk=team.pk),
        change=lambda: enter_tournament(
            actor=team.owner, tournament=cup, version_id=coming.pk, team=team.pk
        ),
        action=lambda: accept_invitation(actor=guest, team=team),
        expected="author_cap",
    )


def _member_joins_while_they_enter() -> Case:
    team, guest = make_team(), make_user()
    own, first = make_version(owner=guest), make_version(owner=team.owner)
    cup = open_cup(make_user(organiser=True), entries_per_author=1)
    enter_tournament(actor=team.owner, tournament=cup, version_id=first.pk, team=team.pk)
    row = TeamMember.objects.create(team=team, person=guest)
    joining = TeamMember.objects.filter(pk=row.pk)
    return Case(
        rows=Team.objects.filter(pk=team.pk),
        change=lambda: joining.update(accepted_at=timezone.now()),
        action=lambda: enter_tournament(actor=guest, tournament=cup, version_id=own.pk),
        expected="author_cap",
    )


def _member_is_removed_while_they_enter() -> Case:
    mate = make_user()
    team, version = make_team(members=[mate]), make_version(owner=mate)
    cup = open_cup(make_user(organiser=True))
    return Case(
        rows=Team.objects.filter(pk=team.pk),
        change=lambda: team.memberships.filter(person=mate).delete(),
        action=lambda: enter_tournament(
            actor=mate, tournament=cup, version_id=version.pk, team=team.pk
        ),
        expected="not_in_team",
    )


def _handed_over(cup: Tournament, action: Callable[[], object]) -> Case:
    row, other = Tournament.objects.filter(pk=cup.pk), make_user(organiser=True)
    return Case(
        rows=row,
        change=lambda: row.update(owner=other),
        action=action,
        expected="not_your_tournament",
    )


def _release() -> Case:
    organiser = make_user(organiser=True)
    cup = arranged_cup(organiser, rated=False, hides_results=True)
    return _handed_over(cup, lambda: release_results(actor=organiser, tournament=cup))


def _offer() -> Case:
    organiser, third = make_user(organiser=True), make_user(organiser=True)
    cup = open_cup(organiser)
    return _handed_over(
        cup,
        lambda: offer_tournament(actor=organiser, tournament=cup, username=third.username),
    )


def _poll() -> Case:
    login, code = begin_device_login(name="laptop", scopes=[], address="192.0.2.7")
    answer_device_login(actor=make_user(), user_code=login.user_code, approves=True)
    row = DeviceLogin.objects.filter(pk=login.pk)
    return Case(
        rows=row,
        change=row.delete,
        action=lambda: poll_device_login(code),
        expected="expired_token",
    )


def _validation() -> Case:
    version = make_version(state=VersionState.VALIDATING, games=("azure", "tuned"))
    done, other = (
        make_match([version, version], kind=MatchKind.VALIDATION, game=game, state=state)
        for game, state in (("azure", MatchState.DONE), ("tuned", MatchState.PENDING))
    )
    row = BotVersion.objects.filter(pk=version.pk)
    return Case(
        rows=row,
        change=lambda: Match.objects.filter(pk=other.pk).update(
            state=MatchState.DONE, finished_at=timezone.now()
        ),
        action=lambda: transaction.atomic(settle_versions)(match_ids=[done.pk]),
        ends=lambda: row.get().state,
        expected=VersionState.ELIGIBLE,
    )


def _void_match() -> Case:
    """Somebody who applies results is about to skip a match that is played again."""
    cup = started(bots=2)
    match = matches_of(cup)[0]
    void_matches(matches=Match.objects.filter(pk=match.pk), reason="Three hosts failed.")
    rows = LedgerRow.objects.filter(match=match, pool=cup.pool)
    skipped = {"state": LedgerState.SKIPPED, "reason": LedgerReason.VOID}
    return Case(
        rows=Pool.objects.filter(tournament=cup),
        change=lambda: rows.update(**skipped),
        action=lambda: await_results(match_ids=[match.pk]),
        ends=lambda: rows.get().state,
        expected=LedgerState.WAITING,
    )


def _answers() -> Case:
    endpoint = make_endpoint()
    for number in (1, 2):
        with transaction.atomic():
            note_event(
                "challenge.finished",
                people=[endpoint.owner_id],
                path=f"/api/v1/challenges/{number}/",
                challenge=number,
                game="tuned",
            )
    while spread_events():
        pass
    delivery = Delivery.objects.filter(endpoint=endpoint).order_by("pk")[0]
    row = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    arrived = PostResult(status=200, error="", text="", duration_ms=1)
    return Case(
        rows=row,
        change=lambda: row.update(waiting=F("waiting") - 1),
        action=lambda: record_answers(
            endpoint.pk, [(delivery.pk, arrived)], luck=random.Random(1)
        ),
        ends=lambda: row.get().waiting,
        expected=0,
    )


CASES = (
    *(_upload, _token, _webhook, _challenge, _team, _invitation),
    *(_member_joins_while_the_team_enters, _member_joins_while_they_enter),
    *(_member_is_removed_while_they_enter, _release, _offer),
    *(_poll, _validation, _void_match, _answers),
)


@pytest.fixture(autouse=True)
def _few_validations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_quotas, "MOST_VALIDATING", 3)


def _come_to(case: Case) -> object:
    def change() -> None:
        # Without a lock, the action may have come first.
        with suppress(DomainError):
            case.change()

    outcome = behind(case.rows, change=change, action=case.action)
    if isinstance(outcome, DomainError):
        return outcome.code
    return outcome if isinstance(outcome, Exception) else case.ends()


@pytest.mark.parametrize("make", CASES)
def test_whoever_waits_acts_on_what_was_done_meanwhile(make: Callable[[], Case]) -> None:
    case = make()

    assert _come_to(case) == case.expected


@pytest.mark.parametrize("make", CASES)
def test_without_the_lock_it_goes_wrong(
    make: Callable[[], Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make()
    monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_: rows)

    assert _come_to(case) != case.expected
