"""The files of the bots that this process plays: fetched once, checked, read-only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from pentathlon_engines.archive.archives import read_model, unpack, verify
from pentathlon_engines.match.launcher import Launcher
from workers.sandbox.files.staging import Inventory, Staging, remove_tree

_log: Final = structlog.stdlib.get_logger(__name__)


class FilesRemoved(Exception):
    """Somebody removed files of running bots, so their ends are not their faults."""

    code = "files_removed"

    def __init__(self) -> None:
        super().__init__("Files that the bots were run from were removed on the host.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unpacked:
    folder: Path
    inventory: Inventory


class BotFiles:
    """Unpacked bots by content hash, in a staging folder that belongs to this process.

    The least recently used bots are removed when there are too many. Bots with the same model have
    one file of it together.
    """

    def __init__(
        self, fetch: Callable[[str], bytes], *, most: int = 64, parent: Path | None = None
    ) -> None:
        """Start without files; `fetch` returns the archive with a content hash.

        The staging folder is made in `parent`, if there is one.
        """
        self._fetch_archive = fetch
        self._staging = Staging(parent)
        self._most = most
        self._kept: OrderedDict[str, _Unpacked] = OrderedDict()
        self._models: dict[str, Path] = {}

    def folder(self, content_hash: str, *, model: tuple[str, str] | None = None) -> Path:
        """Return the folder of a bot; fetch the bot unless the folder is there and complete.

        `model` is the place of its model, and the content hash of that.
        """
        kept = self._kept.get(content_hash)
        if kept is None or not kept.inventory.is_complete():
            if kept is not None:
                _log.warning("files of a bot were removed", content_hash=content_hash)
                remove_tree(kept.folder.parent)
            kept = self._kept[content_hash] = self._fetch(content_hash, model)
        self._kept.move_to_end(content_hash)
        return kept.folder

    def check(self, folders: Iterable[Path], launcher: Launcher) -> None:
        """Raise `FilesRemoved` if these bots may have failed because files of theirs are gone."""
        asked = set(folders)
        is_staged = launcher.is_complete()
        kept = [kept.inventory for kept in self._kept.values() if kept.folder in asked]
        if not (is_staged and all(inventory.is_complete() for inventory in kept)):
            raise FilesRemoved

    def make_room(self) -> None:
        """Remove the least recently used bots; call it between matches only."""
        while len(self._kept) > self._most:
            _, oldest = self._kept.popitem(last=False)
            remove_tree(oldest.folder.parent)
        for content_hash, path in list(self._models.items()):
            if not path.exists() or path.stat().st_nlink == 1:
                remove_tree(self._models.pop(content_hash).parent)

    def close(self) -> None:
        """Remove everything."""
        self._kept.clear()
        self._models.clear()
        self._staging.close()

    def _fetch(self, content_hash: str, model: tuple[str, str] | None) -> _Unpacked:
        data = self._fetch_archive(content_hash)
        verify(data, content_hash)
        with ExitStack() as undo:
            folder = self._staging.new_folder(undo) / "bot"
            folder.mkdir(mode=0o755)
            unpack(data, folder)
            if model is not None:
                place = folder / model[0]
                place.unlink()
                place.hardlink_to(self._model(model[1]))
            _make_read_only(folder)
            undo.pop_all()
        return _Unpacked(folder=folder, inventory=Inventory(folder))

    def _model(self, content_hash: str) -> Path:
        """Return the file of a model, which no bot may change."""
        path = self._models.get(content_hash)
        if path is None or not path.exists():
            data = self._fetch_archive(content_hash)
            verify(data, content_hash)
            path = self._models[content_hash] = self._staging.new_folder() / "model"
            path.write_bytes(read_model(data))
        return path


def _make_read_only(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
