"""Computes how many matches an installation can play from the measured cost of one.

`python3 manage.py bench capacity --write` measures and writes `capacity.json`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_name("capacity.json")
DAY_MS: Final = 86_400_000
WORKER_SHARE: Final = 0.8
"""The share of a core that matches may take; bots are judged by CPU time, so slots need room."""
DATABASE_SHARE: Final = 0.5
"""The share of the database's cores for matches; the rest is for pages, vacuum and peaks."""
DATABASE_BYTES: Final = 2 * 1024**4
"""The size above which a restore takes most of a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCost:
    """The measured cost of a match of a game."""

    plies: float
    fixed_ms: float
    """CPU time of workers, broker and services for every match: starts, rows, replay."""
    ply_ms: float
    """CPU time that each ply adds: turn, rules, playing it again."""
    database_ms: float
    """CPU time of PostgreSQL."""
    replay_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The demanded matches, and the machines to play them."""

    matches_a_day: int
    plies: int
    cores: int
    """The cores for workers."""
    database_cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The computed capacity."""

    match_ms: float
    matches_a_day_per_core: float
    matches_a_day: float
    """Matches that all worker cores can play in a day."""
    cores_needed: float
    database_load: float
    """Cores of the database that the matches keep busy."""
    has_enough_workers: bool
    has_enough_database: bool
    database_matches_a_day: float
    """Matches that the database's cores can carry in a day."""
    bytes_a_match: float
    gib_a_million: float
    gib_a_million_without_replays: float
    days_to_full: float
    """Days until one database is too large to be restored in a day."""


@cache
def measured() -> dict[str, Any]:  # Any: JSON
    """Return the measured figures, as they were written."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def cost_of(game: str) -> MatchCost:
    """Return the measured cost of a match of a game."""
    return MatchCost(**measured()["games"][game])


def compute(cost: MatchCost, workload: Workload, *, row_bytes: float) -> Capacity:
    """Return the capacity of an installation."""
    match_ms = cost.fixed_ms + cost.ply_ms * workload.plies
    per_core = DAY_MS * WORKER_SHARE / match_ms
    replay_bytes = cost.replay_bytes * workload.plies / cost.plies
    bytes_a_match = row_bytes + replay_bytes
    carried = DAY_MS * DATABASE_SHARE * workload.database_cores / cost.database_ms
    return Capacity(
        match_ms=match_ms,
        matches_a_day_per_core=per_core,
        matches_a_day=per_core * workload.cores,
        cores_needed=workload.matches_a_day / per_core,
        database_load=workload.matches_a_day * cost.database_ms / DAY_MS,
        has_enough_workers=workload.matches_a_day <= per_core * workload.cores,
        has_enough_database=workload.matches_a_day <= carried,
        database_matches_a_day=carried,
        bytes_a_match=bytes_a_match,
        gib_a_million=bytes_a_match * 1e6 / 1024**3,
        gib_a_million_without_replays=row_bytes * 1e6 / 1024**3,
        days_to_full=DATABASE_BYTES / (bytes_a_match * workload.matches_a_day),
    )
