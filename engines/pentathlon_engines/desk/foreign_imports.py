"""What the Python files of a bot import that bots cannot have, wherever the desk has it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from pentathlon_engines.languages import LANGUAGES


def foreign_imports(folder: Path, language: str) -> list[str]:
    """Return the top-level names of packages that no worker has, in alphabetical order.

    A name that any file or folder of the bot bears counts as its own.
    """
    if not language.startswith("python"):
        return []
    own = {path.name.partition(".")[0] for path in folder.rglob("*")}
    known = {*sys.stdlib_module_names, "pentathlon_engines", *LANGUAGES[language].packages, *own}
    found = {name for path in folder.rglob("*.py") for name in _imports(path)}
    return sorted(found - known)


def _imports(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):  # running it says more
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
