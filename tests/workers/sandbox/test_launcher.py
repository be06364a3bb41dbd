from __future__ import annotations

import errno
import json
import os
import platform
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand, LaunchFailed, Usage
from pentathlon_engines.match.limits import Limits
from tests.deep import mostly_deep
from tests.patience import PATIENCE_S
from tests.workers.sandbox.bots import bot_command, own_bot, read_line, read_log
from tests.workers.sandbox.ways import Way
from workers.sandbox import uids
from workers.sandbox.files import runtime
from workers.sandbox.files.runtime import Runtime
from workers.sandbox.files.staging import remove_tree
from workers.sandbox.isolation import bubblewrap, launch
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.profiles import NATIVE
from workers.sandbox.resources import rlimits
from workers.sandbox.uids import BOTS_PER_RANGE

WAYS = tuple(Way)
LIMITS = Limits()


@pytest.fixture(scope="module", params=mostly_deep(WAYS, keep=WAYS[:1]))
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    """One launcher for all bots of these tests; its first bot costs more than all others."""
    opened: SandboxLauncher = request.param.launcher()
    yield opened
    opened.close()


@pytest.fixture
def echo(launcher: SandboxLauncher) -> Iterator[SandboxedBot]:
    bot = launcher.start(bot_command("echo"), seat=0, limits=LIMITS)
    yield bot
    bot.stop()


def burn(seconds: float) -> None:
    """Let real work pass the time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def usage(exit_status: int, *, cpu_s: float = 0.0, memory_peak_mb: float = 1.0) -> Usage:
    return Usage(cpu_s=cpu_s, wall_s=1.0, memory_peak_mb=memory_peak_mb, exit_status=exit_status)


def test_honest_bot_answers(echo: SandboxedBot) -> None:
    os.write(echo.stdin, b"one\n")

    assert read_line(echo) == "one\n"
    assert echo.breach() is None


def test_bot_has_the_engines_and_nothing_of_the_host_in_its_environment(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    source = (
        "import json, os, pentathlon_engines\n"
        "print(json.dumps([pentathlon_engines.__name__, sorted(os.environ)]), flush=True)\n"
    )
    bot = launcher.start(own_bot(tmp_path / "bot", source), seat=0, limits=LIMITS)

    package, names = json.loads(read_line(bot))
    bot.stop()

    assert package == "pentathlon_engines"
    assert set(names) <= {
        "PATH", "HOME", "TMPDIR", "LANG", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED", "PWD", "LD_LIBRARY_PATH", "LC_CTYPE",
    }  # fmt: skip


def test_bot_in_an_unreachable_folder_is_played_from_a_copy(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    command = own_bot(tmp_path / "closed" / "bot", "print('here', flush=True)\n")
    (tmp_path / "closed").chmod(0o700)
    (command.folder / "main.py").chmod(0o600)
    bot = launcher.start(command, seat=0, limits=LIMITS)

    line = read_line(bot)
    bot.stop()

    assert line == "here\n"


def test_links_in_a_bot_folder_make_nothing_on_the_host(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.mkdir(mode=0o777)
    target.chmod(0o777)
    source = (
        "import os\n"
        "links = [name for name in os.listdir('.') if os.path.islink(name)]\n"
        "print([name for name in links if os.path.exists(name) and name != 'usr'], flush=True)\n"
    )
    command = own_bot(tmp_path / "bot", source)
    for name in ("tmp", "dev", "opt", "bot", "proc", "etc"):
        (command.folder / name).symlink_to(target)
    bot = launcher.start(command, seat=0, limits=LIMITS)

    read_line(bot)
    bot.stop()

    assert list(target.iterdir()) == []


def test_paused_bot_uses_no_time(launcher: SandboxLauncher) -> None:
    bot = launcher.start(bot_command("ponders"), seat=0, limits=LIMITS)
    os.write(bot.stdin, b"\n")
    read_line(bot)
    bot.pause()
    # On a busy machine it takes a while until the bot gets a core to receive the signal on.
    deadline = time.monotonic() + PATIENCE_S
    while bot.awake_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    before = bot.cpu_s()

    burn(0.2)

    assert bot.cpu_s() == before
    bot.resume()
    burn(0.2)
    assert bot.cpu_s() > before
    bot.stop()


def test_paused_bot_can_be_stopped(echo: SandboxedBot) -> None:
    echo.pause()

    assert echo.stop().exit_status == -9


def test_second_stop_changes_nothing(echo: SandboxedBot) -> None:
    first = echo.stop()

    assert echo.stop() is first
    echo.pause()
    echo.resume()
    assert echo.breach() is None


def test_stop_leaves_no_process_no_pipe_and_no_file(launcher: SandboxLauncher) -> None:
    launcher.start(bot_command("echo"), seat=0, limits=LIMITS).stop()
    kept = set(launcher.staging.folder.iterdir())
    opened = descriptors()
    bot = launcher.start(bot_command("echo"), seat=0, limits=LIMITS)

    bot.stop()

    assert not Path(f"/proc/{bot.pid}").exists()
    assert set(launcher.staging.folder.iterdir()) == kept
    assert descriptors() == opened


def test_each_bot_of_root_has_a_user_of_its_own(launcher: SandboxLauncher) -> None:
    bots = [launcher.start(bot_command("echo"), seat=seat, limits=LIMITS) for seat in range(3)]

    owners = [Path(f"/proc/{bot.pid}").stat().st_uid for bot in bots]
    for bot in bots:
        bot.stop()

    assert 0 not in owners
    assert len(set(owners)) == (3 if os.geteuid() == 0 else 1)


def test_processor_time_of_the_whole_life_is_counted(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    source = (
        "import time\n"
        "while time.process_time() < 0.3: pass\n"
        "print(time.process_time(), flush=True)\n"
    )
    bot = launcher.start(own_bot(tmp_path / "bot", source), seat=0, limits=LIMITS)

    own_count = float(read_line(bot))
    counted = bot.stop().cpu_s

    assert own_count - 0.03 < counted < own_count + 0.2


def test_missing_program_is_the_bots_fault(launcher: SandboxLauncher, tmp_path: Path) -> None:
    command = BotCommand(folder=tmp_path, argv=["{bot}/absent"], language="command")
    bot = launcher.start(command, seat=0, limits=LIMITS)

    log = read_log(bot)
    ended = bot.stop()

    assert "absent" in log
    assert ended.exit_status > 0
    assert bot.verdict(ended) is None


def test_bot_goes_first_when_the_host_runs_out_of_memory(echo: SandboxedBot) -> None:
    os.write(echo.stdin, b"one\n")
    read_line(echo)

    assert Path(f"/proc/{echo.pid}/oom_score_adj").read_text() == "1000\n"


def test_compiled_bot_may_reserve_more_than_it_uses(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    command = BotCommand(
        folder=tmp_path, argv=["/bin/sh", "-c", "ulimit -v; ulimit -n"], language="command"
    )
    bot = launcher.start(command, seat=0, limits=LIMITS)

    lines = [read_line(bot), read_line(bot)]
    bot.stop()

    space_kb = 1024 * (4 * LIMITS.memory_mb + NATIVE.reserved_mb)
    assert lines == [f"{space_kb}\n", f"{LIMITS.open_files}\n"]


def test_missing_folder_is_the_hosts_fault(launcher: SandboxLauncher, tmp_path: Path) -> None:
    command = BotCommand(folder=tmp_path / "absent", argv=["{python}"])

    with pytest.raises(LaunchFailed, match="absent"):
        launcher.start(command, seat=1, limits=LIMITS)


@pytest.fixture(params=mostly_deep(WAYS, keep=WAYS[:1]))
def staged(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SandboxLauncher:
    """A launcher on a host whose engines and Python no bot can reach where they are."""
    monkeypatch.setattr(runtime, "is_readable_by", lambda *_: False)
    # Another test copies a whole Python; this fixture copies what an echo bot needs of it.
    ignored = runtime.NOT_FOR_BOTS
    thin = shutil.ignore_patterns("__pycache__", "distutils", "lib2to3", "unittest")
    monkeypatch.setattr(
        runtime,
        "NOT_FOR_BOTS",
        lambda folder, names: ignored(folder, names) | thin(folder, names),
    )
    opened: SandboxLauncher = request.param.launcher(system_python=False)
    return opened


@pytest.mark.parametrize(
    "taken", mostly_deep(["*", "*/pentathlon_engines", "*/lib/python3*/json"], keep=["*"])
)
def test_what_was_staged_is_staged_again(staged: SandboxLauncher, taken: str) -> None:
    assert staged.is_complete()
    whole = staged.staging.folder if taken == "*" else None
    for path in [whole] if whole else list(staged.staging.folder.glob(f"**/{taken}"))[:1]:
        remove_tree(path)

    assert not staged.is_complete()
    bot = staged.start(bot_command("echo"), seat=0, limits=LIMITS)
    os.write(bot.stdin, b"one\n")
    assert read_line(bot) == "one\n"
    bot.stop()
    assert staged.is_complete()
    staged.close()


def test_failed_start_leaves_no_file_and_no_user_taken(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    kept = set(launcher.staging.folder.iterdir())
    command = BotCommand(folder=tmp_path / "absent", argv=["{python}"])
    for _ in range(40):
        with pytest.raises(LaunchFailed):
            launcher.start(command, seat=0, limits=LIMITS)

    bot = launcher.start(bot_command("echo"), seat=0, limits=LIMITS)
    bot.stop()

    assert set(launcher.staging.folder.iterdir()) == kept


def test_failed_mount_is_the_hosts_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = bubblewrap._mounts

    def broken(runtime: Runtime) -> Iterator[str]:
        yield from sound(runtime)
        yield from ("--ro-bind", "/absent", "/absent")

    monkeypatch.setattr(bubblewrap, "_mounts", broken)
    launcher = SandboxLauncher()

    with pytest.raises(LaunchFailed, match="/absent"):
        launcher.start(bot_command("echo"), seat=0, limits=LIMITS)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops its identity")
@pytest.mark.parametrize("way", mostly_deep(WAYS, keep=WAYS[:1]))
def test_identity_that_cannot_be_dropped_is_the_hosts_fault(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = way.launcher()

    def refuse(name: str, *_: object) -> None:
        raise PermissionError(errno.EPERM, f"{name}: not permitted")

    monkeypatch.setattr(uids, "_call", refuse)

    with pytest.raises(LaunchFailed, match="setresuid: not permitted"):
        launcher.start(bot_command("echo"), seat=0, limits=LIMITS)
    launcher.close()


def test_bot_is_never_root(echo: SandboxedBot) -> None:
    status = Path(f"/proc/{echo.pid}/status").read_text()

    owner = Path(f"/proc/{echo.pid}").stat().st_uid
    assert owner != 0
    assert f"Uid:\t{owner}\t{owner}\t{owner}\t{owner}\n" in status
    assert f"Gid:\t{owner}\t{owner}\t{owner}\t{owner}\n" in status


def test_bot_begins_in_its_own_folder(launcher: SandboxLauncher, tmp_path: Path) -> None:
    source = "import os\nprint(os.path.isfile('main.py'), flush=True)\n"
    bot = launcher.start(own_bot(tmp_path / "bot", source), seat=0, limits=LIMITS)

    line = read_line(bot)
    bot.stop()

    assert line == "True\n"


def test_more_bots_than_users_fail(launcher: SandboxLauncher) -> None:
    command = bot_command("echo")
    bots = [launcher.start(command, seat=0, limits=LIMITS) for _ in range(BOTS_PER_RANGE)]

    with pytest.raises(LaunchFailed, match="identity"):
        launcher.start(bot_command("echo"), seat=0, limits=LIMITS)

    for bot in bots:
        bot.stop()


def test_limits_are_set_and_the_worker_keeps_its_identity(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    wanted = {name: pair for name, pair in rlimits.rlimits(LIMITS).items() if name != "cpu"}
    source = (
        "import resource\n"
        f"for name in {list(wanted)}:\n"
        "    print(*resource.getrlimit(getattr(resource, f'RLIMIT_{name.upper()}')))\n"
        "print(flush=True)\n"
    )
    bot = launcher.start(own_bot(tmp_path / "bot", source), seat=0, limits=LIMITS)

    found = [read_line(bot) for _ in wanted]
    bot.stop()

    assert found == [f"{soft} {hard}\n" for soft, hard in wanted.values()]
    assert (len({*os.getresuid()}), len({*os.getresgid()})) == (1, 1)


def test_limits_that_cannot_be_set_are_the_hosts_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"nofile": (64, 32)}
    monkeypatch.setattr(launch, "rlimits", lambda *_, **__: wrong)
    opened = SandboxLauncher()

    with pytest.raises(LaunchFailed, match="rlimit nofile"):
        opened.start(bot_command("echo"), seat=0, limits=LIMITS)
    opened.close()


@pytest.mark.parametrize("way", mostly_deep(WAYS, keep=WAYS[:1]))
def test_bot_runs_with_the_python_that_runs_us(way: Way, tmp_path: Path) -> None:
    launcher = way.launcher(system_python=False)
    source = "import sys, json, random\nprint(sys.version, flush=True)\n"
    bot = launcher.start(own_bot(tmp_path / "bot", source), seat=0, limits=LIMITS)

    line = read_line(bot)
    bot.stop()
    launcher.close()

    assert line.startswith(platform.python_version())


def test_end_gets_its_verdict(echo: SandboxedBot) -> None:
    ends = {
        usage(-31): FaultKind.SECURITY,
        usage(-24): FaultKind.CPU_TIME,
        usage(-9, cpu_s=25.1): FaultKind.CPU_TIME,
        usage(-9, cpu_s=1.0): None,
        usage(-25): FaultKind.SCRATCH,
        usage(1, memory_peak_mb=257.0): FaultKind.MEMORY,
        usage(1): None,
        usage(0): None,
        usage(-11): None,
    }

    found = {end: breach.kind if (breach := echo.verdict(end)) else None for end in ends}

    assert found == ends
