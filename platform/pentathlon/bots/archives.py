"""Checks of uploads, with the errors that services raise."""

from pentathlon.common.errors import InvalidInput, TooLarge
from pentathlon_engines import errors
from pentathlon_engines.archive import archives
from pentathlon_engines.archive.archives import CheckedArchive


class BadArchive(InvalidInput):
    """An upload that is refused; `path` names the entry to blame, if there is one."""

    code = "bad_archive"

    def __init__(self, detail: str, *, code: str | None = None, path: str = "") -> None:
        super().__init__(detail, code=code, field="archive")
        self.path = path


class LargeArchive(BadArchive, TooLarge):
    """An upload with more bytes or entries than allowed."""

    code = "too_large"


def read_archive(data: bytes) -> CheckedArchive:
    """Check an upload and return what it holds, or raise `BadArchive` with the reason."""
    try:
        return archives.read_archive(data)
    except errors.LargeArchive as error:
        raise LargeArchive(str(error), code=error.code, path=error.path) from error
    except errors.BadArchive as error:
        raise BadArchive(str(error), code=error.code, path=error.path) from error
