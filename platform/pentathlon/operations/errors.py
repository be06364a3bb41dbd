"""Why a backup is not made, or not restored."""

from pentathlon.core.errors import Conflict, InvalidInput


class BadBackup(InvalidInput):
    """A file that is no backup, or was damaged since it was made."""

    code = "bad_backup"


class OtherSchema(Conflict):
    """The tables are those of another release."""

    code = "other_schema"


class NotEmpty(Conflict):
    """The place where a backup should go has something in it."""

    code = "not_empty"


class NotKept(Conflict):
    """The disk or the database has refused to keep what was written."""

    code = "not_kept"
