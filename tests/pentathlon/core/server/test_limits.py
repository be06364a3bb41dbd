"""The table of limits is whole, and what stands before the site lets through what it allows."""

import re

import pytest

from pentathlon.core.server import limits
from pentathlon.core.server.limits import ALLOWANCES, RATES, THREADS, ThreadGroup, allowance
from pentathlon.fleet.announcements import HEARTBEAT_S
from pentathlon_engines.manifest import LARGEST_BYTES
from tests.k8s.manifests import BASE, containers, load, of_kind, overlay_folder

_UNITS = {"k": 1024, "m": 1024**2, "Mi": 1024**2, "Gi": 1024**3}


def number_of(text: str) -> int:
    digits, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", text).groups()  # type: ignore[union-attr]  # it has one
    return int(digits) * _UNITS[unit]


@pytest.mark.parametrize(
    ("path", "largest", "threads", "rate"),
    [
        ("/api/v1/bots/", limits.LARGEST_UPLOAD, ThreadGroup.UPLOADS, "uploads"),
        ("/api/v1/versions/", limits.LARGEST_UPLOAD, ThreadGroup.UPLOADS, "uploads"),
        ("/api/v1/versions/7/retire/", limits.LARGEST_BODY, ThreadGroup.PAGES, None),
        ("/api/v1/tournaments/", limits.LARGEST_BODY, ThreadGroup.PAGES, None),
        ("/bots/new/", limits.LARGEST_UPLOAD, ThreadGroup.UPLOADS, "uploads"),
        ("/bots/7/new/", limits.LARGEST_UPLOAD, ThreadGroup.UPLOADS, "uploads"),
        ("/bots/7/", limits.LARGEST_FORM, ThreadGroup.PAGES, None),
        ("/tournaments/7/", limits.LARGEST_FORM, ThreadGroup.PAGES, "tables"),
        ("/tournaments/7/results.csv", 0, ThreadGroup.EXPORTS, "exports"),
        ("/api/v1/tournaments/7/proof/", limits.LARGEST_FORM, ThreadGroup.EXPORTS, "exports"),
        ("/api/v1/fleet/hints/", limits.LARGEST_BODY, ThreadGroup.HINTS, None),
        ("/sign-in/", limits.LARGEST_FORM, ThreadGroup.PAGES, None),
        ("/live/x", 0, ThreadGroup.PAGES, None),
        ("//", limits.LARGEST_FORM, ThreadGroup.PAGES, None),
        ("*", limits.LARGEST_FORM, ThreadGroup.PAGES, None),
    ],
)
def test_address_has_its_limits(
    path: str, largest: int, threads: ThreadGroup, rate: str | None
) -> None:
    found = allowance(path)

    assert (found.largest_body, found.threads, found.rate) == (largest, threads, rate)


def test_every_rate_and_lane_that_is_named_exists() -> None:
    assert {row.rate for row in ALLOWANCES} - {None} <= RATES.keys()
    assert {row.threads for row in ALLOWANCES} == THREADS.keys()


def test_manifest_is_as_small_as_the_engines_demand() -> None:
    assert LARGEST_BYTES == limits.LARGEST_MANIFEST


def test_gateway_ends_no_stream() -> None:
    routes = of_kind(load(overlay_folder("production") / "gateway.yaml"), "HTTPRoute")

    timeouts = {
        match["path"]["value"]: rule["timeouts"]["request"]
        for route in routes
        for rule in route["spec"]["rules"]
        for match in rule.get("matches", ())
    }
    assert timeouts == {"/live/": "0s"}


def test_pod_has_room_for_bodies_and_answers_on_disk() -> None:
    (web,) = of_kind(load(BASE / "web.yaml"), "Deployment")
    pod = web["spec"]["template"]
    sizes = {
        volume["name"]: number_of(volume["emptyDir"]["sizeLimit"])
        for volume in pod["spec"]["volumes"]
    }
    # Django stores an upload once more while it takes the form apart.
    needed = (
        limits.BODIES_ON_DISK
        + limits.ANSWERS_ON_DISK
        + THREADS[ThreadGroup.UPLOADS] * limits.LARGEST_UPLOAD
    )

    assert sizes["tmp"] >= needed
    assert number_of(containers(pod)[0]["resources"]["limits"]["memory"]) >= 512 * 1024**2


def test_pod_is_given_time_to_end_an_upload() -> None:
    (web,) = of_kind(load(BASE / "web.yaml"), "Deployment")
    pod = web["spec"]["template"]["spec"]
    pause = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]

    assert pause + limits.GRACE_S < pod.get("terminationGracePeriodSeconds", 30)


def test_connection_of_a_worker_outlives_the_pause_between_heartbeats() -> None:
    assert limits.IDLE_S >= HEARTBEAT_S + 2
