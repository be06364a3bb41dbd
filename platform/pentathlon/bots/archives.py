"""Files of uploads and builds: checked, with the errors that services raise, and stored once."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, Sum
from django.db.models.functions import Length

from pentathlon.accounts.models import User
from pentathlon.bots.models import Archive, BotVersion, VersionState
from pentathlon.core.errors import Damaged, InvalidInput, NotFound, TooLarge
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import ACCOUNT_BYTES, MOST_VALIDATING
from pentathlon_engines import errors
from pentathlon_engines.archive import archives
from pentathlon_engines.archive.archives import (
    CheckedArchive,
    DamagedArchive,
    verify,
    with_model,
)


class BadArchive(InvalidInput):
    """An upload that is refused; `path` names the entry to blame, if there is one."""

    code = "bad_archive"

    def __init__(self, detail: str, *, code: str | None = None, path: str = "") -> None:
        super().__init__(detail, code=code, field="archive")
        self.path = path


class LargeArchive(BadArchive, TooLarge):
    """An upload with more bytes or entries than allowed."""

    code = "too_large"


class ArchiveDamaged(Damaged):
    """The stored files of a bot are not those that were uploaded or built."""

    code = DamagedArchive.code


def read_archive(data: bytes) -> CheckedArchive:
    """Check an upload and return what it holds, or raise `BadArchive` with the reason."""
    try:
        return archives.read_archive(data)
    except errors.LargeArchive as error:
        raise LargeArchive(str(error), code=error.code, path=error.path) from error
    except errors.BadArchive as error:
        raise BadArchive(str(error), code=error.code, path=error.path) from error


def find_files(content_hash: str) -> bytes:
    """Return the zip of the stored files with this hash.

    Raises:
        ArchiveDamaged: the stored files are others.
        NotFound: there are no such files.
    """
    archive = Archive.objects.filter(pk=content_hash).first()
    if archive is None:
        raise NotFound(f"There are no files {content_hash}.")
    return read_files(archive)


def read_files(archive: Archive) -> bytes:
    """Return the zip of stored files, or the empty rest of erased ones.

    Raises:
        ArchiveDamaged: it has other files than those that were uploaded or built.
    """
    data = bytes(archive.data)
    try:
        if not archive.is_erased:
            verify(data, archive.content_hash)
    except DamagedArchive as error:
        raise ArchiveDamaged(
            f"The files {archive.content_hash} cannot be read: they are not those that were "
            "stored. Nobody is charged for it; the operators of this site can restore them from a "
            "backup, and their author by uploading them again."
        ) from error
    return data


def find_upload(
    content_hash: str,
    *,
    model: str | None,
    manifest: Mapping[str, Any],  # Any: JSON
) -> bytes:
    """Return the zip of an upload as it was, its model in its place.

    Raises:
        ArchiveDamaged: the stored files are others.
    """
    data = find_files(content_hash)
    if model is None or not data:
        return data
    return with_model(data, find_files(model), at=manifest["model"])


def store_archive(checked: CheckedArchive) -> Archive:
    """Return the row of these files; fill it again if the files were erased or are damaged."""
    content = {
        "data": checked.normalised,
        "damaged_at": None,
        "unpacked_bytes": checked.unpacked_bytes,
        "files": len(checked.files),
    }
    # The lock lets nobody erase the files between this look and the version that needs them.
    archive, _ = Archive.objects.select_for_update().get_or_create(
        content_hash=checked.content_hash, defaults=content
    )
    if bytes(archive.data) != checked.normalised:
        Archive.objects.filter(pk=archive.pk).update(**content)
        archive.refresh_from_db()
    return archive


def drop_archive(content_hash: str | None) -> None:
    """Delete the files of a build that no longer counts, unless another version has the same."""
    unused = Archive.objects.filter(versions=None, built_versions=None, modelled_versions=None)
    if Archive.objects.select_for_update().filter(pk=content_hash).exists():
        unused.filter(pk=content_hash).delete()


def validation_quota(author: User) -> Quota:
    """Return how many versions are being validated."""
    own = BotVersion.objects.owned_by(author)
    return Quota(
        key="validations",
        about="versions that are being validated",
        limit=MOST_VALIDATING,
        used=own.filter(state=VersionState.VALIDATING).count(),
        code="too_many_validating",
    )


def archive_quota(author: User) -> Quota:
    """Return how many bytes archives, builds and models take; equal ones are stored once."""
    own = BotVersion.objects.owned_by(author)
    kept = Archive.objects.filter(
        Q(pk__in=own.values("archive"))
        | Q(pk__in=own.exclude(built=None).values("built"))
        | Q(pk__in=own.exclude(model=None).values("model"))
    )
    return Quota(
        key="archive_bytes",
        about="archives, builds and models of bots",
        limit=ACCOUNT_BYTES,
        used=kept.aggregate(total=Sum(Length("data")))["total"] or 0,
        unit="bytes",
        code="quota_exceeded",
    )
