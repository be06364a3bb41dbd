"""The OpenAPI document of every address."""

import json
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal, TypedDict

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS

from api.protocol.access import SignedIn
from api.protocol.endpoint import HEADER, ID, LARGEST_ID, LONGEST_KEY
from api.protocol.errors import MEDIA_TYPE
from api.protocol.requests import RequestSerializer

FOLDER: Final = Path(__file__).parents[1] / "examples"
"""The folder of the examples, with one file for each group of operations."""
_ALWAYS: Final = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_ON_WRITING: Final = (HTTPStatus.CONFLICT, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)


class Example(TypedDict):
    """One call. Long lists and texts are cut, and secrets are left out."""

    path: dict[str, Any]  # Any: JSON, as in all of these
    query: dict[str, Any]
    body: Any
    status: int
    answer: Any
    """The body of the answer; null if it is empty or not text."""


@cache
def examples() -> Mapping[str, Example]:
    """Return all examples by the names of their operations."""
    found: dict[str, Example] = {}
    for file in sorted(FOLDER.glob("*.json")):
        found |= json.loads(file.read_text("utf-8"))
    return found


def add_example(operation: dict[str, Any]) -> None:
    """Add the example of an operation to its entry in the OpenAPI document, if there is one."""
    example = examples().get(operation["operationId"])
    if example is None:
        return
    for parameter in operation.get("parameters", ()):
        given = example["path" if parameter["in"] == "path" else "query"]
        if parameter["name"] in given:
            parameter["example"] = given[parameter["name"]]
    if example["body"] is not None and "requestBody" in operation:
        for content in operation["requestBody"]["content"].values():
            content["example"] = example["body"]
    answer = operation["responses"].get(str(example["status"]), {})
    if example["answer"] is not None:
        for content in answer.get("content", {}).values():
            content["example"] = example["answer"]


class ProblemErrorSerializer(serializers.Serializer[Any]):
    """One thing that was wrong."""

    code = serializers.CharField(help_text="A stable code for programs.")
    detail = serializers.CharField(help_text="A sentence for people.")
    attr = serializers.CharField(allow_null=True, help_text="The field with the error.")


class ProblemSerializer(serializers.Serializer[Any]):
    """Why a request was refused."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="A stable code for programs.")
    detail = serializers.CharField(help_text="A sentence for people.")
    errors = ProblemErrorSerializer(many=True)  # type: ignore[assignment]  # a field
    help = serializers.URLField(help_text="A help page.")
    request_id = serializers.CharField(
        required=False, help_text="The response's X-Request-ID; quote it to the site's operator."
    )


_TEXT: Final = r"^[^\x00]*$"
_WORDS: Final = r"^[^\x00]*[^\s\x00][^\x00]*$"
"""A pattern for texts that are not empty once spaces are cut off at both ends."""


def is_never_blank(field: object) -> bool:
    """Return whether a field refuses an empty text."""
    return isinstance(field, serializers.CharField) and not (field.allow_blank or field.allow_null)


def _with_pattern(field: object, found: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    """State which texts a request may contain: none with a zero byte, and few empty ones."""
    if not isinstance(field, serializers.CharField):
        return found
    is_open = not found.keys() & {"pattern", "format", "enum"}
    if not is_never_blank(field):
        return {**found, "pattern": _TEXT} if is_open else found
    told = {"minLength": 1, **found}
    if is_open:
        told["pattern"] = _WORDS if field.trim_whitespace else _TEXT
    return told


class ApiSchema(AutoSchema):
    """Adds the parts that all addresses share: errors and idempotency keys."""

    def get_override_parameters(self) -> list[Any]:
        """Add the idempotency key to every POST that takes one."""
        if self.method != "POST" or not getattr(self.view, "takes_idempotency_key", False):
            return []
        return [
            OpenApiParameter(
                HEADER,
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": LONGEST_KEY,
                    "pattern": "^[ -~]+$",
                },
                OpenApiParameter.HEADER,
                description="Send the request again with the same key: it takes effect once.",
            )
        ]

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the security requirements; public reads need no token."""
        ways: list[dict[str, Any]] = super().get_auth()
        return ways if self._takes_a_person() else [*ways, {}]

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        """Add an example of the call."""
        operation: dict[str, Any] | None = super().get_operation(
            path, path_regex, path_prefix, method, registry
        )
        if operation is not None:
            add_example(operation)
        return operation

    def get_operation_id(self) -> str:
        """Return a name that is valid for a function."""
        return super().get_operation_id().replace(".", "_")

    def get_summary(self) -> str | None:
        """Return the first sentence of the description, unless all requests share it."""
        if self.get_description() == get_doc(type(self.view)):
            action, noun = (getattr(self.view, name, "") for name in ("action", "noun"))
            if action == "list":
                return f"List {self.get_tags()[0].replace('-', ' ')}"
            if action == "retrieve" and noun:
                return f"Show one {noun}"
        return self.get_description().partition("\n")[0].partition(". ")[0].rstrip(".") or None

    def _resolve_path_parameters(self, variables: list[str]) -> list[dict[str, Any]]:
        """Describe ids as numbers, as they are in bodies."""
        found: list[dict[str, Any]] = super()._resolve_path_parameters(variables)  # type: ignore[no-untyped-call]
        for parameter in found:
            if parameter["schema"].get("pattern") == f"^{ID}$":
                parameter["schema"] = {"type": "integer", "minimum": 0, "maximum": LARGEST_ID}
        return found

    def _map_serializer(
        self,
        serializer: Any,  # Any: a class or an instance
        direction: Literal["request", "response"],
        bypass_extensions: bool = False,
    ) -> dict[str, Any]:
        """State that unknown fields are refused."""
        mapped = super()._map_serializer(serializer, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        found: dict[str, Any] = mapped
        if isinstance(serializer, RequestSerializer):
            found["additionalProperties"] = False
        return found

    def _map_serializer_field(
        self,
        field: Any,  # Any: of any serializer
        direction: Literal["request", "response"],
        bypass_extensions: bool = False,
    ) -> dict[str, Any]:
        """State where an item of a list may be null, which the package leaves out."""
        mapped = super()._map_serializer_field(field, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        found: dict[str, Any] = mapped
        child = getattr(field, "child", None)
        if getattr(child, "allow_null", False) and "$ref" in found.get("items", {}):
            found["items"] = {"oneOf": [found["items"], {"type": "null"}]}
        return found

    def _insert_field_validators(
        self,
        field: Any,  # Any: of any serializer
        schema: dict[str, Any],
    ) -> None:
        """State last which texts may not be empty, since the patterns of validators matter."""
        super()._insert_field_validators(field, schema)  # type: ignore[no-untyped-call]
        if isinstance(field.parent, RequestSerializer) and schema.get("type") == "string":
            schema.update(_with_pattern(field, schema))

    def _get_request_body(
        self, direction: Literal["request", "response"] = "request"
    ) -> dict[str, Any] | None:
        """Also demand a body that is one of several kinds."""
        body: dict[str, Any] | None = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        if body and isinstance(self.get_request_serializer(), PolymorphicProxySerializer):
            body["required"] = True
        return body

    def _takes_a_person(self) -> bool:
        if self.method not in SAFE_METHODS or SignedIn in self.view.permission_classes:
            return True
        return getattr(self.view, "action", "") in getattr(self.view, "private_scopes", {})

    def _get_response_bodies(
        self, direction: Literal["request", "response"] = "response"
    ) -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        statuses = _ALWAYS if self.method in SAFE_METHODS else (*_ALWAYS, *_ON_WRITING)
        if getattr(self.view, "action", "") in getattr(self.view, "conflicting_actions", ()):
            statuses = (*statuses, HTTPStatus.CONFLICT)
        for status in statuses:
            bodies[str(int(status))] = self._get_response_for_code(  # type: ignore[no-untyped-call]
                ProblemSerializer, str(int(status)), media_types=[MEDIA_TYPE]
            )
        return dict(sorted(bodies.items()))
