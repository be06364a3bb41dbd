from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.workers.sandbox.bpf_machine import run
from workers.sandbox.errors import LayerMissing
from workers.sandbox.isolation.confine import name_own_process
from workers.sandbox.system_calls.filters import (
    ARCHITECTURES,
    UnknownSyscall,
    build_filter,
    filter_path,
    syscall_numbers,
)
from workers.sandbox.system_calls.policy import (
    ALLOW,
    KILL,
    OWN_CLOCK,
    OWN_PID,
    PRETEND,
    X86_ONLY,
    Rule,
    Variant,
    refuse,
    rules,
)

MACHINES = tuple(ARCHITECTURES)
BOTH = [(machine, variant) for machine in MACHINES for variant in Variant]
EPERM, EACCES, ENOSYS = refuse(errno.EPERM), refuse(errno.EACCES), refuse(errno.ENOSYS)
EINVAL, ESRCH, ENOLCK = refuse(errno.EINVAL), refuse(errno.ESRCH), refuse(errno.ENOLCK)
WITH_CHILDREN = (Variant.PROCESSES, Variant.BUILD)
HIGH_BITS = 1 << 40

Call = tuple[str, tuple[int, ...]]
"""The name of a system call, and its arguments."""

CALLS = [
    ("read", (), ALLOW),
    ("openat", (), ALLOW),
    ("execve", (), ALLOW),
    ("futex", (), ALLOW),
    ("clone", (0x3D0F00,), ALLOW),
    ("clone", (0x3D0B00,), KILL),
    ("clone", (0x3D4F00,), EPERM),
    ("close_range", (3, 9, 0), ALLOW),
    ("close_range", (3, 9, 4), ALLOW),
    ("close_range", (3, 9, 2), EINVAL),
    ("clone", (17,), EPERM),
    ("clone", (0x01200011,), EPERM),
    ("clone", (0x10000000 | 17,), KILL),
    ("clone", (0x10000000 | 0x10000,), KILL),
    ("clone", (0x40000000,), KILL),
    ("clone", (HIGH_BITS | 17,), EPERM),
    ("clone3", (), ENOSYS),
    ("io_uring_setup", (), ENOSYS),
    ("memfd_create", (), ENOSYS),
    ("userfaultfd", (), ENOSYS),
    ("landlock_create_ruleset", (), ENOSYS),
    ("seccomp", (), ENOSYS),
    ("setsid", (), EPERM),
    ("setpgid", (), EPERM),
    ("sched_setaffinity", (), EPERM),
    ("shmget", (), EPERM),
    ("socket", (), EACCES),
    ("connect", (), EACCES),
    ("ptrace", (), KILL),
    ("unshare", (), KILL),
    ("setns", (), KILL),
    ("mount", (), KILL),
    ("bpf", (), KILL),
    ("process_vm_readv", (), KILL),
    ("ioctl", (0, 0x5401), ALLOW),
    ("ioctl", (0, HIGH_BITS | 0x5401), ALLOW),
    ("ioctl", (0, 0x5412), refuse(errno.ENOTTY)),
    ("prctl", (15,), ALLOW),
    ("prctl", (1,), EPERM),
    ("prctl", (22,), EPERM),
    ("prlimit64", (0, 7), ALLOW),
    ("prlimit64", (0, 0, 0), ALLOW),
    ("prlimit64", (0, 0, 0x1000), EPERM),
    ("prlimit64", (0, 0, HIGH_BITS), EPERM),
    ("prlimit64", (1, 0, 0), EPERM),
    ("prlimit64", (1, 7), EPERM),
    ("setrlimit", (7,), ALLOW),
    ("setrlimit", (0,), EPERM),
    ("exit_group", (136,), ALLOW),
    ("exit_group", (137,), EINVAL),
    ("exit_group", (137 + 256,), EINVAL),
    ("exit", (137,), EINVAL),
    ("personality", (0xFFFFFFFF,), ALLOW),
    ("personality", (0x0040000,), EPERM),
    ("socketpair", (1, 1), ALLOW),
    ("socketpair", (1, 5 | 0x80800), ALLOW),
    ("socketpair", (1, 2), EACCES),
    ("socketpair", (2, 1), EACCES),
    ("timer_create", (), EPERM),
    ("madvise", (0, 0, 4), ALLOW),
    ("madvise", (0, 0, 3), PRETEND),
    ("madvise", (0, 0, 21), EINVAL),
    ("madvise", (0, 0, 22), EINVAL),
    ("madvise", (0, 0, 23), EINVAL),
    ("madvise", (0, 0, 25), EINVAL),
    ("mmap", (0, 4096, 3, 0x22), ALLOW),
    ("mmap", (0, 4096, 3, 0x01), ALLOW),
    ("mmap", (0, 4096, 3, 0x8022), EINVAL),
    ("mmap", (0, 4096, 3, 0x40022), refuse(errno.ENOMEM)),
    ("msync", (0, 0, 1), ALLOW),
    ("msync", (0, 0, 4), PRETEND),
    ("fcntl", (0, 4), ALLOW),
    ("fcntl", (0, 1030), ALLOW),
    ("fcntl", (0, 8), EINVAL),
    ("fcntl", (0, 10), EINVAL),
    ("fcntl", (0, 1024), EINVAL),
    ("fcntl", (0, 1026), EINVAL),
    ("fcntl", (0, 1031), EINVAL),
    ("fcntl", (0, 1036), EINVAL),
    ("membarrier", (8,), ALLOW),
    ("membarrier", (1,), EINVAL),
    ("membarrier", (2,), EINVAL),
    ("sendfile", (), EINVAL),
    ("splice", (), EINVAL),
    ("copy_file_range", (), ENOSYS),
    ("sysinfo", (), ENOSYS),
    ("preadv2", (), ENOSYS),
    ("pwritev2", (), ENOSYS),
    ("mincore", (), ENOSYS),
    ("process_madvise", (), ENOSYS),
    ("memfd_secret", (), ENOSYS),
    ("mbind", (), ENOSYS),
    ("move_pages", (), ENOSYS),
    ("pidfd_open", (), ENOSYS),
    ("pidfd_send_signal", (), ENOSYS),
    ("inotify_init1", (), ENOSYS),
    ("setxattr", (), ENOSYS),
    ("fadvise64", (), PRETEND),
    ("readahead", (), PRETEND),
    ("fsync", (), PRETEND),
    ("sync_file_range", (), PRETEND),
    ("setsockopt", (), refuse(errno.ENOPROTOOPT)),
]
# Bots with children and builds may do more: verdicts for other bots, for these bots, for builds.
CALLS_OF_CHILDREN = [
    ("mmap", (0, 4096, 3, 0x21), (EPERM, ALLOW, ALLOW)),
    ("mmap", (0, 4096, 3, 0x23), (EPERM, ALLOW, ALLOW)),
    ("sendmsg", (), (EACCES, ALLOW, ALLOW)),
    ("kill", (OWN_PID, 18), (EPERM, ALLOW, ALLOW)),
    ("tkill", (OWN_PID, 18), (EPERM, ALLOW, ALLOW)),
    ("tgkill", (OWN_PID, 1, 18), (EPERM, ALLOW, ALLOW)),
    ("tgkill", (OWN_PID, 18, 10), (ALLOW, ALLOW, ALLOW)),
    ("rt_sigqueueinfo", (OWN_PID, 18), (EPERM, ALLOW, ALLOW)),
    ("rt_tgsigqueueinfo", (OWN_PID, 1, 18), (EPERM, ALLOW, ALLOW)),
    ("flock", (), (PRETEND, ENOLCK, ALLOW)),
    ("fcntl", (0, 6), (PRETEND, ENOLCK, ALLOW)),
    ("fcntl", (0, 37), (PRETEND, ENOLCK, ALLOW)),
    ("fcntl", (0, 5), (ENOLCK, ENOLCK, ALLOW)),
    ("fcntl", (0, 36), (ENOLCK, ENOLCK, ALLOW)),
    ("utimensat", (), (PRETEND, PRETEND, PRETEND)),
    ("statfs", (), (ENOSYS, ENOSYS, ALLOW)),
    ("fstatfs", (), (ENOSYS, ENOSYS, ALLOW)),
    ("setresuid", (), (EPERM, EPERM, ALLOW)),
    ("setresgid", (), (EPERM, EPERM, ALLOW)),
    ("setuid", (), (EPERM, EPERM, EPERM)),
]
A_STRANGER = 4711
# Only the level without namespaces refuses these calls.
CALLS_ABOUT_OTHERS = [
    ("kill", (A_STRANGER, 0), EPERM),
    ("kill", (0xFFFFFFFF, 9), EPERM),
    ("kill", (0, 9), EPERM),
    ("kill", (OWN_PID, 9), EPERM),
    ("tgkill", (OWN_PID, OWN_PID, 9), EPERM),
    ("rt_tgsigqueueinfo", (OWN_PID, OWN_PID, 9), EPERM),
    ("tkill", (A_STRANGER, 0), EPERM),
    ("tgkill", (A_STRANGER, A_STRANGER, 0), EPERM),
    ("rt_sigqueueinfo", (A_STRANGER, 0), EPERM),
    ("getpgid", (A_STRANGER,), ESRCH),
    ("getsid", (A_STRANGER,), ESRCH),
    ("getpriority", (0, A_STRANGER), ESRCH),
    ("sched_getscheduler", (A_STRANGER,), ESRCH),
    ("sched_getaffinity", (A_STRANGER,), ENOSYS),
    ("get_robust_list", (A_STRANGER,), EPERM),
    ("capget", (), EPERM),
    ("clock_gettime", ((~A_STRANGER << 3 | 2) & 0xFFFFFFFF,), EINVAL),
    ("clock_getres", ((~A_STRANGER << 3 | 6) & 0xFFFFFFFF,), EINVAL),
    ("clock_nanosleep", ((~A_STRANGER << 3 | 2) & 0xFFFFFFFF,), EINVAL),
    ("fchmod", (), EPERM),
    ("fchmodat", (), EPERM),
]
CALLS_ABOUT_ITSELF = [
    ("kill", (0, 0)),
    ("kill", (OWN_PID, 15)),
    ("tgkill", (OWN_PID, A_STRANGER, 15)),
    ("getpgid", (0,)),
    ("getsid", (OWN_PID,)),
    ("sched_getaffinity", (0,)),
    ("clock_gettime", (0,)),
    ("clock_gettime", (3,)),
    ("clock_gettime", (~0 << 3 & 0xFFFFFFFF | 2,)),
    ("clock_gettime", (OWN_CLOCK | 2,)),
    ("clock_gettime", (OWN_CLOCK | 6,)),
]


def load(machine: str, variant: Variant) -> bytes:
    return filter_path(variant, machine=machine).read_bytes()


def verdicts(machine: str, variant: Variant, calls: Iterable[Call]) -> dict[Call, int]:
    """Return what a filter says of each of these calls."""
    program, numbers = load(machine, variant), syscall_numbers(machine)
    return {
        (name, arguments): run(program, (ARCHITECTURES[machine], numbers[name], arguments))
        for name, arguments in calls
    }


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_stored_filter_equals_regeneration(machine: str, variant: Variant) -> None:
    assert load(machine, variant) == build_filter(rules(variant), machine=machine)


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_each_call_gets_its_verdict(machine: str, variant: Variant) -> None:
    expected = {(name, arguments): verdict for name, arguments, verdict in CALLS}
    if variant in WITH_CHILDREN:
        expected |= {
            (name, arguments): EPERM if arguments[0] & 0x14000 == 0x14000 else ALLOW
            for name, arguments in expected
            if name == "clone" and not arguments[0] & 0x7E020080
        }

    assert verdicts(machine, variant, expected) == expected


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_every_call_without_tests_gets_the_verdict_of_its_rule(
    machine: str, variant: Variant
) -> None:
    program, table = load(machine, variant), rules(variant)
    plain = {
        name: number
        for name, number in syscall_numbers(machine).items()
        if not table.get(name, Rule(ENOSYS)).tests
    }

    found = {
        name: run(program, (ARCHITECTURES[machine], number, ())) for name, number in plain.items()
    }

    assert found == {name: table.get(name, Rule(ENOSYS)).otherwise for name in plain}


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_number_beyond_the_table_is_unknown(machine: str, variant: Variant) -> None:
    assert run(load(machine, variant), (ARCHITECTURES[machine], 9999, ())) == ENOSYS


@pytest.mark.parametrize(("machine", "variant"), BOTH)
@pytest.mark.parametrize("architecture", [0x40000003, 0x40000028, 0xC0000015])
def test_foreign_architecture_is_killed(machine: str, variant: Variant, architecture: int) -> None:
    assert run(load(machine, variant), (architecture, 0, ())) == KILL


@pytest.mark.parametrize("number", [0, 39, 520])
def test_x32_call_is_killed(number: int) -> None:
    call = (ARCHITECTURES["x86_64"], 0x40000000 | number, ())

    assert run(load("x86_64", Variant.NAMESPACES), call) == KILL


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_children_and_builds_may_do_more(machine: str, variant: Variant) -> None:
    column = {Variant.PROCESSES: 1, Variant.BUILD: 2}.get(variant, 0)
    expected = {(name, arguments): told[column] for name, arguments, told in CALLS_OF_CHILDREN}

    assert verdicts(machine, variant, expected) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_others_are_nobody_without_namespaces(machine: str) -> None:
    expected = {(name, arguments): verdict for name, arguments, verdict in CALLS_ABOUT_OTHERS}

    assert verdicts(machine, Variant.LANDLOCK, expected) == expected
    assert verdicts(machine, Variant.NAMESPACES, expected) == dict.fromkeys(expected, ALLOW)


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_bot_may_ask_about_itself(machine: str, variant: Variant) -> None:
    expected = dict.fromkeys(CALLS_ABOUT_ITSELF, ALLOW)

    assert verdicts(machine, variant, expected) == expected


@pytest.mark.parametrize(("machine", "o_direct"), [("x86_64", 0x4000), ("aarch64", 0x10000)])
@pytest.mark.parametrize("variant", Variant)
def test_no_bot_waits_for_the_disk_when_it_likes(
    machine: str, o_direct: int, variant: Variant
) -> None:
    expected: dict[Call, int] = {
        ("openat", (0, 0, o_direct)): EINVAL,
        ("openat", (0, 0, 0x101001)): EINVAL,
        ("openat", (0, 0, 0x1001)): EINVAL,
        ("fcntl", (0, 4, o_direct | 0x800)): EINVAL,
        ("openat", (0, 0, (0x14000 ^ o_direct) | 0x80241)): ALLOW,
        ("fcntl", (0, 4, 0x800)): ALLOW,
    }

    assert verdicts(machine, variant, expected) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_bot_is_named_in_the_filter_of_landlock_alone(machine: str) -> None:
    program = load(machine, Variant.LANDLOCK)
    named = name_own_process(program, {"pid": OWN_PID, "clock": OWN_CLOCK})
    call = (ARCHITECTURES[machine], syscall_numbers(machine)["getsid"], (os.getpid(),))

    assert run(program, call) == ESRCH
    assert run(named, call) == ALLOW
    # Only whole constants of instructions are replaced.
    changed = [at for at in range(len(program)) if program[at] != named[at]]
    assert changed
    assert {at % 8 for at in changed} <= {4, 5, 6, 7}
    assert all(
        OWN_PID not in constants(machine, other) for other in set(Variant) - {Variant.LANDLOCK}
    )


def constants(machine: str, variant: Variant) -> set[int]:
    return {constant for *_, constant in struct.iter_unpack("<HBBI", load(machine, variant))}


@pytest.mark.parametrize(("name", "verdict"), [("fork", ALLOW), ("linkat", ALLOW)])
def test_children_are_started_by_bots_that_may_have_some(name: str, verdict: int) -> None:
    call = (ARCHITECTURES["x86_64"], syscall_numbers("x86_64")[name], ())

    assert run(load("x86_64", Variant.PROCESSES), call) == verdict
    assert run(load("x86_64", Variant.NAMESPACES), call) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_unknown_name_fails_the_build(machine: str) -> None:
    with pytest.raises(UnknownSyscall) as caught:
        build_filter({"raed": Rule(ALLOW)}, machine=machine)

    assert caught.value.names == ["raed"]


def test_names_of_x86_alone_are_not_on_aarch64() -> None:
    assert X86_ONLY.issubset(syscall_numbers("x86_64"))
    assert not X86_ONLY & set(syscall_numbers("aarch64"))


def test_unsupported_machine_names_the_layer() -> None:
    with pytest.raises(LayerMissing) as caught:
        filter_path(Variant.NAMESPACES, machine="riscv64")

    assert caught.value.layer == "syscalls"
    assert "riscv64" in str(caught.value)


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_filter_fits_the_kernel(machine: str, variant: Variant) -> None:
    assert len(load(machine, variant)) // 8 <= 4096


def test_data_folder_holds_nothing_else() -> None:
    names = {path.name for path in Path(filter_path(Variant.NAMESPACES)).parent.iterdir()}

    assert names == {f"syscalls-{machine}.txt" for machine in MACHINES} | {
        f"seccomp-{variant}-{machine}.bpf" for machine, variant in BOTH
    }
