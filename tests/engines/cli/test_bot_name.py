"""Names of bots: the public one in bot.toml, apart from the folder at somebody's desk."""

from pathlib import Path

import pytest

from pentathlon_engines.cli.client import connection
from pentathlon_engines.cli.client.connection import Credential, Credentials
from pentathlon_engines.cli.client.submission import rename_bot
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.manifest import personal_name, read_manifest
from tests.engines.commands import run_in_process, write_bot


@pytest.mark.parametrize(
    ("name", "personal"),
    [
        ("my-bot", "ada-bot"),
        ("My-first-bot", "ada-first-bot"),
        ("my-", "ada"),
        ("tiger", "ada-tiger"),
        ("Ada-tiger", "Ada-tiger"),
        ("t" * 64, "ada-" + "t" * 60),
    ],
)
def test_personal_name_begins_with_the_author(name: str, personal: str) -> None:
    assert personal_name("ada", name) == personal


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("--folder", "my-first-bot"), "ada-first-bot"),
        (("--folder", "tiger"), "tiger"),
        (("--name", "my-bot"), "my-bot"),
        ((), "ada-tuned-bot"),
    ],
)
def test_new_bot_of_somebody_who_has_signed_in_has_their_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connection, "credentials_path", lambda: tmp_path / "home/tokens.json")
    site = "https://example.org"
    Credentials(site=site, by_site={site: Credential(token="t", username="ada")}).save()

    done = run_in_process(monkeypatch, capsys)("init", "tuned", *options, "--json")

    assert done.data["name"] == read_manifest(Path(done.data["folder"])).name == name


@pytest.mark.parametrize(
    "line", ['name = "old"  # mine', "  name='old'", '# name = "x"\nname\t= "old"']
)
def test_renaming_changes_the_name_alone(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "bot"
    write_bot(folder, "")
    rest = '\ngames = ["tuned"]  # one\nlanguage = "python"\nmain = "main.py"\n'
    (folder / "bot.toml").write_text(line + rest)

    rename_bot(folder, "new")

    assert read_manifest(folder).name == "new"
    text = (folder / "bot.toml").read_text()
    assert text.endswith(rest)
    assert "# mine" in text or "# mine" not in line


@pytest.mark.parametrize(
    ("line", "name", "reason"),
    [('"name" = "old"', "new", "line"), ('name = "old"', "ä", "name: ")],
)
def test_file_that_cannot_be_renamed_stays_as_it_is(
    tmp_path: Path, line: str, name: str, reason: str
) -> None:
    folder = tmp_path / "bot"
    write_bot(folder, "")
    text = f'{line}\ngames = ["tuned"]\nlanguage = "python"\nmain = "main.py"\n'
    (folder / "bot.toml").write_text(text)

    with pytest.raises(CommandFailed, match=reason):
        rename_bot(folder, name)

    assert (folder / "bot.toml").read_text() == text
