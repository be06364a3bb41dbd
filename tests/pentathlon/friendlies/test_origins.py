"""The positions that a friendly may begin with: everybody sees them once it is over."""

from __future__ import annotations

import pytest

from pentathlon.accounts.models import User
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.friendlies.origins import origin_of
from pentathlon.friendlies.services import Origin
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


def played(match: Match) -> Match:
    job = claimed(match)
    return submit(job, record_of(job))


def origin(match: Match, reader: User | None) -> Origin | None:
    return origin_of(reader=reader, match_id=match.pk, friendly_id=None, ply=2)


def test_public_match_may_be_played_on_by_anybody() -> None:
    match = played(make_match())

    found = origin(match, make_user())

    assert found is not None
    assert (found.match, found.ply) == (match, 2)


@pytest.mark.parametrize("reader", ["organiser", "staff"])
def test_match_with_hidden_results_is_not_played_on_by_those_who_see_it(reader: str) -> None:
    people = {
        "organiser": make_user(organiser=True),
        "staff": User.objects.create_superuser("root", "root@example.org", "x"),
    }
    match = played(make_match(lane=77))
    HiddenLane.objects.create(lane=77, organiser=people["organiser"])

    with pytest.raises(InvalidInput) as refused:
        origin(match, people[reader])

    assert (refused.value.code, refused.value.field) == ("private_origin", "match")


def test_validation_is_not_played_on_by_the_author_of_the_bot() -> None:
    version = make_version()
    match = played(make_match([version, version], kind=MatchKind.VALIDATION))

    with pytest.raises(InvalidInput) as refused:
        origin(match, version.bot.owner)

    assert refused.value.code == "private_origin"


def test_match_that_the_reader_may_not_see_is_not_there() -> None:
    version = make_version()
    match = played(make_match([version, version], kind=MatchKind.VALIDATION))

    with pytest.raises(NotFound):
        origin(match, make_user())
