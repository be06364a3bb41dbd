"""The layers of the sandbox, and the errors of hosts that lack what it needs."""

from __future__ import annotations

from enum import StrEnum


class Layer(StrEnum):
    """The parts of the sandbox, from the inside out."""

    IDENTITY = "identity"
    NAMESPACES = "namespaces"
    FILESYSTEM = "filesystem"
    MEMORY = "memory"
    """Bots see copies of the host's files in memory, which keep no trace of a match."""
    SYSCALLS = "syscalls"
    RLIMITS = "rlimits"
    WATCHDOG = "watchdog"
    CGROUP = "cgroup"
    FORK_SERVER = "fork_server"
    """Bots are forks of a warm process, whose addresses they share."""
    OUTER = "outer"


class HostDiskFull(Exception):
    """A bot ended on a host that had less room for its files than the bot was promised."""

    code = "host_disk_full"

    def __init__(self, *, promised_mb: int) -> None:
        super().__init__(
            f"The disk of the host was full while the bot ran: less was left than the"
            f" {promised_mb} MiB that a bot may write. Free some space there."
        )
        self.promised_mb = promised_mb


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
