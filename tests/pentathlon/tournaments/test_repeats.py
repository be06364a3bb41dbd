"""Who plays in a repeat: retired and stopped bots do, whoever has no code or no right does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import retire_version
from pentathlon.core.errors import DomainError, InvalidInput
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.hidden_lanes import RepeatedLane
from pentathlon.matches.models import Match
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.tournaments.documents.document import document_json
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.estimates.dry_runs import dry_run_of_new
from pentathlon.tournaments.models import EntryState, Tournament
from pentathlon.tournaments.organising.drafts import delete_draft, edit_draft, read_draft
from pentathlon.tournaments.organising.posted_documents import create_from_document
from pentathlon.tournaments.services import start_tournament
from tests.factories import PASSWORD, make_user, make_version, make_worker
from tests.pentathlon.tournaments.acting import matches_of, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def host() -> User:
    return make_user(organiser=True)


@pytest.fixture
def bots() -> list[BotVersion]:
    return [make_version() for _ in range(3)]


@pytest.fixture
def cup(host: User, bots: list[BotVersion]) -> Tournament:
    return started(owner=host, versions=bots)


def _state(version: BotVersion, state: VersionState) -> None:
    BotVersion.objects.filter(pk=version.pk).update(state=state)


def _again(cup: Tournament, **wanted: Any) -> Tournament:
    return create_from_document(actor=cup.owner, document=document_json(cup), **wanted)


@pytest.mark.parametrize("state", [VersionState.RETIRED, VersionState.STOPPED])
def test_repeat_takes_bots_out_of_play_and_hands_their_matches_out(
    state: VersionState, cup: Tournament, bots: list[BotVersion]
) -> None:
    make_worker()
    Match.objects.all().update(state="void")
    _state(bots[0], state)

    again = start_tournament(actor=cup.owner, tournament=_again(cup))
    settle_entries()
    sent: list[int] = []
    publish_pending(publish=sent.extend)

    matches = matches_of(again)
    assert {entry.state for entry in again.entries.all()} == {EntryState.ACTIVE}
    assert Match.objects.of_lane(again.pk).startable().count() == len(matches)
    assert set(sent) <= {match.pk for match in matches}
    assert sent
    reason = why_waiting(Match.objects.with_needs().get(pk=matches[0].pk))
    assert reason is not None
    assert reason.code != "out_of_play"


def test_bot_that_retires_meanwhile_plays_on(cup: Tournament, bots: list[BotVersion]) -> None:
    again = start_tournament(actor=cup.owner, tournament=_again(cup))

    retire_version(actor=bots[0].bot.owner, version=bots[0])
    settle_entries()

    assert {entry.state for entry in again.entries.all()} == {EntryState.ACTIVE}
    assert {entry.state for entry in cup.entries.all()} != {EntryState.ACTIVE}


def test_disqualified_bot_leaves_a_repeat_too(cup: Tournament, bots: list[BotVersion]) -> None:
    again = start_tournament(actor=cup.owner, tournament=_again(cup))

    _state(bots[0], VersionState.DISQUALIFIED)
    settle_entries()

    assert again.entries.get(version=bots[0]).state == EntryState.DISQUALIFIED


def test_rated_tournament_takes_no_retired_bot(cup: Tournament, bots: list[BotVersion]) -> None:
    _state(bots[0], VersionState.RETIRED)

    with pytest.raises(InvalidInput) as caught:
        _again(cup, rated=True)

    assert f"{bots[0].label} is not eligible for tuned: no longer scheduled." in str(caught.value)


def test_dry_run_takes_them_too(cup: Tournament, bots: list[BotVersion]) -> None:
    _state(bots[0], VersionState.RETIRED)

    rehearsed = dry_run_of_new(lambda: _again(cup))

    assert rehearsed.document.entries
    assert not RepeatedLane.objects.exists()


def test_author_who_left_is_refused_by_name_with_the_reason(
    cup: Tournament, bots: list[BotVersion]
) -> None:
    author = bots[0].bot.owner
    document = document_json(cup)
    cup.entries.filter(version=bots[0]).update(state=EntryState.WITHDRAWN)
    name = delete_own_account(actor=author, username=author.username, password=PASSWORD)

    with pytest.raises(InvalidInput) as caught:
        create_from_document(actor=cup.owner, document=document)

    label = BotVersion.objects.select_related("bot").get(pk=bots[0].pk).label
    assert name.startswith("deleted-")
    assert f"{label} is not eligible for tuned: its code is gone" in str(caught.value)


def test_candidate_plays_only_where_its_author_enters_it(
    cup: Tournament, bots: list[BotVersion]
) -> None:
    BotVersion.objects.filter(pk=bots[0].pk).update(is_candidate=True)

    with pytest.raises(InvalidInput) as caught:
        _again(cup)
    author = bots[0].bot.owner
    author.is_organiser = True
    author.save()
    own = create_from_document(actor=author, document=document_json(cup))

    assert f"{bots[0].label} is a candidate" in str(caught.value)
    assert own.entries.count() == 3


def test_draft_of_a_repeat_is_edited_and_becomes_none_when_rated(
    cup: Tournament, bots: list[BotVersion]
) -> None:
    _state(bots[0], VersionState.RETIRED)
    draft = _again(cup, is_draft=True)
    stored = read_draft(draft)
    plain = replace(stored.document, draw_probability=None)
    values: dict[str, Any] = {"actor": cup.owner, "tournament": draft, "revision": stored.revision}

    with pytest.raises(DomainError) as caught:
        edit_draft(draft=replace(stored, rated=True, document=plain), **values)
    edit_draft(draft=replace(stored, name="Other"), **values)

    assert "no longer scheduled" in str(caught.value)
    assert draft.entries.count() == 3
    assert RepeatedLane.objects.filter(lane=draft.pk).exists()
    delete_draft(actor=cup.owner, tournament=draft)
    assert not RepeatedLane.objects.exists()
