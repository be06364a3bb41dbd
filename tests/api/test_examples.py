"""Every call of the OpenAPI document is made in a small world, and answered as its example says.

`python3 manage.py test tests/api/test_examples.py -- --write-examples` writes them again where a
field or a type has changed.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

from api.documentation.schema import FOLDER, Example
from tests.api.examples import of_authors, of_everybody, of_organisers, of_workers
from tests.api.examples.asking import Call
from tests.api.examples.world import World, make_world
from tests.api.test_schema import COMMITTED
from tests.databases import made_once
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db

_DOCUMENT: dict[str, Any] = yaml.load(COMMITTED.read_bytes(), yaml.CSafeLoader)
OPERATIONS = {
    told["operationId"]: (method, path, told)
    for path, methods in _DOCUMENT["paths"].items()
    for method, told in methods.items()
}
CALLS = {
    **of_authors.CALLS,
    **of_everybody.CALLS,
    **of_organisers.CALLS,
    **of_workers.CALLS,
}
_SECRET: Final = re.compile(r"\b(ptl_|ptw_|whsec_)[\w+/=-]+")
_UUID: Final = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_ANY_UUID: Final = "123e4567-e89b-42d3-a456-426614174000"
_SECRET_FIELDS: Final = ("device_code", "new_password", "password")
_BY_PASSWORD: Final = {"password": "author", "guest": "guest"}
_MOST_ROWS: Final = 2
_LONGEST_TEXT: Final = 160
_MOST_LINES: Final = 4

world = made_once(make_world)


def test_every_operation_has_an_example_and_no_other_has() -> None:
    committed = {name for file in FOLDER.glob("*.json") for name in json.loads(file.read_text())}

    assert CALLS.keys() == OPERATIONS.keys()
    assert committed == OPERATIONS.keys()


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_call_is_answered_as_its_example_says(
    name: str, world: World, pytestconfig: pytest.Config
) -> None:
    group = OPERATIONS[name][2]["tags"][0]
    file = FOLDER / f"{group}.json"
    committed: dict[str, Example] = json.loads(file.read_text()) if file.exists() else {}

    made = _made(name, world)

    if pytestconfig.getoption("write_examples"):
        if name not in committed or not is_alike(made, committed[name]):
            committed[name] = made
            _write(file, committed)
        return
    assert name in committed, f"write the example: {__doc__}"
    assert differences(made, committed[name]) == [], f"write the examples anew: {__doc__}"


def test_nothing_secret_is_in_an_example() -> None:
    for file in FOLDER.glob("*.json"):
        assert not _SECRET.search(file.read_text()), file.name


def _write(file: Path, examples: Mapping[str, Example]) -> None:
    known = {name: examples[name] for name in sorted(examples) if name in OPERATIONS}
    file.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def _made(name: str, world: World) -> Example:
    """Make a call, check it against the document, and return it as an example; undo it all."""
    method, path, told = OPERATIONS[name]
    with transaction.atomic():
        call = CALLS[name](world)
        answer = _asked(call, method, path, world)
        transaction.set_rollback(True)
    assert answer.status_code < 300, answer.content
    body: Any = call.body
    if call.files:
        names = {field: [f"@{name}" for name, _ in files] for field, files in call.files.items()}
        sent = {field: value[0] if field == "archive" else value for field, value in names.items()}
        body = {**sent, **(call.body or {})}
    elif call.body is not None:
        _check(call.body, told["requestBody"]["content"]["application/json"]["schema"])
    return {
        "path": shown(json.loads(json.dumps(call.path, default=str))),
        "query": shown(call.query),
        "body": shown(json.loads(json.dumps(body, default=str))),
        "status": answer.status_code,
        "answer": _told_by(answer, told),
    }


def _asked(call: Call, method: str, path: str, world: World) -> Any:
    client = APIClient()
    if call.who in _BY_PASSWORD:
        pair = b64encode(f"{_BY_PASSWORD[call.who]}:{PASSWORD}".encode()).decode()
        client.credentials(HTTP_AUTHORIZATION=f"Basic {pair}")
    elif call.who == "browser":
        client.login(username=world.author.username, password=PASSWORD)
    elif call.who != "anonymous":
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {world.tokens[call.who]}")
    address = path.format(**call.path)
    if method == "get":
        return client.get(address, dict(call.query))
    if call.files:
        files = {
            field: [SimpleUploadedFile(name, data) for name, data in sent]
            for field, sent in call.files.items()
        }
        return client.post(address, {**(call.body or {}), **files}, format="multipart")
    return getattr(client, method)(address, call.body, format="json")


def _told_by(answer: Any, told: Mapping[str, Any]) -> Any:
    described = told["responses"][str(answer.status_code)]
    content = b"".join(answer) if answer.streaming else answer.content
    if not content:
        assert "content" not in described or answer.status_code == 204
        return None
    kind = answer.headers["Content-Type"].partition(";")[0]
    assert kind in described["content"]
    if kind in {"application/zip", "application/vnd.apache.parquet"}:
        return None
    if kind != "application/json":
        return shown(content.decode())
    body = json.loads(content)
    _check(body, described["content"][kind]["schema"])
    return shown(body)


def _check(value: Any, schema: Mapping[str, Any]) -> None:
    rules = {**_with_null(schema), "components": _SHAPES}
    errors = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in Draft202012Validator(rules).iter_errors(value)
    ]
    assert errors == []


def _with_null(told: Any) -> Any:
    """Return a schema in which what may be null by an older version of OpenAPI is so by this."""
    if isinstance(told, list):
        return [_with_null(each) for each in told]
    if not isinstance(told, Mapping):
        return told
    found = {name: _with_null(each) for name, each in told.items() if name != "nullable"}
    return {"anyOf": [found, {"type": "null"}]} if told.get("nullable") is True else found


_SHAPES: Final = _with_null(_DOCUMENT["components"])


def shown(value: Any) -> Any:
    """Return what an example has of a value: the beginnings of long lists and texts, no secret."""
    if isinstance(value, Mapping):
        return {
            name: "…" if name in _SECRET_FIELDS else shown(each) for name, each in value.items()
        }
    if isinstance(value, list):
        return [shown(each) for each in value[:_MOST_ROWS]]
    if not isinstance(value, str):
        return value
    lines = _UUID.sub(_ANY_UUID, _SECRET.sub(r"\1…", value)).splitlines()
    cut = [f"{line[:_LONGEST_TEXT]}…" if len(line) > _LONGEST_TEXT else line for line in lines]
    return "\n".join([*cut[:_MOST_LINES], *(["…"] if len(cut) > _MOST_LINES else [])])


def is_alike(made: Any, committed: Any) -> bool:
    return not [*differences(made, committed)]


def differences(made: Any, committed: Any, at: str = "") -> list[str]:
    """Return where two values have other fields or types; null stands for any of them."""
    return [*_differences(made, committed, at)]


def _differences(made: Any, committed: Any, at: str) -> Iterator[str]:
    if made is None or committed is None:
        return
    if isinstance(made, dict) and isinstance(committed, dict):
        yield from (f"{at}/{name}: only one has it" for name in made.keys() ^ committed.keys())
        for name in made.keys() & committed.keys():
            yield from _differences(made[name], committed[name], f"{at}/{name}")
    elif isinstance(made, list) and isinstance(committed, list):
        for number, (one, other) in enumerate(zip(made, committed, strict=False)):
            yield from _differences(one, other, f"{at}/{number}")
    elif _kind(made) != _kind(committed):
        yield f"{at}: {_kind(made)}, not {_kind(committed)}"
    elif at == "/status" and made != committed:
        yield f"{at}: {made}, not {committed}"


def _kind(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if is_number else type(value).__name__


@pytest.mark.parametrize(
    ("made", "committed", "is_so"),
    [
        ({"a": 1, "b": [1, 2]}, {"a": 2.5, "b": []}, True),
        ({"a": None}, {"a": "x"}, True),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        ([{"a": 1}], [{"b": 1}], False),
        ({"status": 200}, {"status": 201}, False),
    ],
    ids=str,
)
def test_examples_are_alike_by_fields_and_types(made: Any, committed: Any, is_so: bool) -> None:
    assert is_alike(made, committed) is is_so


def test_long_and_secret_things_are_left_out_of_examples() -> None:
    told = {"token": "ptl_5ec4e7", "rows": [1, 2, 3], "text": "x" * 500, "device_code": "abc"}

    assert shown(told) == {
        "token": "ptl_…",
        "rows": [1, 2],
        "text": "x" * _LONGEST_TEXT + "…",
        "device_code": "…",
    }
