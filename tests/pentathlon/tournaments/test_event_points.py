"""The points of an event come from shared places."""

from collections.abc import Sequence

import pytest
from django.test import Client

from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.withdrawals import settle_entries, withdraw_entry
from pentathlon.tournaments.models import FinalRow, Tournament
from pentathlon.tournaments.organising.arrangement import Arrangement
from pentathlon.tournaments.organising.events import create_event, event_table, tournaments_of
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.tournament.document import TournamentDocument
from tests.api.client import V1
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, settle

pytestmark = pytest.mark.django_db


def played(*places: Sequence[int], names: Sequence[str]) -> list[Tournament]:
    """Return the tournaments of an event with these places, in the order in which names enter."""
    organiser = make_user(organiser=True)
    games = ("maatatahay", "tuned")[: len(places)]
    documents = [TournamentDocument(game=game) for game in games]
    event = create_event(
        actor=organiser,
        name="Pentathlon Week",
        documents=documents,
        arrangement=Arrangement(),
        rated=False,
    )
    authors = [make_user(name) for name in names]
    for cup in tournaments_of(event):
        for author in authors:
            version = make_version(owner=author, games=(cup.game,))
            enter_tournament(actor=author, tournament=cup, version_id=version.pk)
        start_tournament(actor=organiser, tournament=cup)
        settle(matches_of(cup))
    close_finished()
    for cup, of_cup in zip(tournaments_of(event), places, strict=True):
        rows = FinalRow.objects.filter(entry__tournament=cup).order_by("entry__number")
        for row, place in zip(rows, of_cup, strict=True):
            FinalRow.objects.filter(pk=row.pk).update(place=place)
    return tournaments_of(event)


def test_those_who_share_a_place_share_its_points() -> None:
    cups = played([1, 1, 3, 4], [1, 2, 2, 2], names=["ann", "ben", "cat", "dan"])

    lines = event_table(cups, reader=None)

    points = {line.name: [cell and cell.points for cell in line.cells] for line in lines}
    assert points == {"ann": [3.5, 4], "ben": [3.5, 2], "cat": [2, 2], "dan": [1, 2]}
    assert [(line.place, line.name, line.points) for line in lines] == [
        (1, "ann", 7.5),
        (2, "ben", 5.5),
        (3, "cat", 4),
        (4, "dan", 3),
    ]
    assert sum(line.points for line in lines) == 2 * (4 + 3 + 2 + 1)


@pytest.mark.parametrize("names", [("ann", "ben", "cat"), ("cat", "ann", "ben")])
def test_equal_lines_share_a_place_in_whatever_order_they_entered(names: Sequence[str]) -> None:
    cups = played([1, 1, 1], [1, 1, 1], names=names)

    lines = event_table(cups, reader=None)

    assert [(line.place, line.name, line.points) for line in lines] == [
        (1, name, 4) for name in ("ann", "ben", "cat")
    ]


def test_who_has_points_only_because_all_others_left_has_a_place() -> None:
    organiser = make_user(organiser=True)
    event = create_event(
        actor=organiser,
        name="Pentathlon Week",
        documents=[TournamentDocument(game="tuned", leaving="forfeit", scheduler="swiss/1")],
        arrangement=Arrangement(),
        rated=False,
    )
    (cup,) = tournaments_of(event)
    stays, leaves = make_user("stays"), make_user("leaves")
    for author in (stays, leaves):
        version = make_version(owner=author)
        enter_tournament(actor=author, tournament=cup, version_id=version.pk)
    start_tournament(actor=organiser, tournament=cup)
    withdraw_entry(actor=leaves, tournament=cup, version_id=version.pk)
    while settle_entries() or settle_blocks():
        pass

    lines = event_table(tournaments_of(event), reader=None)

    assert [(line.place, line.name) for line in lines] == [(1, "stays")]


def test_page_and_api_tell_halves(client: Client) -> None:
    cups = played([1, 1, 3], names=["ann", "ben", "cat"])
    event = cups[0].event_id

    page = client.get(f"/events/{event}/").content.decode()
    told = client.get(f"{V1}/events/{event}/table/").json()

    assert page.count('<td class="n strong">2.5</td>') == 2
    rows = told["results"] if isinstance(told, dict) else told
    assert [(row["place"], row["points"]) for row in rows] == [(1, 2.5), (1, 2.5), (3, 1.0)]
