"""Signing a terminal in and out."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from pentathlon.accounts.models import ApiToken, DeviceLogin, Scope, User
from pentathlon_engines.cli.client import connection
from pentathlon_engines.cli.client.connection import SITE_VARIABLE, TOKEN_VARIABLE
from tests.e2e.cli.conftest import SITE, sign_in
from tests.engines.commands import Run
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db

Meanwhile = Callable[..., None]


def answer(person: User, word: str) -> Callable[[], object]:
    """Return what a person does in the browser."""

    def act() -> None:
        browser = Client()
        browser.force_login(person)
        code = DeviceLogin.objects.get().shown_code
        browser.post("/activate/", {"code": code, "answer": word})

    return act


def stored() -> dict[str, object]:
    told: dict[str, object] = json.loads(connection.credentials_path().read_text())
    return told


def test_code_that_is_approved_signs_in(run: Run, meanwhile: Meanwhile) -> None:
    person = make_user("ada")
    meanwhile(lambda: None, answer(person, "approve"))

    done = run("login", SITE, "--name", "desk")

    assert done.code == 0, done.err
    assert f"Open {SITE}/activate/?code=" in done.err
    assert done.out.startswith(f"Signed in to {SITE} as ada.\nNext: pentathlon init")
    token = ApiToken.objects.get()
    assert (token.name, token.scopes) == ("desk", [Scope.BOTS_WRITE, Scope.PRIVATE_READ])
    assert run("whoami").out.startswith(f"ada at {SITE}\n")


def test_tokens_are_for_their_owner_alone(run: Run, meanwhile: Meanwhile) -> None:
    meanwhile(answer(make_user(), "approve"))

    run("login", SITE)

    path = connection.credentials_path()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    refused = run("whoami")
    assert refused.code == 3
    assert f"Try: chmod 600 {path}" in refused.err


def test_code_that_is_denied_ends_with_1(run: Run, meanwhile: Meanwhile) -> None:
    meanwhile(answer(make_user(), "deny"))

    denied = run("login", SITE)

    assert denied.code == 1
    assert denied.err.endswith(f"denied in the browser.\nTry: pentathlon login {SITE}\n")
    assert not connection.credentials_path().exists()


def test_code_that_nobody_confirms_ends_with_1(run: Run, meanwhile: Meanwhile) -> None:
    meanwhile(lambda: DeviceLogin.objects.all().delete())

    late = run("login", SITE)

    assert late.code == 1
    assert "The code was not confirmed in time." in late.err


def test_second_login_revokes_the_first_token(run: Run, meanwhile: Meanwhile) -> None:
    person = make_user()
    for _ in range(2):
        meanwhile(answer(person, "approve"))
        assert run("login", SITE, "--json").data["username"] == person.username

    assert ApiToken.objects.count() == 1


def test_logout_revokes_and_forgets(run: Run, meanwhile: Meanwhile) -> None:
    meanwhile(answer(make_user(), "approve"))
    run("login", SITE)

    out = run("logout")

    assert out.code == 0
    assert not ApiToken.objects.exists()
    assert stored()["tokens"] == {}
    assert run("logout", SITE).code == 2


def test_token_from_standard_input_is_checked_and_kept(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, secret = make_token(make_user("ada"))
    (tmp_path / "token").write_text(f"{secret}\n")
    (tmp_path / "wrong").write_text("ptl_wrong\n")

    with (tmp_path / "token").open() as given:
        monkeypatch.setattr("sys.stdin", given)
        done = run("login", SITE, "--token-stdin", "--json")
    with (tmp_path / "wrong").open() as given:
        monkeypatch.setattr("sys.stdin", given)
        wrong = run("login", SITE, "--token-stdin")

    assert (done.code, done.data["username"]) == (0, "ada")
    assert wrong.code == 2
    assert run("whoami", "--json").data["username"] == "ada"


def test_environment_comes_before_what_is_stored(
    run: Run, meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(answer(make_user("ada"), "approve"))
    run("login", SITE)

    sign_in(make_user("bob"), monkeypatch)

    assert run("whoami", "--json").data["username"] == "bob"


def test_token_of_the_environment_goes_to_its_own_site_only(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "ptl_secret")
    monkeypatch.setenv(SITE_VARIABLE, SITE)

    assert connection.connect("http://other.example").token is None
    assert connection.connect(f"{SITE}/bots/").token == "ptl_secret"
    assert connection.connect().token == "ptl_secret"


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("localhost:8000", "http://localhost:8000"),
        ("http://127.0.0.1:8000/docs/bots/", "http://127.0.0.1:8000"),
        ("games.example", "https://games.example"),
        ("games.example/kit/", "https://games.example"),
        ("HTTPS://Games.Example", "https://games.example"),
    ],
)
def test_whatever_names_a_site_is_understood(typed: str, origin: str) -> None:
    assert connection.origin_of(typed) == origin


@pytest.mark.parametrize("typed", ["ftp://host", "http://", "http://me:secret@host", "http://h:x"])
def test_what_names_no_site_is_refused(run: Run, typed: str) -> None:
    refused = run("login", typed)

    assert refused.code == 2
    assert "is not the address of a site" in refused.err


def test_without_a_site_the_next_command_is_named(run: Run) -> None:
    lost = run("whoami")

    assert lost.code == 2
    assert "No site is given" in lost.err
    assert "Try: pentathlon login http" in lost.err


def test_site_of_the_package_is_the_default(
    run: Run, monkeypatch: pytest.MonkeyPatch, meanwhile: Meanwhile
) -> None:
    class Installed:
        def read_text(self, name: str) -> str:
            assert name == "direct_url.json"
            return json.dumps({"url": f"{SITE}/kit/pentathlon_engines-1-py3-none-any.whl"})

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Installed())
    meanwhile(answer(make_user(), "approve"))

    assert run("login").out.startswith(f"Signed in to {SITE} as ")
