"""The order in which a field is seeded."""

from collections.abc import Iterable

from pentathlon_engines.seeds import draw
from pentathlon_engines.tournament.formats.interface import FieldEntry


def seed_order(entries: Iterable[FieldEntry], key: bytes) -> list[int]:
    """Return the numbers of all entries, the best known strength first.

    Entries without a known strength come last; the order of equals is drawn.
    """
    return [
        entry.number
        for entry in sorted(
            entries,
            key=lambda entry: (
                entry.strength is None,
                -(entry.strength or 0.0),
                draw(key, "seed", entry.number),
            ),
        )
    ]
