"""Which site a command uses, and as whom."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.cli.client import connection
from pentathlon_engines.cli.client.connection import (
    SITE_VARIABLE,
    TOKEN_VARIABLE,
    Credential,
    Credentials,
    connect,
    connect_as_person,
    describe_match,
    find_bot_named,
    find_version,
    is_private_line,
    me,
    origin_of,
    split_address,
    usual_site,
    write_private,
)
from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed
from tests.engines.cli.client.fake_sites import FakeSite, as_site

HOME = "https://home.example"
WORK = "https://work.example"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Credentials:
    """Let a person have signed in to two sites, to the first one last."""
    tokens = {
        HOME: Credential(token="ptl_home", username="ann"),
        WORK: Credential(token="ptl_work", username="ann"),
    }
    stored = Credentials(site=HOME, by_site=tokens)
    monkeypatch.setattr(Credentials, "load", lambda: stored)
    for name in (SITE_VARIABLE, TOKEN_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    return stored


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Example.org/bots/7/?x=1", "https://example.org"),
        ("http://example.org:8000", "http://example.org:8000"),
        ("example.org", "https://example.org"),
        ("example.org:8443/bots/", "https://example.org:8443"),
        ("localhost", "http://localhost"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000/bots/", "http://127.0.0.1:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("[::1]", "http://[::1]"),
        ("localhost.example.org", "https://localhost.example.org"),
    ],
)
def test_pasted_address_names_a_site(address: str, origin: str) -> None:
    assert origin_of(address) == origin


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://",
        "ftp://example.org",
        "https://a:b@example.org",
        "http://x:port/",
        "http://[::1",
        "x:port",
        "[::1",
    ],
    ids=repr,
)
def test_address_of_no_site_is_refused(address: str) -> None:
    with pytest.raises(CommandFailed, match="is not the address of a site"):
        origin_of(address)


@pytest.mark.parametrize(
    ("origin", "is_private"),
    [
        ("https://example.org", True),
        ("http://localhost:8000", True),
        ("http://127.1.2.3", True),
        ("http://[::1]:8000", True),
        ("http://example.org", False),
        ("http://127.0.0.1.example.org", False),
    ],
)
def test_line_is_private_if_it_is_encrypted_or_inside_this_machine(
    origin: str, is_private: bool
) -> None:
    assert is_private_line(origin) is is_private


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7", (None, 7)),
        ("https://example.org/matches/7/", ("https://example.org", 7)),
        ("https://example.org/api/v1/matches/7/?x#y", ("https://example.org", 7)),
        ("https://example.org/bots/7/", (None, None)),
        ("tiger", (None, None)),
        ("9" * 19, (None, None)),
    ],
)
def test_number_or_address_names_an_object(
    text: str, found: tuple[str | None, int | None]
) -> None:
    assert split_address(text, "matches") == found


def test_site_of_the_last_login_is_the_usual_one(known: Credentials) -> None:
    site = connect()

    assert (site.origin, site.token) == (HOME, "ptl_home")


def test_address_on_the_command_line_comes_first(
    known: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SITE_VARIABLE, "third.example")
    monkeypatch.setenv(TOKEN_VARIABLE, "ptl_third")

    site = connect(WORK)

    assert (site.origin, site.token) == (WORK, "ptl_work"), "no token goes to a foreign site"


def test_environment_comes_before_what_was_stored(
    known: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SITE_VARIABLE, "third.example")
    monkeypatch.setenv(TOKEN_VARIABLE, " ptl_third\n")

    site = connect()

    assert (site.origin, site.token) == ("https://third.example", "ptl_third")


def test_site_without_a_login_is_read_by_nobody(known: Credentials) -> None:
    assert connect("third.example").token is None
    with pytest.raises(
        CommandFailed, match=r"have not signed in to https://third\.example"
    ) as failed:
        connect_as_person("third.example")
    assert failed.value.try_next == "pentathlon login https://third.example"


class Installed:
    """A distribution with what pip has noted about where it came from."""

    def __init__(self, noted: str | None) -> None:
        self._noted = noted

    def read_text(self, name: str) -> str | None:
        return self._noted


@pytest.mark.parametrize(
    ("noted", "origin"),
    [
        ('{"url": "https://kit.example/kit/pentathlon.whl"}', "https://kit.example"),
        ('{"url": "https://pypi.example/pentathlon.whl"}', None),
        ('{"url": "file:///kit/pentathlon.whl"}', None),
        ("{", None),
        (None, None),
    ],
)
def test_package_knows_the_site_that_served_it(
    noted: str | None, origin: str | None, known: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed(noted))

    if origin is not None:
        assert usual_site(Credentials()) == origin
        return
    with pytest.raises(CommandFailed, match="No site is given"):
        usual_site(Credentials())


BOT = {"id": 7, "name": "tiger", "latest_version": {"id": 71, "number": 4}}
VERSIONS = [{"id": 71, "number": 4}, {"id": 70, "number": 3}]


def site(*bots: dict[str, Any]) -> FakeSite:
    def named(query: Any) -> list[dict[str, Any]]:
        return [bot for bot in bots if bot["name"] == query["name"]]

    return FakeSite(lists={"bots/": named, "versions/": VERSIONS})


def test_owner_of_the_token_is_me() -> None:
    assert me(as_site(site())) == "ann"


@pytest.mark.parametrize(
    ("name", "version_id"), [("tiger", 71), ("tiger@3", 70), ("tiger v4", 71)]
)
def test_version_is_named_by_its_bot_and_number(name: str, version_id: int) -> None:
    assert find_version(as_site(site(BOT)), name)["id"] == version_id


def test_folder_stands_for_the_bot_in_it(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "tiger"\ngames = ["tuned"]\nlanguage = "python"\n')
    (tmp_path / "main.py").touch()

    assert find_bot_named(as_site(site(BOT)), str(tmp_path))["id"] == 7


@pytest.mark.parametrize(
    ("name", "bots", "sentence", "try_next"),
    [
        ("lamb", [BOT], "There is no bot 'lamb'", "pentathlon bots --all"),
        ("tiger@9", [BOT], "tiger has no such version", "pentathlon logs tiger"),
        ("tiger", [{**BOT, "latest_version": None}], "no such version", "pentathlon logs tiger"),
    ],
)
def test_name_of_nothing_is_told_with_what_to_do(
    name: str, bots: list[dict[str, Any]], sentence: str, try_next: str
) -> None:
    with pytest.raises(CommandFailed, match=sentence) as failed:
        find_version(as_site(site(*bots)), name)

    assert failed.value.try_next == try_next


def seat(number: int, label: str, rank: int | None = None) -> dict[str, Any]:
    return {"seat": number, "rank": rank, "version": {"label": label}}


def test_match_is_described_by_its_players_until_it_has_places() -> None:
    running = {
        "game": "tuned", "state": "running", "outcome_reason": "",
        "seats": [seat(0, "a v1"), seat(1, "b v2")],
    }  # fmt: skip
    done = {
        **running, "state": "done", "outcome_reason": "line",
        "seats": [seat(0, "a v1", 1), seat(1, "b v2", 0)],
    }  # fmt: skip

    assert describe_match(running) == "tuned: a v1 – b v2, running"
    assert describe_match(done) == "tuned: 1. b v2, 2. a v1 (line)"


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
