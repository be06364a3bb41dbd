"""Equal values share a rank on every surface that numbers them, in whatever order they came."""

import csv
import io
import random
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from django.test import Client

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.ladders.models import LadderMember
from pentathlon.ladders.tables import ladder_table, place_in
from pentathlon.matches.models import MatchState
from pentathlon.ratings.models import Rating, ScoreLine, live_key
from pentathlon.ratings.rankings.services import refresh_ranking
from pentathlon.ratings.skill import SIGMA
from pentathlon.web.drawing.badges import badge_of
from pentathlon.web.tables import rating_table
from pentathlon_engines.commentary.words import enumerate_all
from pentathlon_engines.contract.info import ordinal
from tests.deep import mostly_deep
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.ladders.playing import division_of, make_reference, open_ladder, seat_all
from tests.pentathlon.ratings.rankings.rated import rate

pytestmark = pytest.mark.django_db


class Case(NamedTuple):
    """The strengths of the bots of a field, and the ranks that follow."""

    strengths: tuple[int, ...]
    ranks: tuple[int, ...]


CASES = (
    Case((30, 25, 25, 20), (1, 2, 2, 4)),
    Case((25, 25, 25), (1, 1, 1)),
    Case((31, 31, 24, 24, 24, 9), (1, 1, 3, 3, 3, 6)),
)
_CELLS = re.compile(r'<td class="rank">(\d+)</td>')
_EMBEDDED = re.compile(r'<tr><td class="n">(\d+)</td>')
API = "/api/v1"


def read_csv(address: str) -> list[dict[str, str]]:
    answer: Any = Client().get(address)
    text = b"".join(answer).decode()
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def results(address: str) -> list[Any]:
    rows: list[Any] = Client().get(f"{API}/{address}").json()["results"]
    return rows


def page(address: str) -> str:
    return Client().get(address).content.decode()


def of_bots(rows: list[Any]) -> list[int]:
    return [int(row["rank"]) for row in rows]


LEADERBOARDS: Mapping[str, Callable[[], list[int]]] = {
    "api": lambda: of_bots(results("leaderboards/tuned/")),
    "api, in pages": lambda: of_bots(
        [*results("leaderboards/tuned/?page_size=2"), *_second_page()]
    ),
    "api, a part": lambda: of_bots(results("leaderboards/tuned/?references=no")),
    "csv": lambda: of_bots(read_csv("/leaderboards/tuned/table.csv")),
    "csv of the api": lambda: of_bots(read_csv(f"{API}/leaderboards/tuned/table.csv")),
    "page": lambda: list(map(int, _CELLS.findall(page("/leaderboards/tuned/")))),
    "embed": lambda: list(map(int, _EMBEDDED.findall(page("/embed/leaderboards/tuned/")))),
    "pictures": lambda: [
        row.rank for row in rating_table(live_key("tuned"), reader=None, size=6).rows
    ],
    "bots' own pages": lambda: sorted(rating.rank for rating in Rating.objects.ranked()),
}


def _second_page() -> list[Any]:
    first = Client().get(f"{API}/leaderboards/tuned/?page_size=2").json()
    rows: list[Any] = []
    after = first["next"]
    while after:
        told = Client().get(after).json()
        rows, after = rows + told["results"], told["next"]
    return rows


@pytest.fixture(params=mostly_deep(CASES, keep=CASES[::2]), ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(params=mostly_deep(range(2), keep=[1]))
def in_any_order(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


@pytest.fixture
def field(case: Case, in_any_order: random.Random) -> list[BotVersion]:
    """Store rated bots with these strengths, each of an author, and return them best first."""
    versions = {}
    for place, strength in in_any_order.sample(
        list(enumerate(case.strengths)), k=len(case.strengths)
    ):
        versions[place] = rate(make_version(), mu=strength)
    return [versions[place] for place in sorted(versions)]


@pytest.mark.usefixtures("field")
def test_every_leaderboard_numbers_alike(case: Case) -> None:
    found = {name: tuple(read()) for name, read in LEADERBOARDS.items()}

    assert found == dict.fromkeys(LEADERBOARDS, case.ranks)


@pytest.mark.usefixtures("field")
def test_ranking_of_authors_numbers_alike(case: Case) -> None:
    refresh_ranking()

    told = page("/ranking/")

    assert of_bots(results("rankings/pentathlon/")) == list(case.ranks)
    heads = re.findall(r'<th scope="row">(\d+)\s', told)
    assert [int(head) for head in heads] == list(case.ranks)


def test_leaders_lead_together_in_the_feed(case: Case, field: list[BotVersion]) -> None:
    for version in field:
        make_match([version, make_version()], state=MatchState.DONE)
    leaders = sorted(field[n].label for n, rank in enumerate(case.ranks) if rank == 1)

    feed = page("/games/tuned/feed.xml")

    verb = "leads" if len(leaders) == 1 else "lead"
    assert f"<title>{enumerate_all(leaders)} {verb} Tuned</title>" in feed


def test_ladder_numbers_alike_on_badge_table_api_and_csv(
    case: Case, in_any_order: random.Random
) -> None:
    ladder = open_ladder()
    versions: dict[int, BotVersion] = {}
    for place in in_any_order.sample(range(len(case.strengths)), k=len(case.strengths)):
        versions[place] = make_version(owner=make_user())
    unplayed, mark = make_version(), make_reference()
    seat_all()
    division = division_of(ladder)
    for place, version in versions.items():
        _give(version, case.strengths[place])
    _give(mark, 40)

    table = {row.standing.version.pk: row.rank for row in ladder_table(division)}
    told = results(f"ladders/{ladder.key}/standings/")
    file = read_csv(f"/ladders/{ladder.key}/seasons/1/standings.csv")

    for place, version in versions.items():
        rank = case.ranks[place]
        member = LadderMember.objects.select_related("bot", "entry__tournament").get(
            ladder=ladder, bot=version.bot
        )
        assert place_in(ladder, member).rank == rank
        assert table[version.pk] == rank
        assert {r["rank"] for r in told if r["standing"]["version"]["id"] == version.pk} == {rank}
        assert {r["rank"] for r in file if r["bot"] == version.bot.name} == {str(rank)}
        assert badge_of(Bot.objects.get(pk=version.bot_id), ladder=ladder).says.startswith(
            ordinal(rank - 1)
        )
    assert table[unplayed.pk] is None
    assert table[mark.pk] is None
    assert "no rank yet" in badge_of(unplayed.bot, ladder=ladder).says


def _give(version: BotVersion, strength: int) -> None:
    """Store that a version has played in its division, and how strong it is there."""
    member = LadderMember.objects.select_related("entry__tournament").get(bot=version.bot)
    assert member.entry is not None
    pool = member.entry.tournament.pool
    assert pool is not None
    skill = {"mu": strength, "sigma": SIGMA / 4, "matches": 9}
    Rating.objects.create(pool=pool, version=version, **skill)
    ScoreLine.objects.create(pool=pool, version=version, matches=9)
