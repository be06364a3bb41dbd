"""Who must reach what, and who must not: the rules are evaluated, not compared with themselves."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address, ip_network
from typing import Any, Final, NamedTuple

import pytest
import yaml

from pentathlon.env import CHECKOUT
from pentathlon.webhooks.addresses import PORTS
from tests.k8s.manifests import (
    OVERLAYS,
    Manifest,
    of_kind,
    overlay_folder,
    resources,
    selects,
    workloads,
)

SITE: Final = ("web", "reconciler", "backup", "migrate")
"""The roles that hold keys."""
OUTWARD: Final = ("web", "reconciler", "backup")
"""The roles that talk to others: mail, webhooks, the store of old replays, traces."""


class Place(NamedTuple):
    """Where a connection leads: to pods of a component here, or to an address."""

    port: int
    component: str = ""
    address: str = ""
    namespace: str = ""


MAIL: Final = [Place(port, address="93.184.215.14") for port in (465, 587)]
WEBHOOKS: Final = [
    Place(port, address=address)
    for port in PORTS
    for address in ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c")
]
STORE: Final = Place(443, address="52.218.0.1")
INSIDE: Final = [
    Place(443, address=address)
    for address in (
        *("10.1.2.3", "172.20.0.1", "192.168.1.1", "127.0.0.1", "100.64.1.1", "169.254.169.254"),
        *("::1", "fd00::1", "fe80::1", "::ffff:10.1.2.3", "2002:a01:203::1", "64:ff9b::a01:203"),
    )
]
NAMES: Final = Place(53, namespace="kube-system")


class TestCluster:
    @pytest.fixture(params=OVERLAYS)
    def manifests(self, request: pytest.FixtureRequest) -> list[Manifest]:
        """Everything that an overlay brings together."""
        return _overlay(request.param)

    def test_letters_webhooks_and_replays_leave(self, manifests: list[Manifest]) -> None:
        places = [*MAIL, *WEBHOOKS, STORE, NAMES]

        cut_off = [
            (role, place)
            for role in workloads(manifests).keys() & set(OUTWARD)
            for place in places
            if not _reaches(manifests, role, place)
        ]
        assert cut_off == []

    def test_nobody_reaches_the_private_network(self, manifests: list[Manifest]) -> None:
        reached = [
            (role, place)
            for role in workloads(manifests)
            for place in INSIDE
            if _reaches(manifests, role, place)
        ]
        assert reached == []

    def test_site_reaches_its_database_and_broker(self, manifests: list[Manifest]) -> None:
        own = "postgres" in workloads(manifests)
        base = Place(5432, "postgres") if own else Place(5432, address="10.20.30.7")

        for role in workloads(manifests).keys() & set(SITE):
            assert _reaches(manifests, role, base), role
            asks_broker = role in {"web", "reconciler"}
            assert _reaches(manifests, role, Place(6379, "redis")) == asks_broker, role

    def test_worker_reaches_the_site_the_broker_and_no_key(
        self, manifests: list[Manifest]
    ) -> None:
        forbidden = [
            *(*MAIL, *WEBHOOKS, STORE, *INSIDE),
            *(Place(5432, "postgres"), Place(5432, address="10.20.30.7")),
            *(Place(8000, "reconciler"), Place(22, "web")),
        ]

        assert _reaches(manifests, "worker", Place(8000, "web"))
        assert _reaches(manifests, "worker", Place(6379, "redis"))
        assert _reaches(manifests, "worker", NAMES)
        assert [place for place in forbidden if _reaches(manifests, "worker", place)] == []

    def test_stores_reach_nobody(self, manifests: list[Manifest]) -> None:
        places = [*MAIL, *WEBHOOKS, *INSIDE, NAMES, Place(8000, "web")]

        for role in ("redis", "postgres"):
            assert not any(_reaches(manifests, role, place) for place in places), role

    def test_visitors_come_in_by_the_gateway_alone(self) -> None:
        manifests = _overlay("production")
        web = workloads(manifests)["web"]

        assert _lets_in(manifests, web, Place(8000, namespace="gateway"))
        assert not _lets_in(manifests, web, Place(8000, namespace="default"))

    def test_rule_of_everything_would_be_noticed(self, manifests: list[Manifest]) -> None:
        spec = {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{}]}
        loose = [*manifests, {"kind": "NetworkPolicy", "spec": spec}]

        assert all(_reaches(loose, "worker", place) for place in [*MAIL, *INSIDE])


@cache
def _overlay(name: str) -> list[Manifest]:
    return list(resources(overlay_folder(name)))


def _reaches(manifests: list[Manifest], role: str, place: Place) -> bool:
    """Return whether policies let pods of a role connect: it must leave, and be let in."""
    pods = workloads(manifests)
    if role not in pods:
        return False
    target = pods.get(place.component)
    rules = _rules(manifests, pods[role], "egress")
    leaves = any(_is_open(rule, place, rule.get("to"), peer=target) for rule in rules)
    if not place.component:
        return leaves
    return leaves and target is not None and _lets_in(manifests, target, place, peer=pods[role])


def _lets_in(
    manifests: list[Manifest], target: Manifest, place: Place, *, peer: Manifest | None = None
) -> bool:
    rules = _rules(manifests, target, "ingress")
    return any(_is_open(rule, place, rule.get("from"), peer=peer) for rule in rules)


def _rules(manifests: list[Manifest], pod: Manifest, way: str) -> list[Manifest]:
    """Return what is allowed to a pod one way; a pod that no policy selects may do anything."""
    policies = [
        policy["spec"]
        for policy in of_kind(manifests, "NetworkPolicy")
        if selects(policy["spec"]["podSelector"], pod)
        and way.capitalize() in policy["spec"]["policyTypes"]
    ]
    return [rule for policy in policies for rule in policy.get(way, ())] if policies else [{}]


def _is_open(
    rule: Manifest, place: Place, ends: list[Manifest] | None, *, peer: Manifest | None
) -> bool:
    ports = {port["port"] for port in rule.get("ports", ())} or {place.port}
    return place.port in ports and (not ends or any(_is_meant(end, place, peer) for end in ends))


def _is_meant(written: Manifest, place: Place, peer: Manifest | None) -> bool:
    if "ipBlock" in written:
        if not place.address:
            return False
        block, address = written["ipBlock"], ip_address(place.address)
        excepted = any(address in ip_network(part) for part in block.get("except", ()))
        return address in ip_network(block["cidr"]) and not excepted
    if "namespaceSelector" in written:
        name = {"kubernetes.io/metadata.name": place.namespace}
        return bool(written["namespaceSelector"]["matchLabels"] == name)
    return peer is not None and selects(written["podSelector"], peer)


class TestCompose:
    """On one server a network that is not internal leads outside."""

    @pytest.mark.parametrize("role", OUTWARD)
    def test_letters_webhooks_and_replays_leave(self, role: str) -> None:
        assert _leads_outside(role)

    @pytest.mark.parametrize("role", ["worker", "database", "redis", "migrate"])
    def test_others_stay_inside(self, role: str) -> None:
        assert not _leads_outside(role)

    @pytest.mark.parametrize("role", SITE)
    def test_site_reaches_its_database(self, role: str) -> None:
        assert _meet(role, "database")

    @pytest.mark.parametrize("role", ["web", "reconciler"])
    def test_site_reaches_its_broker(self, role: str) -> None:
        assert _meet(role, "redis")

    def test_worker_reaches_the_site_the_broker_and_no_key(self) -> None:
        met = {name for name in _services() if _meet("worker", name)}

        assert {"web", "redis"} <= met
        assert met & {"database", "reconciler", "backup", "proxy", "prometheus"} == set()

    def test_monitoring_and_proxy_reach_the_site_and_no_key(self) -> None:
        for role in ("proxy", "prometheus"):
            met = {name for name in _services() if _meet(role, name)}
            assert met == {"web", "proxy", "prometheus"}


def _document() -> dict[str, Any]:  # Any: YAML
    read: dict[str, Any] = yaml.safe_load((CHECKOUT / "one-server/compose.yaml").read_text())
    return read


def _services() -> list[str]:
    return [*_document()["services"]]


def _networks(role: str) -> set[str]:
    return {*_document()["services"][role]["networks"]}


def _meet(role: str, other: str) -> bool:
    return bool(_networks(role) & _networks(other))


def _leads_outside(role: str) -> bool:
    networks = _document()["networks"]
    return any(not (networks[name] or {}).get("internal") for name in _networks(role))
