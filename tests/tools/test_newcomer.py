"""`bench newcomer` without a site; tests/local/test_up.py sends the same person to one."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tools.benchmark.demands import Demand
from tools.benchmark.newcomer import command
from tools.benchmark.newcomer.command import walk
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


def test_commands_of_the_page_are_timed_one_by_one() -> None:
    reader = Reader()

    *steps, whole = walk(reader, lambda step: None)

    assert reader.followed == [
        'pip install "kit.whl[cli]"',
        "pentathlon login SITE",
        "pentathlon init tuned",
        "pentathlon submit my-bot --wait",
    ]
    verbs = ["pip install", "pentathlon login", "pentathlon init", "pentathlon submit"]
    assert [step.name for step in steps] == verbs
    assert whole.measured == pytest.approx(sum(step.measured for step in steps))
    assert whole.most == 60


def test_match_that_is_not_rated_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "run", lambda self, line: "http://localhost/matches/13/\n")

    with pytest.raises(WalkFailed, match="match 13, which is not rated"):
        [*walk(Reader(), lambda step: None)]


@pytest.mark.parametrize(("seconds", "status"), [(20.0, 0), (20.5, 1)])
def test_first_start_that_takes_too_long_fails_the_command(
    seconds: float,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = [Demand(name="install", measured=6.0), Demand(name="all", measured=seconds, most=20)]
    monkeypatch.setattr(command, "_steps", lambda folder, say, *, up_only: steps)

    with pytest.raises(SystemExit) as end:
        call_command("bench", "newcomer")

    assert end.value.code == status
    assert "install" in capsys.readouterr().out


def test_command_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, say: object, *, up_only: bool) -> list[Demand]:
        raise WalkFailed("pentathlon login SITE\nno route")

    monkeypatch.setattr(command, "_steps", fail)

    with pytest.raises(CommandError, match="no route"):
        call_command("bench", "newcomer")
