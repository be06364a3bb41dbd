"""Steps by which a process confines itself: those that do not confine the tests' own process."""

from __future__ import annotations

import errno
import os
import sys

import pytest

from workers.sandbox.isolation import confine


def test_process_is_named_in_its_own_filter() -> None:
    placeholders = {"pid": 0x11223344, "clock": 0x55667788}
    before = b"".join(
        number.to_bytes(4, sys.byteorder) for number in (7, *placeholders.values(), 9)
    )

    after = confine.name_own_process(before, placeholders)

    found = [int.from_bytes(after[at : at + 4], sys.byteorder) for at in range(0, 16, 4)]
    assert found == [7, os.getpid(), ~os.getpid() << 3 & 0xFFFFFFFF, 9]


def test_step_that_fails_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.get_errno", lambda: errno.EPERM)

    with pytest.raises(PermissionError, match="landlock_add_rule /usr: Operation not permitted"):
        confine._check("landlock_add_rule /usr", -1)

    assert confine._check("landlock_add_rule /usr", 5) == 5


def test_bot_of_a_worker_that_has_ended_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(confine, "_prctl", lambda name, *_: asked.append(name))

    confine.die_with(os.getppid())
    with pytest.raises(SystemExit, match="the worker ended before its bot began"):
        confine.die_with(os.getppid() + 1)

    assert asked == ["PR_SET_PDEATHSIG"] * 2, "first the signal: it may end between the two"
