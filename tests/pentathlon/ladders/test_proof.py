"""Anybody can make every batch of a closed season again: `pentathlon verify --tournament`."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.ladders.seasons import close_seasons, end_season
from pentathlon.matches.models import Match, MatchKind
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.scheduling import secrecy
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.services import close_finished
from pentathlon_engines.tournament.batches import LadderNote
from pentathlon_engines.tournament.proof import check_proof, join_parts
from pentathlon_engines.tournament.proof_schedule import Proof
from tests.databases import rows_for_a_module
from tests.factories import make_version
from tests.pentathlon.ladders.playing import (
    division_of,
    make_reference,
    open_ladder,
    seat_all,
    step,
)
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db

Records = list[Any]


def _play() -> Records:
    """Play what waits at random, through claim and acceptance; return the records."""
    records = []
    for match in Match.objects.filter(kind=MatchKind.LADDER).waiting().order_by("pk"):
        job = claimed(match)
        records.append(record_of(job, luck=match.pk))
        submit(job, records[-1])
    apply_results()
    return records


@pytest.fixture(scope="class")
def played(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[int, Records]]:
    with rows_for_a_module(django_db_blocker):
        yield _closed_season()


def _closed_season() -> tuple[int, Records]:
    """Play a season in which somebody joins, somebody is replaced; close it."""
    ladder = open_ladder(slots=1)
    make_reference()
    first = make_version()
    records: Records = []
    for join in (make_version, lambda: make_version(bot=first.bot), lambda: None):
        seat_all()
        for _ in range(2):
            step()
            records += _play()
        join()
    division = division_of(ladder)
    end_season(season_id=division.season_id)
    close_finished()
    close_seasons()
    tournament = Tournament.objects.get(pk=division.tournament_id)
    assert tournament.state == TournamentState.CLOSED
    assert tournament.batches.count() >= 5
    return tournament.pk, records


@pytest.fixture
def season(played: tuple[int, Records], db: None) -> tuple[Tournament, Records]:
    """Give a test the season that all tests of a closed one share."""
    number, records = played
    return Tournament.objects.get(pk=number), copy.deepcopy(records)


def _told(tournament: Tournament) -> Proof:
    """Return the proof as it travels."""
    found: Proof = json.loads(json.dumps(proof(tournament)))
    return found


def _states(told: Proof, records: Records) -> dict[str, str]:
    return {check.name: check.state for check in check_proof(told, records=records)}


def test_running_season_says_what_is_sealed() -> None:
    ladder = open_ladder(slots=1)
    make_version()
    make_version()
    seat_all()
    step()

    states = _states(_told(division_of(ladder).tournament), [])

    assert states["schedule"] == states["secret"] == "sealed"
    assert "failed" not in states.values()


def _better_rating(told: Proof) -> None:
    batch = told["batches"][1]
    number, line = next((n, line) for n, line in batch[3]["told"].items() if line)
    batch[3]["told"][number] = [line[0], line[1] + 30, *line[2:]]


def _other_author_digested(told: Proof) -> None:
    """Say that all are of one author, with digests that agree with it."""
    for batch in told["batches"]:
        for line in filter(None, batch[3]["told"].values()):
            line[0] = "ann"
    digest = ""
    for batch in told["batches"]:
        digest = batch[4] = LadderNote.from_json(batch[3]).digest(digest)


def _batch_left_out(told: Proof) -> None:
    del told["batches"][1]


def _asked_for_less(told: Proof) -> None:
    told["batches"][0][3]["wanted"] -= 1
    digest = ""
    for batch in told["batches"]:
        digest = batch[4] = LadderNote.from_json(batch[3]).digest(digest)


class TestClosedSeason:
    def test_closed_season_verifies_with_all_its_records(
        self, season: tuple[Tournament, Records]
    ) -> None:
        tournament, records = season

        states = _states(_told(tournament), records)

        assert set(states.values()) == {"ok"}, states
        assert set(states) >= {"schedule", "seeds", "aliases", "event key", "secret", "records"}

    @pytest.mark.parametrize(
        "lie", [_better_rating, _other_author_digested, _batch_left_out, _asked_for_less]
    )
    def test_other_batches_are_found(
        self, season: tuple[Tournament, Records], lie: Callable[[Proof], None]
    ) -> None:
        told = _told(season[0])
        lie(told)

        assert _states(told, [])["schedule"] == "failed"

    def test_record_of_another_bot_is_found(self, season: tuple[Tournament, Records]) -> None:
        tournament, records = season
        told = _told(tournament)
        told["entries"][1]["hash"] = "sha256:other"

        assert _states(told, records)["record"] == "failed"

    def test_long_season_comes_in_parts_with_their_batches(
        self, season: tuple[Tournament, Records], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tournament, records = season
        whole = _told(tournament)
        monkeypatch.setattr(secrecy, "LARGEST_PART", 4)
        count = secrecy.count_parts(tournament)
        pieces = [json.loads(json.dumps(proof(tournament, part=n + 1))) for n in range(count)]

        joined = join_parts(pieces)

        assert count > 2
        assert joined["batches"] == whole["batches"]
        assert all(len(piece["batches"]) < len(whole["batches"]) for piece in pieces)
        assert set(_states(joined, records).values()) == {"ok"}
