"""A build that fails is the bot's, and its page says nothing else."""

import pytest
from django.test import Client

from pentathlon.matches.uploads.services import reject_build, submit_version
from tests.factories import make_upload, make_user
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def test_page_of_a_failed_build_excuses_nobody() -> None:
    version = submit_version(actor=make_user(), archive=make_upload())
    reject_build(version_id=version.pk, reason="build: the command ended.", log="no such file")

    page = page_of(Client().get(f"/versions/{version.pk}/"))

    assert "no fault of the bot" not in page.text.lower()
    assert "build: the command ended." in page.text
    assert "Correct it and upload a new version" in page.text
