"""What the commentaries say of the rules' worked examples, sentence by sentence."""

from random import Random

import pytest

from pentathlon_engines import CHANCE, GAMES, Game, Outcome, State
from pentathlon_engines.contract import plain
from pentathlon_engines.contract.author_guide import steps_of
from pentathlon_engines.contract.presentation import Change
from tests.engines.twelve_game import TWELVE

_TASH_KALAR = {
    "options": {"mode": "high_form", "decks": ["highland", "sylvan"]},
    "turn": 4,
    "to_move": 0,
    "phase": "main",
    "actions_left": 2,
}


def example(name: str) -> State:
    """Return the position with which a worked example begins."""
    game = name.rpartition("-")[0]
    short = name.removeprefix("way_of_the_")
    example = next(each for each in GAMES[game].examples() if each["id"] == short)
    return GAMES[game].load(example["position"])


def tell(state: State, text: str, viewer: int | None = None) -> str:
    """Do an event and return what a viewer reads of it."""
    seat = state.to_move
    assert seat is not None
    before, event = state.observation(viewer), state.event_for(viewer, text)
    if seat == CHANCE:
        state.apply_chance(text)
    else:
        state.apply(state.parse(text))
    change = Change(before, seat, event, state.observation(viewer))
    return state.game.commentary().tell(change)


@pytest.mark.parametrize(
    ("name", "actions", "sentence"),
    [
        pytest.param("tuned-1", ["add donkey b2"], "Violet puts a donkey on b2", id="add"),
        pytest.param(
            "tuned-3",
            ["move a1 c3 2"],
            "Violet moves the cat and dog from a1 to c3, on top of a donkey, and uncovers a "
            "donkey; Violet's next turn must be an add",
            id="part of a stack",
        ),
        pytest.param(
            "tuned-10",
            ["add dog c3"],
            "Violet puts a dog on c3, on top of a donkey; that empties Violet's hand, so every "
            "further turn is a move",
            id="last animal of a hand",
        ),
        pytest.param(
            "azure-3",
            ["place d5"],
            "Violet puts a stone on d5, pays 2 black, takes 1 vermillion, +2 wisdom (now 6)",
            id="cost and boons",
        ),
        pytest.param(
            "azure-5",
            ["place b3"],
            "Violet puts a stone on b3, pays nothing, takes 1 white, gains the favour of the "
            "Tortoise from Amber, Amber takes the stone back from the black mountain, Violet puts "
            "a stone on the black mountain, gains the favour of the Tiger from Amber, Amber "
            "\N{MINUS SIGN}2 wisdom (now 7), Violet +2 wisdom (now 7)",
            id="beasts that change hands",
        ),
        pytest.param(
            "azure-7",
            ["place b6", "return AB"],
            "Amber gives back 1 azure and 1 black, Violet draws 2 hidden cards",
            id="cards given back",
        ),
        pytest.param(
            "azure-15",
            ["place a2", "boon wisdom"],
            "Violet chooses wisdom: +1 wisdom (now 6)",
            id="boon of the gifted stone",
        ),
        pytest.param(
            "maatatahay-1a",
            ["pair 1"],
            "Amber takes pair 1, champion (4 claws) against scout (1 claw): Amber has the weaker "
            "tile and decides the order",
            id="pair",
        ),
        pytest.param(
            "maatatahay-2",
            ["place c3 pay s1e1"],
            "Violet places the guard on c3, pays 1 spirit and 1 energy for the relic there, "
            "Violet's first, and draws 1 spirit and 1 energy",
            id="relic",
        ),
        pytest.param(
            "maatatahay-5",
            ["place b1", "face n"],
            "Violet turns the hunter north; it gets 1 energy of support",
            id="support",
        ),
        pytest.param(
            "maatatahay-5",
            ["place b1", "face n", "add s0e0"],
            "Violet puts no crystal on the hunter; Amber's hunter on a1 dies, and 2 spirit go to "
            "the hunter",
            id="death",
        ),
        pytest.param(
            "maatatahay-7a",
            ["place a3", "face n", "add s0e0", "settle a1"],
            "Violet settles a1: Amber's elder lives; Amber's seer on a2 dies, and 1 spirit goes "
            "to the hunter",
            id="settling",
        ),
        pytest.param(
            "way_of_the_dragon-3",
            ["move water"],
            "Amber enters the water path at 4",
            id="entering",
        ),
        pytest.param(
            "way_of_the_dragon-5",
            ["swap water 2 8"],
            "Violet calls the dragon and swaps Violet on 2 and Amber on 8 on the water path",
            id="dragon",
        ),
        pytest.param(
            "way_of_the_dragon-8",
            ["move fire"],
            "Violet moves along the fire path from 3 to 8, worth 3 points",
            id="number",
        ),
        pytest.param(
            "way_of_the_dragon-9",
            ["equilibrium"],
            "Violet has an equilibrium: water and wood advance one space",
            id="equilibrium",
        ),
        pytest.param(
            "way_of_the_dragon-13",
            ["keep wmd"],
            "Violet keeps 1 water, 1 metal and 1 dragon and rolls 2 dice again",
            id="dice",
        ),
    ],
)
def test_event_is_told_with_what_it_brought(name: str, actions: list[str], sentence: str) -> None:
    state = example(name)

    assert [tell(state, action) for action in actions][-1] == sentence


@pytest.mark.parametrize(
    ("name", "actions", "sentence"),
    [
        pytest.param(
            "tuned-6", ["add dog c3"], "Three dogs on a1, b2 and c3: Violet wins", id="line"
        ),
        pytest.param(
            "tuned-8",
            ["move c2 c1 1"],
            "Violet must add and no animal in the hand fits anywhere, so Amber wins",
            id="no animal fits",
        ),
        pytest.param(
            "azure-9", ["place f2"], "Violet reaches 25 wisdom and wins, 25 to 24", id="wisdom"
        ),
        pytest.param(
            "azure-10",
            ["place b3"],
            "Amber has no legal placement, so Violet wins although 5 < 9 wisdom",
            id="stuck",
        ),
        pytest.param(
            "maatatahay-10",
            ["place b1", "face n", "add s0e0"],
            "The spirit track is at 6: Violet wins 17 to 10",
            id="deaths",
        ),
        pytest.param(
            "way_of_the_dragon-7",
            ["swap wood 3 6"],
            "Violet has all pieces on numbers; Amber wins with 12 points (Violet 11)",
            id="race",
        ),
    ],
)
def test_ending_is_told_with_its_reason(name: str, actions: list[str], sentence: str) -> None:
    state = example(name)
    for action in actions:
        tell(state, action)

    assert state.game.commentary().tell_end(state.observation(None)) == sentence


def test_azure_shows_drawn_cards_to_their_seat_only() -> None:
    own, other = (tell(example("azure-11"), "place b6", viewer) for viewer in (0, 1))

    assert own.startswith(f"{other} (1 ")
    assert other.endswith("gains the favour of the Bird, draws 1 hidden card")


@pytest.mark.parametrize(
    ("viewer", "sentence"),
    [
        pytest.param(0, "Violet discards Clan Axeman", id="its owner"),
        pytest.param(1, "Violet discards a being", id="opponent"),
        pytest.param(None, "Violet discards a being", id="spectator"),
    ],
)
def test_tash_kalar_names_discarded_cards_to_their_owner(
    viewer: int | None, sentence: str
) -> None:
    hands = [
        {"beings": ["clan_axeman"], "legends": ["titan"], "flare": "flare_03"},
        {"beings": ["naiad"], "legends": [], "flare": None},
    ]
    state = GAMES["tash_kalar"].load({**_TASH_KALAR, "board": {}, "hands": hands})

    assert tell(state, "discard clan_axeman", viewer) == sentence


def test_tash_kalar_tells_a_being_and_what_its_effect_does() -> None:
    own, enemy = ({"owner": owner, "rank": "common"} for owner in (0, 1))
    board = {"d4": own, "f6": own, "e5": enemy, "e6": enemy}
    hands = [
        {"beings": ["clan_axeman"], "legends": [], "flare": None},
        {"beings": ["naiad"], "legends": [], "flare": None},
    ]
    state = GAMES["tash_kalar"].load({**_TASH_KALAR, "board": board, "hands": hands})

    assert tell(state, "summon clan_axeman e5") == (
        "Violet summons Clan Axeman (common) on e5, in place of Amber's common piece"
    )
    assert tell(state, "destroy e6") == (
        "With Clan Axeman, Violet destroys Amber's common piece on e6"
    )


def test_tash_kalar_names_owners_of_what_is_gone_and_who_leads() -> None:
    pieces = {"e5": "common", "d4": "legendary"}
    board = {square: {"owner": 1, "rank": rank} for square, rank in pieces.items()}
    before = {"board": board, "card": "champion", "phase": "effect", "scores": [0, 2]}
    gone = {**before, "board": {"e5": board["e5"]}, "scores": [0, 1]}
    level = {**gone, "board": {}, "scores": [1, 1]}
    commentary = GAMES["tash_kalar"].commentary()

    assert commentary.tell(Change(before, 1, "dir n", gone)) == (
        "With Champion, Amber chooses the direction north; Amber's legendary piece on d4 is gone; "
        "Amber leads 1 to 0"
    )
    assert commentary.tell(Change(gone, 0, "pass", level)) == (
        "Violet declines what Champion offers; Amber's common piece on e5 is gone; level at 1 all"
    )


def test_dragon_tells_who_shares_the_win() -> None:
    commentary = GAMES["way_of_the_dragon"].commentary()
    result = {"reason": "cap", "numbered": [2, 3, 2], "scores": [9, 9, 4], "ranks": [0, 0, 2]}
    tied = {**result, "ranks": [1, 0, 2]}

    assert commentary.tell_end({"result": result}) == (
        "The last turn is over; Violet and Amber share the win with 9 points each (Teal 4)"
    )
    assert commentary.tell_end({"result": tied}) == (
        "The last turn is over; Amber wins with 9 points and more pieces on numbers "
        "(Violet 9, Teal 4)"
    )


def test_cards_are_explained_under_the_names_in_the_sentences() -> None:
    cards = GAMES["tash_kalar"].commentary().cards()

    assert cards["Clan Axeman"].startswith("Optional: destroy one non-legendary piece")
    assert cards["the flare 3 / 5"].startswith("From 3 behind: Make 0-3 standard moves")
    assert GAMES["maatatahay"].commentary().cards()["elder"] == (
        "1 claw, 2 gems, arrows: E and W. +1 for each own living tile beside it."
    )


def test_game_without_a_commentary_gives_the_texts() -> None:
    change = Change({}, 1, "add dog a1", {})

    assert plain.tell(change) == "Amber: add dog a1"
    assert plain.tell(change._replace(seat=CHANCE, text="roll 6")) == "Chance: roll 6"
    assert plain.points({"result": None}) is None
    assert plain.tell_end({"result": {"ranks": [0, 1], "reason": "last_stone"}}) == (
        "Violet wins (last stone)"
    )


def played_out(game: str, seed: int) -> Outcome:
    state, luck = GAMES[game].start(), Random(seed)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(luck))
        else:
            state.apply(state.random_action(luck))
    assert state.outcome is not None
    return state.outcome


@pytest.mark.parametrize("game", GAMES)
def test_reasons_of_played_matches_follow_who_has_won(game: str) -> None:
    endings = GAMES[game].commentary().endings()

    reasons = {played_out(game, seed).reason for seed in range(12)}

    assert reasons
    assert reasons <= endings.keys()
    assert all(clause and clause[0].islower() and clause[-1] != "." for clause in endings.values())


_MOST_WORDS = 60


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_lesson_has_few_short_steps_that_play_by_the_rules(game: Game) -> None:
    steps = list(steps_of(game))

    assert 4 <= len(steps) <= 6
    for step in steps:
        assert 8 < len(step.text.split()) <= _MOST_WORDS
        assert step.said
        assert step.state.svg(step.viewer).startswith("<svg")
    assert len({step.title for step in steps}) == len(steps)


@pytest.mark.parametrize("name", ["azure", "maatatahay", "tuned", "way_of_the_dragon"])
def test_lesson_shows_how_a_match_ends(name: str) -> None:
    assert any(step.state.outcome for step in steps_of(GAMES[name]))


def test_game_without_a_lesson_has_no_steps() -> None:
    assert list(steps_of(TWELVE)) == []
