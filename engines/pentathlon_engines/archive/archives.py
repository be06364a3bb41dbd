"""Check an uploaded bot and put it into one normal form: at an author's desk, and on the server.

Nothing of an upload is kept but the names and contents of its files and its empty folders: what is
stored is a new zip, made here, and equal files make equal bytes.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pentathlon_engines.archive.files import (
    StoredFile,
    Tree,
    check_sizes,
    read_stored,
    read_tree,
)
from pentathlon_engines.archive.names import check_names, entry_name
from pentathlon_engines.errors import BadArchive, BadManifest
from pentathlon_engines.manifest import FILE_NAME, MODEL_ENDS, Manifest, hash_files, parse_manifest
from pentathlon_engines.repairs import Repair

# 16 MiB of "a" and "b" in random order take 43 s at level 9, 1.4 s at the usual 6, 0.4 s at 3.
_LEVEL = 3
_ONNX = b"\x08"
"""The first byte of an ONNX file: the field with the version of its form."""
_TENSORS_AT = 8
"""Where the JSON of a safetensors file begins."""


class DamagedArchive(Exception):
    """A stored archive whose files are not the ones that were uploaded."""

    code = "archive_damaged"

    def __init__(self, content_hash: str, found: str) -> None:
        super().__init__(f"The stored archive {content_hash} has {found}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedArchive:
    """An upload that is safe to keep and to unpack."""

    manifest: Manifest
    files: Mapping[str, StoredFile]
    """The files; in the place of the model, if there is one, its hash."""
    content_hash: str
    normalised: bytes
    """The same files as a zip whose bytes depend only on those files."""
    unpacked_bytes: int
    repairs: tuple[Repair, ...]
    """What was put right; `files` are those after it."""
    model: CheckedArchive | None = None
    """The model alone, which versions share that have the same."""

    def whole(self) -> bytes:
        """Return the zip with the model in its place, as it can be uploaded."""
        if self.model is None:
            return self.normalised
        return with_model(self.normalised, self.model.normalised, at=str(self.manifest.model))


def read_archive(data: bytes) -> CheckedArchive:
    """Check an upload and return what it holds, or raise `BadArchive` with the reason."""
    tree = read_tree(data)
    manifest = _read_manifest(tree.files)
    if manifest.model is not None:
        _check_model(manifest.model, tree.files[manifest.model].data)
    tree, model = without_model(with_program(tree, manifest), manifest)
    check_sizes(tree)
    kept = _checked(tree, manifest)
    return kept if model is None else replace(kept, model=_checked(model, manifest))


def _checked(tree: Tree, manifest: Manifest) -> CheckedArchive:
    return CheckedArchive(
        manifest=manifest,
        files=tree.files,
        content_hash=tree_hash(tree),
        normalised=_normalised(tree),
        unpacked_bytes=sum(len(file.data) for file in tree.files.values()),
        repairs=tree.repairs,
    )


def read_built(data: bytes, manifest: Manifest) -> CheckedArchive:
    """Check what the build of an upload with this manifest left, by the rules for uploads.

    A build has the hash of the model in its place, and leaves it there.
    """
    tree = with_program(read_tree(data), manifest)
    check_sizes(tree)
    built = _checked(tree, _read_manifest(tree.files))
    if built.manifest != manifest:
        raise BadArchive(
            f"build: it changed {FILE_NAME}. Leave that file alone.",
            code="manifest_changed",
            path=FILE_NAME,
        )
    start = manifest.main or _own_program(manifest)
    if start is not None and start not in built.files:
        raise BadArchive(
            f"build: it did not make {start!r}, the file that starts the bot.",
            code="nothing_built",
            path=FILE_NAME,
        )
    return built


def verify(data: bytes, content_hash: str) -> None:
    """Raise `DamagedArchive` unless a stored archive holds the files of this hash."""
    try:
        found = tree_hash(read_stored(data))
    except BadArchive as error:
        raise DamagedArchive(content_hash, "no files that can be read") from error
    if found != content_hash:
        raise DamagedArchive(content_hash, f"the contents of {found}")


def unpack(data: bytes, folder: Path) -> None:
    """Write the files of a normalised archive into an empty folder.

    Raises:
        BadArchive: a name leads out of the folder, or an entry is no plain file or folder.
    """
    with ZipFile(io.BytesIO(data)) as archive:
        entries = [(entry_name(info)[0], info) for info in archive.infolist()]
        check_names(name for name, _ in entries)
        for name, info in entries:
            mode = info.external_attr >> 16
            if stat.S_IFMT(mode) != (stat.S_IFDIR if name.endswith("/") else stat.S_IFREG):
                raise BadArchive(
                    f"{name!r} is no plain file or folder.", code="special_file", path=name
                )
            path = folder / name
            if name.endswith("/"):
                path.mkdir(mode=0o755, parents=True, exist_ok=True)
                continue
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            _write_new(path, archive.read(info), mode=mode & 0o755)


def without_model(tree: Tree, manifest: Manifest) -> tuple[Tree, Tree | None]:
    """Return the files with a hash in the place of the model that the manifest names; and that.

    So the content hash is that of all files, and versions with the same model can share it.
    """
    if manifest.model not in tree.files:
        return tree, None
    name = f"model{PurePosixPath(manifest.model).suffix}"
    file = StoredFile(data=tree.files[manifest.model].data, is_program=False)
    model = Tree(files={name: file}, empty_folders=())
    note = StoredFile(data=tree_hash(model).encode(), is_program=False)
    return replace(tree, files={**tree.files, manifest.model: note}), model


def read_model(data: bytes) -> bytes:
    """Return the content of the only file in the archive of a model."""
    (file,) = read_stored(data).files.values()
    return file.data


def with_model(data: bytes, model: bytes, *, at: str) -> bytes:
    """Return the archive of a bot with the model from its own archive in its place."""
    tree = read_stored(data)
    file = StoredFile(data=read_model(model), is_program=False)
    return _normalised(replace(tree, files={**tree.files, at: file}))


def with_program(tree: Tree, manifest: Manifest) -> Tree:
    """Return the files with the mark that the bot's own program may be executed.

    Zips made on Windows lose it.
    """
    program = _own_program(manifest)
    if program is None or program not in tree.files:
        return tree
    marked = StoredFile(data=tree.files[program].data, is_program=True)
    return replace(tree, files={**tree.files, program: marked})


def tree_hash(tree: Tree) -> str:
    """Return the content hash of the files and the empty folders."""
    files = ((name, file.is_program, file.data) for name, file in tree.files.items())
    return hash_files([*files, *((name, True, b"") for name in tree.empty_folders)])


def _write_new(path: Path, data: bytes, *, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(data)


def _read_manifest(files: Mapping[str, StoredFile]) -> Manifest:
    try:
        manifest = parse_manifest(files[FILE_NAME].data, has_file=files.__contains__)
    except BadManifest as error:
        problem = str(error).removeprefix(f"{FILE_NAME}: ")
        raise BadArchive(f"{FILE_NAME}: {problem}", code=error.code, path=FILE_NAME) from error
    # A program that the build makes need not be there yet.
    if not manifest.build:
        _check_program(manifest, files)
    return manifest


def _check_model(name: str, data: bytes) -> None:
    """Refuse what is certainly no model, such as a file of the same name by another program."""
    is_onnx = data.startswith(_ONNX)
    is_tensors = data[_TENSORS_AT : _TENSORS_AT + 1] == b"{"
    if not (is_onnx if name.endswith(MODEL_ENDS[0]) else is_tensors):
        raise BadArchive(
            f"model: {name!r} is not what its name says. Export it again.",
            code="bad_model",
            path=name,
        )


def _check_program(manifest: Manifest, files: Mapping[str, StoredFile]) -> None:
    program = _own_program(manifest)
    if program is not None and program not in files:
        raise BadArchive(
            f"{FILE_NAME}: command: there is no file {program!r} in the archive.",
            code="bad_manifest",
            path=FILE_NAME,
        )


def _own_program(manifest: Manifest) -> str | None:
    """Return the file of the bot that its command starts, if it starts one of its own."""
    if not manifest.command or not manifest.command[0].startswith(("./", "{bot}/")):
        return None
    return manifest.command[0].partition("/")[2]


def _normalised(tree: Tree) -> bytes:
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, file in sorted(tree.files.items()):
            mode = stat.S_IFREG | (0o755 if file.is_program else 0o644)
            # `ZipFile` does not apply its own level to entries given as `ZipInfo`.
            archive.writestr(_entry(name, mode), file.data, compresslevel=_LEVEL)
        for name in tree.empty_folders:
            archive.writestr(_entry(name, stat.S_IFDIR | 0o755), b"")
    return target.getvalue()


def _entry(name: str, mode: int) -> ZipInfo:
    info = ZipInfo(name)
    info.create_system = 3  # Unix, wherever this runs
    # Weights hardly get smaller.
    info.compress_type = ZIP_STORED if name.endswith(MODEL_ENDS) else ZIP_DEFLATED
    info.external_attr = mode << 16
    return info
