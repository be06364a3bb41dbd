from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.checks import ERROR, INFO, WARNING, run_checks
from django.core.management import call_command

from pentathlon_engines.match.launcher import SandboxLevel
from workers import checks
from workers.apps import WorkersConfig
from workers.checks import TAG, check_sandbox
from workers.sandbox.errors import Layer
from workers.sandbox.probe import Finding, Probe, State


def probed(level: SandboxLevel, *missing: Layer) -> Probe:
    return Probe(
        level=level,
        findings=tuple(
            Finding(
                layer=layer,
                state=State.MISSING if layer in missing else State.OK,
                detail="seen",
                remedy="mend it",
            )
            for layer in Layer
        ),
    )


def test_django_finds_the_check_by_its_name() -> None:
    """Nothing else imports it: see `WorkersConfig.ready`."""
    assert check_sandbox.__module__ == f"{WorkersConfig.name}.checks"


def test_check_shows_every_layer_of_this_machine() -> None:
    printed = StringIO()

    call_command("check", tags=[TAG], deploy=True, fail_level="CRITICAL", stderr=printed)

    assert all(layer in printed.getvalue() for layer in Layer)


def test_other_commands_start_no_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "probe_down_to", lambda least: pytest.fail("it was probed"))

    assert [told for told in run_checks() if (told.id or "").startswith("workers.")] == []


@pytest.mark.parametrize(
    ("found", "levels"),
    [
        ([probed(SandboxLevel.NAMESPACES)], [INFO]),
        (
            [probed(SandboxLevel.NAMESPACES, Layer.NAMESPACES), probed(SandboxLevel.LANDLOCK)],
            [WARNING, INFO],
        ),
        ([probed(SandboxLevel.NAMESPACES, Layer.SYSCALLS)], [ERROR]),
    ],
)
def test_message_follows_what_was_found(
    monkeypatch: pytest.MonkeyPatch, found: list[Probe], levels: list[int]
) -> None:
    monkeypatch.setattr(checks, "probe_down_to", lambda least: found)

    told = check_sandbox(None)

    assert [message.level for message in told] == levels
    for message, each in zip(told, found, strict=True):
        assert (each.missing is None) == (message.hint is None)
        assert "mend it" in (message.hint or "mend it")


def test_production_settles_for_nothing_less(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(least: SandboxLevel) -> list[Probe]:
        return [probed(least, Layer.NAMESPACES)]

    monkeypatch.setattr(checks, "probe_down_to", refused)
    settings.PRODUCTION, settings.SANDBOX_LEVEL = True, None

    (message,) = check_sandbox(None)

    assert message.level == ERROR
    assert message.msg.startswith("Sandbox level 'namespaces': refused")
