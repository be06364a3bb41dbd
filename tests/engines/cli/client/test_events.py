"""Messages of a stream, however its bytes arrive."""

import pytest

from pentathlon_engines.cli.client.http_site import lines_of, read_events

STREAM = 'id: 1-2\nevent: plies\ndata: {"text": "é"}\n\n: still here\n\ndata: {"ply": 4}\n\n'


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_pieces_of_any_size_give_the_same_messages(size: int) -> None:
    data = STREAM.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]

    first, second = read_events(lines_of(pieces))

    assert (first.name, first.id, first.data) == ("plies", "1-2", {"text": "é"})
    assert (second.name, second.id, second.data) == ("message", "", {"ply": 4})


def test_message_that_does_not_end_is_dropped() -> None:
    assert list(read_events(lines_of([b'data: {"ply": 4}\n']))) == []
    assert list(read_events(lines_of([b'data: {"ply": 4}\n\ndata: {"pl']))) != []


def test_line_may_end_as_on_windows() -> None:
    (event,) = read_events(lines_of([b'data: {"ply": 4}\r\n\r\n']))

    assert event.data == {"ply": 4}
