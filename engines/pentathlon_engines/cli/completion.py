"""Shell completion of games, and of bots that are built in or in folders here."""

from __future__ import annotations

from pathlib import Path

from pentathlon_engines import GAMES
from pentathlon_engines.manifest import FILE_NAME, built_in_bots


def complete_game(incomplete: str) -> list[str]:
    """Return the games with this prefix."""
    return [key for key in GAMES if key.startswith(incomplete)]


def complete_bot(incomplete: str) -> list[str]:
    """Return the bots with this prefix: built-in names, and folders with a manifest."""
    around = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    lead = "./" if incomplete.startswith("./") else ""
    folders = sorted(path.parent for path in around.glob(f"*/{FILE_NAME}"))
    names = [*built_in_bots(), *(f"{lead}{folder}" for folder in folders)]
    return [name for name in names if name.startswith(incomplete)]
