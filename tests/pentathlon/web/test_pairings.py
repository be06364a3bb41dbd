"""Brackets and rounds on the page of a tournament."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.matches.models import MatchState
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon.web import pairings
from pentathlon.web.pairings import Pairing, bracket, swiss_round
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, settle
from tests.pentathlon.web.pages import Page, page_of
from tests.pentathlon.web.test_queries import queries_of

pytestmark = pytest.mark.django_db


def _begun(kind: str, bots: int, **params: Any) -> Tournament:
    owner = make_user(organiser=True)
    versions = [make_version().pk for _ in range(bots)]
    made = open_cup(owner, format=kind, versions=versions, params=params, rated=False)
    return start_tournament(actor=owner, tournament=made)


def _play_step(tournament: Tournament) -> bool:
    """Play what is made, with the earlier upload winning; return whether it is over."""
    settle([match for match in matches_of(tournament) if match.state == MatchState.PENDING])
    settle_blocks()
    make_schedules()
    tournament.refresh_from_db()
    over = tournament.is_fully_scheduled and bool(close_finished())
    tournament.refresh_from_db()
    return over


def _play(tournament: Tournament) -> Tournament:
    for _ in range(50):
        if _play_step(tournament):
            break
    return tournament


def _page(tournament: Tournament, query: str = "") -> Page:
    return page_of(Client().get(reverse("tournament", args=[tournament.pk]) + query))


def _winners(pairings: Any) -> list[int]:
    sides = [side for each in pairings for side in (each.first, each.second)]
    return [side.entry.number for side in sides if side.has_won]


def _bots(pairing: Pairing) -> set[int]:
    sides = (pairing.first, pairing.second)
    return {side.entry.number or 0 for side in sides if side.entry}


def test_bracket_leads_from_the_field_to_the_champion() -> None:
    tournament = _play(_begun("knockout", 5))

    rounds = bracket(tournament)

    titles = ["Quarter-finals", "Semi-finals", "Third place", "Final"]
    assert [each.title for each in rounds] == titles
    assert sum(pairing.is_bye for pairing in rounds[0].pairings) == 3
    assert set(_winners(rounds[0].pairings)) == {
        bot for pairing in rounds[1].pairings for bot in _bots(pairing)
    }
    decided = [_winners(each.pairings) for each in rounds[2:]]
    places = tournament.places or []
    assert decided == [places[2], places[0]]
    for pairing in (each for column in rounds for each in column.pairings if each.meetings):
        scores = {leg.score for meeting in pairing.meetings for leg in meeting.legs}
        assert scores == {"1–0" if pairing.first.has_won else "0–1"}
    assert rounds[-1].pairings[0].first.score + rounds[-1].pairings[0].second.score == 2


def test_page_shows_the_bracket_and_orders_by_places() -> None:
    tournament = _play(_begun("knockout", 4))

    page = _page(tournament)

    for words in ("Bracket", "Semi-finals", "Third place", "Final", "has won"):
        assert words in page.text
    assert "Ordered by how far each came" in page.text
    matches = {reverse("match", args=[match.pk]) for match in matches_of(tournament)}
    assert matches <= set(page.links())


def test_unplayed_bracket_names_nobody_ahead() -> None:
    tournament = _begun("knockout", 4)

    rounds = bracket(tournament)

    assert [len(_bots(pairing)) for each in rounds for pairing in each.pairings] == [2, 2, 0, 0]
    assert _winners(pairing for each in rounds for pairing in each.pairings) == []
    assert "not known yet" in _page(tournament).text


def test_swiss_round_has_scores_and_byes() -> None:
    tournament = _play(_begun("swiss", 5))

    first, second = swiss_round(tournament, 1), swiss_round(tournament, 2)

    assert [pairing.is_bye for pairing in first] == [False, False, True]
    assert sorted((each.first.score, each.second.score) for each in first) in (
        [(0, 2), (0, 2), (2, 0)],
        [(0, 2), (2, 0), (2, 0)],
        [(2, 0), (2, 0), (2, 0)],
    )
    after = {
        side.entry.number: side.after
        for each in first
        for side in (each.first, each.second)
        if side.entry
    }
    assert sum(after.values()) == 6
    sides = [side for each in second for side in (each.first, each.second) if side.entry]
    assert {side.entry.number: side.before for side in sides if side.entry} == after


def test_page_shows_one_round_and_leads_to_the_others() -> None:
    tournament = _play(_begun("swiss", 5))

    latest, first = _page(tournament), _page(tournament, "?round=1")

    assert "Round 3 of 3" in latest.text
    assert "?round=2#pairings" in latest.links()
    assert "Round 1 of 3" in first.text
    assert "has a bye" in first.text


@pytest.mark.parametrize("kind", ["knockout", "swiss"])
def test_page_asks_as_often_for_the_last_round_as_for_the_first(kind: str) -> None:
    tournament = _begun(kind, 8)
    address = reverse("tournament", args=[tournament.pk])
    few = queries_of(address)

    _play_step(tournament)

    assert tournament.tournament_matches.order_by("-round")[0].round == 2
    assert queries_of(address) == few


@pytest.mark.parametrize(
    ("ranks", "seat", "score"),
    [
        ((0, 1), 0, "1–0"),
        ((0, 1), 1, "0–1"),
        ((0, 0), 0, "½–½"),
        ((1, 1), 0, "0–0"),
        (None, 0, ""),
    ],
)
def test_score_of_a_match_is_written_from_one_side(
    ranks: tuple[int, ...] | None, seat: int, score: str
) -> None:
    assert pairings._score(ranks, seat) == score
