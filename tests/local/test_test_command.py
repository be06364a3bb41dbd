from io import StringIO

import pytest
from django.core.management import CommandError

from pentathlon.local.management.commands.test import Command
from pentathlon.local.parts import NOT_HERE, Part


def summary(*codes: int) -> str:
    """Return what is told of parts that ended with these codes."""
    said = StringIO()
    parts = [Part(name=f"part-{number}", command=()) for number, _ in enumerate(codes)]
    Command(stdout=said, no_color=True).summarise(
        [(part, code, 1.0) for part, code in zip(parts, codes, strict=True)]
    )
    return said.getvalue()


def test_part_that_cannot_run_here_has_a_code_of_its_own() -> None:
    with pytest.raises(CommandError, match=r"Not run here: part-1\.") as refused:
        summary(0, NOT_HERE)

    assert refused.value.returncode == NOT_HERE


def test_part_that_fails_counts_more() -> None:
    with pytest.raises(CommandError, match=r"Failed: part-1\.") as refused:
        summary(NOT_HERE, 1)

    assert refused.value.returncode == 1


def test_parts_that_succeed_are_listed() -> None:
    assert summary(0) == "\nok     part-0           1.0 s\n"


def test_part_beside_the_others_speaks_when_it_has_ended(
    capfd: pytest.CaptureFixture[str],
) -> None:
    said = StringIO()
    parts = [
        Part(name=name, command=("sh", "-c", f"echo {name} speaks; exit {code}"), is_beside=beside)
        for name, code, beside in (("tests", 0, False), ("types", 1, True), ("sqlite", 0, True))
    ]

    ended = Command(stdout=said, no_color=True)._run_all(parts)

    assert [(part.name, code) for part, code, _ in ended] == [
        *(("tests", 0), ("types", 1), ("sqlite", 0)),
    ]
    assert capfd.readouterr().out == "tests speaks\n"
    assert "\n== types\ntypes speaks\n\n== sqlite\nsqlite speaks\n" in said.getvalue()
