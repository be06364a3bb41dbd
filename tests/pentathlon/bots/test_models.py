import pytest
from django.db import IntegrityError
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.models import Bot, BotVersion, VersionState
from tests.factories import make_bot, make_user, make_version

pytestmark = pytest.mark.django_db


def test_eligible_means_state_and_game() -> None:
    eligible = make_version()
    for state in set(VersionState) - {VersionState.ELIGIBLE}:
        make_version(state=state)

    assert list(BotVersion.objects.eligible("tuned")) == [eligible]
    assert not BotVersion.objects.eligible("azure").exists()


def test_owned_by_leaves_out_others() -> None:
    owner = make_user()
    own = make_version(owner=owner)
    make_version()

    assert list(Bot.objects.owned_by(owner)) == [own.bot]
    assert list(BotVersion.objects.owned_by(owner)) == [own]


def test_newest_is_the_last_version_of_each_bot() -> None:
    bot = make_bot()
    make_version(bot=bot)
    last = make_version(bot=bot)
    other = make_version()

    assert set(BotVersion.objects.newest()) == {last, other}


@pytest.mark.parametrize("bots", [3, 30])
def test_listed_bots_take_three_queries(
    bots: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    owner = make_user()
    for _ in range(bots):
        make_version(owner=owner)

    with django_assert_num_queries(3):
        rows = [
            (bot.owner.username, bot.version_count, bot.latest[0].game_keys)
            for bot in Bot.objects.listed()
        ]

    assert rows == [(owner.username, 1, ["tuned"])] * bots


def test_bot_names_differ_by_more_than_case() -> None:
    make_bot("Tiger")

    with pytest.raises(IntegrityError, match="bots_name_any_case"):
        make_bot("tiger")
