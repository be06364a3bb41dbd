"""Pack the folder of a bot for an upload."""

from __future__ import annotations

import io
import stat
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pentathlon_engines.archive.archives import CheckedArchive, read_archive
from pentathlon_engines.errors import BadArchive
from pentathlon_engines.manifest import bot_files


def pack_bot(folder: Path) -> CheckedArchive:
    """Return the files of a bot as the server would check and keep them.

    Raises:
        BadArchive: the server would refuse these files, with the same message.
    """
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path in bot_files(folder):
            name = path.relative_to(folder).as_posix()
            if not path.resolve().is_relative_to(folder.resolve()):
                raise BadArchive(
                    f"{name!r} is a link to something outside the folder. Put the file itself "
                    "there.",
                    code="link_in_archive",
                    path=name,
                )
            # Equal files make an equal archive, whenever they were written.
            info = ZipInfo(name)
            info.compress_type = ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | stat.S_IMODE(path.stat().st_mode)) << 16
            archive.writestr(info, path.read_bytes())
    return read_archive(packed.getvalue())
