"""What can be wrong with the sandbox itself."""

from __future__ import annotations


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
