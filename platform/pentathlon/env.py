"""Reads environment variables; the only module that does.

Free of Django, so that anything may ask before settings exist.
"""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

CHECKOUT = Path(__file__).resolve().parents[2]
IMPORT_PATH = os.pathsep.join(map(str, (CHECKOUT, CHECKOUT / "platform", CHECKOUT / "engines")))
"""The PYTHONPATH of processes that import what this one does."""


class Mode(StrEnum):
    """The mode in which this installation runs."""

    LOCAL = "local"
    PRODUCTION = "production"


DRAIN_S: Final[Mapping[Mode, float]] = {Mode.LOCAL: 2.0, Mode.PRODUCTION: 120.0}
"""Seconds that a worker plays on after it is asked to stop, unless PENTATHLON_DRAIN_S is set."""
LADDER_MATCHES_AN_HOUR: Final[Mapping[Mode, float | None]] = {
    # An author's own machine, whose processors and disk are not for ladders alone.
    Mode.LOCAL: 60.0,
    Mode.PRODUCTION: None,
}
"""The most matches an hour of a settled division; the variable of this name may change it."""
UNLIMITED: Final = "unlimited"
SPOT_CHECKS: Final = 50
STARVED_SHARE: Final = 0.75
"""At this share a bot waits three times as long as it runs, so slots are held back."""


class BadEnvironment(Exception):
    """A variable that is missing or cannot be used; the sentence names it."""

    code = "bad_environment"

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(f"{variable} {reason}")
        self.variable = variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Everything that may be set from outside, with defaults."""

    mode: Mode = Mode.LOCAL
    debug: bool = False
    data: Path = CHECKOUT / ".pentathlon"
    """PENTATHLON_DATA: database, logs, static files and the secret key of a local installation."""
    static: Path | None = None
    """PENTATHLON_STATIC: collected static files; inside the data folder if not set."""
    secret_key: str | None = None
    hosts: tuple[str, ...] = ()
    """PENTATHLON_HOSTS: the names by which the site is reached, separated by commas."""
    origins: tuple[str, ...] = ()
    """PENTATHLON_ORIGINS: trusted origins such as https://example.org, separated by commas."""
    database_url: str | None = None
    redis_url: str | None = None
    server: str | None = None
    """PENTATHLON_SERVER: the site that this worker plays for over HTTP; without it, a worker uses
    the database."""
    worker_token: str | None = None
    """PENTATHLON_WORKER_TOKEN, or what PENTATHLON_WORKER_TOKEN_FILE holds."""
    worker_broker: str | None = None
    """PENTATHLON_WORKER_BROKER: the broker of such a worker, with the user of `redis_acl`; without
    it, the worker asks the site for hints."""
    plain_http: bool = False
    """PENTATHLON_PLAIN_HTTP: allow http:// beyond this machine."""
    plain_broker: bool = False
    """PENTATHLON_PLAIN_BROKER: allow redis:// beyond this machine."""
    log_json: bool = False
    log_level: str = "INFO"
    sandbox: str | None = None
    """PENTATHLON_SANDBOX: the weakest sandbox level that this worker accepts."""
    bot_matches: int = 8
    """PENTATHLON_BOT_MATCHES: the most slots in which one bot plays at a time."""
    ladders: bool = True
    """PENTATHLON_LADDERS: make ladders and reference bots, and keep them playing."""
    reference_bots: bool = True
    """PENTATHLON_REFERENCE_BOTS: upload the built-in policies as bots that play on ladders."""
    ladder_season_days: float = 28
    """PENTATHLON_LADDER_SEASON_DAYS: how many days a season lasts."""
    ladder_matches_an_hour: float | None = LADDER_MATCHES_AN_HOUR[Mode.LOCAL]
    """PENTATHLON_LADDER_MATCHES_AN_HOUR: the most matches of each division once its ratings are
    certain; None ("unlimited") means as many as idle slots can play."""
    bot_log_days: float = 90
    """PENTATHLON_BOT_LOG_DAYS: days that a bot's output is kept after a match; 0: forever."""
    replays: str | None = None
    """PENTATHLON_REPLAYS: where old replays move, as s3://bucket/prefix or file:///folder."""
    replay_days: float = 7
    """PENTATHLON_REPLAY_DAYS: how many days a replay stays in the database before it moves."""
    datasets: bool = True
    """PENTATHLON_DATASETS: make datasets of closed tournaments and seasons."""
    proxies: int = 0
    """PENTATHLON_PROXIES: how many of our own proxies are in front; 1 in production."""
    starved_share: float = STARVED_SHARE
    """PENTATHLON_STARVED_SHARE: the share of time bots may wait before slots are held back."""
    spot_checks: int = SPOT_CHECKS
    """PENTATHLON_SPOT_CHECKS: one in this many results of workers is played again; 0: none."""
    drain_s: float = DRAIN_S[Mode.LOCAL]
    """PENTATHLON_DRAIN_S: how long a worker plays on after it is asked to stop. It must be shorter
    than the grace period of whatever stops it; what is unfinished by then is given back."""
    compiled: bool = True
    """PENTATHLON_COMPILED: `up` compiles the engines where it can, and plays with them."""
    no_bootstrap: bool = False
    """PENTATHLON_NO_BOOTSTRAP: use this Python as it is, as container images do."""
    metrics_token: str | None = None
    """PENTATHLON_METRICS_TOKEN: the token with which /metrics may be read."""
    mail: str | None = None
    """PENTATHLON_MAIL: the mail server, as smtps://name:password@host:465; or smtp://."""
    mail_from: str = "pentathlon@localhost"
    """PENTATHLON_MAIL_FROM: the sender of e-mail."""
    traces: str | None = None
    """Where spans go, by OpenTelemetry's own variables: "otlp" or "console"; None for nowhere."""
    traces_database: bool = False
    """PENTATHLON_TRACE_DATABASE: give requests a span for each database statement."""
    service_name: str | None = None
    """OTEL_SERVICE_NAME: the name of the process in traces."""
    certificates: str | None = None
    package_index: str | None = None
    """PIP_INDEX_URL: the index that provides pip itself if this machine has none."""


def read_environment(variables: Mapping[str, str] = os.environ) -> Environment:
    """Return the settings found in `variables`, refusing values that make no sense."""
    mode = _mode(variables)
    proxies = _number(variables, "PENTATHLON_PROXIES", least=0)
    days = _number(variables, "PENTATHLON_LADDER_SEASON_DAYS", least=0.001)
    log_days = _number(variables, "PENTATHLON_BOT_LOG_DAYS", least=0)
    replay_days = _number(variables, "PENTATHLON_REPLAY_DAYS", least=0)
    an_hour = _limit(variables, "PENTATHLON_LADDER_MATCHES_AN_HOUR", LADDER_MATCHES_AN_HOUR[mode])
    starved_share = _number(variables, "PENTATHLON_STARVED_SHARE", least=0)
    spot_checks = _number(variables, "PENTATHLON_SPOT_CHECKS", least=0)
    drain_s = _number(variables, "PENTATHLON_DRAIN_S", least=0)
    return Environment(
        mode=mode,
        debug=_flag(variables, "PENTATHLON_DEBUG"),
        data=_folder(variables, "PENTATHLON_DATA") or CHECKOUT / ".pentathlon",
        static=_folder(variables, "PENTATHLON_STATIC"),
        secret_key=variables.get("PENTATHLON_SECRET_KEY") or None,
        hosts=_names(variables, "PENTATHLON_HOSTS"),
        origins=_names(variables, "PENTATHLON_ORIGINS"),
        database_url=variables.get("DATABASE_URL") or None,
        redis_url=variables.get("REDIS_URL") or None,
        server=variables.get("PENTATHLON_SERVER") or None,
        worker_token=_worker_token(variables),
        worker_broker=variables.get("PENTATHLON_WORKER_BROKER") or None,
        plain_http=_flag(variables, "PENTATHLON_PLAIN_HTTP"),
        plain_broker=_flag(variables, "PENTATHLON_PLAIN_BROKER"),
        log_json=_flag(variables, "PENTATHLON_LOG_JSON", default=mode is Mode.PRODUCTION),
        log_level=variables.get("PENTATHLON_LOG_LEVEL", "INFO").upper(),
        sandbox=variables.get("PENTATHLON_SANDBOX") or None,
        bot_matches=int(_number(variables, "PENTATHLON_BOT_MATCHES", least=1) or 8),
        ladders=_flag(variables, "PENTATHLON_LADDERS", default=True),
        reference_bots=_flag(variables, "PENTATHLON_REFERENCE_BOTS", default=True),
        ladder_season_days=28 if days is None else days,
        ladder_matches_an_hour=an_hour,
        bot_log_days=90 if log_days is None else log_days,
        replays=variables.get("PENTATHLON_REPLAYS") or None,
        replay_days=7 if replay_days is None else replay_days,
        datasets=_flag(variables, "PENTATHLON_DATASETS", default=True),
        proxies=int(mode is Mode.PRODUCTION if proxies is None else proxies),
        starved_share=STARVED_SHARE if starved_share is None else starved_share,
        spot_checks=SPOT_CHECKS if spot_checks is None else int(spot_checks),
        drain_s=DRAIN_S[mode] if drain_s is None else drain_s,
        compiled=_flag(variables, "PENTATHLON_COMPILED", default=True),
        no_bootstrap=_flag(variables, "PENTATHLON_NO_BOOTSTRAP"),
        metrics_token=variables.get("PENTATHLON_METRICS_TOKEN") or None,
        mail=_mail(variables),
        mail_from=variables.get("PENTATHLON_MAIL_FROM") or "pentathlon@localhost",
        traces=_traces(variables),
        traces_database=_flag(variables, "PENTATHLON_TRACE_DATABASE"),
        service_name=variables.get("OTEL_SERVICE_NAME") or None,
        certificates=variables.get("SSL_CERT_FILE") or variables.get("PIP_CERT") or None,
        package_index=variables.get("PIP_INDEX_URL") or None,
    )


def child_environment(**changes: str) -> dict[str, str]:
    """Return this process's variables with `changes`, for a process that it starts."""
    return {**os.environ, **changes}


def export(name: str, value: str) -> None:
    """Set a variable for this process and for all that it starts from now on."""
    os.environ[name] = value


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checked_address(
    variable: str, url: str, *, like: str, shows: str, switch: str, is_allowed: bool
) -> str:
    """Return the address in a variable; refuse one by which the network could overhear a secret.

    `like` is a safe one. `switch` is the variable that allows others, if it `is_allowed`.
    """
    parts, safe = urlsplit(url), urlsplit(like).scheme
    if parts.scheme not in {safe, safe[:-1]} or not parts.hostname or parts.query:
        raise BadEnvironment(variable, f"must be like {like}.")
    if parts.scheme != safe and not is_allowed and not is_loopback(parts.hostname):
        raise BadEnvironment(
            variable,
            f"would show {shows} to the network: use {safe}://, or set {switch}=1 where nobody "
            "can listen.",
        )
    return url


def _worker_token(variables: Mapping[str, str]) -> str | None:
    file = variables.get("PENTATHLON_WORKER_TOKEN_FILE")
    try:
        text = Path(file).read_text() if file else variables.get("PENTATHLON_WORKER_TOKEN", "")
    except (OSError, ValueError) as error:
        raise BadEnvironment("PENTATHLON_WORKER_TOKEN_FILE", f"cannot be read: {error}") from error
    token = text.strip()
    if not token.isascii() or (token and not token.isprintable()):
        raise BadEnvironment("PENTATHLON_WORKER_TOKEN", "has characters that no token has.")
    return token or None


def _mode(variables: Mapping[str, str]) -> Mode:
    text = variables.get("PENTATHLON_MODE", Mode.LOCAL)
    if text not in list(Mode):
        raise BadEnvironment("PENTATHLON_MODE", f"must be local or production, not {text!r}.")
    return Mode(text)


def _mail(variables: Mapping[str, str]) -> str | None:
    text = variables.get("PENTATHLON_MAIL", "").strip()
    if text and not re.fullmatch(r"smtps?://([^\s/@]+@)?[^\s/@:]+(:\d{1,5})?/?", text):
        # The sentence leaves the value out, because it may hold a password.
        raise BadEnvironment("PENTATHLON_MAIL", "must be like smtps://name:password@host:465.")
    return text or None


def _traces(variables: Mapping[str, str]) -> str | None:
    """Return the exporter of spans: the one named, OTLP if only an endpoint is set, or none."""
    if variables.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    implied = "otlp" if any(variables.get(name) for name in endpoints) else "none"
    text = variables.get("OTEL_TRACES_EXPORTER", "").strip() or implied
    if text not in {"otlp", "console", "none"}:
        reason = f"must be otlp, console or none, not {text!r}."
        raise BadEnvironment("OTEL_TRACES_EXPORTER", reason)
    for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"):
        if text == "otlp" and variables.get(name, "http/protobuf") != "http/protobuf":
            raise BadEnvironment(name, "must be http/protobuf: spans are sent over HTTP only.")
    return None if text == "none" else text


def _flag(variables: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    text = variables.get(name, "").strip().lower()
    if text in {"", "1", "true", "yes", "on", "0", "false", "no", "off"}:
        return default if not text else text in {"1", "true", "yes", "on"}
    raise BadEnvironment(name, f"must be 1 or 0, not {text!r}.")


def _number(variables: Mapping[str, str], name: str, *, least: float) -> float | None:
    text = variables.get(name, "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not least <= number < float("inf"):
        raise BadEnvironment(name, f"must be a number from {least:g}, not {text!r}.")
    return number


def _limit(variables: Mapping[str, str], name: str, usual: float | None) -> float | None:
    """Return a number from 0, or None for "unlimited"."""
    if variables.get(name, "").strip() == UNLIMITED:
        return None
    try:
        number = _number(variables, name, least=0)
    except BadEnvironment as error:
        asked = f'must be a number from 0 or "{UNLIMITED}"'
        raise BadEnvironment(name, f"{asked}, not {variables[name].strip()!r}.") from error
    return usual if number is None else number


def _folder(variables: Mapping[str, str], name: str) -> Path | None:
    text = variables.get(name)
    return Path(text).expanduser().absolute() if text else None


def _names(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in variables.get(name, "").split(",") if part.strip())
