from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from pentathlon.matches.models import Match
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.transparency.models import LogEntry, LogRoot, LogTile
from pentathlon.matches.transparency.services import checkpoint_at, continue_log, publish_root
from pentathlon_engines.record.record import canonical
from tests.pentathlon.matches.transparency.logging_matches import log_matches

pytestmark = pytest.mark.django_db


@pytest.fixture
def played() -> list[Match]:
    matches = log_matches(3)
    publish_root(datetime(2026, 5, 1, tzinfo=UTC))
    return matches


def verify(*arguments: str | Path) -> None:
    call_command("verify_log", *map(str, arguments))


def change_record(match: Match) -> None:
    replay = Replay.objects.get(match=match)
    record = read_record(replay)
    record["bots"][0]["name"] = "somebody else"
    Replay.objects.filter(match=match).update(data=pack(canonical(record)), codec=CODEC)


def change_receipt(match: Match) -> None:
    entry = LogEntry.objects.get(match=match)
    entry.receipt = entry.receipt.replace("namespaces", "landlock")
    entry.save()


def change_tree(match: Match) -> None:
    tile = LogTile.objects.get(level=0)
    tile.hashes = bytes(32) + bytes(tile.hashes)[32:]
    tile.save()


def remove_entry(match: Match) -> None:
    LogEntry.objects.filter(match=match).delete()


def change_root(match: Match) -> None:
    LogRoot.objects.update(note=checkpoint_at(2), size=3)


def test_log_as_it_was_signed(played: list[Match], capsys: pytest.CaptureFixture[str]) -> None:
    verify()

    assert "3 entries and 1 root as signed." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("forge", "told"),
    [
        (change_record, "The replay of match {match} cannot be read"),
        (change_receipt, "entry 0, match {match}: The receipt"),
        (change_tree, "entry 0: the tree has another hash"),
        (remove_entry, "entry 0 is missing"),
        (change_root, "root of 2026-05-01: The root of 2026-05-01 is of 2 entries"),
    ],
)
def test_whatever_was_rewritten_is_named(
    played: list[Match],
    capsys: pytest.CaptureFixture[str],
    forge: Callable[[Match], None],
    told: str,
) -> None:
    forge(played[0])

    with pytest.raises(CommandError, match="differs from the signed one"):
        verify()

    assert told.format(match=played[0].pk) in capsys.readouterr().out


def test_noted_checkpoint_is_proven_to_have_grown(played: list[Match], tmp_path: Path) -> None:
    noted = tmp_path / "noted.txt"
    noted.write_text(checkpoint_at(2))

    verify(noted)


def test_log_that_was_begun_anew_is_found_out(
    played: list[Match], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything agrees with itself again; only who noted a checkpoint can tell."""
    noted = tmp_path / "noted.txt"
    noted.write_text(checkpoint_at(3))
    for model in (LogEntry, LogRoot, LogTile):
        model.objects.all().delete()
    log_matches(4)
    verify()

    with pytest.raises(CommandError, match="differs"):
        verify(noted)

    assert "the log has not grown from the 3 entries" in capsys.readouterr().out


def test_other_sites_checkpoint_is_refused(played: list[Match], tmp_path: Path) -> None:
    noted = tmp_path / "noted.txt"
    noted.write_text("elsewhere\n3\nAAAA\n\n— elsewhere AAAA\n")

    with pytest.raises(CommandError, match="not signed by"):
        verify(noted)


def test_restore_is_no_forgery_and_said(
    played: list[Match], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noted, later = tmp_path / "noted.txt", tmp_path / "later.txt"
    noted.write_text(checkpoint_at(3))
    for model in (LogEntry, LogRoot, LogTile):
        model.objects.all().delete()
    continue_log()
    log_matches(2)
    later.write_text(checkpoint_at(2))
    log_matches(1)

    verify(noted, later)

    told = capsys.readouterr().out
    assert "continued its log from size 0: of the 3 entries seen before" in told
    assert str(later) not in told


def test_restore_excuses_no_change_of_what_it_brought_back(
    played: list[Match], tmp_path: Path
) -> None:
    noted = tmp_path / "noted.txt"
    noted.write_text(checkpoint_at(3))
    continue_log()
    for model in (LogEntry, LogRoot, LogTile):
        model.objects.all().delete()
    log_matches(4)

    with pytest.raises(CommandError, match="differs"):
        verify(noted)
