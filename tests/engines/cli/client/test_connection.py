"""Which site a command uses, and as whom."""

import pytest

from pentathlon_engines.cli.client import connection
from pentathlon_engines.cli.client.connection import (
    SITE_VARIABLE,
    TOKEN_VARIABLE,
    Credential,
    Credentials,
    connect,
    connect_as_person,
    is_private_line,
    origin_of,
    split_address,
    usual_site,
)
from pentathlon_engines.cli.failure import CommandFailed

HOME = "https://home.example"
WORK = "https://work.example"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Credentials:
    """Let a person have signed in to two sites, to the first one last."""
    tokens = {
        HOME: Credential(token="ptl_home", username="ann"),
        WORK: Credential(token="ptl_work", username="ann"),
    }
    stored = Credentials(site=HOME, by_site=tokens)
    monkeypatch.setattr(Credentials, "load", lambda: stored)
    for name in (SITE_VARIABLE, TOKEN_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    return stored


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Example.org/bots/7/?x=1", "https://example.org"),
        ("http://example.org:8000", "http://example.org:8000"),
        ("example.org", "https://example.org"),
        ("example.org:8443/bots/", "https://example.org:8443"),
        ("localhost", "http://localhost"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000/bots/", "http://127.0.0.1:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("[::1]", "http://[::1]"),
        ("localhost.example.org", "https://localhost.example.org"),
    ],
)
def test_pasted_address_names_a_site(address: str, origin: str) -> None:
    assert origin_of(address) == origin


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://",
        "ftp://example.org",
        "https://a:b@example.org",
        "http://x:port/",
        "http://[::1",
        "x:port",
        "[::1",
    ],
    ids=repr,
)
def test_address_of_no_site_is_refused(address: str) -> None:
    with pytest.raises(CommandFailed, match="is not the address of a site"):
        origin_of(address)


@pytest.mark.parametrize(
    ("origin", "is_private"),
    [
        ("https://example.org", True),
        ("http://localhost:8000", True),
        ("http://127.1.2.3", True),
        ("http://[::1]:8000", True),
        ("http://example.org", False),
        ("http://127.0.0.1.example.org", False),
    ],
)
def test_line_is_private_if_it_is_encrypted_or_inside_this_machine(
    origin: str, is_private: bool
) -> None:
    assert is_private_line(origin) is is_private


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7", (None, 7)),
        ("https://example.org/matches/7/", ("https://example.org", 7)),
        ("https://example.org/api/v1/matches/7/?x#y", ("https://example.org", 7)),
        ("https://example.org/bots/7/", (None, None)),
        ("tiger", (None, None)),
        ("9" * 19, (None, None)),
    ],
)
def test_number_or_address_names_an_object(
    text: str, found: tuple[str | None, int | None]
) -> None:
    assert split_address(text, "matches") == found


def test_site_of_the_last_login_is_the_usual_one(known: Credentials) -> None:
    site = connect()

    assert (site.origin, site.token) == (HOME, "ptl_home")


def test_address_on_the_command_line_comes_first(
    known: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SITE_VARIABLE, "third.example")
    monkeypatch.setenv(TOKEN_VARIABLE, "ptl_third")

    site = connect(WORK)

    assert (site.origin, site.token) == (WORK, "ptl_work"), "no token goes to a foreign site"


def test_environment_comes_before_what_was_stored(
    known: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SITE_VARIABLE, "third.example")
    monkeypatch.setenv(TOKEN_VARIABLE, " ptl_third\n")

    site = connect()

    assert (site.origin, site.token) == ("https://third.example", "ptl_third")


def test_site_without_a_login_is_read_by_nobody(known: Credentials) -> None:
    assert connect("third.example").token is None
    with pytest.raises(
        CommandFailed, match=r"have not signed in to https://third\.example"
    ) as failed:
        connect_as_person("third.example")
    assert failed.value.try_next == "pentathlon login https://third.example"


class Installed:
    """A distribution with what pip has noted about where it came from."""

    def __init__(self, noted: str | None) -> None:
        self._noted = noted

    def read_text(self, name: str) -> str | None:
        return self._noted


@pytest.mark.parametrize(
    ("noted", "origin"),
    [
        ('{"url": "https://kit.example/kit/pentathlon.whl"}', "https://kit.example"),
        ('{"url": "https://pypi.example/pentathlon.whl"}', None),
        ('{"url": "file:///kit/pentathlon.whl"}', None),
        ("{", None),
        (None, None),
    ],
)
def test_package_knows_the_site_that_served_it(
    noted: str | None, origin: str | None, known: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "distribution", lambda name: Installed(noted))

    if origin is not None:
        assert usual_site(Credentials()) == origin
        return
    with pytest.raises(CommandFailed, match="No site is given"):
        usual_site(Credentials())
