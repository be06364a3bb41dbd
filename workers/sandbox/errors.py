"""The layers of the sandbox, and what is raised where one is missing."""

from __future__ import annotations

from enum import StrEnum


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


class LayerMissing(Exception):
    """A layer of the sandbox is not available on this host."""

    code = "sandbox_layer_missing"

    def __init__(self, layer: str, *, reason: str, remedy: str) -> None:
        super().__init__(
            f"Sandbox layer '{layer}' is not available: {reason}. Untrusted bots will not run."
            f" {remedy}"
        )
        self.layer = layer
        self.reason = reason
        self.remedy = remedy
