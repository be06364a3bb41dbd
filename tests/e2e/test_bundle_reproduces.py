"""A bot loses on the platform; its owner takes the bundle home and sees the same again."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import VersionState
from pentathlon.bots.services import store_version
from pentathlon.env import child_environment
from pentathlon.matches.models import Match
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.api.client import V1, client_of
from tests.deep import mostly_deep
from tests.factories import make_bot, make_match, make_user, make_version, zip_files
from tests.pentathlon.matches.acting import claimed
from tests.workers.playing import bot_files, play_jobs
from workers.sandbox import entry
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db

MANIFEST = 'name = "glass"\ngames = ["tuned"]\nlanguage = "python"\n'
BREAKS = """
import sys
from pentathlon_engines.bot import Turn, play

def choose(turn: Turn) -> str:
    if turn.ply >= 3:
        sys.stderr.write("cracks\\n")
        raise ValueError("glass breaks")
    return turn.legal[len(turn.legal) // 2]

play(choose)
"""
HOLDS = BREAKS.replace('raise ValueError("glass breaks")', "pass")


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = bot_files()
    yield files
    files.close()


def lost_match(owner: User, launcher: Launcher, files: BotFiles) -> Match:
    """Play a match that the owner's bot, at seat 1, loses by a crash at ply 3."""
    archive = zip_files({"bot.toml": MANIFEST, "main.py": BREAKS})
    glass = store_version(
        actor=owner, bot=make_bot("glass", owner=owner), archive=read_archive(archive)
    )
    glass.state = VersionState.ELIGIBLE
    glass.save()
    match = make_match([make_version(), glass])
    play_jobs([claimed(match)], launcher=launcher, files=files)
    return match


def play_at_home(folder: Path, bundle: bytes, source: str, *options: str) -> tuple[int, Any]:
    """Run the command on a bundle with a bot of this source; return exit code and JSON."""
    bot = folder / "glass"
    bot.mkdir()
    (bot / "bot.toml").write_text(MANIFEST)
    (bot / "main.py").write_text(source)
    (folder / "bundle.zip").write_bytes(bundle)
    words = ("play", "bundle.zip", "./glass", "--json", *options)
    done = subprocess.run(
        [sys.executable, "-m", "pentathlon_engines.cli", *words],
        cwd=folder,
        env=child_environment(PYTHONPATH=":".join(path for path in sys.path if path)),
        capture_output=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def last_request(told: Any) -> dict[str, Any]:
    """Return what the bot was asked last, but for the clock."""
    request: dict[str, Any] = json.loads(told["lines"][-1]["text"])
    del request["clock"]
    return request


@pytest.mark.parametrize(
    "walls", mostly_deep([(), ("--sandbox",)], keep=[()]), ids=["plain", "sandbox"]
)
def test_crash_of_the_platform_happens_again_at_home(
    walls: tuple[str, ...], tmp_path: Path, files: BotFiles
) -> None:
    owner = make_user()
    match = lost_match(owner, entry.launcher() if walls else PlainLauncher(), files)
    client = client_of(owner)
    (told,) = client.get(f"{V1}/matches/{match.pk}/logs/").json()

    bundle = client.get(f"{V1}/matches/{match.pk}/seats/1/bundle.zip").content
    code, again = play_at_home(tmp_path, bundle, BREAKS, *walls)

    assert (told["code"], told["ply"], told["exit_status"]) == ("crash", 3, 1)
    assert "ValueError: glass breaks" in told["text"]
    assert last_request(told)["ply"] == 3
    assert (code, again["verdict"], again["is_same_bot"]) == (0, "reproduced", True)
    assert (again["fault"]["kind"], again["fault"]["ply"]) == ("crash", 3)
    assert "ValueError: glass breaks" in again["log"]
    assert last_request(again) == last_request(told)


def test_mended_bot_comes_past_the_crash_at_home(tmp_path: Path, files: BotFiles) -> None:
    owner = make_user()
    match = lost_match(owner, PlainLauncher(), files)

    bundle = client_of(owner).get(f"{V1}/matches/{match.pk}/seats/1/bundle.zip").content
    code, again = play_at_home(tmp_path, bundle, HOLDS)

    assert (code, again["verdict"], again["fault"]) == (1, "fault_gone", None)
    assert again["answer_in_place"] is not None
