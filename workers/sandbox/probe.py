"""Finds out, layer by layer, whether this host can hold an untrusted bot."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand, LaunchFailed, SandboxLevel
from pentathlon_engines.match.limits import Limits
from workers.sandbox.errors import Layer, LayerMissing
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.profiles import profile_of
from workers.sandbox.resources.cgroup_hosts import outlive_bots
from workers.sandbox.resources.cgroups import CgroupUse
from workers.sandbox.resources.rlimits import rlimits, with_one_more_task

_CANARY = BotCommand(
    folder=Path(__file__).with_name("canary"),
    argv=("{python}", "-s", "-S", "-B", "-u", "{bot}/main.py", "{bot}"),
)
_SPAWNED = replace(_CANARY, env={"PENTATHLON_CANARY": "spawned"})
"""The same as no fork: bots with variables never are."""
_LIMITS = Limits()
_ANSWER_TIMEOUT_S = 10.0
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
_OPTIONAL_NAMESPACES = {"cgroup"}

Facts = dict[str, Any]
"""The canary's answer, a JSON object."""


class State(StrEnum):
    """Whether a layer holds."""

    OK = "ok"
    MISSING = "missing"
    NOT_USED = "not used"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The state of one layer, and what to do about it."""

    layer: Layer
    state: State
    detail: str
    remedy: str = ""
    """What to do if the layer is missing or not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The findings about one sandbox level."""

    level: SandboxLevel
    findings: tuple[Finding, ...]

    @property
    def missing(self) -> Finding | None:
        """The first layer that is missing; None when bots may run at this level."""
        return next((found for found in self.findings if found.state is State.MISSING), None)

    def to_json(self) -> dict[str, Any]:  # Any: a JSON object
        """Return the findings as a JSON object."""
        return {
            "level": self.level,
            "usable": self.missing is None,
            "layers": [asdict(found) for found in self.findings],
        }


def run_probe(level: SandboxLevel = SandboxLevel.NAMESPACES) -> Probe:
    """Examine every layer of one level with a bot that tries to break it."""
    try:
        launcher = SandboxLauncher(level, cgroups=CgroupUse.ALWAYS)
    except LayerMissing as error:
        return _without(level, Layer(error.layer), error.reason, remedy=error.remedy)
    try:
        return examine(launcher)
    finally:
        launcher.close()


def examine(launcher: SandboxLauncher) -> Probe:
    """Examine every layer of the level that a launcher has, in every way to start a bot."""
    found = _examine(launcher, _CANARY)
    if launcher.forks is None or found.missing:
        return found
    other = _examine(launcher, _SPAWNED)
    return other if other.missing else found


def _examine(launcher: SandboxLauncher, canary: BotCommand) -> Probe:
    try:
        bot = launcher.start(canary, seat=0, limits=_LIMITS)
    except LaunchFailed as error:
        return _without(launcher.level, _layer_named_in(str(error)), str(error))
    try:
        facts = _read_facts(bot)
        findings = tuple(_findings(launcher, bot, facts))
    except (OSError, ValueError) as error:
        reason = f"the canary gave no answer: {error}"
        return _without(launcher.level, _layer_named_in(reason), reason)
    finally:
        bot.stop()
    return Probe(level=launcher.level, findings=findings)


def _without(level: SandboxLevel, layer: Layer, reason: str, *, remedy: str = "") -> Probe:
    """Return a probe that ends at a missing layer."""
    remedy = remedy or _REMEDIES[layer]
    found = {layer: Finding(layer=layer, state=State.MISSING, detail=reason, remedy=remedy)}
    rest = "because another layer is missing"
    return Probe(
        level=level,
        findings=tuple(
            found.get(each, Finding(layer=each, state=State.NOT_CHECKED, detail=rest))
            for each in Layer
        ),
    )


def _layer_named_in(message: str) -> Layer:
    """Return the layer that the message of a failed start names."""
    words = {"seccomp": Layer.SYSCALLS, "rlimit": Layer.RLIMITS, "uid": Layer.IDENTITY}
    lowered = message.lower()
    return next((layer for word, layer in words.items() if word in lowered), Layer.FILESYSTEM)


def _read_facts(bot: SandboxedBot) -> Facts:
    deadline = time.monotonic() + _ANSWER_TIMEOUT_S
    text = b""
    while b"\n" not in text:
        left = max(0.0, deadline - time.monotonic())
        if not select.select([bot.stdout], [], [], left)[0]:
            raise TimeoutError(f"nothing within {_ANSWER_TIMEOUT_S:g} s")
        part = os.read(bot.stdout, 65536)
        if not part:
            raise OSError(os.read(bot.stderr, 4096).decode(errors="replace").strip())
        text += part
    facts: Facts = json.loads(text)
    return facts


def _findings(launcher: SandboxLauncher, bot: SandboxedBot, facts: Facts) -> Iterator[Finding]:
    level = launcher.level
    checks: dict[Layer, Callable[[], Iterator[str]]] = {
        Layer.IDENTITY: lambda: _identity(bot),
        Layer.NAMESPACES: lambda: _namespaces(bot),
        Layer.FILESYSTEM: lambda: _filesystem(facts),
        Layer.RLIMITS: lambda: _rlimits(launcher, facts),
        Layer.WATCHDOG: lambda: _watchdog(bot),
        Layer.CGROUP: lambda: _cgroup(bot),
        # This check comes last, because it ends the bot.
        Layer.SYSCALLS: lambda: _syscalls(bot, facts),
    }
    if level is SandboxLevel.LANDLOCK:
        del checks[Layer.NAMESPACES]
    if launcher.cgroups is None:
        del checks[Layer.CGROUP]
    found = {layer: _finding(layer, list(check())) for layer, check in checks.items()}
    found |= {each.layer: each for each in _unused_layers(launcher)}
    yield from (found[layer] for layer in Layer)


def _unused_layers(launcher: SandboxLauncher) -> Iterator[Finding]:
    """Yield the findings about layers that this level does without, and the outer one."""
    detail = "the deployment's: gVisor or Kata, network policy"
    yield Finding(layer=Layer.OUTER, state=State.NOT_CHECKED, detail=detail)
    yield _memory(launcher)
    yield _forks(launcher)
    if launcher.level is SandboxLevel.LANDLOCK:
        detail = "Landlock replaces them"
        yield Finding(layer=Layer.NAMESPACES, state=State.NOT_USED, detail=detail)
    lacking, remedy = launcher.no_cgroups, ""
    if lacking is not None:
        if not outlive_bots():
            remedy = _REMEDY_FOR_KILLS
        yield Finding(
            layer=Layer.CGROUP,
            state=State.NOT_USED,
            detail=f"{lacking.reason}; bots are single processes, whose limits are "
            "exact without groups",
            remedy=" ".join(filter(None, (lacking.remedy, remedy))),
        )


def _memory(launcher: SandboxLauncher) -> Finding:
    if launcher.memory is not None:
        return Finding(layer=Layer.MEMORY, state=State.OK, detail=_PROMISES[Layer.MEMORY])
    detail = "bots can leave notes for their next match in the host's cache of absent names"
    remedy = _REMEDIES[Layer.MEMORY]
    return Finding(layer=Layer.MEMORY, state=State.NOT_USED, detail=detail, remedy=remedy)


def _forks(launcher: SandboxLauncher) -> Finding:
    forks = launcher.forks
    if forks is not None and forks.are_used:
        return Finding(
            layer=Layer.FORK_SERVER, state=State.OK, detail=_PROMISES[Layer.FORK_SERVER]
        )
    refusal = forks.refusal if forks is not None else ""
    detail = (
        f"each bot starts a Python of its own; {refusal or 'forks need memory and namespaces'}"
    )
    return Finding(
        layer=Layer.FORK_SERVER,
        state=State.NOT_USED,
        detail=detail,
        remedy=_REMEDIES[Layer.FORK_SERVER],
    )


_REMEDY_FOR_KILLS = (
    "When this container's memory is used up, the kernel ends the worker with its bots"
    " (memory.oom.group): set `singleProcessOOMKill: true` in the kubelet's configuration, and"
    " leave room for one bot of twice its memory limit."
)

_PROMISES = {
    Layer.IDENTITY: "bots have a host user without rights",
    Layer.NAMESPACES: "bots see no process, network or host name but their own",
    Layer.FILESYSTEM: "read-only except for a small scratch folder; no host files",
    Layer.MEMORY: "bots see copies in memory, which keep no trace of a match",
    Layer.SYSCALLS: "allow-list; no fork, no network; forbidden calls kill",
    Layer.RLIMITS: "set and in force",
    Layer.WATCHDOG: "CPU, memory and scratch of a bot can be read",
    Layer.FORK_SERVER: "Python bots are forks of a warm Python, each in namespaces of its own",
    Layer.CGROUP: "bots that start processes are held in a group; others need none",
}

_REMEDIES = dict.fromkeys(Layer, "`python -m workers.sandbox` shows every layer.") | {
    Layer.IDENTITY: "Run the worker as an ordinary user, or as root with 4096 uids from 60000 up.",
    Layer.NAMESPACES: "Allow user namespaces for the workers, or use the level landlock.",
    Layer.FILESYSTEM: "Let the worker mount in its user namespace: allow mount and pivot_root.",
    Layer.MEMORY: "Use the level namespaces and a tmpfs, without noexec, at /tmp or /dev/shm.",
    Layer.FORK_SERVER: "Let the worker nest user namespaces: allow unshare, and more of them.",
    Layer.SYSCALLS: "Use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER).",
    Layer.RLIMITS: "Do not lower the worker's own limits.",
    Layer.WATCHDOG: "Run the worker as an ordinary user, or as root with CAP_SYS_PTRACE.",
}


def _finding(layer: Layer, problems: list[str]) -> Finding:
    if problems:
        detail, remedy = "; ".join(problems), _REMEDIES[layer]
        return Finding(layer=layer, state=State.MISSING, detail=detail, remedy=remedy)
    return Finding(layer=layer, state=State.OK, detail=_PROMISES[layer])


def _identity(bot: SandboxedBot) -> Iterator[str]:
    status = Path(f"/proc/{bot.pid}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in status)
    if "0" in fields["Uid"].split() or "0" in fields["Gid"].split():
        yield "a bot runs as root of the host"
    if int(fields["CapEff"], 16):
        yield "a bot has capabilities"


def _namespaces(bot: SandboxedBot) -> Iterator[str]:
    for name in _NAMESPACES:
        ours, theirs = Path(f"/proc/self/ns/{name}"), Path(f"/proc/{bot.pid}/ns/{name}")
        if name not in _OPTIONAL_NAMESPACES and ours.readlink() == theirs.readlink():
            yield f"a bot shares the worker's {name} namespace"


def _filesystem(facts: Facts) -> Iterator[str]:
    for access in ("write", "read"):
        for path, refusal in facts[access].items():
            if refusal is None:
                yield f"a bot can {access} {path}"
    if facts["scratch"] is not None:
        yield f"a bot cannot write its scratch folder: {facts['scratch']}"


def _rlimits(launcher: SandboxLauncher, facts: Facts) -> Iterator[str]:
    wanted = rlimits(_LIMITS, reserved_mb=profile_of(_CANARY).reserved_mb)
    if launcher.cgroups is not None:
        wanted = with_one_more_task(wanted)
    for name, (soft, hard) in wanted.items():
        found = facts["rlimits"].get(name, [soft, hard])
        shared_user = launcher.level is SandboxLevel.LANDLOCK and name == "nproc"
        if not shared_user and found != [soft, hard]:
            yield f"{name} is {found[0]}, not {soft}"


def _watchdog(bot: SandboxedBot) -> Iterator[str]:
    try:
        now = bot.footprint()
    except OSError as error:
        yield f"a bot cannot be watched ({error}); run the workers as an ordinary user"
        return
    if bot.cpu_s() <= 0.0:
        yield "a bot's CPU clock stands still"
    if now.resident_bytes <= 0:
        yield "a bot's memory cannot be read"
    if now.scratch_files < 1:
        yield "a bot's scratch folder cannot be seen"


def _cgroup(bot: SandboxedBot) -> Iterator[str]:
    if bot.group is None or bot.pid not in bot.group.processes():
        yield "a bot is not in its group"


_EXPECTED_REFUSALS: dict[str, str | None] = {
    "fork": "EPERM",
    "setsid": "EPERM",
    "socket": "EACCES",
    "prctl": "EPERM",
    "unknown": "ENOSYS",
    "resume": "EPERM",
    "populate": "EINVAL",
    "share": "EPERM",
    "notify": "EINVAL",
    "unshare files": "EINVAL",
    # Locking seems to succeed, even for the second one to ask.
    "lock": None,
}


def _syscalls(bot: SandboxedBot, facts: Facts) -> Iterator[str]:
    for name, expected in _EXPECTED_REFUSALS.items():
        if facts["calls"][name] != expected:
            found, wanted = facts["calls"][name] or "no error", expected or "no error"
            yield f"{name} gives {found}, not {wanted}"
    os.write(bot.stdin, b"\n")
    select.select([bot.stdout], [], [], _ANSWER_TIMEOUT_S)
    verdict = bot.verdict(bot.stop())
    if verdict is None or verdict.kind is not FaultKind.SECURITY:
        yield "a forbidden call does not end a bot"
