"""A stored value that this release cannot read stops one tournament, which says so."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.ladders.batches import make_batches
from pentathlon.operations.gauges import gauges
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.scheduling import schedules
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.services import cancel_tournament, close_finished, start_tournament
from tests.api.client import V1
from tests.deep import mostly_deep
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import division_of, open_ladder, seat_all
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle, started
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

Change = Callable[[Tournament], None]


def _document(**fields: Any) -> Change:  # Any: JSON
    def change(cup: Tournament) -> None:
        fixed = {**(cup.fixed_document or {}), **fields}
        Tournament.objects.filter(pk=cup.pk).update(fixed_document=fixed)

    return change


def _batch(cup: Tournament) -> None:
    cup.batches.update(input={"gone": [], "format": 9})


def _block(cup: Tournament) -> None:
    cup.blocks.update(result={"legs": 7})


UNREADABLE = {
    "format of the document": _document(format=1),
    "scheduler of another release": _document(scheduler="swiss/99"),
    "document without its parts": _document(entries=7),
    "batch of another format": _batch,
    "result of another format": _block,
}
_CHANGES = [*UNREADABLE.values()]


def _swiss() -> Tournament:
    """Start a Swiss tournament whose first round has been played."""
    owner = make_user(organiser=True)
    versions = [make_version().pk for _ in range(4)]
    cup = open_cup(owner, format="swiss", versions=versions, params={"rounds": 2})
    cup = start_tournament(actor=owner, tournament=cup)
    make_schedules()
    settle(matches_of(cup))
    settle_blocks()
    return cup


@pytest.mark.parametrize(
    "change", mostly_deep(UNREADABLE.values(), keep=[*UNREADABLE.values()][:2])
)
def test_unreadable_tournament_stops_alone_and_says_so(change: Change) -> None:
    old = _swiss()
    change(old)
    other = _swiss()

    make_schedules()

    old.refresh_from_db()
    assert old.scheduled == 4
    assert other.tournament_matches.count() == 8
    assert "next matches cannot be made. This release of the site cannot read" in old.problem
    assert not Tournament.objects.get(pk=other.pk).problem
    page = page_of(Client().get(reverse("tournament", args=[old.pk])))
    assert f"It cannot go on. {old.problem}" in page.text
    assert Client().get(f"{V1}/tournaments/{old.pk}/").json()["problem"] == old.problem
    gauges.forget()
    assert {each.name: each for each in gauges.collect()}[
        "pentathlon_tournaments_stopped"
    ].samples[0].value == 1


def test_table_that_cannot_be_read_answers_with_a_code() -> None:
    cup = _swiss()
    _document(format=1)(cup)

    client = Client(raise_request_exception=False)
    answer = client.get(f"{V1}/tournaments/{cup.pk}/standings/")

    assert (answer.status_code, answer.json()["code"]) == (503, "tournament_unreadable")


def test_unreadable_tournament_ends_in_a_problem_and_can_be_cancelled() -> None:
    cup = started()
    settle(matches_of(cup))
    _document(format=1)(cup)

    close_finished()

    cup.refresh_from_db()
    assert cup.state == TournamentState.RUNNING
    assert cup.problem.startswith("Its final table cannot be made. This release")
    assert cancel_tournament(actor=cup.owner, tournament=cup).state == TournamentState.CANCELLED


def test_problem_goes_once_another_process_can_read_the_tournament() -> None:
    cup = _swiss()
    fixed = cup.fixed_document
    _document(format=1)(cup)
    make_schedules()
    Tournament.objects.filter(pk=cup.pk).update(fixed_document=fixed)

    schedules._schedules.forget()  # as after a start
    make_schedules()

    cup.refresh_from_db()
    assert (cup.problem, cup.scheduled) == ("", 8)


def test_error_of_the_site_is_a_problem_without_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cup = _swiss()

    def fail(**_: object) -> int:
        raise RuntimeError("secret of the site")

    monkeypatch.setattr(schedules, "extend_schedule", fail)
    make_schedules()

    cup.refresh_from_db()
    assert "an error of its own (RuntimeError)" in cup.problem
    assert "secret" not in cup.problem


def test_division_by_another_rule_gets_no_matches() -> None:
    ladder = open_ladder()
    for _ in range(4):
        make_version()
    seat_all()
    division = division_of(ladder)
    _document(scheduler="ladder/99")(division.tournament)

    make_batches()

    division.tournament.refresh_from_db()
    assert division.tournament.scheduled == 0
    assert "ladder matches cannot be made" in division.tournament.problem
