"""Tokens lie in a file that nobody else can read, written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from pentathlon_engines.cli.client import connection
from pentathlon_engines.cli.client.connection import Credential, Credentials, write_private
from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed

SITE = "https://example.org"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "credentials.json"
    monkeypatch.setattr(connection, "credentials_path", lambda: path)
    return path


def test_nobody_has_signed_in_without_a_file(path: Path) -> None:
    assert (Credentials.load().site, Credentials.load().username) == (None, None)


def test_token_is_there_for_the_next_command_and_for_nobody_else(path: Path) -> None:
    ann = Credential(token="ptl_1", username="ann")
    Credentials(site=SITE, by_site={SITE: ann}).save()

    loaded = Credentials.load()

    assert (loaded.site, loaded.username, loaded.by_site) == (SITE, "ann", {SITE: ann})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "ptl_1" not in repr(loaded)


def test_file_that_others_can_read_is_not_used(path: Path) -> None:
    Credentials(site=SITE).save()
    path.chmod(0o640)

    with pytest.raises(CommandFailed, match="Others can read your tokens") as failed:
        Credentials.load()

    assert failed.value.try_next == f"chmod 600 {path}"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"site": null, "tokens": {"x": {}}}', '{"site": 1, "tokens": []}', "\xff"],
)
def test_damaged_file_is_named_with_what_to_do(text: str, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o600)

    with pytest.raises(CommandFailed, match="cannot be read") as failed:
        Credentials.load()

    assert failed.value.try_next == f"rm {path}; pentathlon login"


def test_file_that_cannot_be_written_leaves_the_old_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Credentials(site=SITE).save()
    before = path.read_text()

    def fail(draft: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)

    with pytest.raises(CommandFailed, match="cannot be written: No space left") as failed:
        Credentials(site="https://other.example").save()

    assert failed.value.exit_code == HOST_OR_SERVER
    assert path.read_text() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_draft_of_a_killed_command_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    draft = path.with_name(f"kept.json.{os.getpid()}")
    draft.write_text("half")

    with pytest.raises(CommandFailed, match="File exists"):
        write_private(path, "whole", try_next="again")
    write_private(path, "whole", try_next="again")

    assert path.read_text() == "whole"
    assert not draft.exists()
