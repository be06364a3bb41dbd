"""The parts of the picture around the arena of Tash-Kalar: strips, turn and tasks."""

from __future__ import annotations

from typing import Final

from pentathlon_engines.drawing.svg import Box, Picture, Point
from pentathlon_engines.drawing.terminal import lines
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
