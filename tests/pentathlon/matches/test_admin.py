"""Worker tokens in the admin: made with a secret that is shown once, and never changed."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import find_worker_token

pytestmark = pytest.mark.django_db

BASE = "/admin/fleet/workertoken/"


@pytest.fixture
def administrator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


def test_new_token_shows_its_secret_once(administrator: Client) -> None:
    answer = administrator.post(
        f"{BASE}add/", {"name": " machine ", "work": ["rated"], "slots": 4}, follow=True
    )

    (token,) = WorkerToken.objects.all()
    said = [str(message) for message in answer.context["messages"]]
    secret = said[0].rpartition(" ")[2]
    assert said[0].startswith("The secret, shown only now: ptw_")
    assert find_worker_token(secret) == token
    assert (token.name, token.work, token.slots) == ("machine", ["rated"], 4)
    assert secret not in administrator.get(f"{BASE}{token.pk}/change/").content.decode()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        pytest.param("machine", "There is a worker token machine already.", id="taken"),
        pytest.param("bell\x07", "1 to 60 printable characters", id="unprintable"),
    ],
)
def test_name_that_cannot_be_is_told_at_its_field(
    name: str, sentence: str, administrator: Client
) -> None:
    administrator.post(f"{BASE}add/", {"name": "machine", "work": ["rated"], "slots": 4})
    LogEntry.objects.all().delete()

    answer = administrator.post(f"{BASE}add/", {"name": name, "work": ["rated"], "slots": 4})

    assert answer.status_code == 200
    assert sentence in answer.content.decode()
    assert WorkerToken.objects.count() == 1
    assert not LogEntry.objects.exists()


def test_token_that_is_there_stays_as_it_is(administrator: Client) -> None:
    administrator.post(f"{BASE}add/", {"name": "machine", "work": ["rated"], "slots": 4})
    token = WorkerToken.objects.get()

    administrator.post(
        f"{BASE}{token.pk}/change/", {"name": "other", "work": ["builds"], "slots": 8}
    )

    token.refresh_from_db()
    assert (token.name, token.work, token.slots) == ("machine", ["rated"], 4)
