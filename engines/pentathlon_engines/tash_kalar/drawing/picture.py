"""Pictures of Tash-Kalar: the arena, a strip for each seat, tasks, the card in play, the hand."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from pentathlon_engines.contract.game import State
from pentathlon_engines.drawing.svg import WIDTH, Box, Picture, Point, tops_for
from pentathlon_engines.drawing.terminal import grid
from pentathlon_engines.tash_kalar.board import FILES, RULES
from pentathlon_engines.tash_kalar.drawing import description, table
from pentathlon_engines.tash_kalar.drawing.description import Seen
from pentathlon_engines.tash_kalar.serialization.fields import squares
from pentathlon_engines.tash_kalar.state import TashKalarPosition

_FIELD: Final = (48, 74, 540, 540)
_CELL: Final = 60
_STRIP_TOPS: Final = (646, 10)
_TURN_AT: Final = 710
_BELOW: Final = 778
"""The top of the part with tasks, the card in play and the hand."""
_GAP: Final = 8
_IN_PLAY: Final = 144
"""The height of the card in play; left empty if there is none, so that pictures align."""
_HEADING: Final = 36
_ON_CARD: Final = 30
"""The size of a piece that lies on a card, below its pattern."""
_RANKS: Final = "987654321"
_LETTERS: Final = {"common": "c", "heroic": "h", "legendary": "L"}
_LINE: Final = 98
"""The number of letters in a line on a terminal."""


def svg(state: TashKalarPosition, seat: int | None) -> str:
    """Draw the position with the hand that a seat may see; a spectator sees none."""
    events = [(actor, said) for actor, said in state.to_json()["events"]]
    return draw(state.observation(seat), events, squares(state.emptied))


def text(state: State) -> str:
    """Draw the position with letters, as a spectator may see it: `0h` is a heroic of seat 0.

    Commons are `c`, legendaries `L`, the Gateway has a star; red and green squares end with `r`
    and `g`.
    """
    seen = state.observation(None)
    cells = [_letters(seen, name) for name in _top_first()]
    seats = [
        f"{'>' if seen['to_move'] == seat else ' '} {description.of_seat(seen, seat)}"
        for seat in range(state.seats)
    ]
    said = [description.of_turn(seen), description.of_destroyed(seen), description.of_now(seen)]
    lines = [*seats, *description.of_tasks(seen), *said]
    board = grid(FILES, _RANKS, cells)
    return "\n".join([board, *(part for line in lines for part in wrap(line, _LINE))])


def draw(seen: Seen, events: Sequence[table.Event], emptied: Sequence[str]) -> str:
    """Draw an observation after these events, of which only the last actions matter.

    `emptied` has the squares on which the last action destroyed something.
    """
    card, square = table.last_card(events, seen["played"])
    card = seen["card"] or card
    if card == seen.get("pending"):
        card = ""  # drawn only once, as the pending card
    picture = Picture(height=_height(seen, card), field=_FIELD)
    for seat, strip_top in enumerate(tops_for(seen.get("you"), _STRIP_TOPS)):
        table.draw_strip(picture, seen, seat, top=strip_top)
    picture.coordinates(FILES, _RANKS, size=_CELL)
    for name in filter(None, _top_first()):
        _draw_square(picture, seen, name)
    _draw_marks(picture, seen, table.marks_of(events, emptied))
    table.draw_turn(picture, seen, top=_TURN_AT)
    top: float = _BELOW
    if "tasks" in seen:
        table.draw_tasks(picture, seen, top=top)
        top += table.TASKS_HEIGHT
    _draw_in_play(picture, card, f"on {square}" if square else "", top=top)
    top += _in_play_height(card) + _GAP
    for name, note, what in _open_cards(seen):
        _draw_in_play(picture, name, note, top=top, what=what)
        top += _in_play_height(name) + _GAP
    if seen.get("on_card"):
        piece, below = seen["on_card"], (61, top - _GAP - 22)
        table.draw_piece(picture, piece["owner"], piece["rank"], below, size=_ON_CARD)
    if "hand" in seen:
        _draw_hand(picture, seen, top=top)
    title = f"Tash-Kalar, turn {seen['turn']}"
    return picture.document(title=title, description=description.describe(seen))


def _top_first() -> list[str]:
    """Return the names of the whole grid in reading order, empty for missing corners."""
    names = [f"{file}{rank}" for rank in _RANKS for file in FILES]
    return ["" if name in RULES["missing"] else name for name in names]


def _letters(seen: Seen, name: str) -> str:
    """Return the letters of a square, a blank for a missing corner."""
    piece = seen["board"].get(name)
    colour = description.colour_of(name)[:1]
    if not name:
        return " "
    star = "*" if name == seen.get("gateway") else ""
    return f"{piece['owner']}{_LETTERS[piece['rank']]}{star}{colour}" if piece else colour


def _box(name: str) -> Box:
    file, rank = FILES.index(name[0]), _RANKS.index(name[1])
    left, top, _, _ = _FIELD
    return left + _CELL * file + 1.5, top + _CELL * rank + 1.5, _CELL - 3, _CELL - 3


def _middle(name: str) -> Point:
    x, y, width, height = _box(name)
    return x + width / 2, y + height / 2


def _draw_square(picture: Picture, seen: Seen, name: str) -> None:
    with picture.cell(name, description.of_square(seen, name)):
        colour = description.colour_of(name)
        plain = "b-cell2" if name in RULES["central"] else "b-cell"
        paint = {"red": "b-red", "green": "b-gre"}.get(colour, plain)
        picture.rect(_box(name), paint=f"{paint} b-grid", radius=6, width=1)
        if colour:
            _draw_colour(picture, colour, _box(name))
        piece = seen["board"].get(name)
        if piece:
            table.draw_piece(picture, piece["owner"], piece["rank"], _middle(name))
        if name == seen.get("gateway"):
            picture.disc(_middle(name), size=table.PIECE + 9, paint="b-edge", width=3)


def _draw_colour(picture: Picture, colour: str, box: Box) -> None:
    """Draw marks that identify coloured squares: triangles on red, dots on green."""
    x, y, width, height = box
    if colour == "red":
        right, bottom = x + width - 5, y + height - 5
        picture.polygons(
            [
                [(x + 5, y + 5), (x + 17, y + 5), (x + 5, y + 17)],
                [(right, bottom), (right - 12, bottom), (right, bottom - 12)],
            ],
            paint="b-mr",
        )
    else:
        corners = [(x + 10, y + 10), (x + width - 10, y + height - 10)]
        picture.dots(corners, size=9, paint="b-mg")


def _draw_marks(picture: Picture, seen: Seen, marks: table.Marks) -> None:
    """Mark the effect of the last action, and during setup the squares for the first commons."""
    waiting = RULES["marked"] if seen["phase"] == "setup" else []
    for name in [*waiting, *marks.origins]:
        if name not in marks.targets:
            picture.dashed(_box(name))
    for name in marks.destroyed:
        picture.dashed(_box(name))
        if name not in seen["board"]:
            picture.glyph("dead", _middle(name), size=26, paint="b-rock")
    for name in marks.targets:
        picture.brackets(_box(name))


def _in_play_height(card: str) -> float:
    return max(_IN_PLAY, table.card_height(card)) if card else _IN_PLAY


def _draw_in_play(
    picture: Picture, card: str, note: str, *, top: float, what: str = "card"
) -> None:
    """Draw an open card: the last one played in these turns, or another one."""
    if card:
        table.draw_card(picture, card, top=top, height=_IN_PLAY, note=note)
        return
    box = (12, top, WIDTH - 24, _IN_PLAY)
    picture.rect(box, paint="b-grid", radius=8, width=1.5, dash="7 5")
    picture.text(f"No {what} in play", (WIDTH / 2, top + _IN_PLAY / 2), paint="bm")


def _open_cards(seen: Seen) -> list[tuple[str, str, str]]:
    """Return name (empty without a card), note and kind for each place of an open card.

    The piece on a pending card is drawn over the last of them.
    """
    found = []
    if "frozen" in seen:
        note = f"frozen, seat {description.frost_seat(seen)}"
        found.append((seen["frozen"] or "", note, "frozen effect"))
    if "pending" in seen:
        note = f"pending, seat {description.warp_seat(seen)}"
        found.append((seen["pending"] or "", note, "pending being"))
    return found


def _hand(seen: Seen) -> list[str]:
    """Return the hidden cards of the viewing seat; none for a spectator."""
    if "hand" not in seen:
        return []
    hand = seen["hand"]
    beings = [name for name in hand["beings"] if name != seen.get("pending")]
    return [*beings, *hand["legends"], *([hand["flare"]] if hand["flare"] else [])]


def _draw_hand(picture: Picture, seen: Seen, *, top: float) -> None:
    line = top + _HEADING / 2
    picture.seat_piece(seen["you"], (32, line), size=24, inside=str(seen["you"]))
    picture.text("Hand", (54, line), anchor="start", bold=True)
    top += _HEADING
    for name in _hand(seen):
        table.draw_card(picture, name, top=top)
        top += table.card_height(name) + _GAP


def _height(seen: Seen, card: str) -> float:
    height = _BELOW + (table.TASKS_HEIGHT if "tasks" in seen else 0) + _in_play_height(card) + 12
    height += sum(_in_play_height(name) + _GAP for name, _, _ in _open_cards(seen))
    if "hand" not in seen:
        return height
    return height + _HEADING + sum(table.card_height(name) + _GAP for name in _hand(seen))
