"""JSON for bots: does what `json` does, but imports in a fraction of the time.

`import json` takes half of the time in which Python starts, because it loads regular expressions
and enumerations. The C code that does the work needs neither. Where Python lacks this C code, we
use `json` itself.

>>> loads(b'{"legal": ["a1", 2.5, null]}')
{'legal': ['a1', 2.5, None]}
>>> dumps({"action": "add dog b2"})
'{"action":"add dog b2"}'
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Reading:
    """The settings that the scanner reads; the defaults of `json`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> float:
        """Return a number that Python has and JSON has not: NaN or an infinity."""
        return float(name.replace("Infinity", "inf"))


_SPACE = " \t\n\r"


def _scanner() -> tuple[Callable[[str, int], tuple[Any, int]], Callable[[str], str]]:
    try:
        from _json import encode_basestring_ascii, make_scanner  # noqa: PLC0415  # see the module
    except ImportError:
        from json import JSONDecoder, dumps  # noqa: PLC0415  # see the module

        return JSONDecoder().raw_decode, dumps
    return make_scanner(_Reading()), encode_basestring_ascii  # type: ignore[arg-type]  # anything with these attributes will do


_scan, _quoted = _scanner()


def loads(data: bytes | str) -> Any:  # Any: JSON
    """Read one JSON value; raise `ValueError` for anything else."""
    text = (data if isinstance(data, str) else data.decode()).strip(_SPACE)
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError("no JSON value") from error
    if end != len(text):
        raise ValueError(f"text follows the JSON value at character {end}")
    return value


def dumps(message: dict[str, str]) -> str:
    """Write an object whose values are texts."""
    fields = [f"{_quoted(name)}:{_quoted(text)}" for name, text in message.items()]
    return f"{{{','.join(fields)}}}"


def read_data(module_file: str, name: str) -> Any:  # JSON; each game knows its own files
    """Return the JSON file `name` from the folder of a module.

    It avoids `pathlib` and `importlib.resources`, because bots would wait for their import.
    """
    path = os.path.join(os.path.dirname(module_file), name)  # noqa: PTH118, PTH120  # see above
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  # see above
        return loads(file.read())
