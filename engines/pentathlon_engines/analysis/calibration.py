"""Turns the share of playouts that a seat won into its chance in a match of better players.

Two steps. A seat with no wins in 24 playouts is not lost for certain, so each seat still in play
gets the same few playouts more (a Dirichlet prior). Then all odds are raised to a power, one for
each game: below 1 it brings chances nearer to each other, above 1 apart. The powers are fitted to
matches of the reference bots (`COMMAND`) and kept in `calibration.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast

COMMAND: Final = "python3 manage.py bench analysis --write"
"""The command that fits the powers."""
PRIOR: Final = 2.0
"""Extra playouts that count as won in equal parts by all seats in play."""
FILE: Final = Path(str(files("pentathlon_engines.analysis"))) / "calibration.json"


@cache
def power_of(game: str) -> float:
    """Return the power of a game; 1 changes nothing."""
    rows = cast("dict[str, Any]", json.loads(FILE.read_text(encoding="utf-8")))["games"]
    return float(rows[game]["power"]) if game in rows else 1.0


def smooth(won: Sequence[float], *, played: int, in_play: Sequence[bool]) -> list[float]:
    """Return each seat's share of the first place after the prior; 0 for an expelled seat.

    >>> [round(share, 3) for share in smooth([0.0, 24.0], played=24, in_play=[True, True])]
    [0.038, 0.962]
    """
    each = PRIOR / max(1, sum(in_play))
    return [
        (share + each) / (played + PRIOR) if is_in else 0.0
        for share, is_in in zip(won, in_play, strict=True)
    ]


def temper(shares: Sequence[float], *, power: float) -> list[float]:
    """Return shares whose odds are raised to a power; their sum stays.

    >>> [round(share, 2) for share in temper([0.1, 0.9], power=0.5)]
    [0.25, 0.75]
    """
    raised = [share**power if share > 0 else 0.0 for share in shares]
    total = sum(raised)
    return [share * sum(shares) / total for share in raised] if total else list(shares)


def slope(before: float, after: float, *, power: float) -> float:
    """Return the factor by which an error of a share grows when the share is tempered.

    The factor is exact for two seats, and a good guess for a seat against several others.
    """
    spread = before * (1 - before)
    return power * after * (1 - after) / spread if spread else 0.0
