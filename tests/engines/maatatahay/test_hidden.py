"""What nobody knows in Maatatahay, the order of decks and bag, and what is told of the setup."""

import random
from collections import Counter
from itertools import permutations, product
from math import sqrt

import pytest

from pentathlon_engines import BadChance
from pentathlon_engines.maatatahay.chance import draw_setup, hide, read_setup
from tests.engines.maatatahay.positions import MAATATAHAY, do, position

SETUP = draw_setup(random.Random(3))
WORDS = SETUP.split(" ")


def test_determinize_draws_every_order_equally_often() -> None:
    state = position(decks=[[1, 2, 3]] * 2, bag="sse")
    rng, draws = random.Random(5), 10_800
    orders = product(permutations((1, 2, 3)), permutations((1, 2, 3)), ("sse", "ses", "ess"))

    drawn = Counter(
        (tuple(data["decks"][0]), tuple(data["decks"][1]), "".join(data["bag"]))
        for data in (state.determinize(0, rng).to_json() for _ in range(draws))
    )

    expected = draws / 108
    assert set(drawn) == set(orders)
    square = sum((n - expected) ** 2 / expected for n in drawn.values())
    assert abs(square - 107) < 5 * sqrt(2 * 107)


def test_determinize_leaves_the_state_alone() -> None:
    state = position()
    before = state.to_json()

    do(state.determinize(1, random.Random(1)), "place a1", "face n")

    assert state.to_json() == before


@pytest.mark.parametrize("seat", [0, 1, None])
def test_the_setup_is_told_without_the_order_of_decks_and_bag(seat: int | None) -> None:
    told = MAATATAHAY.start().event_for(seat, SETUP)

    assert told.split(" ") == [*WORDS[:6], "?" * 9, "?" * 9, "?" * 12]
    assert hide(SETUP) == told


def test_equal_observations_come_with_equal_words() -> None:
    deck = ".".join(reversed(WORDS[6].split(".")))
    other = " ".join([*WORDS[:6], deck, WORDS[7], WORDS[8][::-1]])
    states = MAATATAHAY.start(), MAATATAHAY.start()
    for state, text in zip(states, (SETUP, other), strict=True):
        state.apply_chance(text)

    assert states[0].observation(0) == states[1].observation(0)
    assert hide(SETUP) == hide(other)


def test_what_is_drawn_next_is_the_last_of_the_text() -> None:
    state = MAATATAHAY.start()
    state.apply_chance(SETUP)

    after = state.to_json()

    assert after["decks"] == [[int(tile) for tile in word.split(".")] for word in WORDS[6:8]]
    assert after["bag"] == list(WORDS[8])
    assert after["ground"]["a1"]["spirit"] == WORDS[5].split(",")[0].count("s")


@pytest.mark.parametrize(
    ("index", "word"),
    [
        (0, "deal"),
        (1, "2"),
        (2, "1.1.1"),
        (2, "13.1"),
        (2, WORDS[3]),
        (5, WORDS[5].replace(",", ";")),
        (5, "es" + WORDS[5][2:]),
        (5, "ssss" + WORDS[5][3:]),
        (6, WORDS[7]),
        (6, "0" + WORDS[6]),
        (6, WORDS[6] + "."),
        (8, WORDS[8][:-1]),
        (8, "x" * 12),
        (8, "s" * 12),
    ],
)
def test_a_setup_that_cannot_happen_is_refused(index: int, word: str) -> None:
    words = [word if i == index else other for i, other in enumerate(WORDS)]
    state = MAATATAHAY.start()

    with pytest.raises(BadChance, match="write 'setup'"):
        state.apply_chance(" ".join(words))

    assert state.to_json() == MAATATAHAY.start().to_json()


def test_drawn_setups_are_possible_and_fair() -> None:
    rng, active, spirits = random.Random(7), 0, 0
    for _ in range(2000):
        setup = read_setup(draw_setup(rng))
        assert setup is not None
        active += setup.active
        spirits += setup.ground[0][0]

    assert abs(active - 1000) < 5 * sqrt(500)
    assert abs(spirits - 2000 * 3 * 15 / 36) < 5 * sqrt(2000 * 3 * 0.25)
