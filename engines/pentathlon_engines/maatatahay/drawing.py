"""Pictures of Maatatahay: the map with its tiles, a strip per seat, the stream and the track."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.commentary.words import count
from pentathlon_engines.drawing.svg import Box, Picture, Point
from pentathlon_engines.drawing.terminal import grid
from pentathlon_engines.maatatahay.board import (
    ARROWS_OF,
    CLAWS,
    CLAWS_OF,
    COLUMNS,
    DIRECTIONS,
    ELDER,
    FACES,
    GEMS_OF,
    NAMES,
    ROWS,
    SETTING_UP,
    SHRINES,
    SIDE,
    SPACES,
    SPECIAL_OF,
    TRACK_END,
    tiles_of,
)
from pentathlon_engines.maatatahay.serialization import is_living
from pentathlon_engines.maatatahay.state import MaatatahayPosition

_FIELD: Final = (54, 20, 520, 520)
_CELL: Final = 104
_TILE: Final = 88
_FRAME: Final = 7
_HEIGHT: Final = 806
_STRIP_TOPS: Final = (580, 644)
_STREAM_AT: Final = 728
_TRACK_AT: Final = 777
_DIAGONAL_STEP: Final = 0.86
"""How far out corner wedges stand, relative to those in the middle of a side."""


def svg(state: MaatatahayPosition, seat: int | None) -> str:
    """Draw the position, which looks the same to every seat."""
    picture = Picture(height=_HEIGHT, field=_FIELD)
    picture.coordinates(COLUMNS, ROWS[::-1], size=_CELL)
    for space in range(len(SPACES)):
        _draw_space(picture, state, space)
    for seat_of_strip, top in enumerate(_STRIP_TOPS):
        _draw_strip(picture, state, seat_of_strip, top=top)
    _draw_stream(picture, state)
    _draw_track(picture, state)
    if state.last >= 0:
        picture.brackets(_box(state.last))
    return picture.document(title=f"Maatatahay, ply {state.placed}", description=_describe(state))


def text(state: MaatatahayPosition) -> str:
    """Draw the position with letters: `1:9n=6+2s` is tile 9 of seat 1, facing n, strength 6.

    Dead tiles are `x`, relics `R`, crystals `s` and `e`.
    """
    rows = [range(SIDE * row, SIDE * (row + 1)) for row in reversed(range(SIDE))]
    board = grid(COLUMNS, ROWS[::-1], [_code(state, space) for row in rows for space in row])
    seats = [f"{'>' if state.to_move == seat else ' '} {_of_seat(state, seat)}" for seat in (0, 1)]
    return "\n".join([board, *seats, _of_stream(state), _ending(state)])


def _code(state: MaatatahayPosition, space: int) -> str:
    tile, spirit, energy = state.tiles[space], state.spirit[space], state.energy[space]
    if not state.filled >> space & 1:
        return "R" if state.relics >> space & 1 else "s" * spirit + "e" * energy
    if not is_living(state, space):
        return f"{tile & 1}:x"
    more = f"+{spirit}s" if spirit else ""
    strength = state.strength(space)
    return f"{tile & 1}:{tile >> 3}{FACES[tile >> 1 & 3]}={strength}{more}"


def _box(space: int) -> Box:
    row, column = divmod(space, SIDE)
    left, top, _, _ = _FIELD
    row = SIDE - 1 - row  # row 1 is at the bottom
    return left + _CELL * column + 2, top + _CELL * row + 2, _CELL - 4, _CELL - 4


def _at(space: int, dx: float = 0, dy: float = 0) -> Point:
    """Return a point by its distance from the middle of a space."""
    x, y, width, height = _box(space)
    return x + width / 2 + dx, y + height / 2 + dy


def _square(space: int, size: float) -> Box:
    x, y = _at(space)
    return x - size / 2, y - size / 2, size, size


def _draw_space(picture: Picture, state: MaatatahayPosition, space: int) -> None:
    with picture.cell(SPACES[space], f"{SPACES[space]}: {_in_words(state, space)}"):
        picture.rect(_box(space), paint="b-cell b-grid", radius=8, width=1)
        if space in SHRINES:
            picture.glyph("shrine", _at(space), size=84, paint="b-shr")
        if not state.filled >> space & 1:
            _draw_ground(picture, state, space)
        elif is_living(state, space):
            _draw_tile(picture, state, space)
        else:
            _draw_dead(picture, state, space)


def _draw_ground(picture: Picture, state: MaatatahayPosition, space: int) -> None:
    """Draw the relic or the crystals that lie on a space without a tile."""
    if state.relics >> space & 1:
        picture.glyph("relic", _at(space), size=44, paint="b-wis")
    there = ["spirit"] * state.spirit[space] + ["energy"] * state.energy[space]
    for i, name in enumerate(there):
        x = 31 * (i - (len(there) - 1) / 2)
        picture.glyph(name, _at(space, x), size=32, paint=_paint_of(name))


def _paint_of(crystal: str) -> str:
    return "bt" if crystal == "spirit" else "b-en"


def _draw_tile(picture: Picture, state: MaatatahayPosition, space: int) -> None:
    tile = state.tiles[space]
    seat = tile & 1
    radius = 6 if seat else 18
    inner = _TILE - 2 * _FRAME
    picture.rect(_square(space, _TILE), paint=f"seat-{seat} b-edge", radius=radius, width=1.5)
    picture.rect(_square(space, inner), paint="b-cell", radius=max(0, radius - _FRAME))
    x = 5 if SPECIAL_OF[tile] else 0  # leaves room for the mark in the corner
    picture.text(str(state.strength(space)), _at(space, x - 13, -19), size=34, bold=True)
    picture.glyph("claw", _at(space, x + 13, -19), size=17, paint="bm")
    picture.text(str(CLAWS_OF[tile]), _at(space, x + 27, -19), size=17, paint="bm")
    gems = GEMS_OF[tile]
    for i in range(gems):
        left = 18 * (i - (gems - 1) / 2)
        picture.glyph("gem", _at(space, left, 6), size=17, paint="b-gem")
    _draw_crystals(picture, state, space)
    if SPECIAL_OF[tile]:
        name = "legendary" if SPECIAL_OF[tile] == ELDER else "heroic"
        lower = 34 if ARROWS_OF[tile] >> DIRECTIONS.index("nw") & 1 else 0  # else a wedge hides it
        picture.glyph(name, _at(space, -29, lower - 30), size=16, paint="bt")
    _draw_arrows(picture, tile, space)


def _draw_crystals(picture: Picture, state: MaatatahayPosition, space: int) -> None:
    """Draw spirit and energy on a tile, each sort with its number."""
    there = [("spirit", state.spirit[space]), ("energy", state.energy[space])]
    shown = [(name, n) for name, n in there if n]
    for i, (name, n) in enumerate(shown):
        x = 34 * (i - (len(shown) - 1) / 2)
        picture.glyph(name, _at(space, x - 7, 26), size=18, paint=_paint_of(name))
        picture.text(str(n), _at(space, x + 8, 26), size=18, bold=True)


def _draw_arrows(picture: Picture, tile: int, space: int) -> None:
    """Draw a wedge on the frame for each arrow, pointing outwards."""
    edge = _TILE / 2 - 1
    for way in range(len(DIRECTIONS)):
        if ARROWS_OF[tile] >> way & 1:
            step = edge * (_DIAGONAL_STEP if way % 2 else 1)
            dx = step * ((way in (1, 2, 3)) - (way in (5, 6, 7)))
            dy = step * ((way in (3, 4, 5)) - (way in (7, 0, 1)))
            at = _at(space, dx, dy)
            paint = "b-wedge b-edge"
            picture.glyph("support", at, size=32, paint=paint, turn=45 * way, width=2)


def _draw_dead(picture: Picture, state: MaatatahayPosition, space: int) -> None:
    seat = state.tiles[space] & 1
    radius = 6 if seat else 18
    picture.rect(_square(space, _TILE), paint="b-cell2", radius=radius)
    line = f"seat-{seat}-line"
    picture.rect(_square(space, _TILE - 5), paint=line, radius=radius, width=5, dash="12 7")
    picture.glyph("dead", _at(space), size=44, paint="b-rock")
    picture.seat_piece(seat, _at(space, -27, -27), size=19)


def _draw_strip(picture: Picture, state: MaatatahayPosition, seat: int, *, top: float) -> None:
    acts = state.to_move == seat
    with picture.strip(seat, _of_seat(state, seat), top=top, acts=acts) as middle:
        figures = [
            ("store", 76, "spirit", 145, state.stored_spirit[seat]),
            ("", 0, "energy", 197, state.stored_energy[seat]),
            ("relics", 268, "relic", 344, state.owned[seat]),
            ("fallen", 416, "dead", 493, state.deaths[seat]),
        ]
        for word, start, glyph, x, n in figures:
            if word:
                picture.text(word, (start, middle), paint="bm", anchor="start")
            paint = {"relic": "b-wis", "dead": "b-rock"}.get(glyph) or _paint_of(glyph)
            picture.glyph(glyph, (x, middle), size=26, paint=paint)
            picture.text(str(n), (x + 17, middle), size=24, anchor="start", bold=True)


def _draw_stream(picture: Picture, state: MaatatahayPosition) -> None:
    """Draw the open pairs and, in a frame, the one that is being placed."""
    picture.text("Stream", (24, _STREAM_AT), paint="bm", anchor="start")
    pairs = [*state.stream, state.pair] if state.pair else state.stream
    for slot, pair in enumerate(pairs):
        left = 116 + 156 * slot
        if slot == len(state.stream):
            box = (left - 4, _STREAM_AT - 21, 148, 42)
            picture.rect(box, paint="b-last", radius=8, width=4)
            _draw_pair(picture, pair, left)
            continue
        with picture.part(f"pair {slot + 1}", f"pair {slot + 1}: {_names(pair)}"):
            _draw_pair(picture, pair, left)


def _draw_pair(picture: Picture, pair: int, left: float) -> None:
    for seat, tile in enumerate(tiles_of(pair)):
        x = left + 16 + 68 * seat
        picture.seat_piece(seat, (x, _STREAM_AT), size=19)
        picture.text(str(CLAWS[tile]), (x + 24, _STREAM_AT), size=24, bold=True)
        picture.glyph("claw", (x + 42, _STREAM_AT), size=17, paint="bm")


def _draw_track(picture: Picture, state: MaatatahayPosition) -> None:
    """Draw the spirit track; a number beyond its end is shown on its last field."""
    picture.text("Spirit track", (24, _TRACK_AT), paint="bm", anchor="start")
    for i in range(TRACK_END + 1):
        x = 164 + 46 * i
        here = i == min(state.track, TRACK_END)
        picture.rect((x - 17, _TRACK_AT - 17, 34, 34), paint="b-cell b-grid", radius=17, width=1.5)
        if here:
            picture.line([(x, _TRACK_AT), (x, _TRACK_AT)], paint="b-last", width=34)
        figure = str(state.track if here else i)
        picture.text(figure, (x, _TRACK_AT), paint="b-cell" if here else "bt", bold=here)


def _in_words(state: MaatatahayPosition, space: int) -> str:
    """Return the contents of a space, for its tooltip."""
    tile, spirit, energy = state.tiles[space], state.spirit[space], state.energy[space]
    crystals = [f"{n} {name}" for n, name in ((spirit, "spirit"), (energy, "energy")) if n]
    shrine = ["shrine with relic" if state.relics >> space & 1 else "empty shrine"]
    if not state.filled >> space & 1:
        return ", ".join([*(shrine if space in SHRINES else []), *crystals]) or "empty"
    owner = f"{NAMES[tile >> 3]} of seat {tile & 1}"
    if not is_living(state, space):
        return f"dead {owner}"
    face, gems = FACES[tile >> 1 & 3], count(GEMS_OF[tile], "gem")
    strength = f"strength {state.strength(space)} (claws {CLAWS_OF[tile]})"
    return ", ".join([f"{owner} facing {face}", strength, gems, *crystals])


def _of_seat(state: MaatatahayPosition, seat: int) -> str:
    store = f"{state.stored_spirit[seat]} spirit {state.stored_energy[seat]} energy in store"
    counted = f"{count(state.owned[seat], 'relic')}, {state.deaths[seat]} fallen"
    return f"seat {seat}: {store}, {counted}, {count(state.points(seat), 'point')}"


def _of_stream(state: MaatatahayPosition) -> str:
    pairs = ", ".join(_names(pair) for pair in state.stream) or "none"
    chosen = f"; in play: {_names(state.pair)}" if state.pair else ""
    return f"stream: {pairs}{chosen}"


def _names(pair: int) -> str:
    return " + ".join(f"{NAMES[tile]} {CLAWS[tile]}" for tile in tiles_of(pair))


def _ending(state: MaatatahayPosition) -> str:
    if state.phase == SETTING_UP:
        return "ply 0, the crystals are not laid yet"
    placed = f"last tile on {SPACES[state.last]}" if state.last >= 0 else "no tile placed just now"
    said = f"round {state.round}, spirit track {state.track}, {placed}"
    if state.outcome is None:
        return said
    ranks = state.outcome.ranks
    won = "draw" if ranks == (0, 0) else f"seat {ranks.index(0)} won"
    return f"{said}; {won} ({state.outcome.reason})"


def _describe(state: MaatatahayPosition) -> str:
    sentences = [_of_seat(state, 0), _of_seat(state, 1), _of_stream(state), _ending(state)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences)
