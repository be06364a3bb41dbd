"""What organisers and staff do is written down with the deed, or neither happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.db.models import ProtectedError
from structlog.contextvars import bound_contextvars

from pentathlon.accounts.audit.models import AuditAction, AuditedKind, AuditEvent
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.bots.services import disqualify_version, reinstate_version
from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.models import Match
from pentathlon.matches.services import void_matches
from pentathlon.matches.worker_tokens import revoke_worker_token
from pentathlon.tournaments.batches import BlockOrder
from pentathlon.tournaments.corrections.orders import (
    Order,
    carry_out_orders,
    give_order,
    requeue_match,
    rerun_match,
)
from pentathlon.tournaments.entries.enrolment import enter_tournament, reinstate_entry
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import disqualify_entry, withdraw_entry
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.arrangement import Arrangement, arrange, invite_authors
from pentathlon.tournaments.organising.drafts import delete_draft, open_tournament
from pentathlon.tournaments.organising.events import create_event
from pentathlon.tournaments.results.hidden_results import release_results
from pentathlon.tournaments.services import (
    cancel_tournament,
    pause_tournament,
    resume_tournament,
    start_tournament,
)
from pentathlon.trust.models import Quarantine, Verdict
from pentathlon.trust.quarantine import begin_quarantine, end_quarantine, review_results
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.registry import newest_format
from tests.factories import make_staff, make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle, started
from tests.pentathlon.trust.acting import join, played_by

pytestmark = pytest.mark.django_db

A = AuditAction


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


def _actions() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


def _last() -> AuditEvent:
    return AuditEvent.objects.latest("pk")


def test_life_of_a_tournament_is_on_record(organiser: User) -> None:
    versions = [make_version().pk for _ in range(2)]
    cup = open_cup(organiser, versions=versions, is_draft=True)
    open_tournament(actor=organiser, tournament=cup)
    enter_tournament(actor=organiser, tournament=cup, version_id=make_version().pk)
    start_tournament(actor=organiser, tournament=cup)
    pause_tournament(actor=organiser, tournament=cup)
    resume_tournament(actor=organiser, tournament=cup)
    cancel_tournament(actor=organiser, tournament=cup)

    assert _actions() == [
        *(A.TOURNAMENT_CREATE, A.TOURNAMENT_OPEN, A.ENTRY_ENTER, A.TOURNAMENT_START),
        *(A.TOURNAMENT_PAUSE, A.TOURNAMENT_RESUME, A.TOURNAMENT_CANCEL),
    ]
    assert set(AuditEvent.objects.values_list("actor", "tournament")) == {(organiser.pk, cup.pk)}
    assert str(_last()) == f"{organiser.username} cancelled Cup"


def test_deleted_draft_stays_on_record(organiser: User) -> None:
    draft = open_cup(organiser, is_draft=True)

    delete_draft(actor=organiser, tournament=draft)

    assert (_last().action, _last().object_name) == (A.TOURNAMENT_DELETE, "Cup")


def test_entries_that_an_organiser_moves_are_on_record(organiser: User) -> None:
    cup = open_cup(organiser, versions=[make_version().pk for _ in range(4)])
    first, second, third, _ = [entry.version for entry in cup.entries.in_order()]
    asked: dict[str, Any] = {"actor": organiser, "tournament": cup}  # Any: two kinds of rows
    disqualify_entry(**asked, version_id=first.pk, reason="A copy.", revoke=True)
    reinstate_entry(**asked, version_id=first.pk, reason="It is none.")
    withdraw_entry(**asked, version_id=second.pk)
    start_tournament(**asked)
    newer = make_version(bot=third.bot)
    replace_entry(**asked, version_id=third.pk, by=newer.pk, reason="It leaks.")

    events = AuditEvent.objects.filter(kind=AuditedKind.VERSION).order_by("pk")

    assert [(each.action, each.object_id, each.reason) for each in events] == [
        (A.ENTRY_DISQUALIFY, str(first.pk), "A copy."),
        (A.ENTRY_REINSTATE, str(first.pk), "It is none."),
        (A.ENTRY_WITHDRAW, str(second.pk), ""),
        (A.ENTRY_REPLACE, str(third.pk), "It leaks."),
    ]
    assert [each.person for each in events] == [
        *(first.bot.owner, first.bot.owner, second.bot.owner, third.bot.owner)
    ]
    assert [each.details for each in events] == [{"revoke": True}, {}, {}, {"by": newer.pk}]


def test_author_who_withdraws_gives_no_order(organiser: User) -> None:
    version = make_version()
    cup = open_cup(organiser, versions=[version.pk])

    withdraw_entry(actor=version.bot.owner, tournament=cup, version_id=version.pk)

    assert _actions() == [A.TOURNAMENT_CREATE]


def test_orders_for_matches_are_on_record_with_their_reasons(organiser: User) -> None:
    cup = started(bots=2, owner=organiser)
    settle(matches_of(cup))
    void = Order(kind=BlockOrder.VOID, block=1, reason="The host was broken.")
    give_order(actor=organiser, tournament=cup, order=void)
    again = Order(kind=BlockOrder.RERUN, round=1, reason="It is mended.")
    give_order(actor=organiser, tournament=cup, order=again)
    carry_out_orders()
    match = matches_of(cup)[0]
    void_matches(matches=Match.objects.filter(pk=match.pk), reason="Hosts failed.")
    requeue_match(actor=organiser, match=match)
    settle(matches_of(cup))
    rerun_match(actor=organiser, match=matches_of(cup)[0], reason="Once more.")

    events = AuditEvent.objects.public(hides_results=False).order_by("pk")

    assert [(each.action, each.reason) for each in events] == [
        (A.BLOCKS_VOID, "The host was broken."),
        (A.BLOCKS_RERUN, "It is mended."),
        (A.MATCH_RERUN, "Queued again by the organiser."),
        (A.MATCH_RERUN, "Once more."),
    ]
    assert events[0].details == {"block": 1, "round": None, "blocks": 1}


def test_arranging_is_on_record(organiser: User) -> None:
    document = TournamentDocument(game="tuned", scheduler=newest_format("round_robin", seats=2))
    create_event(
        actor=organiser, name="Games", documents=[document], arrangement=Arrangement(), rated=False
    )
    cup = Tournament.objects.get()
    arrange(cup, Arrangement(by_invitation=True, hides_results=True))
    guest = make_user()
    invite_authors(actor=organiser, tournament=cup, usernames=[guest.username])
    release_results(actor=organiser, tournament=cup)

    assert _actions() == [
        *(A.EVENT_CREATE, A.TOURNAMENT_CREATE, A.TOURNAMENT_INVITE, A.TOURNAMENT_RELEASE)
    ]
    invited = AuditEvent.objects.get(action=A.TOURNAMENT_INVITE)
    assert invited.details == {"people": [guest.pk]}


def test_staff_decisions_about_bots_are_on_record() -> None:
    staff, version = make_staff(), make_version()

    disqualify_version(actor=staff, version=version, reason="It spies.")
    reinstate_version(actor=staff, version=version)

    assert _actions() == [A.VERSION_DISQUALIFY, A.VERSION_REINSTATE]
    first = AuditEvent.objects.earliest("pk")
    assert (first.actor, first.person, first.reason) == (staff, version.bot.owner, "It spies.")


def test_worker_tokens_and_quarantines_are_on_record() -> None:
    staff = make_staff()
    token = join()
    played_by(token)
    begin_quarantine(token_id=token.pk, reason="It cheats.")
    quarantine = Quarantine.objects.get()
    review_results(actor=staff, quarantine=quarantine, verdict=Verdict.KEEP, reason="It does not.")
    end_quarantine(actor=staff, quarantine=quarantine, reason="All is well.")
    made, secret = create_worker_token(actor=staff, name="new", work=list(Work))
    revoke_worker_token(made, actor=staff)
    revoke_worker_token(made, actor=staff)

    found = [(each.action, each.actor) for each in AuditEvent.objects.order_by("pk")]

    assert found == [
        (A.WORKER_TOKEN_CREATE, None),
        (A.QUARANTINE_BEGIN, None),
        (A.QUARANTINE_REVIEW, staff),
        (A.QUARANTINE_END, staff),
        (A.WORKER_TOKEN_CREATE, staff),
        (A.WORKER_TOKEN_REVOKE, staff),
    ]
    assert secret not in str(list(AuditEvent.objects.values()))


def test_commands_of_operators_are_on_record() -> None:
    cup = started(bots=2)
    settle(matches_of(cup))

    call_command("recompute_ratings", "game:tuned", verbosity=0)
    call_command("revoke_results", game="tuned", rules=1, reason="A bug.", yes=True)

    recomputed, revoked = AuditEvent.objects.order_by("-pk")[:2][::-1]
    assert (recomputed.action, recomputed.actor_name) == (A.RATINGS_RECOMPUTE, "an operator")
    assert (revoked.action, revoked.reason) == (A.RULES_REVOKE, "A bug.")


@pytest.mark.parametrize(
    "refused",
    [
        lambda cup: pause_tournament(actor=make_user(), tournament=cup),
        lambda cup: resume_tournament(actor=cup.owner, tournament=cup),
        lambda cup: disqualify_entry(
            actor=cup.owner, tournament=cup, version_id=cup.entries.first().version_id, reason=""
        ),
    ],
    ids=["a stranger", "in the wrong state", "without a reason"],
)
def test_refusal_leaves_no_trace(refused: Callable[[Tournament], object]) -> None:
    cup = started(bots=2)
    before = AuditEvent.objects.count()

    with pytest.raises(DomainError):
        refused(cup)

    assert AuditEvent.objects.count() == before


def test_deed_that_fails_later_is_not_on_record(organiser: User) -> None:
    def fail() -> None:
        with transaction.atomic():
            open_cup(organiser)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert not AuditEvent.objects.exists()


def test_event_names_the_request_in_the_logs() -> None:
    with bound_contextvars(request_id="r-1"):
        event = note_action(
            A.SEASON_END, actor=None, kind=AuditedKind.SEASON, object_id=1, reason="x" * 400
        )

    assert (event.request_id, len(event.reason)) == ("r-1", 300)


def test_person_in_the_log_is_never_deleted() -> None:
    staff = make_staff()
    note_action(A.SEASON_END, actor=staff, kind=AuditedKind.SEASON, object_id=1)

    with pytest.raises(ProtectedError):
        staff.delete()
