"""Spans by the packages of OpenTelemetry, which `core.tracing` imports if they are wanted.

Only the API, the SDK and the exporter over HTTP, which are stable. The instrumentations of Django
and Celery are pre-releases, and know neither our bridge to asyncio nor what a match is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
from opentelemetry.trace import Link, SpanKind, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pentathlon.core.tracing import HEADER, Attributes, Spans
from pentathlon_engines.version import __version__

_KINDS: Final = {kind.name.lower(): kind for kind in SpanKind}
_propagator: Final = TraceContextTextMapPropagator()


def spans_to(exporter: str, *, service: str) -> Spans:
    """Return what makes spans and sends them, a few seconds later, from a thread."""
    chosen = ConsoleSpanExporter() if exporter == "console" else OTLPSpanExporter()
    return OpenTelemetrySpans(BatchSpanProcessor(chosen), service=service)


class OpenTelemetrySpans:
    """Makes spans by the API of OpenTelemetry and hands them to a processor."""

    def __init__(self, processor: SpanProcessor, *, service: str) -> None:
        resource = Resource.create({SERVICE_NAME: service, SERVICE_VERSION: __version__})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(processor)
        self._tracer: Tracer = self._provider.get_tracer("pentathlon", __version__)

    @contextmanager
    def span(self, name: str, *, parent: str, kind: str, attributes: Attributes) -> Iterator[None]:
        """Make a span of what happens within the context."""
        context, links = _place(parent)
        with self._tracer.start_as_current_span(
            name, context=context, kind=_KINDS[kind], attributes=attributes, links=links
        ):
            yield

    def record(self, name: str, *, parent: str, since_ns: int, attributes: Attributes) -> None:
        """Make a span of what is over now."""
        context, links = _place(parent)
        self._tracer.start_span(
            name, context=context, attributes=attributes, links=links, start_time=since_ns
        ).end()

    def note(self, attributes: Mapping[str, str | int | float | bool]) -> None:
        """Add to what the current span says."""
        trace.get_current_span().set_attributes(attributes)

    def current(self) -> str:
        """Return the current span as the header writes it; empty if there is none."""
        carrier: dict[str, str] = {}
        _propagator.inject(carrier)
        return carrier.get(HEADER, "")

    def stop(self) -> None:
        """Send what has not been sent."""
        self._provider.shutdown()


def _place(parent: str) -> tuple[Context | None, list[Link]]:
    """Return the context of a parent, and a link to the current span where that is another."""
    if not parent:
        return None, []
    current = trace.get_current_span().get_span_context()
    links = [Link(current)] if current.is_valid else []
    return _propagator.extract({HEADER: parent}, context=Context()), links
