"""Documents that come with the engines: rules and the protocol."""

from pathlib import Path

import pentathlon_engines

_ENGINES = Path(pentathlon_engines.__file__).parent


def rules_text(game: str) -> str | None:
    """Return the rules page of a game as Markdown, None if it has none."""
    try:
        return _read(f"rules/{game}.md")
    except FileNotFoundError:
        return None


def protocol_text() -> str:
    """Return the page of the bot protocol as Markdown."""
    return _read("PROTOCOL.md")


def _read(name: str) -> str:
    # In a checkout documents lie beside the package, in an installation inside it.
    inside = _ENGINES / name
    path = inside if inside.exists() else _ENGINES.parent / name
    return path.read_text(encoding="utf-8")
