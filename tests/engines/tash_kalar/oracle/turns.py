"""Single turns of Tash-Kalar around one card each, where rare cases live, for the comparison.

The pattern of the card lies on the board, some of it perhaps of the enemy's pieces, with pieces
crowded around it and supplies often used up.
"""

import copy
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pentathlon_engines import State
from tests.engines.tash_kalar.crowds import expansion_fields, scores
from tests.engines.tash_kalar.oracle.cards import (
    DECKS,
    RANKS,
    SQUARES,
    cards_of,
    distance,
    kind_of,
    layings,
)
from tests.engines.tash_kalar.oracle.everfrost import FROZEN
from tests.engines.tash_kalar.oracle.flow import Oracle
from tests.engines.tash_kalar.positions import DUEL, HIGH, TASH_KALAR, hand

TWINS = ("greater_shadow_twin", "lesser_shadow_twin")


def cards_in(schools: Iterable[str]) -> list[str]:
    """Return the beings of these schools and all that everybody shares."""
    decks = dict.fromkeys(DECKS[school] for school in schools)
    return [card for deck in (*decks, "legends", "flares") for card in cards_of(deck)]


def prepared(card: str, rng: random.Random) -> State:
    """Return a position in which seat 0 holds just this card and can probably use it."""
    mode, school = rng.choice((HIGH, DUEL)), school_for(card, rng)
    schools = [school, rng.choice([name for name in DECKS if name != school])]
    permission = permission_for(school, rng)
    board = surrounded(card, rng, full=17 if mode == HIGH else 16, permission=permission)
    options = {"mode": mode, "decks": schools}
    held, pile = dealt(card, school, rng)
    beings = [one for one in held if kind_of(one) == "being"]
    more = expansion_fields(board, options, [beings, []], [pile, []], rng)
    return TASH_KALAR.load(
        {
            "options": options,
            "turn": rng.choice((2, 30)),
            "to_move": 0,
            "phase": "main",
            "actions_left": rng.choice((1, 2)),
            "permissions": [permission] * bool(permission),
            "board": board,
            **more,
            "hands": [hand(" ".join(held)), hand("")],
            "discards": [sorted(pile), []],
            "scores": scores(board, options, more),
        }
    )


def dealt(card: str, school: str, rng: random.Random) -> tuple[list[str], list[str]]:
    """Return a hand with the card and a discard pile; a card that may be frozen lies there, too.

    Of the Shadow Twins the other one is mostly discarded.
    """
    rest = [one for one in cards_of(DECKS[school]) if one != card]
    rng.shuffle(rest)
    if card in TWINS and rng.random() < 0.8:
        rest.sort(key=lambda one: one not in TWINS)
    legends = [one for one in cards_of("legends") if one != card]
    others = rng.choice(([], [*rest[-3:], rng.choice(legends), rng.choice(cards_of("flares"))]))
    if kind_of(card) == "flare":
        return [card], rest[:3]
    if card in FROZEN and rng.random() < 0.4:
        return others, [card]
    return [card, *others], rest[: rng.choice((0, 3, 8))]


def permission_for(school: str, rng: random.Random) -> str:
    """Return a permission for the summoning, mostly none."""
    own = {"nethervoid": ["possessed_summon"], "etherweave": ["counts_double", "void_summon"]}
    return rng.choice(own.get(school, ["war_summon"])) if rng.random() < 0.3 else ""


def school_for(card: str, rng: random.Random) -> str:
    """Return a school that has the card, or any for a card that all share."""
    if kind_of(card) != "being":
        return rng.choice(list(DECKS))
    return next(name for name, deck in DECKS.items() if card in cards_of(deck))


def surrounded(
    card: str, rng: random.Random, *, full: int, permission: str
) -> dict[str, dict[str, Any]]:
    """Return a board with the card's pattern, or one that is bad enough for a flare."""
    board: dict[str, dict[str, Any]] = {}
    free = rng.sample(SQUARES, len(SQUARES))
    counts = [rng.choice((8, 12, full, full)), rng.choice((5, 10, full - 1, full))]
    if kind_of(card) == "flare":
        counts = [rng.choice((0, 1, 3)), full]
    else:
        match = rng.choice(layings(card))
        owner = int(permission == "possessed_summon")
        board = {there: {"owner": owner, "rank": rank} for there, rank in match.needs.items()}
        if permission == "war_summon" and rng.random() < 0.7:
            board[rng.choice(list(board))]["owner"] = 1
        if permission == "void_summon":
            gaps = [there for there, rank in match.needs.items() if rank == RANKS[0]]
            for there in rng.sample(gaps, min(2, len(gaps))):
                del board[there]
                free.remove(there)
        free.sort(key=lambda there: distance(match.square, there) + 2 * rng.random())
    free = [there for there in free if there not in board]
    fill(board, free, counts, rng)
    return board


def fill(
    board: dict[str, dict[str, Any]], free: list[str], counts: list[int], rng: random.Random
) -> None:
    """Put so many pieces of both seats on the first free squares, and some legendary ones."""
    have = Counter(piece["owner"] for piece in board.values())
    owners = [owner for owner in (0, 1) for _ in range(counts[owner] - have[owner])]
    legends = [owner for owner in (0, 1) for _ in range(rng.randrange(4))]
    ranks = {owner: rng.choices(RANKS[:2], (2, 1), k=20) for owner in (0, 1)}
    pieces = [{"owner": owner, "rank": ranks[owner].pop()} for owner in owners]
    pieces += [{"owner": owner, "rank": RANKS[2]} for owner in legends]
    rng.shuffle(pieces)
    board.update(zip(free, pieces, strict=False))


def beginning(state: State) -> Oracle:
    """Return the oracle at the same position."""
    return Oracle(state.options, copy.deepcopy(state.to_json()))


def uses(card: str, listed: list[str]) -> list[str]:
    """Return the actions that use the card."""
    if kind_of(card) == "flare":
        return [text for text in listed if text == "flare"]
    ways = (f"summon {card} ", f"warp {card}", "thaw")
    return [text for text in listed if text.startswith(ways)]


def of_one_kind(texts: list[str], rng: random.Random) -> list[str]:
    """Return the actions that begin with one word, each word being as likely."""
    word = rng.choice(sorted({text.split()[0] for text in texts}))
    return [text for text in texts if text.split()[0] == word]


def answer(oracle: Oracle, rng: random.Random) -> str:
    """Draw an action of an effect, often one that takes a piece, seldom to decline."""
    listed = oracle.listed
    if rng.random() < 0.85:
        listed = [text for text in listed if text != "pass"]
    if rng.random() < 0.3:
        return rng.choice(of_one_kind(listed, rng))
    taking = [text for text in listed if text.split()[-1] in oracle.board]
    return rng.choice(taking if taking and rng.random() < 0.5 else listed)
