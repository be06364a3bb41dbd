from collections.abc import Iterable
from ipaddress import ip_address
from itertools import chain, repeat

import pytest

from pentathlon.core.errors import InvalidInput
from pentathlon.webhooks.addresses import (
    ForbiddenAddress,
    check_address,
    check_url,
    resolve_target,
)

PUBLIC = ("93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001::8a")
INTERNAL = (
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
    *("100.64.0.1", "169.254.169.254", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1"),
    *("203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"),
    *("2002:7f00:1::1", "2002:808:808::1", "2001::1", "2001:10::1", "3fff::1", "100::1"),
)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    check_address(ip_address(address), allows_loopback=False)


@pytest.mark.parametrize("address", INTERNAL)
def test_internal_addresses_are_refused(address: str) -> None:
    with pytest.raises(ForbiddenAddress):
        check_address(ip_address(address), allows_loopback=False)


@pytest.mark.parametrize("address", [each for each in INTERNAL if not each.startswith("127.")])
def test_development_allows_nothing_but_this_machine(address: str) -> None:
    check_address(ip_address("127.0.0.1"), allows_loopback=True)

    with pytest.raises(ForbiddenAddress):
        check_address(ip_address(address), allows_loopback=True)


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org/a?b=c",
        "https://hooks.example.org:8443/",
        "https://93.184.216.34/",
        "https://xn--bcher-kva.example/",
    ],
)
def test_good_urls_are_kept_as_they_are(url: str) -> None:
    assert check_url(f" {url}\n", allows_loopback=False) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.org",
        "ftp://hooks.example.org/",
        "http://hooks.example.org/",
        "https://",
        "https://hooks.example.org:22/",
        "https://hooks.example.org:80/",
        "https://hooks.example.org:99999/",
        "https://name:word@hooks.example.org/",
        "https://hooks.example.org/#part",
        "https://hooks.example.org\\@evil.example/",
        "https://hooks.example.org/\x00",
        "https://hooks.exa mple.org/",
        "https://bücher.example/",
        "https://localhost/",
        "https://redis/",
        "https://api.internal/",
        "https://printer.local./",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://-a.example/",
        f"https://hooks.example.org/{'x' * 500}",
    ],
)
def test_bad_urls_are_refused_with_what_is_allowed(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_url(url, allows_loopback=False)

    assert (refused.value.code, refused.value.field) == ("bad_url", "url")
    assert refused.value.allowed == {"schemes": ["https"], "ports": [443, 8443]}


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8123/", "http://localhost:9/", "https://127.2.2.2/"]
)
def test_development_takes_receivers_on_this_machine(url: str) -> None:
    assert check_url(url, allows_loopback=True) == url
    with pytest.raises(InvalidInput):
        check_url("http://192.168.1.1/", allows_loopback=True)
    with pytest.raises(InvalidInput):
        check_url("http://hooks.example.org/", allows_loopback=True)


def test_name_with_one_internal_address_is_refused() -> None:
    def resolve(host: str, port: int) -> Iterable[str]:
        return ["93.184.216.34", "10.0.0.1"]

    with pytest.raises(ForbiddenAddress, match=r"10\.0\.0\.1 is not a public address"):
        resolve_target("https://a.example/", allows_loopback=False, resolve=resolve)


def test_name_is_resolved_once_and_its_addresses_are_kept() -> None:
    answers = chain([["93.184.216.34"]], repeat(["127.0.0.1"]))

    def resolve(host: str, port: int) -> Iterable[str]:
        return next(answers)

    target = resolve_target("https://a.example:8443/x?y=1", allows_loopback=False, resolve=resolve)

    assert target.addresses == ("93.184.216.34",)
    assert (target.host, target.port, target.path) == ("a.example", 8443, "/x?y=1")
    assert target.authority == "a.example:8443"


def test_plain_http_to_a_name_goes_to_this_machine_alone() -> None:
    with pytest.raises(ForbiddenAddress, match="reached by https only"):
        resolve_target(
            "http://a.example/", allows_loopback=True, resolve=lambda host, port: ["8.8.8.8"]
        )


def test_name_without_an_address_is_refused() -> None:
    with pytest.raises(ForbiddenAddress, match="no address"):
        resolve_target("https://a.example/", allows_loopback=False, resolve=lambda host, port: [])
