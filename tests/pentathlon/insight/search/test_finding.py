"""What a search finds, what it never shows, and what it costs."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot
from pentathlon.insight.search.lookup import find_match, find_names, prefixed_terms
from pentathlon.insight.search.models import Kind, NameTerm
from pentathlon.insight.search.services import AT_ONCE, NameIndexer, index_all
from pentathlon.matches.models import MatchKind
from pentathlon.tournaments.models import Event, Tournament, TournamentState
from tests.factories import (
    make_bot,
    make_match,
    make_staff,
    make_tournament,
    make_user,
)
from tests.plans import count_rows

pytestmark = pytest.mark.django_db


def found(query: str, *, reader: User | None = None) -> list[str]:
    return [each.name for each in find_names(query, reader=reader)]


def test_names_come_the_most_fitting_first() -> None:
    owner = make_user("zoe")
    for name in ("Old Heron", "heron", "Heron Grey", "Red-Heron-2", "Grey old Heron", "Crane"):
        make_bot(name, owner=owner)
    index_all()

    assert found("heron") == ["heron", "Heron Grey", "Old Heron", "Red-Heron-2", "Grey old Heron"]
    assert found("her gre") == ["Heron Grey", "Grey old Heron"]
    assert found("eron") == []


def test_all_kinds_are_found_by_a_word() -> None:
    author = make_user("falcon")
    make_bot("falcon-eye", owner=author)
    make_tournament(author, name="The Falcon Cup")
    Event.objects.create(owner=author, name="Falcon days")
    index_all()

    kinds = {each.kind: each for each in find_names("falcon", reader=None)}

    assert set(kinds) == set(Kind)
    assert kinds[Kind.BOT].author == "falcon"
    assert kinds[Kind.TOURNAMENT].game == "tuned"


def test_what_is_not_public_is_not_found() -> None:
    organiser = make_user("osprey-organiser")
    make_tournament(organiser, name="Osprey draft", state=TournamentState.DRAFT)
    make_tournament(organiser, name="Osprey ladder", division=1)
    make_user("osprey-reader")
    index_all()

    assert found("osprey") == []
    assert found("osprey draft", reader=organiser) == ["Osprey draft"]
    assert found("osprey draft", reader=make_staff()) == ["Osprey draft"]


def test_person_who_was_locked_out_is_not_found() -> None:
    author = make_bot("Kite bot", owner=make_user("kite")).owner
    index_all()
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


def test_step_indexes_what_is_new_and_then_writes_nothing() -> None:
    make_bot("Plover")
    indexer = NameIndexer()
    indexer.step()
    make_bot("Plover two")
    indexer.step()
    assert found("plover") == ["Plover", "Plover two"]

    with CaptureQueriesContext(connection) as queries:
        assert indexer.step() == 0

    assert not any(query["sql"].startswith(("INSERT", "UPDATE", "DELETE")) for query in queries), (
        queries.captured_queries
    )


def test_name_that_changed_is_never_shown_by_the_old_one_and_found_by_the_new_one() -> None:
    cup = make_tournament(name="Avocet Cup")
    index_all()
    Tournament.objects.filter(pk=cup.pk).update(name="Godwit Cup")
    assert found("avocet") == []

    NameIndexer().step()

    assert found("godwit") == ["Godwit Cup"]
    assert not NameTerm.objects.filter(term__startswith="avocet").exists()


def test_late_commit_with_a_smaller_id_is_found() -> None:
    first, second = make_bot("Dunlin one"), make_bot("Dunlin two")
    Bot.objects.filter(pk=first.pk).update(name="nobody")
    NameIndexer().step()
    Bot.objects.filter(pk=first.pk).update(name="Dunlin one")
    make_bot("Dunlin three", owner=second.owner)

    NameIndexer().step()

    assert sorted(found("dunlin")) == ["Dunlin one", "Dunlin three", "Dunlin two"]


def test_command_indexes_more_names_than_one_transaction_takes() -> None:
    owner = make_user("stilt")
    Bot.objects.bulk_create(
        Bot(owner=owner, name=f"stint-{number}") for number in range(AT_ONCE + 5)
    )

    call_command("index_names", verbosity=0)

    assert NameTerm.objects.filter(kind=Kind.BOT, term__startswith="stint").count() == AT_ONCE + 5


@pytest.mark.parametrize("tier", [0, 1])
def test_prefix_is_one_stretch_of_the_index(tier: int) -> None:
    owner = make_user()
    Bot.objects.bulk_create(Bot(owner=owner, name=f"b{number} c{number}") for number in range(500))
    index_all()
    count_rows(NameTerm)

    plan = prefixed_terms(Kind.BOT, "her", tier=tier).explain()

    assert "search_by_prefix" in plan, plan
    assert "term>? AND term<?" in plan or "term < " in plan, plan
    assert "TEMP B-TREE" not in plan, plan
    assert "Sort" not in plan, plan


def test_search_costs_as_many_queries_for_many_names_as_for_few() -> None:
    owner = make_user("whimbrel-1")
    make_bot("whimbrel", owner=owner)
    index_all()
    with CaptureQueriesContext(connection) as few:
        find_names("whimbrel", reader=None)
    Bot.objects.bulk_create(Bot(owner=owner, name=f"whimbrel-{number}") for number in range(300))
    index_all()

    with CaptureQueriesContext(connection) as many:
        names = find_names("whimbrel", reader=None)

    assert len(many) == len(few) <= 12
    assert names[0].name == "whimbrel"
    assert len(names) == 50 + 1
