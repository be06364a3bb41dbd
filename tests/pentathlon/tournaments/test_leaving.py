"""What a bot that leaves in the middle means for the others: nothing is decided by its moment."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from pentathlon.bots.services import retire_version
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.batches import BlockState
from pentathlon.tournaments.entries.withdrawals import (
    disqualify_entry,
    settle_entries,
    withdraw_entry,
)
from pentathlon.tournaments.models import Entry, Tournament
from pentathlon.tournaments.results.files import state_of_tables
from pentathlon.tournaments.results.final_table import verify_final_table
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.history import read_played
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.tournament.proof import FAILED, check_proof
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle

pytestmark = pytest.mark.django_db


def _begun(format: str, bots: int, **asked: Any) -> Tournament:  # noqa: A002  # the word of the API
    owner = make_user(organiser=True)
    versions = [make_version().pk for _ in range(bots)]
    made = open_cup(owner, format=format, versions=versions, **asked)
    return start_tournament(actor=owner, tournament=made)


def _work() -> None:
    while settle_entries() or settle_blocks() or apply_results() or make_schedules():
        pass


def _pending(tournament: Tournament) -> list[Match]:
    return [match for match in matches_of(tournament) if match.state == MatchState.PENDING]


def _play_on(tournament: Tournament) -> Tournament:
    """Play until it closes, and check all that can be checked of it."""
    _work()
    while pending := _pending(tournament):
        settle(pending)
        _work()
    assert close_finished() == [tournament]
    closed = Tournament.objects.get(pk=tournament.pk)
    assert [check for check in check_proof(proof(closed)) if check.state == FAILED] == []
    assert list(schedule_differences(closed)) == []
    assert verify_final_table(tournament_id=closed.pk) == []
    assert not any(verify_pool(pool_id=pool.pk) for pool in Pool.objects.all())
    return closed


def _leave(tournament: Tournament, number: int) -> None:
    version = tournament.entries.get(number=number).version_id
    withdraw_entry(actor=tournament.owner, tournament=tournament, version_id=version)


def _rows(tournament: Tournament) -> dict[int, Standing]:
    return {row.entry.number or 0: row for row in standings(tournament)}


def _numbers(match: Match) -> list[int]:
    seats = match.seats.order_by("seat").values_list("version", flat=True)
    numbers = dict(Entry.objects.values_list("version", "number"))
    return [numbers[version] or 0 for version in seats]


def test_who_stays_in_a_swiss_keeps_its_win_and_wins_the_rest() -> None:
    tournament = _begun("swiss", 8, params={"rounds": 3})
    first, second = matches_of(tournament)[:2]
    stays, leaves = sorted(_numbers(first))
    settle([first])  # the earlier entry wins

    _leave(tournament, leaves)
    _work()

    row = _rows(tournament)[stays]
    assert (row.points, row.forfeits, row.matches) == (2, 1, 1)
    assert Match.objects.get(pk=second.pk).state == MatchState.VOID
    assert not Match.objects.get(pk=first.pk).is_revoked
    closed = _play_on(tournament)
    noted = closed.batches.get(number=2).input or {}
    assert noted["forfeits"] == {"1": [1]}
    # In round 2 it meets one of the other three who have won a block, as its two points count.
    (block,) = [
        block for block in read_played(closed) if block.round == 2 and stays in block.seatings[0]
    ]
    before = {
        bot
        for block in read_played(closed)
        if block.round == 1 and stays not in block.seatings[0]
        for bot in [min(block.seatings[0])]
    }
    assert set(block.seatings[0]) - {stays} <= before


@pytest.mark.parametrize("is_retired", [True, False])
def test_losing_bot_that_leaves_takes_nothing_away(*, is_retired: bool) -> None:
    """Nor does it matter by which door it leaves."""
    tournament = _begun("swiss", 4, params={"rounds": 2})
    first, _ = matches_of(tournament)[:2]
    stays, leaves = sorted(_numbers(first))
    if is_retired:
        version = tournament.entries.get(number=leaves).version
        retire_version(actor=version.bot.owner, version=version)
    else:
        _leave(tournament, leaves)

    closed = _play_on(tournament)

    row = _rows(closed)[stays]
    assert row.forfeits == 2
    assert row.points >= 2
    assert row.place is not None


def test_who_leaves_later_loses_no_forfeit_that_it_has_won() -> None:
    tournament = _begun("swiss", 6, params={"rounds": 2})
    stays, leaves = sorted(_numbers(matches_of(tournament)[0]))
    _leave(tournament, leaves)
    _work()
    before = _rows(tournament)[stays].points

    _leave(tournament, stays)
    _work()

    assert (before, _rows(tournament)[stays].points) == (2, 2)


def test_where_both_have_left_nobody_gets_anything() -> None:
    tournament = _begun("swiss", 6, params={"rounds": 2})
    both = _numbers(matches_of(tournament)[0])
    for number in both:
        _leave(tournament, number)

    _work()

    assert [_rows(tournament)[number].points for number in both] == [0, 0]
    _play_on(tournament)


def test_void_by_the_platform_is_worth_nothing_to_both() -> None:
    tournament = _begun("swiss", 4, params={"rounds": 1})
    block = tournament.blocks.get(number=1)
    both = _numbers(matches_of(tournament)[0])
    block.state, block.replays = BlockState.VOID, 2
    block.save()
    Match.objects.filter(place__block=1).update(state=MatchState.VOID)

    _work()

    assert [_rows(tournament)[number].points for number in both] == [0, 0]


def test_early_leaver_of_a_round_robin_is_cancelled_for_everybody() -> None:
    tournament = _begun("round_robin", 5)
    played = [match for match in matches_of(tournament) if 0 in _numbers(match)][:2]
    settle(played)
    beaten = next(number for number in _numbers(played[0]) if number)

    _leave(tournament, 0)
    closed = _play_on(tournament)

    rows = _rows(closed)
    assert (rows[0].is_cancelled, rows[0].points, rows[0].place) == (True, 0, None)
    assert [rows[number].points for number in (1, 2, 3, 4)] == [6, 4, 2, 0]
    assert [rows[number].place for number in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert rows[beaten].matches == 8  # those with the leaver are counted as played


def test_late_leaver_of_a_round_robin_forfeits_the_rest() -> None:
    tournament = _begun("round_robin", 5)
    own = [match for match in matches_of(tournament) if 0 in _numbers(match)]
    settle(own[:6])

    _leave(tournament, 0)
    closed = _play_on(tournament)

    rows = _rows(closed)
    (last,) = {number for match in own[6:] for number in _numbers(match) if number}
    assert not rows[0].is_cancelled
    assert rows[0].points == 6
    assert {number for number, row in rows.items() if row.forfeits} == {last}
    assert rows[last].points == 2 * (4 - last) + 2


def test_organiser_may_choose_another_law() -> None:
    tournament = _begun("round_robin", 4, leaving="as_played")
    settle([match for match in matches_of(tournament) if 0 in _numbers(match)][:2])

    _leave(tournament, 0)
    closed = _play_on(tournament)

    assert (closed.fixed_document or {})["leaving"] == "as_played"
    assert _rows(closed)[0].points == 2
    assert not any(row.forfeits or row.is_cancelled for row in standings(closed))


def test_bot_that_leaves_a_knockout_loses_its_duel() -> None:
    tournament = _begun("knockout", 4, params={"blocks": 1, "third_place": False})
    first, _ = matches_of(tournament)[:2]
    wins, stays = sorted(_numbers(first))
    settle([first])

    _leave(tournament, wins)
    closed = _play_on(tournament)

    finalists = {number for match in matches_of(closed)[-2:] for number in _numbers(match)}
    assert stays in finalists


def test_results_taken_back_with_a_disqualification_are_forfeits() -> None:
    tournament = _begun("swiss", 4, params={"rounds": 1})
    settle(matches_of(tournament))
    _work()
    best, beaten = sorted(_numbers(matches_of(tournament)[0]))
    assert _rows(tournament)[beaten].points == 0

    disqualify_entry(
        actor=tournament.owner,
        tournament=tournament,
        version_id=tournament.entries.get(number=best).version_id,
        reason="It plays for another.",
        revoke=True,
    )
    _play_on(tournament)

    rows = _rows(tournament)
    assert (rows[beaten].points, rows[beaten].forfeits, rows[beaten].matches) == (2, 2, 0)
    assert (rows[best].points, rows[best].place) == (0, None)


def test_settling_changes_the_tag_of_the_table() -> None:
    tournament = _begun("swiss", 4, params={"rounds": 1})
    _leave(tournament, 0)
    while settle_entries() or apply_results():
        pass
    before = state_of_tables(tournament)

    settle_blocks()

    assert state_of_tables(tournament) != before


def test_level_bots_share_a_place_whoever_entered_first() -> None:
    tournament = _begun("round_robin", 4)
    settle(matches_of(tournament), lambda _, __: 0)

    assert [row.place for row in standings(tournament)] == [1, 1, 1, 1]
    closed = _play_on(tournament)
    assert [row.place for row in standings(closed)] == [1, 1, 1, 1]
    assert closed.tie_breaks == ["points", "head_to_head", "sonneborn_berger", "fit"]


def test_places_are_shared_and_the_next_one_is_left_out() -> None:
    """1, 2, 2, 4: the first beats all, the last loses to all, and two have drawn."""
    tournament = _begun("round_robin", 4)
    versions = {entry.version_id: entry.number or 0 for entry in tournament.entries.all()}

    def rank(seat: Any, other: Any) -> int:
        own, their = versions[seat.version_id], versions[other.version_id]
        return 0 if {own, their} == {1, 2} else int(own > their)

    settle(matches_of(tournament), rank)

    closed = _play_on(tournament)

    assert [row.place for row in standings(closed)] == [1, 2, 2, 4]


def test_table_shows_each_value_once(client: Client) -> None:
    tournament = _begun("swiss", 4, params={"rounds": 1})
    settle(matches_of(tournament))

    page = client.get(f"/tournaments/{tournament.pk}/").content.decode()

    heads = re.findall(
        r'scope="col">(?:<abbr[^>]*>)?\s*([^<]+)', page[page.index('id="standings"') :]
    )
    assert [head.strip() for head in heads] == [
        *("#", "Bot", "Points", "Buchholz, lowest left out", "Sonneborn–Berger", "Wins"),
        *("Strength", "W–D–L", "Faults"),
    ]
