"""What the OpenAPI document says about every address."""

from http import HTTPStatus
from typing import Any, Final, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS

from api.errors import MEDIA_TYPE
from api.repeating import HEADER

_ALWAYS: Final = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.TOO_MANY_REQUESTS,
)
_ON_WRITING: Final = (HTTPStatus.CONFLICT, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)


class ProblemErrorSerializer(serializers.Serializer[Any]):
    """One thing that was wrong."""

    code = serializers.CharField(help_text="Stable, for machines.")
    detail = serializers.CharField(help_text="A sentence for people.")
    attr = serializers.CharField(allow_null=True, help_text="The field that it is about.")


class ProblemSerializer(serializers.Serializer[Any]):
    """Why a request was refused."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="Stable, for machines.")
    detail = serializers.CharField(help_text="A sentence for people.")
    errors = ProblemErrorSerializer(many=True)  # type: ignore[assignment]  # a field


class ApiSchema(AutoSchema):
    """Adds what all addresses have in common: their problems, and keys for repeating."""

    def get_override_parameters(self) -> list[Any]:
        """Offer a key to every POST that may be sent again."""
        if self.method != "POST" or not getattr(self.view, "is_repeatable", False):
            return []
        return [
            OpenApiParameter(
                HEADER,
                str,
                OpenApiParameter.HEADER,
                description="Send the request again with the same key: it is carried out once.",
            )
        ]

    def _get_response_bodies(
        self, direction: Literal["request", "response"] = "response"
    ) -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        statuses = _ALWAYS if self.method in SAFE_METHODS else (*_ALWAYS, *_ON_WRITING)
        for status in statuses:
            bodies[str(int(status))] = self._get_response_for_code(  # type: ignore[no-untyped-call]
                ProblemSerializer, str(int(status)), media_types=[MEDIA_TYPE]
            )
        return dict(sorted(bodies.items()))
