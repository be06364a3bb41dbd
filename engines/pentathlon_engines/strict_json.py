"""JSON that people hand in: one value for each field, and a sentence for everything else.

`json` keeps the last of two fields with one name and reads numbers that JSON does not have, so
two readers could see different things in one file.

>>> loads('{"seed": 7}')
{'seed': 7}
>>> loads('{"seed": 7, "seed": 8}')
Traceback (most recent call last):
...
pentathlon_engines.errors.RepeatedField: the field 'seed' occurs twice in one object
"""

import json
from typing import Any, NoReturn

from pentathlon_engines.errors import BadJson, RepeatedField

GZIP = b"\x1f\x8b"
"""How a file that is packed with gzip begins."""


def loads(data: bytes | str) -> Any:  # Any: JSON
    """Return the one JSON value in a text.

    Raises:
        BadJson: it is not JSON; or it is a `RepeatedField`.
    """
    if isinstance(data, bytes) and data.startswith(GZIP):
        raise BadJson("it is packed with gzip; unpack it first")
    try:
        return json.loads(data, object_pairs_hook=_object, parse_constant=_constant)
    except BadJson:
        raise
    except UnicodeDecodeError as error:
        raise BadJson(f"it is not UTF-8: byte {error.start} is not part of a character") from error
    except RecursionError as error:
        raise BadJson("its lists and objects are nested too deeply") from error
    except ValueError as error:
        raise BadJson(str(error)) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # Any: JSON
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in fields if names.count(name) > 1)
        raise RepeatedField(f"the field {twin!r} occurs twice in one object")
    return fields


def _constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not a number of JSON")
