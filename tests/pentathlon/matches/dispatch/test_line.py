"""A match that waits says what goes before it, and the number falls."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from pentathlon.bots.models import BotVersion
from pentathlon.core.services import RECONCILER, acquire_leadership
from pentathlon.matches.dispatch.publishing import TURN_OF_NEWCOMERS, FairCursor, publish_pending
from pentathlon.matches.dispatch.reasons import (
    Before,
    MatchLine,
    Reason,
    read_line,
    read_situation,
    why_waiting,
)
from pentathlon.matches.models import Match, MatchKind, MatchState
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.acting import played

pytestmark = pytest.mark.django_db


def upload(version: BotVersion | None = None) -> Match:
    """Store a validation that waits."""
    version = version or make_version()
    return make_match([version, version], kind=MatchKind.VALIDATION)


def why(match: Match) -> Reason:
    reason = why_waiting(Match.objects.with_needs().get(pk=match.pk))
    assert reason is not None
    return reason


@pytest.fixture
def handed_out() -> None:
    make_worker(slots=1)
    acquire_leadership(name=RECONCILER, holder="me", ttl_s=600)


def line_of(*authors: int, others_wait: bool = True, sent: Sequence[int] = ()) -> MatchLine:
    """Return a line in which match n is for a new version of the n-th author."""
    return MatchLine(
        sent=tuple(sent),
        newcomers=tuple(sorted((author, pk) for pk, author in enumerate(authors))),
        slots=2,
        match_s=3.0,
        others_wait=others_wait,
    )


@pytest.mark.parametrize(
    ("authors", "pk", "matches"),
    [
        ((1,), 0, 0),
        ((1, 1, 1), 2, 2),
        ((1, 1, 1, 1, 2), 4, 1),
        ((1, 1, 2, 2, 3), 3, 4),
    ],
)
def test_authors_take_turns_in_the_line(authors: Sequence[int], pk: int, matches: int) -> None:
    match = Match(pk=pk, newcomer_of=authors[pk])

    before = line_of(*authors).before(match)

    assert before == Before(matches=matches, expected_s=round(matches * 8 * 3.0 / 2))


def test_time_is_short_where_nobody_else_waits() -> None:
    line = line_of(1, 1, 1, others_wait=False, sent=[7, 8])

    assert line.before(Match(pk=2, newcomer_of=1)) == Before(matches=2, expected_s=6)
    assert line.before(Match(pk=8)) == Before(matches=1, expected_s=2)
    assert line.before(Match(pk=9)) is None


@pytest.mark.usefixtures("handed_out")
def test_new_version_waits_with_a_reason_and_a_number_that_falls() -> None:
    played("tuned", seconds=30)
    for _ in range(20):
        make_match(lane=1)
    author = make_version()
    matches = [upload(author), upload(author), upload(author)]

    reason = why(matches[2])

    assert reason.code == "queued"
    assert reason.before is not None
    assert reason.before.matches == 2
    assert reason.sentence == (
        f"Waits for its turn among new versions, which have one in {TURN_OF_NEWCOMERS} turns. "
        "2 matches go first, which takes about 8 min."
    )
    numbers = []
    turns = FairCursor()
    while Match.objects.get(pk=matches[2].pk).state == MatchState.PENDING:
        told = why(matches[2])
        assert told.before is not None
        numbers.append((told.code != "sent", told.before.matches))
        publish_pending(publish=lambda _: None, cursor=turns)
        first = Match.objects.sent().order_by("sent_at", "pk").values("pk")[:1]
        Match.objects.filter(pk__in=list(first.values_list("pk", flat=True))).update(
            state=MatchState.DONE, started_at=Now() - timedelta(seconds=30), finished_at=Now()
        )
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == (False, 0)


@pytest.mark.usefixtures("handed_out")
def test_sent_match_says_what_was_sent_before_it() -> None:
    make_match(sent_at=Now() - timedelta(seconds=2))
    match = make_match(sent_at=Now())

    assert why(match).sentence == "Was sent to the workers. 1 match goes first."
    Match.objects.exclude(pk=match.pk).delete()
    assert why(match).sentence == "Comes next: the first free worker takes it."


@pytest.mark.usefixtures("handed_out")
def test_ladders_say_that_they_are_played_last() -> None:
    reason = why(make_match(kind=MatchKind.LADDER))

    assert reason.sentence == "Waits for a slot that nothing else needs: ladders are played last."
    assert reason.before is None


@pytest.mark.usefixtures("handed_out")
def test_line_is_read_by_as_many_queries_however_long_it_is() -> None:
    counts = []

    for length in (1, 10):
        for _ in range(length):
            upload()
            make_match(sent_at=Now())
        with CaptureQueriesContext(connection) as queries:
            read_line(slots=1)
        counts.append(len(queries))

    assert counts == [4, 4]


@pytest.mark.usefixtures("handed_out")
def test_many_matches_are_explained_by_one_situation() -> None:
    matches = [upload() for _ in range(5)]
    situation = read_situation()
    loaded = list(Match.objects.with_needs().filter(pk__in=[match.pk for match in matches]))

    with CaptureQueriesContext(connection) as queries:
        for match in loaded:
            why_waiting(match, situation)

    assert len(queries) == 0
