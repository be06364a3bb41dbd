"""Plays tournaments without playing: results appear as if workers had sent them."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.endings import note_endings
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.documents.document import document, event_key
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.registry import newest_format
from tests.factories import make_user, make_version

_OF_DRAFT = ("versions", "rated", "entries_per_author")
_OF_SERVICE = ("is_draft", "secret")


def open_cup(
    actor: User,
    *,
    name: str = "Cup",
    format: str = "round_robin",  # noqa: A002  the word of the API
    **asked: Any,  # Any: arguments of the service, and fields of the document
) -> Tournament:
    """Create a tournament of Tuned, or of the game that is asked for."""
    about = {each: asked.pop(each) for each in _OF_DRAFT if each in asked}
    options = {each: asked.pop(each) for each in _OF_SERVICE if each in asked}
    if "cycles" in asked:
        asked["params"] = {"cycles": asked.pop("cycles"), **asked.get("params", {})}
    seats = asked.get("table_seats") or 2
    fields = {"game": "tuned", "scheduler": newest_format(format, seats=seats), **asked}
    draft = Draft(name=name, document=TournamentDocument(**fields), **about)
    return create_tournament(actor=actor, draft=draft, **options)


def started(
    *,
    bots: int = 4,
    owner: User | None = None,
    cycles: int = 1,
    rated: bool = True,
    versions: Sequence[BotVersion] = (),
    **replayed: Any,  # Any: what only a replay brings
) -> Tournament:
    """Create and start a round robin of these bots, or of new ones."""
    owner = owner or make_user(organiser=True)
    tournament = open_cup(
        owner,
        versions=[version.pk for version in versions or [make_version() for _ in range(bots)]],
        cycles=cycles,
        rated=rated,
        **replayed,
    )
    return start_tournament(actor=owner, tournament=tournament)


def first_bot_wins(seat: MatchSeat, other: MatchSeat) -> int:
    """Rank by age: the earlier upload wins."""
    return int(seat.version_id > other.version_id)


def settle(
    matches: list[Match],
    rank: Callable[[MatchSeat, MatchSeat], int] = first_bot_wins,
    *,
    sandbox: str = "namespaces",
) -> None:
    """Let two-seat matches end in this order."""
    prefetch_related_objects(matches, "seats")
    for match in matches:
        first, second = sorted(match.seats.all(), key=lambda seat: seat.seat)
        first.rank, second.rank = rank(first, second), rank(second, first)
    store_ends(matches, sandbox=sandbox)


def store_ends(matches: list[Match], *, sandbox: str = "namespaces") -> None:
    """Store that matches ended in the order of their prefetched seats, and rate them."""
    seats = [seat for match in matches for seat in match.seats.all()]
    MatchSeat.objects.bulk_update(seats, ("rank",))
    ids = [match.pk for match in matches]
    Match.objects.filter(pk__in=ids).update(
        state=MatchState.DONE, finished_at=timezone.now(), sandbox=sandbox
    )
    note_endings(ids)
    while apply_results():
        pass


def matches_of(tournament: Tournament) -> list[Match]:
    """Return a tournament's matches in schedule order."""
    return list(Match.objects.filter(place__tournament=tournament).order_by("place__index"))


def as_drawn(tournament: Tournament) -> list[tuple[object, ...]]:
    """Return the schedule that follows from the document of a tournament."""
    versions = list(tournament.entries.order_by("number").values_list("version", flat=True))
    return [
        (
            *(drawn.index, drawn.round, drawn.block, drawn.seed, drawn.alias),
            *(versions[number] for number in drawn.seating),
        )
        for drawn in draw_schedule(document(tournament), key=event_key(tournament))
    ]


def as_made(tournament: Tournament) -> list[tuple[object, ...]]:
    """Return the schedule as it is stored."""
    places = tournament.tournament_matches.order_by("index").select_related("match")
    return [
        (
            *(place.index, place.round, place.block, place.match.seed, place.match.alias),
            *place.match.seats.order_by("seat").values_list("version", flat=True),
        )
        for place in places
    ]
