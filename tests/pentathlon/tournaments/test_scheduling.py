"""Schedules that are made part by part."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.matches.models import Match
from pentathlon.ratings.models import LedgerRow
from pentathlon.tournaments import services
from pentathlon.tournaments.batches import Batch
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.scheduling import schedules
from pentathlon.tournaments.scheduling.schedules import extend_schedule, make_schedules
from pentathlon_engines.tournament.document import TournamentDocument
from tests.factories import make_tournament, make_user, make_version
from tests.pentathlon.tournaments.acting import as_drawn, as_made, matches_of, settle

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a part be one block of two matches, of two blocks in a batch."""
    monkeypatch.setattr(schedules, "ROWS_AT_ONCE", 14)
    monkeypatch.setattr(schedules, "_begun", {})


def _begun(*, bots: int = 4) -> Tournament:
    owner = make_user(organiser=True)
    tournament = create_tournament(
        actor=owner,
        draft=Draft(
            name="Long Cup",
            document=TournamentDocument(game="tuned"),
            versions=[make_version().pk for _ in range(bots)],
        ),
    )
    return services.start_tournament(actor=owner, tournament=tournament)


def test_start_of_a_long_tournament_makes_no_match_itself() -> None:
    tournament = _begun()

    assert (tournament.state, tournament.planned, tournament.scheduled) == ("running", 12, 0)
    assert not Match.objects.exists()
    assert services.close_finished() == []


def test_parts_make_the_schedule_of_the_document() -> None:
    tournament = _begun()

    assert make_schedules(for_s=60) == 12

    tournament.refresh_from_db()
    assert tournament.scheduled == 12
    assert as_made(tournament) == as_drawn(tournament)
    assert LedgerRow.objects.count() == 24


def test_crash_between_two_parts_changes_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = _begun()
    assert extend_schedule(tournament_id=tournament.pk) == 2
    store = schedules.store_matches

    def store_and_die(*args: Any, **named: Any) -> None:  # handed on as they came
        store(*args, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(schedules, "store_matches", store_and_die)
    with pytest.raises(KeyboardInterrupt):
        extend_schedule(tournament_id=tournament.pk)
    assert Match.objects.count() == 2
    monkeypatch.setattr(schedules, "store_matches", store)
    monkeypatch.setattr(schedules, "_begun", {})

    make_schedules(for_s=60)

    assert as_made(tournament) == as_drawn(tournament)


def test_no_block_is_cut_in_two() -> None:
    tournament = _begun()

    while extend_schedule(tournament_id=tournament.pk):
        counts = tournament.tournament_matches.values_list("block", flat=True)
        assert sorted(counts) == sorted(2 * sorted(set(counts)))


def test_what_is_made_is_played_while_the_rest_is_not_there() -> None:
    tournament = _begun()
    extend_schedule(tournament_id=tournament.pk)

    settle(matches_of(tournament))
    assert services.close_finished() == []
    make_schedules(for_s=60)
    settle(matches_of(tournament)[2:])

    assert services.close_finished() == [tournament]


def test_matches_made_in_a_pause_are_held() -> None:
    tournament = _begun()
    services.pause_tournament(actor=tournament.owner, tournament=tournament)

    make_schedules(for_s=60)

    assert Match.objects.waiting().count() == 12
    assert not Match.objects.startable().exists()


def test_cancelled_tournament_gets_no_more_matches() -> None:
    tournament = _begun()
    extend_schedule(tournament_id=tournament.pk)
    services.cancel_tournament(actor=tournament.owner, tournament=tournament)

    assert make_schedules(for_s=60) == 0
    assert Match.objects.count() == 2


def test_tournaments_are_made_side_by_side() -> None:
    long, short = _begun(bots=6), _begun(bots=3)

    for _ in range(4):
        make_schedules(for_s=0)

    made = [Tournament.objects.get(pk=each.pk).scheduled for each in (long, short)]
    assert made[0] == made[1] > 0


def test_schedule_of_several_is_drawn_once_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    draw = schedules.make_again

    def note(tournament: Tournament, batch: Batch) -> schedules.Blocks:
        drawn.append(tournament.pk)
        return draw(tournament, batch)

    monkeypatch.setattr(schedules, "make_again", note)
    for _ in range(2):
        _begun(bots=5)

    while make_schedules():
        pass

    assert drawn == []


def test_one_tournament_leaves_time_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    _begun()

    assert make_schedules(for_s=0) == 2


def test_cancelled_tournament_is_called_off_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = _begun()
    make_schedules(for_s=60)
    monkeypatch.setattr(services, "_CALLED_OFF_AT_ONCE", 5)

    cancelled = services.cancel_tournament(actor=tournament.owner, tournament=tournament)

    assert cancelled.state == "cancelled"
    assert (cancelled.finished_at, cancelled.revealed_at) == (None, None)
    assert Match.objects.waiting().count() == 7
    assert not Match.objects.startable().exists()
    assert services.call_off_cancelled(for_s=60) == 1
    assert services.call_off_cancelled() == 0
    tournament.refresh_from_db()
    assert tournament.revealed_at is not None
    assert not Match.objects.unfinished().exists()


class TestPartsOfSeveralBatches:
    """A part has as many rounds as fit into it where no result decides them."""

    def test_they_are_the_batches_that_would_be_made_one_by_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        alone, together = _begun(bots=5), _begun(bots=5)
        while extend_schedule(tournament_id=alone.pk):
            pass
        monkeypatch.setattr(schedules, "ROWS_AT_ONCE", 1000)

        assert extend_schedule(tournament_id=together.pk) == 20

        together.refresh_from_db()
        assert together.is_fully_scheduled
        assert _batches(together) == _batches(alone)
        assert as_made(together) == as_drawn(together)

    @pytest.mark.parametrize(
        ("most", "parts"),
        [
            (3, [2, 2] * 5),
            (7, [4] * 5),
            (19, [16, 4]),
            *(
                pytest.param(*case, marks=pytest.mark.deep)
                for case in ((4, [4] * 5), (8, [8, 8, 4]), (20, [20]))
            ),
        ],
    )
    def test_none_is_cut_that_fits_into_a_part(
        self, monkeypatch: pytest.MonkeyPatch, most: int, parts: list[int]
    ) -> None:
        tournament = _begun(bots=5)
        monkeypatch.setattr(schedules, "ROWS_AT_ONCE", 7 * most)

        made = [extend_schedule(tournament_id=tournament.pk) for _ in parts]

        assert made == parts
        assert as_made(tournament) == as_drawn(tournament)

    def test_start_asks_as_often_for_many_rounds_as_for_few(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(schedules, "ROWS_AT_ONCE", 1000)
        _begun(bots=3)

        assert _queries_of_a_start(bots=9) == _queries_of_a_start(bots=3)


def _batches(tournament: Tournament) -> list[tuple[object, ...]]:
    rows = tournament.batches.order_by("number")
    return list(rows.values_list("number", "input", "input_digest", "first_block", "last_block"))


def _queries_of_a_start(*, bots: int) -> int:
    owner = make_user(organiser=True)
    tournament = make_tournament(owner, versions=[make_version() for _ in range(bots)])
    with CaptureQueriesContext(connection) as queries:
        services.start_tournament(actor=owner, tournament=tournament)
    assert tournament.scheduled or Match.objects.of_lane(tournament.pk).exists()
    return len(queries)
