"""Merkle trees of RFC 6962: roots, proofs of inclusion and of consistency, and their checks.

A tree of n entries has n leaves in their order. Proofs are made from the hashes of complete
subtrees, which never change once the tree has grown past them; so a server keeps those alone.
"""

import hashlib
from collections.abc import Callable, Sequence

Subtree = Callable[[int, int], bytes]
"""Returns the hash of a complete subtree of 2**level leaves, by level and index from the left."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry (RFC 6962, 2.1)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees side by side (RFC 6962, 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_hash(size: int, subtree: Subtree) -> bytes:
    """Return the hash of the tree of the first `size` entries (RFC 6962, 2.1).

    >>> root_hash(0, lambda level, index: b"").hex()[:16]
    'e3b0c44298fc1c14'
    """
    return _hash_range(0, size, subtree) if size else hashlib.sha256().digest()


def prove_inclusion(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the path from the entry at an index to the root of a tree (RFC 6962, 2.1.1).

    Raises `ValueError` if the tree has no such entry.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} entries has none at {index}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_hash_range(middle, end, subtree))
            end = middle
        else:
            path.append(_hash_range(start, middle, subtree))
            start = middle
    return path[::-1]


def prove_consistency(first: int, second: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that a tree has grown from a smaller one (RFC 6962, 2.1.2).

    Raises `ValueError` unless 0 < first <= second.
    """
    if not 0 < first <= second:
        raise ValueError(f"a tree of {second} entries has not grown from one of {first}")
    path: list[bytes] = []
    start, end, is_whole = 0, second, True
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_hash_range(middle, end, subtree))
            end = middle
        else:
            path.append(_hash_range(start, middle, subtree))
            start, is_whole = middle, False
    if not is_whole:
        path.append(_hash_range(start, end, subtree))
    return path[::-1]


def is_included(leaf: bytes, *, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether a path proves a leaf to be in the tree with this root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    position, last, found = index, size - 1, leaf
    for each in path:
        if not last:
            return False
        if position % 2 or position == last:
            found = node_hash(each, found)
            position, last = _climb_past_lone_nodes(position, last)
        else:
            found = node_hash(found, each)
        position, last = position >> 1, last >> 1
    return not last and found == root


def is_consistent(
    *, first: int, second: int, roots: tuple[bytes, bytes], path: Sequence[bytes]
) -> bool:
    """Return whether a path proves that a tree has grown from another (RFC 9162, 2.1.4.2).

    `roots` are those of the smaller and of the larger tree.
    """
    if not 0 < first <= second:
        return False
    if first == second:
        return not path and roots[0] == roots[1]
    hashes = [roots[0], *path] if first & (first - 1) == 0 else list(path)
    if not hashes:
        return False
    position, last = first - 1, second - 1
    while position % 2:
        position, last = position >> 1, last >> 1
    old = new = hashes[0]
    for each in hashes[1:]:
        if not last:
            return False
        if position % 2 or position == last:
            old, new = node_hash(each, old), node_hash(each, new)
            position, last = _climb_past_lone_nodes(position, last)
        else:
            new = node_hash(new, each)
        position, last = position >> 1, last >> 1
    return not last and (old, new) == roots


def _climb_past_lone_nodes(position: int, last: int) -> tuple[int, int]:
    """Leave out the levels at which the last node has no neighbour, and so no hash in a path."""
    while position and not position % 2:
        position, last = position >> 1, last >> 1
    return position, last


def _hash_range(start: int, end: int, subtree: Subtree) -> bytes:
    """Return the hash of the entries from `start` on, which is a multiple of each part's size."""
    length = end - start
    if length & (length - 1) == 0:
        level = length.bit_length() - 1
        return subtree(level, start >> level)
    middle = start + _split(length)
    return node_hash(_hash_range(start, middle, subtree), _hash_range(middle, end, subtree))


def _split(length: int) -> int:
    """Return the largest power of two below a length of two or more."""
    return 1 << ((length - 1).bit_length() - 1)
