from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tests.api.client import V1
from tests.factories import make_worker

pytestmark = pytest.mark.django_db


def test_workers_tell_what_they_offer_but_not_where_they_are(anonymous: APIClient) -> None:
    make_worker("secret-host/7", slots=3, runtimes=["java", "python"])

    (worker,) = anonymous.get(f"{V1}/workers/").json()["results"]

    assert (worker["slots"], worker["runtimes"]) == (3, ["java", "python"])
    assert worker["games"]["tuned"] == 1
    assert worker["layers"][0] == {"layer": "identity", "state": "ok", "detail": "no rights"}
    assert "secret-host" not in str(worker)


def test_silent_and_stopping_workers_are_left_out(anonymous: APIClient) -> None:
    make_worker(seen_at=timezone.now() - timedelta(minutes=1))
    make_worker(is_draining=True)

    assert anonymous.get(f"{V1}/workers/").json()["results"] == []
