import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import pytest
from django.core.management import get_commands
from django.db import connection

from pentathlon.connections import database
from pentathlon.env import Mode, read_environment
from pentathlon.fleet.queues import broker
from pentathlon.roles import worker_command
from tests.k8s.manifests import (
    BASE,
    K8S,
    KUSTOMIZATION,
    OVERLAYS,
    ROOT,
    WITHOUT_SCHEMA,
    Manifest,
    containers,
    environment,
    kustomization,
    load,
    of_kind,
    overlay_folder,
    own_workloads,
    resources,
    selects,
    workloads,
)
from workers.remote.adapter import platform_of

FOLDERS = sorted(path.parent for path in K8S.rglob(KUSTOMIZATION))
NO_MANIFESTS = {
    folder / name
    for folder in FOLDERS
    for name in (KUSTOMIZATION, *kustomization(folder).get("configurations", []))
}
"""Files that Kustomize reads but does not apply."""
FILES = sorted(set(K8S.rglob("*.yaml")) - NO_MANIFESTS)


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> str:
    """Each overlay in turn."""
    name: str = request.param
    return name


@pytest.fixture
def manifests(overlay: str) -> list[Manifest]:
    """Everything that an overlay brings together."""
    return list(resources(overlay_folder(overlay)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(K8S)))
def test_every_document_is_valid(path: Any) -> None:
    for document in load(path):
        if document["kind"] not in WITHOUT_SCHEMA:
            kubernetes_validate.validate(
                document, kubernetes_validate.latest_version(), strict=True
            )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(K8S)))
def test_every_file_is_listed(folder: Any) -> None:
    listed = kustomization(folder)

    files = {path.name for path in set(folder.glob("*.yaml")) - NO_MANIFESTS}
    assert {name for name in listed["resources"] if name.endswith(".yaml")} == files
    assert all((folder / name).exists() for name in listed["resources"])


def test_selectors_take_in_their_own_pods(manifests: list[Manifest]) -> None:
    for manifest in of_kind(manifests, "Deployment", "StatefulSet"):
        assert selects(manifest["spec"]["selector"], manifest["spec"]["template"])


def test_services_budgets_and_policies_select_pods_that_exist(manifests: list[Manifest]) -> None:
    pods = list(workloads(manifests).values())
    selectors = [
        {"matchLabels": manifest["spec"]["selector"]} for manifest in of_kind(manifests, "Service")
    ]
    selectors += [
        manifest["spec"]["selector"] for manifest in of_kind(manifests, "PodDisruptionBudget")
    ]
    policies = of_kind(manifests, "NetworkPolicy")
    selectors += [manifest["spec"]["podSelector"] for manifest in policies]
    selectors += [peer["podSelector"] for peer in _peers(policies) if "podSelector" in peer]

    for selector in selectors:
        assert any(selects(selector, pod) for pod in pods), selector


def test_ports_agree(manifests: list[Manifest]) -> None:
    pods = list(workloads(manifests).values())
    named = {
        port["name"]: port["containerPort"]
        for pod in pods
        for container in containers(pod)
        for port in container.get("ports", [])
    }
    for service in of_kind(manifests, "Service"):
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= named.keys()
    allowed = {
        port["port"]
        for policy in of_kind(manifests, "NetworkPolicy")
        for rule in policy["spec"].get("ingress", []) + policy["spec"].get("egress", [])
        for port in rule["ports"]
    }
    elsewhere = {53, 443, 465, 587, 5432, 8443}  # names, the internet, and production's database
    assert allowed == set(named.values()) | elsewhere
    web = containers(workloads(manifests)["web"])[0]
    assert f"--port={named['http']}" in web["command"]


def test_way_in_leads_to_a_service_by_a_listener() -> None:
    manifests = list(resources(overlay_folder("production")))
    (gateway,) = of_kind(manifests, "Gateway")
    listeners = {listener["name"] for listener in gateway["spec"]["listeners"]}
    ports = {
        (service["metadata"]["name"], port["port"])
        for service in of_kind(manifests, "Service")
        for port in service["spec"]["ports"]
    }

    for route in of_kind(manifests, "HTTPRoute"):
        (parent,) = route["spec"]["parentRefs"]
        assert parent["name"] == gateway["metadata"]["name"]
        assert parent["sectionName"] in listeners
        backends = [one for rule in route["spec"]["rules"] for one in rule.get("backendRefs", ())]
        assert {(backend["name"], backend["port"]) for backend in backends} <= ports


def test_nobody_may_talk_unless_it_is_said(manifests: list[Manifest]) -> None:
    policies = {
        policy["metadata"]["name"]: policy for policy in of_kind(manifests, "NetworkPolicy")
    }

    assert policies["deny-everything"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }


def test_commands_exist(manifests: list[Manifest]) -> None:
    for template in own_workloads(manifests).values():
        command = containers(template)[0]["command"]
        assert command[0] == "python"
        if command[1] == "-m":
            assert find_spec(f"{command[2]}.__main__") is not None
        else:
            assert (ROOT / command[1]).is_file()
            assert command[2] in get_commands()


def test_settings_start_production(overlay: str) -> None:
    variables = environment(overlay)

    found = read_environment(variables)

    assert found.mode is Mode.PRODUCTION
    assert found.secret_key is not None
    assert len(found.secret_key) >= 32
    assert found.redis_url is not None
    assert database(found.database_url, data=found.data)["ENGINE"].endswith("postgresql")
    assert found.sandbox == "namespaces"


def test_every_variable_is_one_that_the_code_reads(overlay: str) -> None:
    source = (ROOT / "platform/pentathlon/env.py").read_text()
    known = set(re.findall(r'"((?:PENTATHLON_|DATABASE_|REDIS_)[A-Z_]+)"', source))

    assert environment(overlay).keys() <= known


def test_probes_ask_for_a_name_that_the_site_answers_to(
    overlay: str, manifests: list[Manifest]
) -> None:
    hosts = read_environment(environment(overlay)).hosts
    web = containers(workloads(manifests)["web"])[0]

    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = web[probe]["httpGet"]
        assert asked["path"] in {"/healthz", "/readyz"}
        assert {"name": "Host", "value": "localhost"} in asked["httpHeaders"]
    assert "localhost" in hosts


def test_redis_is_asked_where_it_listens(overlay: str, manifests: list[Manifest]) -> None:
    url = urlsplit(environment(overlay)["REDIS_URL"])
    names = {service["metadata"]["name"] for service in of_kind(manifests, "Service")}

    assert str(url.hostname).split(".")[0] in names
    assert str(url.hostname).split(".")[1] == kustomization(BASE)["namespace"]


def test_every_container_gives_up_what_it_does_not_need(manifests: list[Manifest]) -> None:
    for name, template in workloads(manifests).items():
        pod = template["spec"]
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["runAsUser"] > 0, name
        assert "seccompProfile" in pod["securityContext"], name
        for container in containers(template):
            own = container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False, name
            assert own["readOnlyRootFilesystem"] is True, name
            assert own["capabilities"] == {"drop": ["ALL"]}, name
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}, name
            assert "memory" in container["resources"]["limits"], name


def test_every_mount_has_its_volume(manifests: list[Manifest]) -> None:
    claimed = {
        claim["metadata"]["name"]
        for manifest in of_kind(manifests, "StatefulSet")
        for claim in manifest["spec"]["volumeClaimTemplates"]
    }
    for template in workloads(manifests).values():
        volumes = {volume["name"] for volume in template["spec"].get("volumes", [])}
        for container in containers(template):
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert volumes <= mounted <= volumes | claimed


def test_data_folder_can_be_written_to(overlay: str, manifests: list[Manifest]) -> None:
    data = environment(overlay)["PENTATHLON_DATA"]

    for template in own_workloads(manifests).values():
        paths = {mount["mountPath"] for mount in containers(template)[0]["volumeMounts"]}
        assert {data, "/tmp"} <= paths


class TestWorker:
    @pytest.fixture
    def worker(self) -> Manifest:
        """The pod of a worker."""
        return workloads(list(resources(BASE)))["worker"]

    def test_pod_has_users_of_its_own(self, worker: Manifest) -> None:
        assert worker["spec"]["hostUsers"] is False

    def test_profile_is_the_file_beside_it(self, worker: Manifest) -> None:
        profile = worker["spec"]["securityContext"]["seccompProfile"]

        assert profile["type"] == "Localhost"
        assert (BASE / str(profile["localhostProfile"]).rpartition("/")[2]).is_file()

    def test_pod_holds_a_token_and_a_user_who_takes_hints(self, worker: Manifest) -> None:
        container = containers(worker)[0]
        secrets = [each["secret"] for each in worker["spec"]["volumes"] if "secret" in each]

        assert container["envFrom"] == [{"configMapRef": {"name": "settings"}}]
        told = [each for each in container["env"] if "valueFrom" in each]
        assert [each["name"] for each in told] == ["PENTATHLON_WORKER_BROKER"]
        assert [secret["secretName"] for secret in secrets] == ["worker-token"]

    @pytest.mark.parametrize("overlay", OVERLAYS)
    def test_options_are_ones_that_a_worker_takes(self, worker: Manifest, overlay: str) -> None:
        container = containers(worker)[0]
        (mount,) = (m for m in container["volumeMounts"] if m["name"] == "token")
        told = {each["name"]: each["value"] for each in container["env"] if "value" in each}
        token_file = told.pop("PENTATHLON_WORKER_TOKEN_FILE")
        url = environment(overlay)["REDIS_URL"].replace("://:", "://worker:")
        told |= {"PENTATHLON_WORKER_TOKEN": "ptw_1", "PENTATHLON_WORKER_BROKER": url}
        asked = read_environment(told)

        platform_of(asked)
        assert broker(asked)[0][0] == url
        assert container["command"][1:] == worker_command(slots=1)[1:]
        assert str(Path(token_file).parent) == mount["mountPath"]
        assert urlsplit(asked.server).hostname in read_environment(environment(overlay)).hosts

    def test_one_match_at_a_time_on_whole_cores(self, worker: Manifest) -> None:
        container = containers(worker)[0]

        assert container["resources"]["requests"] == container["resources"]["limits"]
        assert int(container["resources"]["limits"]["cpu"]) >= 1

    def test_somebody_reaps_what_a_killed_worker_leaves(self, worker: Manifest) -> None:
        assert worker["spec"]["shareProcessNamespace"] is True


def test_backups_of_production_are_kept_on_a_volume() -> None:
    manifests = list(resources(overlay_folder("production")))
    (job,) = of_kind(manifests, "CronJob")
    (claim,) = of_kind(manifests, "PersistentVolumeClaim")
    pod = workloads(manifests)["backup"]["spec"]

    command = pod["containers"][0]["command"]
    mounts = {mount["mountPath"]: mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    volume = next(one for one in pod["volumes"] if one["name"] == mounts[command[3]])
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert job["spec"]["concurrencyPolicy"] == "Forbid"


class TestSeccompProfile:
    NEEDED = {"clone", "mount", "pivot_root", "sethostname", "umount2", "unshare"}
    FORBIDDEN = {
        "add_key",
        "bpf",
        "chroot",
        "delete_module",
        "finit_module",
        "fsopen",
        "init_module",
        "io_uring_setup",
        "kexec_load",
        "keyctl",
        "move_mount",
        "open_by_handle_at",
        "open_tree",
        "perf_event_open",
        "process_vm_readv",
        "process_vm_writev",
        "ptrace",
        "reboot",
        "setns",
        "swapon",
        "syslog",
        "userfaultfd",
    }

    @pytest.fixture
    def profile(self) -> Manifest:
        """The profile as containers' runtimes read it."""
        read: Manifest = json.loads((BASE / "bot-worker.json").read_text())
        return read

    def _allowed(self, profile: Manifest) -> set[str]:
        return {
            name
            for rule in profile["syscalls"]
            if rule["action"] == "SCMP_ACT_ALLOW"
            for name in rule["names"]
        }

    def test_what_is_not_named_is_refused(self, profile: Manifest) -> None:
        assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
        assert set(profile["architectures"]) == {"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"}

    def test_sandbox_may_be_built(self, profile: Manifest) -> None:
        assert self._allowed(profile) >= self.NEEDED

    def test_nothing_else_of_a_privileged_process_is_allowed(self, profile: Manifest) -> None:
        assert not self._allowed(profile) & self.FORBIDDEN

    def test_flags_of_clone_can_be_seen(self, profile: Manifest) -> None:
        """`clone3` hides them in memory; libraries fall back when it does not exist."""
        rules = [rule for rule in profile["syscalls"] if "clone3" in rule["names"]]

        assert [(rule["action"], rule["errnoRet"]) for rule in rules] == [("SCMP_ACT_ERRNO", 38)]

    def test_no_name_is_listed_twice_without_arguments(self, profile: Manifest) -> None:
        names = [
            name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]
        ]

        assert len(names) == len(set(names))


class TestAutoscaling:
    @pytest.fixture
    def scaler(self) -> Manifest:
        """What sets the number of workers."""
        return of_kind(list(resources(K8S / "components/autoscaling")), "ScaledObject")[0]

    def test_it_scales_the_workers(self, scaler: Manifest) -> None:
        names = {manifest["metadata"]["name"] for manifest in resources(BASE)}

        assert scaler["spec"]["scaleTargetRef"] == {"name": "worker"}
        assert "worker" in names
        assert scaler["spec"]["minReplicaCount"] < scaler["spec"]["maxReplicaCount"]

    def test_database_is_asked_by_the_autoscaler_itself(self, scaler: Manifest) -> None:
        listed = list(resources(K8S / "components/autoscaling"))
        (login,) = of_kind(listed, "TriggerAuthentication")
        (source,) = login["spec"]["secretTargetRef"]

        asked = scaler["spec"]["triggers"][0]
        assert asked["authenticationRef"]["name"] == login["metadata"]["name"]
        assert not any("FromEnv" in name for name in asked["metadata"])
        assert (source["parameter"], source["name"]) == ("connection", "secrets")
        assert source["key"] in environment("production")

    @pytest.mark.django_db
    def test_query_counts_matches(self, scaler: Manifest) -> None:
        with connection.cursor() as cursor:
            cursor.execute(scaler["spec"]["triggers"][0]["metadata"]["query"])

            assert cursor.fetchone() == (0,)


def test_secrets_are_not_in_the_repository() -> None:
    ignored = (K8S / ".gitignore").read_text().split()

    assert ignored == ["secrets.env"]
    assert kustomization(overlay_folder("production"))["secretGenerator"] == [
        {"name": "secrets", "envs": ["secrets.env"]}
    ]


def _peers(policies: list[Manifest]) -> list[Manifest]:
    return [
        peer
        for policy in policies
        for rule in policy["spec"].get("ingress", []) + policy["spec"].get("egress", [])
        for peer in rule.get("from", []) + rule.get("to", [])
    ]
