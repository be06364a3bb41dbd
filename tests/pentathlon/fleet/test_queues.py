"""Where hints go, and by which broker a worker may take them."""

from __future__ import annotations

import json
import re
import ssl
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from kombu import Connection, Consumer, Exchange, Queue
from kombu.exceptions import OperationalError
from pytest_django.fixtures import Settings
from redis import Redis
from redis.exceptions import NoPermissionError

from pentathlon.core.errors import InvalidInput
from pentathlon.env import BadEnvironment, read_environment
from pentathlon.fleet.announcements import PLAY_MATCHES
from pentathlon.fleet.hints import messages
from pentathlon.fleet.queues import WORKER, acl_file, broker, worker_line
from workers.hint_transport import TakingTransport

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


PASSWORD = "p" * 40
QUEUE = "test_acl"
USER = f"{WORKER}-{uuid4().hex}"
"""A name of this test alone: all processes of this run share the users of the server."""


def url_of(password: str) -> str:
    """Return the address of the tests' server for the worker's user."""
    parts = urlsplit(str(settings.REDIS_URL))
    if parts.scheme == "unix":
        return str(settings.REDIS_URL).replace("unix://", f"unix://{USER}:{password}@")
    return parts._replace(netloc=f"{USER}:{password}@{parts.netloc.rpartition('@')[2]}").geturl()


@pytest.fixture
def owner() -> Iterator[Any]:  # Any: commands without types
    """Give the server to its owner, with a worker's user on it."""
    client: Any = Redis.from_url(str(settings.REDIS_URL), decode_responses=True)
    # In a line of an ACL file, the rules follow "user NAME".
    rules = worker_line(password=PASSWORD, queues=[QUEUE]).split()[2:]
    client.execute_command("ACL", "SETUSER", USER, "reset", *rules)
    yield client
    client.execute_command("ACL", "DELUSER", USER)
    client.delete(QUEUE)
    client.close()


def take(password: str) -> list[object]:
    """Take what is in the queue as a Celery worker does; return the ids of matches."""
    address = url_of(password).replace("unix://", "redis+socket://")
    address = address.replace("?db=", "?virtual_host=")
    taken: list[object] = []
    with Connection(address, transport_options={"polling_interval": 0.05}) as connection:
        # kombu remembers which transport a name stands for.
        connection.transport_cls = TakingTransport  # type: ignore[assignment]  # or a class
        queue = Queue(QUEUE, Exchange(QUEUE), routing_key=QUEUE)
        with Consumer(connection, [queue], no_ack=True) as consumer:
            consumer.register_callback(lambda body, message: taken.extend(body[0][0]))
            with suppress(TimeoutError):
                while True:
                    connection.drain_events(timeout=0.3)
    return taken


def test_worker_takes_hints_and_nothing_is_refused_on_the_way(owner: Any) -> None:
    (made,) = messages([(PLAY_MATCHES, [3, 4], {})])
    owner.lpush(QUEUE, json.dumps(made["message"]))
    owner.acl_log_reset()  # of what other tests attempt

    assert take(PASSWORD) == [3, 4]

    assert owner.llen(QUEUE) == 0
    refused = {each["object"] for each in owner.acl_log() if each["username"] == USER}
    assert refused == set()


def test_wrong_password_is_refused(owner: Any) -> None:
    with pytest.raises(OperationalError, match="invalid username-password"):
        take("x" * 40)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda redis: redis.lpush(QUEUE, "x"),
        lambda redis: redis.llen(QUEUE),
        lambda redis: redis.rename(QUEUE, "x"),
        lambda redis: redis.sadd(f"_kombu.binding.{QUEUE}", "x"),
        lambda redis: redis.pipeline().llen(QUEUE).execute(),
        lambda redis: redis.lrange(QUEUE, 0, -1),
        lambda redis: redis.delete(QUEUE),
        lambda redis: redis.brpop(["another"], timeout=1),
        lambda redis: redis.get("pentathlon:rate:people:1"),
        lambda redis: redis.set("x", "1"),
        lambda redis: redis.keys("*"),
        lambda redis: redis.publish("pentathlon:live:match:1", "x"),
        lambda redis: redis.execute_command("CONFIG", "GET", "*"),
        lambda redis: redis.execute_command("ACL", "LIST"),
        lambda redis: redis.execute_command("CLIENT", "LIST"),
        lambda redis: redis.execute_command("FLUSHALL"),
        lambda redis: redis.execute_command("INFO"),
        lambda redis: redis.execute_command("SUBSCRIBE", "x"),
        lambda redis: redis.eval("return 1", 0),
    ],
)
def test_worker_can_do_nothing_else(attempt: Callable[[Redis], object], owner: Redis) -> None:
    worker = Redis.from_url(url_of(PASSWORD))

    with pytest.raises(NoPermissionError):
        attempt(worker)

    worker.close()


def test_command_writes_a_file_that_only_its_owner_reads(
    tmp_path: Path, settings: Settings
) -> None:
    settings.REDIS_URL = f"redis://:{'s' * 30}@redis:6379/0"
    path = tmp_path / "users.acl"

    call_command("redis_acl", str(path))

    text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.findall(r"^user (\w+)", text, re.MULTILINE) == ["default", WORKER]
    assert "s" * 30 not in text
    with pytest.raises(FileExistsError):
        call_command("redis_acl", str(path))


def test_platform_without_a_password_gets_no_file(tmp_path: Path, settings: Settings) -> None:
    settings.REDIS_URL = "redis://redis:6379/0"

    with pytest.raises(CommandError, match="no password"):
        call_command("redis_acl", str(tmp_path / "users.acl"))


@pytest.mark.parametrize("password", ["short", "with space" * 3, "new\nline" * 4])
def test_password_that_could_be_guessed_or_break_the_file_is_refused(password: str) -> None:
    with pytest.raises(InvalidInput):
        acl_file(platform_password=PASSWORD, worker_password=password, queues=[QUEUE])


def test_platform_and_workers_have_different_passwords() -> None:
    with pytest.raises(InvalidInput, match="must have different passwords"):
        acl_file(platform_password=PASSWORD, worker_password=PASSWORD, queues=[QUEUE])
