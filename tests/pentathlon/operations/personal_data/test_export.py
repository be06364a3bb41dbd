"""The export has everything about a person, no secret, and nothing of anybody else."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import PersonRole, give_role
from pentathlon.bots.archives import read_archive, store_archive
from pentathlon.bots.models import Archive, BotVersion
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchSeat, SeatLog
from pentathlon.operations.personal_data.export import export_account
from pentathlon.tournaments.teams.services import invite_member
from tests.api.client import V1, client_of
from tests.factories import (
    make_match,
    make_staff,
    make_team,
    make_token,
    make_user,
    make_version,
    zip_files,
)
from tests.pentathlon.accounts.oauth.acting import FakeApp, browser_of
from tests.pentathlon.friendlies.acting import begun
from tests.pentathlon.tournaments.acting import matches_of, settle, started
from tests.pentathlon.tournaments.challenges.acting import challenged
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return make_user("ada-lovelace")


def _export(person: User) -> dict[str, Any]:
    """Return the files of the export: JSON as it is, lines as a list, anything else as bytes."""
    whole = io.BytesIO(b"".join(export_account(person)))
    found: dict[str, Any] = {}
    with ZipFile(whole) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            data = archive.read(name)
            if name.endswith(".ndjson"):
                found[name] = [json.loads(line) for line in data.splitlines()]
            else:
                found[name] = json.loads(data) if name.endswith(".json") else data
    return found


def test_everything_is_there(person: User) -> None:
    version, other = make_version(owner=person), make_version()
    cup = started(versions=[version, other])
    settle(matches_of(cup))
    browser_of(person)
    seat = MatchSeat.objects.filter(version=version).earliest("pk")
    SeatLog.objects.create(seat=seat, text="I think of queens.")
    token, secret = make_token(person)
    make_endpoint(owner=person)
    FakeApp(owner=person).tokens_of(person)
    challenged(author=person)
    begun(person=person, bot=other)
    give_role(actor=make_staff(), person=person, role=PersonRole.ORGANISER, reason="A cup.")

    found = _export(person)

    assert found["account.json"]["email"] == person.email
    assert found["tokens.ndjson"][0]["public_id"] == str(token.public_id)
    assert found["webhooks.ndjson"][0]["url"]
    path = f"archives/{version.bot.name}/1.zip"
    assert found[path] == bytes(Archive.objects.get(pk=version.archive_id).data)
    assert {row["id"] for row in found["matches.ndjson"]} == {
        match.pk for match in Match.objects.filter(seats__version__bot__owner=person)
    }
    own = set(BotVersion.objects.owned_by(person).values_list("pk", flat=True))
    assert {row["version"] for row in found["seats.ndjson"]} == own
    assert found["logs.ndjson"][0]["text"] == "I think of queens."
    assert found["entries.ndjson"][0]["tournament"] == cup.pk
    assert len(found["challenges.ndjson"]) == len(found["friendlies.ndjson"]) == 1
    assert [row["action"] for row in found["audit.ndjson"]] == ["role.give"]
    assert found["apps.ndjson"][0]["name"] == "Charts"
    assert found["allowed_apps.ndjson"][0]["app"] == "Charts"
    told = found["README.txt"].decode()
    assert all(name.partition("/")[0] in told for name in found if name != "README.txt")
    assert secret.removeprefix("ptl_") not in str(found)


def test_nothing_of_anybody_else_is_there(person: User) -> None:
    stranger = make_user("babbage-charles")
    version, other = make_version(owner=person), make_version(owner=stranger, name="engine")
    settle(matches_of(started(versions=[version, other])))
    settle(matches_of(started(versions=[other, make_version()])))
    for seat in MatchSeat.objects.filter(version=other):
        SeatLog.objects.create(seat=seat, text="engine thoughts")
    make_token(stranger)
    make_endpoint(owner=stranger)

    whole = str(_export(person))

    assert "babbage" not in whole
    assert "engine thoughts" not in whole
    assert other.archive_id not in whole
    assert _export(person)["webhooks.ndjson"] == []


def test_hidden_results_are_left_out(person: User) -> None:
    version = make_version(owner=person)
    cup = started(versions=[version, make_version()], rated=False)
    settle(matches_of(cup))
    HiddenLane.objects.create(lane=cup.pk, organiser=cup.owner)

    found = _export(person)

    assert found["matches.ndjson"] == found["seats.ndjson"] == []


def test_seeds_are_in_no_export(person: User) -> None:
    version = make_version(owner=person)
    make_match([version, make_version()], seed=123_456_789_123)

    assert "123456789123" not in str(_export(person))


def test_memory_does_not_grow_with_the_export(person: User) -> None:
    version = make_version(owner=person)
    whole = 0
    about = f'name = "{version.bot.name}"\ngames = ["tuned"]\nlanguage = "python"\n'
    large: dict[str, bytes | str] = {
        "bot.toml": about,
        "main.py": "",
        "noise": random.randbytes(1_000_000),
    }
    version.archive = store_archive(read_archive(zip_files(large)))
    version.save(update_fields=("archive",))
    matches = [make_match([version, make_version()]) for _ in range(3)]
    for number, seat in enumerate(MatchSeat.objects.filter(match__in=matches, version=version)):
        SeatLog.objects.create(seat=seat, text=f"{number}" * 100_000)

    tracemalloc.start()
    for piece in export_account(person):
        whole += len(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert whole > 1_000_000
    assert peak < 8_000_000


def test_teams_are_there_with_open_invitations(person: User) -> None:
    joined, asking = make_team("Axes", members=[person]), make_team("Owls")
    invite_member(actor=asking.owner, team=asking, username=person.username)

    rows = _export(person)["teams.ndjson"]

    assert [(row["team"], row["accepted_at"] is None) for row in rows] == [
        (joined.pk, False),
        (asking.pk, True),
    ]


def test_page_and_api_send_the_zip(person: User) -> None:
    browser, by_password = Client(), APIClient()
    browser.force_login(person)
    page = browser.get(reverse("data_export"))
    by_token = client_of(person).get(f"{V1}/me/export.zip")
    signed_in: Any = browser.get(f"{V1}/me/export.zip")

    assert page.headers["Content-Type"] == "application/zip"
    assert page.headers["Content-Disposition"].startswith('attachment; filename="pentathlon-ada')
    assert b"".join(page)[:2] == b"PK"
    assert b"".join(signed_in)[:2] == b"PK"
    assert "no-store" in page.headers["Cache-Control"]
    assert "no-store" in signed_in.headers["Cache-Control"]
    assert by_token.status_code == 401
    assert by_password.get(f"{V1}/me/export.zip").status_code == 401
    assert Client().get(reverse("data_export")).status_code == 302
