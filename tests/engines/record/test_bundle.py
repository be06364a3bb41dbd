"""Bundles: what goes in comes out, and nothing else is taken for one."""

import io
import json
from typing import Any
from zipfile import ZipFile

import pytest

from pentathlon_engines.errors import BadBundle
from pentathlon_engines.record import bundle
from pentathlon_engines.record.bundle import pack_bundle, read_bundle
from pentathlon_engines.record.record import chain
from tests.engines.record.random_records import tuned_record


def zipped(**files: object) -> bytes:
    """Pack JSON documents by name, without their ending."""
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        for name, value in files.items():
            archive.writestr(f"{name}.json", json.dumps(value))
    return target.getvalue()


def resealed(**changes: Any) -> dict[str, Any]:
    record: Any = {**tuned_record(), **changes}
    return {**record, "chain": chain(record)}


def test_bundle_gives_back_record_and_seat() -> None:
    record = tuned_record()

    bundle = read_bundle(pack_bundle(record, seat=1))

    assert bundle == (record, 1)


def test_bundle_of_the_same_match_has_the_same_bytes() -> None:
    assert pack_bundle(tuned_record(), seat=0) == pack_bundle(tuned_record(), seat=0)


def test_readme_names_the_one_command() -> None:
    with ZipFile(io.BytesIO(pack_bundle(tuned_record(), seat=1))) as archive:
        readme = archive.read("README.txt").decode()

    assert "pentathlon play match-local-seat-1.zip FOLDER_OF_YOUR_BOT" in readme
    assert "$" not in readme


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not a zip file"),
        (b"PK\x03\x04 and so on", "not a zip file"),
        (zipped(record={}), "it has no bundle.json"),
        (zipped(bundle={"bundle": 1, "seat": 0}), "it has no record.json"),
        (zipped(bundle=[], record={}), "bundle.json is not a JSON object"),
        (zipped(bundle={"bundle": 2, "seat": 0}, record={}), "bundle is 2, this release reads 1"),
        (zipped(bundle={"bundle": 1, "seat": 0}, record={}), "format is missing"),
        (zipped(bundle={"bundle": 1, "seat": 2}, record=tuned_record()), "has 2 seats"),
        (zipped(bundle={"bundle": 1, "seat": True}, record=tuned_record()), "seat is True"),
        (
            zipped(bundle={"bundle": 1, "seat": 0}, record={**tuned_record(), "seed": 8}),
            "changed after it was sealed",
        ),
        (
            zipped(bundle={"bundle": 1, "seat": 0}, record=resealed(limits={"luck": 1})),
            "unknown limits: luck",
        ),
    ],
)
def test_file_that_is_no_bundle_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(BadBundle, match=problem):
        read_bundle(data)


def test_damaged_bundle_is_refused_or_whole() -> None:
    data = pack_bundle(tuned_record(), seat=0)
    refused = 0

    for position in range(0, len(data), 40):
        damaged = data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :]
        try:
            assert read_bundle(damaged) == (tuned_record(), 0)
        except BadBundle:
            refused += 1

    assert refused > 10


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "record.json is not JSON"), ("[" * 100_000, "record.json is not JSON")],
    ids=["half", "deep"],
)
def test_bundle_without_json_is_refused(text: str, problem: str) -> None:
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        archive.writestr("bundle.json", '{"bundle": 1, "seat": 0}')
        archive.writestr("record.json", text)

    with pytest.raises(BadBundle, match=problem):
        read_bundle(target.getvalue())


def test_bundle_that_would_unpack_to_too_much_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundle, "_MOST_BYTES", 100)

    with pytest.raises(BadBundle, match=r"record.json is larger than 100 bytes"):
        read_bundle(pack_bundle(tuned_record(), seat=0))
