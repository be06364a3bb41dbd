"""What holds between the bots of one fork server, and between them and the server."""

from __future__ import annotations

import os
import re
import secrets
import select
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import EndedFromOutside, LaunchFailed
from pentathlon_engines.match.limits import Limits
from tests.patience import PATIENCE_S
from tests.workers.running import descendants
from tests.workers.sandbox.bots import bot_command, own_bot, read_line
from tests.workers.sandbox.ways import Way
from workers.sandbox.isolation import bubblewrap
from workers.sandbox.isolation.forks import server, servers
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.procfs import has_ended
from workers.sandbox.resources.rlimits import MEBIBYTE

LIMITS = Limits()
KEEPS = """
import json, sys
order = json.loads(sys.stdin.readline())
held = [order["mark"] * 50, {order["mark"]: 1}]
print("held", flush=True)
sys.stdin.read()
"""
SPINS = """
import sys, threading
def spin():
    while True: pass
for _ in range(12): threading.Thread(target=spin, daemon=True).start()
print("spins", flush=True)
spin()
"""


@pytest.fixture
def launcher() -> Iterator[SandboxLauncher]:
    opened = Way.FORKS.launcher()
    if opened.forks is None:
        pytest.skip("this host has no memory for files of bots")
    yield opened
    opened.close()


def echo(launcher: SandboxLauncher) -> SandboxedBot:
    """Start a bot that answers, and hear it."""
    bot = launcher.start(bot_command("echo"), seat=0, limits=LIMITS)
    os.write(bot.stdin, b"one\n")
    assert read_line(bot) == "one\n"
    return bot


def server_of(launcher: SandboxLauncher) -> server.ForkServer:
    assert launcher.forks is not None
    return next(iter(launcher.forks._own.values()))


def server_pids(launcher: SandboxLauncher) -> list[int]:
    """Return bubblewrap, the server's first process and all processes below it."""
    outer = server_of(launcher)._child.pid
    first = int(Path(f"/proc/{outer}/task/{outer}/children").read_text())
    return [outer, first, *descendants(first)]


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def memory_of(pid: int) -> bytes:
    """Return all that a process can read of its memory."""
    found = b""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()  # type: ignore[union-attr]  # its form
            if rights[0] == "r" and "[v" not in line:
                memory.seek(int(start, 16))
                found += memory.read(int(end, 16) - int(start, 16))
    return found


def test_no_byte_of_a_match_is_in_the_memory_of_the_next(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    echo(launcher).stop()
    mark = secrets.token_hex(16).encode()
    first = launcher.start(own_bot(tmp_path / "first", KEEPS), seat=0, limits=LIMITS)
    os.write(first.stdin, b'{"mark": "%s"}\n' % mark)
    read_line(first)
    assert memory_of(first.pid).count(mark) > 50
    assert memory_of(first.pid).count(b"/first/") == 0, "nor of the host's folders"
    first.stop()

    second = echo(launcher)

    assert server_of(launcher).forks == 3
    for pid in (second.pid, *server_pids(launcher)):
        if os.geteuid() == 0 or pid == second.pid:
            assert mark not in memory_of(pid)
    second.stop()


def test_bots_beside_each_other_and_the_server_share_no_user_and_no_namespace(
    launcher: SandboxLauncher,
) -> None:
    bots = [echo(launcher) for _ in range(2)]
    pids = [bots[0].pid, bots[1].pid, *server_pids(launcher)[1:2]]

    for name in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup"):
        assert len({Path(f"/proc/{pid}/ns/{name}").readlink() for pid in pids}) == 3, name
    users = [status(pid)["Uid"].split() for pid in pids]
    assert len({user for ids in users for user in ids}) == (3 if os.geteuid() == 0 else 1)
    for bot in bots:
        found = status(bot.pid)
        rights = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
        assert {int(found[name], 16) for name in rights} == {0}
        assert (found["NoNewPrivs"], found["Seccomp"], found["Groups"]) == ("1", "2", "")
        mounts = Path(f"/proc/{bot.pid}/mountinfo").read_text().splitlines()
        assert not [line for line in mounts if "shared:" in line or " /bots" in line]
        writable = {line.split()[4] for line in mounts if line.split()[5].startswith("rw")}
        assert writable <= {"/tmp", "/dev/null", "/dev/full", "/dev/random", "/dev/urandom"}
        assert len(list(Path(f"/proc/{bot.pid}/fd").iterdir())) == 3
        bot.stop()


def test_server_that_is_killed_costs_no_bot_its_match(launcher: SandboxLauncher) -> None:
    bot = echo(launcher)

    os.kill(server_pids(launcher)[1], signal.SIGKILL)
    assert bot.wait(PATIENCE_S)

    with pytest.raises(EndedFromOutside):
        bot.verdict(bot.stop())
    echo(launcher).stop()
    assert server_of(launcher).forks == 1, "it is a new one"


def test_server_that_hangs_fails_one_start_and_is_replaced(
    launcher: SandboxLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo(launcher).stop()
    monkeypatch.setattr(server, "START_TIMEOUT_S", 0.2)
    hung = server_pids(launcher)
    for pid in hung[1:]:
        os.kill(pid, signal.SIGSTOP)

    with pytest.raises(LaunchFailed, match="fork server"):
        launcher.start(bot_command("echo"), seat=0, limits=LIMITS)

    monkeypatch.undo()
    echo(launcher).stop()
    until = time.monotonic() + PATIENCE_S
    while not all(map(has_ended, hung)) and time.monotonic() < until:
        time.sleep(0.01)  # stopped processes end a moment after they were killed
    assert all(map(has_ended, hung))


def test_server_is_renewed_and_its_last_bot_plays_on(
    launcher: SandboxLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "MOST_FORKS", 2)
    bots = [echo(launcher) for _ in range(2)]
    first = server_pids(launcher)

    bots.append(echo(launcher))

    assert server_pids(launcher)[0] != first[0]
    os.write(bots[0].stdin, b"two\n")
    assert read_line(bots[0]) == "two\n"
    for bot in bots:
        assert bot.verdict(bot.stop()) is None
    assert has_ended(first[0])


def test_bots_start_while_others_spin(launcher: SandboxLauncher, tmp_path: Path) -> None:
    spinning = launcher.start(own_bot(tmp_path / "bot", SPINS), seat=0, limits=LIMITS)
    read_line(spinning)

    echo(launcher).stop()

    assert spinning.verdict(spinning.stop()) is None


def test_host_that_refuses_nested_namespaces_starts_each_bot_by_bubblewrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bubblewrap, "_SERVER_RIGHTS", ())
    launcher = Way.FORKS.launcher()

    echo(launcher).stop()

    assert launcher.forks is not None
    assert "clone of processes" in launcher.forks.refusal
    assert "fork_server" not in launcher.layers
    launcher.close()


def test_layers_tell_of_forks(launcher: SandboxLauncher) -> None:
    echo(launcher).stop()

    assert "fork_server" in launcher.layers
    assert launcher.level == "namespaces"


def test_closed_launcher_leaves_no_server(launcher: SandboxLauncher) -> None:
    echo(launcher).stop()
    handles = [os.pidfd_open(pid) for pid in server_pids(launcher)]

    launcher.close()

    for handle in handles:
        assert select.select([handle], [], [], PATIENCE_S)[0]
        os.close(handle)


def test_bots_of_several_threads_outlive_a_thread_that_ends(launcher: SandboxLauncher) -> None:
    bot = echo(launcher)

    with ThreadPoolExecutor(2) as pool:
        for started in [pool.submit(echo, launcher) for _ in range(4)]:
            assert started.result().stop().exit_status == -signal.SIGKILL

    os.write(bot.stdin, b"two\n")
    assert read_line(bot) == "two\n"
    assert bot.verdict(bot.stop()) is None


def test_bot_is_not_charged_for_what_it_inherits(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    source = "held = b'x' * (32 << 20)\nprint('held', flush=True)\ninput()"
    small = echo(launcher)
    large = launcher.start(own_bot(tmp_path / "bot", source), seat=0, limits=LIMITS)
    read_line(large)

    assert 0 < small.footprint().resident_bytes < 4 * MEBIBYTE
    assert 32 * MEBIBYTE < large.footprint().resident_bytes < 36 * MEBIBYTE
    assert 0 < small.stop().memory_peak_mb < 4
    assert 32 < large.stop().memory_peak_mb < 36
