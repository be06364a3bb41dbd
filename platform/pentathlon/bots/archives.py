"""Check an upload, and say what is wrong with it as services do."""

from pentathlon.bots.bad_archive import BadArchive, LargeArchive
from pentathlon_engines import errors
from pentathlon_engines.archive import archives
from pentathlon_engines.archive.archives import CheckedArchive


def read_archive(data: bytes) -> CheckedArchive:
    """Check an upload and return what it holds, or raise `BadArchive` with the reason."""
    try:
        return archives.read_archive(data)
    except errors.LargeArchive as error:
        raise LargeArchive(str(error), code=error.code, path=error.path) from error
    except errors.BadArchive as error:
        raise BadArchive(str(error), code=error.code, path=error.path) from error
