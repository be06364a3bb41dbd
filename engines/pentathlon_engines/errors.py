"""All errors that the engines raise.

EngineError
├── UnknownGame          no game with this key
├── BadOption            an option that the game does not have, or a value out of range
├── BadSeats             a number of seats that the game does not allow
├── BadPosition          JSON that is not a position of this game
├── BadAction            a text that is no action of this game
├── IllegalAction        an action that exists but is not allowed here
├── BadChance            a chance text that is not a possible outcome here
├── NotToMove            another seat or chance decides now, or the match is over
├── BadManifest          an invalid bot.toml
├── BadArchive           a zip that is no bot's
│   └── LargeArchive     one with more bytes or entries than allowed
├── BadMessage           a line that is no message of the protocol
├── BadJson              a text that is not JSON
│   └── RepeatedField    one in which a field occurs twice in one object
├── BadRecord            a record whose match does not come out as it says
├── BadNote              a text that is not signed, or no receipt or checkpoint
├── BadBundle            a file that is no valid bundle
└── BadFolder            a folder that holds another tournament than it should
"""

from __future__ import annotations


class EngineError(Exception):
    """The base of all errors here; programs may rely on `code`."""

    code = "engine_error"


class UnknownGame(EngineError, KeyError):
    """There is no game with this key; also a `KeyError`, as for any mapping."""

    code = "unknown_game"
    __str__ = Exception.__str__  # `KeyError` would put the sentence in quotes


class BadOption(EngineError):
    """An option that the game does not have, or a value that it does not take."""

    code = "bad_option"


class BadSeats(EngineError):
    """A number of seats that the game does not allow."""

    code = "bad_seats"


class BadPosition(EngineError):
    """JSON that is not a position of this game; the message names the field."""

    code = "bad_position"


class BadAction(EngineError):
    """A text that is no action of this game."""

    code = "bad_action"

    def __init__(self, text: str, *, reason: str) -> None:
        super().__init__(f"{text!r}: {reason}")
        self.text = text
        self.reason = reason


class IllegalAction(EngineError):
    """An action that exists but is not allowed in this position."""

    code = "illegal_action"

    def __init__(self, text: str, *, seat: int, position: str) -> None:
        super().__init__(f"seat {seat} may not {text!r} in {position}")
        self.text = text
        self.seat = seat
        self.position = position


class BadChance(EngineError):
    """A chance text that is not a possible outcome here."""

    code = "bad_chance"


class NotToMove(EngineError):
    """Another seat or chance decides now, or the match is over."""

    code = "not_to_move"


class BadManifest(EngineError):
    """An invalid bot.toml; the message names the field and says what to write."""

    code = "bad_manifest"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class BadParameter(EngineError):
    """A parameter that a bot does not have, or a value that it may not have."""

    code = "bad_parameter"


class UnknownBot(EngineError):
    """A name that is neither a folder nor a built-in bot."""

    code = "unknown_bot"


class BuildFailed(EngineError):
    """A bot could not be built on this machine; `again` is the command that was run."""

    code = "build_failed"

    def __init__(self, message: str, *, again: str) -> None:
        super().__init__(message)
        self.again = again


class BadArchive(EngineError):
    """A zip that is no bot's; `path` names the entry, where one is to blame."""

    code = "bad_archive"

    def __init__(self, message: str, *, code: str | None = None, path: str = "") -> None:
        super().__init__(message)
        self.path = path
        if code is not None:
            self.code = code


class LargeArchive(BadArchive):
    """A zip with more bytes or entries than allowed."""

    code = "too_large"


class BadMessage(EngineError):
    """A line that is no message of the protocol."""

    code = "bad_message"


class BadJson(EngineError, ValueError):
    """A text that is not JSON; also a `ValueError`."""

    code = "bad_json"


class RepeatedField(BadJson):
    """A text in which a field occurs twice in one object, so that readers may differ."""

    code = "repeated_field"


class BadRecord(EngineError):
    """A record whose match does not come out as it says; names the event and the difference."""

    code = "bad_record"


class BadBundle(EngineError):
    """A file that is no valid bundle; the message says what is wrong with it."""

    code = "bad_bundle"


class BadNote(EngineError):
    """A text without the signature that it should have, or that is no receipt or checkpoint."""

    code = "bad_note"


class BadFolder(EngineError):
    """A folder that holds another tournament, or none that can go on."""

    code = "bad_folder"
