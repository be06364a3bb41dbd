"""What a worker offers grows while it plays; nothing is offered that was not tried."""

import os

import pytest

from pentathlon_engines.match.launcher import SandboxLevel
from tests.patience import PATIENCE_S
from workers.drain import Drain
from workers.host import runtimes
from workers.host.runtimes import Runtimes, start_trials
from workers.sandbox.profiles import PROFILES


class Sandbox:
    """A launcher in whose sandbox Perl does not work; at first it cannot be opened."""

    refusals = 1

    def __init__(self, level: SandboxLevel) -> None:
        if Sandbox.refusals:
            Sandbox.refusals -= 1
            raise OSError("No space left on device")

    def can_run(self, name: str) -> bool:
        return name != "perl"

    def can_build_with(self, tool: str) -> bool:
        return tool == "cc"

    def close(self) -> None:
        pass


def test_only_what_was_seen_to_work_is_offered() -> None:
    known = Runtimes(["python"])

    assert known.working() == ["python"]
    known.note("java", works=True)
    known.note("perl", works=False)

    assert set(known.working()) == {"python", "java"}
    assert set(known.untried()) >= set(PROFILES) - {"python", "java", "perl"}


def test_slots_see_what_another_has_tried() -> None:
    known = Runtimes([])
    if (slot := os.fork()) == 0:
        known.note("node", works=True)
        os._exit(0)
    os.waitpid(slot, 0)

    assert known.working() == ["node"]


def test_all_are_tried_in_the_end_even_if_the_host_refuses_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runtimes, "SandboxLauncher", Sandbox)
    monkeypatch.setattr(runtimes, "_AGAIN_AFTER_S", 0.0)
    known = Runtimes(["python"])

    start_trials(known, SandboxLevel.NAMESPACES, Drain(grace_s=0)).join(PATIENCE_S)

    assert known.untried() == []
    assert set(known.working()) == {*PROFILES, "build:cc"} - {"perl"}


def test_worker_that_is_asked_to_stop_ends_between_two_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drain, known = Drain(grace_s=0), Runtimes(["python"])

    class Stopped(Sandbox):
        def __init__(self, level: SandboxLevel) -> None: ...

        def can_run(self, name: str) -> bool:
            drain.ask()
            return True

    monkeypatch.setattr(runtimes, "SandboxLauncher", Stopped)

    start_trials(known, SandboxLevel.NAMESPACES, drain).join(PATIENCE_S)

    assert len(known.working()) == 2
    assert known.untried()


def test_worker_that_is_asked_to_stop_tries_nothing() -> None:
    drain = Drain(grace_s=0)
    drain.ask()
    known = Runtimes(["python"])

    start_trials(known, SandboxLevel.NAMESPACES, drain).join(PATIENCE_S)

    assert known.working() == ["python"]
