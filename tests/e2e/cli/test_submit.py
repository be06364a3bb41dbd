"""`pentathlon submit`: from a folder to the first rated match, and every way to fail."""

import io
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import urllib3

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.bots.services import note_build_log, settle_validation
from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.cli.client import http_site, submission
from pentathlon_engines.manifest import read_manifest
from tests.e2e.cli.conftest import SITE, sign_in
from tests.engines.commands import Run
from tests.factories import make_bot
from tests.pentathlon.ladders.playing import (
    make_due,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db

Meanwhile = Callable[..., None]


@pytest.fixture
def folder(run: Run) -> Path:
    """Return the folder of a new bot."""
    assert run("init", "tuned", "--folder", "my-bot").code == 0
    return Path("my-bot")


def settle(*, passed: bool, reason: str = "", log: str = "") -> Callable[[], object]:
    """Return the verdict of the server."""
    return lambda: settle_validation(
        version_id=BotVersion.objects.latest("pk").pk, passed=passed, reason=reason, log=log
    )


def show_build(log: str) -> Callable[[], object]:
    """Return a worker that has built so far."""
    return lambda: note_build_log(version_id=BotVersion.objects.latest("pk").pk, log=log)


def play_ladder() -> None:
    """Let the ladder seat the newest version and play its first matches."""
    seat_all()
    make_due()
    step()
    play_waiting()


def test_folder_becomes_version_one(run: Run, author: User, folder: Path) -> None:
    done = run("submit", "my-bot", "--notes", "First try.", "--json")

    version = BotVersion.objects.get()
    assert (done.code, done.data["version"], done.data["state"]) == (0, 1, "validating")
    assert (version.bot.owner, version.notes) == (author, "First try.")
    assert done.data["content_hash"] == version.archive_id == content_hash(folder)
    assert done.data["url"] == f"{SITE}/versions/{version.pk}/"


def test_changed_folder_becomes_the_next_version(run: Run, author: User, folder: Path) -> None:
    run("submit", "my-bot")
    (folder / "more.py").write_text("# better")

    assert run("submit", "my-bot", "--json").data["version"] == 2


def test_same_folder_is_not_uploaded_again(run: Run, author: User, folder: Path) -> None:
    run("submit", "my-bot")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/main.pyc").write_bytes(b"compiled")
    (folder / ".git").mkdir()
    (folder / ".git/config").write_text("[core]")

    again = run("submit", "my-bot", "--json")

    assert (again.code, again.data["version"]) == (0, 1)
    assert "nothing to upload" in again.err


def test_candidate_stays_one_until_it_is_submitted_again(
    run: Run, author: User, folder: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(settle(passed=True))

    kept = run("submit", "my-bot", "--no-activate", "--wait", "--json")
    stays = run("submit", "my-bot", "--no-activate", "--json")
    candidate = BotVersion.objects.get()
    active = run("submit", "my-bot", "--json")

    assert (kept.code, kept.data["candidate"], kept.data["first_match"]) == (0, True, None)
    assert "It is a candidate; pentathlon submit my-bot lets it play for my-bot." in kept.err
    assert (stays.data["candidate"], candidate.is_candidate) == (True, True)
    assert (active.data["candidate"], active.data["version"]) == (False, 1)
    assert not BotVersion.objects.get().is_candidate


def test_zip_is_submitted_as_its_folder_would_be(run: Run, author: User, folder: Path) -> None:
    shutil.make_archive("packed", "zip", "my-bot")

    done = run("submit", "packed.zip", "--json")

    assert (done.code, done.data["version"]) == (0, 1)
    assert done.data["content_hash"] == content_hash(folder)


def test_waiting_shows_the_build_the_checks_and_the_first_rated_match(
    run: Run, author: User, folder: Path, meanwhile: Meanwhile
) -> None:
    open_ladder(all_others=True)
    make_reference("house bot")
    meanwhile(
        show_build("gcc bot.c\nlinki"),
        show_build("gcc bot.c\nlinking\n"),
        settle(passed=True),
        play_ladder,
    )

    done = run("submit", "my-bot", "--wait")

    assert done.code == 0, done.err
    told = done.err.splitlines()
    assert [line for line in told if line.startswith("  ")] == ["  gcc bot.c", "  linking"]
    assert "my-bot v1 may play." in told
    assert told[-2].startswith("First rated match: tuned: 1. ")
    assert re.fullmatch(r"Rank [12] in tuned, strength 2\d\.\d, provisional\.", told[-1])
    assert done.out.startswith(f"{SITE}/matches/")


def test_waiting_as_json_says_how_long_it_took(
    run: Run, author: User, folder: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(settle(passed=True))

    done = run("submit", "my-bot", "--wait", "--json")

    assert done.data["state"] == "eligible"
    assert done.data["may_play_s"] >= 0
    assert done.data["first_match"] is None
    assert "It joins no ladder of this site automatically." in done.err


def test_failed_checks_end_with_1_the_reason_and_the_log(
    run: Run, author: User, folder: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(settle(passed=False, reason="tuned: crash at ply 0.", log="Traceback: boom"))

    failed = run("submit", "my-bot", "--wait")

    assert failed.code == 1
    assert "  Traceback: boom" in failed.err
    assert "my-bot v1 may not play (rejected): tuned: crash at ply 0." in failed.err
    assert failed.err.endswith("Try: pentathlon logs my-bot\n")


def test_failure_of_the_machines_ends_with_3(
    run: Run, author: User, folder: Path, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: BotVersion.objects.update(state=VersionState.UNCHECKED))

    assert run("submit", "my-bot", "--wait").code == 3


def test_site_that_is_away_for_a_moment_is_waited_for(
    run: Run, author: User, folder: Path, meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = http_site.Site("http://127.0.0.1:9")._no_answer(urllib3.exceptions.HTTPError("away"))
    real = http_site.Site.get
    calls = iter(range(1000))

    def get(self: http_site.Site, path: str, **query: object) -> object:
        if path.startswith("versions/") and next(calls) == 0:
            raise away
        return real(self, path, **query)

    monkeypatch.setattr(http_site.Site, "get", get)
    meanwhile(settle(passed=True))

    assert run("submit", "my-bot", "--wait").code == 0


def test_name_of_somebody_else_is_refused_with_one_that_is_free(run: Run, author: User) -> None:
    run("init", "tuned", "--folder", "tiger")
    make_bot("Tiger")
    make_bot("author-tiger")

    refused = run("submit", "tiger")

    assert refused.code == 1
    assert "The name tiger is taken." in refused.err
    assert "Try: pentathlon submit tiger --name author-tiger-2\n" in refused.err
    assert run("submit", "tiger", "--name", "author-tiger-2", "--json").data["version"] == 1
    assert "author-tiger-2 v1 (validating)" in run("logs", "tiger").err


def test_name_that_nobody_chose_gives_way_by_itself(run: Run, author: User, folder: Path) -> None:
    make_bot("my-bot")

    done = run("submit", "my-bot", "--json")

    assert (done.code, done.data["bot"]) == (0, "author-bot")
    assert "my-bot belongs to another author: yours is author-bot now" in done.err
    assert read_manifest(folder).name == "author-bot"


@pytest.mark.parametrize(("answer", "code"), [("\n", 0), ("n\n", 1)])
def test_person_at_a_terminal_is_asked_for_another_name(
    run: Run, author: User, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    run("init", "tuned", "--folder", "tiger")
    make_bot("tiger")
    terminal = io.StringIO(answer)
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr(submission, "is_terminal", lambda: True)

    done = run("submit", "tiger")

    assert done.code == code
    assert "The name tiger is taken. Submit it as author-tiger?" in done.err
    assert Bot.objects.filter(owner=author).exists() == (code == 0)


def test_name_of_a_zip_stays(run: Run, author: User, folder: Path) -> None:
    shutil.make_archive("packed", "zip", "my-bot")

    assert "packed.zip is not a folder" in run("submit", "packed.zip", "--name", "tiger").err
    make_bot("my-bot")
    assert "The name my-bot is taken." in run("submit", "packed.zip").err


def test_archive_that_the_server_would_refuse_is_not_sent(
    run: Run, author: User, folder: Path
) -> None:
    (folder / "a:b").write_text("")

    refused = run("submit", "my-bot")

    assert refused.code == 1
    assert "has a backslash, a colon or a control character" in refused.err
    assert not BotVersion.objects.exists()


def test_link_out_of_the_folder_is_not_followed(run: Run, author: User, folder: Path) -> None:
    Path("secret").write_text("mine")
    (folder / "weights").symlink_to(Path("secret").resolve())

    refused = run("submit", "my-bot")

    assert refused.code == 1
    assert "'weights' is a link to something outside the folder" in refused.err


def test_folder_without_a_bot_is_wrong_use(run: Run, author: User) -> None:
    refused = run("submit", ".")

    assert refused.code == 2
    assert "Try: pentathlon init GAME" in refused.err


def test_who_has_not_signed_in_is_told_how(run: Run, folder: Path) -> None:
    refused = run("submit", "my-bot", "--site", SITE)

    assert refused.code == 2
    assert refused.err.endswith(f"Try: pentathlon login {SITE}\n")


def test_token_without_the_scope_is_told_what_it_lacks(
    run: Run, author: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(author, monkeypatch, "private:read")

    refused = run("submit", "my-bot")

    assert refused.code == 2
    assert "lacks the scope bots:write" in refused.err
    assert f"Try: pentathlon login {SITE}" in refused.err


def test_token_that_may_not_read_logs_is_enough(
    run: Run,
    author: User,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: Meanwhile,
) -> None:
    sign_in(author, monkeypatch, "bots:write")
    meanwhile(settle(passed=True))

    done = run("submit", "my-bot", "--wait")

    assert done.code == 0
    assert done.err.count("lacks the scope private:read") == 1


@pytest.fixture
def three(run: Run) -> list[str]:
    """Return the folders of three new bots."""
    names = ["ant", "bee", "cat"]
    for name in names:
        assert run("init", "tuned", "--folder", name).code == 0
    return names


def test_several_folders_are_submitted_with_one_table(
    run: Run, author: User, three: list[str]
) -> None:
    done = run("submit", *three, "--notes", "Together.")

    header, *rows = done.out.splitlines()
    assert done.code == 0
    assert header.split() == ["folder", "bot", "version", "state", "next"]
    assert [row.split()[:4] for row in rows] == [[name, name, "1", "validating"] for name in three]
    assert set(BotVersion.objects.values_list("notes", flat=True)) == {"Together."}


def test_bad_one_of_several_keeps_nobody_back(run: Run, author: User, three: list[str]) -> None:
    Path("bee/bot.toml").write_text("name = ")

    done = run("submit", *three, "nowhere", "--json")

    assert done.code == 2, "the worst of all"
    assert [each.get("version") for each in done.data] == [1, None, 1, None]
    assert [each["folder"] for each in done.data] == [*three, "nowhere"]
    assert done.data[1]["try_next"] == "pentathlon check bee"
    assert sorted(Bot.objects.values_list("name", flat=True)) == ["ant", "cat"]


def test_one_name_is_not_for_several(run: Run, author: User, three: list[str]) -> None:
    done = run("submit", *three, "--name", "dog")

    assert (done.code, Bot.objects.count()) == (2, 0)
