"""The bots that `pentathlon init` writes, in every language."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.cli.commands import init
from pentathlon_engines.cli.commands.init import BotTemplate
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.launcher import BOT_PATH
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import ENGINES, PlainLauncher
from pentathlon_engines.runner import SeatBot, play_match
from tests.deep import mostly_deep
from tests.engines.cli.client.fake_sites import FakeSite, as_site, away
from tests.engines.commands import Run
from tests.toolchains import need

LANGUAGES = [each.value for each in BotTemplate]
PATIENT = Limits(action_cpu_s=5, action_wall_s=60, startup_wall_s=60)
PLACEHOLDER = re.compile(r"\$\{?(name|game|title|folder)\b")


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_bot_is_complete(run: Run, tmp_path: Path, language: str) -> None:
    made = run("init", "azure", "--lang", language, "--json")

    folder = tmp_path / made.data["folder"]
    manifest = read_manifest(folder)
    assert (manifest.name, manifest.games) == ("my-azure-bot", ("azure",))
    assert made.data["files"] == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    written = {name: (folder / name).read_text() for name in made.data["files"]}
    assert [name for name, text in written.items() if PLACEHOLDER.search(text)] == []
    assert "bot for Azure" in written["README.md"]


@pytest.mark.parametrize("language", mostly_deep(LANGUAGES, keep=["python", "c"]))
def test_own_tests_of_a_new_bot_pass_as_its_readme_says(
    run: Run, tmp_path: Path, language: str
) -> None:
    need(language)
    run("init", "tuned", "--lang", language, "--folder", "mine")
    readme = (tmp_path / "mine/README.md").read_text()
    command = next(line for line in readme.splitlines() if line.startswith("(cd mine && "))

    done = subprocess.run(
        ["sh", "-ec", command.replace("python3", sys.executable)],
        env={
            "PATH": BOT_PATH,
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ENGINES),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("language", mostly_deep(LANGUAGES, keep=["python", "c"]))
def test_new_bot_draws_from_its_dice_alone(run: Run, tmp_path: Path, language: str) -> None:
    """Tuned has no chance of its own, so only dice can tell matches of one name apart."""
    need(language)
    run("init", "tuned", "--lang", language, "--folder", "mine")
    manifest = read_manifest(tmp_path / "mine")
    if manifest.build:
        subprocess.run(manifest.build, cwd=tmp_path / "mine", check=True, capture_output=True)
    command = bot_command(tmp_path / "mine", manifest)
    seats = [SeatBot(name=name, hash="sha256:00", command=command) for name in ("a", "b")]

    def actions(seed: int) -> list[str]:
        report = play_match(
            game=GAMES["tuned"],
            options=None,
            seats=seats,
            seed=seed,
            limits=PATIENT,
            launcher=PlainLauncher(),
            match="same",
        )
        assert report.record["faults"] == []
        return [event[1] for event in report.record["events"]]

    first, again, other = actions(1), actions(1), actions(2)

    assert first == again
    assert first != other


def test_program_that_this_machine_lacks_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)

    rust = run("init", "tuned", "--lang", "rust", "--folder", "crab")
    node = run("init", "tuned", "--lang", "javascript", "--folder", "script")
    python = run("init", "tuned", "--folder", "snake")

    assert "This machine has no cargo, which the bot needs to play here" in rust.err
    assert "no node," in node.err
    assert (rust.code, node.code, python.err) == (0, 0, "")


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        ([{"runtimes": ["python", "build:cc"]}, {"runtimes": ["build:cargo"]}], ""),
        ([{"runtimes": ["python", "build:cc"]}], "No worker of https://example.org builds with"),
        (away(), "A site builds it with cargo if its workers have that"),
    ],
)
def test_author_is_told_at_once_whether_the_site_builds_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, workers: Any, said: str
) -> None:
    site = FakeSite(lists={"workers/": workers})
    monkeypatch.setattr("pentathlon_engines.cli.commands.init.connect", lambda: as_site(site))

    told = run("init", "tuned", "--lang", "rust", "--folder", "crab").err

    assert (said in told) is True
    assert ("workers" in told or "No worker" in told) is bool(said)


def test_templates_hold_sources_only() -> None:
    found = (path for path in init.TEMPLATES.rglob("*") if path.suffix != ".pyc")
    files = [path for path in found if path.is_file()]

    assert files
    assert [path for path in files if not path.read_bytes().isascii()] == []
