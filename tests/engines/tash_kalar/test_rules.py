"""Tash-Kalar: what holds in every match, which cards are refused, and the limits of a match."""

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES, BadChance, BadOption
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.cards import catalogue as cards
from pentathlon_engines.tash_kalar.cards.compiler import compile_flare
from pentathlon_engines.tash_kalar.cards.patterns import BadCard
from pentathlon_engines.tash_kalar.tasks import POINTS, compile_condition
from tests.engines.tash_kalar.positions import DUEL, HIGH, position

TASH_KALAR = GAMES["tash_kalar"]
SCHOOLS = ("northern_imperial", "southern_imperial", "highland", "sylvan")
USABLE = {HIGH: 17, DUEL: 16}


def check_invariants(data: dict[str, Any]) -> None:
    """Check what holds at every decision (17.1)."""
    pieces = list(data["board"].values())
    removed = data.get("removed", [{"common_heroic": 0, "legendary": 0}] * 2)
    for seat in (0, 1):
        own = [piece["rank"] for piece in pieces if piece["owner"] == seat]
        legendary = own.count("legendary")
        usable = USABLE[data["options"]["mode"]] - removed[seat]["common_heroic"]
        assert len(own) - legendary <= usable
        assert legendary <= 3
        lifted = data.get("on_card") == {"owner": seat, "rank": "legendary"}
        in_supply = 3 - legendary - removed[seat]["legendary"] - lifted
        assert data["supply"][seat]["legendary"] == in_supply
        _check_school(data, seat)
        if "tasks" in data:
            claimed = data["tasks"]["claimed"][seat]
            points = sum(POINTS[TASK_IDS.index(task)] for task in claimed)
            is_pending = data.get("pending") in data["hands"][seat]["beings"]
            assert data["scores"][seat] == points + legendary - 2 * is_pending
    for kind in ("legends", "flares"):
        held = [card for hand in data["hands"] for card in _held(hand, kind)]
        played = [data["card"]] if data["card"] in _whole(kind) else []
        lying = [*held, *data["decks"][kind], *data["played"][kind], *played]
        assert sorted(lying) == _whole(kind)
    if "tasks" in data:
        _check_tasks(data["tasks"], data["decks"]["tasks"])


def _check_school(data: dict[str, Any], seat: int) -> None:
    school = cards.SCHOOL_CARDS[data["options"]["decks"][seat]]
    names = sorted(cards.IDS[card] for card in school)
    active = data["progress"]["active"] == seat
    is_played = data["card"] in names and data["card"] != data.get("pending")
    played = [data["card"]] if active and is_played else []
    played += [data["frozen"]] if data.get("frozen") in names else []
    hand, pile = data["hands"][seat]["beings"], data["discards"][seat]
    assert sorted([*hand, *pile, *data["decks"]["beings"][seat], *played]) == names


def _held(hand: dict[str, Any], kind: str) -> list[str]:
    if kind == "legends":
        return list(hand["legends"])
    return [hand["flare"]] if hand["flare"] else []


def _whole(kind: str) -> list[str]:
    numbers = cards.LEGEND_CARDS if kind == "legends" else cards.FLARE_CARDS
    return sorted(cards.IDS[card] for card in numbers)


def _check_tasks(tasks: dict[str, Any], deck: list[str]) -> None:
    coming = [tasks["next"]] if tasks["next"] else []
    claimed = [task for seat in tasks["claimed"] for task in seat]
    assert sorted([*tasks["current"], *coming, *claimed, *deck]) == sorted(TASK_IDS)
    assert deck[len(deck) - len(tasks["under"]) :] == tasks["under"]


@pytest.mark.parametrize("mode", [HIGH, DUEL])
@pytest.mark.parametrize("schools", [(SCHOOLS[0], SCHOOLS[1]), (SCHOOLS[3], SCHOOLS[2])])
def test_nothing_is_lost_in_a_match(mode: str, schools: tuple[str, str]) -> None:
    rng = random.Random(f"{mode}:{schools}")
    for prefers_summons in (True, True, False):
        state = TASH_KALAR.start(options={"mode": mode, "decks": list(schools)})
        while state.to_move is not None:
            if state.to_move == CHANCE:
                state.apply_chance(state.sample_chance(rng))
                continue
            check_invariants(state.to_json())
            actions = state.legal_actions()
            summons = [a for a in actions if state.text(a).startswith(("summon", "claim"))]
            state.apply(rng.choice(summons if summons and prefers_summons else actions))
        assert state.outcome is not None
        assert state.to_json()["turn"] <= 200


def test_schools_that_are_drawn_are_named_from_then_on() -> None:
    state = TASH_KALAR.start(options={"mode": DUEL, "decks": ["drawn", "sylvan"]})

    assert state.chance_outcomes() == [
        ("decks northern_imperial sylvan", 1),
        ("decks southern_imperial sylvan", 1),
        ("decks highland sylvan", 1),
    ]
    state.apply_chance("decks highland sylvan")
    assert state.observation(0)["options"]["decks"] == ["highland", "sylvan"]
    assert state.observation(None)["phase"] == "deal"


def test_any_two_different_schools_can_be_drawn() -> None:
    outcomes = TASH_KALAR.start().chance_outcomes()

    assert len(outcomes) == len(SCHOOLS) * (len(SCHOOLS) - 1)
    assert "decks northern_imperial southern_imperial" in dict(outcomes)


@pytest.mark.parametrize("school", SCHOOLS)
def test_the_same_school_twice_is_refused(school: str) -> None:
    with pytest.raises(BadOption, match="must differ"):
        TASH_KALAR.start(options={"decks": [school, school]})


@pytest.mark.parametrize("decks", ["sylvan", ["sylvan"], ["sylvan", "nowhere"], [1, 2], None])
def test_other_decks_are_refused(decks: object) -> None:
    with pytest.raises(BadOption, match="option 'decks' may be a list with one of 'drawn'"):
        TASH_KALAR.start(options={"decks": decks})


DEAL = (
    position(cards="")
    .game.start(options={"decks": ["highland", "sylvan"]})
    .sample_chance(random.Random(3))
)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda words: words[:-1],
        lambda words: [*words, "1"],
        lambda words: ["duel", *words[1:]],
        lambda words: [words[0], "2", *words[2:]],
        lambda words: [*words[:2], words[3], *words[3:]],
        lambda words: [*words[:2], ".".join(reversed(words[2].split("."))), *words[3:]],
        lambda words: [*words[:7], words[8], words[7], *words[9:]],
        lambda words: [*words[:-1], words[-1].replace(".1", ".01", 1)],
        lambda words: [*words[:-2], "4.5.8", words[-1]],
        lambda words: [*words[:-1], "-"],
    ],
)
def test_a_deal_that_cannot_be_is_refused(spoil: Callable[[list[str]], list[str]]) -> None:
    state = TASH_KALAR.start(options={"decks": ["highland", "sylvan"]})
    words = spoil(DEAL.split(" "))

    with pytest.raises(BadChance, match="write 'deal'"):
        state.apply_chance(" ".join(words))
    state.apply_chance(DEAL)


def test_a_seat_reads_its_own_cards_of_the_deal_only() -> None:
    state = TASH_KALAR.start(options={"decks": ["highland", "sylvan"]})
    dealt = DEAL.split(" ")
    for seat in (0, 1):
        heard = state.event_for(seat, DEAL).split(" ")
        assert heard[2 + seat] == dealt[2 + seat]
        assert heard[4 + seat] == dealt[4 + seat]
        assert heard[3 - seat] == "?.?.?"
        assert heard[6].split(".")[seat] == dealt[6].split(".")[seat]
        assert heard[6].split(".")[1 - seat] == "?"
        assert heard[-2] == dealt[-2]
        assert set("".join(heard[7:-2])) == {"?", "."}
    assert set("".join(state.event_for(None, DEAL).split(" ")[2:-2])) == {"?", "."}


CARD: dict[str, Any] = copy.deepcopy(cards.card_data("cannon"))
MOVER: dict[str, Any] = copy.deepcopy(cards.card_data("warlord"))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"pattern": [". c", "c c"]}, "cannon: its pattern has 0 summon cells"),
        ({"pattern": ["@ c", "c @"]}, "cannon: its pattern has 2 summon cells"),
        ({"pattern": ["@ x"]}, "cannon: its pattern has an unknown token 'x'"),
        ({"pattern": ["@q c"]}, "cannon: its pattern has an unknown token '@q'"),
        ({"pattern": ["@ ."]}, "cannon: its pattern has no pieces"),
        ({"pattern": ["@ . . . . . c"]}, "cannon: its pattern is wider than 6 squares"),
        ({"refs": "all"}, "cannon: refs must be one of"),
        ({"rank": "king"}, "cannon: has no rank 'king'"),
        ({"steps": None}, "cannon: has no effect steps yet"),
        ({"steps": [{"op": "fly"}]}, "cannon: a step of its effect: op must be one of"),
        ({"steps": [{}]}, "cannon: a step of its effect: op is missing"),
        ({"steps": [{"op": "gain_action"}]}, "n is missing"),
        ({"steps": [{"op": "gain_action", "n": 1, "m": 2}]}, "unknown words m"),
        ({"steps": [{"op": "extra_turn", "if": "raining"}]}, "unknown condition 'raining'"),
        ({"steps": [{"op": "extra_turn", "if": "done:x"}]}, "no earlier step is called 'x'"),
        ({"steps": [{"op": "choose_one", "options": [{"label": "a", "steps": []}]}]}, "no steps"),
        (
            {"steps": [{"op": "destroy", "sel": {"owner": "any", "where": "moon"}}]},
            "unknown place 'moon'",
        ),
        (
            {"steps": [{"op": "destroy", "sel": {"owner": "me", "where": "board"}}]},
            "owner must be one of",
        ),
    ],
)
def test_a_bad_card_is_refused_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(BadCard) as refused:
        cards.compile_being(CARD | change)

    assert named in str(refused.value)
    assert refused.value.card == "cannon"


def test_a_move_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(BadCard, match="warlord: a step of its effect: kind must be one of"):
        cards.compile_being(MOVER | {"steps": [{**MOVER["steps"][0], "kind": "hop"}]})


def test_a_flare_with_an_unknown_step_is_refused_by_name() -> None:
    flare = copy.deepcopy(cards.card_data("flare_05"))
    flare["lower"]["steps"] = [{"op": "burn"}]

    with pytest.raises(BadCard, match="flare_05: a step of its effect: op must be one of"):
        compile_flare(flare)


@pytest.mark.parametrize("condition", [{"kind": "magic"}, {"kind": "central", "hats": 2}])
def test_a_task_with_an_unknown_condition_is_refused(condition: dict[str, Any]) -> None:
    with pytest.raises(BadCard, match="task_diagonals: its condition has"):
        compile_condition("task_diagonals", condition)


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda deck: deck.pop(), "highland: has 17 cards, not 18"),
        (lambda deck: deck[4].update(number=6), "ritual_keeper: has the number 6"),
        (lambda deck: deck[4].update(id="wild_eagle"), "highland: has two cards"),
    ],
)
def test_a_deck_of_the_wrong_cards_is_refused(
    spoil: Callable[[list[dict[str, Any]]], object], named: str
) -> None:
    data = copy.deepcopy(cards.read_deck("highland"))
    spoil(data["cards"])

    with pytest.raises(BadCard) as refused:
        cards.check_deck(data)

    assert named in str(refused.value)


@pytest.mark.parametrize("deck", ["everfrost", "nethervoid", "etherweave"])
def test_a_deck_without_steps_names_its_card(deck: str) -> None:
    data = cards.read_deck(deck)

    if data["cards"][0]["steps"] is None:
        with pytest.raises(BadCard, match=f"{data['cards'][0]['id']}: has no effect steps yet"):
            cards.compile_being(data["cards"][0])


def test_every_being_turns_as_often_as_published() -> None:
    shapes = {
        name: len(cards.PATTERNS[cards.CARDS[name]].shapes) for name in cards.IDS[: cards.BEINGS]
    }

    assert shapes["master_of_intrigue"] == shapes["kiskin_leafsplitter"] == 1
    assert shapes["swordmaster"] == shapes["clan_axeman"] == 2
    assert shapes["hypnotist"] == shapes["the_eldest_tree"] == shapes["titan"] == 4
    assert shapes["cannon"] == shapes["leviathan"] == 8
