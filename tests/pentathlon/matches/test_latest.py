from collections.abc import Mapping
from typing import NamedTuple

import pytest

from pentathlon.matches.latest import faults_of_lane, latest_faults, latest_matches, tell_match
from pentathlon.matches.models import Match, MatchSeat, MatchState
from tests.factories import make_bot, make_match, make_version
from tests.plans import store_history

pytestmark = pytest.mark.django_db


def test_latest_matches_of_every_version_are_found() -> None:
    bot = make_bot()
    old, new, other = make_version(bot=bot), make_version(bot=bot), make_version()
    of_old = [make_match([old, other], state=MatchState.DONE).pk for _ in range(3)]
    of_new = make_match([other, new], state=MatchState.DONE).pk
    make_match([new, other])
    make_match([other, make_version()], state=MatchState.DONE)

    assert set(latest_matches(bot.pk, limit=2)) == {*of_old[1:], of_new}


def test_latest_faults_are_found() -> None:
    bot = make_bot()
    version = make_version(bot=bot)
    for _ in range(3):
        make_match([version, make_version()], state=MatchState.DONE)
    seats = list(MatchSeat.objects.filter(version=version).order_by("pk"))
    MatchSeat.objects.filter(pk__in=[seat.pk for seat in seats[:2]]).update(fault_kind="crash")

    assert latest_faults(bot.pk, limit=1) == [seats[1].pk]


class TestFaultsOfLane:
    def test_only_the_faults_of_that_lane_are_found(self) -> None:
        lanes = [5, 4, 5, 4, 5]
        faults = {0: "crash"}
        made = [make_match(state=MatchState.DONE, lane=lane, faults=faults) for lane in lanes]
        make_match(state=MatchState.DONE, lane=5)

        found = faults_of_lane(5).order_by("pk").values_list("match", flat=True)

        assert list(found) == [made[0].pk, made[2].pk, made[4].pk]

    def test_lane_without_matches_has_none(self) -> None:
        assert not faults_of_lane(5).exists()

    def test_only_an_index_of_faults_is_read(self) -> None:
        store_history()

        plan = faults_of_lane(5).order_by("-pk")[:31].explain()

        assert "matches_faults " in plan

    def test_void_matches_of_a_lane_have_an_index(self) -> None:
        store_history()

        void = Match.objects.of_lane(5).filter(state=MatchState.VOID)

        assert "matches_void_of_lane" in void.order_by("-pk")[:50].explain()


NAMES = ("azote", "birch", "cedar", "drum", "elm")


class Ended(NamedTuple):
    """How a match of bots named after `NAMES` ended, and the sentence for it."""

    expected: str
    reason: str
    ranks: tuple[int, ...]
    scores: tuple[int, ...] = ()
    faults: Mapping[int, str] = {}
    game: str = "tuned"


CASES = (
    Ended("birch beat azote with three of one kind in a row.", "line", (1, 0)),
    Ended(
        "azote beat birch 25–23 on wisdom.",
        "wisdom",
        (0, 1),
        (25, 23),
        game="azure",
    ),
    Ended("azote and birch drew after the same position came three times.", "repetition", (0, 0)),
    Ended(
        "azote won because birch failed (cpu time).",
        "fault",
        (0, 1),
        faults={1: "cpu_time"},
    ),
    Ended(
        "azote and birch both failed (crash).", "fault", (1, 1), faults={0: "crash", 1: "crash"}
    ),
    Ended(
        "cedar won, ahead of birch, because azote failed (crash).",
        "fault",
        (2, 1, 0),
        faults={0: "crash"},
        game="way_of_the_dragon",
    ),
    Ended(
        "birch beat azote 22–22 on a tie-break, on a full board.",
        "space",
        (1, 0),
        (22, 22),
        game="maatatahay",
    ),
    Ended(
        "birch won with 42 points, ahead of cedar and drum, after the last turn.",
        "cap",
        (2, 0, 1, 1, 4),
        (30, 42, 37, 37, 3),
        game="way_of_the_dragon",
    ),
    Ended(
        "azote and birch won with 9 points, ahead of cedar, after the last turn.",
        "cap",
        (0, 0, 2),
        (9, 9, 3),
        game="way_of_the_dragon",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.expected)
def test_sentence_says_who_won_and_how(case: Ended) -> None:
    bots = [make_version(bot=make_bot(name=name)) for name in NAMES[: len(case.ranks)]]
    match = make_match(
        bots,
        game=case.game,
        state=MatchState.DONE,
        ranks=case.ranks,
        faults=case.faults,
        outcome_reason=case.reason,
    )
    for seat, score in enumerate(case.scores):
        match.seats.filter(seat=seat).update(score=score)

    assert tell_match(Match.objects.with_seats().get(pk=match.pk)) == case.expected


def test_versions_of_one_bot_are_told_apart() -> None:
    bot = make_bot(name="azote")
    versions = [make_version(bot=bot), make_version(bot=bot)]
    match = make_match(versions, state=MatchState.DONE, ranks=(1, 0), outcome_reason="stuck")

    told = tell_match(Match.objects.with_seats().get(pk=match.pk))

    assert told.startswith("azote v2 beat azote v1 because ")
