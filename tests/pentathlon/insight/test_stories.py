"""A match is told in one to three true sentences."""

from collections.abc import Sequence

import pytest

from pentathlon.bots.models import BotVersion
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.stories import highlights, lead_changes, story_of
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament
from tests.factories import make_bot, make_match, make_tournament, make_version
from tests.pentathlon.insight.rivalry.playing import play

pytestmark = pytest.mark.django_db

UPSET = (
    "The biggest upset: azote beat birch in match {}, although ratings gave it 12 % of the points."
)
RESULT = "azote beat birch with three of one kind in a row."


@pytest.fixture
def pair() -> list[BotVersion]:
    return [make_version(bot=make_bot(name=name)) for name in ("azote", "birch")]


def told(match: Match, line: Sequence[Sequence[int]] | None = None) -> list[str]:
    return story_of(Match.objects.with_seats().get(pk=match.pk), line=line)


def test_match_of_which_no_more_is_known_is_told_in_one_sentence(pair: list[BotVersion]) -> None:
    assert told(make_match(pair, state=MatchState.DONE)) == [RESULT]


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        ([(0, 0), (0, 9), (9, 9), (12, 9)], "azote was still 9 points behind at ply 1."),
        ([(1, 0), (1, 2), (3, 2), (3, 4), (30, 4)], "The lead changed 4 times."),
        ([(0, 0), (0, 1), (1, 1), (5, 1), (6, 1)], "azote was in front from ply 3 to the end."),
        ([(0, 0), (0, 0)], ""),
    ],
)
def test_course_is_told_from_the_points(
    pair: list[BotVersion], line: list[tuple[int, int]], turn: str
) -> None:
    match = make_match(pair, state=MatchState.DONE)

    assert told(match, line) == [RESULT, *filter(None, [turn])]


def test_turning_point_is_told_from_the_chances(pair: list[BotVersion]) -> None:
    match = make_match(pair, state=MatchState.DONE)
    marks = [
        {"ply": 4, "before": [500, 500], "after": [400, 600]},
        {"ply": 9, "before": [380, 620], "after": [910, 90]},
    ]
    Analysis.objects.create(match=match, state=AnalysisState.DONE, curve={"marks": marks})

    assert told(match, [(0, 9), (9, 8)])[1:] == [
        "It turned at ply 9, where the chance of birch fell from 62 % to 9 %."
    ]


def test_upset_first_win_and_streak_are_told(pair: list[BotVersion]) -> None:
    one, two = pair
    for _ in range(5):
        play(two, one)
    first = play(one, two)
    second = [play(one, two) for _ in range(4)][-1]
    upset = play(one, two)
    Meeting.objects.filter(match=upset).update(surprise=120_000)

    assert told(first)[1:] == ["It is the first win of azote in 6 meetings of the two."]
    assert told(second)[1:] == ["azote has now won 5 in a row."]
    assert told(upset)[1:] == ["An upset: ratings gave azote 12 % of the points."]


def test_lead_changes_only_when_another_is_alone_in_front() -> None:
    assert lead_changes([(0, 0), (2, 0), (2, 2), (2, 3), (3, 3), (4, 3)]) == 2


@pytest.fixture
def cup(pair: list[BotVersion]) -> Tournament:
    """Store twelve matches, of which azote has won seven in a row."""
    cup = make_tournament(name="Autumn Cup", scheduled=12)
    for ply in range(40, 52):
        ranks = (1, 0) if ply < 45 else (0, 1)
        make_match(pair, state=MatchState.DONE, lane=cup.pk, ply=ply, ranks=ranks)
    return cup


def test_tournament_is_told_by_its_upset_streak_and_records(cup: Tournament) -> None:
    first, *_, last = Match.objects.of_lane(cup.pk).order_by("pk")
    last.seats.filter(seat=1).update(score=31)
    play(*(seat.version for seat in first.seats.order_by("seat")), lane=cup.pk, ply=45)
    Meeting.objects.filter(seat=0).update(surprise=120_000)
    upset = Meeting.objects.get(seat=0).match_id

    assert highlights(cup) == [
        UPSET.format(upset),
        "azote won 8 in a row.",
        f"The highest score: 31, by birch in match {last.pk}.",
        f"The longest match: 51 plies, match {last.pk}.",
        f"The fastest win: birch after 40 plies in match {first.pk}.",
    ]


def test_short_and_very_long_tournaments_have_no_records(cup: Tournament) -> None:
    Match.objects.of_lane(cup.pk).filter(ply__gt=45).update(state=MatchState.VOID)

    assert highlights(cup) == []
    cup.scheduled = 10_000
    assert highlights(cup) == []


@pytest.mark.parametrize(
    ("ply", "score", "record"),
    [
        (60, None, "No match of Autumn Cup is longer."),
        (30, None, "No match of Autumn Cup was won faster."),
        (45, 9, "No score in Autumn Cup is higher."),
        (45, None, ""),
    ],
)
def test_record_of_its_tournament_is_told(
    cup: Tournament, pair: list[BotVersion], ply: int, score: int | None, record: str
) -> None:
    match = make_match(pair, state=MatchState.DONE, lane=cup.pk, ply=ply)
    for other in Match.objects.of_lane(cup.pk):
        other.seats.update(score=5)
    match.seats.filter(seat=0).update(score=score)

    assert told(match)[1:] == [*filter(None, [record])]
