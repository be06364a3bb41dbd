"""The filters as data; `python -m workers.sandbox.system_calls.filters` writes them again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from workers.sandbox.errors import LayerMissing
from workers.sandbox.system_calls.bpf import assemble
from workers.sandbox.system_calls.policy import X86_ONLY, Rule, Variant, refuse_disk_waits, rules

DATA = Path(__file__).parents[1] / "data"
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's AUDIT_ARCH number of each machine name."""
_O_DIRECT = {"x86_64": 0x4000, "aarch64": 0x10000}


class UnknownSyscall(ValueError):
    """The policy names a system call that an architecture does not have."""

    code = "unknown_syscall"

    def __init__(self, names: list[str], *, machine: str) -> None:
        super().__init__(
            f"no such system call on {machine}: {', '.join(names)}; correct the policy, or list"
            " names that only x86-64 has in X86_ONLY"
        )
        self.names = names


def filter_path(variant: Variant, *, machine: str | None = None) -> Path:
    """Return the file that holds the filter for this machine."""
    machine = machine or os.uname().machine
    path = DATA / f"seccomp-{variant}-{machine}.bpf"
    if not path.is_file():
        raise LayerMissing(
            "syscalls",
            reason=f"there is no system call filter for {machine}",
            remedy=f"Run the workers on one of: {', '.join(ARCHITECTURES)}.",
        )
    return path


def build_filter(table: dict[str, Rule], *, machine: str) -> bytes:
    """Return the filter program; raise `UnknownSyscall` for a name that cannot be numbered."""
    numbers = syscall_numbers(machine)
    wanted = set(table) if machine == "x86_64" else set(table) - X86_ONLY
    unknown = sorted(wanted - set(numbers))
    if unknown:
        raise UnknownSyscall(unknown, machine=machine)
    table = refuse_disk_waits(table, o_direct=_O_DIRECT[machine])
    numbered = {numbers[name]: table[name] for name in wanted}
    return assemble(numbered, architecture=ARCHITECTURES[machine])


def syscall_numbers(machine: str) -> dict[str, int]:
    """Return the number of every system call of an architecture."""
    lines = (DATA / f"syscalls-{machine}.txt").read_text().splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines)}


def main() -> int:
    """Write all filters into the data folder."""
    for machine in ARCHITECTURES:
        for variant in Variant:
            program = build_filter(rules(variant), machine=machine)
            path = DATA / f"seccomp-{variant}-{machine}.bpf"
            path.write_bytes(program)
            sys.stdout.write(f"{path.name}: {len(program) // 8} instructions\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
