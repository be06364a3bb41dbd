"""What a bot.toml may say, and how its errors are reported."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from pentathlon_engines import GAMES, manifest
from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.errors import BadManifest
from pentathlon_engines.manifest import Manifest, bot_command, built_in_bots, read_manifest

PYTHON = 'name = "tiger"\ngames = ["tuned"]\nlanguage = "python"\n'
PROGRAM = 'name = "tiger"\ngames = ["tuned"]\ncommand = ["./bot", "-v"]\n'


def write_bot(folder: Path, toml: str) -> Path:
    (folder / "bot.toml").write_text(toml)
    (folder / "main.py").write_text("")
    return folder


def test_python_bot_is_read(tmp_path: Path) -> None:
    found = read_manifest(write_bot(tmp_path, PYTHON))

    assert found == Manifest(
        name="tiger", games=("tuned",), language="python", main="main.py", command=(), build=()
    )


def test_program_is_read(tmp_path: Path) -> None:
    found = read_manifest(write_bot(tmp_path, PROGRAM + 'build = ["cc", "bot.c"]\n'))

    assert found == Manifest(
        name="tiger",
        games=("tuned",),
        language="command",
        main=None,
        command=("./bot", "-v"),
        build=("cc", "bot.c"),
    )


def test_bot_names_its_model(tmp_path: Path) -> None:
    (tmp_path / "policy.onnx").touch()
    found = read_manifest(write_bot(tmp_path, PYTHON + 'model = "./policy.onnx"\n'))

    assert found.model == found.to_json()["model"] == "policy.onnx"
    assert Manifest.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("line", "word", "plays"),
    [
        ("", None, True),
        ("ladder = true\n", True, True),
        ("ladder = false\n", False, False),
        ('ladder = "paused"\n', "paused", False),
    ],
)
def test_author_says_whether_a_bot_plays_on_ladders(
    tmp_path: Path, line: str, word: object, plays: bool
) -> None:
    found = read_manifest(write_bot(tmp_path, PYTHON + line))

    assert (found.ladder, found.plays_on_ladders) == (word, plays)
    assert found.to_json().get("ladder") == word


def test_star_stands_for_all_games(tmp_path: Path) -> None:
    found = read_manifest(write_bot(tmp_path, PYTHON.replace('"tuned"', '"*"')))

    assert found.games == tuple(GAMES)


def test_python_bot_is_started_without_site_packages(tmp_path: Path) -> None:
    folder = write_bot(tmp_path, PYTHON)

    command = bot_command(folder, read_manifest(folder))

    assert command.folder == folder.resolve()
    assert command.argv == ["{python}", "-s", "-S", "-B", "-u", "{bot}/main.py"]
    assert command.language == "python"


def test_program_is_started_as_written(tmp_path: Path) -> None:
    folder = write_bot(tmp_path, PROGRAM)

    command = bot_command(folder, read_manifest(folder))

    assert (command.argv, command.language) == (["./bot", "-v"], "command")


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("", "name: write a text"),
        ("name = 3", "name: write a text"),
        (PYTHON.replace("tiger", "a/b"), "name: write a text"),
        (PYTHON.replace("tiger", "x" * 65), "name: write a text"),
        (PYTHON.replace("tiger", "tiger "), "begins and ends with a letter or digit"),
        (PYTHON.replace("tiger", "tiger-"), "begins and ends with a letter or digit"),
        (PYTHON.replace("tiger", "big  tiger"), "single spaces"),
        (PYTHON.replace('"tiger"', '"""\ntiger\n"""'), "name: write a text"),
        (PYTHON.replace('["tuned"]', "[]"), "games: write at least one"),
        (PYTHON.replace('["tuned"]', '"tuned"'), "games: write a list"),
        (PYTHON.replace('["tuned"]', '["chess"]'), "games: no game 'chess'; the games .*tuned"),
        (PYTHON.replace('["tuned"]', '["tuned", "tuned"]'), "games: write each game once"),
        (PYTHON + 'model = "policy.bin"', "model: write the path of a file .* ends with .onnx"),
        (PYTHON + 'model = "../policy.onnx"', "model: write the path of a file in the folder"),
        (PYTHON + 'model = "policy.onnx"', "model: there is no file 'policy.onnx'"),
        (PYTHON.replace('"python"', '"cobol"'), "language: write .*not 'cobol'"),
        (PYTHON.replace('"python"', '["python"]'), "language: write"),
        ('name = "t"\ngames = ["tuned"]', 'language: write language = "python"'),
        ('name = "t"\ngames = ["tuned"]\nlanguage = "command"', "command: write the program"),
        (PYTHON + 'main = "other.py"', "main: there is no file 'other.py'"),
        (PYTHON + 'main = "../main.py"', "main: write the path"),
        (PYTHON + 'main = "/etc/passwd"', "main: write the path"),
        (PYTHON + "main = 1", "main: write the path"),
        (PYTHON + 'build = ["make"]', "build: a Python bot is not built"),
        (PYTHON + 'command = ["./bot"]', "command: write either command, or language"),
        (PROGRAM + 'main = "main.py"', "command: write either command, or language"),
        (PROGRAM.replace('"./bot"', "1"), "command: write a list of texts"),
        (PROGRAM.replace('"./bot"', '""'), "command: write a list of texts"),
        (PYTHON + 'ladder = "no"', r"ladder: write true \(joins\), false \(leaves\)"),
        (PYTHON + "ladder = 0", r"ladder: write true \(joins\), false \(leaves\)"),
        (PYTHON + 'colour = "red"', "colour: no such field; known are name, games"),
        ("name = ", "bot.toml: not TOML"),
        ("# " + "x" * 5_000, "bot.toml: larger than 4096 bytes"),
        (PYTHON + f"processes = {'9' * 4_000}", "processes: write a whole number"),
        (PYTHON + f"processes = {'9' * 5_000}", "bot.toml: larger than 4096 bytes"),
        (PYTHON.replace('"python"', f"0x{'f' * 4_000}"), "language: write .*not 'int'"),
        (PYTHON.replace('"python"', f"'{'f' * 4_000}'"), "language: write .*not 'f{60}…'"),
        (PYTHON + f"{'a.' * 1_900}a = 1", "a: no such field|not TOML"),
        (PYTHON + f"main = {'[' * 1_900}{']' * 1_900}", "main: write the path|not TOML"),
        (PYTHON + "'a\u2028b' = 1", r"'a\\u2028b': no such field"),
        (PYTHON + "main = 2026-99-99", "bot.toml: not TOML"),
    ],
)
def test_manifest_that_is_wrong_names_field_and_remedy(
    tmp_path: Path, toml: str, message: str
) -> None:
    with pytest.raises(BadManifest, match=message):
        read_manifest(write_bot(tmp_path, toml))


def test_manifest_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_bytes(b"name = '\xff'")

    with pytest.raises(BadManifest, match="not UTF-8; save it as UTF-8"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_manifest_of_an_editor_with_byte_order_mark_is_read(tmp_path: Path, encoding: str) -> None:
    folder = write_bot(tmp_path, PYTHON)
    (folder / "bot.toml").write_bytes(PYTHON.encode(encoding))

    assert read_manifest(folder).language == "python"


def test_manifest_is_found_in_any_case(tmp_path: Path) -> None:
    folder = write_bot(tmp_path, PYTHON)
    (folder / "bot.toml").rename(folder / "Bot.TOML")

    assert read_manifest(folder).language == "python"


def test_number_of_too_many_digits_is_no_accident(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "LARGEST_BYTES", 10_000)

    with pytest.raises(BadManifest, match="not TOML"):
        manifest.parse_manifest(b"processes = " + b"9" * 5_000, has_file=bool)


def test_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadManifest, match=r"cannot be read; write a bot\.toml"):
        read_manifest(tmp_path)


def test_hash_follows_names_and_contents_only(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        write_bot(folder, PYTHON)
    os.utime(second / "main.py", (0, 0))
    (second / "__pycache__").mkdir()
    (second / "__pycache__" / "main.pyc").write_bytes(b"\0")
    same = content_hash(first)

    assert same == content_hash(second)
    (second / "main.py").write_text("pass")
    changed = content_hash(second)
    (second / "main.py").rename(second / "other.py")

    assert len({same, changed, content_hash(second)}) == 3


@pytest.mark.parametrize(
    "toml", [PYTHON, PROGRAM + 'build = ["cc", "bot.c"]\nprocesses = 4\nladder = false\n']
)
def test_manifest_comes_back_from_its_json(toml: str, tmp_path: Path) -> None:
    found = read_manifest(write_bot(tmp_path, toml))

    assert Manifest.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_hash_is_that_of_an_upload(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("#!/bin/sh")
    (tmp_path / "run").chmod(0o700)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "book").write_text("e4")
    (tmp_path / "logs").mkdir()
    toml = b'name = "t"\ngames = ["*"]\ncommand = ["./run"]\n'
    (tmp_path / "bot.toml").write_bytes(toml)

    expected = sha256(
        b"bot.toml\x00644\x00%d\x00%b" % (len(toml), toml)
        + b"data/book\x00644\x002\x00e4"
        + b"logs/\x00755\x000\x00"
        + b"run\x00755\x009\x00#!/bin/sh"
    )

    assert content_hash(tmp_path) == f"sha256:{expected.hexdigest()}"


def test_built_in_bots_are_found_by_name() -> None:
    assert list(built_in_bots()) == ["first", "flat_mc", "greedy", "last", "mcts", "random"]
