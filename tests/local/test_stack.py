from pathlib import Path

import pytest

from pentathlon.local.stack import Stack


def stack(host: str, *, redis_url: str | None = None) -> Stack:
    return Stack(host=host, port=8000, workers=3, folder=Path("/run/ptl"), redis_url=redis_url)


def names(of: Stack) -> list[str]:
    return [service.name for service in of.services()]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://localhost:8000"),
        ("0.0.0.0", "http://localhost:8000"),
        ("::", "http://localhost:8000"),
        ("10.0.0.5", "http://10.0.0.5:8000"),
        ("fd00::5", "http://[fd00::5]:8000"),
    ],
)
def test_address_is_one_that_a_person_can_open(host: str, address: str) -> None:
    assert stack(host).address == address


def test_own_broker_comes_first() -> None:
    assert names(stack("127.0.0.1")) == ["broker", "web", "reconciler", "worker"]


def test_broker_that_is_handed_in_is_used() -> None:
    services = stack("127.0.0.1", redis_url="redis://elsewhere").services()

    assert [service.name for service in services] == ["web", "reconciler", "worker"]
    assert {(service.environment or {})["REDIS_URL"] for service in services} == {
        "redis://elsewhere"
    }


def test_only_a_server_for_the_network_answers_to_every_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PENTATHLON_HOSTS", raising=False)

    own, network = (stack(host).services()[1].environment or {} for host in ("::1", "0.0.0.0"))

    assert "PENTATHLON_HOSTS" not in own
    assert network["PENTATHLON_HOSTS"] == "*"


def test_worker_plays_as_many_matches_at_once_as_wanted() -> None:
    command = list(stack("127.0.0.1").services()[-1].command)

    assert "--concurrency=3" in command


def test_worker_that_takes_over_finds_the_compiled_engines_first() -> None:
    worker = stack("127.0.0.1").worker_with(Path("/compiled"))

    assert worker.name == "worker"
    assert (worker.environment or {})["PYTHONPATH"].startswith("/compiled:")
