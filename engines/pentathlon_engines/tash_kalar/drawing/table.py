"""The parts of the picture around the arena of Tash-Kalar: cards, strips, turn, tasks, marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.drawing.svg import WIDTH, Box, Picture, Point
from pentathlon_engines.drawing.terminal import lines
from pentathlon_engines.tash_kalar.board import DIRECTIONS
from pentathlon_engines.tash_kalar.cards.catalogue import card_data
from pentathlon_engines.tash_kalar.cards.patterns import RANKS
from pentathlon_engines.tash_kalar.drawing import description
from pentathlon_engines.tash_kalar.drawing.description import TASKS, Seen

PIECE: Final = 44
_BACKS: Final = (("beings", "", 88), ("legends", "legendary", 146), ("flare", "flare", 204))
"""By kind of cards: its name, the glyph on the backs, and the place of the first one."""
_SUPPLY: Final = (("common_heroic", "common", 270), ("legendary", "legendary", 336))
_TASK_WIDTH: Final = 284
_TASK_HEIGHT: Final = 74
_GAP: Final = 8
_CLAIMED: Final = 36
_LINE: Final = 20
TASKS_HEIGHT: Final = 2 * (_TASK_HEIGHT + _GAP) + _CLAIMED
_LEFT: Final = 12
_PADDING: Final = 9
_GRID: Final = 80
"""The side of the square in which a pattern must fit."""
_CELL: Final = 22
_SIZE: Final = 17
_NAME: Final = 26
_TEXT_AT: Final = _LEFT + _PADDING + _GRID + 14
_TEXT_WIDTH: Final = WIDTH - _LEFT - _PADDING - _TEXT_AT
_INDENT: Final = 22
_MORE_TEXTS: Final = {"frozen_text": "Frozen", "warp_text": "Warp"}
_START: Final = {"summon": 2, "setup": 1}
_TARGET: Final = {"move": 2} | dict.fromkeys(
    ("place", "leap", "upgrade", "downgrade", "convert"), 1
)
"""By verb, the word of a text that names the square of a placement or change."""
_ORIGIN: Final = {"move": 1, "pick": 1, "pickup": 1}
_BETWEEN_TURNS: Final = ("claim", "end", "draw")
_OF_AN_EFFECT: Final = (
    *_TARGET,
    *_ORIGIN,
    "destroy",
    "dir",
    "opt",
    "take",
    "keep",
    "throw",
    "pass",
)
Event = tuple[int, str]
"""A seat and its action."""


def draw_piece(picture: Picture, seat: int, rank: str, at: Point, *, size: float = PIECE) -> None:
    """Draw a piece: the seat's shape with the sign of the rank inside."""
    picture.seat_piece(seat, at, size=size)
    ink = f"seat-{seat}-ink"
    if rank == "common":
        picture.disc(at, size=0.2 * size, paint=ink)
    else:
        picture.glyph(rank, at, size=0.58 * size, paint=ink)


def draw_strip(picture: Picture, seen: Seen, seat: int, *, top: float) -> None:
    """Draw the strip of a seat: backs of the cards in hand, supply, deck, points."""
    said, acts = description.of_seat(seen, seat), seen["to_move"] == seat
    with picture.strip(seat, said, top=top, acts=acts) as middle:
        for kind, glyph, x in _BACKS:
            _draw_back(picture, glyph, (x, middle))
            count = seen["hand_sizes"][seat][kind]
            picture.text(str(count), (x + 19, middle), size=24, anchor="start", bold=True)
        for kind, rank, x in _SUPPLY:
            draw_piece(picture, seat, rank, (x, middle), size=30)
            left = seen["supply"][seat][kind]
            picture.text(str(left), (x + 19, middle), size=20, anchor="start")
        _draw_school(picture, seen, seat, (384, middle))
        picture.text("points", (488, middle), size=17, paint="bm", anchor="start")
        picture.text(str(seen["scores"][seat]), (577, middle), size=26, anchor="end", bold=True)


def _draw_back(picture: Picture, glyph: str, at: Point) -> None:
    x, y = at
    picture.rect((x - 14, y - 20, 28, 40), paint="b-cell b-edge", radius=4, width=1.5)
    if glyph:
        picture.glyph(glyph, at, size=20, paint="b-wis")
    else:
        picture.text("?", at, bold=True)


def _draw_school(picture: Picture, seen: Seen, seat: int, at: Point) -> None:
    name = description.school_of(seen, seat).split()[0]
    left = str(seen["deck_sizes"]["beings"][seat])
    picture.text(name, (at[0], at[1] - 11), size=17, paint="bm", anchor="start")
    picture.text(f"deck {left}", (at[0], at[1] + 12), size=17, anchor="start")


def draw_turn(picture: Picture, seen: Seen, *, top: float) -> None:
    """Draw two lines: the turn with the shared decks, and the current decision."""
    line = top + 16
    picture.text(f"Turn {seen['turn']}", (24, line), anchor="start", bold=True)
    picture.text(description.of_actions(seen), (130, line), anchor="start")
    picture.text("Decks", (326, line), paint="bm", anchor="start")
    decks = (("legends", "legendary", 408), ("flares", "flare", 472), ("tasks", "task", 536))
    for kind, glyph, x in decks:
        if kind in seen["deck_sizes"]:
            picture.glyph(glyph, (x, line), size=22, paint="b-wis")
            left = str(seen["deck_sizes"][kind])
            picture.text(left, (x + 15, line), anchor="start")
    line += 32
    said = description.of_now(seen)
    picture.text(f"{said[0].upper()}{said[1:]}", (24, line), size=18, paint="bm", anchor="start")
    _draw_destroyed(picture, seen, (574, line))


def _draw_destroyed(picture: Picture, seen: Seen, at: Point) -> None:
    """Draw how many pieces of each rank were destroyed this turn, right-aligned."""
    counts = seen["counters"]["destroyed"]
    x = at[0]
    for rank in reversed(RANKS):
        if counts[rank]:
            picture.text(str(counts[rank]), (x, at[1]), size=20, anchor="end", bold=True)
            picture.glyph(rank, (x - 27, at[1]), size=20, paint="b-rock")
            x -= 50
    if x < at[0]:
        picture.glyph("dead", (x - 8, at[1]), size=18, paint="b-rock")


def draw_tasks(picture: Picture, seen: Seen, *, top: float) -> None:
    """Draw the current tasks, the next one in a dashed frame, and the claims."""
    tasks = seen["tasks"]
    shown = [(name, False) for name in tasks["current"]]
    if tasks["next"] is not None:
        shown.append((tasks["next"], True))
    for i, (name, is_next) in enumerate(shown):
        left = 12 + (_TASK_WIDTH + _GAP) * (i % 2)
        down = top + (_TASK_HEIGHT + _GAP) * (i // 2)
        box = (left, down, _TASK_WIDTH, _TASK_HEIGHT)
        with picture.card(name, description.of_task(name)):
            _draw_task(picture, name, box, is_next=is_next)
    _draw_claimed(picture, tasks["claimed"], top=top + 2 * (_TASK_HEIGHT + _GAP))


def _draw_task(picture: Picture, name: str, box: Box, *, is_next: bool) -> None:
    task, (left, top, width, _) = TASKS[name], box
    picture.rect(
        box,
        paint="b-table b-grid" if is_next else "b-cell b-edge",
        radius=8,
        width=1.5,
        dash="7 5" if is_next else "",
    )
    line = top + 18
    picture.glyph("task", (left + 20, line), size=22, paint="bm" if is_next else "b-wis")
    picture.text(str(task["points"]), (left + 34, line), size=24, anchor="start", bold=True)
    picture.text(task["name"], (left + 56, line), size=17, anchor="start", bold=True)
    said = lines(task["text"], size=17, width=width - 22)
    picture.paragraph(said, (left + 12, line + 22), size=17, leading=_LINE)


def _draw_claimed(picture: Picture, claimed: list[list[str]], *, top: float) -> None:
    """Draw a sign for each claimed task, with its seat and points."""
    line = top + 14
    picture.text("Claimed", (24, line), paint="bm", anchor="start")
    if not any(claimed):
        picture.text("nothing yet", (126, line), paint="bm", size=18, anchor="start")
    x = 134
    for seat, names in enumerate(claimed):
        for name in names:
            with picture.card(name, f"claimed by seat {seat}: {description.of_task(name)}"):
                picture.seat_piece(seat, (x, line), size=19)
                picture.glyph("task", (x + 22, line), size=20, paint="b-wis")
                points = str(TASKS[name]["points"])
                picture.text(points, (x + 35, line), anchor="start", bold=True)
            x += 72


def card_height(name: str) -> float:
    """Return the height of a drawn card."""
    data = card_data(name)
    if "upper" in data:
        halves = sum(len(said) for _, said in _halves(data))
        return _NAME + _LINE * halves + 2 * _PADDING
    return max(_GRID, _NAME + _LINE * len(_lines(data))) + 2 * _PADDING


def draw_card(
    picture: Picture, name: str, *, top: float, height: float = 0, note: str = ""
) -> None:
    """Draw a being with its pattern and effect, or a flare with both its halves.

    The face is at least `height` high; the note is a few letters for its upper right corner.
    """
    data = card_data(name)
    height = max(height, card_height(name))
    rank = "flare" if "upper" in data else data["rank"]
    with picture.card(name, f"{data['name']}, {rank}"):
        box = (_LEFT, top, WIDTH - 2 * _LEFT, height)
        picture.rect(box, paint="b-cell b-edge", radius=8, width=1.5)
        if note:
            corner = (WIDTH - _LEFT - _PADDING, top + _PADDING + _NAME / 2)
            picture.text(note, corner, paint="bm", anchor="end")
        sign = (_LEFT + _PADDING, top, _GRID, height)
        if "upper" in data:
            _draw_flare(picture, data, sign)
        else:
            _draw_being(picture, data, sign)


def _draw_being(picture: Picture, data: dict[str, Any], sign: Box) -> None:
    _draw_pattern(picture, data["pattern"], sign)
    line = sign[1] + _PADDING + _NAME / 2
    picture.glyph(data["rank"], (_TEXT_AT + 8, line), size=20, paint="bt")
    picture.text(data["name"], (_TEXT_AT + 24, line), anchor="start", bold=True)
    _write(picture, _lines(data), (_TEXT_AT, line + _NAME))


def _draw_flare(picture: Picture, data: dict[str, Any], sign: Box) -> None:
    left, top, width, height = sign
    picture.glyph("flare", (left + width / 2, top + height / 2), size=48, paint="b-wis")
    line = top + _PADDING + _NAME / 2
    picture.text(f"Flare {data['name']}", (_TEXT_AT, line), anchor="start", bold=True)
    line += _NAME
    for rank, said in _halves(data):
        picture.glyph(rank, (_TEXT_AT + 6, line), size=18, paint="bt")
        _write(picture, said, (_TEXT_AT + _INDENT, line))
        line += _LINE * len(said)


def _halves(data: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield for each half the sign of the pieces that it counts, and its lines of text (9.1)."""
    for half, rank, counted in (("upper", "heroic", "upgraded"), ("lower", "common", "pieces")):
        said = f"{data[half]['need']}+ {counted} behind: {data[half]['text']}"
        yield rank, lines(said, size=_SIZE, width=_TEXT_WIDTH - _INDENT)


def _lines(data: dict[str, Any]) -> list[str]:
    texts = [data["text"]]
    texts += [f"{word}: {data[name]}" for name, word in _MORE_TEXTS.items() if name in data]
    return [line for text in texts for line in lines(text, size=_SIZE, width=_TEXT_WIDTH)]


def _write(picture: Picture, said: list[str], at: Point) -> None:
    picture.paragraph(said, at, size=_SIZE, leading=_LINE)


def _draw_pattern(picture: Picture, rows: list[str], box: Box) -> None:
    """Draw a pattern in the middle of a box, with the largest cells that fit."""
    grid = [row.split() for row in rows]
    side = min(_CELL, _GRID / len(grid[0]), _GRID / len(grid))
    left = box[0] + (box[2] - side * len(grid[0])) / 2
    top = box[1] + (box[3] - side * len(grid)) / 2
    cells = [
        ((left + side * (column + 0.5), top + side * (row + 0.5)), token)
        for row, tokens in enumerate(grid)
        for column, token in enumerate(tokens)
    ]
    picture.polygons([_square(at, side - 2) for at, _ in cells], paint="b-cell2")
    _draw_dots(picture, cells, side)
    for at, token in cells:
        _draw_token(picture, token, at, side=side)


def _square(at: Point, side: float) -> list[Point]:
    left, top = at[0] - side / 2, at[1] - side / 2
    return [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]


def _draw_dots(picture: Picture, cells: list[tuple[Point, str]], side: float) -> None:
    """Draw the dots of commons and the small dots of marked cells, one kind at a time."""
    commons = [at for at, token in cells if token.strip("@*") == "c"]
    marks = [_corner(at, token, side) for at, token in cells if token.count("*") == 1]
    for middles, share, paint in ((commons, 0.4, "bt"), (marks, 0.2, "b-wis")):
        if middles:
            picture.dots(middles, size=share * side, paint=paint)


def _corner(at: Point, token: str, side: float) -> Point:
    """Return the place of a cell's mark: below a piece, if the cell requires one."""
    aside = 0.34 * side if token.strip("*") else 0
    return at[0] + aside, at[1] + aside


def _draw_token(picture: Picture, token: str, at: Point, *, side: float) -> None:
    """Draw the other requirements of a cell: frame, chevron, double mark, direction."""
    if token.startswith(">"):
        turn = 45 * DIRECTIONS.index(token[1:])
        picture.glyph("support", at, size=side, paint="bm", turn=turn)
    if token.startswith("@"):
        frame = (at[0] - side / 2 + 2, at[1] - side / 2 + 2, side - 4, side - 4)
        picture.rect(frame, paint="b-last", radius=3, width=3)
    if token.strip("@*") == "h":
        picture.glyph("heroic", at, size=0.72 * side, paint="bt")
    if "**" in token:
        ring = _corner(at, token, side)
        picture.disc(ring, size=0.26 * side, paint="b-grid", width=1.5)


class Marks:
    """Squares to mark, each once: targets, origins, and squares of destroyed pieces."""

    def __init__(self) -> None:
        self.targets: list[str] = []
        self.origins: list[str] = []
        self.destroyed: list[str] = []

    def add(self, text: str) -> None:
        """Add the squares of one action."""
        words = text.split()
        for squares, at in ((self.targets, _START | _TARGET), (self.origins, _ORIGIN)):
            if words[0] in at:
                _note(squares, words[at[words[0]]])
        if words[0] == "destroy":
            _note(self.destroyed, words[1])


def marks_of(events: Sequence[Event], emptied: Sequence[str] = ()) -> Marks:
    """Return the squares of the last action or, within an effect, of the whole effect.

    Emptied are squares on which something was destroyed, even if no event says so.
    """
    marks = Marks()
    for text in reversed(_last_actions(events)):
        marks.add(text)
    for name in emptied:
        if name not in marks.targets:
            _note(marks.destroyed, name)
    return marks


def last_card(events: Sequence[Event], played: dict[str, Any]) -> tuple[str, str]:
    """Return the card played last and the square of a being, or two empty values.

    The actions of invoking a flare and of thawing do not name the card, which is the last of the
    played ones.
    """
    for seat, text in reversed(events):
        words = text.split()
        if words[0] in ("summon", "warp"):
            return words[1], "".join(words[2:3])
        lying = {"flare": played["flares"], "thaw": played["beings"][seat]}.get(words[0])
        if lying:
            return lying[-1], ""
    return "", ""


def _last_actions(events: Sequence[Event]) -> list[str]:
    """Return the last action and its follow-ups, latest first."""
    found: list[str] = []
    actor = CHANCE
    for seat, text in reversed(events):
        word = text.split()[0]
        if seat == CHANCE or word in _BETWEEN_TURNS:
            continue
        if found and seat != actor:
            break
        actor = seat
        found.append(text)
        # A `place` of an effect is one of several steps; a `place` that comes last is an action
        # alone.
        if word not in _OF_AN_EFFECT or (word == "place" and len(found) == 1):
            break
    return found


def _note(squares: list[str], square: str) -> None:
    if square not in squares:
        squares.append(square)
