"""Records that authors upload from their desks: verified, shown, never counted."""

import copy
import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.matches.desk_records import services
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Rating
from pentathlon_engines import GAMES
from pentathlon_engines.record.record import chain
from pentathlon_engines.record.rerun import fork_at
from tests.api.client import V1, assert_problem, client_of
from tests.engines.record.random_records import make_record, tuned_record
from tests.factories import make_staff, make_user
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db
ADDRESS = f"{V1}/desk-records/"


def changed(**fields: Any) -> Any:
    """Return a record that was sealed with other fields."""
    record = json.loads(json.dumps({**tuned_record(), **fields}))
    return {**record, "chain": chain(record)}


def named(*names: str) -> Any:
    return changed(bots=[{"name": name, "hash": "sha256:00"} for name in names])


def send(record: Any, **who: Any) -> Any:
    client = client_of(who.get("author") or make_user())
    return client.post(ADDRESS, data=record, format="json")


def test_record_is_kept_and_told_as_what_it_is() -> None:
    author = make_user("desk-author")
    record = tuned_record()

    made = send(record, author=author)

    told = made.json()
    assert made.status_code == 201
    assert (told["author"]["username"], told["chain"]) == ("desk-author", record["chain"])
    assert (told["rated"], told["played_here"]) == (False, False)
    assert [seat["name"] for seat in told["seats"]] == ["bot 0", "bot 1"]
    assert Client().get(f"{ADDRESS}{told['id']}/record/").json() == record
    assert Client().get(f"{ADDRESS}?author=desk-author").json()["results"] == [told]
    assert Client().get(f"{ADDRESS}?author=other").json()["results"] == []


def _post_to_page(author: User, content: bytes) -> Any:
    client = Client()
    client.force_login(author)
    sent = SimpleUploadedFile("match.json", content)
    return client.post("/records/new/", {"record": sent}, follow=True)


def test_record_is_uploaded_by_page() -> None:
    page = page_of(_post_to_page(make_user(), json.dumps(tuned_record()).encode()))

    assert "The record verifies" in page.text
    assert f"Desk record {DeskRecord.objects.get().pk}" in page.text


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "This file is not JSON"),
        (b"\xff\xfe", "This file is not JSON"),
        (b"[" * 100_000, "This file is not JSON"),
        (b'{"format": 1}', "The record is refused"),
    ],
)
def test_page_says_why_a_record_is_refused(content: bytes, sentence: str) -> None:
    page = page_of(_post_to_page(make_user(), content))

    assert sentence in page.text
    assert not DeskRecord.objects.exists()


def test_record_is_no_match_and_rates_nobody() -> None:
    send(tuned_record())

    assert not Match.objects.exists()
    assert not Rating.objects.exists()
    assert Client().get(f"{V1}/matches/").json()["results"] == []


def test_same_record_comes_once_and_the_first_one_is_named() -> None:
    first = send(tuned_record()).json()["id"]

    again = send(tuned_record())

    assert_problem(again, status=409, code="same_record")
    assert f"/records/{first}/" in again.json()["detail"]
    assert DeskRecord.objects.count() == 1


def test_tampered_record_is_refused() -> None:
    record = copy.deepcopy(tuned_record())
    record["events"][0][2] += 1

    refused = send(record)

    assert_problem(refused, status=400, code="bad_record")
    assert "changed after it was sealed" in refused.json()["detail"]


def test_resealed_lie_is_refused() -> None:
    outcome = tuned_record()["outcome"]
    outcome["ranks"] = outcome["ranks"][::-1]

    assert_problem(send(changed(outcome=outcome)), status=400, code="bad_record")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rules": 99}, "use the release of pentathlon-engines that has it"),
        ({"game": "chess"}, "game"),
        ({"options": {"colour": "red"}}, "options"),
        ({"limits": {"speed": 3}}, "unknown limits: speed"),
        ({"limits": {"memory_mb": 3}}, "startup_wall_s is missing"),
        ({"extra": 1}, "no such field as 'extra'"),
        ({"seats": 3}, "bots: must be one per seat"),
        ({"bots": [{"name": "x" * 101, "hash": ""}] * 2}, "bots[0].name"),
        ({"bots": [{"name": "a\0b", "hash": ""}] * 2}, "bots[0].name"),
    ],
)
def test_records_that_do_not_fit_are_refused(fields: dict[str, Any], words: str) -> None:
    refused = send(changed(**fields))

    assert_problem(refused, status=400, code="bad_record")
    assert words in refused.json()["detail"]


def test_forked_record_is_refused() -> None:
    game = GAMES["tuned"]
    source = tuned_record()
    forked = make_record(game, seats=2, fork=fork_at(source, 2))

    assert_problem(send(forked), status=400, code="forked_record")


@pytest.mark.parametrize("sent", [[], {}, "x", 7, None, [[]]])
def test_what_is_no_record_is_refused(sent: Any) -> None:
    refused = send(sent)

    assert refused.status_code == 400
    assert not DeskRecord.objects.exists()


def test_record_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "DESK_RECORD_BYTES", 500)

    assert_problem(send(tuned_record()), status=413, code="record_too_large")


@pytest.mark.parametrize("limit", ["DESK_RECORDS", "DESK_RECORDS_A_DAY"])
def test_quota_of_an_author_ends(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, limit, 1)
    author = make_user()

    first = send(named("a", "b"), author=author)
    second = send(named("c", "d"), author=author)
    others = send(named("c", "d"))

    assert (first.status_code, others.status_code) == (201, 201)
    assert_problem(second, status=409, code="desk_record_quota")


def test_who_has_not_signed_in_uploads_nothing() -> None:
    answer = Client().post(
        ADDRESS, data=json.dumps(tuned_record()), content_type="application/json"
    )

    assert answer.status_code == 401


def test_author_and_staff_delete_and_nobody_else() -> None:
    author = make_user()
    pks = [send(named(name, "b"), author=author).json()["id"] for name in "xyz"]

    stranger = client_of(make_user()).delete(f"{ADDRESS}{pks[0]}/")
    own = client_of(author).delete(f"{ADDRESS}{pks[0]}/")
    staff = Client()
    staff.force_login(make_staff())
    by_staff = staff.post(f"/records/{pks[1]}/delete/")
    by_page = Client()
    by_page.force_login(make_user())

    assert_problem(stranger, status=403, code="not_your_record")
    assert (own.status_code, by_staff.status_code) == (204, 302)
    assert by_page.post(f"/records/{pks[2]}/delete/").status_code == 403
    assert [row.pk for row in DeskRecord.objects.all()] == [pks[2]]


def test_replay_page_shows_the_moves_and_that_it_was_not_played_here() -> None:
    author = make_user("desk-author")
    pk = send(tuned_record(), author=author).json()["id"]

    page = page_of(Client().get(f"/records/{pk}/?ply=2"))
    board = Client().get(f"/records/{pk}/board.svg?ply=2")
    parts = [Client().get(f"/records/{pk}/{part}/?ply=2") for part in ("moment", "actions")]
    file = Client().get(f"/records/{pk}/record.json")

    assert page.mistakes == []
    assert "Not played here. desk-author has played this match on another machine" in page.text
    assert board["Content-Type"] == "image/svg+xml"
    assert Client().get(f"{ADDRESS}{pk}/board.svg?ply=2").content == board.content
    assert [part.status_code for part in parts] == [200, 200]
    assert file.json() == tuned_record()


@pytest.mark.parametrize(("key", "seats"), [("azure", 2), ("way_of_the_dragon", 3)])
def test_game_with_secrets_and_more_seats_has_a_page(key: str, seats: int) -> None:
    pk = send(make_record(GAMES[key], seats=seats)).json()["id"]

    page = page_of(Client().get(f"/records/{pk}/?ply=3&seat=1"))

    assert page.mistakes == []


def test_hostile_names_are_text_and_never_markup() -> None:
    name = '"><script>alert(1)</script>{{ 7|add:7 }}'
    author = make_user("desk-author")
    pk = send(named(name, "<b>b</b>"), author=author).json()["id"]

    for address in (f"/records/{pk}/", "/records/", "/records/?author=desk-author"):
        page = page_of(Client().get(address))
        assert page.mistakes == []
        assert name in page.text
        assert b"<script>alert" not in Client().get(address).content


def test_missing_records_are_not_there() -> None:
    for part in ("", "board.svg", "moment/", "actions/", "record.json"):
        assert Client().get(f"/records/1/{part}").status_code == 404
    assert Client().get(f"{ADDRESS}1/").status_code == 404


def test_list_has_constant_queries(django_assert_num_queries: Any) -> None:
    author = make_user()
    for number in range(3):
        send(named(f"bot {number}", "b"), author=author)

    with django_assert_num_queries(1):
        listed = Client().get(ADDRESS)

    assert len(listed.json()["results"]) == 3
