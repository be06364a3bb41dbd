"""Requests with known fields and parameters only.

An unknown name is refused, not ignored: somebody who sends `starts_at` expects something to start.
"""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from pentathlon.common.errors import InvalidInput


class RequestSerializer(serializers.Serializer[Any]):
    """The body of a request; a field that it does not have is refused."""

    def to_internal_value(self, data: Any) -> Any:  # Any: as the framework has it
        """Return the checked values; unknown fields are reported before all others."""
        if unknown := _unknown(data, self.fields):
            known = ", ".join(self.fields)
            raise serializers.ValidationError(
                dict.fromkeys(unknown, f"There is no such field. Known: {known}."),
                code="unknown_field",
            )
        return super().to_internal_value(data)


@extend_schema_field({"type": "string", "pattern": "^[!-~]([ -~]*[!-~])?$", "maxLength": 200})
class ReasonField(serializers.CharField):
    """A reason in one line; the service decides which characters it may have."""


def check_parameters(given: Iterable[str], *, known: Iterable[str]) -> None:
    """Refuse a query with a parameter that the address does not know."""
    names = sorted(known)
    if unknown := _unknown(given, names):
        allowed = f"Known: {', '.join(names)}." if names else "This address takes none."
        raise InvalidInput(
            f"There is no parameter {unknown[0][:60]!r} here. {allowed}",
            code="unknown_parameter",
            field=unknown[0][:60],
        )


def _unknown(given: Any, known: Iterable[str]) -> list[str]:  # Any: a mapping, or no mapping
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        return []
    names = set(known)
    return [name for name in given if isinstance(name, str) and name not in names]
