from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, cast

import pytest

from pentathlon_engines.match.launcher import LaunchFailed, SandboxLevel
from pentathlon_engines.match.limits import Limits
from tests.workers.sandbox.worker_users import USERS, worker_user
from workers.sandbox import __main__ as command
from workers.sandbox import probe
from workers.sandbox.entry import launcher as entry_point
from workers.sandbox.errors import Layer, LayerMissing
from workers.sandbox.files.runtime import Runtime
from workers.sandbox.isolation import bubblewrap, launch, namespaces
from workers.sandbox.isolation.landlock import LandlockLevel
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.levels import choose_level, open_sandbox
from workers.sandbox.probe import Finding, State, run_probe
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources import rlimits, scratch
from workers.sandbox.resources.breaches import Footprint
from workers.sandbox.system_calls import filters
from workers.sandbox.system_calls.bpf import assemble
from workers.sandbox.system_calls.filters import ARCHITECTURES
from workers.sandbox.system_calls.policy import ALLOW, Rule

LEVELS = (SandboxLevel.NAMESPACES, SandboxLevel.LANDLOCK)
HELD = {Layer.IDENTITY, Layer.FILESYSTEM, Layer.SYSCALLS, Layer.RLIMITS, Layer.WATCHDOG}


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> object:
        raise PackageNotFoundError(name)

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(bubblewrap, "distribution", absent)


@pytest.fixture
def no_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.sandbox.isolation.landlock.landlock_abi", lambda: 3)


def missing(level: SandboxLevel = SandboxLevel.NAMESPACES) -> Finding:
    found = run_probe(level).missing
    assert found is not None
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_sound_host_has_every_layer(level: SandboxLevel) -> None:
    found = run_probe(level)

    states = {each.layer: each.state for each in found.findings}
    assert found.missing is None
    assert list(states) == list(Layer)
    assert {layer for layer, state in states.items() if state is State.OK} >= HELD
    assert states[Layer.CGROUP] in (State.OK, State.NOT_USED)
    assert states[Layer.OUTER] is State.NOT_CHECKED


@pytest.mark.usefixtures("no_bwrap")
def test_no_bubblewrap_lacks_namespaces() -> None:
    found = missing()

    assert found.layer is Layer.NAMESPACES
    assert "no bwrap on PATH" in found.detail


@pytest.mark.usefixtures("no_landlock")
def test_old_landlock_lacks_the_file_system() -> None:
    found = missing(SandboxLevel.LANDLOCK)

    assert found.layer is Layer.FILESYSTEM
    assert "version 3" in found.detail


def test_no_filter_for_this_machine_lacks_syscalls(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(filters, "DATA", tmp_path)

    assert missing().layer is Layer.SYSCALLS


def test_filter_that_lets_through_lacks_syscalls(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    everything = {number: Rule(ALLOW) for number in range(1000)}
    architectures = [assemble(everything, architecture=each) for each in ARCHITECTURES.values()]
    path = tmp_path / "open.bpf"
    path.write_bytes(architectures[list(ARCHITECTURES).index(os.uname().machine)])
    monkeypatch.setattr(namespaces, "filter_path", lambda variant: path)

    found = missing()

    assert found.layer is Layer.SYSCALLS
    assert "fork gives no error" in found.detail
    for name in ("resume", "populate", "share", "unshare files"):
        assert f"{name} gives no error" in found.detail
    assert "a forbidden call does not end a bot" in found.detail


def test_broken_filter_lacks_syscalls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "broken.bpf"
    path.write_bytes(b"\0" * 8)
    monkeypatch.setattr(namespaces, "filter_path", lambda variant: path)

    assert missing().layer is Layer.SYSCALLS


def test_readable_host_file_lacks_the_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = bubblewrap._mounts

    def leaky(runtime: Runtime) -> Iterator[str]:
        yield from sound(runtime)
        yield from ("--ro-bind", "/etc/passwd", "/etc/passwd")

    monkeypatch.setattr(bubblewrap, "_mounts", leaky)

    found = missing()

    assert found.layer is Layer.FILESYSTEM
    assert found.detail == "a bot can read /etc/passwd"


def test_lost_limit_lacks_rlimits(monkeypatch: pytest.MonkeyPatch) -> None:
    def lax(limits: Limits, *, reserved_mb: int) -> rlimits.Rlimits:
        sound = rlimits.rlimits(limits, reserved_mb=reserved_mb)
        return {name: value for name, value in sound.items() if name != "nofile"}

    monkeypatch.setattr(launch, "rlimits", lax)

    found = missing()

    assert found.layer is Layer.RLIMITS
    assert "nofile" in found.detail


def test_hidden_bot_lacks_the_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden(self: scratch.MountedScratch) -> tuple[int, int]:
        raise PermissionError(13, "hidden")

    monkeypatch.setattr(scratch.MountedScratch, "used", hidden)

    assert missing().layer is Layer.WATCHDOG


def test_failed_start_of_the_canary_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: LandlockLevel, order: object) -> None:
        raise LaunchFailed("landlock_add_rule /usr: no such file")

    monkeypatch.setattr(LandlockLevel, "start", fail)

    assert missing(SandboxLevel.LANDLOCK).layer is Layer.FILESYSTEM


@pytest.mark.usefixtures("no_bwrap")
def test_second_level_is_taken_with_a_warning() -> None:
    warnings: list[str] = []

    level = choose_level(least=SandboxLevel.LANDLOCK, warn=warnings.append)

    assert level is SandboxLevel.LANDLOCK
    assert "level 'namespaces' lacks the layer 'namespaces'" in warnings[0]


@pytest.mark.usefixtures("no_bwrap")
def test_demanded_namespaces_are_refused() -> None:
    with pytest.raises(LayerMissing) as caught:
        choose_level(least=SandboxLevel.NAMESPACES)

    assert caught.value.layer == "namespaces"
    assert "no bwrap on PATH" in str(caught.value)
    assert "python -m workers.sandbox" in caught.value.remedy


@pytest.mark.usefixtures("no_bwrap", "no_landlock")
def test_host_with_neither_level_is_refused() -> None:
    with pytest.raises(LayerMissing) as caught:
        open_sandbox()

    assert "no bwrap on PATH" in caught.value.reason
    assert "Landlock version 3" in caught.value.reason


@pytest.mark.usefixtures("no_bwrap", "no_landlock")
def test_opting_out_by_name_gives_a_plain_process() -> None:
    warnings: list[str] = []

    opened = open_sandbox(least=SandboxLevel.PROCESS, warn=warnings.append)

    assert opened.level is SandboxLevel.PROCESS
    assert "WITHOUT a sandbox" in warnings[0]


def test_entry_point_gives_the_best_level() -> None:
    assert entry_point().level is SandboxLevel.NAMESPACES


def test_command_prints_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sandbox"])

    status = command.main()

    printed = capsys.readouterr().out
    assert status == 0
    assert all(layer in printed for layer in Layer)


@pytest.mark.usefixtures("no_bwrap")
def test_command_refuses_with_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["sandbox", "--json", "--least", "namespaces"])

    status = command.main()

    (found,) = json.loads(capsys.readouterr().out)
    assert status == 1
    assert not found["usable"]


@pytest.mark.parametrize("user", USERS)
def test_kernel_that_refuses_namespaces_leaves_the_second_level(user: str) -> None:
    worker = worker_user(user)

    script = worker.script("restricted.py")
    assert worker.run(script, "namespaces").returncode == 1, "production asks for all layers"

    ended = worker.run(script, "namespaces", "--json", "--least=landlock")

    first, second = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert not first["usable"]
    assert "namespace" in detail(first, "namespaces")
    assert second["level"] == "landlock"
    assert second["usable"]


def test_pods_of_workers_may_have_a_fork_server() -> None:
    worker = worker_user("myself")

    found = json.loads(worker.run(worker.script("restricted.py"), "pod", "--json").stdout)[0]

    assert found["usable"]
    assert "warm Python" in detail(found, "fork_server")


@pytest.mark.parametrize("user", USERS)
def test_kernel_that_refuses_both_levels_is_refused(user: str) -> None:
    worker = worker_user(user)

    ended = worker.run(
        worker.script("restricted.py"), "namespaces,landlock", "--json", "--least=landlock"
    )

    assert ended.returncode == 1
    assert [each["usable"] for each in json.loads(ended.stdout)] == [False, False]


@pytest.mark.parametrize("user", USERS)
def test_root_of_a_small_user_namespace_lacks_identity(user: str) -> None:
    worker = worker_user(user)

    ended = worker.run(worker.script("restricted.py"), "root-in-namespace", "--json")

    assert ended.returncode == 1, ended.stderr
    assert "uid 60" in detail(json.loads(ended.stdout)[0], "identity")


def detail(found: dict[str, list[dict[str, str]]], layer: str) -> str:
    return next(each["detail"] for each in found["layers"] if each["layer"] == layer)


class Bot:
    """A bot that is this very process, with what a test says about it."""

    def __init__(self, answer: bytes = b"", *, log: bytes = b"", closes: bool = True) -> None:
        self.pid = os.getpid()
        self.group: Crowd | None = None
        self.now = Footprint(threads=1, resident_bytes=1, scratch_files=1, scratch_bytes=0)
        self.used_s = 0.1
        self.is_hidden = self.was_stopped = False
        self.stdout, self._answer = os.pipe()
        self.stderr, self._log = os.pipe()
        os.write(self._answer, answer)
        os.write(self._log, log or b"\n")
        if closes:
            os.close(self._answer)
            self._answer = -1

    def footprint(self) -> Footprint:
        if self.is_hidden:
            raise PermissionError(13, "Permission denied")
        return self.now

    def cpu_s(self) -> float:
        return self.used_s

    def stop(self) -> None:
        self.was_stopped = True

    def close(self) -> None:
        for descriptor in (self.stdout, self._answer, self.stderr, self._log):
            if descriptor >= 0:
                os.close(descriptor)


_HIDDEN = (
    "a bot cannot be watched ([Errno 13] Permission denied); run the workers as an ordinary user"
)


class Crowd:
    """A control group."""

    def __init__(self, *pids: int) -> None:
        self._pids = pids

    def processes(self) -> set[int]:
        return set(self._pids)


class Launching:
    """A launcher that has one bot."""

    level = SandboxLevel.NAMESPACES
    cgroups = None
    memory = None
    forks = None

    def __init__(self, bot: Bot, *, no_cgroups: LayerMissing | None = None) -> None:
        self._bot = bot
        self.no_cgroups = no_cgroups

    def start(self, *_: object, **__: object) -> Bot:
        return self._bot


@pytest.fixture
def bots() -> Iterator[Callable[..., Bot]]:
    with ExitStack() as undo:

        def made(answer: bytes = b"", **about: Any) -> Bot:  # Any: what a bot takes
            bot = Bot(answer, **about)
            undo.callback(bot.close)
            return bot

        yield made


def found_with(bot: Bot) -> Finding:
    finding = probe.examine(cast("SandboxLauncher", Launching(bot))).missing
    assert finding is not None
    assert bot.was_stopped
    return finding


@pytest.mark.parametrize(
    ("log", "layer"),
    [
        (b"bwrap: No such file", Layer.FILESYSTEM),
        (b"seccomp: Invalid argument", Layer.SYSCALLS),
        (b"cannot set RLIMIT_NPROC", Layer.RLIMITS),
        (b"setting up UID map", Layer.IDENTITY),
    ],
)
def test_canary_that_dies_names_the_layer_with_its_last_words(
    log: bytes, layer: Layer, bots: Callable[..., Bot]
) -> None:
    finding = found_with(bots(log=log))

    assert finding.layer is layer
    assert finding.detail == f"the canary gave no answer: {log.decode()}"
    assert finding.remedy


def test_canary_that_says_nothing_is_not_waited_for_forever(
    bots: Callable[..., Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_ANSWER_TIMEOUT_S", 0.01)

    assert "nothing within 0.01 s" in found_with(bots(closes=False)).detail


def test_canary_that_talks_nonsense_is_a_finding(bots: Callable[..., Bot]) -> None:
    assert "no answer" in found_with(bots(b"hello\n")).detail


def test_bot_with_the_rights_of_the_worker_lacks_identity(bots: Callable[..., Bot]) -> None:
    is_root = os.geteuid() == 0

    problems = list(probe._identity(cast("SandboxedBot", bots())))

    wrong = ["a bot runs as root of the host", "a bot has capabilities"]
    assert problems == (wrong if is_root else [])


def test_bot_in_the_namespaces_of_the_worker_lacks_all_but_the_optional(
    bots: Callable[..., Bot],
) -> None:
    problems = list(probe._namespaces(cast("SandboxedBot", bots())))

    assert problems == [
        f"a bot shares the worker's {name} namespace"
        for name in ("ipc", "mnt", "net", "pid", "user", "uts")
    ]


def test_files_that_a_bot_may_touch_are_named() -> None:
    facts = {
        "write": {"/": None, "/usr": "EROFS"},
        "read": {"/etc/passwd": None, "/proc": "ENOENT"},
        "scratch": "EROFS",
    }

    assert list(probe._filesystem(facts)) == [
        "a bot can write /",
        "a bot can read /etc/passwd",
        "a bot cannot write its scratch folder: EROFS",
    ]


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ({}, []),
        ({"used_s": 0.0}, ["a bot's CPU clock stands still"]),
        ({"now": Footprint(threads=1, resident_bytes=0, scratch_files=1, scratch_bytes=0)},
         ["a bot's memory cannot be read"]),
        ({"now": Footprint(threads=1, resident_bytes=1, scratch_files=0, scratch_bytes=0)},
         ["a bot's scratch folder cannot be seen"]),
        ({"is_hidden": True}, [_HIDDEN]),
    ],
)  # fmt: skip
def test_watchdog_has_to_see_time_memory_and_files(
    about: dict[str, object], problem: list[str], bots: Callable[..., Bot]
) -> None:
    bot = bots()
    for name, value in about.items():
        setattr(bot, name, value)

    assert list(probe._watchdog(cast("SandboxedBot", bot))) == problem


@pytest.mark.parametrize(
    ("group", "is_held"), [(None, False), (Crowd(1), False), (Crowd(1, os.getpid()), True)]
)
def test_bot_has_to_be_in_its_group(
    group: Crowd | None, is_held: bool, bots: Callable[..., Bot]
) -> None:
    bot = bots()
    bot.group = group

    assert (not list(probe._cgroup(cast("SandboxedBot", bot)))) is is_held


@pytest.mark.parametrize("outlives", [True, False])
def test_host_without_groups_is_told_what_bots_cost_it(
    outlives: bool, bots: Callable[..., Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "outlive_bots", lambda: outlives)
    lacking = LayerMissing("cgroup", reason="read-only", remedy="Delegate them.")
    launcher = cast("SandboxLauncher", Launching(bots(), no_cgroups=lacking))

    *_, finding = probe._unused_layers(launcher)

    assert finding.detail.startswith("read-only; bots are single processes")
    assert finding.remedy.startswith("Delegate them.")
    assert ("singleProcessOOMKill" in finding.remedy) is not outlives
