import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import light_json

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
