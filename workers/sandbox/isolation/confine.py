"""Limits itself, then becomes the bot; run with `python -I -S -c` on this source.

It is the first program of a bot at the level that does without bubblewrap. Every start of such a
bot waits for it, so it imports only what Python loads within a moment. The first argument says
what to do (a dict, marshalled, in hex); the rest is the bot's command line.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONFINED = b"confined"
"""The message to `status` that the bot is about to begin; any other is an error."""

_SIGKILL = 9
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (
        ("handled_files", ctypes.c_uint64),
        ("handled_network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


_libc = ctypes.CDLL(None, use_errno=True)


def _check(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _prctl(name: str, *arguments: Any) -> None:  # Any: integers and a ctypes reference
    padded = [*arguments, 0, 0, 0, 0][:5]
    _check(name, _libc.prctl(*(ctypes.c_ulong(a) if isinstance(a, int) else a for a in padded)))


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends."""
    _prctl("PR_SET_PDEATHSIG", _PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        sys.exit("the worker ended before its bot began")


def limit(wanted: dict[str, list[int]]) -> None:
    """Set the resource limits."""
    for name, (soft, hard) in wanted.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (soft, hard))


def restrict_files(rules: dict[str, Any]) -> None:  # Any: a table of facts
    """Enter a Landlock domain: `paths` maps each path to the accesses allowed beneath it."""
    attributes = _RulesetAttributes(rules["files"], rules["network"], rules["scoped"])
    ruleset = _check(
        "landlock_create_ruleset",
        _libc.syscall(
            _CREATE_RULESET,
            ctypes.byref(attributes),
            ctypes.c_size_t(ctypes.sizeof(attributes)),
            0,
        ),
    )
    for path, allowed in rules["paths"].items():
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        beneath = _PathBeneath(allowed, parent)
        added = _libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(beneath), 0)
        _check(f"landlock_add_rule {path}", added)
        os.close(parent)
    _check("landlock_restrict_self", _libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def filter_calls(program: bytes) -> None:
    """Load a system call filter."""
    load_filter(ctypes.create_string_buffer(program, len(program)))


def load_filter(code: ctypes.Array[ctypes.c_char]) -> None:
    """Load a system call filter from memory."""
    described = _Program(len(code) // 8, ctypes.addressof(code))
    _prctl("PR_SET_SECCOMP", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(described))


def name_own_process(program: bytes, placeholders: dict[str, int]) -> bytes:
    """Replace the placeholders in a filter by the id and the clocks of this process."""
    pid = os.getpid()
    own = {"pid": pid, "clock": ~pid << 3 & 0xFFFFFFFF}
    for name, placeholder in placeholders.items():
        program = program.replace(
            placeholder.to_bytes(4, sys.byteorder), own[name].to_bytes(4, sys.byteorder)
        )
    return program


def confine(wanted: dict[str, Any]) -> None:  # Any: a table of facts
    """Apply what the launcher asked for, the filter last."""
    if "parent" in wanted:
        die_with(wanted["parent"])
    _prctl("PR_SET_NO_NEW_PRIVS", _PR_SET_NO_NEW_PRIVS, 1)
    if "landlock" in wanted:
        restrict_files(wanted["landlock"])
    limit(wanted["rlimits"])
    if "filter" in wanted:
        filter_calls(name_own_process(wanted["filter"], wanted.get("own", {})))


def main() -> None:
    """Confine this process and replace it by the bot; report a failure on `status`."""
    wanted = marshal.loads(bytes.fromhex(sys.argv[1]))  # noqa: S302  # written by our own launcher
    stderr = sys.stderr.fileno()
    status = wanted.get("status", stderr)
    os.set_inheritable(status, status == stderr)
    try:
        confine(wanted)
    except OSError as error:
        os.write(status, str(error).encode())
        sys.exit(1)
    if status != stderr:
        os.write(status, CONFINED)
    try:
        os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606  # becoming the bot is the purpose
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: {error.strerror}")


if __name__ == "__main__":
    main()
