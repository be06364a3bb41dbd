import stat
from pathlib import Path
from zipfile import BadZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon.bots.archives import BadArchive, LargeArchive, read_archive
from pentathlon_engines import errors
from pentathlon_engines.archive.archives import DamagedArchive, read_built, unpack, verify
from pentathlon_engines.archive.packing import content_hash
from tests.factories import make_upload, zip_files
from tests.pentathlon.bots.hostile import ARCHIVES, HONEST, MANIFEST, Hostile, named


@pytest.mark.parametrize("hostile", ARCHIVES, ids=lambda hostile: hostile.name)
def test_hostile_archive_is_refused_with_its_code(hostile: Hostile) -> None:
    with pytest.raises(BadArchive) as refusal:
        read_archive(hostile.make())

    assert refusal.value.code == hostile.code
    assert refusal.value.field == "archive"
    is_too_much = hostile.code in {"too_large", "too_many_files"}
    assert isinstance(refusal.value, LargeArchive) == is_too_much


def test_honest_archive_tells_its_manifest_and_files() -> None:
    checked = read_archive(zip_files(HONEST))

    assert checked.manifest.to_json() == {
        "name": "tiger",
        "games": ["tuned"],
        "language": "python",
        "main": "main.py",
    }
    assert sorted(checked.files) == ["bot.toml", "main.py"]
    assert checked.unpacked_bytes == len(MANIFEST) + len("print()\n")


def test_single_top_folder_counts_as_the_root() -> None:
    inside = {f"tiger/{name}": data for name, data in HONEST.items()}

    assert (
        read_archive(zip_files(inside)).content_hash
        == read_archive(zip_files(HONEST)).content_hash
    )


def test_folders_of_their_own_are_no_files() -> None:
    checked = read_archive(zip_files({**HONEST, "data/": "", "data/weights.txt": "1"}))

    assert sorted(checked.files) == ["bot.toml", "data/weights.txt", "main.py"]


def test_what_finder_adds_is_left_out() -> None:
    added = {"tiger/.DS_Store": "x", "__MACOSX/tiger/._main.py": "x"}
    inside = {f"tiger/{name}": data for name, data in HONEST.items()}

    checked = read_archive(zip_files({**inside, **added}))

    assert sorted(checked.files) == ["bot.toml", "main.py"]


def test_order_and_packing_do_not_change_the_content_hash() -> None:
    there = read_archive(zip_files(HONEST))
    back = read_archive(zip_files(dict(reversed(HONEST.items()))))

    assert there.content_hash == back.content_hash
    assert there.normalised == back.normalised


@pytest.mark.parametrize(
    "other",
    [
        {**HONEST, "main.py": "print(1)\n"},
        {**HONEST, "data.txt": ""},
        {"bot.toml": MANIFEST + "#", "main.py": "print()\n"},
    ],
)
def test_other_files_are_another_content(other: dict[str, bytes | str]) -> None:
    assert (
        read_archive(zip_files(other)).content_hash != read_archive(zip_files(HONEST)).content_hash
    )


def test_program_may_be_executed_even_when_the_zip_forgot_it() -> None:
    manifest = 'name = "t"\ngames = ["tuned"]\ncommand = ["./bot"]\n'

    checked = read_archive(zip_files({"bot.toml": manifest, "bot": b"\x7fELF"}))

    assert checked.files["bot"].is_program
    assert not checked.files["bot.toml"].is_program


def test_normalised_archive_passes_again_unchanged() -> None:
    checked = read_archive(make_upload("tiger"))

    again = read_archive(checked.normalised)

    assert again.content_hash == checked.content_hash
    assert again.normalised == checked.normalised


def test_unpack_writes_plain_files_with_plain_modes(tmp_path: Path) -> None:
    manifest = 'name = "t"\ngames = ["tuned"]\ncommand = ["./bin/bot"]\n'
    upload = zip_files(
        {"bot.toml": manifest, "bin/bot": "#!"}, modes={"bin/bot": 0o777, "bot.toml": 0o600}
    )

    unpack(read_archive(upload).normalised, tmp_path)

    assert (tmp_path / "bot.toml").read_text() == manifest
    assert stat.S_IMODE((tmp_path / "bot.toml").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "bin/bot").stat().st_mode) == 0o755


def test_unpack_never_writes_through_what_is_there(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "main.py").symlink_to(victim)

    with pytest.raises(FileExistsError):
        unpack(read_archive(zip_files(HONEST)).normalised, folder)

    assert victim.read_text() == "mine"


@given(st.binary(max_size=400))
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(BadArchive):
        read_archive(data)


@given(st.data())
def test_changed_bytes_are_refused_or_harmless(data: st.DataObject) -> None:
    honest = bytearray(zip_files(HONEST))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(honest) - 1))
        honest[at] = data.draw(st.integers(0, 255))

    try:
        checked = read_archive(bytes(honest))
    except BadArchive:
        return

    assert read_archive(checked.normalised).content_hash == checked.content_hash


@given(st.text(min_size=1, max_size=30))
def test_any_name_is_refused_or_stays_inside(name: str) -> None:
    try:
        checked = read_archive(named(name))
    except (BadArchive, BadZipFile, UnicodeEncodeError):
        return

    for path in checked.files:
        assert not path.startswith("/")
        assert ".." not in path.split("/")


TO_BUILD = (
    'name = "tiger"\ngames = ["tuned"]\ncommand = ["./bot"]\nbuild = ["make"]\nprocesses = 3\n'
)


def test_what_is_to_be_built_need_not_be_there() -> None:
    checked = read_archive(zip_files({"bot.toml": TO_BUILD, "bot.c": ""}))

    assert checked.manifest.to_json() == {
        "name": "tiger",
        "games": ["tuned"],
        "language": "command",
        "command": ["./bot"],
        "build": ["make"],
        "processes": 3,
    }


def test_result_of_a_build_may_be_executed() -> None:
    manifest = read_archive(zip_files({"bot.toml": TO_BUILD})).manifest

    built = read_built(zip_files({"bot.toml": TO_BUILD, "bot": b"\x7fELF"}), manifest)

    assert built.files["bot"].is_program


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"bot.toml": TO_BUILD, "other": ""}, "nothing_built"),
        ({"bot.toml": TO_BUILD.replace("3", "4"), "bot": ""}, "manifest_changed"),
        ({"bot": ""}, "no_manifest"),
        ({"bot.toml": TO_BUILD, "bot": "", "a:b": ""}, "bad_name"),
    ],
)
def test_bad_result_of_a_build_is_refused(files: dict[str, bytes | str], code: str) -> None:
    manifest = read_archive(zip_files({"bot.toml": TO_BUILD})).manifest

    with pytest.raises(errors.BadArchive) as caught:
        read_built(zip_files(files), manifest)

    assert caught.value.code == code


def test_stored_archive_is_known_by_its_hash() -> None:
    honest = read_archive(zip_files({**HONEST, "run.sh": "exit"}))
    other = read_archive(zip_files({**HONEST, "run.sh": "exit 1"}))

    verify(honest.normalised, honest.content_hash)
    with pytest.raises(DamagedArchive, match=honest.content_hash):
        verify(other.normalised, honest.content_hash)


def test_unpacked_bot_has_the_hash_of_its_upload(tmp_path: Path) -> None:
    program = {"bot.toml": 'name = "b"\ngames = ["tuned"]\ncommand = ["./run"]\n', "run": "#!"}
    checked = read_archive(zip_files(program))

    unpack(checked.normalised, tmp_path)

    assert content_hash(tmp_path) == checked.content_hash
