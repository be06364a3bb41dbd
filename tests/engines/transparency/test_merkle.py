"""Merkle trees, beside the definitions of RFC 6962 written down as they stand there."""

import hashlib
from collections.abc import Callable
from functools import partial

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.errors import BadNote
from pentathlon_engines.transparency.merkle import (
    is_consistent,
    is_included,
    leaf_hash,
    prove_consistency,
    prove_inclusion,
    root_hash,
)
from pentathlon_engines.transparency.notes import (
    Checkpoint,
    Continuation,
    LogKey,
    read_note,
    write_note,
)
from pentathlon_engines.transparency.receipt import FORMAT, Receipt, read_receipt, write_receipt
from tests.deep import mostly_deep

ENTRIES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
"""The entries by which implementations of RFC 6962 compare themselves with each other."""
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def tree_hash(entries: list[bytes]) -> bytes:
    """MTH of RFC 6962, 2.1."""
    if not entries:
        return hashlib.sha256().digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    k = largest_power(len(entries))
    return hashlib.sha256(b"\x01" + tree_hash(entries[:k]) + tree_hash(entries[k:])).digest()


def audit_path(m: int, entries: list[bytes]) -> list[bytes]:
    """PATH of RFC 6962, 2.1.1."""
    if len(entries) == 1:
        return []
    k = largest_power(len(entries))
    if m < k:
        return [*audit_path(m, entries[:k]), tree_hash(entries[k:])]
    return [*audit_path(m - k, entries[k:]), tree_hash(entries[:k])]


def subproof(m: int, entries: list[bytes], *, is_whole: bool) -> list[bytes]:
    """SUBPROOF of RFC 6962, 2.1.2."""
    if m == len(entries):
        return [] if is_whole else [tree_hash(entries)]
    k = largest_power(len(entries))
    if m <= k:
        return [*subproof(m, entries[:k], is_whole=is_whole), tree_hash(entries[k:])]
    return [*subproof(m - k, entries[k:], is_whole=False), tree_hash(entries[:k])]


def largest_power(length: int) -> int:
    k = 1
    while 2 * k < length:
        k *= 2
    return k


class Tree:
    """Entries, and the hashes of their complete subtrees."""

    def __init__(self, entries: list[bytes]) -> None:
        self.entries = entries

    def subtree(self, level: int, index: int) -> bytes:
        part = self.entries[index << level : (index + 1) << level]
        assert len(part) == 1 << level, "only complete subtrees may be asked for"
        return tree_hash(part)


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_of_known_trees(size: int) -> None:
    assert root_hash(size, Tree(ENTRIES).subtree).hex() == ROOTS[size - 1]


SIZES = mostly_deep(range(1, 34), keep=[1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33])


@pytest.mark.parametrize("size", SIZES)
def test_each_path_is_that_of_the_definition(size: int) -> None:
    entries = [bytes([number]) for number in range(size)]
    tree = Tree(entries)

    for index in range(size):
        path = prove_inclusion(index, size, tree.subtree)

        assert path == audit_path(index, entries)
        proves = partial(is_included, index=index, size=size, root=tree_hash(entries))
        assert proves(leaf_hash(entries[index]), path=path)
        assert not proves(leaf_hash(b"another"), path=path)
        longer = [*path, leaf_hash(b"more")]
        assert not proves(leaf_hash(entries[index]), path=longer)
        if path:
            assert not proves(leaf_hash(entries[index]), path=path[:-1])


@pytest.mark.parametrize("second", SIZES)
def test_each_growth_is_that_of_the_definition(second: int) -> None:
    entries = [bytes([number]) for number in range(second)]
    tree = Tree(entries)

    for first in range(1, second + 1):
        path = prove_consistency(first, second, tree.subtree)
        roots = (tree_hash(entries[:first]), tree_hash(entries))

        assert path == subproof(first, entries, is_whole=True)
        assert is_consistent(first=first, second=second, roots=roots, path=path)
        assert not is_consistent(
            first=first, second=second, roots=(tree_hash([b"x"]), roots[1]), path=path
        )
        assert not is_consistent(
            first=first, second=second, roots=(roots[0], tree_hash([b"x"])), path=path
        )
        if path:
            assert not is_consistent(first=first, second=second, roots=roots, path=path[:-1])


@given(st.data())
def test_changed_history_has_no_proof(data: st.DataObject) -> None:
    """Whatever entry of the smaller tree is changed, the honest path proves nothing any more."""
    second = data.draw(st.integers(2, 40))
    first = data.draw(st.integers(1, second - 1))
    changed = data.draw(st.integers(0, first - 1))
    entries = [bytes([number]) for number in range(second)]
    forged = [*entries[:changed], b"forged", *entries[changed + 1 :]]

    path = prove_consistency(first, second, Tree(forged).subtree)

    roots = (tree_hash(entries[:first]), tree_hash(forged))
    assert not is_consistent(first=first, second=second, roots=roots, path=path)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_no_path_to_an_entry_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="has none at"):
        prove_inclusion(index, size, Tree([b"a", b"b", b"c"]).subtree)
    assert not is_included(b"", index=index, size=size, path=[], root=b"")


@pytest.mark.parametrize(("first", "second"), [(0, 3), (4, 3), (-1, 3)])
def test_no_growth_from_a_larger_tree_or_from_none(first: int, second: int) -> None:
    with pytest.raises(ValueError, match="has not grown"):
        prove_consistency(first, second, Tree([b"a", b"b", b"c"]).subtree)
    assert not is_consistent(first=first, second=second, roots=(b"", b""), path=[])


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
