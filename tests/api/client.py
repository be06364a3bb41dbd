"""How tests speak to the API."""

from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope, User
from tests.factories import make_token

V1 = "/api/v1"


def client_of(user: User, *, scopes: Sequence[str] = tuple(Scope.values)) -> APIClient:
    """Return a client that sends a token of this person."""
    _, secret = make_token(user, scopes=scopes)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def upload(
    client: APIClient,
    path: str,
    archive: bytes,
    *,
    headers: dict[str, str] | None = None,
    **fields: Any,  # Any: whatever a form may hold
) -> Any:
    """Post an archive as a browser or curl would."""
    file = SimpleUploadedFile("bot.zip", archive, content_type="application/zip")
    return client.post(
        f"{V1}{path}", {"archive": file, **fields}, format="multipart", headers=headers
    )


def assert_problem(response: Any, *, status: int, code: str, attr: str | None = None) -> None:
    """Check that an answer is a problem of this kind, about this field."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    body = response.json()
    assert set(body) == {
        "type",
        "title",
        "status",
        "code",
        "detail",
        "errors",
        "help",
        "request_id",
    }
    assert body["status"] == status
    assert body["type"] == f"urn:pentathlon:problem:{body['code']}"
    assert body["detail"]
    assert (code, attr) in [(error["code"], error["attr"]) for error in body["errors"]], body
