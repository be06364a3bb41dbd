"""What a worker over HTTP demands of its environment before it starts."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import pytest

from pentathlon.env import BadEnvironment, read_environment
from pentathlon_engines.match.launcher import SandboxLevel
from workers.remote.adapter import RemotePlatform, platform_of

HTTPS = "https://example.org"


def opened(**variables: str) -> RemotePlatform:
    given = {"PENTATHLON_SERVER": HTTPS, "PENTATHLON_WORKER_TOKEN": "ptw_1", **variables}
    return platform_of(read_environment(given))


class Site(NamedTuple):
    address: str
    is_refused: bool = False
    is_plain: bool = False


@pytest.mark.parametrize(
    "site",
    [
        Site(HTTPS),
        Site("http://127.0.0.1:8000"),
        Site("http://[::1]:8000"),
        Site("http://localhost:8000"),
        Site("http://10.0.0.1", is_refused=True),
        Site("http://10.0.0.1", is_plain=True),
        Site("https://", is_refused=True),
        Site("example.org", is_refused=True),
        Site("ftp://example.org", is_refused=True),
    ],
    ids=str,
)
def test_token_goes_in_the_clear_only_on_this_machine_or_by_request(
    site: Site,
) -> None:
    switch = {"PENTATHLON_PLAIN_HTTP": "1"} if site.is_plain else {}

    with pytest.raises(BadEnvironment, match="https://") if site.is_refused else nullcontext():
        opened(PENTATHLON_SERVER=site.address, **switch)


@pytest.mark.parametrize("key", ["DATABASE_URL", "PENTATHLON_SECRET_KEY", "REDIS_URL"])
def test_worker_refuses_to_run_beside_keys_in_production(
    key: str,
) -> None:
    key_of = {key: "redis://x:secret@y/0"}

    with pytest.raises(BadEnvironment, match=f"{key} must not be set where bots") as refused:
        opened(PENTATHLON_MODE="production", **key_of)

    assert "secret@" not in str(refused.value)
    opened(**key_of)


@pytest.mark.parametrize("token", ["", "ptw_\n1", "ptw_\xe9"])
def test_token_that_cannot_be_one_is_refused(token: str) -> None:
    with pytest.raises(BadEnvironment, match="PENTATHLON_WORKER_TOKEN"):
        opened(PENTATHLON_WORKER_TOKEN=token)


def test_token_comes_from_a_file_that_can_be_read() -> None:
    with pytest.raises(BadEnvironment, match="PENTATHLON_WORKER_TOKEN_FILE cannot be read"):
        read_environment({"PENTATHLON_WORKER_TOKEN_FILE": "/nowhere"})


@pytest.mark.parametrize(
    ("variables", "least"),
    [
        ({}, SandboxLevel.LANDLOCK),
        ({"PENTATHLON_MODE": "production"}, SandboxLevel.NAMESPACES),
        ({"PENTATHLON_SANDBOX": "process"}, SandboxLevel.PROCESS),
    ],
)
def test_weakest_sandbox_depends_on_who_runs_the_worker(
    variables: dict[str, str], least: SandboxLevel
) -> None:
    assert opened(**variables).least_sandbox is least
