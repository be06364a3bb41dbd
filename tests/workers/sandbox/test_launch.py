"""How a launcher listens to what it starts."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO

import pytest

from tests.patience import PATIENCE_S
from workers.sandbox.isolation import launch
from workers.sandbox.isolation.launch import end_failed, pipe, read_until


@pytest.fixture
def ends() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    with ExitStack() as undo:
        yield pipe(undo)


def test_answer_is_read_up_to_its_end(ends: tuple[IO[bytes], IO[bytes]]) -> None:
    reading, writing = ends
    writing.write(b'{"child-pid": 7}')

    assert read_until(reading, b"}") == b'{"child-pid": 7}'


def test_answer_ends_with_who_gives_it(ends: tuple[IO[bytes], IO[bytes]]) -> None:
    reading, writing = ends
    writing.write(b"half")
    writing.close()

    assert read_until(reading, b"}") == b"half"


def test_silence_is_an_error_that_says_how_long_it_lasted(
    ends: tuple[IO[bytes], IO[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "START_TIMEOUT_S", 0.01)

    with pytest.raises(TimeoutError, match=r"no answer from the sandbox within 0\.01 s"):
        read_until(ends[0], b"}")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("echo no room >&2; exec sleep 60", "no room", id="its own words"),
        pytest.param("exec sleep 60", "it ended with status -9", id="its status"),
    ],
)
def test_child_that_failed_is_ended_and_explained(script: str, said: str) -> None:
    with subprocess.Popen(["/bin/sh", "-c", script], stderr=subprocess.PIPE) as child:
        assert child.stderr is not None
        if "echo" in script:
            select.select([child.stderr], [], [], PATIENCE_S)

        assert end_failed(child) == said
