import socket

import pytest

from pentathlon.local import ports


def test_taken_port_gives_way_to_the_next_free_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]

        assert number < ports.free_port("127.0.0.1", number) < number + 50


def test_no_free_port_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_is_free", lambda host, port: False)

    with pytest.raises(ports.NoPort, match="Ports 8000 to 8049 are all taken"):
        ports.free_port("127.0.0.1", 8000)
