"""A bot has one content hash however its folder was packed, and every repair is told."""

import stat
import unicodedata
from pathlib import Path
from zipfile import ZIP_DEFLATED

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.archive.archives import read_archive, unpack, verify
from pentathlon_engines.archive.packing import content_hash, folder_to_play, pack_bot
from pentathlon_engines.errors import BadArchive
from tests.engines.archive.packers import HONEST, MANIFEST, PACKERS, Files, RawEntry, zip_raw

WORDS = st.sampled_from(["a", "Б", "é", "ü.txt", "데이터", "x y", "weights.bin", "lib", "ﬁ"])
SCRIPT = st.text("abc \n", max_size=20).map(lambda text: f"#!/bin/sh\n{text}".encode())
CONTENTS = st.one_of(st.binary(max_size=40), SCRIPT).filter(
    # A script with such line ends is repaired, so it is no normal form to compare with.
    lambda data: b"\r" not in data and not data.startswith(b"\xef\xbb\xbf")
)


@st.composite
def trees(draw: st.DrawFn) -> Files:
    """Draw the files of an honest bot."""
    files = dict(HONEST)
    folded = {name.casefold() for name in files}
    for parts in draw(st.lists(st.lists(WORDS, min_size=1, max_size=3), max_size=5)):
        name = unicodedata.normalize("NFC", "/".join(parts))
        taken = any(
            name.casefold() == other
            or other.startswith(f"{name.casefold()}/")
            or name.casefold().startswith(f"{other}/")
            for other in folded
        )
        if not taken:
            folded.add(name.casefold())
            files[name] = draw(CONTENTS)
    return files


@pytest.mark.parametrize("packer", PACKERS)
@given(files=trees())
def test_packing_never_changes_the_content_hash(packer: str, files: Files) -> None:
    plain = read_archive(PACKERS["Python"](files))

    packed = read_archive(PACKERS[packer](files))

    assert packed.content_hash == plain.content_hash
    assert packed.normalised == plain.normalised
    assert not plain.repairs
    again = read_archive(packed.normalised)
    assert (again.content_hash, again.repairs) == (packed.content_hash, ())
    verify(packed.normalised, packed.content_hash)


@pytest.mark.parametrize(
    ("packer", "codes"),
    [
        ("entries for folders", set()),
        ("two folders around it", {"top_folder"}),
        ("Finder", {"top_folder", "junk", "nfc", "utf8_names"}),
        ("old .NET", {"backslashes"}),
        ("Info-ZIP", set()),
        ("Explorer", {"junk"}),
        ("with .git", {"junk"}),
        ("Notepad", {"byte_order_mark", "line_ends"}),
        ("PowerShell", {"utf16"}),
        ("capitals", {"manifest_name"}),
    ],
)
def test_every_repair_is_told(packer: str, codes: set[str]) -> None:
    files = {**HONEST, "é": b"x"}
    if packer == "old .NET":
        files["lib/x"] = b"x"

    checked = read_archive(PACKERS[packer](files))

    assert {repair.code for repair in checked.repairs} == codes
    assert all(repair.detail.endswith(".") for repair in checked.repairs)


@given(files=trees())
def test_desk_and_site_have_one_hash_for_a_folder(
    files: Files, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bot")
    (folder / "logs").mkdir()
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    packed = pack_bot(folder)
    unpack(packed.normalised, there := tmp_path_factory.mktemp("there"))

    assert content_hash(folder) == packed.content_hash == content_hash(there)
    assert (there / "logs").is_dir()
    assert packed.normalised == read_archive(PACKERS["Python"]({**files, "logs/": b""})).normalised


def test_desk_plays_a_repaired_copy(tmp_path: Path) -> None:
    (tmp_path / "out" / "b").mkdir(parents=True)
    (tmp_path / "out" / "b" / "bot.toml").write_bytes(b"\xef\xbb\xbf" + MANIFEST)
    script = tmp_path / "out" / "b" / "run.sh"
    script.write_bytes(b"#!/bin/sh\r\nexec true\r\n")

    folder, repairs = folder_to_play(tmp_path)

    assert (folder / "run.sh").read_bytes() == b"#!/bin/sh\nexec true\n"
    assert stat.S_IMODE((folder / "run.sh").stat().st_mode) == 0o755
    assert {repair.code for repair in repairs} == {"top_folder", "byte_order_mark", "line_ends"}
    assert script.read_bytes().endswith(b"\r\n")


def test_desk_plays_the_folder_itself_without_repairs(tmp_path: Path) -> None:
    for name, data in HONEST.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "Thumbs.db").write_bytes(b"x")

    folder, repairs = folder_to_play(tmp_path)

    assert folder == tmp_path
    assert [repair.code for repair in repairs] == ["junk"]


def test_empty_folders_stay() -> None:
    files = {**HONEST, "logs/": b"", "a/b/": b"", "a/c/x": b"", "mac/.DS_Store": b""}

    checked = read_archive(PACKERS["entries for folders"](files))

    assert read_archive(PACKERS["Python"](files)).content_hash == checked.content_hash
    assert checked.content_hash != read_archive(PACKERS["Python"](HONEST)).content_hash


def test_junk_that_the_manifest_names_stays() -> None:
    manifest = MANIFEST.replace(b"./run.sh", b"./.git/run.sh")

    checked = read_archive(
        PACKERS["Python"]({"bot.toml": manifest, ".git/run.sh": b"", ".DS_Store": b""})
    )

    assert set(checked.files) == {"bot.toml", ".git/run.sh"}


def test_what_lies_beside_the_bot_is_named() -> None:
    inside = {f"out/b/{name}": data for name, data in HONEST.items()}

    checked = read_archive(PACKERS["Python"]({**inside, "README.md": b"", "out/notes": b""}))

    assert set(checked.files) == set(HONEST)
    assert checked.repairs[-1].detail == "Left out what lies beside out/b/: README.md, out/notes."


def test_outermost_manifest_is_the_bots() -> None:
    files = {**HONEST, "tests/bot.toml": MANIFEST}

    checked = read_archive(PACKERS["two folders around it"](files))

    assert "tests/bot.toml" in checked.files


@pytest.mark.parametrize(
    ("names", "code", "sentence"),
    [
        (["a/bot.toml", "b/bot.toml"], "no_manifest", "Found a/bot.toml and b/bot.toml"),
        (["out/b/bot.toml"] * 2, "duplicate_name", "'out/b/bot.toml' is in the archive twice"),
        (["bot.toml", "Bot.toml"], "duplicate_name", "same name on some computers"),
        (["x/bot.toml.txt"], "no_manifest", "'x/bot.toml.txt' was found: rename it to bot.toml"),
        (["main.py"], "no_manifest", "`pentathlon init` makes an example"),
        ([], "no_manifest", "There is no bot.toml"),
    ],
)
def test_what_cannot_be_repaired_is_named(names: list[str], code: str, sentence: str) -> None:
    with pytest.raises(BadArchive, match=sentence) as refusal:
        read_archive(zip_raw([RawEntry(name.encode(), MANIFEST) for name in names]))

    assert refusal.value.code == code


def test_names_of_a_console_are_read_by_its_code_page_and_told() -> None:
    entries = [RawEntry(name.encode(), data) for name, data in HONEST.items()]

    checked = read_archive(zip_raw([*entries, RawEntry("größe".encode("cp437"))]))

    assert "größe" in checked.files
    assert [repair.code for repair in checked.repairs] == ["code_page"]


def test_manifest_may_name_a_file_in_either_form() -> None:
    manifest = unicodedata.normalize("NFD", MANIFEST.decode().replace("run.sh", "é.sh"))

    checked = read_archive(PACKERS["Finder"]({"bot.toml": manifest.encode(), "é.sh": b""}))

    assert checked.manifest.command == ("./é.sh",)
    assert checked.files["é.sh"].is_program


def test_flat_table_is_no_bomb() -> None:
    entries = [RawEntry(name.encode(), data) for name, data in HONEST.items()]
    flat = RawEntry(b"table", bytes(8 << 20), method=ZIP_DEFLATED)

    checked = read_archive(zip_raw([*entries, flat]))

    assert len(checked.files["table"].data) == 8 << 20


def test_binary_behind_a_script_is_left_alone() -> None:
    payload = b"#!/bin/sh\r\nexec tail -c 9 $0\r\n\0\r\n\1"

    checked = read_archive(PACKERS["Python"]({**HONEST, "pack": payload}))

    assert checked.files["pack"].data == payload
