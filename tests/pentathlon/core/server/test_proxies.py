"""Nobody but our own proxies says who a client is."""

import pytest

from pentathlon.core.server.proxies import WAS_FORWARDED, without_hearsay
from pentathlon.core.server.refusals import Scope
from tests.pentathlon.core.server.asking import scope_of

CLAIMS = ("X-Forwarded-For", "X_Forwarded_For", "X-Forwarded_For", "Forwarded", "X-Real-IP")


def told(proxies: int, *headers: tuple[str, str]) -> Scope:
    return without_hearsay(scope_of("/", headers=headers), proxies=proxies)


@pytest.mark.parametrize("name", CLAIMS)
def test_client_cannot_say_who_it_is(name: str) -> None:
    scope = told(0, (name, "1.2.3.4"))

    assert scope["client"][0] == "10.3.2.1"
    assert scope["headers"] == [(b"host", b"localhost")]


@pytest.mark.parametrize("name", CLAIMS[1:])
def test_proxy_is_believed_and_its_client_is_not(name: str) -> None:
    scope = told(1, (name, "6.6.6.6"), ("X-Forwarded-For", "7.7.7.7, 1.2.3.4"), (name, "6.6.6.6"))

    assert scope["client"][0] == "1.2.3.4"
    assert scope["headers"] == [(b"host", b"localhost")]


@pytest.mark.parametrize(
    ("proxies", "line", "client"),
    [
        (2, "7.7.7.7, 1.2.3.4, 10.0.0.1", "1.2.3.4"),
        (2, "1.2.3.4", "1.2.3.4"),
        (1, "1.2.3.4:5678", "1.2.3.4"),
        (1, "[2001:db8::1]:5678", "2001:db8::1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "nonsense", "10.3.2.1"),
        (1, "", "10.3.2.1"),
    ],
)
def test_address_is_the_one_before_our_proxies(proxies: int, line: str, client: str) -> None:
    assert told(proxies, ("X-Forwarded-For", line))["client"][0] == client


@pytest.mark.parametrize(("proxies", "scheme"), [(0, "http"), (1, "https")])
def test_scheme_is_what_a_proxy_of_ours_says(proxies: int, scheme: str) -> None:
    assert told(proxies, ("X-Forwarded-Proto", "https"))["scheme"] == scheme


def test_it_is_remembered_that_somebody_forwarded() -> None:
    assert told(0, ("X-Forwarded-For", "1.2.3.4"))[WAS_FORWARDED]
    assert not told(0)[WAS_FORWARDED]
