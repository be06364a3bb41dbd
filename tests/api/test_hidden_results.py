"""Nobody but the organiser and staff sees an outcome before the results are released."""

import re
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.core import caching, throttle
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.core.throttle import LocalCounts
from pentathlon.fleet.models import Worker
from pentathlon.insight.channel import programme
from pentathlon.insight.datasets.services import DatasetMaker
from pentathlon.insight.rivalry.services import count_all
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.results.hidden_results import release_results
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon.web.replay import on_air
from tests.api.client import V1
from tests.api.everything import EACH_BLOCK, answers
from tests.factories import make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.acting import matches_of, settle
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db

_CHANGING = re.compile(
    r'name="(?:csrfmiddlewaretoken|form_key)" value="[\w.-]+"|csrf\w+=\w+|'
    r"[0-9a-f]{32}|[0-9a-f-]{36}|"
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)|\d\d:\d\d(?::\d\d)?|"
    r'"id": ?\d+(?=, ?"at":)|"oldest_wait_s": ?\d+|(?<=Oldest waits for</dt><dd>)\d+ \w+'
)
"""Tokens of forms and requests, times, and the growing numbers of audit events."""
_PART_OF_A_MATCH = re.compile(r"/(matches|replays)/\d+/.")

_FEW_MATCHES = (0, 3)
"""A match of the first block, and one of the second, which a running tournament has not played."""


def _hidden_cup(**arranged: Any) -> Tournament:
    organiser = make_user("host", organiser=True)
    authors = [make_user(f"author-{n}") for n in range(3)]
    versions = tuple(make_version(owner=author).pk for author in authors)
    for person in (organiser, *authors):
        make_endpoint(person)  # for all events
    cup = arranged_cup(
        organiser, versions=versions, rated=False, **(arranged or {"hides_results": True})
    )
    return start_tournament(actor=organiser, tournament=cup)


def _play(matches: Sequence[Match], *, luck: int, fault_at: int | None = None) -> None:
    for match in matches:
        job = claimed(match)
        submit(job, record_of(job, luck=luck + match.pk, fault_at=fault_at))
    while apply_results():
        pass
    count_all()


def _seen(
    cup: Tournament,
    people: Sequence[User | None],
    *,
    matches: Sequence[int],
    where: Callable[[str], bool] = bool,
) -> dict[tuple[int, str], str]:
    # What was made for the other scene.
    caching._packed = caching.Packed()
    programme._windows.clear()
    cache.clear()
    on_air.forget()
    # However long this machine takes for a scene, no worker may seem silent in it.
    Worker.objects.update(seen_at=timezone.now() + timedelta(hours=1))
    return {
        (place, address): _CHANGING.sub("…", text)
        for place, person in enumerate(people)
        for address, text in answers(person, cup, where=where, matches=matches)
        if "/metrics" not in address  # for operators: counts of queries
    }


def _is_whole(address: str) -> bool:
    """Return whether an address is not of a part of a match, which is there if the match is."""
    return not _PART_OF_A_MATCH.search(address)


def _matches(config: pytest.Config) -> Sequence[int]:
    """Return the matches to ask for: nothing but the place in the order tells them apart."""
    return EACH_BLOCK if config.getoption("every_reader") else _FEW_MATCHES


def _where(config: pytest.Config, cup: Tournament) -> Callable[[str], bool]:
    """Return which addresses to ask for: all of them, or those of the tournament itself."""
    if config.getoption("every_reader"):
        return _is_whole
    return _of_itself(cup)


def _tells_results(cup: Tournament) -> Callable[[str], bool]:
    """Return which addresses are of the tournament or its first match, or of the whole site."""
    first = matches_of(cup)[0].pk

    def where(address: str) -> bool:
        numbers = re.findall(r"/(\w+)/(\d+)/", address)
        own = {("tournaments", str(cup.pk)), ("matches", str(first)), ("replays", str(first))}
        return _is_whole(address) and set(numbers) <= own

    return where


def _of_itself(cup: Tournament) -> Callable[[str], bool]:
    return lambda address: f"tournaments/{cup.pk}" in address


def _people(cup: Tournament) -> list[User | None]:
    entrant = cup.entries.in_order()[0].version.bot.owner
    return [None, make_user("another"), entrant]


@pytest.mark.parametrize(
    "ends",
    [
        pytest.param(False, id="running"),
        pytest.param(True, id="closed", marks=pytest.mark.deep),
    ],
)
def test_answers_are_equal_whatever_the_results_are(
    ends: bool, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = _hidden_cup()
    people = _people(cup)
    if not pytestconfig.getoption("every_reader"):
        # An entrant is shown the most; an anonymous reader gets answers that are cached for all.
        people = people[:1] if ends else people[-1:]
    scenes, now = [], time.time()
    for luck, fault_at in ((1, None), (5000, 3)):
        # Pages show how many requests somebody has sent.
        counts = LocalCounts()
        monkeypatch.setattr(throttle, "_counts", lambda url, counts=counts: counts)
        monkeypatch.setattr(on_air, "time", SimpleNamespace(time=lambda: now))  # TV goes on
        with transaction.atomic():
            played = matches_of(cup) if ends else matches_of(cup)[:3]
            _play(played, luck=luck, fault_at=fault_at)
            if ends:
                assert close_finished()
                assert DatasetMaker().make_datasets(for_s=60) == 0
            where = bool if pytestconfig.getoption("every_reader") else _tells_results(cup)
            scenes.append(_seen(cup, people, matches=_matches(pytestconfig), where=where))
            transaction.set_rollback(True)
    first, second = scenes

    # The status pages are left out: they tell which workers are alive now.
    different = [
        where
        for where, text in first.items()
        if second[where] != text and where[1] not in ("/status/", f"{V1}/status/")
    ]

    assert first.keys() == second.keys()
    assert len(first) > 40 * len(people)
    assert different == []


def test_replacement_does_not_tell_how_far_hidden_matches_are(
    pytestconfig: pytest.Config,
) -> None:
    cup = _hidden_cup()
    old = cup.entries.in_order()[0].version
    new = make_version(bot=old.bot)
    # An entrant is shown the most.
    people: list[User | None] = [old.bot.owner]
    if pytestconfig.getoption("every_reader"):
        people.append(None)
    scenes = []
    for done in (0, 3):
        with transaction.atomic():
            _play(matches_of(cup)[:done], luck=1)
            replace_entry(
                actor=cup.owner, tournament=cup, version_id=old.pk, by=new.pk, reason="It hung."
            )
            where = _where(pytestconfig, cup)
            scenes.append(_seen(cup, people, matches=_FEW_MATCHES, where=where))
            transaction.set_rollback(True)
    first, second = scenes

    # The status pages are left out: they count all matches of the site.
    counting = ("/status/", f"{V1}/status/")
    first = {where: text for where, text in first.items() if where[1] not in counting}
    told = f"{V1}/tournaments/{cup.pk}/entries/"
    assert "It hung." in first[0, told]
    assert '"first_block":null' in first[0, told]
    assert [where for where, text in first.items() if second[where] != text] == []


def test_closed_tournament_answers_alike_whatever_its_results_are() -> None:
    cup = _hidden_cup()
    scenes = []
    for luck, fault_at in ((1, None), (5000, 3)):
        with transaction.atomic():
            _play(matches_of(cup), luck=luck, fault_at=fault_at)
            assert close_finished()
            scenes.append(_seen(cup, [None], matches=_FEW_MATCHES, where=_of_itself(cup)))
            transaction.set_rollback(True)

    first, second = scenes

    assert len(first) > 15
    assert first == second


def test_organiser_sees_what_others_do_not() -> None:
    cup = _hidden_cup()
    settle(matches_of(cup))  # the earlier upload wins
    close_finished()
    address = f"{V1}/tournaments/{cup.pk}/standings/"
    client = Client()

    refused = client.get(address)
    client.force_login(cup.owner)
    shown = client.get(address)

    assert (refused.status_code, refused.json()["code"]) == (409, "results_hidden")
    assert [row["place"] for row in shown.json()["results"]] == [1, 2, 3]
    page = client.get(reverse("tournament", args=[cup.pk])).content.decode()
    assert "Only you and staff see these results." in page
    assert "Release results now" in page


def test_pages_say_who_releases_results_and_offer_nothing() -> None:
    cup = _hidden_cup()
    _play(matches_of(cup)[:2], luck=1)

    page = Client().get(reverse("tournament", args=[cup.pk])).content.decode()

    assert "Results are hidden." in page
    assert "Release results now" not in page
    for name in ("tournament_csv", "standings_csv"):
        assert Client().get(reverse(name, args=[cup.pk])).status_code == 409
    assert Client().get(reverse("match", args=[matches_of(cup)[0].pk])).status_code == 404


def test_release_shows_everything_to_everybody() -> None:
    cup = _hidden_cup()
    _play(matches_of(cup), luck=1)
    close_finished()
    client = Client()
    client.force_login(cup.owner)

    released = client.post(reverse("tournament_release", args=[cup.pk]))

    assert released.status_code == 302
    cup.refresh_from_db()
    assert cup.released_at is not None
    assert Client().get(f"{V1}/tournaments/{cup.pk}/standings/").status_code == 200
    assert Client().get(reverse("match", args=[matches_of(cup)[0].pk])).status_code == 200
    with pytest.raises(Conflict, match="hides no results"):
        release_results(actor=cup.owner, tournament=cup)


def test_only_the_organiser_releases() -> None:
    cup = _hidden_cup()

    with pytest.raises(NotAllowed):
        release_results(actor=make_user(), tournament=cup)


def test_results_are_released_by_date() -> None:
    cup = _hidden_cup(hides_results=True, releases_at=timezone.now() + timedelta(hours=1))
    _play(matches_of(cup)[:2], luck=1)
    address = f"{V1}/tournaments/{cup.pk}/standings/"

    before = Client().get(address).status_code
    HiddenLane.objects.update(hides_until=timezone.now() - timedelta(seconds=1))

    assert (before, Client().get(address).status_code) == (409, 200)


def test_freeze_hides_what_ends_after_it() -> None:
    cup = _hidden_cup(freezes_at=timezone.now() + timedelta(hours=1))
    first, second, *_ = matches_of(cup)
    _play([first], luck=1)
    shown_before = Client().get(f"{V1}/tournaments/{cup.pk}/standings/").status_code
    frozen_at = timezone.now() - timedelta(hours=1)
    HiddenLane.objects.update(hides_from=frozen_at)
    Match.objects.filter(pk=first.pk).update(finished_at=frozen_at - timedelta(minutes=1))
    _play([second], luck=1)

    statuses = [
        Client().get(reverse("board", args=[match.pk])).status_code for match in (first, second)
    ]

    assert shown_before == 200
    assert statuses == [200, 404]
    assert Client().get(f"{V1}/tournaments/{cup.pk}/standings/").status_code == 409


def test_board_of_a_hidden_match_stays_out_of_shared_caches() -> None:
    cup = _hidden_cup()
    _play(matches_of(cup)[:1], luck=1)
    client = Client()
    client.force_login(cup.owner)

    answer = client.get(reverse("board", args=[matches_of(cup)[0].pk]))

    assert answer.status_code == 200
    assert "private" in answer.headers["Cache-Control"]


def test_hidden_results_are_never_rated() -> None:
    with pytest.raises(InvalidInput) as caught:
        arranged_cup(make_user(organiser=True), hides_results=True)

    assert caught.value.code == "hidden_and_rated"


def test_hidden_tournament_closes_as_any_other() -> None:
    cup = _hidden_cup()
    _play(matches_of(cup), luck=1)

    close_finished()

    cup.refresh_from_db()
    assert cup.state == TournamentState.CLOSED


def test_addresses_about_rivals_are_asked_too() -> None:
    cup = _hidden_cup()

    asked = {address for address, _ in answers(None, cup, where=lambda path: "bots/" in path)}

    ends = ("/opponents/", "/meetings/")
    assert all(any(address.endswith(end) for address in asked) for end in ends)
    assert len([address for address in asked if "/against/" in address]) == 3
