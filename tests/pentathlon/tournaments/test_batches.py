"""Tournaments whose matches follow from results are made batch by batch."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.tournaments.batches import Batch
from pentathlon.tournaments.documents import document as documents
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising import posted_documents
from pentathlon.tournaments.scheduling import schedules
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import extend_schedule, make_again, make_schedules
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.tournament import checks, document, document_schema
from pentathlon_engines.tournament.formats import registry
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import as_made, matches_of, open_cup, settle, started
from tests.pentathlon.tournaments.toy_format import KingOfTheHill

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**registry.FORMATS, "king/1": KingOfTheHill()}
    for module in (registry, document, document_schema, checks, documents, posted_documents):
        monkeypatch.setattr(module, "FORMATS", known)
    monkeypatch.setattr(schedules, "_begun", {})


def _hill(bots: int = 4, **asked: Any) -> Tournament:
    owner = make_user(organiser=True)
    versions = [make_version().pk for _ in range(bots)]
    made = open_cup(owner, format="king", versions=versions, **asked)
    return start_tournament(actor=owner, tournament=made)


def _play_all(tournament: Tournament, *, backwards: bool = False) -> None:
    while True:
        waiting = [match for match in matches_of(tournament) if match.state == "pending"]
        if not waiting:
            return
        settle(waiting[::-1] if backwards else waiting)
        settle_blocks()
        make_schedules()


def test_next_batch_waits_for_the_results_of_the_one_before() -> None:
    tournament = _hill()

    assert (tournament.scheduled, tournament.planned, tournament.most) == (2, 6, 8)
    assert make_schedules() == 0
    first, second = matches_of(tournament)
    settle([first])
    settle_blocks()
    assert make_schedules() == 0
    settle([second])
    settle_blocks()

    assert make_schedules() == 2
    assert tournament.batches.count() == 2


def test_format_ends_it_and_decides_the_places() -> None:
    tournament = _hill(3)

    _play_all(tournament)

    tournament.refresh_from_db()
    assert tournament.is_fully_scheduled
    assert tournament.places == [[0], [2], [1]]
    assert (tournament.planned, tournament.most) == (4, None)
    assert close_finished() == [tournament]


def test_each_batch_can_be_made_again_from_what_was_noted() -> None:
    tournament = _hill(5)
    _play_all(tournament)

    for batch in tournament.batches.all():
        again = make_again(tournament, batch)
        stored = tournament.tournament_matches.filter(
            block__range=(batch.first_block, batch.last_block)
        )
        assert sum(len(block.seatings) for block in again) == stored.count()


def test_same_document_gives_the_same_rows_in_whatever_order_results_come() -> None:
    first = _hill(5)
    versions = [entry.version_id for entry in first.entries.in_order()]
    _play_all(first)
    fixed = documents.document_json(first)
    second = open_cup(
        first.owner,
        format="king",
        versions=versions,
        rated=False,
        secret=first.secret,
        draw_probability=fixed["draw_probability"],
    )
    # The leaderboard has moved on since, so restore the strengths of that time.
    for entry, stated in zip(second.entries.in_order(), fixed["entries"], strict=True):
        entry.strength_hint = stated["strength"]
        entry.save()
    second = start_tournament(actor=first.owner, tournament=second)

    _play_all(second, backwards=True)

    assert as_made(second) == as_made(first)
    digests = [
        list(each.batches.order_by("number").values_list("input_digest", flat=True))
        for each in (first, second)
    ]
    assert digests[0] == digests[1]


def test_bot_that_left_is_noted_with_the_next_batch() -> None:
    tournament = _hill()
    tournament.entries.filter(number=2).update(state="withdrawn")

    _play_all(tournament)

    notes = list(tournament.batches.order_by("number").values_list("input", flat=True))
    assert [note["left"] for note in notes if note] == [[], [2]]
    assert [sorted(note["results"]) for note in notes if note] == [[], ["1"]]


def test_price_of_a_batch_does_not_grow_with_what_was_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(schedules, "ROWS_AT_ONCE", 1)
    tournament = started(bots=4, cycles=6)
    counts = []
    for _ in range(20):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert extend_schedule(tournament_id=tournament.pk)
        counts.append(len(queries))

    assert max(counts[-8:]) <= max(counts[2:10])


def test_tournament_without_rows_of_blocks_goes_on_where_it_was() -> None:
    tournament = started(bots=4)
    made = as_made(tournament)
    tournament.blocks.all().delete()
    Batch.objects.all().delete()
    Tournament.objects.update(is_fully_scheduled=False, scheduler="")
    settle(matches_of(tournament))

    while make_schedules() or settle_blocks():
        pass

    tournament.refresh_from_db()
    assert as_made(tournament) == made
    assert tournament.blocks.count() == 6
    assert close_finished() == [tournament]
    tournament.refresh_from_db()
    assert tournament.state == TournamentState.CLOSED
