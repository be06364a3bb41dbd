"""Spans: the course of a request, of its matches and of their results, across processes.

Tracing is off unless the environment asks for it by OpenTelemetry's standard variables. While it
is off, nothing of OpenTelemetry is imported, and a span costs a comparison. Free of Django:
workers without keys use it, too.

A match remembers the span in which it was scheduled. Whatever happens to it later becomes a child
of that span, so one trace leads from a request to a rating.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Final, Protocol

from pentathlon.env import BadEnvironment, Environment

HEADER: Final = "traceparent"
"""The header of W3C Trace Context, in lower case."""

Value = str | int | float | bool
Attributes = Mapping[str, Value]

_MADE_BY: Final = "pentathlon.core.opentelemetry_spans"
_PACKAGES: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_nothing: Final[AbstractContextManager[None]] = nullcontext()


class Spans(Protocol):
    """The tracer, if tracing is on."""

    def span(
        self, name: str, *, parent: str, kind: str, attributes: Attributes
    ) -> AbstractContextManager[None]:
        """Make a span that lasts as long as the context."""

    def record(self, name: str, *, parent: str, since_ns: int, attributes: Attributes) -> None:
        """Make a span that ends now."""

    def note(self, attributes: Attributes) -> None:
        """Add attributes to the current span."""

    def current(self) -> str:
        """Return the current span as the header writes it; empty if there is none."""

    def stop(self) -> None:
        """Send the spans that have not been sent."""


_spans: Spans | None = None


def start(environment: Environment, *, service: str) -> None:
    """Send the spans of this process from now on, if the environment says so.

    Call it in each process that a worker has forked: the thread that sends survives no fork.

    Raises:
        BadEnvironment: the packages for it are missing.
    """
    if environment.traces is None or _spans is not None:
        return
    if not all(map(_is_installed, _PACKAGES)):
        raise BadEnvironment(
            "OTEL_TRACES_EXPORTER",
            "or an endpoint of OTLP is set, but OpenTelemetry is not installed. Install "
            "requirements/tracing.txt, or set OTEL_TRACES_EXPORTER=none.",
        )
    use(
        import_module(_MADE_BY).spans_to(
            environment.traces, service=environment.service_name or service
        )
    )


def use(spans: Spans | None) -> None:
    """Use this tracer from now on; with None, make no spans."""
    global _spans  # noqa: PLW0603  # one tracer for a process, like the root logger
    _spans = spans


def stop() -> None:
    """Send the spans that have not been sent, before the process ends."""
    if _spans is not None:
        _spans.stop()


def is_on() -> bool:
    """Return whether spans are made."""
    return _spans is not None


def span(
    name: str, *, parent: str = "", kind: str = "internal", attributes: Attributes | None = None
) -> AbstractContextManager[None]:
    """Make a span that lasts as long as the context, below `parent` or the current span."""
    if _spans is None:
        return _nothing
    return _spans.span(name, parent=parent, kind=kind, attributes=attributes or {})


def clock() -> int:
    """Return the start time for `record`; 0 if no spans are made."""
    return 0 if _spans is None else time.time_ns()


def record(
    name: str, *, parents: Iterable[str], since_ns: int, attributes: Attributes | None = None
) -> None:
    """Make a span that ends now in each of several traces."""
    if _spans is not None:
        for parent in parents:
            _spans.record(name, parent=parent, since_ns=since_ns, attributes=attributes or {})


def note(attributes: Attributes) -> None:
    """Add attributes to the current span."""
    if _spans is not None:
        _spans.note(attributes)


def current() -> str:
    """Return the current span as `HEADER` writes it; empty if there is none."""
    return "" if _spans is None else _spans.current()


def headers() -> dict[str, str]:
    """Return the header that lets the receiver of a request go on with this trace."""
    found = current()
    return {HEADER: found} if found else {}


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False
