"""Pictures of Azure: the realm with its boons, stones and beasts, and a strip for each seat."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.azure import board, events
from pentathlon_engines.azure.actions import GIFT, TEXTS
from pentathlon_engines.azure.realm import Realm
from pentathlon_engines.azure.serialization import stones
from pentathlon_engines.azure.state import AzurePosition
from pentathlon_engines.commentary.words import count
from pentathlon_engines.drawing.svg import WIDTH, Box, Picture, Point, tops_for
from pentathlon_engines.drawing.terminal import grid

_FIELD: Final = (46, 96, 528, 528)
_CELL: Final = 88
_HEIGHT: Final = 758
_STRIP_TOPS: Final = (634, 10)
_COLUMNS_AT: Final = 82
_DECKS_AT: Final = 724
_DOMAINS: Final = ("azure", "white", "verm", "black")
"""The names of the colours in the palette."""
_NAMES: Final = tuple(colour["name"] for colour in board.RULES["colours"])
_STONE: Final = (38, 59)
"""The centre of a stone within its cell."""
_PEAK: Final = (66, 22)
"""The centre of the figure on a mountain."""
_MOST_STARS: Final = 2
_MOST_CARDS: Final = 6
_BAR: Final = (390, 16, 56)
"""Left, height and width of the bar of wisdom."""


def svg(state: AzurePosition, seat: int | None) -> str:
    """Draw the position with the cards that a seat or a spectator may see."""
    picture = Picture(height=_HEIGHT, field=_FIELD)
    for seat_of_strip, top in enumerate(tops_for(seat, _STRIP_TOPS)):
        _draw_strip(picture, state, seat_of_strip, top=top, shown=seat_of_strip == seat)
    picture.coordinates(board.COLUMNS, board.ROWS, size=_CELL, columns_at=_COLUMNS_AT)
    for cell in range(len(board.CELLS)):
        _draw_cell(picture, state, cell)
    _draw_borders(picture)
    _draw_decks(picture, state)
    placed = _last_stone(state)
    if placed is not None:
        picture.brackets(_box(placed))
    return picture.document(title=f"Azure, ply {state.placed}", description=_describe(state))


def text(state: AzurePosition) -> str:
    """Draw the position with letters, as a spectator may see it: `=0` is a stone of seat 0."""
    seats = [f"{'>' if state.to_move == seat else ' '} {_of_seat(state, seat)}" for seat in (0, 1)]
    return "\n".join(
        [grid(board.COLUMNS, board.ROWS, _codes(state)), *seats, _of_decks(state), _ending(state)]
    )


def _codes(state: AzurePosition) -> list[str]:
    if state.phase == board.SETUP:
        return [""] * len(board.CELLS)
    owners = stones(state)
    codes = [code for row in state.realm.codes for code in row]
    for cell, name in enumerate(board.CELLS):
        if name in owners:
            codes[cell] += f"={owners[name]}{'+' if _is_gifted(state, cell) else ''}"
    return codes


def _box(cell: int) -> Box:
    y, x = divmod(cell, board.SIDE)
    left, top, _, _ = _FIELD
    return left + _CELL * x + 2, top + _CELL * y + 2, _CELL - 4, _CELL - 4


def _at(cell: int, offset: Point) -> Point:
    x, y, _, _ = _box(cell)
    return x + offset[0], y + offset[1]


def _draw_cell(picture: Picture, state: AzurePosition, cell: int) -> None:
    realm, name = state.realm, board.CELLS[cell]
    if state.phase == board.SETUP:
        with picture.cell(name, f"{name}: not laid yet"):
            picture.rect(_box(cell), paint="b-cell b-grid", radius=5, width=1)
        return
    with picture.cell(name, f"{name}: {_in_words(state, realm, cell)}"):
        domain = _DOMAINS[realm.printed(cell)[0]]
        picture.rect(_box(cell), paint=f"b-{domain} b-grid", radius=5, width=1)
        if cell in realm.peaks:
            _draw_mountain(picture, state, realm, cell)
        else:
            _draw_space(picture, state, realm, cell)


def _draw_mountain(picture: Picture, state: AzurePosition, realm: Realm, cell: int) -> None:
    colour = realm.printed(cell)[0]
    picture.glyph("mountain", _at(cell, (42, 48)), size=80, paint="b-rock")
    picture.text(board.COLOURS[colour], _at(cell, (14, 15)), size=20, bold=True)
    owner = stones(state).get(board.CELLS[cell])
    beast = board.MOUNTAINS.index(colour)
    if owner is not None:
        picture.seat_piece(owner, _at(cell, _PEAK), size=34)
    elif state.beasts[beast] < 0:
        x, y = _at(cell, _PEAK)
        picture.rect((x - 17, y - 17, 34, 34), paint="b-cell b-edge", radius=17, width=1.5)
        picture.glyph(board.BEASTS[beast], (x, y), size=24, paint="bt")


def _draw_space(picture: Picture, state: AzurePosition, realm: Realm, cell: int) -> None:
    x = 16.0
    _, colour, qi, wisdom = realm.printed(cell)
    for _ in range(qi):
        picture.drop(_DOMAINS[colour], board.COLOURS[colour], _at(cell, (x, 19)))
        x += 24
    if wisdom > _MOST_STARS:
        picture.text(str(wisdom), _at(cell, (x, 19)), size=26, bold=True)
        x += 21
        wisdom = 1
    for _ in range(wisdom):
        picture.glyph("wisdom", _at(cell, (x, 19)), size=22, paint="b-wis")
        x += 22
    if realm.guards[board.TORTOISE] >> board.HOME[cell] & 1:
        picture.glyph("serpent", _at(cell, (70, 68)), size=30, paint="b-serp")
    _draw_stone(picture, state, cell)


def _draw_stone(picture: Picture, state: AzurePosition, cell: int) -> None:
    owner = stones(state).get(board.CELLS[cell])
    x, y = _at(cell, _STONE)
    if owner is None:
        picture.rect((x - 20, y - 20, 40, 40), paint="b-grid", radius=20, width=1.2, dash="2 4")
        return
    picture.seat_piece(owner, (x, y), size=43)
    if state.sides[owner].gifted == cell:
        picture.glyph("wisdom", (x, y), size=26, paint=f"seat-{owner}-ink")


def _draw_borders(picture: Picture) -> None:
    left, top, width, height = _FIELD
    x, y = left + width / 2, top + height / 2
    picture.line([(x, top - 4), (x, top + height + 4)], paint="b-grid", width=3)
    picture.line([(left - 4, y), (left + width + 4, y)], paint="b-grid", width=3)


def _draw_strip(
    picture: Picture, state: AzurePosition, seat: int, *, top: float, shown: bool
) -> None:
    acts, side = state.to_move == seat, state.sides[seat]
    with picture.strip(seat, _of_seat(state, seat), top=top, acts=acts) as middle:
        _draw_hand(
            picture, board.letters(side.hand) if shown else "?" * board.size(side.hand), middle
        )
        picture.seat_piece(seat, (288, middle), size=19)
        picture.text(f"\N{MULTIPLICATION SIGN}{side.supply}", (300, middle), anchor="start")
        if state.can_gift(seat):
            picture.seat_piece(seat, (351, middle), size=21)
            picture.glyph("wisdom", (351, middle), size=15, paint=f"seat-{seat}-ink")
        _draw_wisdom(picture, side.wisdom, middle)
        owned = [
            name for name, owner in zip(board.BEASTS, state.beasts, strict=True) if owner == seat
        ]
        for i, name in enumerate(owned):
            picture.glyph(name, (500 + 24 * i, middle), size=22, paint="bt")


def _draw_hand(picture: Picture, cards: str, middle: float) -> None:
    """Draw each card; from seven cards on, draw one per colour with its count."""
    if len(cards) <= _MOST_CARDS:
        for i, card in enumerate(cards):
            _draw_card(picture, card, (86 + 31 * i, middle))
        return
    for i, card in enumerate(sorted(set(cards), key=(board.COLOURS + "?").index)):
        x = 86 + 48 * i
        _draw_card(picture, card, (x, middle))
        picture.text(str(cards.count(card)), (x + 17, middle), size=18, anchor="start", bold=True)


def _draw_card(picture: Picture, card: str, at: Point) -> None:
    x, y = at
    picture.rect((x - 14, y - 20, 28, 40), paint="b-cell b-edge", radius=4, width=1.5)
    if card == "?":
        picture.text("?", at, bold=True)
    else:
        picture.drop(_DOMAINS[board.COLOURS.index(card)], card, at, size=27)


def _draw_wisdom(picture: Picture, wisdom: int, middle: float) -> None:
    x, height, width = _BAR
    box = (x, middle - height / 2, width, height)
    picture.glyph("wisdom", (x - 14, middle), size=22, paint="b-wis")
    picture.rect(box, paint="b-cell b-grid", radius=height / 2, width=1.5)
    if wisdom:
        # Draw at least a dot, as a bar is never narrower than its round ends.
        filled = max(height, width * wisdom / board.GOAL)
        picture.rect((x, box[1], filled, height), paint="b-wis", radius=height / 2)
    picture.text(str(wisdom), (x + width + 5, middle), size=24, anchor="start", bold=True)


def _draw_decks(picture: Picture, state: AzurePosition) -> None:
    picture.text("Decks", (24, _DECKS_AT), paint="bm", anchor="start")
    step = (WIDTH - 120) / (len(board.COLOURS) + 1)
    for i, letter in enumerate(board.COLOURS):
        x = 110 + step * i
        picture.drop(_DOMAINS[i], letter, (x, _DECKS_AT))
        picture.text(str(state.decks >> 4 * i & 15), (x + 20, _DECKS_AT), size=22, anchor="start")
    x = 110 + step * len(board.COLOURS)
    _draw_card(picture, "?", (x, _DECKS_AT))
    picture.text(str(len(state.hidden)), (x + 22, _DECKS_AT), size=22, anchor="start")


def _in_words(state: AzurePosition, realm: Realm, cell: int) -> str:
    """Return the contents of a cell, for its tooltip."""
    domain, colour, qi, wisdom = realm.printed(cell)
    words = []
    owner = stones(state).get(board.CELLS[cell])
    if owner is not None:
        sort = "gifted stone" if _is_gifted(state, cell) else "stone"
        words.append(f"{sort} of seat {owner}")
    if cell in realm.peaks:
        beast = board.MOUNTAINS.index(domain)
        free = [board.BEASTS[beast]] if state.beasts[beast] < 0 else []
        return ", ".join([f"{_NAMES[domain]} mountain", *words, *free])
    if qi:
        words.append(f"{qi} {_NAMES[colour]} qi")
    if wisdom:
        words.append(f"{wisdom} wisdom")
    if realm.guards[board.TORTOISE] >> board.HOME[cell] & 1:
        words.append("serpent")
    return f"{', '.join(words)}, in the {_NAMES[domain]} domain"


def _is_gifted(state: AzurePosition, cell: int) -> bool:
    return any(side.gifted == cell for side in state.sides)


def _of_seat(state: AzurePosition, seat: int) -> str:
    side = state.sides[seat]
    stones_left = count(side.supply, "stone") + (" + gifted" if state.can_gift(seat) else "")
    owned = [name for name, owner in zip(board.BEASTS, state.beasts, strict=True) if owner == seat]
    held = f"{count(board.size(side.hand), 'card')}, {stones_left}, {side.wisdom} wisdom"
    return f"seat {seat}: {held}, {' '.join(owned) or 'no beast'}"


def _of_decks(state: AzurePosition) -> str:
    counts = [f"{letter} {state.decks >> 4 * i & 15}" for i, letter in enumerate(board.COLOURS)]
    gift = f"; gifted card: {board.GIFTS[state.gift]}" if state.gift else ""
    return f"decks: {', '.join(counts)}, hidden {len(state.hidden)}{gift}"


def _last_stone(state: AzurePosition) -> int | None:
    """Return the cell of the last stone, or None if the log does not contain it."""
    told = [*state.before, *state.log]
    actions = [event[2] for event in told if event[0] == events.PLACE]
    return actions[-1] % GIFT if actions else None


def _last_action(state: AzurePosition) -> str:
    """Return the last decision in the words of the rules."""
    if not state.log:
        return "no action yet"
    kind, player, first = state.log[0][:3]
    if kind == events.PLACE:
        return f"seat {player}: {TEXTS[first]}"
    if kind == events.RETURN:
        return f"seat {player}: return {board.letters(first)}"
    return f"seat {player}: boon {'qi' if kind == events.GATHER else 'wisdom'}"


def _ending(state: AzurePosition) -> str:
    if state.phase == board.SETUP:
        return "ply 0, the boards are not laid yet"
    said = f"ply {state.placed}, last action: {_last_action(state)}"
    if state.outcome is None:
        return said
    return f"{said}; seat {state.outcome.ranks.index(0)} won ({state.outcome.reason})"


def _describe(state: AzurePosition) -> str:
    sentences = [_of_seat(state, 0), _of_seat(state, 1), _of_decks(state), _ending(state)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
