"""The parts from which all boards are drawn."""

import re
from xml.etree import ElementTree as ET

import pytest

from pentathlon_engines.drawing import svg
from pentathlon_engines.drawing.svg import Picture
from pentathlon_engines.drawing.terminal import lines, width_of
from pentathlon_engines.light_json import read_data

GLYPHS = read_data(svg.__file__, "glyphs.json")
PALETTE = read_data(svg.__file__, "palette.json")


def shapes(picture: Picture) -> list[ET.Element]:
    """Return what was drawn, without title, description and table."""
    document = picture.document(title="Show, ply 0", description="Nothing happened.")
    return list(ET.fromstring(document))[3:]


def shape_of(part: ET.Element) -> list[str | None]:
    """Return all that gives a drawn part its form and place."""
    return [part.get(name) for name in ("d", "transform", "x", "y", "width", "height", "rx")]


def picture(height: float = 700) -> Picture:
    return Picture(height=height, field=(50, 78, 500, 500))


@pytest.mark.parametrize(("height", "shape"), [(522, "wide"), (700, "tall"), (1000, "tall long")])
def test_a_board_says_its_shape_and_its_field(height: float, shape: str) -> None:
    root = ET.fromstring(picture(height).document(title="Show", description="A & B"))

    assert root.attrib["class"] == f"board {shape}"
    assert root.attrib["data-field"] == "50 78 500 500"
    assert root[1].text == "A & B"


@pytest.mark.parametrize("seat", range(5))
def test_a_seat_has_its_shape_colour_and_number(seat: int) -> None:
    drawn = picture()
    drawn.seat_piece(seat, (100, 50), size=24, inside=str(seat))

    halo, piece, number = shapes(drawn)

    assert halo.attrib["class"] == "b-halo"
    assert shape_of(halo) == shape_of(piece)
    assert piece.attrib["fill"] == PALETTE[f"seat-{seat}"]["fill"]
    assert number.text == str(seat)
    assert float(number.attrib["y"]) == pytest.approx(58 if seat == 2 else 56, abs=0.1)


@pytest.mark.parametrize("seat", [2, 3, 4])
def test_a_shape_with_corners_is_its_glyph(seat: int) -> None:
    drawn = picture()
    drawn.seat_piece(seat, (100, 50), size=24)

    assert shapes(drawn)[1].attrib["d"] == GLYPHS[f"seat-{seat}"]


@pytest.mark.parametrize(
    ("seat", "form", "outline"),
    [
        (0, {"cx": "12", "cy": "12", "r": "9.5"}, "M12 2.5A9.5 9.5 0 1 1 12 21.5"),
        (
            1,
            {"x": "3", "y": "3", "width": "18", "height": "18", "rx": "2.5"},
            "M5.5 3H18.5A2.5 2.5 0 0 1 21 5.5V18.5",
        ),
    ],
)
def test_a_disc_and_a_square_look_like_their_glyphs(
    seat: int, form: dict[str, str], outline: str
) -> None:
    drawn = picture()
    drawn.seat_piece(seat, (12, 12), size=24)

    piece = shapes(drawn)[1]

    assert form.items() <= piece.attrib.items()
    assert GLYPHS[f"seat-{seat}"].startswith(outline)


def test_a_stroke_keeps_its_width_at_any_size() -> None:
    drawn = picture()
    drawn.seat_piece(3, (100, 50), size=12)

    _, piece = shapes(drawn)

    assert piece.attrib["transform"] == "translate(94 44) scale(0.5)"
    assert piece.attrib["stroke-width"] == "4"


def test_a_stroke_of_the_usual_width_goes_without_saying() -> None:
    drawn = picture()
    drawn.rect((10, 20, 30, 40), paint="b-grid", width=1)
    drawn.rect((10, 20, 30, 40), paint="b-grid", width=1.5)

    assert [shape.get("stroke-width") for shape in shapes(drawn)] == [None, "1.5"]


def test_only_texts_that_are_not_centred_name_their_anchor() -> None:
    drawn = picture()
    drawn.text("left", (10, 20), anchor="start")
    drawn.text("middle", (10, 20))

    root = ET.fromstring(drawn.document(title="Show", description="Nothing happened."))

    assert root.attrib["text-anchor"] == "middle"
    assert [part.get("text-anchor") for part in shapes(drawn)] == ["start", None]


def test_a_glyph_can_be_turned() -> None:
    drawn = picture()
    drawn.glyph("arrow", (10, 20), size=12, paint="b-rock", turn=45)

    (arrow,) = shapes(drawn)

    expected = "translate(10 20) rotate(45) scale(0.5) translate(-12 -12)"
    assert arrow.attrib["transform"] == expected


def test_pieces_that_touch_hide_the_line_between_them() -> None:
    drawn = picture()
    drawn.winning_line([(100, 100), (100, 140), (100, 300)], half=(50, 25))

    (line,) = shapes(drawn)

    assert line.attrib["d"] == "M100 165L100 275"


def test_each_glyph_is_one_closed_path() -> None:
    path = re.compile(r"M[-0-9. ACHLMQSVZ]+Z")

    assert {name: drawn for name, drawn in GLYPHS.items() if not path.fullmatch(drawn)} == {}


def test_each_class_has_a_colour_for_fill_or_stroke() -> None:
    painted = re.compile("{'(fill|stroke)': '#[0-9a-f]{6}'}")

    assert {name: each for name, each in PALETTE.items() if not painted.fullmatch(str(each))} == {}


def test_columns_may_be_named_at_another_height() -> None:
    drawn = picture()
    drawn.coordinates("ab", "1", size=100, columns_at=60)

    assert [(name.text, name.get("y")) for name in shapes(drawn)] == [
        ("a", "67"),
        ("b", "67"),
        ("1", "135"),
    ]


def test_a_drop_carries_its_letter_instead_of_a_gleam() -> None:
    drawn = picture()
    drawn.drop("azure", "A", (100, 50))

    drop, letter = shapes(drawn)

    assert drop.attrib["d"].count("Z") == 1
    assert drop.attrib["class"] == "qi-azure qi-edge"
    assert (letter.text, letter.attrib["fill"]) == ("A", "#ffffff")


def test_texts_of_the_usual_size_do_not_name_it() -> None:
    drawn = picture()
    drawn.text("usual", (10, 20))
    drawn.text("large", (10, 20), size=24)

    root = ET.fromstring(drawn.document(title="Show", description="Nothing happened."))

    assert root.attrib["font-size"] == "20"
    assert [part.get("font-size") for part in shapes(drawn)] == [None, "24"]


def test_texts_of_a_card_start_at_their_place() -> None:
    drawn = picture()
    with drawn.card("rook", "rook, common"):
        drawn.text("left", (10, 20), anchor="start")
        drawn.text("middle", (10, 20))
    drawn.text("outside", (10, 20))

    card, outside = shapes(drawn)

    assert (card.attrib["data-card"], card.attrib["text-anchor"]) == ("rook", "start")
    assert [part.get("text-anchor") for part in card[1:]] == [None, "middle"]
    assert outside.get("text-anchor") is None


def test_several_forms_and_dots_are_one_shape_each() -> None:
    drawn = picture()
    drawn.polygons([[(1, 2), (4, 2), (1, 5)], [(9, 9), (7, 9), (9, 7)]], paint="b-mr")
    drawn.dots([(10, 20), (30, 20)], size=8, paint="b-mg")

    triangles, dots = shapes(drawn)

    assert triangles.attrib["d"] == "M1 2h3l-3 3zM9 9h-2l2-2z"
    assert dots.attrib["d"].startswith("M6 20a4 4 0 1 0 8 0 4 4 0 1 0-8 0zM26 20")


def test_lines_keep_all_words_and_fit() -> None:
    text = "Every non-legendary piece (any owner) on the four orthogonal neighbour squares."

    broken = lines(text, size=17, width=240)

    assert " ".join(broken) == text
    assert len(broken) > 2
    assert all(width_of(line, size=17) <= 240 for line in broken)


def test_a_word_that_is_too_long_has_its_own_line() -> None:
    assert lines("an extraordinary word", size=20, width=60) == ["an", "extraordinary", "word"]


def test_a_paragraph_is_one_text_whose_lines_start_below_each_other() -> None:
    drawn = picture()
    drawn.paragraph(["one", "two & three"], (30, 40), size=20, leading=24)

    (text,) = shapes(drawn)

    assert (text.get("x"), text.get("y"), text.get("text-anchor")) == ("30", "47", "start")
    assert text.text == "one"
    assert [(line.text, line.get("x"), line.get("dy")) for line in text] == [
        ("two & three", "30", "24")
    ]
