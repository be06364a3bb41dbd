"""Files of uploads and builds: checked, with the errors that services raise, and stored once."""

from pentathlon.bots.models import Archive
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


def store_archive(checked: CheckedArchive) -> Archive:
    """Return the row of these files; fill it again if the files were erased."""
    content = {
        "data": checked.normalised,
        "unpacked_bytes": checked.unpacked_bytes,
        "files": len(checked.files),
    }
    # The lock lets nobody erase the files between this look and the version that needs them.
    archive, _ = Archive.objects.select_for_update().get_or_create(
        content_hash=checked.content_hash, defaults=content
    )
    if archive.is_erased:
        Archive.objects.filter(pk=archive.pk).update(**content)
        archive.refresh_from_db()
    return archive


def drop_archive(content_hash: str | None) -> None:
    """Delete the files of a build that no longer counts, unless another version has the same."""
    unused = Archive.objects.filter(versions=None, built_versions=None)
    if Archive.objects.select_for_update().filter(pk=content_hash).exists():
        unused.filter(pk=content_hash).delete()
