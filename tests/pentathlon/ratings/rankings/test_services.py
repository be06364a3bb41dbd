import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.ratings.models import Pool, Rating
from pentathlon.ratings.rankings import services
from pentathlon.ratings.rankings.models import RankingLine, RankingTable
from pentathlon.ratings.rankings.services import REFRESH_S, STALE_S, latest_table, refresh_ranking
from pentathlon.ratings.services import open_live_pool
from pentathlon_engines import GAMES
from tests.deep import mostly_deep
from tests.factories import make_bot, make_staff, make_user, make_version
from tests.pentathlon.ratings.rankings.rated import let_pass, rate
from tests.plans import count_rows

pytestmark = pytest.mark.django_db


def _lines() -> dict[int, RankingLine]:
    table = latest_table()
    assert table is not None
    return {line.author_id: line for line in table.lines.all()}


def test_table_follows_the_best_settled_version_of_each_author() -> None:
    strong, weak = make_user(), make_user()
    best = rate(make_version(owner=strong), mu=30)
    rate(make_version(owner=strong), mu=20)
    rate(make_version(owner=strong), mu=45, sigma=5)
    rate(make_version(owner=weak), mu=25)

    table = refresh_ranking()

    assert table is not None
    assert (table.authors, table.is_published) == (2, True)
    lines = _lines()
    assert (lines[strong.pk].rank, lines[weak.pk].rank) == (1, 2)
    cell = lines[strong.pk].games["tuned"]
    assert (cell["version"], cell["bot"], cell["label"]) == (best.pk, best.bot_id, best.label)
    assert cell["share"] > 0.5
    assert lines[strong.pk].games["azure"] == {
        "share": 0.5,
        "version": None,
        "bot": None,
        "label": None,
    }


@pytest.mark.parametrize("seed", mostly_deep(range(3), keep=[0]))
def test_second_weak_bots_change_nothing_for_anybody(seed: int) -> None:
    rng = random.Random(seed)
    authors = [make_user() for _ in range(6)]
    best = {
        (author, game): rng.gauss(26, 6)
        for author in authors
        for game in GAMES
        if rng.random() < 0.6
    }
    for (author, game), mu in best.items():
        rate(make_version(owner=author, games=[game]), mu=mu, game=game)
    refresh_ranking()
    before = {pk: (line.rank, line.share, line.games) for pk, line in _lines().items()}
    assert len(before) > 1

    for (author, game), mu in best.items():
        if rng.random() < 0.5:
            weak = make_version(owner=author, games=[game])
            rate(weak, mu=mu - rng.uniform(0.01, 40), game=game)
    let_pass(STALE_S + 1)
    assert refresh_ranking() is not None
    after = {pk: (line.rank, line.share, line.games) for pk, line in _lines().items()}
    assert after == before


def test_second_weak_bot_changes_nothing() -> None:
    author, other = make_user(), make_user()
    rate(make_version(owner=author), mu=30)
    rate(make_version(owner=other), mu=28)
    refresh_ranking()
    before = {pk: (line.share, line.games) for pk, line in _lines().items()}

    rate(make_version(owner=author), mu=5)
    let_pass(STALE_S + 1)
    assert refresh_ranking() is not None

    assert {pk: (line.share, line.games) for pk, line in _lines().items()} == before


@pytest.mark.parametrize(
    "state", [VersionState.RETIRED, VersionState.STOPPED, VersionState.DISQUALIFIED]
)
def test_version_that_plays_no_more_does_not_count(state: VersionState) -> None:
    author, other = make_user(), make_user()
    best = rate(make_version(owner=author), mu=40)
    rate(make_version(owner=author), mu=22)
    rate(make_version(owner=other), mu=30)
    BotVersion.objects.filter(pk=best.pk).update(state=state)

    refresh_ranking()

    assert _lines()[author.pk].rank == 2


def test_staff_and_the_platforms_own_bots_play_out_of_competition() -> None:
    author, staff = make_user(), make_staff()
    rate(make_version(owner=author), mu=20)
    rate(make_version(owner=staff), mu=40)

    refresh_ranking()

    assert set(_lines()) == {author.pk}


def test_author_without_a_bot_counts_as_the_rated_random_bot() -> None:
    entered, absent = make_user(), make_user()
    own = make_bot(services.RANDOM_BOT)
    Bot.objects.filter(pk=own.pk).update(is_reference=True)
    rate(make_version(bot=own), mu=21, sigma=1)
    rate(make_version(owner=entered), mu=21, sigma=1)
    rate(make_version(owner=absent, games=["azure"]), mu=30, game="azure")

    refresh_ranking()

    lines = _lines()
    assert lines[entered.pk].games["tuned"]["share"] == pytest.approx(0.5)
    assert lines[absent.pk].games["tuned"]["share"] == pytest.approx(0.5)
    assert set(lines) == {entered.pk, absent.pk}


def test_only_the_standard_leaderboard_of_a_game_counts() -> None:
    strong, weak = make_user(), make_user()
    rate(make_version(owner=strong), mu=30)
    version = rate(make_version(owner=weak), mu=20)
    tables = open_live_pool(game="way_of_the_dragon", seats=5)
    Rating.objects.create(pool=tables, version=version, mu=90, sigma=1, matches=50)

    table = refresh_ranking()

    assert table is not None
    assert set(table.pools) == {"tuned"}
    assert _lines()[weak.pk].rank == 2


def test_noise_of_a_game_is_that_of_its_leaderboard() -> None:
    strong, weak = make_user(), make_user()
    rate(make_version(owner=strong), mu=30)
    rate(make_version(owner=weak), mu=20)
    refresh_ranking()
    usual = _lines()[strong.pk].share

    Pool.objects.update(beta=40.0, epoch=2)
    let_pass(REFRESH_S + 1)
    refresh_ranking()

    assert 0.5 < _lines()[strong.pk].share < usual


def test_nobody_else_can_set_what_random_counts_as() -> None:
    impostor, author = make_user(), make_user()
    rate(make_version(bot=make_bot(services.RANDOM_BOT, owner=impostor)), mu=40)
    rate(make_version(owner=author), mu=21)

    refresh_ranking()

    lines = _lines()
    assert lines[impostor.pk].rank == 1
    assert lines[author.pk].games["tuned"]["share"] < 0.5


class TestPace:
    def test_nothing_is_computed_before_there_are_ratings(self) -> None:
        assert refresh_ranking() is None

    def test_table_is_made_again_when_results_were_applied_and_not_at_once(self) -> None:
        rate(make_version(), mu=30)
        first = refresh_ranking()

        Pool.objects.update(applied_seq=7)
        at_once = refresh_ranking()
        let_pass(REFRESH_S + 1)
        later = refresh_ranking()

        assert first is not None
        assert at_once is None
        assert later is not None
        assert later.pools["tuned"] == [Pool.objects.get().pk, 1, 0, 7]
        assert list(RankingTable.objects.all()) == [later]

    def test_unchanged_ratings_are_not_computed_again_for_a_while(self) -> None:
        rate(make_version(), mu=30)
        refresh_ranking()
        let_pass(STALE_S - 60)

        early = refresh_ranking()
        let_pass(61)

        assert early is None
        assert refresh_ranking() is not None

    def test_table_that_took_long_is_made_less_often(self) -> None:
        rate(make_version(), mu=30)
        refresh_ranking()
        RankingTable.objects.update(took_ms=2000)
        Pool.objects.update(applied_seq=7)
        let_pass(90)

        early = refresh_ranking()
        let_pass(11)

        assert early is None
        assert refresh_ranking() is not None


class TestWriting:
    def test_table_that_was_cut_off_is_never_shown_and_goes_with_the_next(self) -> None:
        rate(make_version(), mu=30)
        whole = refresh_ranking()
        cut_off = RankingTable.objects.create(rule="x", pools={}, authors=9, took_ms=1)
        RankingLine.objects.create(
            table=cut_off, author=make_user(), place=1, rank=1, share=1, games={}
        )

        assert latest_table() == whole
        Pool.objects.update(applied_seq=7)
        let_pass(REFRESH_S + 1)
        refresh_ranking()

        assert RankingTable.objects.count() == 1
        assert RankingLine.objects.count() == 1

    def test_no_statement_writes_more_lines_than_its_part(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(services, "_AT_ONCE", 3)
        for mu in range(20, 30):
            rate(make_version(), mu=mu)
        with CaptureQueriesContext(connection) as queries:
            refresh_ranking()

        written = [
            query["sql"]
            for query in queries
            if query["sql"].startswith('INSERT INTO "ratings_rankingline"')
        ]
        assert len(written) == 4
        assert [line.place for line in RankingLine.objects.order_by("place")] == [*range(1, 11)]


def test_page_of_a_table_nobody_has_counted_yet_is_read_in_order() -> None:
    people = User.objects.bulk_create([User(username=f"author-{n}") for n in range(500)])
    for _ in range(2):
        table = RankingTable.objects.create(rule="any/1", pools={}, authors=500, took_ms=1)
        RankingLine.objects.bulk_create(
            RankingLine(table=table, author=author, place=place, rank=place, share=0.5, games={})
            for place, author in enumerate(people, start=1)
        )
        if table.pk == RankingTable.objects.earliest("pk").pk:
            count_rows(RankingLine)

    plan = table.lines.order_by("place")[:51].explain()

    assert "Sort" not in plan, plan
    assert "TEMP B-TREE" not in plan, plan
