"""Reads the manifests as files, without Kustomize: what overlays change is read on its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
K8S = ROOT / "k8s"
BASE, OVERLAYS = K8S / "base", ("dev", "production")
KUSTOMIZATION = "kustomization.yaml"
IMAGES = ("pentathlon", "pentathlon-worker")
WITHOUT_SCHEMA = {
    *("Gateway", "HTTPRoute", "PrometheusRule"),
    *("ScaledObject", "ServiceMonitor", "TriggerAuthentication"),
}
"""Kinds that are not part of Kubernetes itself."""

Manifest = dict[str, Any]  # Any: YAML

_WORKLOADS = {"Deployment", "StatefulSet", "Job", "CronJob"}


def load(path: Path) -> list[Manifest]:
    """Return the documents of a file."""
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def kustomization(folder: Path) -> Manifest:
    """Return the kustomization of a folder."""
    return load(folder / KUSTOMIZATION)[0]


def overlay_folder(name: str) -> Path:
    """Return the folder of an overlay."""
    return K8S / "overlays" / name


def resources(folder: Path) -> Iterator[Manifest]:
    """Yield what a kustomization brings together, before patches."""
    listed = kustomization(folder)
    for name in [*listed.get("resources", []), *listed.get("components", [])]:
        path = (folder / name).resolve()
        yield from resources(path) if path.is_dir() else load(path)


def of_kind(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    """Return the manifests of these kinds."""
    return [manifest for manifest in manifests if manifest["kind"] in kinds]


def workloads(manifests: list[Manifest]) -> dict[str, Manifest]:
    """Return pod templates by the name of what makes the pods."""
    return {
        manifest["metadata"]["name"]: manifest["spec"].get("jobTemplate", manifest)["spec"][
            "template"
        ]
        for manifest in of_kind(manifests, *_WORKLOADS)
    }


def containers(template: Manifest) -> list[Manifest]:
    """Return the containers of a pod template, those that run first included."""
    spec: Manifest = template["spec"]
    return [*spec.get("initContainers", []), *spec["containers"]]


def labels(template: Manifest) -> dict[str, str]:
    """Return the labels of a pod."""
    found: dict[str, str] = template["metadata"]["labels"]
    return found


def selects(selector: dict[str, Any], template: Manifest) -> bool:
    """Return whether a label selector, as networks and budgets write it, takes in these pods."""
    own = labels(template)
    exact = selector.get("matchLabels", {}).items() <= own.items()
    present = all(term["key"] in own for term in selector.get("matchExpressions", []))
    return exact and present


def own_workloads(manifests: list[Manifest]) -> dict[str, Manifest]:
    """Return the pod templates that run an image of this project."""
    return {
        name: template
        for name, template in workloads(manifests).items()
        if containers(template)[0]["image"] in IMAGES
    }


def environment(overlay: str) -> dict[str, str]:
    """Return the variables that an overlay's settings and secrets make."""
    folder = overlay_folder(overlay)
    values: dict[str, str] = {}
    for part in (BASE, folder):
        listed = kustomization(part)
        for generator in listed.get("configMapGenerator", []) + listed.get("secretGenerator", []):
            if generator["name"] in {"settings", "secrets"}:
                values.update(_pairs(generator, part))
    return values


def _pairs(generator: Manifest, folder: Path) -> dict[str, str]:
    lines = list(generator.get("literals", []))
    for name in generator.get("envs", []):
        lines += (folder / f"{name}.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)
