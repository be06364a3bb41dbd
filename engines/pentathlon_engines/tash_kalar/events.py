"""The events of a Tash-Kalar match, as numbers in the log and as texts.

Numbers from 0 are actions, `action << 1 | seat`. Negative numbers are draws (`draw 2 1 0`: beings,
legends, flares), new shared decks, and actions with a hidden card (`discard being`).
"""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.tash_kalar.actions import (
    ACTIONS,
    CARD_OF,
    DISCARD,
    RETURN,
    TAKE,
    TEXTS,
    VERB_OF,
)
from pentathlon_engines.tash_kalar.cards.catalogue import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Final

_DRAW: Final = 0
_SHUFFLE: Final = 1
_HIDDEN: Final = 2
_TAGS: Final = 4
_MOST: Final = 32
_DECKS: Final = ("legends", "flares")
_KINDS: Final = ("being", "legend", "flare")
_SECRET: Final = (DISCARD, RETURN, TAKE)
"""The verbs whose cards only the owner sees."""
_SECRET_TEXTS: Final = tuple(f"{verb} {kind}" for verb in _SECRET for kind in _KINDS)
BOTH: Final = (0, 1)


def draw(seat: int, drawn: list[int]) -> int:
    """Return the event that a seat drew this many beings, legends and flares."""
    return _special(_DRAW, ((drawn[0] * _MOST + drawn[1]) * _MOST + drawn[2]) * 2 + seat)


def shuffle(deck: str, cards: int) -> int:
    """Return the event by which this many cards became a new shared deck."""
    return _special(_SHUFFLE, cards * 2 + _DECKS.index(deck))


def _special(tag: int, value: int) -> int:
    return -1 - (value * _TAGS + tag)


def masked(entry: int) -> int:
    """Return an entry as the other seat knows it."""
    if entry < 0 or VERB_OF[entry >> 1] not in _SECRET:
        return entry
    text = hide(TEXTS[entry >> 1])
    return _special(_HIDDEN, _SECRET_TEXTS.index(text) * 2 + (entry & 1))


def hide(text: str) -> str:
    """Return the text of an action as everybody but its seat may see it (16.3).

    >>> hide("discard warlord")
    'discard being'
    """
    action = ACTIONS.get(text, -1)
    if action < 0 or VERB_OF[action] not in _SECRET:
        return text
    return f"{VERB_OF[action]} {kind_of(CARD_OF[action])}"


def owner(entry: int) -> int:
    """Return the seat that made an entry's action, or `CHANCE`."""
    if entry >= 0:
        return entry & 1
    value, tag = divmod(-1 - entry, _TAGS)
    return CHANCE if tag == _SHUFFLE else value & 1


def show(entry: int, *, secrets_of: Collection[int]) -> list[int | str]:
    """Return an entry as seat and text, with the cards of these seats only."""
    seat = owner(entry)
    if entry >= 0 and seat not in secrets_of:
        entry = masked(entry)
    if entry >= 0:
        return [seat, TEXTS[entry >> 1]]
    value, tag = divmod(-1 - entry, _TAGS)
    value >>= 1
    if tag == _HIDDEN:
        return [seat, _SECRET_TEXTS[value]]
    if tag == _SHUFFLE:
        return [seat, f"shuffle {_DECKS[-1 - entry >> 2 & 1]} {'.'.join('?' * value)}"]
    beings, rest = divmod(value, _MOST * _MOST)
    legends, flares = divmod(rest, _MOST)
    return [seat, f"draw {beings} {legends} {flares}"]


def read(seat: int, text: str) -> int | None:
    """Return the entry of a seat and a text, or None if there is no such event."""
    words = text.split(" ")
    if seat == CHANCE:
        cards = text.count("?")
        known = words[0] == "shuffle" and words[1:2] and words[1] in _DECKS and cards < _MOST
        return shuffle(words[1], cards) if known else None
    if text in _SECRET_TEXTS:
        return _special(_HIDDEN, _SECRET_TEXTS.index(text) * 2 + seat)
    if words[0] == "draw":
        numbers = [_SMALL.get(word, -1) for word in words[1:]]
        return draw(seat, numbers) if len(numbers) == len(_KINDS) and min(numbers) >= 0 else None
    action = ACTIONS.get(text)
    return None if action is None else action << 1 | seat


_SMALL: Final = {str(number): number for number in range(_MOST)}
