"""One flipped bit in each stored thing is seen at every door, mended, and never served."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import Model
from django.test import Client
from structlog.testing import capture_logs

from pentathlon.bots.archives import ArchiveDamaged, find_files, read_archive, store_archive
from pentathlon.bots.models import Archive, BotVersion
from pentathlon.core.errors import Damaged
from pentathlon.matches.models import Match
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.transparency.models import LogEntry, LogRoot, LogTile
from pentathlon.matches.transparency.services import TileDamaged, log_results, publish_root
from pentathlon.operations.backups import make_backup
from pentathlon.operations.damage import KINDS, Kept, Scrubber
from pentathlon.operations.gauges import gauges
from pentathlon.operations.personal_data.export import export_account
from tests.api.client import V1
from tests.factories import make_upload
from tests.pentathlon.matches.transparency.logging_matches import log_matches, play_matches

pytestmark = pytest.mark.django_db


class Column(NamedTuple):
    """A stored thing, and the door by which anybody reads it."""

    model: type[Model]
    name: str
    door: str
    code: str


THINGS = {
    "replay": Column(Replay, "data", "replays/{match}/", "replay_damaged"),
    "receipt": Column(LogEntry, "receipt", "log/0/receipt/", "receipt_damaged"),
    "signature": Column(LogEntry, "signature", "matches/{match}/inclusion/", "receipt_damaged"),
    "tile": Column(LogTile, "hashes", "log/", "log_damaged"),
    "root": Column(LogRoot, "note", "log/roots/", "receipt_damaged"),
}


@pytest.fixture
def match() -> Match:
    """Return a match that is logged, below a published root."""
    (match,) = log_matches(1)
    publish_root()
    return match


@pytest.fixture
def archive(match: Match) -> Archive:
    """Return the files of one of its bots, which can be opened."""
    version = match.seats.get(seat=0).version
    with transaction.atomic():
        archive = store_archive(read_archive(make_upload(version.bot.name)))
    BotVersion.objects.filter(pk=version.pk).update(archive=archive)
    Archive.objects.exclude(pk=archive.pk).update(files=0, data=b"")
    return archive


def _flip(value: Any) -> Any:  # Any: text or bytes
    data = value.encode() if isinstance(value, str) else bytes(value)
    place = len(data) // 2
    flipped = data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]
    return flipped.decode() if isinstance(value, str) else flipped


def _spoil(model: type[Model], name: str, change: Callable[[Any], Any] = _flip) -> Any:
    row = model._default_manager.get()
    model._default_manager.update(**{name: change(getattr(row, name))})
    return getattr(row, name)


def _stored(model: type[Model], name: str) -> Any:
    return getattr(model._default_manager.get(), name)


def _scrub() -> int:
    scrubber = Scrubber(KINDS, pause_s=0)
    return sum(scrubber.step() for _ in KINDS)


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_flipped_bit_is_never_served_and_scrubbed_away(thing: Column, match: Match) -> None:
    sound = _spoil(thing.model, thing.name)
    client = Client(raise_request_exception=False)

    answer = client.get(f"{V1}/{thing.door.format(match=match.pk)}")

    assert (answer.status_code, answer.json()["code"]) == (503, thing.code)
    with capture_logs() as logs:
        assert _scrub() == 0
    assert [line["event"] for line in logs] == ["mended"]
    assert _stored(thing.model, thing.name) == sound


def test_log_page_and_growth_of_a_damaged_tree_make_no_root(match: Match) -> None:
    _spoil(LogTile, "hashes")
    assert Client(raise_request_exception=False).get("/log/").status_code == 503

    play_matches(1)
    with pytest.raises(TileDamaged):
        log_results()

    assert LogEntry.objects.count() == 1


def test_damaged_archive_is_served_by_no_door(archive: Archive) -> None:
    version = BotVersion.objects.get(archive=archive)
    _cut(Archive)
    client = Client(raise_request_exception=False)
    client.force_login(version.bot.owner)

    told = client.get(f"{V1}/versions/{version.pk}/archive/")
    page = client.get(f"/versions/{version.pk}/archive/")

    assert (told.status_code, told.json()["code"]) == (503, "archive_damaged")
    assert page.status_code == 503
    assert b"archives/" in (exported := b"".join(export_account(version.bot.owner)))
    assert b".damaged.txt" in exported
    with pytest.raises(ArchiveDamaged):
        find_files(archive.pk)


def _cut(model: type[Model]) -> bytes:
    kept = Archive.objects.exclude(files=0).get()
    Archive.objects.filter(pk=kept.pk).update(data=bytes(kept.data)[:-40])
    return bytes(kept.data)


def test_no_flipped_bit_of_an_archive_gives_other_files(archive: Archive) -> None:
    sound = bytes(archive.data)
    kept: Kept[Archive] = next(each for each in KINDS if each.noun == "archive")
    seen = 0

    for place in range(0, len(sound), 5):
        archive.data = sound[:place] + bytes((sound[place] ^ 4,)) + sound[place + 1 :]
        try:
            kept.read(archive)  # what passes has the hash of the files
        except Damaged:
            seen += 1

    assert seen > len(sound) // 20


def test_upload_of_the_same_files_mends_them(archive: Archive) -> None:
    sound = _cut(Archive)

    store_archive(read_archive(sound))

    assert find_files(archive.pk) == sound


def test_staff_see_what_stays_damaged(archive: Archive) -> None:
    _cut(Archive)
    _spoil(LogEntry, "receipt", lambda text: text[: len(text) // 2])

    with capture_logs() as logs:
        assert _scrub() == 2
        assert _scrub() == 2

    assert [(each["event"], each["what"]) for each in logs] == [
        ("damaged", "archive"),
        ("damaged", "receipt"),
    ]
    gauges.forget()
    (found,) = (each for each in gauges.collect() if each.name == "pentathlon_damaged")
    told = {sample.labels["kind"]: sample.value for sample in found.samples}
    assert told == {kind.noun: kind.noun in ("archive", "receipt") for kind in KINDS}
    with pytest.raises(CommandError, match="2 things"):
        call_command("mend", stdout=(said := StringIO()))
    assert archive.pk in said.getvalue()
    assert f"receipt of match {LogEntry.objects.get().match_id}" in said.getvalue()


@pytest.mark.django_db(transaction=True)
def test_backup_mends_everything(archive: Archive, tmp_path: Path) -> None:
    make_backup(tmp_path / "backup")
    sound = _cut(Archive)
    spoiled = {
        thing: _spoil(thing.model, thing.name, lambda value: value[: len(value) // 2])
        for thing in (THINGS["replay"], THINGS["receipt"], THINGS["root"])
    }
    _scrub()

    call_command("mend", str(tmp_path / "backup"), stdout=(told := StringIO()))

    assert find_files(archive.pk) == sound
    for thing, value in spoiled.items():
        assert _stored(thing.model, thing.name) == value
    for noun in ("replay", "archive", "receipt", "root of the log"):
        assert f"Mended 1 {noun}." in told.getvalue()
    assert _scrub() == 0
