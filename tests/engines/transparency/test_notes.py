from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pentathlon_engines.errors import BadNote
from pentathlon_engines.transparency.notes import (
    Checkpoint,
    Continuation,
    LogKey,
    read_note,
    write_note,
)
from pentathlon_engines.transparency.receipt import FORMAT, Receipt, read_receipt, write_receipt

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = LogKey("example.org/log", PRIVATE.public_key().public_bytes_raw())
OTHER = LogKey("example.org/other", KEY.public)
TEXT = "first line\n\nthird line\n"
RECEIPT: Receipt = {
    "format": FORMAT,
    "match": 7,
    "game": "tuned",
    "rules": 1,
    "chain": "ab" * 32,
    "sandbox": "namespaces",
    "finished_at": "2026-05-01T12:00:00.000+00:00",
}


@pytest.fixture(scope="module")
def note() -> str:
    return write_note(TEXT, key=KEY, sign=PRIVATE.sign)


def test_note_is_text_gap_and_signature(note: str) -> None:
    assert note.startswith(f"{TEXT}\n— example.org/log ")
    assert read_note(note, key=KEY) == TEXT


def test_signature_of_another_key_may_stand_beside(note: str) -> None:
    text, _, signature = note.rpartition("\n\n")

    assert read_note(f"{text}\n\n— example.org/witness AAAAAAAA\n{signature}", key=KEY) == TEXT


CHANGES: dict[str, tuple[Callable[[str], str], str]] = {
    "text": (lambda note: note.replace("third", "other"), "does not match this text"),
    "signature": (lambda note: note[:-5] + "AAA=\n", "does not match this text"),
    "name": (lambda note: note.replace("example.org/log ", "example.org/gol "), "not signed by"),
    "no dash": (lambda note: note.replace("— ", ""), "not signed by"),
    "no line break": (lambda note: note.strip(), "not a signed note"),
    "too long": (lambda note: note * 300, "not a signed note"),
    "nothing": (lambda note: "", "not a signed note"),
    "empty line": (lambda note: "\n", "not signed by"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_changed_is_refused(note: str, name: str) -> None:
    change, told = CHANGES[name]

    with pytest.raises(BadNote, match=told):
        read_note(change(note), key=KEY)


def test_key_of_another_name_signs_nothing_here(note: str) -> None:
    with pytest.raises(BadNote, match="not signed by"):
        read_note(note, key=OTHER)


def test_key_is_a_line_of_text() -> None:
    assert LogKey.from_text(KEY.to_text()) == KEY
    assert KEY.to_text().startswith(f"example.org/log+{KEY.identity.hex()}+")


@pytest.mark.parametrize("text", ["", "a+b", "a+b+c", KEY.to_text()[:-4], f"x{KEY.to_text()}"])
def test_text_that_is_no_key(text: str) -> None:
    with pytest.raises(BadNote, match="not a public key"):
        LogKey.from_text(text)


def test_checkpoint_is_origin_size_and_root() -> None:
    checkpoint = Checkpoint("example.org/log", 12, b"\x01" * 32)

    assert checkpoint.to_text() == f"example.org/log\n12\n{'AQEB' * 10}AQE=\n"
    assert Checkpoint.from_text(checkpoint.to_text()) == checkpoint
    with pytest.raises(BadNote, match="not a checkpoint"):
        Checkpoint.from_text(TEXT)


@pytest.mark.parametrize(
    ("size", "root"), [("012", "AQE="), ("١٢", "AQE="), ("12", "AQF="), ("12", "?")]
)
def test_checkpoint_has_one_form(size: str, root: str) -> None:
    with pytest.raises(BadNote, match="not in the standard form"):
        Checkpoint.from_text(f"example.org/log\n{size}\n{'AQEB' * 10}{root}\n")


def test_receipt_is_read_as_it_was_written() -> None:
    assert read_receipt(write_receipt(RECEIPT)) == RECEIPT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]\n",
        '{"format":"pentathlon/receipt/2"}\n',
        write_receipt(RECEIPT).replace(',"match":7', ""),
        write_receipt(RECEIPT).replace(":", ": "),
        write_receipt(RECEIPT).replace('"match":7', '"match":7.0'),
        write_receipt(RECEIPT).replace('"match":7', '"match":true'),
        write_receipt(RECEIPT).replace('"match":7', '"match":NaN'),
        write_receipt(RECEIPT).replace('"match":7', '"match":8,"match":7'),
        write_receipt(RECEIPT).replace('"rules":1', '"rules":1.0'),
        write_receipt(RECEIPT).replace('"tuned"', "null"),
        "[" * 19_000,
        write_receipt(RECEIPT).strip(),
    ],
)
def test_text_that_is_no_receipt(text: str) -> None:
    with pytest.raises(BadNote, match="receipt"):
        read_receipt(text)


def test_checkpoint_tells_of_restores() -> None:
    restore = Continuation(5, "2026-11-28T19:00:00Z")
    before = Checkpoint("example.org/log", 12, b"\x01" * 32)
    after = Checkpoint("example.org/log", 7, b"\x02" * 32, (restore,))

    assert Checkpoint.from_text(after.to_text()) == after
    assert before.lost_by(after) == restore
    assert after.lost_by(after) is None
    assert Checkpoint("example.org/log", 5, b"\x03" * 32).lost_by(after) is None
    assert "continued its log from size 5: of the 12 entries" in restore.to_sentence(12)
