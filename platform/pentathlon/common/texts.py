"""Text that programs of strangers wrote, made fit to be stored."""

from __future__ import annotations


def storable(text: str) -> str:
    """Return a text without what a database refuses: zero bytes, and halves of surrogate pairs."""
    return text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
