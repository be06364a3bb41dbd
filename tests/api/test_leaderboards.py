import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from pentathlon.bots.models import Bot, VersionState
from pentathlon.core.arithmetic import fingerprint
from pentathlon.ratings.models import Rating
from pentathlon.ratings.scopes import scope_of
from pentathlon.ratings.services import apply_results, enter_matches, open_live_pool
from pentathlon.ratings.skill import ALGORITHM_VERSION
from tests.api.client import V1, assert_problem
from tests.factories import make_match, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


def play_rated(luck: int = 1) -> None:
    match = make_match(rated=True)
    enter_matches(pool=open_live_pool(game="tuned"), matches=[match])
    job = claimed(match)
    submit(job, record_of(job, luck=luck))
    apply_results()


def test_table_is_ordered_and_ranked(anonymous: APIClient) -> None:
    play_rated()

    rows = anonymous.get(f"{V1}/leaderboards/tuned/").json()["results"]

    assert [row["rank"] for row in rows] == [1, 2]
    assert rows[0]["score"] > rows[1]["score"]
    assert (rows[0]["wins"], rows[1]["losses"]) == (1, 1)
    assert all(row["provisional"] for row in rows)


def test_game_without_results_has_an_empty_table(anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/leaderboards/tuned/")

    assert answer.json() == {"results": [], "next": None, "previous": None}


def test_list_shows_live_tables(anonymous: APIClient) -> None:
    play_rated()

    assert anonymous.get(f"{V1}/leaderboards/").json()["results"] == [
        {
            "game": "tuned",
            "scope": scope_of("tuned").digest,
            "title": "Tuned",
            "setting": {"seats": 2, "pace": "standard", "options": {}},
            "matches": 1,
            "epoch": 1,
            "draw_probability": 0.1,
            "beta": 25 / 6,
            "algorithm_version": ALGORITHM_VERSION,
            "fingerprint": fingerprint(),
        }
    ]


def test_unknown_game_is_not_found(anonymous: APIClient) -> None:
    assert_problem(anonymous.get(f"{V1}/leaderboards/chess/"), status=404, code="not_found")


def test_unchanged_table_is_not_sent_again(
    anonymous: APIClient, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    play_rated()
    path = f"{V1}/leaderboards/tuned/"
    tag = anonymous.get(path).headers["ETag"]

    with django_assert_max_num_queries(3):
        again = anonymous.get(path, headers={"If-None-Match": tag})
    play_rated(luck=2)
    changed = anonymous.get(path, headers={"If-None-Match": tag})

    assert again.status_code == 304
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


@pytest.mark.parametrize("rows", [3, 30])
def test_table_takes_five_queries_for_any_length(
    rows: int, anonymous: APIClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    pool = open_live_pool(game="tuned")
    Rating.objects.bulk_create(
        Rating(pool=pool, version=make_version(), mu=25 + number, sigma=2)
        for number in range(rows)
    )

    with django_assert_num_queries(5):
        answer = anonymous.get(f"{V1}/leaderboards/tuned/")

    assert len(answer.json()["results"]) == rows


def test_pages_of_the_table_follow_each_other_through_ties(anonymous: APIClient) -> None:
    pool = open_live_pool(game="tuned")
    Rating.objects.bulk_create(
        Rating(pool=pool, version=make_version(), mu=25 + number // 4, sigma=25 / 3)
        for number in range(10)
    )

    address, ranks, names = f"{V1}/leaderboards/tuned/?page_size=3", [], []
    while address:
        page = anonymous.get(address).json()
        ranks += [row["rank"] for row in page["results"]]
        names += [row["version"]["label"] for row in page["results"]]
        address = page["next"]

    assert ranks == [1, 1, 3, 3, 3, 3, 7, 7, 7, 7]
    assert len(set(names)) == 10


class TestVersions:
    """A bot with an old and a new version, and another bot."""

    @pytest.fixture
    def bot(self) -> Bot:
        pool, old = open_live_pool(game="tuned"), make_version()
        new = make_version(bot=old.bot)
        for mu, version in ((30, old), (28, new), (26, make_version())):
            Rating.objects.create(pool=pool, version=version, mu=mu, sigma=1, matches=9)
        return old.bot

    def _lines(self, client: APIClient, query: str = "") -> list[tuple[int, str]]:
        rows = client.get(f"{V1}/leaderboards/tuned/{query}").json()["results"]
        return [(row["rank"], row["version"]["label"]) for row in rows]

    def test_table_shows_the_newest_version_that_may_play(
        self, bot: Bot, anonymous: APIClient
    ) -> None:
        (first, label), (second, _) = self._lines(anonymous)

        assert (first, label, second) == (1, f"{bot.name} v2", 2)

    def test_all_versions_are_shown_on_request(self, bot: Bot, anonymous: APIClient) -> None:
        assert [rank for rank, _ in self._lines(anonymous, "?versions=all")] == [1, 2, 3]

    def test_older_version_comes_back_when_the_newer_one_is_retired(
        self, bot: Bot, anonymous: APIClient
    ) -> None:
        before = anonymous.get(f"{V1}/leaderboards/tuned/").headers["ETag"]
        bot.versions.filter(number=2).update(state=VersionState.RETIRED)

        assert self._lines(anonymous)[0] == (1, f"{bot.name} v1")
        assert anonymous.get(f"{V1}/leaderboards/tuned/").headers["ETag"] != before

    def test_new_version_without_a_match_hides_nobody(
        self, bot: Bot, anonymous: APIClient
    ) -> None:
        make_version(bot=bot)

        assert self._lines(anonymous)[0] == (1, f"{bot.name} v2")

    def test_other_wishes_are_refused(self, anonymous: APIClient) -> None:
        answer = anonymous.get(f"{V1}/leaderboards/tuned/?versions=old")

        assert_problem(answer, status=400, code="bad_versions", attr="versions")

    def test_page_shows_the_same(self, bot: Bot, client: Client) -> None:
        pages = [client.get(f"/leaderboards/tuned/{query}") for query in ("", "?versions=all")]

        assert [len(page.context["table"].rows) for page in pages] == [2, 3]


def test_bars_are_differences_to_the_mean_of_the_pool(anonymous: APIClient) -> None:
    pool = open_live_pool(game="tuned")
    for mu in (40, 44):
        Rating.objects.create(pool=pool, version=make_version(), mu=mu, sigma=1, matches=9)

    first, second = anonymous.get(f"{V1}/leaderboards/tuned/").json()["results"]

    assert (first["strength"], second["strength"]) == (27, 23)
    assert first["interval"] == pytest.approx([27 - 2.45, 27 + 2.45])


class TestScopes:
    """A table of five seats beside the standard one."""

    @pytest.fixture
    def scope(self) -> str:
        for seats in (2, 5):
            pool = open_live_pool(game="way_of_the_dragon", seats=seats)
            for mu in (20, 30)[: seats - 1]:
                Rating.objects.create(pool=pool, version=make_version(), mu=mu, sigma=1)
        return pool.scope

    def test_each_setting_has_its_own_table(self, scope: str, anonymous: APIClient) -> None:
        path = f"{V1}/leaderboards/way_of_the_dragon/"
        standard = scope_of("way_of_the_dragon").digest

        tables = [anonymous.get(f"{path}{query}") for query in ("", f"?scope={scope}")]
        named = anonymous.get(f"{path}?scope={standard}")

        assert [len(table.json()["results"]) for table in tables] == [1, 2]
        assert named.json()["results"] == tables[0].json()["results"]

    def test_list_names_the_settings(self, scope: str, anonymous: APIClient) -> None:
        rows = anonymous.get(f"{V1}/leaderboards/").json()["results"]

        assert [row["title"] for row in rows] == [
            "Way of the Dragon",
            "Way of the Dragon, 5 seats",
        ]
        assert rows[1]["scope"] == scope
        assert rows[1]["setting"]["seats"] == 5

    def test_unknown_setting_is_not_found(self, anonymous: APIClient) -> None:
        answer = anonymous.get(f"{V1}/leaderboards/tuned/?scope=0123456789abcdef")

        assert_problem(answer, status=404, code="not_found")

    def test_page_links_the_settings(self, scope: str, client: Client) -> None:
        path = "/leaderboards/way_of_the_dragon/"

        page, other = client.get(path), client.get(f"{path}?scope={scope}&versions=all")

        assert f"?scope={scope}" in page.content.decode()
        assert len(other.context["table"].rows) == 2
        assert f"?scope={scope}" in other.context["other_versions"]
        assert client.get(f"{path}?scope=none").status_code == 404
        lines = client.get(f"{path}table.csv?scope={scope}").getvalue().decode().splitlines()
        assert len(lines) == 3
