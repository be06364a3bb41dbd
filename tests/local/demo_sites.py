"""What the demo of `up` has told and played, and what a site that was `up` has left."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from pentathlon.local.demo.plan import Plan
from pentathlon_engines.tournament.formats.registry import newest_format

PATIENCE_S: Final = 600.0


def last_table(shown: Sequence[Plan]) -> str:
    """Return a pattern for what the demo tells at its end."""
    last = shown[-1]
    return rf"(?:Leaderboard|Places) of {last.label}:\n(?:.*\n){{{len(last.bots)}}}"


def demand_that_all_was_played(address: str, said: str, shown: Sequence[Plan]) -> None:
    """Demand each tournament of the demo at the site, over, and each of its matches in words."""
    with urlopen(f"{address}/api/v1/tournaments/?page_size=100") as answer:
        found = json.load(answer)["results"]
    held = [each for each in found if each["name"].startswith("Demo: ")]
    assert all(f"{plan.label}: http://" in said for plan in shown)
    assert Counter(each["format"] for each in held) == Counter(map(_format_of, shown))
    assert {each["state"] for each in held} == {"closed"}
    # How many matches a bracket and finals need depends on their results.
    told = len(re.findall(r"v1 (?:beats|draws with) ", said))
    assert told == sum(each["matches_done"] for each in held)


def wait_for_ladder_matches(address: str, key: str) -> None:
    """Return once bots have been played and rated on a ladder that they joined by themselves."""
    deadline = time.monotonic() + PATIENCE_S
    while not any(ladder["season"]["matches"] for ladder in _ladders_at(address, key)):
        assert time.monotonic() < deadline, _ladders_at(address, key)
        time.sleep(0.2)


def _ladders_at(address: str, key: str) -> list[dict[str, Any]]:
    """Return the ladder, or nothing before the reconciler has made it."""
    with urlopen(f"{address}/api/v1/ladders/") as answer:
        found: list[dict[str, Any]] = json.load(answer)["results"]
    return [ladder for ladder in found if ladder["key"] == key]


def _processes_using(data: Path) -> list[int]:
    """Return all processes that were told of this data folder."""
    mark = f"PENTATHLON_DATA={data}\0".encode()
    return [
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if mark in _readable(folder / "environ")
    ]


def wait_for_the_end(data: Path) -> None:
    """Return once no process uses the folder: slots end a moment after their worker."""
    deadline = time.monotonic() + PATIENCE_S
    while left := _processes_using(data):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def _readable(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _format_of(plan: Plan) -> str:
    return newest_format(plan.format, seats=plan.seats).partition("/")[0]
