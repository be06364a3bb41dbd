"""Positions of Tash-Kalar in few words, for tests.

Pieces are squares with the letter of the rank: `e5` or `e5c` is a common, `e5h` heroic, `e5l`
legendary.
"""

import random
from typing import Any, NamedTuple

from pentathlon_engines import CHANCE, GAMES, State
from tests.engines.tash_kalar.oracle.cards import DATA, RANKS, SCHOOLS, SQUARES, kind_of, laid

TASH_KALAR = GAMES["tash_kalar"]
LETTERS = {rank[0]: rank for rank in RANKS}
HIGH, DUEL = "high_form", "deathmatch_duel"
ETHERWEAVE, EVERFROST = ("etherweave", "sylvan"), ("everfrost", "sylvan")
FAR = "a3 a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9 e8 e9 f8 f9 g8 g9"
"""Squares far from e4 and from what stands around it."""


class Case(NamedTuple):
    """A card that is played on a board, the answers to its effect, and what comes of it.

    Answers and offers have `/` between them; tables name only what matters to them.
    """

    play: str
    own: str = ""
    enemy: str = ""
    gateway: str = ""
    answers: str = ""
    changes: str = ""
    """The differences on the board, as the function `changes` writes them."""
    losses: str = ""
    """The ranks of the enemy pieces that were destroyed."""
    new_gateway: str = ""
    frozen: str = ""
    actions: int = 1
    """The actions that are left, of two."""
    offered: str = ""
    movers: str = ""
    barred: str = ""

    def __str__(self) -> str:
        return "-".join(map(str, self))


def far(n: int) -> str:
    """Return so many squares of `FAR`."""
    return " ".join(FAR.split()[:n])


def pieces(owner: int, text: str) -> dict[str, dict[str, Any]]:
    """Return the part of a board that one seat owns."""
    return {word[:2]: {"owner": owner, "rank": LETTERS[word[2:] or "c"]} for word in text.split()}


def hand(text: str) -> dict[str, Any]:
    """Return a hand of these cards."""
    cards = text.split()
    flares = [card for card in cards if kind_of(card) == "flare"]
    return {
        "beings": sorted(card for card in cards if kind_of(card) == "being"),
        "legends": sorted(card for card in cards if kind_of(card) == "legend"),
        "flare": flares[0] if flares else None,
    }


def school_of(cards: str) -> str:
    """Return a school that has these cards."""
    decks = {DATA["beings"][card]["deck"] for card in cards.split() if kind_of(card) == "being"}
    expansions = sorted(decks - set(SCHOOLS.values()))
    if expansions:
        expansion: str = expansions[0]
        return expansion
    return next((name for name, deck in SCHOOLS.items() if decks <= {deck}), "highland")


def position(
    own: str = "", enemy: str = "", *, cards: str = "", foe: str = "", **more: Any
) -> State:
    """Return a position in which seat 0 decides, with two actions left unless more is said.

    `cards` and `foe` are the hands; `mode` and `schools` belong to the options.
    """
    mine = school_of(cards)
    other = "sylvan" if mine == "highland" else "highland"
    data = {
        "options": {
            "mode": more.pop("mode", HIGH),
            "decks": list(more.pop("schools", (mine, other))),
        },
        "to_move": 0,
        "phase": "main",
        "board": pieces(0, own) | pieces(1, enemy),
        "hands": [hand(cards), hand(foe)],
    }
    return TASH_KALAR.load(data | more)


def woven(own: str = "", enemy: str = "", cards: str = "", **more: Any) -> State:
    """Return a position in which warp effects may be used."""
    return position(own, enemy, cards=cards, **{"schools": ETHERWEAVE, "turn": 3, **more})


def pattern(text: str) -> str:
    """Return the pieces that a summon such as `cannon e4 r90` needs."""
    card, square, *turn = text.split()
    match = laid(card, square, turn[0] if turn else "r0")
    assert match is not None
    return " ".join(there + rank[0] for there, rank in match.needs.items())


def ready(text: str, own: str = "", enemy: str = "", **more: Any) -> State:
    """Return a position in which seat 0 may summon this, the pattern turned as said or not."""
    cards = f"{text.split(maxsplit=1)[0]} {more.pop('cards', '')}"
    return position(f"{pattern(text)} {own}", enemy, cards=cards, **more)


def summoned(text: str, own: str = "", enemy: str = "", **more: Any) -> State:
    """Return the position after a summon, its pattern turned as said or not."""
    return do(ready(text, own, enemy, **more), f"summon {text}")


def played(text: str, own: str, enemy: str, answers: str, **more: Any) -> tuple[str, State]:
    """Summon and answer the effect, `/` between answers; return what changed, and the position."""
    before = ready(text, own, enemy, **more)
    after = do(before.copy(), f"summon {text}", *filter(None, answers.split("/")))
    return changes(before, after), after


def do(state: State, *texts: str) -> State:
    """Do actions by their texts."""
    for text in texts:
        state.apply(state.parse(text))
    return state


def legal(state: State, start: str = "") -> list[str]:
    """Return the texts of the legal actions that start so."""
    texts = [state.text(action) for action in state.legal_actions()]
    return [text for text in texts if text.startswith(start)]


def asked(state: State) -> list[str]:
    """Return the decisions that the effect at hand offers."""
    assert view(state)["phase"] == "effect"
    return legal(state)


def view(state: State, seat: int = 0) -> dict[str, Any]:
    """Return what a seat sees."""
    return state.observation(seat)


def shown(state: State) -> dict[str, str]:
    """Return owner and rank of each piece, as `0h`."""
    board: dict[str, dict[str, Any]] = view(state)["board"]
    return {there: f"{piece['owner']}{piece['rank'][0]}" for there, piece in board.items()}


def gateway(state: State) -> str | None:
    """Return where the Gateway is."""
    square: str | None = view(state)["gateway"]
    return square


def changes(before: State, after: State) -> str:
    """Return what is different on the board: `e5=0h` what is there now, `e5=-` if nothing is."""
    old, new = shown(before), shown(after)
    return " ".join(
        f"{there}={new.get(there, '-')}" for there in SQUARES if old.get(there) != new.get(there)
    )


def destroyed(state: State) -> str:
    """Return the ranks of the enemy pieces destroyed in this turn, as `cch`."""
    counts = view(state)["counters"]["destroyed"]
    return "".join(rank[0] * counts[rank] for rank in RANKS)


def end_turn(state: State, seed: int = 0) -> State:
    """Let a seat that may decide nothing useful any more finish its turn, chance included."""
    seat, rng = state.to_move, random.Random(seed)
    turn = view(state)["turn"]
    while state.to_move is not None and view(state)["turn"] == turn:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        assert state.to_move == seat
        listed = legal(state)
        text = next((t for t in ("end", "pass", "done") if t in listed), listed[0])
        do(state, next((t for t in listed if t.startswith("place")), text))
    return state
