import os
import stat
from collections.abc import Iterator

import pytest
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.archives import ArchiveDamaged
from pentathlon.bots.models import Archive
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_version
from tests.workers.playing import bot_files
from workers.sandbox.files.staging import remove_tree
from workers.slots.bot_files import BotFiles, FilesRemoved

pytestmark = pytest.mark.django_db


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = bot_files(most=1)
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

    with pytest.raises(ArchiveDamaged):
        files.folder(one.archive_id)


def test_everybody_may_pass_but_nobody_may_list(files: BotFiles) -> None:
    folder = files.folder(make_version().archive_id)

    hidden = folder.parent.parent
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o711
    assert hidden.stat().st_uid == os.geteuid()


@pytest.mark.parametrize("taken", ["..", ".", "main.py"])
def test_files_that_somebody_removed_are_fetched_again(files: BotFiles, taken: str) -> None:
    content_hash = make_version().archive_id
    folder = files.folder(content_hash)

    remove_tree((folder / taken).resolve()) if taken != "main.py" else (folder / taken).unlink()

    with pytest.raises(FilesRemoved):
        files.check([folder], PlainLauncher())
    again = files.folder(content_hash)
    assert (again / "main.py").is_file()
    files.check([again], PlainLauncher())


def test_cache_that_somebody_removed_is_made_again(files: BotFiles) -> None:
    content_hash = make_version().archive_id
    folder = files.folder(content_hash)

    remove_tree(folder.parent.parent)

    assert (files.folder(content_hash) / "main.py").is_file()


def test_file_that_was_written_to_is_fetched_again(files: BotFiles) -> None:
    content_hash = make_version().archive_id
    main = files.folder(content_hash) / "main.py"
    text = main.read_text()

    main.chmod(0o644)
    main.write_text("")

    assert (files.folder(content_hash) / "main.py").read_text() == text
