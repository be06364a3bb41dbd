"""Bots, versions and matches as people name them."""

from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.cli.client.connection import (
    describe_match,
    find_bot_named,
    find_version,
    me,
)
from pentathlon_engines.cli.failure import CommandFailed
from tests.engines.cli.client.fake_sites import FakeSite, as_site

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
