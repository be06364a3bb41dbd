"""A backup is one moment of everything, and a restore brings all of it back or nothing."""

from __future__ import annotations

import json
import random
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import ANY
from zipfile import ZipFile

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import load_backend
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.accounts.models import BrowserSession, User
from pentathlon.bots.models import Archive
from pentathlon.connections import database
from pentathlon.core.schema import known_migrations
from pentathlon.matches.models import Match
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.transparency.models import LogContinuation
from pentathlon.operations.backup_files import (
    BadBackup,
    NotEmpty,
    NotKept,
    OtherSchema,
    PackedTable,
    open_backup,
    stored_models,
)
from pentathlon.operations.backups import make_backup, restore_backup
from pentathlon.ratings.models import RatingChange
from pentathlon.ratings.services import apply_pool, enter_matches, open_pool
from tests.databases import delete_all_rows
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True, kw_only=True)
class Site:
    """What was backed up, and the file."""

    path: Path
    ledger: list[tuple[object, ...]]
    replays: dict[int, bytes]


@pytest.fixture(scope="module")
def site(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Site:
    """The backup of a site with uploads, replays and a ledger; the site itself is gone."""
    path = tmp_path_factory.mktemp("made") / "site.backup"
    with django_db_blocker.unblock():
        pool = open_pool(key="game:tuned", game="tuned", title="Tuned")
        versions = [make_version() for _ in range(2)]
        matches = [make_match(versions, rated=True) for _ in range(3)]
        enter_matches(pool=pool, matches=matches)
        for match in matches:
            job = claimed(match)
            submit(job, record_of(job, luck=match.pk))
        apply_pool(pool_id=pool.pk)
        blob = random.Random(5).randbytes(100_000)
        Archive.objects.create(content_hash="large", data=blob, unpacked_bytes=1, files=1)
        made = Site(path=path, ledger=_ledger(), replays=_replays())
        make_backup(path)
        delete_all_rows()
    return made


@pytest.fixture
def backup(site: Site, tmp_path: Path) -> Path:
    """A copy of that backup."""
    return Path(shutil.copy(site.path, tmp_path))


def _ledger() -> list[tuple[object, ...]]:
    return list(RatingChange.objects.order_by("pk").values_list())


def _replays() -> dict[int, bytes]:
    return {replay.pk: bytes(replay.data) for replay in Replay.objects.all()}


def _content() -> dict[str, list[bytes]]:
    """Return every row of every table, as exact as a backup has it."""
    return {
        table.name: sorted(table.read("default")) for table in map(PackedTable, stored_models())
    }


def test_restore_brings_back_every_bit(site: Site) -> None:
    restore_backup(site.path)

    assert _ledger() == site.ledger
    assert len(site.ledger) == 6
    assert _replays() == site.replays
    assert all(read_record(replay)["events"] for replay in Replay.objects.all())
    told = StringIO()
    call_command("verify_ratings", stdout=told)
    assert "game:tuned: 3 results, equal bit by bit" in told.getvalue()


def test_work_goes_on_after_a_restore(site: Site) -> None:
    restore_backup(site.path)
    taken = set(User.objects.values_list("pk", flat=True))

    version = make_version()

    assert taken
    assert version.bot.owner_id not in taken


def test_backup_is_one_moment_while_others_write(tmp_path: Path) -> None:
    make_match()
    path = tmp_path / "site.backup"
    before = {name: len(rows) for name, rows in _content().items()}
    written: list[Match] = []

    make_backup(path, tell=lambda *_: written.append(make_match()) if len(written) < 5 else None)

    with open_backup(path) as reader:
        found = {name: table.rows for name, table in reader.manifest.tables.items()}
    assert len(written) == 5
    assert found == before


def test_backup_holds_no_session_and_is_its_owners_alone(tmp_path: Path) -> None:
    BrowserSession.objects.create(
        session_key="x" * 32, session_data="", expire_date=timezone.now()
    )
    path = tmp_path / "site.backup"

    make_backup(path)

    assert path.stat().st_mode & 0o777 == 0o600
    with open_backup(path) as reader:
        assert "accounts_browsersession" not in reader.manifest.tables
        assert reader.manifest.migrations == list(known_migrations())
    assert list(tmp_path.iterdir()) == [path]


def test_every_table_is_backed_up_or_left_out_on_purpose(site: Site) -> None:
    with open_backup(site.path) as reader:
        kept = set(reader.manifest.tables)

    own = set(connection.introspection.django_table_names(include_views=False))
    assert own - kept == {"accounts_browsersession"}


def test_key_of_a_data_folder_goes_along(tmp_path: Path, settings: Any) -> None:
    settings.DATA_FOLDER = tmp_path
    settings.SECRET_KEY = "old" * 20
    (tmp_path / "secret_key").write_text(settings.SECRET_KEY)
    make_backup(tmp_path / "site.backup")
    settings.SECRET_KEY = "new" * 20
    (tmp_path / "secret_key").write_text(settings.SECRET_KEY)

    assert restore_backup(tmp_path / "site.backup").is_same_key

    assert (tmp_path / "secret_key").read_text() == "old" * 20
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_key_from_outside_stays_outside_and_another_one_is_noticed(
    tmp_path: Path, settings: Any
) -> None:
    told = StringIO()
    path = tmp_path / "site.backup"
    call_command("backup", str(path), stdout=told)
    assert "PENTATHLON_SECRET_KEY is not in the backup" in told.getvalue()
    assert settings.SECRET_KEY.encode() not in path.read_bytes()
    settings.SECRET_KEY = "another" * 10
    delete_all_rows()

    call_command("restore", str(path), stdout=told)

    assert "made with another PENTATHLON_SECRET_KEY" in told.getvalue()


def test_restore_by_another_tool_is_signed_by_hand() -> None:
    told = StringIO()

    call_command("restore", by_hand=True, stdout=told)

    assert LogContinuation.objects.get().size == 0
    assert "continued from size 0" in told.getvalue()


class TestRefusals:
    def test_place_that_is_not_empty_is_left_alone(self, site: Site) -> None:
        make_user()
        before = _content()

        with pytest.raises(NotEmpty, match=r"not empty: table accounts_user has rows"):
            restore_backup(site.path)

        assert _content() == before

    @pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
    def test_damaged_file_changes_nothing(self, backup: Path, place: float) -> None:
        data = bytearray(backup.read_bytes())
        with ZipFile(backup) as archive:
            entries = [info for info in archive.infolist() if info.file_size > 200]
        entry = entries[int(place * len(entries))]
        data[entry.header_offset + 150] ^= 0x40
        backup.write_bytes(data)

        with pytest.raises(BadBackup, match=r"damaged|no readable manifest"):
            restore_backup(backup)

        assert not User.objects.exists()

    @pytest.mark.parametrize("share", [0, 0.3, 0.99])
    def test_file_that_was_cut_off_is_refused(self, backup: Path, share: float) -> None:
        data = backup.read_bytes()
        backup.write_bytes(data[: int(share * len(data))])

        with pytest.raises(BadBackup, match=r"no backup|cut off"):
            restore_backup(backup)

    def test_file_that_is_not_there_is_a_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="There is no file"):
            call_command("restore", str(tmp_path / "none.backup"))

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"format": 2}, "format 2"),
            ({"migrations": [*known_migrations(), "matches.9999_next"]}, "newer release"),
            ({"migrations": list(known_migrations()[1:])}, "older release"),
            ({"tables": {}}, "no table"),
            ({"tables": None}, "no readable manifest"),
        ],
    )
    def test_other_versions_are_refused(
        self, changes: dict[str, Any], sentence: str, backup: Path
    ) -> None:
        _change_manifest(backup, changes)

        with pytest.raises((BadBackup, OtherSchema), match=sentence):
            restore_backup(backup)

    def test_release_that_was_rolled_back_to_backs_up_what_it_knows(
        self, backup: Path, tmp_path: Path
    ) -> None:
        restore_backup(backup)
        content = _content()
        MigrationRecorder(connection).record_applied("matches", "9999_next")
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE next_table (id integer)")
            cursor.execute("ALTER TABLE matches_heldlane ADD COLUMN next_column integer NULL")
        try:
            summary = make_backup(tmp_path / "rolled-back.backup")
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP TABLE next_table")
                cursor.execute("ALTER TABLE matches_heldlane DROP COLUMN next_column")
            MigrationRecorder(connection).record_unapplied("matches", "9999_next")

        assert {"matches_heldlane.next_column", "next_table"} <= {*summary.left_out}
        delete_all_rows()
        restore_backup(tmp_path / "rolled-back.backup")
        LogContinuation.objects.latest("pk").delete()  # each restore notes itself in the log
        assert _content() == content

    def test_backup_waits_for_migrations(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pentathlon.operations.backups.missing_migrations", lambda: ["a.b"])

        with pytest.raises(OtherSchema, match=r"lacks a\.b"):
            make_backup(tmp_path / "site.backup")

        assert list(tmp_path.iterdir()) == []

    def test_backup_replaces_no_file(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("mine")

        with pytest.raises(CommandError, match="exists"):
            call_command("backup", str(path))

        assert path.read_text() == "mine"

    def test_rows_that_come_back_otherwise_undo_everything(
        self, backup: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tables = _manifest(backup)["tables"]
        tables["matches_match"]["digest"] = "0" * 32
        _change_manifest(backup, {"tables": tables})

        with pytest.raises(NotKept, match="matches_match"):
            restore_backup(backup)

        assert not User.objects.exists()

    def test_full_disk_leaves_no_half_a_backup(self, tmp_path: Path) -> None:
        make_version()
        path = tmp_path / "site.backup"

        with files_of_at_most(4096), pytest.raises(NotKept, match="cannot be written"):
            make_backup(path)

        assert list(tmp_path.iterdir()) == []


class TestOtherDatabase:
    """From whatever the tests run on to SQLite, which is also quick to fill up."""

    def test_backup_is_restored_to_another_kind_and_back(self, site: Site, tmp_path: Path) -> None:
        again = tmp_path / "again.backup"
        with new_sqlite(tmp_path / "new.sqlite3"):
            restore_backup(site.path)
            assert connection.vendor == "sqlite"
            call_command("verify_ratings", stdout=StringIO())
            assert _ledger() == site.ledger
            make_backup(again)
        restore_backup(again)

        assert _ledger() == site.ledger
        assert _replays() == site.replays
        continued = LogContinuation._meta.db_table
        assert _digests(again) == {**_digests(site.path), continued: ANY}
        # Two restores, each of which the log tells.
        assert LogContinuation.objects.count() == 2

    def test_full_disk_leaves_the_place_empty(self, site: Site, tmp_path: Path) -> None:
        with new_sqlite(tmp_path / "new.sqlite3"):
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA page_count")
                (pages,) = cursor.fetchone()
                cursor.execute(f"PRAGMA max_page_count = {pages + 20}")

            with pytest.raises(NotKept, match="full"):
                restore_backup(site.path)

            assert not User.objects.exists()
            assert not Archive.objects.exists()


def _manifest(path: Path) -> dict[str, Any]:
    with ZipFile(path) as archive:
        read: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return read


def _digests(path: Path) -> dict[str, str]:
    return {name: table["digest"] for name, table in _manifest(path)["tables"].items()}


def _change_manifest(path: Path, changes: dict[str, Any]) -> None:
    manifest = {**_manifest(path), **changes}
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(path, "w") as archive:
        for name, data in parts.items():
            changed = json.dumps(manifest).encode() if name == "manifest.json" else data
            archive.writestr(name, changed)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let the kernel refuse this process what would make a file larger."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def new_sqlite(path: Path) -> Iterator[None]:
    """Let everything work with a new database in a file; its tables are made at once."""
    former = connections["default"]
    settings = connections.configure_settings(
        {"default": {**database(f"sqlite:///{path}", data=path.parent)}}
    )
    connections["default"] = load_backend(settings["default"]["ENGINE"]).DatabaseWrapper(
        settings["default"], "default"
    )
    try:
        with connection.schema_editor() as editor:
            for model in apps.get_models():
                if not model._meta.proxy:
                    editor.create_model(model)
        recorder = MigrationRecorder(connection)
        recorder.ensure_schema()
        recorder.migration_qs.bulk_create(
            recorder.Migration(app=app, name=name)
            for app, _, name in (known.partition(".") for known in known_migrations())
        )
        yield
    finally:
        connection.close()
        connections["default"] = former
