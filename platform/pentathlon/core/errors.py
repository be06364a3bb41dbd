"""The errors that services raise, whoever calls them.

DomainError
├── InvalidInput     a value that cannot be used; `field` names it
│   ├── TooLarge     more of something than is allowed
│   └── Problems     several values that cannot be used
├── NotAllowed       the thing is somebody else's, or the person lacks a role
├── NotFound         no such thing, or none that this person may know of
├── Conflict         possible in general, but not in the present state
├── Damaged          something stored is no longer what was stored
└── Unavailable      something that is needed does not answer; asking again may help
"""

from collections.abc import Sequence
from typing import Any


class DomainError(Exception):
    """A request that is refused; `code` is stable, `detail` says what to do.

    `field` names the wrong value, with dots between levels; `pointer` names it as a JSON pointer,
    where a name may itself have dots. `allowed` says in JSON which values are allowed, or what
    bounds them.
    """

    code = "error"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        field: str | None = None,
        pointer: str | None = None,
        allowed: Any = None,  # Any: JSON
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        self.pointer = pointer
        self.allowed = allowed
        if code is not None:
            self.code = code


class InvalidInput(DomainError):
    """A value that cannot be used."""

    code = "invalid"


class TooLarge(InvalidInput):
    """More bytes, files or entries than allowed."""

    code = "too_large"


class Problems(InvalidInput):
    """Several values that cannot be used, all in one answer."""

    code = "problems"

    def __init__(self, errors: Sequence[DomainError]) -> None:
        super().__init__(" ".join(error.detail for error in errors))
        self.errors = tuple(errors)


def refuse_all(errors: Sequence[DomainError]) -> None:
    """Raise the errors, if there are any: one as it is, several as `Problems`."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise Problems(errors)


class NotAllowed(DomainError):
    """The person may not do this to this thing."""

    code = "not_allowed"


class NotFound(DomainError):
    """No such thing, or none that this person may know of."""

    code = "not_found"


class Conflict(DomainError):
    """Not possible in the present state of the thing."""

    code = "conflict"


class Damaged(DomainError):
    """Something stored is no longer what was stored; it is named, and never served."""

    code = "damaged"


class Unavailable(DomainError):
    """Something that the answer needs is unavailable; nothing was changed."""

    code = "unavailable"
