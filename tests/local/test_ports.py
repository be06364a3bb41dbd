import socket

import pytest

from pentathlon.local.servers import processes


def test_taken_port_gives_way_to_the_next_free_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]

        assert number < processes.free_port("127.0.0.1", number) < number + 50


@pytest.mark.parametrize("port", [-1, 0, 65_536, 99_999])
def test_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(processes.BadAddress, match=f"from 1 to 65535, not {port}"):
        processes.free_port("127.0.0.1", port)


@pytest.mark.parametrize("host", ["nowhere.invalid", "256.1.1.1", "x" * 300, ".."])
def test_unknown_host_is_refused(host: str) -> None:
    with pytest.raises(processes.BadAddress, match="is not an address"):
        processes.free_port(host, 8000)


def test_address_of_another_machine_is_refused() -> None:
    with pytest.raises(processes.BadAddress, match=r"Cannot listen on 192\.0\.2\.1, port 8000: "):
        processes.free_port("192.0.2.1", 8000)


def test_last_ports_are_tried_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_is_free", lambda host, port: False)

    with pytest.raises(processes.NoPort, match="Ports 65530 to 65535 are all taken"):
        processes.free_port("127.0.0.1", 65_530)


def test_no_free_port_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_is_free", lambda host, port: False)

    with pytest.raises(processes.NoPort, match="Ports 8000 to 8049 are all taken"):
        processes.free_port("127.0.0.1", 8000)
