"""Events: tournaments of several games that belong together, and the table over all of them.

In each game the best bot of an author or team counts. With N of them in the event, the first in a
game gets N points, the second N - 1, and so on; those who share a place share the points of the
places that they take up equally. An author or team without a place in a game gets none. The sum
decides; then the number of first places, of second places, and so on. Those who are level in all
of that share a place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import DomainError, InvalidInput, refuse_all
from pentathlon.tournaments.documents.checks import (
    LONGEST_NAME,
    check_plan,
    checked_name,
    gather_errors,
)
from pentathlon.tournaments.guards import check_may_create
from pentathlon.tournaments.models import (
    ENTRIES_PER_AUTHOR,
    UNSTARTED,
    Entry,
    Event,
    Tournament,
    TournamentState,
)
from pentathlon.tournaments.organising.arrangement import Arrangement
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.results.hidden_results import hidden_lanes
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines import GAMES
from pentathlon_engines.strength.places import shared_places, shared_points
from pentathlon_engines.tournament.document import TournamentDocument

_UNTOLD: Final = (*UNSTARTED, TournamentState.CANCELLED)
_LONGEST: int = Tournament._meta.get_field("start_problem").max_length or 0
_starts = Bulkheads[int]("start of tournament")


class _Side(NamedTuple):
    """An author or a team: a team that is called like an author is another side."""

    name: str
    is_team: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCell:
    """The result of an author or team in one game."""

    place: int
    """The place among the authors and teams of the event; equal ones share it."""
    points: float
    """With a half where two, or four, share places."""
    bot: str
    """The label of its best version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One author or team in the table of an event."""

    place: int
    name: str
    is_team: bool
    points: float
    cells: tuple[EventCell | None, ...]
    """Results in the order of the event's tournaments; None where there is no place so far."""


@transaction.atomic
def create_event(
    *,
    actor: User,
    name: str,
    documents: Sequence[TournamentDocument],
    arrangement: Arrangement,
    rated: bool = True,
    entries_per_author: int = ENTRIES_PER_AUTHOR,
) -> Event:
    """Create an event with a tournament for each document, all arranged alike."""
    check_may_create(actor, what="events")
    refuse_all(_problems(name, documents, arrangement, rated=rated))
    event = Event.objects.create(owner=actor, name=checked_name(name))
    note_action(
        AuditAction.EVENT_CREATE,
        actor=actor,
        kind=AuditedKind.EVENT,
        object_id=event.pk,
        object_name=event.name,
    )
    for document in documents:
        title = GAMES[document.game].info.title if document.game in GAMES else document.game
        draft = Draft(
            name=f"{event.name[: LONGEST_NAME - len(title) - 2]}: {title}",
            document=document,
            rated=rated,
            entries_per_author=entries_per_author,
            arrangement=arrangement,
        )
        create_tournament(actor=actor, draft=draft, event=event)
    return event


def _problems(
    name: str, documents: Sequence[TournamentDocument], arrangement: Arrangement, *, rated: bool
) -> list[DomainError]:
    """Return everything that is wrong with a new event, naming once what is wrong in all games."""
    errors: list[DomainError] = [*arrangement.problems(rated=rated)]
    errors += gather_errors([lambda: checked_name(name)])
    errors += problems_of_documents(documents, rated=rated)
    return list({(each.field, each.detail): each for each in errors}.values())


def problems_of_documents(
    documents: Sequence[TournamentDocument], *, rated: bool
) -> list[DomainError]:
    """Return all errors of an event's documents, naming once what is wrong in all games."""
    errors: list[DomainError] = []
    games = [document.game for document in documents]
    if not games or len(set(games)) < len(games):
        sentence = "An event has one tournament of each of its games: name each game once."
        errors.append(InvalidInput(sentence, code="games_once", field="games"))
    check = partial(check_plan, entries=0, rated=rated)
    errors += gather_errors(partial(check, each) for each in documents)
    return list({(each.field, each.detail): each for each in errors}.values())


def tournaments_of(event: Event) -> list[Tournament]:
    """Return the tournaments of an event, by game."""
    return list(event.tournaments.listed().order_by("game"))


def event_table(tournaments: Sequence[Tournament], *, reader: User | None) -> list[EventLine]:
    """Return the table over these tournaments, best first, as far as this person sees results.

    It takes six queries for each tournament, however many bots take part.
    """
    hidden = hidden_lanes(reader)
    told = [
        []
        if tournament.state in _UNTOLD or tournament.pk in hidden
        else _best_of_sides(standings(tournament))
        for tournament in tournaments
    ]
    sides = {side for rows in told for side, _ in rows}
    cells = [_cells(rows, most=len(sides)) for rows in told]
    return _ordered({side: tuple(of.get(side) for of in cells) for side in sides})


def _best_of_sides(rows: Sequence[Standing]) -> list[tuple[_Side, Standing]]:
    """Return the best standing of each author or team, best first."""
    best: dict[_Side, Standing] = {}
    for row in rows:
        if row.place is not None and (row.matches or row.points):
            best.setdefault(_side_of(row.entry), row)
    return sorted(best.items(), key=lambda pair: pair[1].place or 0)


def _side_of(entry: Entry) -> _Side:
    if entry.team is not None:
        return _Side(entry.team.name, is_team=True)
    return _Side(entry.version.bot.owner.username, is_team=False)


def _cells(rows: Sequence[tuple[_Side, Standing]], *, most: int) -> dict[_Side, EventCell]:
    cells: dict[_Side, EventCell] = {}
    for _, grouped in groupby(rows, key=lambda pair: pair[1].place):
        place, level = len(cells) + 1, list(grouped)
        points = shared_points(place, sharing=len(level), of=most)
        for side, row in level:
            cells[side] = EventCell(place=place, points=points, bot=row.version.label)
    return cells


def _ordered(by_side: Mapping[_Side, tuple[EventCell | None, ...]]) -> list[EventLine]:
    def strength(side: _Side) -> tuple[float, ...]:
        places = [cell.place for cell in by_side[side] if cell is not None]
        counts = (places.count(place) for place in range(1, len(by_side) + 1))
        return _sum(by_side[side]), *counts

    sides = sorted(sorted(by_side), key=strength, reverse=True)
    return [
        EventLine(
            place=place,
            name=side.name,
            is_team=side.is_team,
            points=_sum(by_side[side]),
            cells=by_side[side],
        )
        for place, side in zip(shared_places(map(strength, sides)), sides, strict=True)
    ]


def _sum(cells: Sequence[EventCell | None]) -> float:
    return sum(cell.points for cell in cells if cell is not None)


def start_due_tournaments() -> int:
    """Start every tournament whose time has come; return how many started.

    A tournament that cannot start keeps the reason, which its page shows, and is left alone until
    an entry comes or goes, or its organiser starts it.
    """
    due = Tournament.objects.filter(
        state=TournamentState.OPEN, starts_at__lte=Now(), start_problem=""
    )
    in_order = due.order_by("starts_at", "pk").values_list("pk", flat=True)
    return sum(_starts.each(list(in_order), _start))


def _start(tournament_id: int) -> bool:
    tournament = Tournament.objects.select_related("owner").get(pk=tournament_id)
    try:
        start_tournament(actor=tournament.owner, tournament=tournament)
    except DomainError as error:
        still_open = Tournament.objects.filter(pk=tournament.pk, state=TournamentState.OPEN)
        still_open.update(start_problem=error.detail[:_LONGEST])
        return False
    return True
