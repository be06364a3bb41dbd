"""Commentary on Tash-Kalar; section numbers refer to its rules page.

The effect of an action is read from the positions before and after it, so the sentence includes
everything that followed without a decision (16.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pentathlon_engines.commentary.words import (
    count,
    enumerate_all,
    enumerate_any,
    name_seat,
    tell_lead,
    tell_result,
)
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.presentation import Change, Position
from pentathlon_engines.tash_kalar.actions import (
    CLAIM,
    DO_MOVE,
    DO_PLACE,
    FLARE_VERB,
    SUMMON,
    THAW_VERB,
)
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS, IDS, card_data, kind_of
from pentathlon_engines.tash_kalar.drawing.description import TASKS

_DIRECTIONS: Final = {
    "n": "north",
    "ne": "north-east",
    "e": "east",
    "se": "south-east",
    "s": "south",
    "sw": "south-west",
    "w": "west",
    "nw": "north-west",
}
_CARD_VERBS: Final = {
    "discard": "discards {}",
    "return": "puts {} back under its deck",
    "take": "takes {} back",
    "keep": "keeps {}",
    "throw": "throws {} away",
    "warp": "uses the warp effect of {}",
}
_SQUARE_VERBS: Final = {
    "pickup": "picks up",
    "pick": "chooses",
    "destroy": "destroys",
    "upgrade": "upgrades",
    "downgrade": "downgrades",
    "convert": "converts",
}
_DECLINE: Final = "pass"
_PLAIN: Final = {"end": "ends the turn", "done": "puts back no more cards"}


def tell(change: Change) -> str:
    """Describe an action, its effect on the board, and the change of points."""
    if change.seat == CHANCE:
        return _tell_chance(change)
    verb, *words = change.text.split(" ")
    told: set[str] = set()
    said = f"{_name_effect(change, verb)}{change.who} {_tell_action(change, verb, words, told)}"
    more = list(_tell_rest(change, told))
    return "; ".join([said, *more, *_tell_points(change)])


def _name_effect(change: Change, verb: str) -> str:
    """Return the being whose effect resolves, as `With Time Mage, `."""
    card = change.before["card"]
    if card is None or change.before["phase"] != "effect" or verb in {FLARE_VERB, _DECLINE}:
        return ""
    return f"With {_name_card(card)}, "


def _tell_action(change: Change, verb: str, words: list[str], told: set[str]) -> str:
    """Describe the text of an action; add the squares that need no more words to `told`."""
    if verb == _DECLINE:
        card = change.before["card"]
        return f"declines what {_name_card(card)} offers" if card else "declines"
    if verb in _PLAIN:
        return _PLAIN[verb]
    if verb in _CARD_VERBS:
        return _CARD_VERBS[verb].format(_name_hidden(words[0]))
    if verb in _SQUARE_VERBS:
        told.add(words[0])
        return f"{_SQUARE_VERBS[verb]} {_name_piece(change, words[0])} on {words[0]}"
    return _TELLERS[verb](change, words, told)


def _tell_setup(_change: Change, words: list[str], told: set[str]) -> str:
    told |= {"c5", "g5"}
    return f"puts an own common piece on {words[0]} and an enemy one on the other marked square"


def _tell_place(change: Change, words: list[str], told: set[str]) -> str:
    square = words[0]
    told.add(square)
    piece = change.after["board"].get(square)
    rank = piece["rank"] if piece else "common"
    return f"places a {rank} piece on {square}"


def _tell_summon(change: Change, words: list[str], told: set[str]) -> str:
    card, square = words[:2]
    told.add(square)
    rank = card_data(card)["rank"]
    said = f"summons {_name_card(card)} ({rank}) on {square}"
    if square in change.before["board"]:
        said += f", in place of {_name_piece(change, square)}"
    return said


def _tell_move(change: Change, words: list[str], told: set[str]) -> str:
    source, target = words
    told |= {source, target}
    said = f"moves {_name_piece(change, source)} from {source} to {target}"
    return said + _tell_capture(change, target)


def _tell_leap(change: Change, words: list[str], told: set[str]) -> str:
    target = words[0]
    left = [square for square in change.before["board"] if square not in change.after["board"]]
    told.add(target)
    if len(left) == 1:
        told.add(left[0])
        said = f"lets {_name_piece(change, left[0])} leap from {left[0]} to {target}"
    else:
        said = f"leaps to {target}"
    return said + _tell_capture(change, target)


def _tell_capture(change: Change, square: str) -> str:
    if square not in change.before["board"]:
        return ""
    return f", capturing {_name_piece(change, square)}"


def _tell_claim(_change: Change, words: list[str], _told: set[str]) -> str:
    return f"claims the task {TASKS[words[0]]['name']}"


def _tell_flare(change: Change, _words: list[str], _told: set[str]) -> str:
    played = change.after["played"]["flares"]
    card = change.after["card"] or (played[-1] if played else None)
    return f"invokes {_name_card(card)}" if card in CARDS else "invokes a flare"


def _tell_thaw(change: Change, _words: list[str], _told: set[str]) -> str:
    frozen = change.before.get("frozen")
    return f"uses the frozen effect of {_name_card(frozen)}" if frozen else "uses a frozen effect"


def _tell_direction(_change: Change, words: list[str], _told: set[str]) -> str:
    return f"chooses the direction {_DIRECTIONS[words[0]]}"


def _tell_option(_change: Change, words: list[str], _told: set[str]) -> str:
    return f"chooses: {words[0].replace('_', ' ')}"


_TELLERS: Final = {
    "setup": _tell_setup,
    DO_PLACE: _tell_place,
    SUMMON: _tell_summon,
    DO_MOVE: _tell_move,
    "leap": _tell_leap,
    CLAIM: _tell_claim,
    FLARE_VERB: _tell_flare,
    THAW_VERB: _tell_thaw,
    "dir": _tell_direction,
    "opt": _tell_option,
}


def _tell_rest(change: Change, told: set[str]) -> Iterator[str]:
    """Describe other changes on the board: destroyed, changed and placed pieces."""
    before, after = change.before["board"], change.after["board"]
    squares = [
        square
        for square in sorted({*before, *after})
        if square not in told and before.get(square) != after.get(square)
    ]
    gone = [square for square in squares if square not in after]
    if gone:
        names = [f"{_name_owned(change, square)} on {square}" for square in gone]
        yield f"{enumerate_all(names)} {'is' if len(gone) == 1 else 'are'} gone"
    for square in squares:
        if square in after:
            yield _tell_new(change, square)


def _tell_new(change: Change, square: str) -> str:
    before, after = change.before["board"].get(square), change.after["board"][square]
    if before and before["owner"] == after["owner"]:
        return f"{_name_owned(change, square)} on {square} is {after['rank']} now"
    return f"{name_seat(after['owner'])} has a {after['rank']} piece on {square} now"


def _tell_points(change: Change) -> Iterator[str]:
    if change.before["scores"] != change.after["scores"]:
        yield tell_lead(change.after["scores"])


def _tell_chance(change: Change) -> str:
    word, *words = change.text.split(" ")
    if word == "decks":
        schools = [school.replace("_", " ").title() for school in words]
        return f"Violet plays {schools[0]}, Amber {schools[1]}"
    if word == "deal":
        return f"The cards are dealt; {name_seat(int(words[0]))} begins"
    return f"The discarded {words[0]} are shuffled into a new deck"


def _name_piece(change: Change, square: str) -> str:
    """Describe the piece on a square: `its common piece`, `Amber's heroic piece`."""
    piece = change.before["board"].get(square)
    if piece and piece["owner"] == change.seat:
        return f"its {piece['rank']} piece"
    return _name_owned(change, square)


def _name_owned(change: Change, square: str) -> str:
    """Describe the piece on a square by its owner's colour; the owner may not be the subject."""
    piece = change.before["board"].get(square)
    return f"{name_seat(piece['owner'])}'s {piece['rank']} piece" if piece else "a piece"


def _name_hidden(name: str) -> str:
    """Return a card, or its kind if only that is known."""
    return _name_card(name) if name in CARDS else f"a {name}"


def _name_card(name: str) -> str:
    """Return the name of a card as its title is written."""
    title: str = card_data(name)["name"]
    return f"the flare {title}" if kind_of(CARDS[name]) == "flare" else title


def ask(position: Position) -> str:
    """Return which decision is due: an action, a choice of an effect, or cards (4, 5, 11)."""
    verbs = {text.partition(" ")[0] for text in position["legal"]}
    card, left = position["card"], position["actions_left"]
    if position["phase"] in _ASKED:
        return _ASKED[position["phase"]]
    choices = [words for verb, words in _CHOICES.items() if verb in verbs]
    if position["phase"] == "main":
        return f"{count(left, 'action')} left: {enumerate_any(choices)}."
    head = f"{_name_card(card)}: " if card else ""
    said = f"{head}{enumerate_any(choices)}."
    return said[0].upper() + said[1:]


_ASKED: Final = {
    "setup": "Choose the marked square for your first common piece.",
    "place_at": "Choose the square for the piece.",
    "shortage": "No piece is left in your supply: pick up one of yours.",
    "return": "Return any number of cards to the bottom of their decks, then choose Done.",
    "turn_end": "End your turn, or do what you still may.",
}
_CHOICES: Final = {
    "place": "place a piece",
    "summon": "summon a being whose pattern stands",
    "discard": "discard a being",
    "pickup": "pick up a piece to use it anew",
    "flare": "invoke your flare",
    "thaw": "use the frozen effect",
    "warp": "use a warp effect",
    "claim": "claim a task",
    "move": "choose a move",
    "leap": "choose where to leap",
    "pick": "choose a piece or a square",
    "destroy": "choose what to destroy",
    "upgrade": "choose a piece to upgrade",
    "downgrade": "choose a piece to downgrade",
    "convert": "choose a piece to convert",
    "dir": "choose a direction",
    "opt": "choose an option in the list",
    "take": "take a discarded being back",
    "keep": "choose the card to keep frozen",
    "throw": "choose a card to throw away",
    "end": "end the turn",
    "done": "choose Done",
    "pass": "decline",
}


def refuse(position: Position, name: str) -> str:
    """Return why a card or a square cannot be chosen (5.2, 6.1, 9.2)."""
    if position["phase"] == "effect":
        return "The effect of the card does not allow this choice."
    if name in CARDS:
        if kind_of(CARDS[name]) == "flare":
            return f"The condition of {_name_card(name)} does not hold."
        return f"{_name_card(name)} cannot be summoned: its pattern does not stand anywhere."
    if position["phase"] in {"main", "place_at"} and name in position["board"]:
        return f"A piece stands on {name} already."
    return ""


def tell_end(position: Position) -> str:
    """Return the reason for the end, and the seat with more points (12)."""
    result = position["result"]
    reasons = {
        "deck": "A school deck is empty",
        "points": "The points to end the match are reached",
        "cap": "The last turn is over",
    }
    scores, ranks = result["scores"], result["ranks"]
    said = f"{reasons[result['reason']]}: {tell_result(ranks, scores)}"
    is_tie = scores[0] == scores[1] and ranks != [0, 0]
    return f"{said}, with the stronger pieces on the board" if is_tie else said


def endings() -> Mapping[str, str]:
    """Return how each reason decides a match, after who has won."""
    return {
        "deck": "when a school deck ran out",
        "points": "once enough points were scored",
        "cap": "after the last turn",
    }


def points(position: Position) -> list[int]:
    """Return the points of each seat (10.3, 10.4)."""
    return list(position["scores"])


def hands(position: Position) -> list[list[str]]:
    """Return the names of the cards in each hand that is known."""
    if "hands" in position:
        return [_name_hand(hand) for hand in position["hands"]]
    you = position.get("you")
    return [_name_hand(position["hand"]) if seat == you else [] for seat in (0, 1)]


def _name_hand(hand: Mapping[str, Any]) -> list[str]:
    flares = [hand["flare"]] if hand["flare"] else []
    return [_name_card(name) for name in (*hand["beings"], *hand["legends"], *flares)]


def cards() -> Mapping[str, str]:
    """Return the texts of all cards and tasks."""
    texts = {_name_card(name): _describe(card_data(name)) for name in IDS}
    return texts | {task["name"]: task["text"] for task in TASKS.values()}


def _describe(card: Mapping[str, Any]) -> str:
    if "upper" in card:
        halves = (card["upper"], card["lower"])
        return " ".join(f"From {half['need']} behind: {half['text']}" for half in halves)
    more = [card[name] for name in ("frozen_text", "warp_text") if name in card]
    return " ".join([card["text"], *more])
