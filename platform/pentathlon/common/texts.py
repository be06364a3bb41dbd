"""Makes text from other people's programs fit for the database."""

from __future__ import annotations


def storable(text: str) -> str:
    """Return a text without zero bytes and lone surrogates, which a database refuses."""
    return text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
