"""What people hand in as JSON says one thing to every reader, or is refused with a sentence."""

import gzip
import json
from typing import Any

import pytest

from pentathlon_engines import strict_json
from pentathlon_engines.errors import BadJson, RepeatedField


@pytest.mark.parametrize("value", [None, 3, -0.5, "é", [], {"a": {"b": [1, 2]}, "c": {"b": 3}}])
def test_json_is_read_as_json_reads_it(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)

    assert strict_json.loads(text) == value
    assert strict_json.loads(text.encode()) == value
    assert strict_json.loads(text.encode("utf-8-sig")) == value


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"a": 1, "b": 2, "a": 1}', "'a'"),
        ('{"x": [{"seed": 1, "seed": 2}]}', "'seed'"),
        (r'{"a": 1, "\u0061": 2}', "'a'"),
    ],
)
def test_field_that_occurs_twice_is_named(text: str, field: str) -> None:
    with pytest.raises(RepeatedField, match=f"the field {field} occurs twice") as refused:
        strict_json.loads(text)

    assert refused.value.code == "repeated_field"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "Expecting value"),
        (b"no", "Expecting value"),
        (b"{} {}", "Extra data"),
        (b"[NaN]", "NaN is not a number of JSON"),
        (b"-Infinity", "-Infinity is not a number"),
        (b'"\xff"', "not UTF-8: byte 1"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5000, "integer string conversion"),
        (gzip.compress(b"{}", mtime=0), "packed with gzip; unpack it first"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_what_is_not_json_is_told_in_a_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(BadJson, match=sentence):
        strict_json.loads(data)
    with pytest.raises(ValueError, match=sentence):
        strict_json.loads(data)
