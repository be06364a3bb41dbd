"""The uids of bots: no two workers of a host have one in common."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.sandbox.namespaces import run_apart
from workers.sandbox import identity
from workers.sandbox.identity import BOTS_PER_SLOT, Identities

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only a root worker has several uids")

CLAIM = """
from pathlib import Path
from workers.sandbox import identity
identity.LOCKS = Path({locks!r})
identity._first_slot = lambda: {first}
print(identity.Identities().first)
"""
FIRST = 200


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let slots be claimed from the same one on, with a folder that only tests share."""
    monkeypatch.setattr(identity, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(identity, "_first_slot", lambda: FIRST)
    return tmp_path / "locks"


@pytest.fixture
def claimed(locks: Path) -> Iterator[Identities]:
    made = Identities()
    yield made
    made.close()


def claimed_apart(locks: Path, *namespaces: str) -> int:
    return int(run_apart(CLAIM.format(locks=str(locks), first=FIRST), *namespaces))


def test_worker_in_another_network_namespace_has_other_uids(
    locks: Path, claimed: Identities
) -> None:
    assert abs(claimed_apart(locks, "--net") - claimed.first) >= BOTS_PER_SLOT


def test_worker_with_other_files_has_other_uids(claimed: Identities, tmp_path: Path) -> None:
    assert abs(claimed_apart(tmp_path / "others", "--mount") - claimed.first) >= BOTS_PER_SLOT


def test_slot_is_free_again_when_it_is_closed(locks: Path) -> None:
    first = Identities()
    first.close()

    second = Identities()
    second.close()

    assert second.first == first.first


def test_worker_without_a_folder_for_locks_has_uids(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "LOCKS", Path("/proc/nowhere"))

    made = Identities()
    made.close()

    assert made.first >= identity.FIRST_UID


def test_workers_that_see_nothing_of_each_other_begin_apart() -> None:
    source = "from workers.sandbox.identity import _first_slot as first; print(first())"

    assert len({run_apart(source, "--net") for _ in range(3)}) > 1
