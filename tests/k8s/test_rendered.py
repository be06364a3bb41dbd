"""What Kustomize itself makes of the overlays, where it is installed."""

import shutil
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from tests.k8s.manifests import (
    K8S,
    OVERLAYS,
    WITHOUT_SCHEMA,
    Manifest,
    containers,
    of_kind,
    workloads,
)
from tests.patience import PATIENCE_S

KUBECTL = shutil.which("kubectl")

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")


@pytest.fixture(params=OVERLAYS)
def rendered(request: pytest.FixtureRequest, tmp_path: Path) -> list[Manifest]:
    """An overlay as it would be applied, production with the example's secrets."""
    copy = shutil.copytree(K8S, tmp_path / "k8s")
    production = copy / "overlays/production"
    shutil.copy(production / "secrets.env.example", production / "secrets.env")
    command = [str(KUBECTL), "kustomize", str(copy / "overlays" / request.param)]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    return list(yaml.safe_load_all(answer.stdout))


def test_every_document_is_valid(rendered: list[Manifest]) -> None:
    for document in rendered:
        if document["kind"] not in WITHOUT_SCHEMA:
            kubernetes_validate.validate(
                document, kubernetes_validate.latest_version(), strict=True
            )


def test_everything_is_in_one_namespace(rendered: list[Manifest]) -> None:
    places = {
        document["metadata"].get("namespace")
        for document in rendered
        if document["kind"] != "Namespace"
    }

    assert places == {"pentathlon"}


def test_containers_read_the_settings_that_are_there(rendered: list[Manifest]) -> None:
    made = {document["metadata"]["name"] for document in of_kind(rendered, "ConfigMap", "Secret")}
    read = {
        source[kind]["name"]
        for template in workloads(rendered).values()
        for container in containers(template)
        for source in container.get("envFrom", [])
        for kind in source
    }

    assert read == made


def test_own_containers_run_the_two_images_of_one_release(rendered: list[Manifest]) -> None:
    images = {
        container["image"]
        for template in workloads(rendered).values()
        for container in containers(template)
        if "pentathlon" in container["image"]
    }

    names, tags = zip(*(image.rsplit(":", 1) for image in images), strict=True)
    assert {name.rpartition("/")[2] for name in names} == {"pentathlon", "pentathlon-worker"}
    assert len(set(tags)) == 1
    assert "latest" not in tags


def test_autoscaler_reads_the_secret_that_is_there(rendered: list[Manifest]) -> None:
    made = {document["metadata"]["name"] for document in of_kind(rendered, "Secret")}

    for login in of_kind(rendered, "TriggerAuthentication"):
        assert {source["name"] for source in login["spec"]["secretTargetRef"]} <= made
