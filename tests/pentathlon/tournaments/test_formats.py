"""Each format once from its start to its table, without workers."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.documents.document import document_json
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.results.standings import standings as final_standings
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.desk.match_pool import DeskMatch
from pentathlon_engines.desk.standings import standings
from pentathlon_engines.desk.tournament import DeskTournament, Kept
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.proof import check_proof
from tests.databases import made_once
from tests.engines.desk.acting import desk_result
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle

pytestmark = pytest.mark.django_db

FORMATS: list[tuple[str, int, dict[str, Any]]] = [
    ("round_robin", 5, {}),
    ("gauntlet", 4, {}),
    ("swiss", 6, {}),
    ("knockout", 5, {}),
    ("finals", 3, {"blocks": 12}),
    ("ab_test", 2, {}),
    ("ladder", 5, {"rounds": 6}),
]


def _played(kind: str, bots: int, params: dict[str, Any]) -> Tournament:
    owner = make_user(organiser=True)
    versions = [make_version().pk for _ in range(bots)]
    made = open_cup(owner, format=kind, versions=versions, params=params, rated=False)
    tournament = start_tournament(actor=owner, tournament=made)
    for _ in range(200):
        settle([match for match in matches_of(tournament) if match.state == MatchState.PENDING])
        settle_blocks()
        make_schedules()
        tournament.refresh_from_db()
        if tournament.is_fully_scheduled and close_finished():
            break
    tournament.refresh_from_db()
    return tournament


played = made_once(lambda: {asked[0]: _played(*asked) for asked in FORMATS})
each_format = pytest.mark.parametrize("kind", [kind for kind, _, _ in FORMATS])


@each_format
def test_format_is_played_from_start_to_table(played: dict[str, Tournament], kind: str) -> None:
    tournament = played[kind]

    assert tournament.state == TournamentState.CLOSED
    assert tournament.scheduled == tournament.planned > 0
    checks = check_proof(proof(tournament))
    assert {check.state for check in checks} == {"ok"}, checks
    out = StringIO()
    call_command("verify_schedules", tournament.pk, stdout=out)
    assert "as drawn" in out.getvalue()


@each_format
def test_same_document_played_at_a_desk_gives_the_same_table(
    played: dict[str, Tournament], kind: str
) -> None:
    tournament = played[kind]
    ended = {place.index: place for place in tournament.tournament_matches.all()}

    def find(match: DeskMatch) -> Kept:
        place = ended[match.index]
        seats = list(place.match.seats.order_by("seat"))
        assert (place.match.seed, place.match.alias) == (match.seed, match.alias)
        ranks = tuple(seat.rank or 0 for seat in seats)
        return Kept(desk_result(ranks, course=place.match.course or place.match.alias))

    document = document_json(tournament)
    desk = DeskTournament(
        TournamentDocument.from_json(document),
        secret=bytes.fromhex(tournament.secret),
        published=document,
        find=find,
    )

    assert desk.next_match() is None
    assert len(desk.results) == len(ended)
    rows = {row.entry.number: row for row in final_standings(tournament)}
    for standing in standings(desk):
        row = rows[standing.number]
        assert (standing.place, standing.group) == (row.place, row.group)
        assert (standing.strength, standing.interval) == (row.rating.mu, row.interval)
        assert standing.ranks == row.rank_interval
        assert standing.chance_of_best == row.chance_of_best
        counts = (standing.line.matches, standing.line.wins, standing.line.draws)
        assert counts == (row.matches, row.wins, row.draws)
        assert standing.points == row.points


def test_changed_seat_is_found() -> None:
    tournament = _played("swiss", 4, {})
    seats = MatchSeat.objects.filter(match__place__tournament=tournament).order_by("pk")
    first, second = seats[:2]
    MatchSeat.objects.filter(pk=first.pk).update(version=second.version_id)
    MatchSeat.objects.filter(pk=second.pk).update(version=first.version_id)

    with pytest.raises(CommandError, match="1 of 1"):
        call_command("verify_schedules", tournament.pk, stdout=StringIO())


def test_changed_result_that_pairings_follow_from_is_found() -> None:
    tournament = _played("swiss", 4, {})
    block = tournament.blocks.get(number=1)
    match = tournament.tournament_matches.filter(block=block.number)[0].match
    first, second = match.seats.order_by("seat")
    MatchSeat.objects.filter(pk=first.pk).update(rank=second.rank)
    MatchSeat.objects.filter(pk=second.pk).update(rank=first.rank)
    apply_results()
    out = StringIO()

    with pytest.raises(CommandError):
        call_command("verify_schedules", stdout=out)

    assert "block 1" in out.getvalue()


def test_finals_note_matches_that_only_repeat_earlier_ones() -> None:
    owner = make_user(organiser=True)
    versions = [make_version().pk for _ in range(2)]
    params = {"blocks": 12, "confidence": 0.999}
    made = open_cup(owner, format="finals", versions=versions, params=params, rated=False)
    tournament = start_tournament(actor=owner, tournament=made)

    for _ in range(3):
        settle([match for match in matches_of(tournament) if match.state == MatchState.PENDING])
        Match.objects.filter(lane=tournament.pk).update(course="always the same")
        settle_blocks()
        make_schedules()

    batches = tournament.batches.order_by("number")
    notes = [note or {} for note in batches.values_list("input", flat=True)]
    # Only the first match with each seating is new; all later ones repeat it.
    assert [note.get("repeats", {}) for note in notes][:2] == [{}, {}]
    assert notes[2]["repeats"] == {str(block): [0, 1] for block in range(2, 6)}
    checks = check_proof(proof(tournament))
    assert "failed" not in {check.state for check in checks}, checks
    call_command("verify_schedules", stdout=StringIO())
