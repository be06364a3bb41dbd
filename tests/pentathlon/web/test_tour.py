"""Every address of the site is a page that the tour visits, or says why it is none."""

import pytest
from django.test import Client

from pentathlon.web.urls import urlpatterns
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.web.tour import NO_PAGES, make_tour

pytestmark = pytest.mark.django_db


def test_tour_visits_every_page(scene: Scene) -> None:
    tour = make_tour(scene)
    visited = {visit.name for visit in tour}
    named = {pattern.name for pattern in urlpatterns} | {"api:docs", "api:reference"}

    assert visited & NO_PAGES.keys() == set()
    assert visited | NO_PAGES.keys() == named
    for visit in tour:
        client = Client()
        if visit.reader is not None:
            client.force_login(visit.reader)
        response = client.get(visit.address)
        assert response.status_code == 200, visit.address
        page_of(response)
