"""Pictures of Tuned show stacks, hands, the rooster, the last action and the line that won."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.tuned import TunedState
from tests.engines.drawing.svg_parts import classes, group, texts

TUNED = GAMES["tuned"]
LINE: dict[str, Any] = {
    "board": {"a1": "DG", "b2": "G", "a3": "C", "c2": "D"},
    "hands": ["DGC", "DGCC"],
    "rooster": ["add", "move"],
    "to_move": 0,
}


def root(state: object) -> ET.Element:
    """Return the picture of a state."""
    assert isinstance(state, TunedState)
    return ET.fromstring(state.svg())


def test_a_stack_is_a_tower_whose_top_has_the_bold_edge() -> None:
    cell = group(root(TUNED.load(LINE)), "data-cell", "a1")
    donkey, dog = (shape for shape in cell.iter() if "b-edge" in shape.get("class", ""))

    assert cell[0].text == "a1: donkey, dog"
    assert (donkey.get("width"), dog.get("width")) == ("150", "120")
    assert (donkey.get("stroke-width"), dog.get("stroke-width")) == ("1.5", "4")
    assert float(donkey.attrib["y"]) - float(dog.attrib["y"]) == 50
    assert texts(cell) == ["D", "G"]


def test_a_strip_shows_hand_and_rooster_of_its_seat() -> None:
    picture = root(TUNED.load(LINE))
    mine, other = (group(picture, "data-seat", seat) for seat in "01")

    assert mine[0].text == "seat 0: hand D G C, rooster on add"
    assert other[0].text == "seat 1: hand D G C C, rooster on move"
    assert texts(mine) == ["0", "add", "move"]
    assert texts(other) == ["1", "add", "add"]
    assert sum("b-cat b-edge" in name for name in classes(other)) == 2


def test_the_seat_to_act_has_the_bar() -> None:
    picture = root(TUNED.load(LINE))

    assert "b-last" in classes(group(picture, "data-seat", "0"))
    assert "b-last" not in classes(group(picture, "data-seat", "1"))


def test_an_empty_hand_leaves_only_moves() -> None:
    state = TUNED.load(
        {
            "board": {
                "a1": "D",
                "b1": "DGC",
                "c1": "DGC",
                "a2": "C",
                "c2": "G",
                "a3": "DG",
                "c3": "C",
            },
            "hands": ["", ""],
            "rooster": [None, None],
            "to_move": 0,
        }
    )

    strip = group(root(state), "data-seat", "0")

    assert texts(strip) == ["0", "move"]
    assert "b-roo" not in classes(strip)


@pytest.mark.parametrize(
    ("action", "brackets", "dashed"), [(None, 0, 0), ("add cat b3", 1, 0), ("move a1 c1 1", 1, 1)]
)
def test_the_last_action_is_marked(action: str | None, brackets: int, dashed: int) -> None:
    state = TUNED.load(LINE)
    if action:
        state.apply(state.parse(action))

    marks = [shape for shape in root(state) if shape.get("class") == "b-last"]

    assert sum(mark.get("stroke-width") == "5" for mark in marks) == brackets
    assert sum("stroke-dasharray" in mark.attrib for mark in marks) == dashed


def test_a_line_that_won_is_drawn_between_its_tops() -> None:
    state = TUNED.load(LINE)
    state.apply(state.parse("add dog c3"))

    picture = root(state)

    marks = [shape for shape in picture if shape.get("class") == "b-last"]
    assert [mark.get("stroke-width") for mark in marks] == ["8", "8", "5", "5", "5"]
    assert picture[1].text == (
        "Seat 0: hand D C, rooster on add. Seat 1: hand D G C C, rooster on move. "
        "Ply 1, last action: add dog c3; seat 0 won (line)."
    )


def test_the_terminal_shows_board_hands_and_end() -> None:
    state = TUNED.load(LINE)
    before = str(state)
    state.apply(state.parse("add dog c3"))

    assert before.splitlines() == [
        "    a   b   c",
        "1   DG  .   .",
        "2   .   G   D",
        "3   C   .   .",
        "> seat 0: hand D G C, rooster on add",
        "  seat 1: hand D G C C, rooster on move",
        "ply 0, no action yet",
    ]
    assert str(state).splitlines()[-1] == "ply 1, last action: add dog c3; seat 0 won (line)"


def test_a_draw_says_so() -> None:
    placed = {"a1": "D", "b1": "DGC", "c1": "DGC", "a2": "C", "c2": "G", "a3": "DG", "c3": "C"}
    state = TUNED.load(
        {"board": placed, "hands": ["", ""], "rooster": [None] * 2, "to_move": 0, "actions": 199}
    )
    state.apply(state.parse("move c3 c2 1"))

    assert str(state).endswith("last action: move c3 c2 1; draw (limit)")
