"""`pentathlon login`, `logout` and `whoami`: whose token lies here, and what an old one is for."""

import io
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pentathlon_engines.cli.client.connection import TOKEN_VARIABLE, Credential, Credentials
from pentathlon_engines.cli.commands import login
from pentathlon_engines.cli.commands.login import DeviceCode
from pentathlon_engines.cli.failure import USAGE, CommandFailed
from tests.engines.cli.client.fake_sites import FakeSite, as_site, away
from tests.engines.commands import Run

SITE = "https://example.org"
FACTS = {
    "username": "ann", "name": "desk", "scopes": ["bots:write"], "expires_at": "2027-01-02T03:04Z",
}  # fmt: skip


class Sites:
    """All sites, by who asks; it notes which tokens were revoked."""

    def __init__(self) -> None:
        self.revoked: list[str | None] = []
        self.revoking_fails: CommandFailed | None = None

    def open(self, origin: str, *, token: str | None = None) -> Any:
        return Asked(self, origin, token)


class Asked(FakeSite):
    """A site as the holder of one token sees it."""

    def __init__(self, sites: Sites, origin: str, token: str | None) -> None:
        super().__init__({"tokens/current/": FACTS, "kit/": {}})
        self.origin, self.token = origin, token
        self._sites = sites

    def kit(self) -> Any:
        return self.get("kit/")

    def delete(self, path: str) -> None:
        if self._sites.revoking_fails is not None:
            raise self._sites.revoking_fails
        self._sites.revoked.append(self.token)


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Credentials:
    """Return what is stored here: a login of ann's."""
    found = Credentials(site=SITE, by_site={SITE: Credential(token="ptl_old", username="ann")})
    monkeypatch.setattr(Credentials, "load", lambda: found)
    monkeypatch.setattr(Credentials, "save", lambda _: None)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    return found


@pytest.fixture
def sites(monkeypatch: pytest.MonkeyPatch, stored: Credentials) -> Sites:
    sites = Sites()
    monkeypatch.setattr(login, "Site", sites.open)
    return sites


@pytest.fixture
def with_token(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_token_of_standard_input_takes_the_place_of_the_old_one(
    run: Run, sites: Sites, stored: Credentials, with_token: Callable[[str], None]
) -> None:
    with_token(" ptl_new\n")

    ended = run("login", SITE, "--token-stdin")

    assert (ended.code, ended.out.splitlines()[0]) == (0, f"Signed in to {SITE} as ann.")
    assert stored.by_site[SITE].token == "ptl_new"
    assert sites.revoked == ["ptl_old"]


def test_same_token_again_is_not_revoked(
    run: Run, sites: Sites, with_token: Callable[[str], None]
) -> None:
    with_token("ptl_old\n")

    run("login", SITE, "--token-stdin")

    assert sites.revoked == []


def test_old_token_that_cannot_be_revoked_is_told(
    run: Run, sites: Sites, with_token: Callable[[str], None]
) -> None:
    sites.revoking_fails = away()
    with_token("ptl_new\n")

    ended = run("login", SITE, "--token-stdin")

    assert ended.code == 0
    assert "The token of your earlier login was not revoked" in ended.err


def test_login_without_a_token_is_refused(
    run: Run, sites: Sites, with_token: Callable[[str], None]
) -> None:
    with_token("\n")

    ended = run("login", SITE, "--token-stdin")

    assert ended.code == USAGE
    assert "There was no token on standard input" in ended.err


def test_open_line_is_warned_of(run: Run, sites: Sites, with_token: Callable[[str], None]) -> None:
    with_token("ptl_new\n")

    assert "is not encrypted" in run("login", "http://example.org", "--token-stdin").err


class Desk(NamedTuple):
    """Where a person signs in, and whether a browser is to open there."""

    opens: bool
    options: tuple[str, ...] = ()
    is_terminal: bool = True
    has_desktop: bool = True


DESKS = {
    "desktop": Desk(opens=True),
    "by request": Desk(opens=False, options=("--no-browser",)),
    "far machine": Desk(opens=False, has_desktop=False),
    "script": Desk(opens=False, is_terminal=False),
}
CODE = DeviceCode(device_code="d", user_code="ABCD", page="https://p", expires_s=60, interval_s=5)


@pytest.mark.parametrize("desk", DESKS.values(), ids=DESKS)
def test_browser_is_opened_only_where_a_person_sees_it(
    desk: Desk, run: Run, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(login, "begin_login", lambda site, **_: CODE)
    monkeypatch.setattr(login, "await_token", lambda site, _: {"token": "ptl_new"})
    monkeypatch.setattr(login, "_has_desktop", lambda: desk.has_desktop)
    monkeypatch.setattr("sys.stderr.isatty", lambda: desk.is_terminal)
    monkeypatch.setattr("webbrowser.open", opened.append)

    ended = run("login", SITE, *desk.options)

    assert "approve the code ABCD" in ended.err
    assert opened == (["https://p"] if desk.opens else [])


@pytest.mark.parametrize(
    ("variables", "platform", "has_one"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "w"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_desktop_is_where_a_browser_has_a_window(
    variables: dict[str, str], platform: str, has_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)

    assert login._has_desktop() is has_one


@pytest.mark.parametrize("fails", [False, True])
def test_signing_out_forgets_the_token_whatever_the_site_says(
    fails: bool, run: Run, sites: Sites, stored: Credentials
) -> None:
    sites.revoking_fails = away() if fails else None

    ended = run("logout", "--json")

    assert ended.data == {"site": SITE, "username": "ann"}
    assert (stored.site, stored.by_site) == (None, {})
    assert sites.revoked == ([] if fails else ["ptl_old"])
    assert ("is deleted from this machine anyway" in ended.err) is fails


def test_nobody_signs_out_twice(run: Run, sites: Sites, stored: Credentials) -> None:
    stored.by_site.clear()

    ended = run("logout", SITE)

    assert ended.code == USAGE
    assert f"You have not signed in to {SITE}" in ended.err


@pytest.mark.parametrize("token", [None, "ptl_env"])
def test_whoami_says_whose_token_it_is(
    token: str | None, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if token is not None:
        monkeypatch.setenv(TOKEN_VARIABLE, token)
    site = FakeSite({"tokens/current/": FACTS})
    monkeypatch.setattr(login, "connect_as_person", lambda address: as_site(site))

    ended = run("whoami")

    assert ended.out.splitlines() == [
        f"ann at {SITE}",
        "token “desk”, may bots:write, until 2027-01-02",
    ]
    assert (TOKEN_VARIABLE in ended.err) is (token is not None)
