from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pentathlon.matches.models import MatchState
from pentathlon.web.views import status
from tests.factories import make_match, make_user, make_worker
from tests.pentathlon.tournaments.acting import matches_of, started
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def test_workers_show_what_they_offer_and_their_walls() -> None:
    make_worker("secret-host/7", runtimes=["build:cc", "build:make", "java", "python"])

    text = page_of(Client().get(reverse("workers"))).text

    assert "java, python" in text
    assert "cc, make" in text
    assert "build:" not in text
    assert "Identity in force" in text
    assert "secret-host" not in text


def test_long_queue_is_not_counted_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "MOST_COUNTED", 1)
    for _ in range(3):
        make_match()

    text = page_of(Client().get(reverse("status"))).text

    assert text.count("more than 1") == 1


def test_status_tells_the_last_hour_in_steps_of_ten_minutes() -> None:
    now = timezone.now()
    for minutes in (5, 15, 15, 25, 70):
        make_match(state=MatchState.DONE, finished_at=now - timedelta(minutes=minutes))

    found = status.read_status()

    assert list(found["spans"].values()) == [0, 0, 0, 1, 2, 1]
    assert found["last_hour"] == 4
    page = page_of(Client().get(reverse("status")))
    assert "A minute 0.1" in page.text
    assert [rect["width"] for rect in page.all("rect") if rect.get("class") == "done"] == [
        *["0.0%"] * 3, "50.0%", "100.0%", "50.0%"
    ]  # fmt: skip


def test_workers_show_that_their_hosts_are_starved() -> None:
    make_worker(starved=0.87, held_slots=1)

    text = page_of(Client().get(reverse("workers"))).text

    assert "87 % of the time; 1 slot held back" in text


def test_operator_sees_which_worker_it_is() -> None:
    make_worker("secret-host/7")
    operator = make_user()
    operator.is_superuser = True
    operator.save()
    client = Client()
    client.force_login(operator)

    assert "secret-host/7" in page_of(client.get(reverse("workers"))).text


def test_status_warns_when_nothing_plays() -> None:
    text = page_of(Client().get(reverse("workers"))).text

    assert "No worker is alive" in text


@pytest.mark.parametrize("name", ["tournament", "tournament_schedule"])
def test_tournament_says_why_nothing_is_played(name: str) -> None:
    tournament = started(bots=2)

    text = page_of(Client().get(reverse(name, args=[tournament.pk]))).text

    assert "No worker is alive." in text


def test_match_says_why_it_waits() -> None:
    match = matches_of(started(bots=2))[0]

    text = page_of(Client().get(reverse("match", args=[match.pk]))).text

    assert "No worker is alive." in text


@pytest.mark.parametrize("page", ["upload", "bot_guide"])
def test_authors_see_what_workers_have_before_they_upload(page: str) -> None:
    client = Client()
    client.force_login(make_user())
    before = page_of(client.get(reverse(page))).text
    make_worker(runtimes=["build:cc", "command", "python"], untried=["build:cargo", "node"])

    after = page_of(client.get(reverse(page))).text

    assert "No worker is alive now" in before
    assert "No worker is alive now" not in after
    # Terms and their descriptions have nothing between them.
    for words in ("run bots incommand, python", "build withcc", "being triedcargo, node"):
        assert words in after
