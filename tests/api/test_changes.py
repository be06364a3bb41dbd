"""What no seed rests on can be changed while a tournament is open."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pentathlon.accounts.audit.models import AuditEvent
from pentathlon.accounts.models import User
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import start_tournament
from pentathlon.webhooks.models import OutboxEvent
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_bot, make_user, make_version
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


def _in(**span: float) -> str:
    return (datetime.now(UTC) + timedelta(**span)).replace(microsecond=0).isoformat()


@pytest.fixture
def host() -> User:
    return make_user("host", organiser=True)


@pytest.fixture
def cup(host: User) -> Tournament:
    return arranged_cup(host, rated=False)


def _read(cup: Tournament) -> Any:
    return client_of(cup.owner).get(f"{V1}/tournaments/{cup.pk}/").json()


def _change(cup: Tournament, person: User | None = None, **changes: Any) -> Any:
    body = {"revision": _read(cup)["revision"], **changes}
    client = client_of(person or cup.owner)
    return client.patch(f"{V1}/tournaments/{cup.pk}/", body, format="json")


def test_everything_around_the_document_is_changed(cup: Tournament) -> None:
    changes: dict[str, Any] = {
        "name": "Cup of the week",
        "description": "Bring a **bot**.",
        "entries_per_author": 5,
        "closes_entries_at": _in(days=1),
        "starts_at": _in(days=2),
        "hides_results": True,
        "releases_at": _in(days=9),
        "entry_rules": {"newest_only": True},
        "by_invitation": True,
        "invited": [make_user("ann").username],
    }

    answer = _change(cup, **changes)

    told = answer.json()
    assert answer.status_code == 200, told
    for name in changes.keys() - {"invited", "releases_at"}:
        shown, wanted = told[name], changes[name]
        if name.endswith("_at"):
            shown, wanted = (datetime.fromisoformat(each) for each in (shown, wanted))
        assert shown == wanted
    assert HiddenLane.objects.get().lane == cup.pk
    assert list(cup.invitations.values_list("person__username", flat=True)) == ["ann"]


def test_stale_change_is_refused_and_changes_nothing(cup: Tournament) -> None:
    revision = _read(cup)["revision"]
    _change(cup, name="First")

    answer = _change(cup, name="Second", revision=revision)

    assert_problem(answer, status=409, code="changed_meanwhile", attr="revision")
    assert Tournament.objects.get().name == "First"


def test_change_without_a_revision_is_refused(cup: Tournament) -> None:
    answer = client_of(cup.owner).patch(
        f"{V1}/tournaments/{cup.pk}/", {"name": "Other"}, format="json"
    )

    assert_problem(answer, status=400, code="required", attr="revision")


@pytest.mark.parametrize(
    "name", ["game", "format", "params", "limits", "options", "table_seats", "tie_breaks", "rated"]
)
def test_what_seeds_rest_on_is_refused_by_name(cup: Tournament, name: str) -> None:
    changes: dict[str, Any] = {name: "tuned"}

    answer = _change(cup, **changes)

    assert_problem(answer, status=400, code="fixed", attr=name)


def test_all_that_is_wrong_is_named_at_once(cup: Tournament) -> None:
    answer = _change(
        cup,
        game="azure",
        colour="red",
        name="",
        starts_at="2001-01-01T00:00:00Z",
        description="x" * 4001,
    )

    found = {(error["pointer"], error["code"]) for error in answer.json()["errors"]}
    assert found == {
        ("/game", "fixed"),
        ("/colour", "unknown_field"),
        ("/name", "blank"),
        ("/starts_at", "past"),
        ("/description", "max_length"),
    }


@pytest.mark.parametrize("state", ["draft", "running", "closed"])
def test_it_is_changed_while_it_is_open_only(cup: Tournament, state: str) -> None:
    revision = _read(cup)["revision"]
    Tournament.objects.update(state=state)

    answer = _change(cup, name="Late", revision=revision)

    assert_problem(answer, status=409, code="wrong_state")
    assert _read(cup)["revision"] is None


def test_only_organisers_change_it(cup: Tournament) -> None:
    answer = _change(cup, make_user(organiser=True), name="Mine")

    assert_problem(answer, status=403, code="not_your_tournament")


def test_date_that_has_passed_may_stay(cup: Tournament) -> None:
    Tournament.objects.update(closes_entries_at=datetime.now(UTC) - timedelta(days=1))

    later = _change(cup, starts_at=_in(days=3))
    extended = _change(cup, closes_entries_at=_in(days=1))

    assert (later.status_code, extended.status_code) == (200, 200)


def test_cap_below_what_has_entered_is_refused_with_the_bots(cup: Tournament) -> None:
    bot = make_bot("owl", owner=make_user("ann"))
    for _ in range(3):
        enter_tournament(actor=bot.owner, tournament=cup, version_id=make_version(bot=bot).pk)

    refused = _change(cup, entries_per_author=2)
    allowed = _change(cup, entries_per_author=3)

    assert_problem(refused, status=409, code="cap_below_entries", attr="entries_per_author")
    assert "ann has 3 in (owl v1, owl v2, owl v3)" in refused.json()["detail"]
    assert refused.json()["errors"][0]["allowed"] == {"minimum": 3}
    assert allowed.status_code == 200


def test_new_rules_put_nobody_out(cup: Tournament) -> None:
    bot = make_bot("owl")
    old = make_version(bot=bot)
    enter_tournament(actor=bot.owner, tournament=cup, version_id=old.pk)
    make_version(bot=bot)

    answer = _change(cup, entry_rules={"newest_only": True})

    assert answer.status_code == 200
    assert cup.entries.get().version == old


def test_invitations_end_with_the_rule(host: User) -> None:
    ann = make_user("ann")
    cup = arranged_cup(host, by_invitation=True, invited=("ann",))

    answer = _change(cup, by_invitation=False)

    assert answer.status_code == 200
    assert not ann.invitations.exists()


def test_everybody_in_it_is_told_and_the_log_says_from_what_to_what(cup: Tournament) -> None:
    bot = make_bot("owl")
    enter_tournament(actor=bot.owner, tournament=cup, version_id=make_version(bot=bot).pk)
    make_endpoint(bot.owner)
    start = _in(days=3)

    _change(cup, starts_at=start)

    told = OutboxEvent.objects.get(type="tournament.changed")
    assert told.data["changed"] == ["starts_at"]
    assert {cup.owner.pk, bot.owner.pk} == set(told.audience)
    logged = client_of(bot.owner).get(f"{V1}/tournaments/{cup.pk}/audit/").json()["results"][0]
    assert (logged["action"], logged["details"]) == (
        "tournament.change",
        {"changes": {"starts_at": {"before": None, "after": start}}},
    )


def test_log_names_no_invited_person(cup: Tournament) -> None:
    make_user("ann")

    _change(cup, by_invitation=True, invited=["ann"])

    event = AuditEvent.objects.get(action="tournament.change")
    assert "ann" not in str(event.details)
    assert "invited: 0 → 1" in event.facts_in_words


def test_change_of_nothing_is_no_event(cup: Tournament) -> None:
    answer = _change(cup, name=cup.name)

    assert answer.status_code == 200
    assert not AuditEvent.objects.filter(action="tournament.change").exists()


def test_new_start_is_tried_again(cup: Tournament) -> None:
    Tournament.objects.update(start_problem="Too few bots.")

    _change(cup, starts_at=_in(days=1))

    assert Tournament.objects.get().start_problem == ""


def test_released_results_stay_released(host: User) -> None:
    cup = arranged_cup(host, rated=False, hides_results=True)
    client_of(host).post(f"{V1}/tournaments/{cup.pk}/release/")

    answer = _change(cup, name="Other")

    assert answer.status_code == 200
    assert not HiddenLane.objects.exists()


def test_changed_tournament_starts_with_the_same_secret(host: User) -> None:
    versions = (make_version().pk, make_version().pk)
    cup = arranged_cup(host, versions=versions)
    before = cup.commitment
    _change(cup, name="Renamed")

    started = start_tournament(actor=host, tournament=cup)

    assert started.commitment == before


@pytest.mark.parametrize(
    ("value", "code"),
    [("9999-01-01T00:00:00Z", "too_late"), ("2030-01-01T00:00:00", "zone_missing")],
)
def test_wrong_time_is_named(cup: Tournament, value: str, code: str) -> None:
    answer = _change(cup, starts_at=value)

    assert_problem(answer, status=400, code=code, attr="starts_at")
