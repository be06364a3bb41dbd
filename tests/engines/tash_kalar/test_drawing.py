"""Pictures of Tash-Kalar show arena, ranks, tasks and the last effect, and to a seat its hand."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pentathlon_engines.drawing import svg
from pentathlon_engines.drawing.terminal import lines
from pentathlon_engines.light_json import read_data
from pentathlon_engines.tash_kalar import GAME
from pentathlon_engines.tash_kalar.board import NAMES
from pentathlon_engines.tash_kalar.cards.catalogue import TASK_FILE
from pentathlon_engines.tash_kalar.drawing.description import of_now
from pentathlon_engines.tash_kalar.drawing.table import last_card, marks_of
from tests.engines.drawing.svg_parts import classes, group, texts

GLYPHS = read_data(svg.__file__, "glyphs.json")
HANDS = [
    {"beings": ["legend_slayer", "war_drummer"], "legends": ["fire_dragon"], "flare": "flare_07"},
    {"beings": ["naiad"], "legends": [], "flare": None},
]
BOARD = {
    "c5": {"owner": 0, "rank": "common"},
    "e5": {"owner": 0, "rank": "heroic"},
    "d7": {"owner": 1, "rank": "legendary"},
    "d4": {"owner": 1, "rank": "common"},
}
FOUR = {name: {"owner": 0, "rank": "common"} for name in ("d4", "e4", "d5", "e5")}
TASKS = {
    "current": ["task_color_conquest", "task_isolation", "task_side_chain"],
    "next": "task_diagonals",
    "claimed": [["task_destruction"], []],
    "under": [],
}
HIGH_FORM: dict[str, Any] = {
    "options": {"mode": "high_form", "decks": ["highland", "sylvan"]},
    "to_move": 0,
    "phase": "main",
    "board": BOARD,
    "hands": HANDS,
    "tasks": TASKS,
}
DUEL: dict[str, Any] = {
    "options": {"mode": "deathmatch_duel", "decks": ["highland", "sylvan"]},
    "to_move": 0,
    "phase": "main",
    "board": BOARD,
    "hands": HANDS,
}


def root(data: dict[str, Any], seat: int | None = None, *actions: str) -> ET.Element:
    """Return the picture of a position after actions."""
    state = GAME.load(data)
    for text in actions:
        state.apply(state.parse(text))
    return ET.fromstring(state.svg(seat))


def words(part: ET.Element) -> list[str]:
    """Return what is written in a group, a paragraph as one text."""
    return [" ".join(text.itertext()) for text in part.iter() if text.tag.endswith("}text")]


def glyphs(part: ET.Element) -> list[str]:
    """Return the names of the glyphs of a group in drawing order."""
    names = {path: name for name, path in GLYPHS.items()}
    return [names[shape.attrib["d"]] for shape in part.iter() if shape.get("d") in names]


def cards(picture: ET.Element) -> list[str]:
    """Return which cards and tasks are drawn, from the top."""
    return [part.attrib["data-card"] for part in picture.iter() if "data-card" in part.attrib]


def test_the_arena_has_its_squares_and_no_corners() -> None:
    cells = [part.get("data-cell") for part in root(DUEL).iter() if "data-cell" in part.attrib]

    assert len(cells) == 69
    assert set(cells) == set(NAMES) - {""}
    assert cells[0] == "c9"  # the highest rank is at the top


@pytest.mark.parametrize(
    ("square", "title", "shown", "sign"),
    [
        ("c5", "c5: common of seat 0", "seat-0 b-edge", []),
        ("e5", "e5, red: heroic of seat 0", "seat-0 b-edge", ["heroic"]),
        ("d7", "d7: legendary of seat 1", "seat-1 b-edge", ["legendary"]),
        ("d4", "d4: common of seat 1", "seat-1 b-edge", []),
    ],
)
def test_a_piece_shows_owner_and_rank(
    square: str, title: str, shown: str, sign: list[str]
) -> None:
    cell = group(root(DUEL), "data-cell", square)

    assert cell[0].text == title
    assert shown in classes(cell)
    assert glyphs(cell) == sign


@pytest.mark.parametrize(
    ("square", "paint"),
    [
        ("c2", ["b-red b-grid", "b-mr"]),
        ("c7", ["b-gre b-grid", "b-mg"]),
        ("d6", ["b-cell2 b-grid"]),
        ("a4", ["b-cell b-grid"]),
    ],
)
def test_squares_differ_by_more_than_colour(square: str, paint: list[str]) -> None:
    assert classes(group(root(DUEL), "data-cell", square)) == paint


def test_a_strip_shows_hand_supply_deck_and_points() -> None:
    picture = root({**DUEL, "scores": [17, 4]})
    mine, other = (group(picture, "data-seat", seat) for seat in "01")

    assert texts(mine) == [
        "0",
        "?",
        "2",
        "1",
        "1",
        "14",
        "3",
        "Highland",
        "deck 16",
        "points",
        "17",
    ]
    assert texts(other) == ["1", "?", "1", "0", "0", "15", "2", "Sylvan", "deck 17", "points", "4"]
    assert "b-last" in classes(mine)
    assert "b-last" not in classes(other)


def test_a_seat_sees_its_own_hand_only() -> None:
    assert cards(root(DUEL, 0)) == ["legend_slayer", "war_drummer", "fire_dragon", "flare_07"]
    assert cards(root(DUEL, 1)) == ["naiad"]
    assert cards(root(DUEL)) == []


def test_what_a_spectator_sees_does_not_depend_on_hands() -> None:
    other = [{"beings": ["dire_wolf", "warlord"], "legends": ["titan"], "flare": "flare_01"}]

    assert GAME.load(DUEL).svg() == GAME.load({**DUEL, "hands": [*other, HANDS[1]]}).svg()


def test_a_card_shows_rank_name_effect_and_pattern() -> None:
    card = group(root(DUEL, 0), "data-card", "war_drummer")

    assert card[0].text == "War Drummer, heroic"
    name, effect = words(card)
    assert name == "War Drummer"
    assert effect.startswith("Using pieces of yours other than the War Drummer: either one")
    assert effect.endswith("or up to two standard moves.")
    # Face, cells, commons, the frame of the summon square, rank, name, effect.
    assert classes(card) == ["b-cell b-edge", "b-cell2", "bt", "b-last", "bt", "bt", "bt"]
    assert card[3].attrib["d"].count("M") == 4  # 2 x 2 commons, one on the summon square


def test_marks_heroics_and_directions_of_a_pattern_are_drawn() -> None:
    picture = root(DUEL, 0)
    slayer = group(picture, "data-card", "legend_slayer")
    dragon = group(picture, "data-card", "fire_dragon")

    marks = [shape for shape in slayer if shape.get("class") == "b-wis"]
    arrows = [shape for shape in dragon if shape.get("d") == GLYPHS["support"]]

    assert [shape.attrib["d"].count("M") for shape in marks] == [4]
    assert glyphs(dragon).count("heroic") == 3
    assert [turn(arrow) for arrow in arrows] == ["270", "90", "225", "180", "135"]


def turn(arrow: ET.Element) -> str:
    return arrow.attrib["transform"].partition("rotate(")[2].partition(")")[0]


def test_marks_of_the_second_kind_are_rings() -> None:
    hands = [{"beings": [], "legends": ["titan"], "flare": None}, HANDS[1]]
    card = group(root({**DUEL, "hands": hands}, 0), "data-card", "titan")

    assert classes(card).count("b-grid") == 4


def test_a_flare_says_what_each_half_needs() -> None:
    flare = group(root(DUEL, 0), "data-card", "flare_07")

    assert words(flare) == [
        "Flare 4 / 6",
        "4+ upgraded behind: Place one of your commons on an empty square.",
        "6+ pieces behind: Upgrade one of your commons. Gain one action.",
    ]
    assert glyphs(flare) == ["flare", "heroic", "common"]


def test_tasks_lie_open_with_the_next_one_and_those_claimed() -> None:
    picture = root(HIGH_FORM)

    assert cards(picture) == [*TASKS["current"], TASKS["next"], "task_destruction"]
    task = group(picture, "data-card", "task_isolation")
    assert words(task) == ["2", "Isolation", "An enemy near another, but 3 moves join it to none."]
    assert "stroke-dasharray" in group(picture, "data-card", "task_diagonals")[1].attrib
    claimed = group(picture, "data-card", "task_destruction")
    assert (claimed[0].text or "").startswith("claimed by seat 0: Destruction (1)")
    assert texts(claimed) == ["1"]


@pytest.mark.parametrize("task", TASK_FILE["cards"], ids=lambda task: task["id"])
def test_a_task_fits_on_its_card(task: dict[str, Any]) -> None:
    assert len(lines(task["text"], size=17, width=262)) <= 2


def test_the_card_in_play_is_shown_to_all_with_its_square() -> None:
    data = {**DUEL, "board": {**FOUR, "g7": {"owner": 1, "rank": "common"}}}

    before, after = root(data), root(data, None, "summon war_drummer d4", "move e5 f6")

    assert cards(before) == []
    assert "No card in play" in texts(before)
    assert cards(after) == ["war_drummer"]
    assert "on d4" in words(group(after, "data-card", "war_drummer"))
    assert group(after, "data-cell", "f6")[0].text == "f6: common of seat 0"


def test_pictures_of_all_plies_are_equally_high() -> None:
    data = {**HIGH_FORM, "board": FOUR}

    before, after = root(data), root(data, None, "summon war_drummer d4")

    assert before.attrib["viewBox"] == after.attrib["viewBox"]


def test_at_the_setup_the_marked_squares_are_framed() -> None:
    data = {**DUEL, "board": {}, "to_move": 1, "phase": "setup"}
    frames = [shape for shape in root(data).iter() if shape.get("stroke-dasharray") == "9 7"]

    assert len(frames) == 2


def test_a_full_arena_stays_small() -> None:
    ranks = ["common"] * 13 + ["heroic"] * 3 + ["legendary"] * 3
    pieces = [{"owner": owner, "rank": rank} for owner in (0, 1) for rank in ranks]
    board = dict(zip(filter(None, NAMES), pieces, strict=False))
    state = GAME.load({**HIGH_FORM, "board": board})

    assert len(state.svg()) < 38_000
    assert len(state.svg(0)) < 47_000


def test_a_terminal_shows_pieces_colours_and_seats() -> None:
    shown = str(GAME.load({**HIGH_FORM, "scores": [1, 1]})).splitlines()

    assert shown[0].split() == list("abcdefghi")
    assert shown[1].split() == ["9", ".", ".", ".", ".", "."]
    assert shown[3].split() == ["7", ".", ".", "g", "1L", ".", ".", "g", ".", "."]
    assert shown[5].split() == ["5", "g", ".", "0c", ".", "0hr", ".", ".", ".", "."]
    assert shown[10] == (
        "> seat 0: Highland, 2 beings, 1 legend, 1 flare, supply 15 + 3, deck 16, 1 point"
    )
    assert "next: Diagonals (3): 4+ pieces, 1+ upgraded, on each main diagonal." in shown
    assert "claimed by seat 0: Destruction" in shown
    assert shown[-2:] == ["turn 2, 2 actions left", "seat 0: an action is due"]


def test_the_end_is_told_in_words() -> None:
    seen = GAME.load(DUEL).observation(None)
    won = {"ranks": [1, 0], "reason": "points", "scores": [4, 18]}
    drawn = {"ranks": [0, 0], "reason": "deck", "scores": [3, 3]}

    assert of_now({**seen, "result": won}) == "seat 1 won, 4 : 18 (points)"
    assert of_now({**seen, "result": drawn}) == "a draw, 3 : 3 (deck)"


def test_final_turns_are_announced() -> None:
    seen = GAME.load(DUEL).observation(None)
    end = {"seat": 1, "reason": "deck", "turns_left": 2}

    assert of_now({**seen, "end": end}) == "seat 0: an action is due; 2 final turns left"


def test_what_a_turn_destroyed_is_counted() -> None:
    counters = {"destroyed": {"common": 3, "heroic": 0, "legendary": 1}, "summoned": []}
    picture = root({**DUEL, "counters": counters})

    assert "Destroyed this turn: 3 common, 1 legendary." in (picture[1].text or "")


@pytest.mark.parametrize(
    ("events", "targets", "origins", "destroyed"),
    [
        ([(0, "place c5"), (0, "place d5")], ["d5"], [], []),
        (
            [(0, "place a5"), (0, "summon hypnotist e5"), (0, "move c4 c5"), (0, "move c5 c6")],
            ["e5", "c5", "c6"],
            ["c4"],
            [],
        ),
        ([(1, "summon dryad b4"), (1, "destroy b5"), (1, "end")], ["b4"], [], ["b5"]),
        (
            [(0, "flare"), (0, "pick c3"), (0, "leap g7"), (-1, "shuffle flares 2")],
            ["g7"],
            ["c3"],
            [],
        ),
        ([(0, "summon swordmaster e5"), (1, "discard being")], [], [], []),
        ([(0, "summon summoner e5"), (0, "place d6"), (0, "pass")], ["e5", "d6"], [], []),
        ([], [], [], []),
    ],
)
def test_squares_of_the_last_effect_are_marked(
    events: list[tuple[int, str]], targets: list[str], origins: list[str], destroyed: list[str]
) -> None:
    marks = marks_of(events)

    assert marks.targets == targets
    assert [name for name in marks.origins if name not in marks.targets] == origins
    assert marks.destroyed == destroyed


def test_what_an_effect_destroys_by_itself_is_marked_until_the_next_action() -> None:
    ready = {name: {"owner": 0, "rank": "common"} for name in ("c2", "d2", "e2", "d3")}
    board = {**ready, "d5": {"owner": 1, "rank": "common"}, "f7": {"owner": 1, "rank": "common"}}
    hand = {"beings": ["hill_giant"], "legends": [], "flare": None}
    data = {**DUEL, "board": board, "hands": [hand, HANDS[1]]}

    assert frames(root(data)) == 0
    assert frames(root(data, None, "summon hill_giant d4")) == 2
    assert frames(root(data, None, "summon hill_giant d4", "place a5")) == 0


def frames(picture: ET.Element) -> int:
    """Return how many squares are marked as left or emptied."""
    return sum(shape.get("stroke-dasharray") == "9 7" for shape in picture.iter())


@pytest.mark.parametrize(
    ("events", "card"),
    [
        ([(0, "summon cannon e5 r90"), (0, "dir n"), (1, "place c5")], ("cannon", "e5")),
        ([(0, "summon cannon e5 r90"), (0, "flare"), (0, "place c5")], ("flare_02", "")),
        ([(0, "summon cannon e5 r90"), (1, "thaw"), (1, "place c5")], ("ice_wyvern", "")),
        ([(0, "place c5")], ("", "")),
    ],
)
def test_the_last_card_is_the_latest_being_or_flare(
    events: list[tuple[int, str]], card: tuple[str, str]
) -> None:
    played = {"flares": ["flare_05", "flare_02"], "beings": [[], ["ice_queen", "ice_wyvern"]]}

    assert last_card(events, played) == card
