"""Apps get tokens by the authorization code flow with PKCE, and by nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import get_access_token_model, get_grant_model, get_refresh_token_model

from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.access import IDENTITY
from pentathlon.accounts.oauth.services import block_app, end_access, rotate_app_secret
from pentathlon.accounts.roles import close_account
from tests.api.client import V1
from tests.factories import make_staff, make_user
from tests.pentathlon.accounts.oauth.acting import (
    STATE,
    VERIFIER,
    FakeApp,
    allow,
    answer_of,
    ask,
    challenge_of,
    code_of,
)
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db
CLIENT_AUTH = ("client_secret_basic", "client_secret_post", "none")


@pytest.fixture
def person() -> User:
    return make_user()


@pytest.fixture
def app() -> FakeApp:
    return FakeApp()


def _me(token: str) -> Any:
    return Client().get(f"{V1}/me/", headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("keeps_secret", [True, False], ids=["confidential", "public"])
def test_person_allows_an_app_which_then_acts_for_them(person: User, keeps_secret: bool) -> None:
    app = FakeApp(keeps_secret=keeps_secret)

    answer = allow(person, app.question(scope=IDENTITY))
    told = answer_of(answer)
    tokens = app.exchange(told["code"]).json()

    assert answer.headers["Location"].startswith(app.redirect + "&")
    assert (told["state"], told["iss"]) == (STATE, "http://testserver")
    assert tokens["token_type"] == "Bearer"
    assert (tokens["expires_in"], tokens["scope"]) == (3600, IDENTITY)
    assert _me(tokens["access_token"]).json()["username"] == person.username


def test_page_says_in_words_what_the_app_may_do_and_whose_it_is(
    person: User, app: FakeApp
) -> None:
    response = ask(person, app.question(scope=f"{IDENTITY} bots:write"))
    page = page_of(response)

    assert "Let Charts act for you?" in page.text
    assert "know who you are" in page.text
    assert "upload, challenge with and retire own bots" in page.text
    assert "run own tournaments" not in page.text
    assert f"by {app.author.username}" in page.text
    assert "https://app.example.org" in page.text
    policy = response.headers["Content-Security-Policy"]
    assert "form-action 'self' https://app.example.org" in policy
    assert page.mistakes == []


def test_stranger_signs_in_first(app: FakeApp) -> None:
    response = Client().get("/oauth/authorize/", app.question())

    assert response.status_code == 302
    assert response.headers["Location"].startswith("/sign-in/?next=/oauth/authorize/")


def test_person_is_asked_again_the_next_time(person: User, app: FakeApp) -> None:
    app.tokens_of(person)

    assert ask(person, app.question()).status_code == 200


def test_denial_tells_the_app_and_makes_nothing(person: User, app: FakeApp) -> None:
    told = answer_of(allow(person, app.question(), allow=""))

    assert (told["error"], told["state"]) == ("access_denied", STATE)
    assert not get_grant_model().objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "https://app.example.org/callback"},
        {"redirect_uri": "https://app.example.org/callback?from=pentathlon&more=1"},
        {"redirect_uri": "https://app.example.org/callback?from=pentathlon#x"},
        {"redirect_uri": "https://app.example.org.evil.example/callback?from=pentathlon"},
        {"redirect_uri": "https://app.example.org@evil.example/callback?from=pentathlon"},
        {"redirect_uri": "http://app.example.org/callback?from=pentathlon"},
        {"redirect_uri": "http://127.0.0.1:1234/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"client_id": "nobody"},
        {"client_id": None},
    ],
    ids=str,
)
def test_wrong_address_or_app_is_refused_on_our_own_page(
    person: User, app: FakeApp, changes: dict[str, str | None]
) -> None:
    for response in (ask(person, app.question(**changes)), allow(person, app.question(**changes))):
        assert response.status_code == 400
        assert "Location" not in response.headers
        assert "The app sent a wrong request" in page_of(response).text


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"response_type": "token"}, "unauthorized_client"),
        ({"response_type": "code token"}, "unauthorized_client"),
    ],
    ids=str,
)
def test_wrong_question_gets_an_error_and_no_code(
    person: User, app: FakeApp, changes: dict[str, str | None], error: str
) -> None:
    for response in (ask(person, app.question(**changes)), allow(person, app.question(**changes))):
        where = response.headers["Location"]
        assert where.startswith(app.redirect)
        assert "code=" not in where
        assert f"error={error}" in where
    assert not get_grant_model().objects.exists()


@pytest.mark.parametrize(
    "redirect",
    ["http://127.0.0.1/callback", "http://[::1]/callback", "http://127.0.0.1:80/callback"],
)
def test_loopback_address_takes_any_port(person: User, redirect: str) -> None:
    app = FakeApp(redirect=redirect)
    host = redirect.removeprefix("http://").partition("/")[0].removesuffix(":80")
    app.redirect = f"http://{host}:49152/callback"

    tokens = app.tokens_of(person)
    other = ask(person, app.question(redirect_uri=f"http://{host}:49152/elsewhere"))

    assert tokens["access_token"]
    assert other.status_code == 400


def test_wrong_verifier_gets_nothing(person: User, app: FakeApp) -> None:
    for verifier in ("w" * 60, challenge_of(VERIFIER), ""):
        code = code_of(allow(person, app.question()))
        refused = app.exchange(code, code_verifier=verifier)

        assert refused.status_code == 400
        assert refused.json()["error"] in {"invalid_grant", "invalid_request"}
    assert not get_access_token_model().objects.exists()


def test_code_works_once(person: User, app: FakeApp) -> None:
    code = code_of(allow(person, app.question()))

    first, second = app.exchange(code), app.exchange(code)

    assert first.status_code == 200
    assert (second.status_code, second.json()["error"]) == (400, "invalid_grant")


def test_code_expires(person: User, app: FakeApp) -> None:
    code = code_of(allow(person, app.question()))
    past = timezone.now() - timedelta(seconds=1)
    get_grant_model().objects.update(expires=past)

    assert app.exchange(code).json()["error"] == "invalid_grant"


def test_code_of_another_app_or_address_gets_nothing(person: User, app: FakeApp) -> None:
    other = FakeApp()
    code = code_of(allow(person, app.question()))

    foreign = other.exchange(code)
    elsewhere = app.exchange(code, redirect_uri="https://app.example.org/other")

    assert foreign.json()["error"] == "invalid_grant"
    assert elsewhere.status_code == 400
    assert not get_access_token_model().objects.exists()


def test_confidential_app_needs_its_secret(person: User) -> None:
    app = FakeApp(keeps_secret=True)
    right, app.secret = app.secret, "wrong"
    code = code_of(allow(person, app.question()))
    wrong = app.exchange(code)
    app.secret = ""
    none = app.exchange(code)
    app.secret = right
    _, newer = rotate_app_secret(actor=app.author, app_id=app.row.pk)
    old = app.exchange(code)
    app.secret = newer

    assert [each.json()["error"] for each in (wrong, none, old)] == ["invalid_client"] * 3
    assert app.exchange(code).status_code == 200


@pytest.mark.parametrize("grant", ["password", "client_credentials", "urn:ietf:params:x", ""])
def test_there_is_no_other_way_to_a_token(person: User, grant: str) -> None:
    app = FakeApp(keeps_secret=True)

    answer = app.post("/oauth/token/", grant_type=grant, username=person.username, password="x")

    assert answer.status_code in {400, 401}
    assert not get_access_token_model().objects.exists()


def test_refresh_token_is_replaced_and_keeps_the_scopes(person: User, app: FakeApp) -> None:
    first = app.tokens_of(person, scope=IDENTITY)

    second = app.refresh(first["refresh_token"]).json()
    wider = app.refresh(second["refresh_token"], scope="bots:write")

    assert second["refresh_token"] != first["refresh_token"]
    assert second["scope"] == IDENTITY
    assert _me(first["access_token"]).status_code == 401
    assert _me(second["access_token"]).status_code == 200
    assert wider.json()["error"] == "invalid_scope"


def test_refresh_token_that_comes_twice_ends_the_sign_in(person: User, app: FakeApp) -> None:
    first = app.tokens_of(person)
    second = app.refresh(first["refresh_token"]).json()

    stolen = app.refresh(first["refresh_token"])
    after = app.refresh(second["refresh_token"])

    assert (stolen.status_code, after.status_code) == (400, 400)
    assert _me(second["access_token"]).status_code == 401


def test_refresh_token_of_another_app_gets_nothing(person: User, app: FakeApp) -> None:
    tokens = app.tokens_of(person)

    refused = FakeApp().refresh(tokens["refresh_token"])

    assert refused.json()["error"] == "invalid_grant"
    assert app.refresh(tokens["refresh_token"]).status_code == 200


def test_refresh_token_expires_if_it_is_not_used(person: User, app: FakeApp) -> None:
    tokens = app.tokens_of(person)
    long_ago = timezone.now() - timedelta(days=91)
    get_access_token_model().objects.update(expires=long_ago)
    get_refresh_token_model().objects.update(created=long_ago, updated=long_ago)

    assert app.refresh(tokens["refresh_token"]).status_code == 400


def test_access_token_expires(person: User, app: FakeApp) -> None:
    tokens = app.tokens_of(person)
    get_access_token_model().objects.update(expires=timezone.now() - timedelta(seconds=1))

    assert _me(tokens["access_token"]).status_code == 401


def test_app_revokes_its_own_tokens_and_no_others(person: User, app: FakeApp) -> None:
    tokens, again = app.tokens_of(person), app.tokens_of(person)
    foreign = FakeApp().post("/oauth/revoke/", token=tokens["access_token"])
    kept = _me(tokens["access_token"]).status_code

    access = app.post("/oauth/revoke/", token=tokens["access_token"])
    refresh = app.post("/oauth/revoke/", token=again["refresh_token"])
    unknown = app.post("/oauth/revoke/", token="nothing")

    assert kept == 200
    assert {each.status_code for each in (foreign, access, refresh, unknown)} == {200}
    assert _me(tokens["access_token"]).status_code == 401
    assert _me(again["access_token"]).status_code == 401
    assert app.refresh(tokens["refresh_token"]).status_code == 400
    assert app.refresh(again["refresh_token"]).status_code == 400


def test_person_ends_what_an_app_may_do(person: User, app: FakeApp) -> None:
    tokens = app.tokens_of(person)
    others = app.tokens_of(make_user())

    end_access(actor=person, app_id=app.row.pk)

    assert _me(tokens["access_token"]).status_code == 401
    assert app.refresh(tokens["refresh_token"]).status_code == 400
    assert _me(others["access_token"]).status_code == 200


def test_blocked_app_can_do_nothing(person: User, app: FakeApp) -> None:
    tokens, code = app.tokens_of(person), code_of(allow(person, app.question()))

    block_app(actor=make_staff(), app_id=app.row.pk, reason="It sells names.")

    assert _me(tokens["access_token"]).status_code == 401
    assert app.exchange(code).status_code in {400, 401}
    assert app.refresh(tokens["refresh_token"]).status_code in {400, 401}
    assert ask(person, app.question()).status_code == 400


def test_apps_of_closed_accounts_stop_and_so_do_tokens_for_them(person: User) -> None:
    author = make_user()
    app, other = FakeApp(owner=author), FakeApp()
    by_app, for_person = app.tokens_of(make_user()), other.tokens_of(person)
    staff = make_staff()

    close_account(actor=staff, person=author, reason="Spam.")
    close_account(actor=staff, person=person, reason="Spam.")

    assert _me(by_app["access_token"]).status_code == 401
    assert _me(for_person["access_token"]).status_code == 401
    assert other.refresh(for_person["refresh_token"]).status_code == 400


def test_no_secret_is_stored_readable(person: User) -> None:
    app = FakeApp(keeps_secret=True)
    tokens = app.tokens_of(person)
    code = code_of(allow(person, app.question()))

    stored = str(
        [
            *get_access_token_model().objects.values(),
            *get_refresh_token_model().objects.values(),
            app.stored.client_secret,
        ]
    )

    assert tokens["access_token"].startswith("pta_")
    assert tokens["refresh_token"].startswith("ptr_")
    for secret in (tokens["access_token"], tokens["refresh_token"], app.secret):
        assert secret not in stored
    assert code


def test_metadata_says_what_is_accepted(person: User) -> None:
    answer = Client().get("/.well-known/oauth-authorization-server")

    assert answer.json() == {
        "issuer": "http://testserver",
        "authorization_endpoint": "http://testserver/oauth/authorize/",
        "token_endpoint": "http://testserver/oauth/token/",
        "revocation_endpoint": "http://testserver/oauth/revoke/",
        "service_documentation": "http://testserver/docs/apps/",
        "scopes_supported": [
            *(IDENTITY, "bots:write", "private:read", "tournaments:write", "webhooks:write")
        ],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": [
            "client_secret_basic",
            "client_secret_post",
            "none",
        ],
        "revocation_endpoint_auth_methods_supported": [
            *("client_secret_basic", "client_secret_post", "none")
        ],
        "authorization_response_iss_parameter_supported": True,
    }
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
