"""Alerts and dashboard use figures that exist, and the runbook covers all alerts."""

from __future__ import annotations

import json
import re
from typing import Any

import promql_parser
import pytest
from django.test import Client

from pentathlon.operations.gauges import gauges
from tests.k8s.manifests import K8S, Manifest, load, of_kind, resources, selects, workloads
from tests.rehearsal.figures import FIGURES

FOLDER = K8S / "components/monitoring"


@pytest.fixture(scope="module")
def rules() -> list[dict[str, Any]]:
    """All alert rules."""
    (rule,) = load(FOLDER / "alerts.yaml")
    return [one for group in rule["spec"]["groups"] for one in group["rules"]]


@pytest.fixture(scope="module")
def dashboard() -> Manifest:
    """The dashboard as Grafana reads it."""
    read: Manifest = json.loads((FOLDER / "dashboard.json").read_text())
    return read


def _expressions(rules: list[dict[str, Any]], dashboard: Manifest) -> list[str]:
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    return [*(rule["expr"] for rule in rules), *shown]


def _names(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:pentathlon|django)_\w+", expression))


@pytest.mark.django_db
def test_every_figure_that_is_asked_for_exists(
    rules: list[dict[str, Any]], dashboard: Manifest, client: Client
) -> None:
    gauges.forget()
    client.get("/games/")
    text = client.get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode()
    told = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    told |= {f"{name}_bucket" for name in told}

    asked = set().union(*map(_names, _expressions(rules, dashboard)))
    assert asked - told == set()
    own = {name for name in told if name.startswith("pentathlon_") and name[-7:] != "_bucket"}
    assert own - asked == set()


def test_prometheus_understands_every_expression(
    rules: list[dict[str, Any]], dashboard: Manifest
) -> None:
    for text in _expressions(rules, dashboard):
        # The parser checks names of functions, types of arguments and operands, labels and ranges.
        assert isinstance(promql_parser.parse(text), promql_parser.Expr), text


@pytest.mark.parametrize(
    "text", ["sum(a", "rate(a)", 'a{b="c}', "max by a (b)", 'a > "1"', "histogram_quantil(1, a)"]
)
def test_wrong_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        promql_parser.parse(text)


def test_runbook_has_a_paragraph_for_each_alert(
    rules: list[dict[str, Any]], client: Client
) -> None:
    html = client.get("/docs/runbook/").content.decode()

    names = [rule["alert"] for rule in rules]
    assert len(names) == len(set(names))
    _, *parts = html.split("<h2 ")
    found = [(re.match(r'id="(\w+)"', part), part.partition("<p>")[2]) for part in parts]
    assert [place and place[1] for place, _ in found] == names
    assert all(len(text) > 80 for _, text in found)
    for rule in rules:
        assert rule["annotations"]["runbook"] == f"/docs/runbook/#{rule['alert']}"
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["labels"]["severity"] in {"critical", "warning"}


def test_rehearsal_knows_figures_of_each_alert(rules: list[dict[str, Any]]) -> None:
    assert [*FIGURES] == [rule["alert"] for rule in rules]


def test_monitoring_reaches_web_and_its_port() -> None:
    found = list(resources(FOLDER))
    (policy,) = of_kind(found, "NetworkPolicy")
    (monitor,) = of_kind(found, "ServiceMonitor")
    base = list(resources(K8S / "base"))
    web = workloads(base)["web"]
    (service,) = [one for one in of_kind(base, "Service") if one["metadata"]["name"] == "web"]

    assert selects(policy["spec"]["podSelector"], web)
    (port,) = service["spec"]["ports"]
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint["port"] == port["name"]
    ports = {one["name"]: one["containerPort"] for one in web["spec"]["containers"][0]["ports"]}
    (allowed,) = policy["spec"]["ingress"][0]["ports"]
    assert ports[port["targetPort"]] == allowed["port"]
