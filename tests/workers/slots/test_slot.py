"""A slot has the launcher of its sandbox level, and the files of its bots."""

from __future__ import annotations

import os
from collections.abc import Collection

import pytest

from pentathlon_engines.match.launcher import SandboxLevel
from workers.slots.slot import open_slot, pin_to_core

PROCESS = SandboxLevel.PROCESS


def fetch(content_hash: str) -> bytes:
    raise LookupError(content_hash)


def test_slot_without_a_sandbox_starts_plain_processes() -> None:
    slot = open_slot(PROCESS, name="host/1.0", fetch=fetch)

    assert slot.launcher.level is PROCESS

    slot.close()


def test_long_name_of_a_host_keeps_the_number_of_the_slot() -> None:
    slot = open_slot(PROCESS, name=f"{'h' * 90}/1.7", fetch=fetch)
    slot.close()

    assert len(slot.name) == 80
    assert slot.name.endswith("/1.7")


@pytest.mark.parametrize(("index", "core"), [(0, 2), (1, 5), (2, 7), (3, 2)])
def test_slots_take_turns_at_the_cores_of_their_worker(
    index: int, core: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned: list[Collection[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {7, 2, 5})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: pinned.append(cores))

    pin_to_core(index)

    assert pinned == [{core}]
