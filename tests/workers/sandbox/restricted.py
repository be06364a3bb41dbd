"""`python -m workers.sandbox` under a kernel that refuses things, as some pods and desktops do."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import runpy
import sys
from pathlib import Path

from workers.sandbox.isolation import confine
from workers.sandbox.system_calls.filters import build_filter, syscall_numbers
from workers.sandbox.system_calls.policy import ALLOW, Rule, Test, refuse

CLONE_NEWUSER = 0x10000000
PROFILE = Path(__file__).parents[3] / "k8s" / "base" / "bot-worker.json"
REFUSED = Rule(refuse(errno.EPERM))


def main() -> None:
    """Give up what the first argument lists, then show what is left."""
    for what in sys.argv.pop(1).split(","):
        ACTIONS[what]()
    runpy.run_module("workers.sandbox", run_name="__main__", alter_sys=True)


def refuse_namespaces() -> None:
    """Let no process make a user namespace."""
    asks = Test(((0, CLONE_NEWUSER, CLONE_NEWUSER),), REFUSED.otherwise)
    load({"clone": Rule(ALLOW, (asks,)), "unshare": REFUSED, "clone3": Rule(refuse(errno.ENOSYS))})


def refuse_landlock() -> None:
    """Have a kernel without Landlock."""
    load({"landlock_create_ruleset": Rule(refuse(errno.ENOSYS))})


def become_root_in_namespace() -> None:
    """Be root in a user namespace that has no other user."""
    uid, gid = os.geteuid(), os.getegid()
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER) != 0:
        raise OSError("no user namespace for the test")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


def refuse_what_pods_do() -> None:
    """Let through what the profile of the workers' pods allows, whatever the arguments."""
    rules = json.loads(PROFILE.read_text())["syscalls"]
    allowed = {
        name for rule in rules if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]
    }
    names = syscall_numbers(os.uname().machine).keys()
    load(dict.fromkeys(names - allowed, REFUSED) | {"clone3": Rule(refuse(errno.ENOSYS))})


def load(refused: dict[str, Rule]) -> None:
    """Load a filter that lets everything else through."""
    machine = os.uname().machine
    table = {name: Rule(ALLOW) for name in syscall_numbers(machine)} | refused
    confine._prctl("PR_SET_NO_NEW_PRIVS", 38, 1)
    confine.filter_calls(build_filter(table, machine=machine))


ACTIONS = {
    "namespaces": refuse_namespaces,
    "pod": refuse_what_pods_do,
    "landlock": refuse_landlock,
    "root-in-namespace": become_root_in_namespace,
}

if __name__ == "__main__":
    main()
