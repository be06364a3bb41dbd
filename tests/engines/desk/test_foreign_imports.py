"""Packages that a bot imports at its author's desk and cannot have anywhere else."""

from pathlib import Path

import pytest

from pentathlon_engines.desk.foreign_imports import foreign_imports

SOURCE = """
import json, os.path, torch.nn
from pentathlon_engines.bot import play
from . import beside
from own import policy
import numpy as np


def late() -> None:
    import scipy
"""


@pytest.mark.parametrize(
    ("language", "found"),
    [
        ("python", ["numpy", "scipy", "torch"]),
        ("python-numpy", ["scipy", "torch"]),
        ("node", []),
    ],
)
def test_imports_that_no_worker_can_serve_are_found(
    tmp_path: Path, language: str, found: list[str]
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "main.py").write_text(SOURCE)
    (tmp_path / "old.py").write_text("print 'Python 2'")

    assert foreign_imports(tmp_path, language) == found
