"""Finds out, layer by layer, whether this host can hold an untrusted bot."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pentathlon_engines.faults import FaultKind
from pentathlon_engines.launcher import BotCommand, LaunchFailed, SandboxLevel
from pentathlon_engines.limits import Limits
from workers.sandbox.errors import LayerMissing
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.rlimits import rlimits

_CANARY = BotCommand(
    folder=Path(__file__).with_name("canary"),
    argv=("{python}", "-s", "-S", "-B", "-u", "{bot}/main.py", "{bot}"),
)
_LIMITS = Limits()
_ANSWER_TIMEOUT_S = 10.0
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
_OPTIONAL_NAMESPACES = {"cgroup"}

Facts = dict[str, Any]
"""What the canary wrote: a JSON object."""


class Layer(StrEnum):
    """The parts of the sandbox, from the inside out."""

    IDENTITY = "identity"
    NAMESPACES = "namespaces"
    FILESYSTEM = "filesystem"
    SYSCALLS = "syscalls"
    RLIMITS = "rlimits"
    WATCHDOG = "watchdog"
    CGROUP = "cgroup"
    OUTER = "outer"


class State(StrEnum):
    """Whether a layer holds."""

    OK = "ok"
    MISSING = "missing"
    NOT_USED = "not used"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found about one layer."""

    layer: Layer
    state: State
    detail: str


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


def probe(level: SandboxLevel = SandboxLevel.NAMESPACES) -> Probe:
    """Examine every layer of one level with a bot that tries to break it."""
    try:
        launcher = SandboxLauncher(level)
    except LayerMissing as error:
        return _without(level, Layer(error.layer), f"{error.reason}. {error.remedy}")
    try:
        return examine(launcher)
    finally:
        launcher.close()


def examine(launcher: SandboxLauncher) -> Probe:
    """Examine every layer of the level that a launcher has."""
    try:
        bot = launcher.start(_CANARY, seat=0, limits=_LIMITS)
    except LaunchFailed as error:
        return _without(launcher.level, _blamed(str(error)), str(error))
    try:
        facts = _read_facts(bot)
        findings = tuple(_findings(launcher.level, bot, facts))
    except (OSError, ValueError) as error:
        reason = f"the canary gave no answer: {error}"
        return _without(launcher.level, _blamed(reason), reason)
    finally:
        bot.stop()
    return Probe(level=launcher.level, findings=findings)


def _without(level: SandboxLevel, layer: Layer, reason: str) -> Probe:
    """Return a probe that ends at a missing layer."""
    found = {layer: Finding(layer=layer, state=State.MISSING, detail=reason)}
    rest = "because another layer is missing"
    return Probe(
        level=level,
        findings=tuple(
            found.get(each, Finding(layer=each, state=State.NOT_CHECKED, detail=rest))
            for each in Layer
        ),
    )


def _blamed(message: str) -> Layer:
    """Name the layer that a failed start speaks of."""
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


def _findings(level: SandboxLevel, bot: SandboxedBot, facts: Facts) -> Iterator[Finding]:
    checks: dict[Layer, Callable[[], Iterator[str]]] = {
        Layer.IDENTITY: lambda: _identity(bot),
        Layer.NAMESPACES: lambda: _namespaces(bot),
        Layer.FILESYSTEM: lambda: _filesystem(facts),
        Layer.RLIMITS: lambda: _rlimits(level, facts),
        Layer.WATCHDOG: lambda: _watchdog(bot),
        # Last, because it ends the bot.
        Layer.SYSCALLS: lambda: _syscalls(bot, facts),
    }
    unused = {
        Layer.CGROUP: (State.NOT_USED, "a bot is one process, so its limits are exact without"),
        Layer.OUTER: (State.NOT_CHECKED, "the deployment's: gVisor or Kata, network policy"),
    }
    if level is SandboxLevel.LANDLOCK:
        del checks[Layer.NAMESPACES]
        unused[Layer.NAMESPACES] = (State.NOT_USED, "Landlock stands in for them")
    found = {layer: _finding(layer, list(check())) for layer, check in checks.items()}
    for layer, (state, detail) in unused.items():
        found[layer] = Finding(layer=layer, state=state, detail=detail)
    yield from (found[layer] for layer in Layer)


_PROMISES = {
    Layer.IDENTITY: "bots have a host user without rights",
    Layer.NAMESPACES: "bots see no process, network or host name but their own",
    Layer.FILESYSTEM: "read-only but for a small scratch folder; no host files",
    Layer.SYSCALLS: "allow-list; no fork, no network; forbidden calls kill",
    Layer.RLIMITS: "set and in force",
    Layer.WATCHDOG: "CPU, memory and scratch of a bot can be read",
}


def _finding(layer: Layer, problems: list[str]) -> Finding:
    if problems:
        return Finding(layer=layer, state=State.MISSING, detail="; ".join(problems))
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


def _rlimits(level: SandboxLevel, facts: Facts) -> Iterator[str]:
    for name, (soft, hard) in rlimits(_LIMITS, language=_CANARY.language).items():
        found = facts["rlimits"].get(name, [soft, hard])
        shared_user = level is SandboxLevel.LANDLOCK and name == "nproc"
        if not shared_user and found != [soft, hard]:
            yield f"{name} is {found[0]}, not {soft}"


def _watchdog(bot: SandboxedBot) -> Iterator[str]:
    try:
        now = bot.burden()
    except OSError as error:
        yield f"a bot cannot be watched ({error}); run the workers as an ordinary user"
        return
    if bot.cpu_s() <= 0.0:
        yield "a bot's CPU clock stands still"
    if now.resident_bytes <= 0:
        yield "a bot's memory cannot be read"
    if now.scratch_files < 1:
        yield "a bot's scratch folder cannot be seen"


_EXPECTED_REFUSALS = {
    "fork": "EPERM",
    "setsid": "EPERM",
    "socket": "EACCES",
    "prctl": "EPERM",
    "unknown": "ENOSYS",
}


def _syscalls(bot: SandboxedBot, facts: Facts) -> Iterator[str]:
    for name, expected in _EXPECTED_REFUSALS.items():
        if facts["calls"][name] != expected:
            yield f"{name} gives {facts['calls'][name] or 'no error'}, not {expected}"
    os.write(bot.stdin, b"\n")
    select.select([bot.stdout], [], [], _ANSWER_TIMEOUT_S)
    verdict = bot.verdict(bot.stop())
    if verdict is None or verdict.kind is not FaultKind.SECURITY:
        yield "a forbidden call does not end a bot"
