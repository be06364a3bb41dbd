"""Pictures of Azure show boons, stones, beasts, the last stone, and to each seat its hand."""

import random
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.drawing import svg
from pentathlon_engines.light_json import read_data
from tests.engines.drawing.svg_parts import classes, group, texts

AZURE = GAMES["azure"]
GLYPHS = read_data(svg.__file__, "glyphs.json")
MIDDLE: dict[str, Any] = {
    "layout": ["A1.0", "W1.0", "V1.0", "B1.0"],
    "to_move": 0,
    "options": {"gifted": "mighty"},
    "gifted_at": ["c2", None],
    "hands": ["AVV", "AWWVVBB"],
    "hidden": "VB",
    "stones": {"c2": 0, "a5": 0, "e2": 1, "f1": 1, "d4": 1},
    "beasts": {"tortoise": 1, "tiger": 1},
    "wisdom": [3, 25 - 1],
}


def root(data: dict[str, Any], seat: int | None = None, *actions: str) -> ET.Element:
    """Return the picture of a position after actions."""
    state = AZURE.load(data)
    for text in actions:
        state.apply(state.parse(text))
    return ET.fromstring(state.svg(seat))


def glyphs(part: ET.Element) -> list[str]:
    """Return the names of the glyphs of a group in drawing order, drops left out."""
    names = {path: name for name, path in GLYPHS.items()}
    return [names[shape.attrib["d"]] for shape in part.iter() if shape.get("d") in names]


def test_a_space_shows_its_boons_and_its_place_for_a_stone() -> None:
    cell = group(root(MIDDLE), "data-cell", "a3")

    assert cell[0].text == "a3: 2 vermillion qi, 1 wisdom, in the azure domain"
    assert classes(cell) == [
        "b-azure b-grid",
        *["qi-verm qi-edge", "qi-verm-ink"] * 2,
        "b-wis",
        "b-grid",
    ]
    assert texts(cell) == ["V", "V"]


def test_much_wisdom_is_a_figure() -> None:
    cell = group(root(MIDDLE), "data-cell", "c3")

    assert texts(cell) == ["6"]
    assert glyphs(cell) == ["wisdom"]


def test_a_serpent_stays_visible_beside_a_gifted_stone() -> None:
    cell = group(root(MIDDLE), "data-cell", "c2")

    assert (
        cell[0].text == "c2: gifted stone of seat 0, 1 vermillion qi, serpent, in the azure domain"
    )
    assert glyphs(cell) == ["serpent", "wisdom"]
    assert classes(cell)[-3:] == ["b-halo", "seat-0 b-edge", "seat-0-ink"]


@pytest.mark.parametrize(
    ("cell", "title", "shown"),
    [
        ("a1", "azure mountain, dragon", ["mountain", "dragon"]),
        ("d1", "white mountain", ["mountain"]),
        ("b4", "vermillion mountain, bird", ["mountain", "bird"]),
        ("d4", "black mountain, stone of seat 1", ["mountain"]),
    ],
)
def test_a_mountain_shows_its_beast_until_it_is_won(
    cell: str, title: str, shown: list[str]
) -> None:
    drawn = group(root(MIDDLE), "data-cell", cell)

    assert drawn[0].text == f"{cell}: {title}"
    assert glyphs(drawn) == shown


def test_a_strip_shows_stones_wisdom_and_beasts() -> None:
    picture = root(MIDDLE)
    mine, other = (group(picture, "data-seat", seat) for seat in "01")

    assert mine[0].text == "seat 0: 3 cards, 13 stones, 3 wisdom, no beast"
    assert other[0].text == "seat 1: 7 cards, 11 stones + gifted, 24 wisdom, tortoise tiger"
    assert glyphs(other)[-3:] == ["wisdom", "tortoise", "tiger"]
    assert "b-last" in classes(mine)
    assert "b-last" not in classes(other)


def test_each_seat_sees_its_own_cards_only() -> None:
    hands = {
        seat: [texts(group(root(MIDDLE, seat), "data-seat", strip))[1:-2] for strip in "01"]
        for seat in (0, 1, None)
    }

    assert hands[0] == [["A", "V", "V"], ["?", "7"]]
    assert hands[1] == [["?", "?", "?"], ["A", "1", "W", "2", "V", "2", "B", "2"]]
    assert hands[None] == [["?", "?", "?"], ["?", "7"]]


def test_the_last_stone_is_marked() -> None:
    before, after = root(MIDDLE), root(MIDDLE, None, "place b3")

    marks = [
        [shape for shape in picture if shape.get("class") == "b-last"]
        for picture in (before, after)
    ]

    assert [len(found) for found in marks] == [0, 1]
    assert (after[1].text or "").endswith("Ply 5, last action: seat 0: place b3.")


def test_decks_are_counted_below() -> None:
    written = texts(root(MIDDLE))

    assert written[-11:] == ["Decks", "A", "10", "W", "10", "V", "7", "B", "9", "?", "2"]


def test_before_the_setup_the_boards_are_empty() -> None:
    state = AZURE.start()
    picture = ET.fromstring(state.svg())

    assert group(picture, "data-cell", "a1")[0].text == "a1: not laid yet"
    assert str(state).splitlines()[-1] == "ply 0, the boards are not laid yet"


def test_the_terminal_shows_realm_seats_and_decks() -> None:
    state = AZURE.load(MIDDLE)
    state.apply(state.parse("place b3"))

    assert str(state).splitlines() == [
        "    a         b         c         d         e         f",
        "1   A:M       A:1W1*    A:1W2*    W:M       W:1A2*    W:1As=1",
        "2   A:1B1*    A:4*      A:1Vs=0+  W:1V1*    W:1Bs=1   W:6*",
        "3   A:2V1*    A:1Ws=0   A:6*      W:4*      W:1A1*    W:2B1*",
        "4   V:1B2*    V:M       V:4*      B:M=1     B:7*      B:1Vs",
        "5   V:1W1*=0  V:6*      V:1B1*    B:1V2*    B:1Ws     B:2A1*",
        "6   V:1A1*    V:1Bs     V:2W1*    B:1As     B:1V1*    B:4*",
        "  seat 0: 3 cards, 12 stones, 3 wisdom, no beast",
        "> seat 1: 7 cards, 11 stones + gifted, 24 wisdom, tortoise tiger",
        "decks: A 11, W 9, V 7, B 9, hidden 2; gifted card: mighty",
        "ply 5, last action: seat 0: place b3",
    ]


@pytest.mark.parametrize("boon", ["boon qi", "boon wisdom"])
def test_a_chosen_boon_is_the_last_action(boon: str) -> None:
    fields = {"options": {"gifted": "bountiful"}, "stones": {"c2": 0}, "beasts": {}}
    state = AZURE.load(MIDDLE | fields | {"hands": ["AAAA", "AWWVVBB"]})
    for text in ("place c1", boon):
        state.apply(state.parse(text))

    assert str(state).endswith(f"last action: seat 0: {boon}")


def test_the_end_names_winner_and_reason() -> None:
    state = AZURE.start()
    state.playout(random.Random(4))

    assert state.outcome is not None
    winner = state.outcome.ranks.index(0)
    assert str(state).endswith(f"; seat {winner} won ({state.outcome.reason})")
