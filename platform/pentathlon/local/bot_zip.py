"""Pack a bot's folder the way an author would."""

import io
from pathlib import Path
from zipfile import ZipFile


def zipped(folder: Path) -> bytes:
    """Return the files of a bot as an archive for an upload."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for path in sorted(folder.glob("*.*")):
            archive.write(path, path.name)
    return buffer.getvalue()
