"""`python3 manage.py check --deploy` shows how this machine isolates bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Info, Warning, register  # noqa: A004  # Django's

from pentathlon.fleet.capabilities import least_sandbox
from workers.sandbox.probe import Probe
from workers.sandbox.report import probe_down_to, table

TAG: Final = "sandbox"


# Only with --deploy, or every other command would wait for a bot to start.
@register(TAG, deploy=True)
def check_sandbox(
    app_configs: Sequence[AppConfig] | None,  # Django asks for it
    **_: Any,  # Any: whatever Django passes
) -> list[CheckMessage]:
    """Try every layer of the sandbox with a bot; an error means that no worker would start."""
    probes = probe_down_to(least_sandbox())
    return [_message(found, is_last=found is probes[-1]) for found in probes]


def _message(found: Probe, *, is_last: bool) -> CheckMessage:
    text = table(found).rstrip()
    missing = found.missing
    if missing is None:
        return Info(text, id="workers.I001")
    hint = f"{missing.layer}: {missing.remedy}"
    if is_last:
        return Error(text, hint=hint, id="workers.E001")
    return Warning(text, hint=hint, id="workers.W001")
