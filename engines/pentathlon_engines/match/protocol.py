"""Messages of the bot protocol, version 1; `PROTOCOL.md` is its page.

This module builds the messages to bots as plain dicts, and checks the answers in the same way
whatever codec wrote the requests.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from pentathlon_engines.errors import BadMessage
from pentathlon_engines.match.limits import Limits

PROTOCOL: Final = 1
NOTE_CHARACTERS: Final = 500
DEEPEST_NESTING: Final = 16

Message = dict[str, object]
SeenEvent = tuple[int, str]
"""The seat and text of an event, as the receiver may see it."""
Codec = Callable[[Message], bytes]
"""Turns a message into the bytes of a line, without the line end."""

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def encode(message: Message) -> bytes:
    """Encode a message with the standard library; the default codec."""
    return _to_json(message).encode()


class MatchFacts(NamedTuple):
    """The facts of a match that `hello` tells its bots."""

    game: str
    rules: int
    seats: int
    options: dict[str, object]
    limits: Limits
    match: str
    dice: Sequence[str]
    """What `dice_of` gives each seat; `hello` tells a seat its own alone."""


def hello(
    facts: MatchFacts, *, seat: int, parameters: Mapping[str, object] = MappingProxyType({})
) -> Message:
    """Return the first message to a bot; the parameters are its own."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": facts.game,
        "rules": facts.rules,
        "seat": seat,
        "seats": facts.seats,
        "options": facts.options,
        "limits": facts.limits.to_json(),
        "match": facts.match,
        "dice": facts.dice[seat],
        "parameters": dict(parameters),
    }


def act(
    *,
    ply: int,
    events: Sequence[SeenEvent],
    observation: Message,
    legal: Sequence[str],
    clock: dict[str, int],
) -> Message:
    """Return the request for one action."""
    return {
        "type": "act",
        "ply": ply,
        "events": events,
        "observation": observation,
        "legal": legal,
        "clock": clock,
    }


def end(*, ranks: Sequence[int], reason: str) -> Message:
    """Return the last message to a bot."""
    return {"type": "end", "ranks": ranks, "reason": reason}


class Reply(NamedTuple):
    """A bot's answer to `act`."""

    action: str
    note: str = ""


def read_ready(line: bytes) -> None:
    """Check a bot's first line.

    Raises:
        BadMessage: it is not `{"type": "ready"}`.
    """
    if _object(line).get("type") != "ready":
        raise BadMessage('the first line must be {"type": "ready"}')


_JUST_AN_ACTION = re.compile(
    rb'[ \t]*\{[ \t]*"action"[ \t]*:[ \t]*"([^"\\\x00-\x1f]*)"[ \t]*\}[ \t\r]*'
)


def read_reply(line: bytes, *, ply: int) -> Reply:
    """Check a bot's answer to the request for action `ply`.

    >>> read_reply(b'{"action": "add dog b2"}', ply=3)
    Reply(action='add dog b2', note='')

    Raises:
        BadMessage: the line is not an answer; the message says why, without quoting it.
    """
    if plain := _JUST_AN_ACTION.fullmatch(line):
        return Reply(_decode(plain[1]))
    answer = _object(line)
    action = answer.get("action")
    if type(action) is not str:
        raise BadMessage('an answer must have "action", a text')
    echo = answer.get("ply", ply)
    if type(echo) is not int or echo != ply:
        raise BadMessage(f'"ply" must be {ply}, the one asked for, or be left out')
    if any("\ud800" <= sign <= "\udfff" for sign in action):
        raise BadMessage('"action" holds half of a surrogate pair')
    return Reply(action, _read_note(answer.get("note", "")))


def _read_note(note: object) -> str:
    if type(note) is not str:
        raise BadMessage('"note" must be a text')
    # Half of a surrogate pair is not printable either: a note never costs a match.
    return "".join(sign if sign.isprintable() else " " for sign in note[:NOTE_CHARACTERS])


def problem_of(line: bytes) -> str | None:
    """Return why a line is no message of any type; None if it is one."""
    try:
        _object(line)
    except BadMessage as error:
        return str(error)
    return None


def _object(line: bytes) -> Message:
    text = _decode(line)
    if _is_too_deep(text):
        raise BadMessage(f"the line nests deeper than {DEEPEST_NESTING} levels")
    try:
        message = json.loads(text, object_pairs_hook=_without_twins, parse_constant=_no_constant)
    except ValueError as error:
        raise BadMessage("the line is not JSON") from error
    if type(message) is not dict:
        raise BadMessage("the line is not a JSON object")
    return message


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadMessage("the line is not UTF-8") from error


# The closing quote is optional so that an unterminated string is skipped only once.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def _is_too_deep(text: str) -> bool:
    if text.count("{") + text.count("[") <= DEEPEST_NESTING:
        return False
    depth = 0
    for token in _STRING_OR_BRACKET.findall(text):
        if token in ("{", "["):
            depth += 1
            if depth > DEEPEST_NESTING:
                return True
        elif token in ("}", "]"):
            depth -= 1
    return False


def _without_twins(pairs: list[tuple[str, object]]) -> Message:
    message = dict(pairs)
    if len(message) != len(pairs):
        raise BadMessage("a field occurs twice in one object")
    return message


def _no_constant(name: str) -> object:
    raise BadMessage(f"{name} is not JSON")
