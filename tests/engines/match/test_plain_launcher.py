"""The launcher of the author's desk: limits and a clean environment, no walls."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand, LaunchFailed
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import ENGINES, PlainLauncher, PlainProcess
from tests.patience import PATIENCE_S


def start(folder: Path, source: str, *, limits: Limits | None = None) -> PlainProcess:
    command = BotCommand(
        folder=folder, argv=["{python}", "-S", "-u", "-c", source], env={"EXTRA": "1"}
    )
    return PlainLauncher().start(command, seat=0, limits=limits or Limits())


def read_all(process: PlainProcess) -> bytes:
    """Return standard output up to its end."""
    data = b""
    while True:
        select.select([process.stdout], [], [])
        part = os.read(process.stdout, 65536)
        if not part:
            return data
        data += part


def test_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")

    process = start(
        tmp_path, "import os, json; print(json.dumps([os.getcwd(), dict(os.environ)]))"
    )
    folder, environment = json.loads(read_all(process))
    process.stop()

    assert folder == str(tmp_path)
    assert environment["EXTRA"] == "1"
    assert "SECRET" not in environment
    python = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"}
    assert set(environment) - {"LC_CTYPE"} == {"EXTRA", "HOME", "LANG", "PATH", "TMPDIR", *python}


def test_engines_can_be_imported_without_site_packages(tmp_path: Path) -> None:
    process = start(tmp_path, "import pentathlon_engines; print('here')")

    assert read_all(process) == b"here\n"
    assert process.stop().exit_status == 0


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import os; os.kill(os.getpid(), 24)", FaultKind.CPU_TIME),
        # Python ignores this signal, other languages do not.
        (
            "import os, signal; signal.signal(25, signal.SIG_DFL); os.kill(os.getpid(), 25)",
            FaultKind.SCRATCH,
        ),
    ],
)
def test_signal_of_a_limit_is_named(tmp_path: Path, source: str, kind: FaultKind) -> None:
    process = start(tmp_path, source)
    read_all(process)

    breach = process.verdict(process.stop())

    assert breach is not None
    assert breach.kind is kind


def test_crash_breaks_no_limit(tmp_path: Path) -> None:
    process = start(tmp_path, "raise SystemExit(3)")
    read_all(process)

    usage = process.stop()

    assert usage.exit_status == 3
    assert process.verdict(usage) is None


def test_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    source = "open('big', 'wb').write(bytes(2 << 20))"
    process = start(tmp_path, source, limits=Limits(scratch_mb=1))
    read_all(process)

    assert process.stop().exit_status != 0
    assert (tmp_path / "big").stat().st_size <= 1 << 20


def test_memory_counts_from_zero(tmp_path: Path) -> None:
    ballast = bytearray(64 << 20)
    process = start(tmp_path, "print('up', flush=True); input()")
    select.select([process.stdout], [], [])

    usage = process.stop()

    assert 1 < usage.memory_peak_mb < len(ballast) >> 20


def test_stop_is_idempotent_and_calls_after_it_are_silent(tmp_path: Path) -> None:
    process = start(tmp_path, "input()")

    usage = process.stop()

    assert usage.exit_status == -signal.SIGKILL
    assert process.stop() is usage
    process.pause()
    process.resume()
    assert process.breach() is None
    assert process.cpu_s() >= 0


def test_paused_bot_ends_with_the_runner(tmp_path: Path) -> None:
    runner = """
import os, signal
from pathlib import Path
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
signal.signal(signal.SIGHUP, signal.SIG_DFL)
command = BotCommand(folder=Path.cwd(), argv=["{python}", "-S", "-c", "input()"])
bot = PlainLauncher().start(command, seat=0, limits=Limits())
bot.pause()
os.waitid(os.P_PID, bot.pid, os.WSTOPPED | os.WNOWAIT)
os.write(1, b"%d" % os.getpgid(bot.pid))
os.kill(os.getpid(), 9)
"""
    done = subprocess.run(
        [sys.executable, "-c", runner],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ENGINES)},
        capture_output=True,
        check=False,
        start_new_session=True,
    )
    bot = int(done.stdout)

    deadline = time.monotonic() + PATIENCE_S
    while not has_ended(bot):
        assert time.monotonic() < deadline
        select.select([], [], [], 0.01)


def has_ended(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def test_paused_bot_uses_no_cpu(tmp_path: Path) -> None:
    process = start(tmp_path, "print('up', flush=True)\nwhile True: pass")
    select.select([process.stdout], [], [])
    process.pause()
    before = process.cpu_s()
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass

    assert process.cpu_s() - before < 0.03
    process.resume()
    while process.cpu_s() - before < 0.03:
        select.select([], [], [], 0.001)
    process.stop()


def test_other_system_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")

    with pytest.raises(LaunchFailed, match="bots play on Linux, not on darwin"):
        start(Path.cwd(), "")
