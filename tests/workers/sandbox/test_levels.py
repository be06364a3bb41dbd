"""Which sandbox level is chosen, by what the host allows and what is asked for."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pentathlon_engines.match.launcher import SandboxLevel
from workers.sandbox import levels
from workers.sandbox.errors import Layer, LayerMissing
from workers.sandbox.levels import choose_level, choose_probe, level_of
from workers.sandbox.probe import Finding, Probe, State
from workers.sandbox.report import probe_down_to, table

NAMESPACES, LANDLOCK, PROCESS = SandboxLevel


class Host:
    """A host on which some levels work; it remembers which were probed."""

    def __init__(self, *working: SandboxLevel) -> None:
        self._working = working
        self.probed: list[SandboxLevel] = []
        self.warnings: list[str] = []

    def probe(self, level: SandboxLevel = NAMESPACES) -> Probe:
        self.probed.append(level)
        state = State.OK if level in self._working else State.MISSING
        finding = Finding(
            layer=Layer.FILESYSTEM, state=state, detail="tried", remedy="Update the kernel."
        )
        return Probe(level=level, findings=(finding,))


class Case(NamedTuple):
    """What works, what is the least that is asked for, and what is chosen."""

    least: SandboxLevel
    chosen: SandboxLevel
    working: tuple[SandboxLevel, ...] = ()
    is_warned: bool = False


CASES = {
    "best": Case(working=(NAMESPACES, LANDLOCK), least=LANDLOCK, chosen=NAMESPACES),
    "best, though none is needed": Case(working=(NAMESPACES,), least=PROCESS, chosen=NAMESPACES),
    "second": Case(working=(LANDLOCK,), least=LANDLOCK, chosen=LANDLOCK, is_warned=True),
    "none": Case(least=PROCESS, chosen=PROCESS, is_warned=True),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_best_level_that_works_is_chosen(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(*case.working)
    monkeypatch.setattr(levels, "run_probe", host.probe)

    assert choose_level(least=case.least, warn=host.warnings.append) is case.chosen
    assert bool(host.warnings) is case.is_warned


@pytest.mark.parametrize(
    ("least", "probed"), [(NAMESPACES, [NAMESPACES]), (LANDLOCK, [NAMESPACES, LANDLOCK])]
)
def test_no_level_that_is_good_enough_is_an_error(
    least: SandboxLevel, probed: list[SandboxLevel], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host()
    monkeypatch.setattr(levels, "run_probe", host.probe)

    with pytest.raises(LayerMissing) as caught:
        choose_probe(least=least, warn=host.warnings.append)

    assert host.probed == probed
    assert caught.value.layer == "filesystem"
    assert all(
        f"level '{level}' lacks the layer 'filesystem'" in str(caught.value) for level in probed
    )


def test_level_below_the_least_is_not_probed(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(LANDLOCK)
    monkeypatch.setattr("workers.sandbox.report.run_probe", host.probe)

    assert [found.level for found in probe_down_to(NAMESPACES)] == [NAMESPACES]
    assert [found.level for found in probe_down_to(LANDLOCK)] == [NAMESPACES, LANDLOCK]


def test_no_probe_means_plain_processes() -> None:
    assert level_of(None) is PROCESS
    assert level_of(Host().probe(LANDLOCK)) is LANDLOCK


def test_table_shows_a_remedy_only_where_one_is_needed() -> None:
    good, bad = Host(NAMESPACES).probe(), Host().probe()

    assert table(good) == "Sandbox level 'namespaces': usable\n  filesystem  ok           tried\n"
    assert "namespaces': refused" in table(bad)
    assert table(bad).endswith("Update the kernel.\n")


def test_warning_goes_where_errors_go(capsys: pytest.CaptureFixture[str]) -> None:
    levels.print_warning("Bots run WITHOUT a sandbox.")

    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "WARNING: Bots run WITHOUT a sandbox.\n")
