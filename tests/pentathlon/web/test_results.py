"""Badges tell in words how a match went."""

import pytest

from pentathlon.matches.models import Match, MatchState
from pentathlon.web.templatetags.formats import match_result, seat_result
from tests.factories import make_match
from tests.pentathlon.web.pages import Page

pytestmark = pytest.mark.django_db

LINE = "with three of one kind in a row"
STUCK = "because no animal in the other hand fitted"


def told(match: Match, points: dict[int, int] | None = None) -> list[str]:
    """Return the badges of all seats as text, where these points stand beside them."""
    loaded = Match.objects.with_seats().get(pk=match.pk)
    seats = loaded.seats.all()
    return [Page(f"<p>{seat_result(seat, loaded, points)}</p>").text for seat in seats]


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        ((0, 1), [f"1st, {LINE}", "2nd"]),
        ((1, 0), ["2nd", f"1st, {LINE}"]),
        ((0, 0), [f"draw, {LINE}"] * 2),
    ],
)
def test_seats_are_told_their_place(ranks: tuple[int, int], words: list[str]) -> None:
    assert told(make_match(state=MatchState.DONE, ranks=ranks)) == words


def test_points_stand_beside_the_place() -> None:
    match = make_match(state=MatchState.DONE, outcome_reason="stuck")
    match.seats.filter(seat=0).update(score=18)
    match.seats.filter(seat=1).update(score=20)

    assert told(match) == [
        f"1st, {STUCK}, 18 points",
        "2nd, 20 points",
    ]
    assert told(match, points={0: 18, 1: 20}) == [
        f"1st, {STUCK}",
        "2nd",
    ]


def test_one_point_is_no_points() -> None:
    match = make_match(state=MatchState.DONE, game="way_of_the_dragon", outcome_reason="race")
    match.seats.update(score=1)

    assert told(match) == ["1st, when one seat had all pieces on numbers, 1 point", "2nd, 1 point"]


def test_fault_is_told_of_the_one_who_made_it() -> None:
    match = make_match(state=MatchState.DONE, outcome_reason="fault")
    match.seats.filter(seat=1).update(fault_kind="illegal_action", fault_ply=3)

    assert told(match) == ["1st, by another’s fault", "2nd illegal action"]
    loaded = Match.objects.with_seats().get(pk=match.pk)
    assert "illegal action" in match_result(loaded)


def test_all_are_told_that_they_lost_where_all_failed() -> None:
    failed = {0: "crash", 1: "startup"}
    match = make_match(state=MatchState.DONE, outcome_reason="fault", ranks=(1, 1), faults=failed)

    assert told(match) == ["lost crash", "lost startup"]


def test_match_that_is_not_done_has_no_places() -> None:
    match = make_match(state=MatchState.RUNNING)

    assert told(match) == ["", ""]
    assert "running" in match_result(match)
