"""The queues of hints, and Celery's settings for all who send or follow them.

Free of Django: workers without keys read it. A message is only a hint: the database owns every
match, so nothing is acknowledged late, stored as a result or kept for anybody who did not ask.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from collections.abc import Collection
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from pentathlon.core.errors import InvalidInput
from pentathlon.env import BadEnvironment, Environment, Mode, checked_address, read_environment
from pentathlon.fleet.announcements import MOVE_BOTS

FRIENDLIES: Final = "friendly"
"""The queue of friendlies in which a bot is to move."""
MATCHES: Final = "match"
"""The queue of everything else that somebody waits for."""
LADDERS: Final = "ladder"
"""The queue of matches that are played where nothing else waits."""
QUEUES: Final = (FRIENDLIES, MATCHES, LADDERS)
"""The order in which a free slot looks: few friendlies are sent, and people wait for them."""
_Options = dict[str, Any]  # Any: Celery's own shape
WORKER: Final = "worker"
SHORTEST_PASSWORD: Final = 20
_NEVER: Final = re.compile(r"[^\x21-\x7e]")


def broker(environment: Environment) -> tuple[list[str], _Options, _Options | None]:
    """Return the addresses of the brokers, in order, with the options of transport and TLS.

    A worker that asks a site over HTTP may do without a broker: the site answers in its place.
    """
    if environment.server:
        brokers = [f"site://{urlsplit(environment.server).hostname}"]
        if environment.worker_broker is not None:
            url = checked_address(
                "PENTATHLON_WORKER_BROKER",
                environment.worker_broker,
                like="rediss://worker:password@host:6379/0",
                shows="the password of the queues",
                switch="PENTATHLON_PLAIN_BROKER",
                is_allowed=environment.plain_broker,
            )
            brokers.insert(0, url)
        return brokers, _OF_REDIS, _tls(brokers[0])
    if environment.redis_url is None:
        folder = environment.data / "queue"
        folder.mkdir(parents=True, exist_ok=True)
        names = ("data_folder_in", "data_folder_out", "control_folder")
        return ["filesystem://"], dict.fromkeys(names, str(folder)), None
    parts = urlsplit(environment.redis_url)
    if parts.scheme == "unix":
        number = dict(parse_qsl(parts.query)).get("db", "0")
        return [f"redis+socket://{parts.path}?virtual_host={number}"], _OF_REDIS, None
    if parts.scheme not in {"redis", "rediss"}:
        raise BadEnvironment("REDIS_URL", "must start with redis://, rediss:// or unix:///.")
    return [environment.redis_url], _OF_REDIS, _tls(environment.redis_url)


def _tls(url: str) -> _Options | None:
    """Return the options of TLS: kombu would believe any certificate."""
    if not url.startswith("rediss:"):
        return None
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}


_OF_REDIS: Final[_Options] = {
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 10,
    "retry_on_timeout": True,
}

# What follows is read by Celery; its names are those of its settings.

_environment = read_environment()
_is_watched = _environment.mode is Mode.LOCAL and _environment.server is None
_has_redis = bool(_environment.worker_broker if _environment.server else _environment.redis_url)
_brokers, broker_transport_options, broker_use_ssl = broker(_environment)
broker_url = ";".join(_brokers)
task_default_queue = MATCHES
task_queues = {name: {"exchange": name, "routing_key": name} for name in QUEUES}
task_routes = {MOVE_BOTS: {"queue": FRIENDLIES, "routing_key": FRIENDLIES}}
result_backend = None
task_ignore_result = True
task_acks_late = False
task_serializer = "json"
accept_content = ["json"]
task_publish_retry_policy = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
}
broker_connection_retry_on_startup = True
broker_connection_max_retries = None
worker_prefetch_multiplier = 1
worker_disable_prefetch = _has_redis or _environment.server is not None
"""The transport of files does not support it."""
worker_max_tasks_per_child = 500
worker_max_memory_per_child = 400_000  # KiB
worker_proc_alive_timeout = 20
worker_cancel_long_running_tasks_on_connection_loss = False
worker_hijack_root_logger = False
# A worker of production only takes, so nobody hears it: gauges of the site tell what it does.
worker_send_task_events = _is_watched
worker_enable_remote_control = _is_watched
timezone = "UTC"
# What is left here is shown to whoever watches a worker, and the environment holds secrets.
del _environment


def acl_file(*, platform_password: str, worker_password: str, queues: Collection[str]) -> str:
    """Return an ACL file, with the passwords as digests."""
    if platform_password == worker_password:
        raise InvalidInput("The platform and its workers must have different passwords.")
    everything = f"user default on {_digest(platform_password)} ~* &* +@all"
    return f"{everything}\n{worker_line(password=worker_password, queues=queues)}\n"


def worker_line(*, password: str, queues: Collection[str]) -> str:
    """Return the rule of the user with whom workers read the queues.

    The user can take messages from these lists, in any database of the server. It cannot add
    messages, see other keys, hear a channel or ask who else is connected. A thief of its password
    can make hints vanish until the reconciler sends them again, and nothing else.

    `brpop` takes. With the others a client opens a connection: it says who it is (`hello`, `auth`,
    `client|setinfo`), chooses a database (`select`) and asks whether the server lives (`ping`).
    """
    keys = " ".join(f"~{queue}" for queue in queues)
    allowed = "-@all +brpop +auth +hello +client|setinfo +select +ping"
    return f"user {WORKER} on {_digest(password)} resetkeys {keys} resetchannels {allowed}"


def _digest(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD or _NEVER.search(password):
        raise InvalidInput(
            f"A password has at least {SHORTEST_PASSWORD} characters, without spaces.",
            code="weak_password",
        )
    return f"#{hashlib.sha256(password.encode()).hexdigest()}"
