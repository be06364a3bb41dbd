import fnmatch
import json
import re
import subprocess

import pytest
import yaml
from django.core.management import get_commands

from tests.k8s.manifests import BASE, ROOT, containers, own_workloads, resources, workloads
from tests.toolchains import TOOLCHAINS
from workers.sandbox.build_tools import GO_LIBRARY

IGNORE = (ROOT / ".dockerignore").read_text()


def _instructions() -> list[tuple[str, str]]:
    """Return the instructions and their arguments, continued lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    pairs = [line.split(None, 1) for line in lines if line.strip()]
    return [(name, arguments) for name, arguments in pairs]


def _arguments(instruction: str) -> list[str]:
    return [arguments for name, arguments in _instructions() if name == instruction]


def _stage(name: str) -> list[tuple[str, str]]:
    """Return the instructions of a stage, FROM first."""
    lines = _instructions()
    starts = [number for number, (word, _) in enumerate(lines) if word == "FROM"]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if lines[start][1].endswith(f" AS {name}"):
            return lines[start:end]
    raise AssertionError(f"no stage {name}")


def test_stages_stand_on_stages_that_came_before() -> None:
    known: set[str] = set()
    for source, _, stage in (line.split() for line in _arguments("FROM")):
        assert source in known or re.fullmatch(r"[a-z]+:[\w.-]*\d[\w.-]*", source)
        known.add(stage)
    copied = re.findall(r"--from=(\w+)", " ".join(_arguments("COPY")))
    assert copied
    assert set(copied) <= known


@pytest.mark.parametrize(
    "source",
    [
        word
        for line in _arguments("COPY")
        if not line.startswith("--from")
        for word in line.split()[:-1]
    ],
)
def test_what_is_copied_exists_and_is_sent(source: str) -> None:
    kept = [line[1:] for line in IGNORE.splitlines() if line.startswith("!")]

    assert (ROOT / source).exists()
    assert any(fnmatch.fnmatch(source, f"{pattern}*") for pattern in kept)


def test_nothing_is_sent_that_is_not_copied() -> None:
    copied = " ".join(_arguments("COPY")).split()
    lines = [line for line in IGNORE.splitlines() if line and not line.startswith("#")]

    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} <= set(copied)


def test_image_runs_as_the_user_of_the_manifests() -> None:
    (user,) = {
        template["spec"]["securityContext"]["runAsUser"]
        for template in own_workloads(list(resources(BASE))).values()
    }

    for stage in ("image", "worker"):
        lines = _stage(stage)
        assert lines[-1][0] == "CMD"
        assert ("USER", f"{user}:{user}") in lines


def test_packages_are_installed_by_hash() -> None:
    installs = [line for line in _arguments("RUN") if "pip install" in line]

    assert len(installs) == 2
    assert all("--require-hashes" in line for line in installs)


def test_image_carries_what_settings_can_ask_for() -> None:
    (usual,) = [line for name, line in _stage("packages") if name == "ARG"]
    pins: dict[str, set[str]] = {}
    for part in ("run", "s3", "tracing", "parquet", "numpy"):
        text = (ROOT / f"requirements/{part}.txt").read_text()
        for name, version, marker in re.findall(
            r"^([\w.-]+)(?:\[.*\])?==([^ ;]+)( ;.*)?", text, re.MULTILINE
        ):
            pins.setdefault(name + marker, set()).add(version)

    assert usual == 'REQUIREMENTS="run s3 tracing"'
    # One list is installed after the other, so they have to agree.
    assert [name for name, versions in pins.items() if len(versions) > 1] == []


@pytest.mark.parametrize(("stage", "name"), [("image", "backup"), ("worker", "worker")])
def test_folders_of_volumes_belong_to_the_user_who_writes_there(stage: str, name: str) -> None:
    """A volume takes its owner from the image's folder; where there is none, from root."""
    services = yaml.safe_load((ROOT / "one-server/compose.yaml").read_text())["services"]
    (user,) = [line for word, line in _stage(stage) if word == "USER"]
    made = " ".join(line for word, line in _stage(stage) if word == "RUN")
    owned = re.findall(rf"chown {user} ([^&]+)", made)[0].split()

    mounted = {volume.partition(":")[2] for volume in services[name]["volumes"]}
    assert mounted <= {*owned}


def test_only_the_listed_toolchains_come_from_debian() -> None:
    stages = {stage for _, _, stage in map(str.split, _arguments("FROM"))}
    with_apt = {stage for stage in stages if "apt" in str(_stage(stage))}
    install = next(line for name, line in _stage("toolchains") if name == "RUN")
    names = re.search(r"&& (grep .* )xargs apt-get install", install)
    assert names is not None

    command = names[1].replace("/tmp/toolchains.txt", str(ROOT / "workers/toolchains.txt"))
    command = command.removesuffix("| DEBIAN_FRONTEND=noninteractive ")
    found = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)

    assert with_apt == {"toolchains"}
    assert "workers/toolchains.txt /tmp/toolchains.txt" in str(_stage("toolchains"))
    assert found.stdout.split() == [
        package for each in TOOLCHAINS.values() for package in each.packages
    ]


def test_builds_of_go_find_what_the_image_has_compiled() -> None:
    (install,) = [line for name, line in _stage("toolchains") if name == "RUN"]

    assert f"GOCACHE={GO_LIBRARY} go build std" in install


def test_worker_is_the_application_with_toolchains() -> None:
    worker = _stage("worker")

    assert ("FROM", "toolchains AS worker") in worker
    assert ("COPY", "--from=application /srv /srv") in worker


def test_worker_starts_as_the_manifests_do() -> None:
    command = json.loads(_stage("worker")[-1][1])
    started = containers(workloads(list(resources(BASE)))["worker"])[0]["command"]

    assert started == command


def test_image_serves_the_site_as_the_manifests_do() -> None:
    command = json.loads(_stage("image")[-1][1])
    served = containers(workloads(list(resources(BASE)))["web"])[0]["command"]

    assert set(command) <= set(served)
    assert command[2] in get_commands()
    assert _arguments("EXPOSE") == ["8000"]


def test_image_has_no_secrets() -> None:
    assert "SECRET" not in " ".join(_arguments("ENV"))
