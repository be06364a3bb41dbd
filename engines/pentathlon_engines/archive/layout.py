"""Which entries of a packed folder are files of the bot, and under which names."""

import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pentathlon_engines.archive.names import LONGEST_NAME, duplicate
from pentathlon_engines.errors import BadArchive
from pentathlon_engines.manifest import FILE_NAME, LARGEST_BYTES
from pentathlon_engines.repairs import Repair, plain_manifest, several, shown

_JUNK_FOLDERS: Final = frozenset(
    {
        "__macosx", ".appledouble", ".fseventsd", ".spotlight-v100", ".trashes",
        "$recycle.bin", "system volume information", ".git", ".hg", ".svn",
    }
)  # fmt: skip
_JUNK_FILES: Final = frozenset(
    {
        ".ds_store", ".localized", "icon\r", "thumbs.db", "ehthumbs.db", "desktop.ini",
        ".directory", ".git",
    }
)  # fmt: skip
_APPLE_DOUBLE: Final = "._"
_NEARLY: Final = "bot.tom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names of a bot's files, each with the number of its entry."""

    files: list[tuple[str, int]]
    empty_folders: list[str]
    """Each with a slash at its end."""
    repairs: list[Repair]


def arrange(names: Sequence[str], *, read: Callable[[int], bytes]) -> Layout:
    """Find the files of a bot among entries; folders end with a slash.

    `read` returns the content of an entry. Names are not checked here: the caller checks those
    that stay.

    Raises:
        BadArchive: it cannot be seen which bot.toml is the bot's.
    """
    repairs: list[Repair] = []
    names = _composed(_with_slashes(names, repairs), repairs)
    top, manifest = _find_manifest([name for name in names if not _junk_root(name)])
    inside = [
        (name[len(top) :], number)
        for number, name in enumerate(names)
        if name.startswith(top) and (name != top or not top)
    ]
    words = _words_of(read(names.index(manifest)))
    stay: list[tuple[str, int]] = []
    junk: list[tuple[str, int]] = []
    for name, number in inside:
        is_junk = bool(root := _junk_root(name)) and not _is_named(root, words)
        (junk if is_junk else stay).append((name, number))
    _report_top(top, [name for name in names if not name.startswith(top)], repairs)
    if left_out := [name for name, _ in junk if not name.endswith("/")]:
        repairs.append(Repair("junk", f"Left out what desktops add: {several(left_out)}."))
    if (own_name := manifest.removeprefix(top)) != FILE_NAME:
        repairs.append(Repair("manifest_name", f"{shown(own_name)}: named it {FILE_NAME}."))
    files = [
        (FILE_NAME if name == own_name else name, number)
        for name, number in stay
        if not name.endswith("/")
    ]
    # A folder is one of the bot's even if a file of the desktop is all that is in it.
    folders = {parent for name, _ in stay for parent in _parents(name)}
    folders |= {parent for name, _ in junk for parent in _parents(_junk_root(name))}
    return Layout(files=files, empty_folders=_empty(folders, files), repairs=repairs)


def _with_slashes(names: Sequence[str], repairs: list[Repair]) -> Sequence[str]:
    """Take backslashes as separators where no name has a slash, as old tools of Windows write."""
    if any("/" in name for name in names) or not any("\\" in name for name in names):
        return names
    repairs.append(Repair("backslashes", "Took the backslashes in names as slashes."))
    return [name.replace("\\", "/") for name in names]


def _composed(names: Sequence[str], repairs: list[Repair]) -> Sequence[str]:
    composed = [unicodedata.normalize("NFC", name) for name in names]
    changed = [new for old, new in zip(names, composed, strict=True) if new != old]
    if changed:
        repairs.append(Repair("nfc", f"Wrote accents as programs do (NFC): {several(changed)}."))
    return composed


def _find_manifest(names: Sequence[str]) -> tuple[str, str]:
    """Return the folder of the bot, with a slash at its end unless it is the top, and its file."""
    by_folder: dict[str, str] = {}
    for name in names:
        folder, _, last = name.rpartition("/")
        if last.casefold() == FILE_NAME:
            if folder in by_folder:
                raise duplicate(by_folder[folder], name)
            by_folder[folder] = name
    outermost = [folder for folder in by_folder if not _has_outer(folder, by_folder)]
    if not outermost:
        raise _no_manifest(names)
    if len(outermost) > 1:
        found = " and ".join(shown(by_folder[folder]) for folder in sorted(outermost)[:2])
        raise BadArchive(
            f"Found {found}: each is a bot of its own. Pack one folder.",
            code="no_manifest",
            path=FILE_NAME,
        )
    folder = outermost[0]
    return (f"{folder}/" if folder else ""), by_folder[folder]


def _has_outer(folder: str, folders: dict[str, str]) -> bool:
    return any(
        folder != other and (not other or folder.startswith(f"{other}/")) for other in folders
    )


def _no_manifest(names: Sequence[str]) -> BadArchive:
    for name in names:
        if name.rpartition("/")[2].casefold().startswith(_NEARLY):
            return BadArchive(
                f"There is no {FILE_NAME}, but {shown(name)!r} was found: rename it to "
                f"{FILE_NAME}.",
                code="no_manifest",
                path=shown(name),
            )
    return BadArchive(
        f"There is no {FILE_NAME}. Write one into the folder of the bot: `pentathlon init` "
        "makes an example.",
        code="no_manifest",
    )


def _words_of(manifest: bytes) -> frozenset[str]:
    """Return the paths that a bot.toml may name; none if it cannot be read."""
    if len(manifest) > LARGEST_BYTES:
        return frozenset()
    try:
        table = tomllib.loads(plain_manifest(manifest)[0].decode())
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(
        word.removeprefix("{bot}/").removeprefix("./")
        for field in ("main", "command", "build")
        for word in _texts(table.get(field))
    )


def _texts(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield item


def _is_named(root: str, words: frozenset[str]) -> bool:
    return any(word == root or word.startswith(f"{root}/") for word in words)


def _junk_root(name: str) -> str:
    """Return the file or folder of the desktop that an entry is or lies in; "" if there is none.

    >>> _junk_root("tiger/__MACOSX/x")
    'tiger/__MACOSX'
    """
    parts = name.split("/")
    for depth, part in enumerate(parts[:-1], 1):
        if part.casefold() in _JUNK_FOLDERS:
            return "/".join(parts[:depth])
    last = parts[-1]
    is_junk = last.casefold() in _JUNK_FILES or last.startswith(_APPLE_DOUBLE)
    return name if is_junk else ""


def _report_top(top: str, beside: Sequence[str], repairs: list[Repair]) -> None:
    if not top:
        return
    repairs.append(
        Repair("top_folder", f"Took {shown(top)} as the bot’s folder: {FILE_NAME} is there.")
    )
    lost = [name for name in beside if not name.endswith("/") and not _junk_root(name)]
    if lost:
        repairs.append(Repair("beside", f"Left out what lies beside {top}: {several(lost)}."))


def _parents(name: str) -> Iterator[str]:
    """Yield the folders of a name; none if it is too long, for then the archive is refused.

    The folders of one name that is thousands of folders deep would take minutes.
    """
    if len(name) > LONGEST_NAME:
        return
    parts = name.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        yield "/".join(parts[:depth]) + "/"


def _empty(folders: set[str], files: Sequence[tuple[str, int]]) -> list[str]:
    """Return the folders with nothing in them, neither a file nor a folder."""
    used = {parent for name, _ in files for parent in _parents(name)}
    used |= {parent for folder in folders for parent in _parents(folder[:-1])}
    return sorted(folders - used)
