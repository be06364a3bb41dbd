"""The errors that services raise, whoever calls them.

DomainError
├── InvalidInput     a value that cannot be used; `field` names it
│   └── TooLarge     more of something than is allowed
├── NotAllowed       somebody else's thing, or a role that is missing
├── NotFound         no such thing, or none that this person may know of
└── Conflict         possible in general, but not in the present state
"""


class DomainError(Exception):
    """A request that is refused; `code` is stable, `detail` says what to do."""

    code = "error"

    def __init__(self, detail: str, *, code: str | None = None, field: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.field = field
        if code is not None:
            self.code = code


class InvalidInput(DomainError):
    """A value that cannot be used."""

    code = "invalid"


class TooLarge(InvalidInput):
    """More bytes, files or entries than allowed."""

    code = "too_large"


class NotAllowed(DomainError):
    """The person may not do this to this thing."""

    code = "not_allowed"


class NotFound(DomainError):
    """No such thing, or none that this person may know of."""

    code = "not_found"


class Conflict(DomainError):
    """Not possible in the present state of the thing."""

    code = "conflict"
