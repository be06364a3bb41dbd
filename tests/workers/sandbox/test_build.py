from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from pentathlon_engines.manifest import Manifest
from pentathlon_engines.match.launcher import BotCommand, LaunchFailed, SandboxLevel
from pentathlon_engines.match.limits import Limits
from tests.deep import mostly_deep
from tests.toolchains import need
from tests.workers.sandbox.bots import TIMEOUT_S
from workers.sandbox import build_tools
from workers.sandbox.build import BuildFailed, BuiltBot, build
from workers.sandbox.build_tools import build_profile
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.profiles import BUILD_LIMITS
from workers.sandbox.resources.cgroups import CgroupUse

PROGRAM = "#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n"
SMALL = replace(BUILD_LIMITS, memory_mb=64, match_cpu_s=0.3, scratch_mb=16)


EITHER_WAY = [CgroupUse.FOR_CHILDREN, CgroupUse.NEVER]


@pytest.fixture(params=mostly_deep(EITHER_WAY, keep=EITHER_WAY[:1]))
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened = SandboxLauncher(cgroups=request.param)
    yield opened
    opened.close()


def built_by(*command: str) -> Manifest:
    return Manifest(
        name="builder",
        games=("tuned",),
        language="command",
        main=None,
        command=("./bot",),
        build=command,
    )


def run(
    launcher: SandboxLauncher, folder: Path, *command: str, limits: Limits = SMALL
) -> BuiltBot | BuildFailed:
    return build(folder, built_by(*command), launcher=launcher, limits=limits)


def failure(launcher: SandboxLauncher, folder: Path, *command: str) -> BuildFailed:
    failed = run(launcher, folder, *command)
    assert isinstance(failed, BuildFailed)
    return failed


@pytest.mark.parametrize("tool", ["cargo", "go", "rustc"])
def test_tool_that_looks_for_its_own_place_finds_it(tool: str) -> None:
    """There is no /proc in the sandbox; without the link Go 1.24 knows no library."""
    assert build_profile(tool).seen_by_itself == tool.replace("cargo", "rustc")


@pytest.mark.parametrize("is_there", [True, False])
def test_go_finds_its_library_compiled_where_the_worker_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    monkeypatch.setattr(build_tools, "GO_LIBRARY", tmp_path if is_there else tmp_path / "none")

    assert ("GOCACHE" in build_profile("/usr/bin/go").variables()) is is_there
    assert "GOCACHE" not in build_profile("cc").variables()


def files(built: BuiltBot | BuildFailed) -> dict[str, bytes]:
    assert isinstance(built, BuiltBot), built
    with ZipFile(io.BytesIO(built.archive)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def programs(built: BuiltBot | BuildFailed) -> set[str]:
    assert isinstance(built, BuiltBot), built
    with ZipFile(io.BytesIO(built.archive)) as archive:
        return {info.filename for info in archive.infolist() if info.external_attr >> 16 & 0o100}


def test_compiler_makes_a_program(launcher: SandboxLauncher, tmp_path: Path) -> None:
    need("c")
    (tmp_path / "bot.c").write_text(PROGRAM)
    (tmp_path / "bot.c").chmod(0o444)

    built = run(launcher, tmp_path, "cc", '-DWORD="hi"', "-o", "bot", "bot.c", limits=BUILD_LIMITS)

    assert set(files(built)) == {"bot", "bot.c"}
    assert files(built)["bot"].startswith(b"\x7fELF")
    assert programs(built) == {"bot"}
    assert [path.name for path in tmp_path.iterdir()] == ["bot.c"]


@pytest.mark.deep
def test_java_makes_an_archive(launcher: SandboxLauncher, tmp_path: Path) -> None:
    need("java")
    (tmp_path / "Bot.java").write_text(
        "public class Bot { public static void main(String[] a) {} }"
    )
    script = "javac Bot.java && jar cfe bot.jar Bot Bot.class"

    built = run(launcher, tmp_path, "sh", "-c", script, limits=BUILD_LIMITS)

    assert {"bot.jar", "Bot.class", "Bot.java"} <= set(files(built))


def test_make_runs_compilers_and_itself(launcher: SandboxLauncher, tmp_path: Path) -> None:
    need("c")
    (tmp_path / "Makefile").write_text("all:\n\t$(MAKE) bot\nbot: bot.c\n\tcc -o bot bot.c\n")
    (tmp_path / "bot.c").write_text("int main(void) { return 0; }")

    built = run(launcher, tmp_path, "make", limits=BUILD_LIMITS)

    assert programs(built) == {"bot"}


def test_empty_folders_stay(launcher: SandboxLauncher, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "x").touch()

    built = run(launcher, tmp_path, "mkdir", "cache")

    assert set(files(built)) == {"cache/", "lib/x", "logs/"}


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (b"#!/bin/sh\r\ntrue\r\n", "./build.sh: its first line ends with CR"),
        (b"#!/no/such/program\n", "names /no/such/program, which is not here"),
    ],
)
def test_build_that_cannot_be_started_is_explained(
    launcher: SandboxLauncher, tmp_path: Path, script: bytes, words: str
) -> None:
    (tmp_path / "build.sh").write_bytes(script)
    (tmp_path / "build.sh").chmod(0o755)

    failed = failure(launcher, tmp_path, "./build.sh")

    assert failed.reason == (
        "build: the command ended with exit status 127 (in a shell: program not found)"
    )
    assert words in failed.log


def test_rust_is_built_without_proc(launcher: SandboxLauncher, tmp_path: Path) -> None:
    need("rust")
    (tmp_path / "main.rs").write_text("fn main() {}")

    built = run(launcher, tmp_path, "rustc", "main.rs", limits=BUILD_LIMITS)

    assert programs(built) == {"main"}


def test_rust_build_sees_nothing_but_itself_in_proc(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    need("rust")
    script = "find /proc; readlink /proc/self/exe"

    bot = launcher.start_build(
        BotCommand(folder=tmp_path, argv=("sh", "-c", script), language="command"),
        tool="rustc",
        limits=BUILD_LIMITS,
    )
    bot.wait(TIMEOUT_S)
    found = os.read(bot.stdout, 4096).decode().split()
    bot.stop()

    assert found == ["/proc", "/proc/self", "/proc/self/exe", "/usr/bin/rustc"]


def test_nothing_of_a_build_is_there_in_the_next(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    script = 'find "$HOME" /dev/shm/ -name cache; mkdir "$HOME/cache" && echo x > made'

    logs = [run(launcher, tmp_path, "sh", "-c", script).log for _ in range(2)]

    assert logs == ["", ""]


def test_build_leaves_no_mark_on_a_device(launcher: SandboxLauncher, tmp_path: Path) -> None:
    devices = [Path("/dev", name) for name in ("null", "full", "random", "urandom")]
    before = [device.stat().st_mtime_ns for device in devices]

    built = run(launcher, tmp_path, "sh", "-c", "touch " + " ".join(map(str, devices)))

    assert isinstance(built, BuiltBot), built
    assert [device.stat().st_mtime_ns for device in devices] == before


def test_result_is_what_lies_in_the_folder(launcher: SandboxLauncher, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "old").write_text("old")
    (tmp_path / "inner").chmod(0o555)
    script = "mkdir -p a/b; echo new > a/b/new; ln -s /etc/passwd link; mkfifo pipe; rm inner/old"

    built = run(launcher, tmp_path, "sh", "-c", f"{script}; echo seen >&2")

    assert files(built) == {"a/b/new": b"new\n", "inner/": b""}
    assert isinstance(built, BuiltBot)
    assert "seen" in built.log


def test_failed_command_is_reported_with_its_log(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    failed = failure(launcher, tmp_path, "sh", "-c", "echo no such library >&2; exit 3")

    assert failed.reason == "build: the command ended with exit status 3"
    assert failed.log == "no such library\n"


@pytest.mark.parametrize("status", [129, 163, 255])
def test_exit_status_that_is_no_signal_is_the_bots_doing(
    launcher: SandboxLauncher, tmp_path: Path, status: int
) -> None:
    failed = failure(launcher, tmp_path, "sh", "-c", f"exit {status}")

    assert failed.reason.startswith("build: the command was ended by ")


def test_missing_program_is_the_bots_doing(launcher: SandboxLauncher, tmp_path: Path) -> None:
    failed = failure(launcher, tmp_path, "absent-compiler")

    assert "exit status" in failed.reason
    assert "absent-compiler" in failed.log


@pytest.mark.parametrize("launcher", EITHER_WAY, indirect=True)
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("while :; do :; done", "s of CPU time"),
        ("while :; do :; done & while :; do :; done", "s of CPU time"),
        ("perl -e '$x = chr(65) x (100 << 20); sleep 60'", "memory"),
        (
            "for i in 1 2 3; do perl -e '$x = chr(65) x (30 << 20); sleep 60' & done; wait",
            "memory",
        ),
        ("i=0; while [ $i -lt 9000 ]; do i=$((i+1)); : > f$i; done", "files in its scratch"),
        (
            "head -c 15000000 /dev/urandom > a; head -c 9000000 /dev/urandom > b",
            "filled its scratch",
        ),
        ("head -c 99000000 /dev/urandom > a", "MiB"),
    ],
)
def test_build_has_limits(
    launcher: SandboxLauncher, tmp_path: Path, script: str, reason: str
) -> None:
    assert reason in failure(launcher, tmp_path, "sh", "-c", script).reason


def test_build_that_waits_for_nothing_is_ended(launcher: SandboxLauncher, tmp_path: Path) -> None:
    limits = replace(SMALL, action_wall_s=0.5)

    failed = run(launcher, tmp_path, "sh", "-c", "sleep 60 & wait", limits=limits)

    assert isinstance(failed, BuildFailed)
    assert failed.reason == "build: took longer than 0.5 s"


def test_build_cannot_start_processes_without_end(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    script = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); sleep 60 & done; wait"

    limits = replace(SMALL, memory_mb=512, match_cpu_s=10.0)

    failed = run(launcher, tmp_path, "sh", "-c", script, limits=limits)

    assert isinstance(failed, BuildFailed)
    assert "fork" in failed.log
    assert ("64 threads" if launcher.cgroups else "exit status") in failed.reason


def test_build_has_no_network_and_no_host(launcher: SandboxLauncher, tmp_path: Path) -> None:
    script = (
        "cat /etc/passwd /proc/self/status; echo x > /usr/x; echo x > /bot/x; ls /sys/class/net"
    )

    built = run(
        launcher, tmp_path, "sh", "-c", f"{script}; perl -MSocket -e 'socket(S,2,1,0) or print $!'"
    )

    assert isinstance(built, BuiltBot)
    assert built.log.count("No such file or directory") == 3
    assert built.log.count("Read-only file system") == 2
    assert "Permission denied" in built.log


def test_large_result_is_refused(launcher: SandboxLauncher, tmp_path: Path) -> None:
    limits = replace(SMALL, scratch_mb=64, match_cpu_s=5.0)

    failed = run(
        launcher, tmp_path, "sh", "-c", "head -c 20000000 /dev/urandom > a", limits=limits
    )

    assert isinstance(failed, BuildFailed)
    assert failed.reason == "build: it left more than 16 MiB"


def test_nothing_of_a_build_remains(launcher: SandboxLauncher, tmp_path: Path) -> None:
    kept = set(launcher.staging.folder.iterdir())

    run(launcher, tmp_path, "sh", "-c", "sleep 60 & sleep 60 & exit 0")

    assert set(launcher.staging.folder.iterdir()) == kept


def test_second_level_builds_nothing(tmp_path: Path) -> None:
    launcher = SandboxLauncher(SandboxLevel.LANDLOCK)

    with pytest.raises(LaunchFailed, match="layer 'namespaces' is not available: a build"):
        run(launcher, tmp_path, "true")
    launcher.close()


def test_flood_of_output_does_not_keep_a_build_from_its_limits(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    looks: list[None] = []

    failed = build(
        tmp_path,
        built_by("sh", "-c", "yes & yes >&2 & while :; do :; done"),
        launcher=launcher,
        limits=SMALL,
        on_tick=lambda log: looks.append(None),
    )

    assert isinstance(failed, BuildFailed)
    assert "CPU time" in failed.reason
    assert looks


def test_log_is_told_while_the_build_runs(launcher: SandboxLauncher, tmp_path: Path) -> None:
    def stop(log: str) -> None:
        if log == "one\n":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        build(
            tmp_path,
            built_by("sh", "-c", "echo one; exec tail -f /dev/null"),
            launcher=launcher,
            on_tick=stop,
        )


def test_name_that_is_no_text_fails_the_build(launcher: SandboxLauncher, tmp_path: Path) -> None:
    failed = failure(launcher, tmp_path, "sh", "-c", r"printf x > $(printf 'a\377')")

    assert failed.reason == r"build: the name 'a\udcff' is not UTF-8"
