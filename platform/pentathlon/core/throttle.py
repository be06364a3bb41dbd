"""Limits on how often somebody may send requests: the one place where requests are counted.

All web processes count together in Redis, one atomic step per request, so that no number of
parallel requests passes a limit. While Redis is away each process counts for itself.
"""

import hashlib
import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Final, Protocol

import structlog
from django.conf import settings
from redis import Redis, RedisError

_WINDOWS_S: Final = {"min": 60, "hour": 3600, "day": 86_400}
_ANSWER_S: Final = 0.5
"""Seconds after which a Redis that has not answered counts as away."""
_AWAY_S: Final = 5.0
"""Seconds for which it is then left alone."""
_MOST_KEYS: Final = 100_000
_HOME_PREFIX: Final = 64
"""The bits of an IPv6 address that name a household; it may choose the rest freely."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateCount:
    """The state of a rate after a request was counted against it."""

    rate: str
    """The name of the rate in `RATES`."""
    limit: int
    """The requests that one window allows."""
    window_s: int
    taken: int
    """The requests in this window so far, including refused ones."""
    resets_s: int
    """Seconds until this window ends, rounded up."""

    @property
    def left(self) -> int:
        """Requests that are still answered in this window."""
        return max(0, self.limit - self.taken)

    @property
    def wait_s(self) -> int:
        """Seconds that the request must wait; 0 for none."""
        return self.resets_s if self.taken > self.limit else 0


class _Counts(Protocol):
    def take(self, key: str, window_s: int) -> tuple[int, float]:
        """Count one; return how many there are in this window, and how long it still lasts."""

    def look(self, key: str) -> tuple[int, float]:
        """Return the same without counting; zeros if no window has begun."""


@dataclass(slots=True)
class LocalCounts:
    """The counts of one process. A window begins with the first request that it counts."""

    _windows: dict[str, tuple[float, int]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, key: str, window_s: int) -> tuple[int, float]:
        """Count one; return how many there are in this window, and how long it still lasts."""
        now = time.monotonic()
        with self._lock:
            ends_at, taken = self._windows.get(key, (0.0, 0))
            if ends_at <= now:
                ends_at, taken = now + window_s, 0
                self._make_room(now)
            self._windows[key] = (ends_at, taken + 1)
        return taken + 1, ends_at - now

    def look(self, key: str) -> tuple[int, float]:
        """Return the same without counting; zeros if no window has begun."""
        now = time.monotonic()
        with self._lock:
            ends_at, taken = self._windows.get(key, (0.0, 0))
        return (taken, ends_at - now) if ends_at > now else (0, 0.0)

    def _make_room(self, now: float) -> None:
        if len(self._windows) < _MOST_KEYS:
            return
        for key in [key for key, (ends_at, _) in self._windows.items() if ends_at <= now]:
            del self._windows[key]
        if len(self._windows) >= _MOST_KEYS:
            self._windows.clear()  # too many keys at once: begin again


class SharedCounts:
    """The counts of all processes, kept by Redis; while Redis is away, those of this process."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S
        )
        self._local = LocalCounts()
        self._away_until = 0.0

    def take(self, key: str, window_s: int) -> tuple[int, float]:
        """Count one; return how many there are in this window, and how long it still lasts."""
        if time.monotonic() < self._away_until:
            return self._local.take(key, window_s)
        try:
            with self._redis.pipeline(transaction=True) as steps:
                steps.set(key, 0, ex=window_s, nx=True)
                steps.incr(key)
                steps.pttl(key)
                _, taken, left_ms = steps.execute()
        except RedisError as error:
            self._away_until = time.monotonic() + _AWAY_S
            _log.warning("rates_counted_locally", error=str(error))
            return self._local.take(key, window_s)
        return taken, max(0, left_ms) / 1000

    def look(self, key: str) -> tuple[int, float]:
        """Return the same without counting; zeros if no window has begun."""
        if time.monotonic() < self._away_until:
            return self._local.look(key)
        try:
            with self._redis.pipeline(transaction=True) as steps:
                steps.get(key)
                steps.pttl(key)
                taken, left_ms = steps.execute()
        except RedisError:
            return self._local.look(key)
        return int(taken or 0), max(0, left_ms) / 1000


def count_request(name: str, who: object) -> RateCount:
    """Count a request against a rate; return the state of the rate afterwards."""
    limit, window_s = _size_of(name)
    taken, left_s = _counts(settings.REDIS_URL).take(_key(name, who), window_s)
    return RateCount(
        rate=name,
        limit=limit,
        window_s=window_s,
        taken=taken,
        resets_s=min(window_s, max(1, ceil(left_s))),
    )


def read_rate(name: str, who: object) -> RateCount:
    """Return the state of a rate without counting anything; `resets_s` is 0 before a request."""
    limit, window_s = _size_of(name)
    taken, left_s = _counts(settings.REDIS_URL).look(_key(name, who))
    return RateCount(rate=name, limit=limit, window_s=window_s, taken=taken, resets_s=ceil(left_s))


def count(name: str, who: object) -> int:
    """Count a request against a rate; return how many seconds it must wait, 0 for none."""
    return count_request(name, who).wait_s


def count_sign_in(address: str) -> int:
    """Count a sign-in from this address, on pages and in the API together; return as `count`."""
    return count("sign_ins", home_of(address))


def count_sign_in_as(username: str, *, address: str, browser: str | None = None) -> int:
    """Count a sign-in to this account; return as `count`.

    `browser` names one in which its owner has signed in before. It counts by itself, so that
    no stranger who tries passwords elsewhere shuts the owner out. All others count by their
    address, and together.
    """
    account = account_key(username)
    if browser is not None:
        return count("sign_ins_of_browser", f"{account}:{_digest(browser)}")
    wait_s = count("sign_ins_of_browser", f"{account}:{home_of(address)}")
    return wait_s or count("sign_ins_of_account", account)


def count_second_factor(person_id: int | None, *, browser: str | None = None) -> int:
    """Count a second factor after a right password; return as `count`.

    Whoever knows the password alone does not shut the owner out of a known browser.
    """
    known = "" if browser is None else f":{_digest(browser)}"
    return count("second_factors", f"{person_id}{known}")


def account_key(username: str) -> str:
    """Return the key by which sign-ins to an account are counted, whether there is one or not."""
    return _digest(username)


def count_letter(email: str) -> int:
    """Count a letter that somebody has sent to this address; return as `count`."""
    return count("letters", _digest(email))


def home_of(address: str) -> str:
    """Return the key that an address is counted by: for IPv6, the network of its household."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{int(found) >> _HOME_PREFIX:x}::"


def _size_of(name: str) -> tuple[int, int]:
    number, _, unit = settings.RATES[name].partition("/")
    return int(number), _WINDOWS_S[unit]


def _key(name: str, who: object) -> str:
    return f"pentathlon:rate:{name}:{who}"


def _digest(typed: str) -> str:
    """Return a digest of a typed text: people type anything into a field, even passwords."""
    return hashlib.sha256(typed.strip().lower().encode("utf-8", "replace")).hexdigest()


@lru_cache(maxsize=4)
def _counts(url: str | None) -> _Counts:
    return LocalCounts() if url is None else SharedCounts(url)
