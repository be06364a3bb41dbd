"""How processes log: one line per event, for people here and for machines in production.

Free of Django's settings: workers without keys log the same way.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import structlog

from pentathlon.env import Environment, Mode

_SHARED: Final[list[structlog.typing.Processor]] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


class Refusals(logging.Filter):
    """Keeps the line of a refused request without its traceback, because nothing is wrong here."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record; drop its exception unless it is an error of the server."""
        if record.levelno < logging.ERROR:
            record.exc_info = None
        return True


def configuration(environment: Environment) -> dict[str, Any]:  # Any: the standard library's shape
    """Return the configuration of the standard library's logging."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if environment.log_json
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    requests = "INFO" if environment.mode is Mode.PRODUCTION else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    renderer,
                ],
            }
        },
        "filters": {"refusals": {"()": Refusals}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": environment.log_level},
        "loggers": {
            "django": {"handlers": [], "propagate": True},
            "django.request": {"filters": ["refusals"]},
            "django.server": {"handlers": [], "propagate": True},
            "pentathlon.core.middleware.requests": {"level": requests},
        },
    }


def configure_structlog() -> None:
    """Send structlog's events to the standard library's logging."""
    structlog.configure(
        processors=[
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
