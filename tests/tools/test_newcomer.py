"""`bench newcomer` without a site; tests/local/test_up.py sends the same person to one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tools.benchmark.newcomer import command
from tools.benchmark.newcomer.command import Step, Walk, walk
from tools.benchmark.newcomer.person import Newcomer, WalkFailed

PAGE = """
<button class="button" type="button" data-copy="pip install &quot;kit.whl[cli]&quot;" hidden>
<button data-copy="pentathlon login SITE &amp;&amp; pentathlon init tuned &amp;&amp; ls">
<button data-copy="pentathlon play tuned a b &amp;&amp; pentathlon submit my-bot --wait">
<button data-copy="pentathlon submit another">
"""


class Reader(Newcomer):
    """Reads one page, and runs nothing."""

    def __init__(self) -> None:
        self.followed: list[str] = []

    def page(self, path: str) -> str:
        return PAGE

    def install(self, command: str) -> None:
        self.followed.append(command)

    def log_in(self, command: str) -> str:
        self.followed.append(command)
        return ""

    def run(self, command: str) -> str:
        self.followed.append(command)
        return "http://localhost/matches/12/\n"

    def api(self, path: str) -> dict[str, object]:
        return {"id": 12, "kind": "ladder", "rated": path == "matches/12/", "state": "done"}


def walked(seconds: float) -> Callable[..., Walk]:
    """Return a walk on a site of its own that took so long."""
    steps = [Step(command="pip install kit.whl", seconds=1.5)]
    steps.append(Step(command="pentathlon submit my-bot --wait", seconds=seconds - 1.5))
    return lambda folder, *, with_demo: Walk(steps=steps, match=12)


def test_commands_of_the_page_are_timed_one_by_one() -> None:
    reader = Reader()

    found = walk(reader, lambda step: None)

    commands = [
        'pip install "kit.whl[cli]"',
        "pentathlon login SITE",
        "pentathlon init tuned",
        "pentathlon submit my-bot --wait",
    ]
    assert [step.command for step in found.steps] == reader.followed == commands
    assert found.match == 12
    assert found.total_s == sum(step.seconds for step in found.steps)


def test_match_that_is_not_rated_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "run", lambda self, line: "http://localhost/matches/13/\n")

    with pytest.raises(WalkFailed, match="match 13, which is not rated"):
        walk(Reader(), lambda step: None)


def test_sixty_seconds_are_enough(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "_walk_on_own_site", walked(60.0))

    call_command("bench", "newcomer")

    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "     1.5 s  pip install"
    assert last.startswith("    60.0 s  from the install to the first rated match")
    assert last.endswith("at most 60 s, met")


def test_one_who_waits_longer_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "_walk_on_own_site", walked(60.5))

    with pytest.raises(CommandError, match="longer than 60 s") as missed:
        call_command("bench", "newcomer", "--json")

    told = json.loads(capsys.readouterr().out)
    assert missed.value.returncode == 1
    assert (told["total_s"], told["demanded_s"], told["match"]) == (60.5, 60, 12)
    assert told["steps"][0] == {"command": "pip install kit.whl", "seconds": 1.5}


def test_command_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, *, with_demo: bool) -> Walk:
        raise WalkFailed("pentathlon login SITE\nno route")

    monkeypatch.setattr(command, "_walk_on_own_site", fail)

    with pytest.raises(CommandError, match="no route"):
        call_command("bench", "newcomer")
