"""Crowded positions of Tash-Kalar, made at random, in which the rare cases live."""

import random
from typing import Any

from pentathlon_engines import State
from tests.engines.tash_kalar.oracle.cards import (
    DECKS,
    GREEN,
    RANKS,
    RED,
    SQUARES,
    cards_of,
    layings,
)
from tests.engines.tash_kalar.oracle.etherweave import BOUND, WARPS
from tests.engines.tash_kalar.oracle.everfrost import FROZEN
from tests.engines.tash_kalar.positions import HIGH, TASH_KALAR

_COPIED = sorted({*WARPS} - {BOUND, "greater_shadow_twin"})
"""Beings whose warp effects can be copied; one of the twins stands for both."""


def crowded(options: dict[str, Any], rng: random.Random) -> State:
    """Return the beginning of a turn on a crowded board, with the pattern of a legend on it."""
    legends = rng.sample(cards_of("legends"), 12)
    flares = rng.sample(cards_of("flares"), 12)
    needs = rng.choice(layings(legends[0])).needs
    board = {there: {"owner": 0, "rank": rank} for there, rank in needs.items()}
    for owner in (0, 1):
        crowd(board, owner, rng)
    decks = [rng.sample(cards_of(DECKS[school]), 18) for school in options["decks"]]
    piles = [deck[rng.randrange(4, 18) :] for deck in decks]
    points = [rng.randrange(18), rng.randrange(18)]
    row = {"tasks": random_row(rng)} if options["mode"] == HIGH else {}
    more = expansion_fields(board, options, [deck[:3] for deck in decks], piles, rng)
    return TASH_KALAR.load(
        row
        | more
        | {
            "options": options,
            "to_move": 0,
            "phase": "main",
            "board": board,
            "hands": [
                {
                    "beings": sorted(deck[:3]),
                    "legends": sorted(legends[2 * seat : 2 * seat + 2]),
                    "flare": flares[seat],
                }
                for seat, deck in enumerate(decks)
            ],
            "turn": rng.choice((2, 30, 196)),
            "scores": scores(board, options, more) if options["mode"] == HIGH else points,
            "discards": [sorted(pile) for pile in piles],
            "played": {
                "beings": [[], []],
                "legends": legends[4 : rng.randrange(4, 13)],
                "flares": flares[2 : rng.randrange(2, 13)],
            },
        }
    )


def crowd(board: dict[str, dict[str, Any]], owner: int, rng: random.Random) -> None:
    """Add some pieces of a seat, often all 16 that it has in every mode, and a legendary one."""
    most = rng.choice((7, 10, 13, 16, 16))
    have = sum(piece["owner"] == owner for piece in board.values())
    free = [there for there in SQUARES if there not in board]
    for there in rng.sample(free, max(1, most - have)):
        rank = rng.choices(RANKS[:2], (2, 1))[0]
        board[there] = {"owner": owner, "rank": rank}
    if rng.random() < 0.7:
        there = rng.choice([there for there in SQUARES if there not in board])
        board[there] = {"owner": owner, "rank": RANKS[2]}


def expansion_fields(
    board: dict[str, dict[str, Any]],
    options: dict[str, Any],
    held: list[list[str]],
    piles: list[list[str]],
    rng: random.Random,
) -> dict[str, Any]:
    """Return what expansions add, at random; `held` and `piles`: beings in hands and discarded."""
    return (
        random_gateway(board, options["decks"], rng)
        | random_frost(board, options, piles, rng)
        | random_weave(board, options, held, piles, rng)
    )


def random_gateway(
    board: dict[str, dict[str, Any]], schools: list[str], rng: random.Random
) -> dict[str, str | None]:
    """Return the field of the Gateway, often a heroic, and on a coloured square if it can be."""
    if "nethervoid" not in schools:
        return {}
    seat, wanted = schools.index("nethervoid"), rng.choice(("common", "heroic", "heroic"))
    own = [t for t, piece in board.items() if piece == {"owner": seat, "rank": wanted}]
    coloured = [there for there in own if there in (*RED, *GREEN)]
    return {"gateway": rng.choice([None, *(coloured * 9), *own])}


def random_frost(
    board: dict[str, dict[str, Any]],
    options: dict[str, Any],
    piles: list[list[str]],
    rng: random.Random,
) -> dict[str, Any]:
    """Return the fields of the Everfrost, often with a card in play that lay in its pile."""
    if "everfrost" not in options["decks"]:
        return {}
    pile = piles[options["decks"].index("everfrost")]
    frozen = rng.choice([None, *(card for card in pile if card in FROZEN)])
    if frozen:
        pile.remove(frozen)
    gone = [
        {
            "common_heroic": min(rng.choice((0, 0, 1, 2)), left["common_heroic"]),
            "legendary": min(rng.choice((0, 0, 1)), left["legendary"]),
        }
        for left in supplies(board, options["mode"])
    ]
    return {"frozen": frozen, "removed": gone}


def random_weave(
    board: dict[str, dict[str, Any]],
    options: dict[str, Any],
    held: list[list[str]],
    piles: list[list[str]],
    rng: random.Random,
) -> dict[str, Any]:
    """Return the fields of the Etherweave, mostly with a pending being."""
    if "etherweave" not in options["decks"]:
        return {}
    seat = options["decks"].index("etherweave")
    pending = rng.choice([None, *(card for card in held[seat] if card in WARPS)])
    lifted = []
    if pending == BOUND:
        for owner, left in enumerate(supplies(board, options["mode"])):
            ranks = RANKS[:2] * (left["common_heroic"] > 2) + RANKS[2:] * (left["legendary"] > 1)
            lifted += [{"owner": owner, "rank": rank} for rank in ranks]
    return {
        "pending": pending,
        "on_card": rng.choice([None, *lifted]),
        "last_discard": rng.choice([None, *piles[seat]]),
    }


def woven_fields(hand: dict[str, Any], pile: list[str], rng: random.Random) -> dict[str, Any]:
    """Return the fields of the Etherweave; a pending being and a legend may join the hand.

    The twins often come to the pile, and a piece to a Merchant of Time.
    """
    cards = [card for card in cards_of("etherweave") if card not in hand.get("beings", [])]
    warped = [card for card in _COPIED if card in cards and card not in pile]
    pending = rng.choice([None, *warped]) if rng.random() < 0.5 else None
    on_card = None
    if rng.random() < 0.5 and "merchant_of_time" in hand.get("beings", []):
        pending = "merchant_of_time"
        on_card = {"owner": rng.randrange(2), "rank": rng.choice(RANKS)}
    elif pending:
        hand["beings"] = sorted([*hand.get("beings", []), pending])
    for twin in ("greater_shadow_twin", "lesser_shadow_twin"):
        if twin in cards and twin not in pile and twin != pending and rng.random() < 0.5:
            pile.append(twin)
    pile.sort()
    hand.setdefault("legends", rng.sample(cards_of("legends"), rng.randrange(3)))
    hand["legends"].sort()
    used = [card for card in hand.get("beings", []) if card in _COPIED]
    return {
        "pending": pending,
        "on_card": on_card,
        "last_discard": rng.choice([None, *pile]),
        "progress": {"warped": sorted(rng.sample(used, rng.randrange(len(used) + 1)))},
    }


def supplies(board: dict[str, dict[str, Any]], mode: str) -> list[dict[str, int]]:
    """Return the supply of each seat if no piece has left the game."""
    legends = legends_of(board)
    counts = [sum(piece["owner"] == seat for piece in board.values()) for seat in (0, 1)]
    total = 17 if mode == HIGH else 16
    return [
        {"common_heroic": total - count + legend, "legendary": 3 - legend}
        for count, legend in zip(counts, legends, strict=True)
    ]


def random_row(rng: random.Random) -> dict[str, Any]:
    """Return any four tasks, the last of them as the next one."""
    *current, upcoming = rng.sample(cards_of("tasks"), 4)
    return {"current": sorted(current), "next": upcoming, "claimed": [[], []], "under": []}


def legends_of(board: dict[str, dict[str, Any]]) -> list[int]:
    """Count the legendary pieces of each seat."""
    owners = [piece["owner"] for piece in board.values() if piece["rank"] == RANKS[2]]
    return [owners.count(0), owners.count(1)]


def scores(
    board: dict[str, dict[str, Any]], options: dict[str, Any], more: dict[str, Any]
) -> list[int]:
    """Return the scores before anything was claimed or scored, with what `more` costs."""
    found = legends_of(board) if options["mode"] == HIGH else [0, 0]
    if more.get("pending"):
        found[options["decks"].index("etherweave")] -= 2
    return found
