"""Where hints go, and by which broker a worker may take them."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import NamedTuple

import pytest

from pentathlon.env import BadEnvironment, read_environment
from pentathlon.fleet.queues import broker

SITE = {"PENTATHLON_SERVER": "https://example.org/games"}


def test_unix_socket_becomes_an_address_for_celery() -> None:
    urls, _, tls = broker(read_environment({"REDIS_URL": "unix:///run/valkey.sock?db=3"}))

    assert urls == ["redis+socket:///run/valkey.sock?virtual_host=3"]
    assert tls is None


def test_no_broker_means_files_in_the_data_folder(tmp_path: Path) -> None:
    urls, options, _ = broker(read_environment({"PENTATHLON_DATA": str(tmp_path)}))

    assert urls == ["filesystem://"]
    assert options["data_folder_in"] == options["data_folder_out"] == str(tmp_path / "queue")


def test_unknown_broker_is_refused() -> None:
    with pytest.raises(BadEnvironment, match="REDIS_URL must start with"):
        broker(read_environment({"REDIS_URL": "amqp://localhost"}))


def test_worker_without_a_broker_asks_its_site() -> None:
    assert broker(read_environment(SITE))[0] == ["site://example.org"]


class Address(NamedTuple):
    url: str
    is_allowed: bool = True
    is_plain: bool = False


@pytest.mark.parametrize(
    "address",
    [
        Address("rediss://worker:secret@broker:6379/0"),
        Address("redis://worker:secret@127.0.0.1:6379/0"),
        Address("redis://worker:secret@localhost:6379/0"),
        Address("redis://worker:secret@broker:6379/0", is_allowed=False),
        Address("redis://worker:secret@broker:6379/0", is_plain=True),
        Address("rediss://worker:secret@broker/0?ssl_cert_reqs=none", is_allowed=False),
        Address("unix:///run/redis.sock", is_allowed=False),
        Address("amqp://broker", is_allowed=False),
    ],
    ids=str,
)
def test_broker_of_another_host_is_reached_in_private_only(address: Address) -> None:
    variables = {**SITE, "PENTATHLON_WORKER_BROKER": address.url}
    environment = read_environment(
        {**variables, "PENTATHLON_PLAIN_BROKER": "1"} if address.is_plain else variables
    )

    if not address.is_allowed:
        with pytest.raises(BadEnvironment, match="PENTATHLON_WORKER_BROKER") as refused:
            broker(environment)
        assert "secret" not in str(refused.value)
        return
    urls, _, tls = broker(environment)
    assert urls == [address.url, "site://example.org"]
    is_checked = tls == {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}
    assert is_checked == address.url.startswith("rediss:")
