"""Failures of commands: a sentence, a command to try next, and an exit code."""

from pathlib import Path
from typing import Any, Final

CHECK_FAILED: Final = 1
USAGE: Final = 2
HOST_OR_SERVER: Final = 3
INTERRUPTED: Final = 130


class CommandFailed(Exception):
    """Ends a command with a message for people."""

    code = "command_failed"

    def __init__(self, message: str, *, try_next: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.try_next = try_next
        self.exit_code = exit_code


class SiteRefused(CommandFailed):
    """The site refused a request.

    `refusal` is the stable code of the refusal, `allowed` the JSON of what the site would accept.
    """

    code = "site_refused"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        refusal: str,
        try_next: str,
        exit_code: int,
        allowed: Any = None,  # Any: JSON
    ) -> None:
        super().__init__(message, try_next=try_next, exit_code=exit_code)
        self.status = status
        self.refusal = refusal
        self.allowed = allowed


class FieldMissing(CommandFailed, KeyError):
    """An answer lacks a field that this version of the API promises."""

    code = "field_missing"

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would quote it


def cannot_write(path: Path | None, error: OSError, *, try_next: str) -> CommandFailed:
    """Return the failure for a file or folder that cannot be written."""
    return CommandFailed(
        f"{path} cannot be written: {error.strerror or error}.",
        try_next=try_next,
        exit_code=HOST_OR_SERVER,
    )
