"""Lists of bots, matches, tables and logs, as people and as scripts get them."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from pentathlon_engines.cli.main import COMMANDS
from tests.engines.cli.client.fake_sites import FakeSite, as_site
from tests.engines.commands import Run

Ask = Callable[..., Any]
BOT: dict[str, Any] = {
    "id": 3, "name": "tiger", "owner": {"username": "ann"},
    "latest_version": {"id": 31, "number": 4, "games": ["azure", "tuned"], "state": "eligible"},
}  # fmt: skip
NEW = {**BOT, "id": 4, "name": "lamb", "latest_version": None}
SEATS = [{"seat": 0, "rank": 0, "version": {"label": "tiger v4"}}]


def match(number: int) -> dict[str, Any]:
    return {
        "id": number, "kind": "ladder", "game": "tuned", "state": "done", "outcome_reason": "line",
        "seats": SEATS,
    }  # fmt: skip


RATING = {
    "rank": 1, "strength": 31.25, "interval": [28.0, 34.5], "provisional": True, "matches": 12,
    "version": {"label": "tiger v4", "bot": {"owner": {"username": "ann"}}},
}  # fmt: skip
TABLE = {"game": "tuned", "title": "Tuned", "scope": "", "matches": 120}
LOG = {"state": "eligible", "state_reason": "", "build_log": "cc ok\n", "validation_log": ""}


@pytest.fixture
def ask(run: Run, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that runs a command at a site."""

    def ask_at(site: FakeSite, command: str, *arguments: str) -> Any:
        module = import_module(f"pentathlon_engines.cli.commands.{COMMANDS[command]}")
        for name in ("connect", "connect_as_person"):
            monkeypatch.setattr(module, name, lambda address: as_site(site), raising=False)
        return run(command, *arguments)

    return ask_at


def site(**lists: Any) -> FakeSite:
    found = {
        "bots/": [BOT, NEW],
        "matches/": [match(8), match(7)],
        "leaderboards/": [TABLE],
        "leaderboards/tuned/": [RATING],
    }
    objects = {
        "versions/31/log/": LOG,
        "matches/7/logs/": [{"seat": 0, "is_fault": True}],
        "matches/7/seats/0/log.txt": b"it crashed\n",
    }
    return FakeSite(objects, {**found, **lists})


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        (("bots",), ["tiger", "ann", "4", "azure, tuned", "eligible", "lamb"]),
        (("matches",), ["8", "7", "ladder", "done", "tuned: 1. tiger v4 (line)"]),
        (("leaderboard",), ["tuned", "Tuned", "120"]),
        (("leaderboard", "tuned"), ["tiger v4", "31.2?", "28.0 to 34.5", "12"]),
    ],
    ids=" ".join,
)
def test_people_get_a_table(words: tuple[str, ...], cells: list[str], ask: Ask) -> None:
    shown = ask(site(), *words)

    assert shown.code == 0
    assert all(cell in shown.out for cell in cells), shown.out


@pytest.mark.parametrize(
    ("words", "data"),
    [
        (("bots",), [BOT, NEW]),
        (("matches",), [match(8), match(7)]),
        (("leaderboard", "tuned"), [RATING]),
        (("logs", "tiger"), LOG),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_scripts_get_what_the_site_has_told(words: tuple[str, ...], data: Any, ask: Ask) -> None:
    assert ask(site(), *words, "--json").data == data


@pytest.mark.parametrize(
    ("words", "empty", "next_command"),
    [
        (("bots",), "bots/", "pentathlon init GAME"),
        (("matches",), "bots/", "pentathlon submit FOLDER --wait"),
        (("leaderboard", "tuned"), "leaderboards/tuned/", "pentathlon init tuned"),
    ],
    ids=["bots", "matches", "leaderboard"],
)
def test_empty_list_says_what_comes_next(
    words: tuple[str, ...], empty: str, next_command: str, ask: Ask
) -> None:
    shown = ask(site(**{empty: []}), *words)

    assert (shown.code, shown.out) == (0, "")
    assert next_command in shown.err


@pytest.mark.parametrize(
    ("options", "owner"), [((), "ann"), (("--all",), None), (("--owner", "bob"), "bob")]
)
def test_own_bots_are_listed_unless_others_are_asked_for(
    options: tuple[str, ...], owner: str | None, ask: Ask
) -> None:
    at = site()

    ask(at, "bots", *options)

    assert at.asked[-1][2]["owner"] == owner


def test_matches_of_all_own_bots_come_newest_first_and_once(ask: Ask) -> None:
    rows = {3: [match(9), match(7)], 4: [match(8), match(7)]}
    at = site(**{"matches/": lambda query: rows[query["bot"]]})

    found = ask(at, "matches", "--most", "3", "--json").data

    assert [each["id"] for each in found] == [9, 8, 7]


def test_log_of_a_match_leads_to_its_repetition(ask: Ask) -> None:
    shown = ask(site(), "logs", "7")

    assert shown.out == "it crashed\n"
    assert "Next: pentathlon repro 7 FOLDER --seat 0" in shown.err


def test_log_of_a_version_has_its_build(ask: Ask) -> None:
    latest = {**BOT["latest_version"], "label": "tiger v4"}

    shown = ask(site(**{"bots/": [{**BOT, "latest_version": latest}]}), "logs", "tiger")

    assert shown.out == "cc ok\n"
    assert shown.err.splitlines() == ["tiger v4 (eligible)", "--- build"]
