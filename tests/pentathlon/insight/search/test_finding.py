"""What a search finds, what it never shows, and what it costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot
from pentathlon.insight.search.lookup import Kind, find_match, find_names
from pentathlon.matches.models import MatchKind
from pentathlon.tournaments.models import Event, Tournament, TournamentState
from tests.factories import make_bot, make_match, make_staff, make_tournament, make_user

pytestmark = pytest.mark.django_db


def found(query: str, *, reader: User | None = None) -> list[str]:
    return [each.name for each in find_names(query, reader=reader)]


def test_names_come_the_most_fitting_first() -> None:
    owner = make_user("zoe")
    for name in ("Old Heron", "heron", "Heron Grey", "Red-Heron-2", "Grey old Heron", "Crane"):
        make_bot(name, owner=owner)

    assert found("heron") == ["heron", "Heron Grey", "Old Heron", "Red-Heron-2", "Grey old Heron"]
    assert found("her gre") == ["Heron Grey", "Grey old Heron"]
    assert found("eron") == []


def test_all_kinds_are_found_by_a_word() -> None:
    author = make_user("falcon")
    make_bot("falcon-eye", owner=author)
    make_tournament(author, name="The Falcon Cup")
    Event.objects.create(owner=author, name="Falcon days")

    kinds = {each.kind: each for each in find_names("falcon", reader=None)}

    assert set(kinds) == set(Kind)
    assert kinds[Kind.BOT].author == "falcon"
    assert kinds[Kind.TOURNAMENT].game == "tuned"


def test_what_is_not_public_is_not_found() -> None:
    organiser = make_user("osprey-organiser")
    make_tournament(organiser, name="Osprey draft", state=TournamentState.DRAFT)
    make_tournament(organiser, name="Osprey ladder", division=1)
    make_user("osprey-reader")

    assert found("osprey") == []
    assert found("osprey draft", reader=organiser) == ["Osprey draft"]
    assert found("osprey draft", reader=make_staff()) == ["Osprey draft"]


def test_person_who_was_locked_out_is_not_found() -> None:
    author = make_bot("Kite bot", owner=make_user("kite")).owner
    author.is_active = False
    author.save()

    assert found("kite") == ["Kite bot"]


def test_match_is_found_by_its_number_if_it_may_be_seen() -> None:
    match = make_match()
    check = make_match(kind=MatchKind.VALIDATION)
    own = check.seats.get(seat=0).version.bot.owner

    assert find_match(f" #{match.pk} ", reader=None) == match
    assert find_match(f"00{match.pk}", reader=None) == match
    assert find_match(str(check.pk), reader=None) is None
    assert find_match(str(check.pk), reader=own) == check
    for odd in ("", "#", "-1", "1.5", "9" * 16, "1 2"):
        assert find_match(odd, reader=None) is None


def test_name_is_found_whatever_its_case_and_accents() -> None:
    owner = make_user("dotterel")
    for name in ("Château Öl", "ØRE", "Straße", "ΣΊΣΥΦΟΣ", "Ёлка", "한국 봇", "50 % _bot"):
        Tournament.objects.filter(pk=make_tournament(owner, name=name).pk).update(name=name)

    for query, name in {
        "CHATEAU ol": "Château Öl",
        "öl": "Château Öl",
        "STRASSE": "Straße",
        "straße": "Straße",
        "σίσυφος": "ΣΊΣΥΦΟΣ",
        "елка": "Ёлка",
        "한국": "한국 봇",
        "bot": "50 % _bot",
    }.items():
        assert found(query) == [name], query


def test_search_costs_as_many_queries_for_many_names_as_for_few() -> None:
    owner = make_user("whimbrel-1")
    make_bot("whimbrel", owner=owner)
    with CaptureQueriesContext(connection) as few:
        find_names("whimbrel", reader=None)
    Bot.objects.bulk_create(Bot(owner=owner, name=f"whimbrel-{number}") for number in range(300))

    with CaptureQueriesContext(connection) as many:
        names = find_names("whimbrel", reader=None)

    assert len(many) == len(few) == 4
    assert names[0].name == "whimbrel"
    assert len(names) == 50 + 1
