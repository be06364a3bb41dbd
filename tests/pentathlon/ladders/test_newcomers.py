"""First matches of new versions are made whatever waits of others, and stand in their line."""

from collections.abc import Iterator

import pytest
from django.db.models import F

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.ladders import pace
from pentathlon.ladders.models import Ladder
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon_engines.tournament.batches import NEW
from tests.factories import make_user, make_version
from tests.pentathlon.ladders.playing import (
    division_of,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db


def _played_enough() -> Ladder:
    """Return a ladder in which everybody has played, but nobody is certain."""
    ladder = open_ladder(slots=1)
    versions = [make_version() for _ in range(4)]
    seat_all()
    rated = Rating.objects.filter(version__in=versions).values("version").distinct()
    while rated.count() < len(versions):
        step()
        play_waiting()
    Rating.objects.update(matches=NEW, sigma=F("sigma") + 5)
    return ladder


def _waiting() -> Iterator[Match]:
    waiting = Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING)
    return iter(waiting.prefetch_related("seats").order_by("pk"))


def _of(author: User) -> list[Match]:
    return [match for match in _waiting() if match.newcomer_of == author.pk]


def _seated(version: BotVersion) -> list[Match]:
    return [
        match
        for match in _waiting()
        if version.pk in {seat.version_id for seat in match.seats.all()}
    ]


def test_matches_of_a_newcomer_stand_in_the_line_of_its_author() -> None:
    open_ladder(slots=1)
    make_reference()
    author = make_user()
    version = make_version(owner=author)
    seat_all()

    step()

    assert _seated(version)
    assert _seated(version) == _of(author)


def test_matches_of_those_who_have_played_stand_in_no_such_line() -> None:
    _played_enough()

    step()

    assert list(_waiting())
    assert {match.newcomer_of for match in _waiting()} == {None}


def test_first_matches_are_made_although_as_many_as_may_wait_already() -> None:
    ladder = _played_enough()
    while step():
        pass
    assert len(list(_waiting())) >= pace.AHEAD_PER_SLOT
    version = make_version()
    seat_all()

    step()

    assert _seated(version)
    assert list(schedule_differences(division_of(ladder).tournament)) == []


def test_newcomer_plays_all_its_first_matches_while_nobody_else_does() -> None:
    ladder = _played_enough()
    version = make_version()
    seat_all()

    played_enough = Rating.objects.filter(version=version, matches__gte=NEW)
    for _ in range(2 * NEW):
        step()
        for match in list(_seated(version))[:1]:
            play_waiting(only=match.pk)
        if played_enough.exists():
            break

    assert played_enough.exists()
    assert list(schedule_differences(division_of(ladder).tournament)) == []


def test_many_bots_of_one_author_keep_no_first_match_from_being_made() -> None:
    open_ladder(slots=1)
    make_reference()
    make_reference()
    eager = make_user()
    for _ in range(10):
        make_version(owner=eager)
    seat_all()
    while step():
        pass
    other = make_version()
    seat_all()

    for _ in range(2):
        step()

    assert _seated(other)
    assert {match.newcomer_of for match in _seated(other)} == {other.bot.owner_id}
