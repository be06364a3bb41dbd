"""New versions have their share of the turns, under any load, and never more."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain, pairwise
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches import services
from pentathlon.matches.capacity import BATCH
from pentathlon.matches.dispatch.publishing import (
    RESEND_S,
    TURN_OF_NEWCOMERS,
    WINDOW_PER_SLOT,
    FairCursor,
    publish_pending,
)
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.matches.uploads.services import submit_version
from pentathlon.matches.worker_tokens import sent_matches
from tests.deep import by_turns, mostly_deep
from tests.factories import make_upload, make_user, make_version, make_worker, next_number
from tests.pentathlon.matches.acting import played

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_fleet")]

LONG = "azure"
"""The game whose matches take long; the others are short."""
_OTHERS = TURN_OF_NEWCOMERS - 1


def store(
    length: int, *, versions: Sequence[BotVersion], author: User | None = None, **fields: Any
) -> list[int]:
    """Store matches that wait, with few queries; those of an author are for new versions."""
    columns = {"kind": MatchKind.TOURNAMENT, "game": "tuned", "rules_version": 1, **fields}
    matches = Match.objects.bulk_create(
        Match(seed=next_number(), newcomer_of=None if author is None else author.pk, **columns)
        for _ in range(length)
    )
    MatchSeat.objects.bulk_create(
        MatchSeat(match=match, seat=seat, version=version)
        for match in matches
        for seat, version in enumerate(versions)
    )
    return [match.pk for match in matches]


@dataclass
class Site:
    """A site whose workers play everything that they are sent, in the order of the hints."""

    slots: int = 1
    sent: list[int] = field(default_factory=list)
    cursor: FairCursor = field(default_factory=FairCursor)
    _queue: list[int] = field(default_factory=list)
    _ladders: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        make_worker(slots=self.slots)

    def _send(self, match_ids: Sequence[int]) -> None:
        self.sent += match_ids
        self._queue += match_ids

    def look(self) -> None:
        """Publish what fits."""
        publish_pending(
            publish=self._send, publish_ladders=self._ladders.extend, cursor=self.cursor
        )

    def play(self, looks: int, *, together: int = 1) -> None:
        """Publish and play so many times: each slot ends one match, or more, ladders' last."""
        for _ in range(looks):
            self.look()
            for _ in range(self.slots * together):
                queue = self._queue or self._ladders
                if queue:
                    self._end(Match.objects.get(pk=queue.pop(0)))

    def _end(self, match: Match) -> None:
        lasted = timedelta(seconds=30 if match.game == LONG else 0.05)
        Match.objects.filter(pk=match.pk).update(
            state=MatchState.DONE, started_at=Now() - lasted, finished_at=Now()
        )

    def rank_of(self, match_ids: Iterable[int]) -> list[int]:
        """Return how many matches were published before each of these."""
        return [self.sent.index(pk) for pk in match_ids]


@pytest.fixture
def bots() -> list[BotVersion]:
    return [make_version(), make_version()]


def many_tournaments(bots: Sequence[BotVersion]) -> None:
    for lane in range(1, 13):
        store(20, versions=bots, lane=lane)


def flood_of_challenges(bots: Sequence[BotVersion]) -> None:
    store(100, versions=bots, lane=1)
    for lane in range(10**12, 10**12 + 12):
        store(20, versions=bots, lane=lane, kind=MatchKind.CHALLENGE)


def capped_bots(bots: Sequence[BotVersion]) -> None:
    store(100, versions=[bots[0], make_version()], lane=1)
    store(100, versions=bots, lane=2)


def builds(bots: Sequence[BotVersion]) -> None:
    unplayable = make_version()
    unplayable.manifest = {**unplayable.manifest, "language": "java"}
    unplayable.save(update_fields=("manifest",))
    store(100, versions=[unplayable, bots[1]], lane=1)
    store(100, versions=bots, lane=2)


LOADS: dict[str, Callable[[Sequence[BotVersion]], None]] = {
    each.__name__: each for each in (many_tournaments, flood_of_challenges, capped_bots, builds)
}


@pytest.mark.parametrize(("slots", "load"), by_turns([1, 3], zip(LOADS)))
def test_first_bot_is_validated_after_no_more_than_what_is_in_flight(
    load: str, slots: int, bots: list[BotVersion], settings: Settings
) -> None:
    settings.BOT_MATCHES = 2
    LOADS[load](bots)
    site = Site(slots=slots)
    site.play(10)
    before = len(site.sent)

    (upload,) = store(1, versions=bots[:1] * 2, author=make_user(), kind=MatchKind.VALIDATION)
    site.play(2)

    assert site.sent.index(upload) == before


@pytest.mark.parametrize("slots", mostly_deep([1, 3], keep=[1]))
def test_every_eighth_turn_is_theirs_and_no_more(slots: int, bots: list[BotVersion]) -> None:
    many_tournaments(bots)
    site = Site(slots=slots)
    site.play(5)
    before = len(site.sent)
    new = store(60, versions=bots, author=make_user(), kind=MatchKind.VALIDATION)

    site.play(50 // slots, together=3)

    after = site.sent[before:]
    turns = [sum(pk in new for pk in after[: n + 1]) for n in range(len(after))]
    share = [(n + 1) / TURN_OF_NEWCOMERS for n in range(len(after))]
    # What has been saved up is an eighth of a window, and a turn may come one match early.
    most_saved = WINDOW_PER_SLOT * slots / TURN_OF_NEWCOMERS
    assert all(part - 1 <= turn for turn, part in zip(turns, share, strict=True))
    assert all(turn <= part + most_saved + 1 for turn, part in zip(turns, share, strict=True))


def test_first_matches_on_a_ladder_have_the_same_turns(bots: list[BotVersion]) -> None:
    many_tournaments(bots)
    site = Site()
    site.play(5)
    before = len(site.sent)
    first = store(4, versions=bots, author=make_user(), kind=MatchKind.LADDER, rated=True)
    later = store(4, versions=bots, kind=MatchKind.LADDER, rated=True)

    site.play(40)

    assert site.rank_of(first)[-1] - before <= 4 * TURN_OF_NEWCOMERS
    assert not set(later) & set(site.sent)


def test_author_of_sixty_uploads_keeps_no_other_waiting(bots: list[BotVersion]) -> None:
    many_tournaments(bots)
    site = Site()
    eager = make_user()
    store(60, versions=bots, author=eager, kind=MatchKind.VALIDATION)
    site.play(20)
    before = len(site.sent)

    others = [
        *store(1, versions=bots, author=make_user(), kind=MatchKind.VALIDATION),
        *store(1, versions=bots, author=make_user(), kind=MatchKind.VALIDATION),
    ]
    site.play(30)

    assert max(site.rank_of(others)) - before <= 3 * TURN_OF_NEWCOMERS


def test_turn_costs_what_its_match_is_long(bots: list[BotVersion]) -> None:
    played("tuned", seconds=0.05)
    played(LONG, seconds=30)
    store(400, versions=bots, lane=1)
    site = Site()
    site.look()
    new = store(20, versions=bots, author=make_user(), kind=MatchKind.LADDER, game=LONG)

    site.play(3 * _OTHERS, together=BATCH)

    ranks = site.rank_of(pk for pk in new if pk in site.sent)
    gaps = [later - earlier for earlier, later in pairwise(ranks)]
    # The first one is paid for in part by what was saved up before.
    assert 0 < gaps[0] <= gaps[1]
    assert {gap - _OTHERS * BATCH for gap in gaps[1:]} <= {0, 1}


def test_what_nobody_else_wants_is_theirs(bots: list[BotVersion]) -> None:
    site = Site()
    ladder = store(5, versions=bots, kind=MatchKind.LADDER)
    new = store(30, versions=bots, author=make_user(), kind=MatchKind.VALIDATION)

    site.look()

    assert site.sent == new[:WINDOW_PER_SLOT]
    assert site._ladders == ladder


def test_others_go_on_while_a_flood_of_uploads_waits(bots: list[BotVersion]) -> None:
    site = Site()
    for _ in range(10):
        store(40, versions=bots, author=make_user(), kind=MatchKind.VALIDATION)
    site.play(10, together=3)
    before = len(site.sent)
    tournament = store(70, versions=bots, lane=1)

    site.play(30, together=3)

    assert site.rank_of(tournament[:1]) == [before]
    assert site.rank_of([tournament[-1]])[0] - before <= 70 * TURN_OF_NEWCOMERS / _OTHERS + 4


def test_their_hints_come_first_and_are_sent_again_like_those_of_others(
    bots: list[BotVersion],
) -> None:
    store(20, versions=bots, lane=1)
    (first,) = store(1, versions=bots, author=make_user(), kind=MatchKind.LADDER, game="azure")
    site = Site()
    site.look()
    Match.objects.filter(pk=first).update(sent_at=Now() - timedelta(seconds=RESEND_S + 1))

    site.look()

    assert (site.sent[0], site.sent[-1]) == (first, first)


def test_match_of_a_paused_ladder_waits(bots: list[BotVersion]) -> None:
    site = Site()
    (first,) = store(1, versions=bots, author=make_user(), kind=MatchKind.LADDER, lane=5)
    services.hold_lane(5)
    site.look()
    assert site.sent == []

    services.release_lane(5)
    site.look()

    assert site.sent == [first]


def test_upload_waits_in_the_line_of_its_author() -> None:
    author = make_user()

    version = submit_version(actor=author, archive=make_upload())

    (match,) = Match.objects.validations_of(version.pk)
    assert match.newcomer_of == author.pk


def test_worker_without_a_queue_is_named_first_matches_before_other_ladders(
    bots: list[BotVersion],
) -> None:
    token, _ = create_worker_token(actor=None, name="host", work=tuple(Work))
    sent: dict[str, Any] = {"kind": MatchKind.LADDER, "rated": True, "sent_at": Now()}
    store(BATCH, versions=bots, **sent)
    first = store(2, versions=bots, author=make_user(), **sent)

    assert sorted(chain(*sent_matches(token))) == first


def test_number_of_queries_does_not_grow_with_authors_and_uploads(bots: list[BotVersion]) -> None:
    make_worker()
    counts = []

    for authors in (2, 30):
        for _ in range(authors):
            store(authors, versions=bots, author=make_user(), kind=MatchKind.VALIDATION)
        with CaptureQueriesContext(connection) as queries:
            publish_pending(publish=lambda _: None, window=2)
        counts.append(len(queries))
        Match.objects.update(state=MatchState.DONE, finished_at=Now())

    assert counts[0] == counts[1]
