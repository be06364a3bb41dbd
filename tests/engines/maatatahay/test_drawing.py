"""Pictures of Maatatahay show tiles with their strength, crystals, relics, strips and stream."""

from xml.etree import ElementTree as ET

import pytest

from pentathlon_engines.maatatahay import MaatatahayState
from tests.engines.drawing.svg_parts import classes, group, texts
from tests.engines.maatatahay.positions import MAATATAHAY, do, position

BOARD = {"b1": "0.5n s2e1", "c1": "1.11e", "d1": "1.12n", "a2": "1.9x", "e1": "0.4n"}


def root(state: MaatatahayState) -> ET.Element:
    return ET.fromstring(state.svg())


def turns(part: ET.Element) -> list[str]:
    """Return how far the wedges of a tile are turned; one to the north is not."""
    wedges = [shape for shape in part.iter() if "b-wedge" in shape.get("class", "")]
    found = [shape.attrib["transform"].split("rotate(") for shape in wedges]
    return [places[1].partition(")")[0] if len(places) > 1 else "0" for places in found]


def test_a_living_tile_shows_strength_claws_crystals_and_arrows() -> None:
    cell = group(root(position(BOARD, pair=[7, 8])), "data-cell", "b1")

    assert cell[0].text == (
        "b1: hunter of seat 0 facing n, strength 3 (claws 2), 2 gems, 2 spirit, 1 energy"
    )
    assert texts(cell) == ["3", "2", "2", "1"]
    assert classes(cell).count("b-gem") == 2
    assert turns(cell) == ["0", "180"]


def test_arrows_turn_with_the_face() -> None:
    cell = group(root(position(BOARD, pair=[7, 8])), "data-cell", "c1")

    assert turns(cell) == ["0", "180"]  # e and w, facing e


@pytest.mark.parametrize(("face", "height"), [("n", 34), ("e", 68)])
def test_the_mark_of_a_special_tile_keeps_clear_of_its_arrows(face: str, height: int) -> None:
    cell = group(root(position({"a5": f"0.12{face}"})), "data-cell", "a5")

    (mark,) = [shape for shape in cell if "scale(0.667)" in shape.get("transform", "")]

    assert mark.attrib["transform"].startswith(f"translate(69 {height})")


def test_corners_tell_the_seats_apart() -> None:
    picture = root(position(BOARD, pair=[7, 8]))
    mine, other = (
        next(shape for shape in group(picture, "data-cell", space) if shape.get("width") == "88")
        for space in ("b1", "c1")
    )

    assert (mine.get("rx"), other.get("rx")) == ("18", "6")
    assert "seat-0 " in mine.attrib["class"]
    assert "seat-1 " in other.attrib["class"]


def test_a_dead_tile_has_a_cross_and_no_figures() -> None:
    cell = group(root(position(BOARD, pair=[7, 8])), "data-cell", "a2")

    assert cell[0].text == "a2: dead champion of seat 1"
    assert "seat-1-line" in classes(cell)
    assert texts(cell) == []


def test_relics_lie_on_shrines_until_taken() -> None:
    picture = root(position(BOARD, pair=[7, 8], relics_on_map=["b2"]))

    assert group(picture, "data-cell", "b2")[0].text == "b2: shrine with relic"
    assert group(picture, "data-cell", "d4")[0].text == "d4: empty shrine"
    assert "b-wis" in classes(group(picture, "data-cell", "b2"))
    assert "b-wis" not in classes(group(picture, "data-cell", "d4"))


def test_crystals_lie_on_the_ground() -> None:
    cell = group(root(position(ground={"a5": "s1e2"})), "data-cell", "a5")

    assert cell[0].text == "a5: 1 spirit, 2 energy"
    assert classes(cell)[1:] == ["bt", "b-en", "b-en"]


def test_a_strip_shows_store_relics_and_the_fallen() -> None:
    state = position(BOARD, pair=[7, 8], storage=["s1e2", "s3e0"], deaths=[0, 1])
    mine, other = (group(root(state), "data-seat", seat) for seat in "01")

    assert texts(mine) == ["0", "store", "1", "2", "relics", "0", "fallen", "0"]
    assert texts(other) == ["1", "store", "3", "0", "relics", "0", "fallen", "1"]
    assert "b-last" in classes(mine)
    assert "b-last" not in classes(other)


def test_the_last_tile_is_marked() -> None:
    before, after = position(), do(position(), "place a1")

    def last_shape(state: MaatatahayState) -> str:
        return root(state)[-1].get("class", "")

    assert last_shape(before) != "b-last"
    assert last_shape(after) == "b-last"


def test_the_track_beyond_its_end_shows_its_figure() -> None:
    state = position({"a1": "0.3n"}, to_move=1, step=1, deaths=[4, 3], round_deaths=2, pair=[7, 9])
    do(state, "place e5", "face n", "add s0e0")

    assert texts(root(state))[-1] == "7"


def test_a_description_tells_the_score_and_the_end() -> None:
    state = position({"a1": "0.3n"}, to_move=1, step=1, deaths=[4, 3], round_deaths=2, pair=[7, 9])
    do(state, "place e5", "face n", "add s0e0")

    description = root(state)[1].text or ""

    assert "Seat 0: 0 spirit 0 energy in store, 0 relics, 4 fallen, 3 points." in description
    assert "last tile on e5; seat 0 won (deaths)." in description


def test_a_terminal_shows_rows_from_the_north() -> None:
    lines = str(position(BOARD, pair=[7, 8], ground={"a5": "s1e2"})).splitlines()

    assert lines[0].split() == ["a", "b", "c", "d", "e"]
    assert lines[1].split() == ["5", "see", ".", ".", ".", "."]
    assert lines[4].split() == ["2", "1:x", "R", ".", "R", "."]
    assert lines[5].split() == ["1", ".", "0:5n=3+2s", "1:11e=2", "1:12n=2", "0:4n=2"]
    assert lines[6].startswith("> seat 0:")


def test_before_the_setup_nothing_is_laid() -> None:
    state = MAATATAHAY.start()

    assert "the crystals are not laid yet" in str(state)
    assert "Stream: none." in (ET.fromstring(state.svg())[1].text or "")
