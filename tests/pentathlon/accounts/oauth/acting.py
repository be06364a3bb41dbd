"""An app and a person's browser, as the protocol has them."""

from __future__ import annotations

import base64
import hashlib
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.access import SCOPES
from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.accounts.oauth.services import register_app
from tests.factories import make_user

CALLBACK: Final = "https://app.example.org/callback?from=pentathlon"
VERIFIER: Final = "v" * 60
STATE: Final = "state-1"


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a verifier."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class FakeApp:
    """A registered app: what it sends people to, and what it posts."""

    def __init__(
        self, *, keeps_secret: bool = False, owner: User | None = None, redirect: str = CALLBACK
    ) -> None:
        self.author = owner or make_user()
        self.row, self.secret = register_app(
            actor=self.author,
            name="Charts",
            homepage="https://app.example.org/",
            redirect_uris=[redirect],
            is_confidential=keeps_secret,
        )
        self.redirect = redirect

    @property
    def stored(self) -> OAuthApp:
        """The row as it is now."""
        found: OAuthApp = OAuthApp.objects.get(pk=self.row.pk)
        return found

    def question(self, **changes: str | None) -> dict[str, str]:
        """Return the query that people are sent with."""
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.row.client_id,
            "redirect_uri": self.redirect,
            "scope": " ".join(SCOPES),
            "state": STATE,
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
            **changes,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def post(self, path: str, **fields: str) -> Any:  # Any: a response of the test client
        """Post as the app does: with its secret if it keeps one."""
        headers = {}
        if self.secret:
            pair = f"{self.row.client_id}:{self.secret}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
        else:
            fields.setdefault("client_id", self.row.client_id)
        return Client().post(path, fields, headers=headers)

    def exchange(self, code: str, **changes: str) -> Any:  # Any: a response of the test client
        """Ask for tokens with a code."""
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": VERIFIER,
        }
        return self.post("/oauth/token/", **{**fields, **changes})

    def refresh(self, token: str, **changes: str) -> Any:  # Any: a response of the test client
        """Ask for the next tokens."""
        fields = {"grant_type": "refresh_token", "refresh_token": token, **changes}
        return self.post("/oauth/token/", **fields)

    def tokens_of(self, person: User, **changes: str | None) -> dict[str, Any]:  # Any: JSON
        """Have somebody allow everything that is asked, and return the tokens."""
        answer = self.exchange(code_of(allow(person, self.question(**changes))))
        assert answer.status_code == 200, answer.content
        return dict(answer.json())


def browser_of(person: User) -> Client:
    """Return a browser in which somebody is signed in."""
    client = Client()
    client.force_login(person)
    return client


def ask(person: User, question: dict[str, str]) -> Any:  # Any: a response of the test client
    """Let somebody look at the page that asks."""
    return browser_of(person).get("/oauth/authorize/", question)


def allow(person: User, question: dict[str, str], **fields: str) -> Any:
    """Let somebody answer; "allow" unless told otherwise."""
    address = f"/oauth/authorize/?{urlencode(question)}"
    return browser_of(person).post(address, {"allow": "yes", **fields})


def answer_of(response: Any) -> dict[str, str]:  # Any: a response of the test client
    """Return what the app is told through the browser."""
    assert response.status_code == 302, response.content
    return dict(parse_qsl(urlsplit(response.headers["Location"]).query))


def code_of(response: Any) -> str:  # Any: a response of the test client
    """Return the code that the app is told."""
    return answer_of(response)["code"]
