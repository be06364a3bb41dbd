"""An example of every call: the request and the response.

`tests/api/test_examples.py` makes them and compares them with what the API answers.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypedDict

FOLDER: Final = Path(__file__).parents[1] / "examples"
"""The folder of the examples, with one file for each group of operations."""


class Example(TypedDict):
    """One call. Long lists and texts are cut, and secrets are left out."""

    path: dict[str, Any]  # Any: JSON, as in all of these
    query: dict[str, Any]
    body: Any
    status: int
    answer: Any
    """The body of the answer; null if it is empty or not text."""


@cache
def examples() -> Mapping[str, Example]:
    """Return all examples by the names of their operations."""
    found: dict[str, Example] = {}
    for file in sorted(FOLDER.glob("*.json")):
        found |= json.loads(file.read_text("utf-8"))
    return found


def add_example(operation: dict[str, Any]) -> None:
    """Add the example of an operation to its entry in the OpenAPI document, if there is one."""
    example = examples().get(operation["operationId"])
    if example is None:
        return
    for parameter in operation.get("parameters", ()):
        given = example["path" if parameter["in"] == "path" else "query"]
        if parameter["name"] in given:
            parameter["example"] = given[parameter["name"]]
    if example["body"] is not None and "requestBody" in operation:
        for content in operation["requestBody"]["content"].values():
            content["example"] = example["body"]
    answer = operation["responses"].get(str(example["status"]), {})
    if example["answer"] is not None:
        for content in answer.get("content", {}).values():
            content["example"] = example["answer"]
