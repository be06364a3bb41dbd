"""Turn DATABASE_URL and REDIS_URL into what Django expects."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import dj_database_url

from pentathlon.env import BadEnvironment, Mode
from pentathlon.roles import PATIENCE, Patience, Role

# Readers never wait for the writer, and writers queue instead of failing half-way.
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA cache_size=-20000;"
    "PRAGMA mmap_size=134217728;PRAGMA journal_size_limit=67108864;"
)
# Opening a connection takes a tenth of a request: SQLite reads all table definitions each time.
_CONNECTION_S = 60

_OF_BUCKETS = {"endpoint": "endpoint_url", "region": "region_name"}
"""The options in a bucket's address, and what django-storages calls them. Keys come from where the
AWS library finds them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role of the host."""


def database(
    url: str | None, *, data: Path, role: Role = Role.COMMAND
) -> dict[str, Any]:  # Any: Django's own shape
    """Return Django's description of the database at `url`, else of the file in `data`.

    Options in the address win over those that follow from the role.
    """
    if url is None:
        return _sqlite(data / "pentathlon.sqlite3")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        # The library would take the path of sqlite:///path for a relative one.
        return _sqlite(Path(unquote(parts.path)))
    if parts.scheme in {"postgres", "postgresql"}:
        return _postgresql(url, role)
    raise BadEnvironment("DATABASE_URL", "must start with postgresql:// or sqlite:///.")


def cache(url: str | None) -> dict[str, Any]:  # Any: Django's own shape
    """Return Django's description of the cache: shared if there is a broker to share it."""
    if url is None:
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": url,
        "KEY_PREFIX": "pentathlon",
        # A cache is of no use if it takes longer than making the thing again.
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }


def replay_store(address: str | None) -> dict[str, Any]:  # Any: Django's own shape
    """Return the entry of `STORAGES` for old replays; empty if all stay in the database."""
    if address is None:
        return {}
    parts = urlsplit(address)
    if parts.scheme == "file" and not parts.netloc and len(parts.path) > 1:
        folder = {
            "location": unquote(parts.path),
            "allow_overwrite": True,
            "file_permissions_mode": 0o600,
        }
        return _replays("django.core.files.storage.FileSystemStorage", folder)
    if (
        parts.scheme == "s3"
        and parts.netloc
        and dict(parse_qsl(parts.query)).keys() <= _OF_BUCKETS.keys()
    ):
        if find_spec("storages") is None or find_spec("boto3") is None:
            reason = "needs more packages: pip install -r requirements/s3.txt"
            raise BadEnvironment("PENTATHLON_REPLAYS", reason)
        query = {_OF_BUCKETS[key]: value for key, value in parse_qsl(parts.query)}
        bucket = {"bucket_name": parts.netloc, "location": unquote(parts.path).strip("/")}
        return _replays("pentathlon.matches.replays.buckets.Bucket", {**bucket, **query})
    raise BadEnvironment(
        "PENTATHLON_REPLAYS",
        "must be like s3://bucket/prefix?endpoint=https://store.example&region=eu-1, or "
        "file:///folder.",
    )


def timeouts(patience: Patience) -> dict[str, Any]:  # Any: the driver's own parameters
    """Return the options of a connection with these timeouts."""
    settings = {
        "statement_timeout": patience.statement_s,
        "lock_timeout": patience.lock_s,
        "idle_in_transaction_session_timeout": patience.idle_in_transaction_s,
    }
    return {
        "connect_timeout": patience.connect_s,
        "answer_s": patience.answer_s,
        # Options are sent with the first packet, so that they hold before any statement.
        "options": " ".join(f"-c {name}={round(1000 * s)}" for name, s in settings.items()),
        # A silent network is given up after 20 to 25 s; without these options, after two hours.
        "keepalives": 1,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }


def _sqlite(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": _CONNECTION_S,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": _SQLITE_PRAGMAS,
        },
    }


def _postgresql(url: str, role: Role) -> dict[str, Any]:
    address, _, query = url.partition("?")
    try:
        parsed = dj_database_url.parse(
            address,
            engine="pentathlon.core.postgresql",
            conn_max_age=_CONNECTION_S,
            conn_health_checks=True,
        )
    except ValueError as error:
        reason = "is not an address such as postgresql://user:password@host:5432/name."
        raise BadEnvironment("DATABASE_URL", reason) from error
    # The library would drop empty options, but some PgBouncers need `options=`.
    options = {
        "application_name": f"pentathlon-{role}",
        **timeouts(PATIENCE[role]),
        **dict(parse_qsl(query, keep_blank_values=True)),
    }
    # The folder of a socket can only be given in the query.
    host = options.pop("host", parsed["HOST"])
    return {**parsed, "HOST": host, "PORT": str(parsed["PORT"]), "OPTIONS": options}


def _replays(backend: str, options: dict[str, Any]) -> dict[str, Any]:
    return {"replays": {"BACKEND": backend, "OPTIONS": options}}


def mail(address: str | None, *, mode: Mode) -> dict[str, Any]:  # Any: Django's settings
    """Return the settings of e-mail; without a server it is printed, in production refused."""
    if address is None and mode is Mode.PRODUCTION:
        # Whoever reads logs could follow a link that sets a password.
        return {"EMAIL_BACKEND": "pentathlon.accounts.letters.NoMail"}
    if address is None:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    parts = urlsplit(address)
    is_tls = parts.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "",
        "EMAIL_PORT": parts.port or (465 if is_tls else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": is_tls,
        # Whoever sends a password in clear text gives it away.
        "EMAIL_USE_TLS": not is_tls and parts.password is not None,
    }
