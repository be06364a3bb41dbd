import os
import stat
from collections.abc import Iterator

import pytest
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.models import Archive
from tests.factories import make_version
from workers.bot_files import BotFiles, DamagedArchive

pytestmark = pytest.mark.django_db


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = BotFiles(most=1)
    yield files
    files.close()


def test_bot_is_unpacked_read_only(files: BotFiles) -> None:
    folder = files.folder(make_version().archive_id)

    assert sorted(path.name for path in folder.iterdir()) == ["bot.toml", "main.py"]
    for path in (folder, *folder.iterdir()):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o222


def test_bot_is_fetched_once(
    files: BotFiles, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    content_hash = make_version().archive_id
    folder = files.folder(content_hash)

    with django_assert_num_queries(0):
        assert files.folder(content_hash) == folder


def test_bots_that_were_not_used_for_longest_make_room(files: BotFiles) -> None:
    first, second = (files.folder(make_version().archive_id) for _ in range(2))

    files.make_room()

    assert not first.exists()
    assert second.exists()


def test_other_contents_than_were_uploaded_are_refused(files: BotFiles) -> None:
    one, two = make_version(), make_version()
    Archive.objects.filter(pk=one.archive_id).update(data=two.archive.data)

    with pytest.raises(DamagedArchive):
        files.folder(one.archive_id)


def test_everybody_may_pass_but_nobody_may_list(files: BotFiles) -> None:
    folder = files.folder(make_version().archive_id)

    hidden = folder.parent.parent
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o711
    assert hidden.stat().st_uid == os.geteuid()
