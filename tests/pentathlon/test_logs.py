"""Logs have a line for what was refused, and a traceback for what went wrong."""

import logging

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_user, make_version

pytestmark = pytest.mark.django_db


def test_refused_page_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    client = Client()
    client.force_login(make_user())

    answer = client.get(reverse("version_disqualify", args=[make_version().pk]))

    (record,) = [each for each in caplog.records if each.name == "django.request"]
    assert answer.status_code == 403
    assert record.exc_info is None
    assert record.getMessage().startswith("Forbidden")


def test_error_of_the_server_keeps_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    full = OSError("the disk is full")
    logging.getLogger("django.request").error("Internal Server Error: /", exc_info=full)

    (record,) = caplog.records
    assert record.exc_info is not None
