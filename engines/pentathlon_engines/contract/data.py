"""Data files that lie beside the modules of a game."""

from __future__ import annotations

import os

from pentathlon_engines import light_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_data(module_file: str, name: str) -> Any:  # JSON; each game knows its own files
    """Return the JSON file `name` from the folder of a module.

    It avoids `pathlib`, `importlib.resources` and `json`, because bots would wait for their
    import.
    """
    path = os.path.join(os.path.dirname(module_file), name)  # noqa: PTH118, PTH120  # see above
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  # see above
        return light_json.loads(file.read())
