"""A match in one sentence: who won, and how."""

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.stories import tell_match
from tests.factories import make_bot, make_match, make_version

pytestmark = pytest.mark.django_db

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
    Ended("birch beat azote: three equal animals stood in a line.", "line", (1, 0)),
    Ended(
        "azote beat birch 25–23: a seat reached 25 wisdom.",
        "wisdom",
        (0, 1),
        (25, 23),
        game="azure",
    ),
    Ended(
        "azote and birch drew: the same position came for the third time.", "repetition", (0, 0)
    ),
    Ended(
        "azote beat birch: by the fault of birch (cpu time).",
        "fault",
        (0, 1),
        faults={1: "cpu_time"},
    ),
    Ended("azote and birch all failed.", "fault", (1, 1), faults={0: "crash", 1: "crash"}),
    Ended(
        "birch won with 42 points, ahead of cedar and drum: the last turn was over.",
        "cap",
        (2, 0, 1, 1, 4),
        (30, 42, 37, 37, 3),
        game="way_of_the_dragon",
    ),
    Ended(
        "azote and birch won with 9 points, ahead of cedar: the last turn was over.",
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

    assert told.startswith("azote v2 beat azote v1: ")
