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
