from pentathlon.common.errors import InvalidInput, TooLarge


class BadArchive(InvalidInput):
    """An upload that is not taken; `path` names the entry, where one is to blame."""

    code = "bad_archive"

    def __init__(self, detail: str, *, code: str | None = None, path: str = "") -> None:
        super().__init__(detail, code=code, field="archive")
        self.path = path


class LargeArchive(BadArchive, TooLarge):
    """An upload with more bytes or entries than allowed."""

    code = "too_large"
