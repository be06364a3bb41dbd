"""What each seat may know of a match of Tash-Kalar, for the oracle (sections 15 and 16.4)."""

from typing import Any

from tests.engines.tash_kalar.oracle.cards import COMMON, LEGENDARY, kind_of
from tests.engines.tash_kalar.oracle.flow import Oracle
from tests.engines.tash_kalar.oracle.table import CHANCE


def observation(oracle: Oracle, seat: int | None) -> dict[str, Any]:
    """16.4, without the registers of the effect at work."""
    view = public(oracle)
    view["events"] = events_of(oracle, seat)
    if "etherweave" in oracle.options["decks"]:
        view["last_discard"] = last_discard(oracle, seat)
    if seat is not None:
        hand = oracle.hands[seat]
        view["you"] = seat
        view["hand"] = {
            "beings": sorted(hand["beings"]),
            "legends": sorted(hand["legends"]),
            "flare": hand["flare"],
        }
        view["discard"] = sorted(oracle.discards[seat])
        if seat == oracle.to_move:
            view["legal"] = oracle.listed
    return view


def public(oracle: Oracle) -> dict[str, Any]:
    """What everybody knows."""
    view: dict[str, Any] = {
        "game": "tash_kalar",
        "options": oracle.options,
        "turn": oracle.turn,
        "to_move": oracle.to_move,
        "phase": oracle.phase,
        "card": oracle.card,
        "step": oracle.step,
        "actions_left": oracle.actions_left,
        "permissions": sorted(oracle.permissions),
        "board": {
            there: {"owner": piece.owner, "rank": piece.rank}
            for there, piece in oracle.board.items()
        },
        "supply": [
            {
                "common_heroic": oracle.supply(seat, COMMON),
                "legendary": oracle.supply(seat, LEGENDARY),
            }
            for seat in (0, 1)
        ],
        "scores": oracle.scores(),
        "counters": {"destroyed": oracle.destroyed, "summoned": oracle.summoned},
        "hand_sizes": [sizes(hand) for hand in oracle.hands],
        "deck_sizes": deck_sizes(oracle),
        "played": oracle.played,
        "discard_sizes": [len(pile) for pile in oracle.discards],
        "end": oracle.end,
        "result": oracle.result,
        "progress": {
            "discarded": oracle.discarded,
            "extra_draws": [oracle.extra["beings"], oracle.extra["legends"]],
            "extra_turn": oracle.is_extra,
            "taken": oracle.taken,
        },
    }
    if oracle.is_high:
        view["tasks"] = oracle.row.view()
    if "etherweave" in oracle.options["decks"]:
        lifted = oracle.on_card
        view["pending"] = oracle.pending[0] or oracle.pending[1]
        view["on_card"] = {"owner": lifted.owner, "rank": lifted.rank} if lifted else None
        view["progress"]["warped"] = sorted(oracle.warped)
    if "everfrost" in oracle.options["decks"]:
        view["frozen"] = oracle.frozen[0] or oracle.frozen[1]
        view["removed"] = [
            {"common_heroic": gone[COMMON], "legendary": gone[LEGENDARY]}
            for gone in oracle.removed
        ]
        view["progress"]["slowed"] = oracle.slowed
    if "nethervoid" in oracle.options["decks"]:
        view["gateway"] = next(iter(oracle.gate()), None)
    return view


def last_discard(oracle: Oracle, seat: int | None) -> str | None:
    """18.3.9"""
    owner = oracle.options["decks"].index("etherweave")
    card = oracle.last[owner]
    is_known = seat == owner or card in oracle.played["beings"][owner]
    return card if is_known or card is None else "being"


def sizes(hand: dict[str, Any]) -> dict[str, int]:
    """Count the cards of a hand."""
    return {
        "beings": len(hand["beings"]),
        "legends": len(hand["legends"]),
        "flare": int(hand["flare"] is not None),
    }


def deck_sizes(oracle: Oracle) -> dict[str, Any]:
    """Count the cards of the decks."""
    counted = {
        "beings": [len(deck) for deck in oracle.decks["beings"]],
        "legends": len(oracle.decks["legends"]),
        "flares": len(oracle.decks["flares"]),
    }
    return counted | ({"tasks": len(oracle.row.deck)} if oracle.is_high else {})


def events_of(oracle: Oracle, seat: int | None) -> list[list[Any]]:
    """Everything since the last request to a seat, as it may see it (16.3)."""
    since = max(oracle.begun) if seat is None else oracle.begun[seat]
    return [[by, masked(text, by, seat)] for by, text in oracle.events[since:]]


def masked(text: str, by: int, seat: int | None) -> str:
    """16.3: what somebody may read of what a seat or chance did."""
    word, *what = text.split()
    if by == CHANCE:
        return masked_chance(text, seat)
    if seat != by and word in ("discard", "return", "take"):
        return f"{word} {kind_of(what[0])}"
    return text


def masked_chance(text: str, seat: int | None) -> str:
    """Hide the numbers of cards."""
    word, *what = text.split()
    if word == "decks":
        return text
    if word == "shuffle":
        return f"shuffle {what[0]} {hidden(what[1])}"
    shown = {0, 10}
    if seat is not None:
        shown |= {1 + seat, 3 + seat}
    words = [what[at] if at in shown else hidden(what[at]) for at in range(len(what))]
    if seat is not None:
        flares = ["?", "?"]
        flares[seat] = what[5].split(".")[seat]
        words[5] = ".".join(flares)
    return " ".join(["deal", *words])


def hidden(cards: str) -> str:
    """Hide a list of cards."""
    return cards if cards == "-" else ".".join("?" for _ in cards.split("."))
