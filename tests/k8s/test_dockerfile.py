import fnmatch
import json
import re

import pytest
from django.core.management import get_commands

from tests.k8s.manifests import BASE, ROOT, containers, resources, workloads

IGNORE = (ROOT / ".dockerignore").read_text()


def _instructions() -> list[tuple[str, str]]:
    """Return the instructions and their arguments, continued lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    pairs = [line.split(None, 1) for line in lines if line.strip()]
    return [(name, arguments) for name, arguments in pairs]


def _arguments(instruction: str) -> list[str]:
    return [arguments for name, arguments in _instructions() if name == instruction]


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
    assert any(fnmatch.fnmatch(source, pattern) for pattern in kept)


def test_nothing_is_sent_that_is_not_copied() -> None:
    copied = " ".join(_arguments("COPY")).split()
    lines = [line for line in IGNORE.splitlines() if line and not line.startswith("#")]

    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} <= set(copied)


def test_image_runs_as_the_user_of_the_manifests() -> None:
    users = {
        template["spec"]["securityContext"]["runAsUser"]
        for template in workloads(list(resources(BASE))).values()
        if containers(template)[0]["image"] == "pentathlon"
    }

    assert _instructions()[-1][0] == "CMD"
    assert _arguments("USER") == [f"{user}:{user}" for user in users]


def test_packages_are_installed_by_hash() -> None:
    installs = [line for line in _arguments("RUN") if "pip install" in line]

    assert len(installs) == 1
    assert "--require-hashes" in installs[0]
    assert "apt" not in " ".join(_arguments("RUN"))


def test_image_serves_the_site_as_the_manifests_do() -> None:
    command = json.loads(_arguments("CMD")[0])
    served = containers(workloads(list(resources(BASE)))["web"])[0]["command"]

    assert set(command) <= set(served)
    assert command[2] in get_commands()
    assert _arguments("EXPOSE") == ["8000"]


def test_image_has_no_secrets() -> None:
    assert "SECRET" not in " ".join(_arguments("ENV"))
