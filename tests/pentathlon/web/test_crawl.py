"""Every page that a reader can reach is there and valid, whoever reads."""

from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from pentathlon.matches.desk_records.models import DeskRecord
from tests.deep import mostly_deep
from tests.pentathlon.web.crawling import MOST_PAGES, crawl
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db

_OF_A_KIND = 3
"""How many pages of each view are read when somebody is signed in; a stranger reads all."""


@pytest.mark.parametrize("who", mostly_deep(["nobody", "author", "organiser"], keep=["author"]))
def test_every_link_leads_to_a_valid_page_and_its_part(
    scene: Scene, who: str, pytestconfig: pytest.Config
) -> None:
    client = Client()
    most = MOST_PAGES
    if who != "nobody":
        client.force_login(getattr(scene, who))
        most = MOST_PAGES if pytestconfig.getoption("every_reader") else _OF_A_KIND

    found = crawl(client, most_of_a_kind=most)
    ids = {address: set(page.ids()) for address, page in found.items()}
    missing = {
        link
        for address, page in found.items()
        for link in page.links()
        if not urlsplit(link).netloc and "#" in link
        for target, _, part in [urljoin(address, link).partition("#")]
        if target in found and part not in ids[target]
    }

    assert f"/tournaments/{scene.closed.pk}/faults/" in found
    assert f"/matches/{scene.done.pk}/" in found
    assert f"/records/{DeskRecord.objects.get().pk}/" in found
    assert 40 < len(found) < MOST_PAGES
    assert missing == set()
