from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.workers.sandbox.bpf_machine import run
from workers.sandbox.errors import LayerMissing
from workers.sandbox.filters import (
    ARCHITECTURES,
    UnknownSyscall,
    build_filter,
    filter_path,
    syscall_numbers,
)
from workers.sandbox.policy import ALLOW, KILL, X86_ONLY, Rule, Variant, refuse, rules

MACHINES = tuple(ARCHITECTURES)
BOTH = [(machine, variant) for machine in MACHINES for variant in Variant]
EPERM, EACCES, ENOSYS = refuse(errno.EPERM), refuse(errno.EACCES), refuse(errno.ENOSYS)
HIGH_BITS = 1 << 40

CALLS = [
    ("read", (), ALLOW),
    ("openat", (), ALLOW),
    ("execve", (), ALLOW),
    ("futex", (), ALLOW),
    ("clone", (0x3D0F00,), ALLOW),
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
    ("prlimit64", (0,), ALLOW),
    ("prlimit64", (1,), EPERM),
    ("personality", (0xFFFFFFFF,), ALLOW),
    ("personality", (0x0040000,), EPERM),
    ("socketpair", (1, 1), ALLOW),
    ("socketpair", (1, 5 | 0x80800), ALLOW),
    ("socketpair", (1, 2), EACCES),
    ("socketpair", (2, 1), EACCES),
]


def load(machine: str, variant: Variant) -> bytes:
    return filter_path(variant, machine=machine).read_bytes()


@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_stored_filter_equals_regeneration(machine: str, variant: Variant) -> None:
    assert load(machine, variant) == build_filter(rules(variant), machine=machine)


@pytest.mark.parametrize(("name", "arguments", "verdict"), CALLS)
@pytest.mark.parametrize(("machine", "variant"), BOTH)
def test_call_gets_its_verdict(
    machine: str, variant: Variant, name: str, arguments: tuple[int, ...], verdict: int
) -> None:
    number = syscall_numbers(machine)[name]
    if variant is Variant.PROCESSES and name == "clone" and verdict == EPERM:
        verdict = ALLOW

    found = run(load(machine, variant), (ARCHITECTURES[machine], number, arguments))

    assert found == verdict


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


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", ["fchmod", "fchmodat", "utimensat"])
def test_metadata_is_refused_without_namespaces(machine: str, name: str) -> None:
    call = (ARCHITECTURES[machine], syscall_numbers(machine)[name], ())

    assert run(load(machine, Variant.LANDLOCK), call) == EPERM
    assert run(load(machine, Variant.NAMESPACES), call) == ALLOW


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
