from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from pentathlon_engines.languages import BUILD_TOOLS, LANGUAGES
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.launcher import BOT_PATH, BotCommand, SandboxLevel
from pentathlon_engines.match.limits import Limits
from tests.deep import mostly_deep
from tests.toolchains import need
from tests.workers.sandbox.bots import TIMEOUT_S, read_line
from tests.workers.sandbox.ways import Way
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.profiles import NATIVE, PROFILES, Profile, profile_of
from workers.sandbox.resources.rlimits import MEBIBYTE, rlimits

WAYS = tuple(Way)
NODE = """
require('readline').createInterface({input: process.stdin}).on('line', line => {
    const held = []
    for (let i = 0; i < 1e6; i++) held.push({i})
    console.log(line.toUpperCase() + held.length)
    process.exit(0)
})
"""
JAVA = """
public class Bot {
    public static void main(String[] arguments) throws Exception {
        byte[][] held = new byte[64][];
        for (int i = 0; i < 1024; i++) held[i % 64] = new byte[1 << 20];
        Thread[] threads = new Thread[8];
        for (int i = 0; i < 8; i++) (threads[i] = new Thread(() -> {})).start();
        for (Thread thread : threads) thread.join();
        String line = new java.util.Scanner(System.in).nextLine();
        System.out.println(line.toUpperCase() + held.length);
    }
}
"""
NODE_THREADS = """
const {Worker} = require('worker_threads')
const fs = require('fs')
const memories = [new WebAssembly.Memory({initial: 1, maximum: 1000})]
require('readline').createInterface({input: process.stdin}).on('line', line => {
    const a = process.env.TMPDIR + '/a', b = process.env.TMPDIR + '/b'
    fs.writeFileSync(a, 'x')
    // Where modes are not to be set, it stops there, behind the copying.
    try { fs.copyFileSync(a, b) } catch (error) { if (error.code != 'EPERM') throw error }
    fs.fsyncSync(fs.openSync(a, 'r+'))
    const worker = new Worker('require("worker_threads").parentPort.postMessage(1)', {eval: true})
    worker.on('message', one => {
        console.log(line.toUpperCase() + (memories.length + one))
        process.exit(0)
    })
})
"""
PYTHON_FILES = """
import asyncio, fcntl, mmap, os, shutil, signal, sqlite3, tempfile, threading, time, tracemalloc

line = input()
folder = tempfile.mkdtemp()
first, second = folder + '/first', folder + '/second'
with open(first, 'wb') as file:
    file.write(b'x' * 70000)
    file.flush()
    os.fsync(file.fileno())
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
shutil.copyfile(first, second)
os.utime(second)
with open(second, 'r+b') as file, mmap.mmap(file.fileno(), 0) as view:
    view[0:1] = b'y'
    view.flush()
with sqlite3.connect(folder + '/table') as table:
    table.execute('create table t (a)')
    table.execute('insert into t values (1)')
private = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
threads = [threading.Thread(target=time.sleep, args=(0.02,)) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
time.process_time(), time.thread_time(), os.sched_getaffinity(0), os.getpgid(0)


async def one() -> int:
    inner = asyncio.get_running_loop().run_in_executor(None, len, 'x')
    return await asyncio.wait_for(inner, 5)


print(line.upper() + str(asyncio.run(one())), flush=True)
"""
C = """
#include <stdio.h>
int main(void) {
    char text[6];
    if (fgets(text, 6, stdin)) printf("%s1\\n", text);
    return 0;
}
"""
PERL = '$| = 1; my $line = <STDIN>; chomp $line; print uc($line) . "1\\n";'


@pytest.fixture(scope="module", params=mostly_deep(WAYS, keep=WAYS[:1]))
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened: SandboxLauncher = request.param.launcher()
    yield opened
    opened.close()


def bot_in(folder: Path, language: str) -> BotCommand:
    (folder / "bot.toml").write_text(
        f'name = "polyglot"\ngames = ["tuned"]\nlanguage = "{language}"\n'
    )
    return bot_command(folder, read_manifest(folder))


def answer(launcher: SandboxLauncher, command: BotCommand) -> str:
    bot = launcher.start(command, seat=0, limits=Limits())
    os.write(bot.stdin, b"hello\n")
    line = read_line(bot)
    assert bot.breach() is None
    bot.wait(TIMEOUT_S)
    assert bot.verdict(bot.stop()) is None
    return line


def test_node_bot_plays_within_the_default_limits(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    need("javascript")
    (tmp_path / "main.js").write_text(NODE)

    assert answer(launcher, bot_in(tmp_path, "node")) == "HELLO1000000\n"


@pytest.mark.deep
def test_java_bot_plays_within_the_default_limits(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    need("java")
    (tmp_path / "Bot.java").write_text(JAVA)
    subprocess.run(["javac", "Bot.java"], cwd=tmp_path, check=True)
    subprocess.run(["jar", "cfe", "bot.jar", "Bot", "Bot.class"], cwd=tmp_path, check=True)

    assert answer(launcher, bot_in(tmp_path, "java")) == "HELLO64\n"


def test_perl_bot_plays(launcher: SandboxLauncher, tmp_path: Path) -> None:
    if not PROFILES["perl"].is_installed():
        pytest.skip("there is no perl on this machine")
    (tmp_path / "main.pl").write_text(PERL)

    assert answer(launcher, bot_in(tmp_path, "perl")) == "HELLO1\n"


def test_native_bot_plays(launcher: SandboxLauncher, tmp_path: Path) -> None:
    need("c")
    (tmp_path / "bot.c").write_text(C)
    subprocess.run(["cc", "-o", "bot", "bot.c"], cwd=tmp_path, check=True)
    command = BotCommand(folder=tmp_path, argv=["./bot"], language="command")

    assert answer(launcher, command) == "hello1\n"


def test_runtimes_are_offered_that_are_installed(launcher: SandboxLauncher) -> None:
    always = {"command", "python"}

    offered = {name for name in PROFILES if launcher.can_run(name)}

    packages = {"python-numpy"} if find_spec("onnxruntime") else set()
    programs = {name for name in PROFILES if shutil.which(name, path=BOT_PATH)}
    assert offered == programs | packages | always


def test_runtime_that_does_not_work_is_not_offered(
    launcher: SandboxLauncher, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Profile(name="perl", trial=("/usr/bin/perl", "-e", "die"))
    monkeypatch.setattr("workers.sandbox.launcher.PROFILES", {**PROFILES, "perl": broken})

    assert not launcher.can_run("perl")


def test_build_tools_are_offered_that_are_installed(launcher: SandboxLauncher) -> None:
    can_build = launcher.level is SandboxLevel.NAMESPACES

    offered = {tool for tool in BUILD_TOOLS if launcher.can_build_with(tool)}

    here = {tool for tool in BUILD_TOOLS if shutil.which(tool, path=BOT_PATH)}
    assert offered == (here if can_build else set())


def test_every_language_has_a_profile() -> None:
    assert set(LANGUAGES) <= set(PROFILES)


@pytest.mark.parametrize(
    ("argv", "language", "profile"),
    [
        (["{python}", "x"], "python", "python"),
        (["java", "-jar", "x"], "command", "java"),
        (["/usr/bin/node", "x"], "command", "node"),
        (["./bot"], "command", "command"),
        (["./java"], "command", "command"),
        (["{bot}/java"], "command", "command"),
        (["/bot/usr/bin/java"], "command", "command"),
        ([], "command", "command"),
    ],
)
def test_profile_follows_language_and_program(
    argv: list[str], language: str, profile: str
) -> None:
    command = BotCommand(folder=Path(), argv=argv, language=language)

    assert profile_of(command).name == profile


def test_profile_adds_what_the_runtime_needs_for_itself() -> None:
    limits = Limits()

    assert PROFILES["java"].limits(limits).tasks == limits.tasks + PROFILES["java"].extra_tasks
    assert NATIVE.limits(limits) == limits


@pytest.mark.parametrize("name", PROFILES)
def test_address_space_is_bounded_whatever_the_runtime(name: str) -> None:
    soft, hard = rlimits(Limits(), reserved_mb=PROFILES[name].reserved_mb)["as"]

    assert soft == hard <= (18 if name == "node" else 6) * 1024 * MEBIBYTE


def test_node_bot_may_have_webassembly_and_threads(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    need("javascript")
    (tmp_path / "main.js").write_text(NODE_THREADS)

    assert answer(launcher, bot_in(tmp_path, "node")) == "HELLO2\n"


def test_python_bot_copies_dates_and_locks_files(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(PYTHON_FILES)

    assert answer(launcher, bot_in(tmp_path, "python")) == "HELLO1\n"
