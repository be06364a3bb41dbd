"""The files of the bots that this process plays: fetched once, checked, unpacked, read-only."""

from __future__ import annotations

import shutil
from collections import OrderedDict
from contextlib import ExitStack
from pathlib import Path

from pentathlon.bots.archives import read_archive, unpack
from pentathlon.bots.models import Archive
from workers.sandbox.staging import Staging


class DamagedArchive(Exception):
    """A stored archive whose files are not the ones that were uploaded."""

    code = "damaged_archive"

    def __init__(self, content_hash: str, found: str) -> None:
        super().__init__(f"The stored archive {content_hash} has the contents of {found}.")


class BotFiles:
    """Unpacked bots by content hash, in a run-time folder that is swept when its owner is gone.

    Not for sharing: the least recently used bots are removed when there are too many.
    """

    def __init__(self, *, most: int = 64) -> None:
        self._staging = Staging()
        self._most = most
        self._folders: OrderedDict[str, Path] = OrderedDict()

    def folder(self, content_hash: str) -> Path:
        """Return the folder with the files of a bot."""
        if content_hash not in self._folders:
            self._folders[content_hash] = self._fetch(content_hash)
        self._folders.move_to_end(content_hash)
        return self._folders[content_hash]

    def make_room(self) -> None:
        """Forget the bots that were not used for longest; only between matches."""
        while len(self._folders) > self._most:
            _, folder = self._folders.popitem(last=False)
            shutil.rmtree(folder.parent, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        self._folders.clear()
        self._staging.close()

    def _fetch(self, content_hash: str) -> Path:
        data = bytes(Archive.objects.values_list("data", flat=True).get(pk=content_hash))
        checked = read_archive(data)
        if checked.content_hash != content_hash:
            raise DamagedArchive(content_hash, checked.content_hash)
        with ExitStack() as undo:
            folder = self._staging.new_folder(undo) / "bot"
            folder.mkdir(mode=0o755)
            unpack(data, folder)
            _make_read_only(folder)
            undo.pop_all()
        return folder


def _make_read_only(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
