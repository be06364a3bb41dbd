import json

import pytest

from pentathlon.tournaments.document import document, pairings
from pentathlon.tournaments.services import start_tournament
from tests.factories import make_tournament, make_version
from tests.pentathlon.tournaments.acting import matches_of, started

pytestmark = pytest.mark.django_db


def test_schedule_follows_from_the_document_alone() -> None:
    tournament = started(bots=5, cycles=2)
    versions = [entry.version_id for entry in tournament.entries.in_order()]

    copy = json.loads(json.dumps(document(tournament)))

    stored = [
        (
            match.place.round,
            match.place.block,
            match.place.index,
            match.seed,
            tuple(match.seats.order_by("seat").values_list("version_id", flat=True)),
        )
        for match in matches_of(tournament)
    ]
    assert stored == [
        (
            pairing.round,
            pairing.block,
            pairing.index,
            pairing.seed,
            tuple(versions[number] for number in pairing.seating),
        )
        for pairing in pairings(copy)
    ]


def test_document_names_every_bot_by_its_content() -> None:
    version = make_version(name="alpha")
    tournament = make_tournament(versions=[version])

    entries = document(tournament)["entries"]

    assert entries == [{"bot": "alpha", "version": 1, "hash": version.archive_id}]


def test_same_document_gives_the_same_schedule_in_another_tournament() -> None:
    versions = [make_version() for _ in range(4)]
    first, second = (make_tournament(versions=versions, seed=99) for _ in range(2))

    for tournament in (first, second):
        start_tournament(actor=tournament.owner, tournament=tournament)

    seeds = [[match.seed for match in matches_of(one)] for one in (first, second)]
    assert seeds[0] == seeds[1]
    assert document(first) == document(second)


def test_document_is_final_from_the_start_on() -> None:
    tournament = make_tournament(versions=[make_version(), make_version()])
    assert document(tournament)["draw_probability"] is None

    begun = start_tournament(actor=tournament.owner, tournament=tournament)

    assert document(begun)["draw_probability"] == pytest.approx(0.1)
