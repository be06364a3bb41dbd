"""Pictures of Way of the Dragon show pieces, dice, powers, the last move and whose turn it is."""

from xml.etree import ElementTree as ET

import pytest

from pentathlon_engines import State
from tests.engines.drawing.svg_parts import classes, group, texts
from tests.engines.way_of_the_dragon.positions import DRAGON, do, pieces, position

POWERS = {"powers": True}


def root(state: State) -> ET.Element:
    """Return the picture of a state."""
    return ET.fromstring(state.svg())


def frames(state: State) -> int:
    """Return how many dice have a frame."""
    shapes = root(state).iter()
    return sum(shape.get("class") == "b-last" and shape.get("rx") == "12" for shape in shapes)


def test_a_space_says_what_stands_on_it() -> None:
    state = position(pieces(water=4, metal=6), pieces(wood=7), dice="wwmdd", dead={"fire": [2]})
    picture = root(state)

    titles = [group(picture, "data-cell", name)[0].text for name in ("water 4", "water 5")]
    numbers = [group(picture, "data-cell", name)[0].text for name in ("metal 6", "wood 7")]
    dead = group(picture, "data-cell", "fire 2")

    assert titles == ["water 4: seat 0, black", "water 5: empty"]
    assert numbers == ["metal 6, 1 point: seat 0, black", "wood 7, 2 points: seat 1, red"]
    assert dead[0].text == "fire 2: dead piece"
    assert "b-rock" in classes(dead)


def test_a_piece_on_a_number_shows_its_points() -> None:
    picture = root(position(pieces(metal=8), pieces(), dice="wwmdd"))

    with_piece = group(picture, "data-cell", "metal 8")
    without = group(picture, "data-cell", "metal 9")

    assert texts(with_piece) == ["3"]
    assert "seat-0-ink" in classes(with_piece)
    assert texts(without) == ["4"]
    assert "bm" in classes(without)


@pytest.mark.parametrize(
    ("options", "shown"), [({}, False), ({"powers": True}, True), ({"immunity": True}, True)]
)
def test_pieces_carry_their_color_only_where_it_matters(
    options: dict[str, bool], shown: bool
) -> None:
    state = position(pieces(), pieces(metal=3), dice="wwmdd", options=options)

    drawn = classes(group(root(state), "data-cell", "metal 3"))

    assert ("el-fire-ink" in drawn) == shown


def test_the_list_shows_points_turn_and_used_powers() -> None:
    state = position(pieces(), pieces(metal=9), dice="wwmdd", options=POWERS)
    do(state, "fear")
    picture = root(state)

    first, second = (group(picture, "data-seat", seat) for seat in "01")

    assert first[0].text == "seat 0: black, 0 points, 0 of 5 on numbers, power used"
    assert second[0].text == "seat 1: red, 4 points, 1 of 5 on numbers, power not used"
    assert texts(second) == ["1", "4"]
    assert "b-rock" in classes(first)
    assert "b-rock" not in classes(second)
    assert ["b-last" in classes(part) for part in (first, second)] == [False, True]


def test_kept_dice_have_a_frame() -> None:
    state = position(pieces(), pieces(), dice="wwmdd", phase="keep", rolls_left=2)
    none = frames(state)
    do(state, "keep wwd")
    rolling = frames(state)
    do(state, "roll wwwwd")

    assert (none, rolling, frames(state)) == (0, 3, 3)


@pytest.mark.parametrize(
    ("action", "framed"),
    [("move water", 2), ("wild water 3", 3), ("wild fire 1", 1), ("wild fire 2", 2)],
)
def test_dice_that_were_used_have_a_frame(action: str, framed: int) -> None:
    state = position(*[pieces()] * 5, dice="wwmdd", seat=4, options=POWERS)

    assert frames(do(state, action)) == framed


def test_all_dice_of_an_equilibrium_and_the_dragons_of_a_swap_have_a_frame() -> None:
    balanced = position(pieces(), pieces(), dice="wfmeo")
    called = position(pieces(water=2), pieces(water=8), dice="wdddd")
    passed = position(pieces(water=7), pieces(), dice="wwwww")

    assert frames(do(balanced, "equilibrium")) == 5
    assert frames(do(called, "swap water 2 8")) == 4
    assert frames(do(passed, "pass")) == 0


@pytest.mark.parametrize(
    ("action", "brackets", "dashed"),
    [("move metal", 1, 0), ("move water", 1, 1), ("swap water 2 8", 2, 0), (None, 0, 0)],
)
def test_what_was_moved_is_marked(action: str | None, brackets: int, dashed: int) -> None:
    dice = {"move metal": "wwmdd", "move water": "wwmdd"}.get(str(action), "wdddd")
    state = position(pieces(water=2), pieces(water=8), dice=dice)
    if action:
        do(state, action)

    marks = [shape for shape in root(state) if shape.get("class") == "b-last"]

    assert sum(mark.get("stroke-width") == "5" for mark in marks) == brackets
    assert sum("stroke-dasharray" in mark.attrib for mark in marks) == dashed


@pytest.mark.parametrize(
    ("texts_of_match", "words"),
    [
        ([], ["setting", "up"]),
        (["start 1"], ["seat 1", "begins"]),
        (["start 1", "roll wwmdd"], ["2 rolls", "left"]),
        (["start 1", "roll wwmdd", "keep ww"], ["rolling", "again"]),
        (["start 1", "roll wwmdd", "keep ww", "roll wwwmd"], ["1 roll", "left"]),
        (["start 1", "roll wwmdd", "stop"], ["0 rolls", "left"]),
        (["start 1", "roll wwmdd", "stop", "move water"], ["seat 0", "is next"]),
    ],
)
def test_words_beside_the_dice_say_what_comes(texts_of_match: list[str], words: list[str]) -> None:
    state = DRAGON.start(2)
    for text in texts_of_match:
        if text.split()[0] in ("start", "roll"):
            state.apply_chance(text)
        else:
            state.apply(state.parse(text))

    written = texts(root(state))

    place = written.index(words[0])
    assert written[place : place + 2] == words


def test_long_paths_fit_into_the_field() -> None:
    start = DRAGON.start(2).to_json()
    picture = root(DRAGON.load(start | {"plain_spaces": [12, 3, 5, 5, 5]}))

    names = [part.get("data-cell") for part in picture.iter() if part.get("data-cell")]

    assert len(names) == 17 + 8 + 3 * 10
    right = max(float(part.get("x", 0)) for part in picture.iter())
    assert right < 600


def test_the_terminal_shows_paths_dice_seats_and_end() -> None:
    mine = pieces(water=6, fire=6, metal=6, earth=6, wood=5)
    state = position(mine, pieces(wood=3), dice="foddd", dead={"water": [2]})
    before = str(state)
    do(state, "move wood")

    assert before.splitlines() == [
        "        1   2   3   4   5   6   7   8   9   10",
        "water   .   xx  .   .   .   s0  +2  +3  +4  +5",
        "fire    .   .   .   .   .   s0  +2  +3  +4  +5",
        "metal   .   .   .   .   .   s0  +2  +3  +4  +5",
        "earth   .   .   .   .   .   s0  +2  +3  +4  +5",
        "wood    .   .   s1  .   s0  +1  +2  +3  +4  +5",
        "dice foddd; 0 rolls left",
        "> seat 0: black, 4 points, 4 of 5 on numbers",
        "  seat 1: red, 0 points, 0 of 5 on numbers",
        "ply 0, no action yet",
    ]
    assert str(state).splitlines()[-1] == "ply 1, last action: seat 0 move wood; seat 0 won (race)"


def test_a_shared_win_names_all_winners() -> None:
    state = position(pieces(water=6), pieces(fire=6), dice="wwwdd", turn=120)

    do(state, "pass")

    assert str(state).endswith("last action: seat 0 pass; seats 0 and 1 share (cap)")
