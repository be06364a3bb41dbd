import gzip
import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import light_json, strict_json
from pentathlon_engines.errors import BadJson, RepeatedField

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_value_is_read_as_json_reads_it(value: object) -> None:
    text = json.dumps(value)

    assert light_json.loads(text) == value
    assert light_json.loads(f" {text}\r\n".encode()) == value


@given(st.dictionaries(st.text(), st.text()))
def test_texts_are_written_as_json_writes_them(message: dict[str, str]) -> None:
    assert light_json.dumps(message) == json.dumps(message, separators=(",", ":"))


@pytest.mark.parametrize("text", ["", " ", "{", '{"a":}', "[1,]", "1 2", "nul", '"a', "\x00"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # in the words of the C code
        light_json.loads(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        light_json.loads(b'"\xff"')


def test_constants_are_read_as_json_reads_them() -> None:
    found = light_json.loads("[Infinity, -Infinity, NaN]")

    assert found[:2] == [math.inf, -math.inf]
    assert math.isnan(found[2])


def test_bot_loads_no_json_and_no_regular_expressions() -> None:
    source = (
        "import sys\nimport pentathlon_engines.bot\nimport pentathlon_engines\n"
        "pentathlon_engines.GAMES['tuned'].start()\n"
        "print(sorted({'json', 're', 'enum', 'random', 'asyncio'} & set(sys.modules)))\n"
    )

    ended = subprocess.run(
        [sys.executable, "-s", "-S", "-c", source],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    assert ended.stdout == "[]\n"


def test_python_without_the_c_code_uses_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)

    scan, quoted = light_json._scanner()

    assert scan('{"a": [1]}', 0) == ({"a": [1]}, 10)
    assert quoted('"') == '"\\""'


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
