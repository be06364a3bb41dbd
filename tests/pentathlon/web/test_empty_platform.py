import pytest
from django.test import Client

from tests.pentathlon.web.crawling import crawl

pytestmark = pytest.mark.django_db


def test_every_link_of_an_empty_platform_leads_to_a_valid_page() -> None:
    found = crawl(Client())

    assert {"/games/tuned/", "/leaderboards/tuned/", "/tournaments/", "/bots/"} <= set(found)
