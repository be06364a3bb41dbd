"""Uploads at the same moment on the real database."""

from functools import partial

import pytest

from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Archive, BotVersion
from pentathlon.bots.services import store_version
from pentathlon.core.errors import Conflict
from tests.factories import make_upload, make_user, make_version
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_versions_uploaded_at_once_take_different_numbers() -> None:
    bot = make_version(name="Tiger").bot
    archives = [read_archive(make_upload("Tiger", salt=f"new {n}")) for n in range(4)]

    versions = all_at_once(
        [partial(store_version, actor=bot.owner, bot=bot, archive=archive) for archive in archives]
    )

    assert sorted(version.number for version in versions) == [2, 3, 4, 5]


def test_one_of_many_takes_a_name() -> None:
    archive = read_archive(make_upload("Tiger"))
    owners = [make_user() for _ in range(4)]

    outcomes = all_at_once(
        [partial(store_version, actor=owner, archive=archive) for owner in owners]
    )

    assert sum(isinstance(outcome, BotVersion) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 3
    assert (BotVersion.objects.count(), Archive.objects.count()) == (1, 1)
