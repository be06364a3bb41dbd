"""The Kubernetes base as far as `podman kube play` goes: its pods, without a cluster around them.

Services and network rules are the cluster's: here all pods share the network of `engine`, and the
names of the services lead to it. The database is a container of its own.
"""

from __future__ import annotations

import faulthandler
import shutil
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
import yaml

from pentathlon.env import child_environment
from tests.k8s.manifests import Manifest, containers, of_kind, workloads
from tests.rehearsal.one_server import act, is_ready, upload_bots
from tests.rehearsal.site import Site, eventually, output
from tools.benchmark.newcomer.person import PASSWORD

ADDRESS: Final = "http://localhost:8000"
NAMES: Final = "127.0.0.1 localhost web postgres.pentathlon.svc redis.pentathlon.svc\n"
DATABASE: Final = "postgres:17-trixie"
IMAGES: Final = ("pentathlon:dev", "pentathlon-worker:dev", "valkey/valkey:8.1-alpine", DATABASE)

_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"


@dataclass(frozen=True, slots=True)
class Pods:
    """The pods of a checkout, with a store of images of its own."""

    checkout: Path
    home: Path

    def podman(self, *words: str | Path, typed: str = "") -> str:
        """Run podman, which has to succeed."""
        own = (f"--root={self.home}/images", f"--runroot={self.home}/run")
        command = ("podman", *own, "--cgroup-manager=cgroupfs", "--runtime=runc", *words)
        settings = child_environment(CONTAINERS_CONF_OVERRIDE=str(self.home / "podman.conf"))
        return output(*command, cwd=self.checkout, env=settings, typed=typed)

    def build(self) -> None:
        """Build both images, as the README says, and load them and those beside them."""
        for name, target in (("pentathlon:dev", "image"), ("pentathlon-worker:dev", "worker")):
            output("docker", "build", "--tag", name, "--target", target, ".", cwd=self.checkout)
        self.load()

    def load(self) -> None:
        archive = self.home / "images.tar"
        output("docker", "save", "--output", archive, *IMAGES, cwd=self.checkout)
        self.podman("load", "--input", archive)
        archive.unlink()

    def rendered(self) -> list[Manifest]:
        """Return what Kustomize makes of the overlay for development."""
        made = output("kubectl", "kustomize", "k8s/overlays/dev", cwd=self.checkout)
        return list(yaml.safe_load_all(made))

    def start_database(self) -> None:
        """Start what an overlay brings."""
        (secret,) = [
            each
            for each in of_kind(self.rendered(), "Secret")
            if "POSTGRES_PASSWORD" in each["data"]
        ]
        password = b64decode(secret["data"]["POSTGRES_PASSWORD"]).decode()
        variables = ("-e", "POSTGRES_USER=pentathlon", "-e", f"POSTGRES_PASSWORD={password}")
        disk = "--volume=/var/lib/postgresql/data"
        self.podman("run", "--detach", "--network=host", disk, *variables, DATABASE)

    def play(self, workload: str) -> None:
        """Play one of the workloads, with the settings."""
        manifests = self.rendered()
        template = workloads(manifests)[workload]
        template["spec"]["hostNetwork"] = True
        for container in containers(template):
            for variable in container.get("env", ()):
                if variable.get("value") == "http://web":  # a port that the service maps
                    variable["value"] = ADDRESS.replace("localhost", "web")
        for volume in template["spec"].get("volumes", ()):
            volume.get("secret", {}).pop("defaultMode", None)  # podman gives nothing to fsGroup
        profile = template["spec"]["securityContext"]["seccompProfile"].get("localhostProfile")
        if profile is not None:  # podman knows what came before the field
            template["metadata"]["annotations"] = {_SECCOMP: f"localhost/{Path(profile).name}"}
        template["metadata"]["name"] = workload
        pod = {"apiVersion": "v1", "kind": "Pod", **template}
        # By itself podman gives a pod with users of its own fewer than a cluster would.
        own_users = template["spec"].get("hostUsers") is False
        options = ["--userns=auto:size=65536"] if own_users else []
        self.apply(workload, [*of_kind(manifests, "ConfigMap"), pod], *options)

    def apply(self, name: str, documents: list[Manifest], *options: str) -> None:
        """Let podman play documents."""
        file = self.home / f"{name}.yaml"
        file.write_text(yaml.safe_dump_all(documents))
        profiles = f"--seccomp-profile-root={self.checkout}/k8s/base"
        self.podman("kube", "play", profiles, *options, file)

    def manage(self, *words: str, **variables: str) -> str:
        """Run a command of the site in the pod of web."""
        given = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
        return self.podman("exec", *given, "web-web", "python", "manage.py", *words)

    def make_secrets(self) -> None:
        """Make what the README makes by hand."""
        broker = self.manage("redis_acl", "/tmp/users.acl").partition("=")[2].strip()
        users = self.podman("exec", "web-web", "cat", "/tmp/users.acl")
        self._keep("redis-users", {"users.acl": f"{users}\n", "broker": broker})
        token = self.manage("worker_token", "create", "cluster", "--slots", "20")
        self._keep("worker-token", {"token": token})

    def _keep(self, name: str, values: Mapping[str, str]) -> None:
        data = {key: b64encode(value.encode()).decode() for key, value in values.items()}
        about = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
        self.apply(name, [about | {"data": data}])


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[Pods]:
    faulthandler.cancel_dump_traceback_later()  # it ends a test after 15 minutes
    programs = ("docker", "kubectl", "podman")
    if missing := [name for name in programs if shutil.which(name) is None]:
        pytest.skip(f"No pods are played here: there is no {missing[0]}.")
    site = Site(tmp_path)
    site.prepare(compiled=False)
    (tmp_path / "hosts").write_text(NAMES)
    (tmp_path / "podman.conf").write_text(f"[containers]\nbase_hosts_file = '{tmp_path}/hosts'\n")
    made = Pods(site.home / "checkout", tmp_path)
    yield made
    made.podman("pod", "rm", "--all", "--force")
    made.podman("rm", "--all", "--force")
    made.podman("rmi", "--all", "--force")


@pytest.mark.slow
def test_pods_play_matches(pods: Pods) -> None:
    with act("pods: images"):
        pods.build()
        pods.apply("secrets", of_kind(pods.rendered(), "Secret"))
    with act("pods: database, migration"):
        pods.start_database()
        pods.play("migrate")
        pods.podman("wait", "migrate-migrate")
    with act("pods: web, broker"):
        pods.play("web")
        eventually(lambda: is_ready(ADDRESS))
        pods.make_secrets()
        for workload in ("redis", "reconciler", "worker"):
            pods.play(workload)
    with act("pods: bots play"):
        pods.manage(
            *("createsuperuser", "--noinput", "--username=boss", "--email=b@b.org"),
            DJANGO_SUPERUSER_PASSWORD=PASSWORD,
        )
        upload_bots("boss", address=ADDRESS)
