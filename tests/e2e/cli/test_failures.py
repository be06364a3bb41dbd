"""What goes wrong on the way to a site: one sentence, and the next command."""

import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
import urllib3

from pentathlon.accounts.models import User
from pentathlon_engines.cli.client import http_site
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__
from tests.e2e.cli.conftest import SITE, sign_in
from tests.engines.commands import Run

pytestmark = pytest.mark.django_db

Server = Callable[..., list[float]]


def answering(*answers: tuple[int, dict[str, str], bytes]) -> type[urllib3.PoolManager]:
    """Return a pool whose server gives these answers, the last one again and again."""
    left = list(answers)

    class Scripted(urllib3.PoolManager):
        def urlopen(  # type: ignore[override]  # fewer names
            self, method: str, url: str, redirect: bool = True, **sent: Any
        ) -> urllib3.HTTPResponse:
            status, headers, body = left.pop(0) if len(left) > 1 else left[0]
            return urllib3.HTTPResponse(body=body, status=status, headers=headers)

    return Scripted


class Unreachable(urllib3.PoolManager):
    """A site whose machine refuses every connection."""

    def urlopen(  # type: ignore[override]  # fewer names
        self, method: str, url: str, redirect: bool = True, **sent: Any
    ) -> urllib3.HTTPResponse:
        raise urllib3.exceptions.HTTPError("Connection refused")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, author: User) -> Callable[..., list[float]]:
    """Return a function that replaces the site by a script; it returns all pauses."""

    def play(*answers: tuple[int, dict[str, str], bytes]) -> list[float]:
        pauses: list[float] = []
        pool = answering(*answers)()
        monkeypatch.setattr(http_site, "_pool", lambda origin: pool)
        monkeypatch.setattr(time, "sleep", pauses.append)
        return pauses

    return play


OK = (200, {"Content-Type": "application/json"}, b'{"results": [], "next": null}')
HTML = (404, {"Content-Type": "text/html"}, b"<h1>Not found</h1>")


def test_wrong_token_names_the_login(
    run: Run, author: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(author, monkeypatch)
    monkeypatch.setenv("PENTATHLON_TOKEN", "ptl_wrong")

    refused = run("whoami")

    assert refused.code == 2
    assert refused.err == (
        f"{SITE} does not accept your token: it is wrong, revoked or expired.\n"
        f"Try: unset PENTATHLON_TOKEN; pentathlon login {SITE}\n"
    )


ASKING = (
    ("whoami",),
    ("bots",),
    ("bots", "--all"),
    ("matches", "mine"),
    ("leaderboard", "tuned"),
    ("logs", "mine"),
    ("challenge", "mine", "random"),
    ("watch", "mine"),
    ("watch", "1"),
    ("repro", "1", "mine"),
    ("verify", "1"),
    ("dataset", "tuned"),
)
"""Commands that ask a site, with their arguments."""


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_answers_of_another_api_are_told_with_the_kit(
    run: Run,
    server: Server,
    author: User,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    sign_in(author, monkeypatch)
    server((200, {"Content-Type": "application/json"}, b'{"hello": "world"}'))

    failed = run(*command)

    assert failed.code == 3
    assert failed.err.splitlines()[-2:] == [
        (
            f"{SITE} does not speak version 1 of the API; this is pentathlon {__version__}, "
            f"with version {PROTOCOL} of the bot protocol."
        ),
        f"Try: the install command on {SITE}/kit/",
    ]


def test_record_of_another_api_ends_watching_with_the_kit(run: Run, server: Server) -> None:
    kind = {"Content-Type": "application/json"}
    server((200, kind, b'{"state": "done"}'), (200, kind, b'{"hello": "world"}'))

    failed = run("watch", "1")

    assert failed.code == 3
    assert failed.err.startswith(f"{SITE} does not speak version 1 of the API; ")
    assert failed.err.endswith(f"\nTry: the install command on {SITE}/kit/\n")


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_site_that_is_down_is_told_at_once(
    run: Run, author: User, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    sign_in(author, monkeypatch)
    monkeypatch.setattr(http_site, "_pool", lambda origin: Unreachable())
    monkeypatch.setattr(time, "sleep", lambda s: None)

    failed = run(*command)

    assert failed.code == 3
    assert failed.err.splitlines()[-2:] == [
        f"{SITE} does not answer: Connection refused.",
        f"Try: {SITE}/status/ in a browser, then the same command",
    ]


def test_server_that_is_down_ends_with_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setattr(http_site, "_pool", lambda origin: urllib3.PoolManager())
        monkeypatch.setattr(time, "sleep", lambda s: None)

        failed = run("leaderboard", "tuned", "--site", origin)

    assert failed.code == 3
    assert failed.err.startswith(f"{origin} does not answer: ")
    assert "Connection refused" in failed.err
    assert "object at 0x" not in failed.err
    assert f"Try: {origin}/status/ in a browser" in failed.err


@pytest.mark.parametrize("answer", [HTML, (200, {}, b"<html>"), (302, {"Location": "/x"}, b"")])
def test_what_is_no_such_site_is_told_with_the_kit(
    run: Run, server: Server, answer: tuple[int, dict[str, str], bytes]
) -> None:
    server(answer)

    failed = run("bots", "--all")

    assert failed.code == 3
    assert f"{SITE} does not speak version 1 of the API; this is pentathlon " in failed.err
    assert f"Try: the install command on {SITE}/kit/" in failed.err


def test_site_that_has_moved_is_not_followed(run: Run, server: Server) -> None:
    server((301, {"Location": "https://games.example/api/v1/bots/"}, b""))

    failed = run("bots", "--all")

    assert failed.code == 2
    assert failed.err == (
        f"{SITE} redirects its visitors to https://games.example.\n"
        "Try: pentathlon login https://games.example\n"
    )


def test_other_protocol_is_told_with_the_kit(run: Run, server: Server) -> None:
    told = {"protocol": PROTOCOL + 1, "version": "9"}
    server((200, {}, json.dumps(told).encode()))

    failed = run("login", SITE)

    assert failed.code == 3
    assert f"{SITE} speaks version {PROTOCOL + 1} of the bot protocol; this is" in failed.err
    assert f"Try: the install command on {SITE}/kit/" in failed.err


def test_short_refusals_are_waited_out(run: Run, server: Server) -> None:
    pauses = server((503, {"Retry-After": "2"}, b""), (429, {"Retry-After": "3"}, b""), OK)

    assert run("bots", "--all").code == 0
    assert pauses == [2, 3]


def test_long_refusal_is_told(run: Run, server: Server) -> None:
    problem = {"Content-Type": "application/problem+json", "Retry-After": "1800"}
    pauses = server((429, problem, b'{"code": "throttled", "detail": "Too many."}'))

    failed = run("bots", "--all")

    assert failed.code == 3
    assert "too many requests from you: wait 1,800 seconds" in failed.err
    assert pauses == []


def test_server_error_ends_with_3(run: Run, server: Server) -> None:
    server((500, {}, b"oops"))

    failed = run("bots", "--all")

    assert failed.code == 3
    assert f"{SITE} cannot answer now: 500" in failed.err


def test_unknown_bot_is_wrong_use(run: Run, author: User) -> None:
    failed = run("matches", "nobody")

    assert failed.code == 2
    assert f"There is no bot 'nobody' on {SITE}." in failed.err
    assert "Try: pentathlon bots --all" in failed.err


def test_match_that_the_site_does_not_show_is_named(
    run: Run, author: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(author, monkeypatch)

    failed = run("verify", "99999")

    assert failed.code == 2
    assert failed.err == (
        f"{SITE} shows you no match 99999: there is none, or it is private, which is for those who"
        f" take part.\nTry: pentathlon login {SITE}\n"
    )
