"""The model of a bot: its own limit, a hash in its place, and the whole again."""

import io
import struct
from pathlib import Path
from zipfile import ZipFile

import pytest

from pentathlon_engines.archive.archives import read_archive, read_built, read_model, unpack
from pentathlon_engines.archive.files import MOST_FILE_BYTES
from pentathlon_engines.archive.packing import content_hash, pack_bot
from pentathlon_engines.errors import BadArchive, LargeArchive

TENSORS = struct.pack("<Q", 2) + b"{}"


def make_bot(folder: Path, *, model: bytes = b"\x08\x08", line: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    line = line or 'model = "nets/policy.onnx"'
    manifest = f'name = "learned"\ngames = ["tuned"]\nlanguage = "python"\n{line}\n'
    (folder / "bot.toml").write_text(manifest)
    (folder / "main.py").write_text("")
    (folder / "nets").mkdir(exist_ok=True)
    (folder / "nets/policy.onnx").write_bytes(model)
    return folder


def test_archive_has_a_hash_in_the_place_of_the_model(tmp_path: Path) -> None:
    archive = pack_bot(make_bot(tmp_path, model=b"\x08 weights"))

    assert archive.model is not None
    assert archive.files["nets/policy.onnx"].data.decode() == archive.model.content_hash
    assert read_model(archive.model.normalised) == b"\x08 weights"
    assert b"weights" not in archive.normalised


def test_whole_is_what_was_uploaded(tmp_path: Path) -> None:
    archive = pack_bot(make_bot(tmp_path / "bot"))

    unpack(archive.whole(), tmp_path)

    assert (tmp_path / "nets/policy.onnx").read_bytes() == b"\x08\x08"
    assert read_archive(archive.whole()) == archive


def test_content_hash_depends_on_the_model_and_not_on_where_it_was_packed(tmp_path: Path) -> None:
    one = make_bot(tmp_path / "one")
    other = make_bot(tmp_path / "other", model=b"\x08\x07")

    assert pack_bot(one).content_hash == content_hash(one) != content_hash(other)


def test_equal_models_are_the_same_wherever_they_lie(tmp_path: Path) -> None:
    first = pack_bot(make_bot(tmp_path / "one"))
    moved = make_bot(tmp_path / "two", line='model = "policy.onnx"')
    (moved / "nets/policy.onnx").rename(moved / "policy.onnx")
    second = pack_bot(moved)

    assert first.content_hash != second.content_hash
    assert first.model is not None
    assert second.model is not None
    assert first.model.normalised == second.model.normalised


def test_only_the_model_that_the_manifest_names_may_be_large(tmp_path: Path) -> None:
    large = b"\x08" * (MOST_FILE_BYTES + 1)
    pack_bot(make_bot(tmp_path, model=large))

    with pytest.raises(LargeArchive, match=r'write model = "nets/policy\.onnx"'):
        pack_bot(make_bot(tmp_path, model=large, line="processes = 1"))


@pytest.mark.parametrize(
    ("name", "data", "is_one"),
    [
        ("policy.onnx", b"\x08", True),
        ("policy.onnx", TENSORS, False),
        ("policy.safetensors", TENSORS, True),
        ("policy.safetensors", b"\x08", False),
        ("policy.safetensors", b"", False),
    ],
)
def test_file_that_is_certainly_no_model_is_refused(
    tmp_path: Path, name: str, data: bytes, is_one: bool
) -> None:
    make_bot(tmp_path, line=f'model = "{name}"')
    (tmp_path / name).write_bytes(data)

    if is_one:
        assert pack_bot(tmp_path).model
        return
    with pytest.raises(BadArchive, match="is not what its name says"):
        pack_bot(tmp_path)


def test_weights_are_packed_as_they_are(tmp_path: Path) -> None:
    archive = pack_bot(make_bot(tmp_path, model=b"\x08" * 5000))

    assert archive.model is not None
    with ZipFile(io.BytesIO(archive.model.normalised)) as zipped:
        (info,) = zipped.infolist()
    assert (info.filename, info.compress_size) == ("model.onnx", 5000)


def test_build_keeps_the_hash_in_the_place_of_the_model(tmp_path: Path) -> None:
    folder = make_bot(tmp_path)
    manifest = 'name = "learned"\ngames = ["tuned"]\ncommand = ["./bot"]\nbuild = ["make"]\n'
    (folder / "bot.toml").write_text(manifest + 'model = "nets/policy.onnx"\n')
    upload = pack_bot(folder)
    (sources := tmp_path / "sources").mkdir()
    unpack(upload.normalised, sources)
    (sources / "bot").write_bytes(b"\x7fELF")
    with ZipFile(made := io.BytesIO(), "w") as archive:
        for path in filter(Path.is_file, sources.rglob("*")):
            archive.write(path, path.relative_to(sources))

    built = read_built(made.getvalue(), upload.manifest)

    assert upload.model is not None
    assert built.model is None
    assert built.files["nets/policy.onnx"].data.decode() == upload.model.content_hash
