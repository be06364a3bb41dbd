"""Dry runs: the size, cost and pairings of a tournament before it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from pentathlon.core.errors import Conflict
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.capacity import durations_s, read_plays
from pentathlon.matches.models import Match, MatchKind, MatchSeat
from pentathlon.tournaments.documents.checks import check_enough
from pentathlon.tournaments.documents.document import draft_document
from pentathlon.tournaments.models import UNSTARTED, EntryState, Tournament
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.dry_run import (
    NO_KEY,
    Caution,
    DryRun,
    find_cautions,
    make_dry_run,
)
from pentathlon_engines.tournament.formats.interface import Size
from pentathlon_engines.tournament.formats.registry import FORMATS

FEWEST_MEASURED: Final = 5
"""The fewest matches that tell how long one takes."""
MOST_SHOWN: Final = 60
"""How many blocks a page shows; the API has more."""
_LATEST: Final = 200
_S_PER_HOUR: Final = 3_600
_MS_PER_HOUR: Final = 1000 * _S_PER_HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """The cost of the expected matches, by the latest matches of the game."""

    measured: int
    """How many matches were measured."""
    cpu_hours: float | None
    takes_s: float | None
    """Seconds that it takes all free slots of the fleet; None if unknown, see `reason`."""
    finishes_at: datetime | None
    """The end if it starts now and has the fleet to itself; None if unknown."""
    reason: str
    """Why a figure is None; otherwise empty."""

    @property
    def cpu_s(self) -> float | None:
        """The CPU time in seconds."""
        return None if self.cpu_hours is None else self.cpu_hours * _S_PER_HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLine:
    """A block of a dry run, for people."""

    number: int
    round: int
    bots: tuple[str, ...]
    """The bots by the seats of its first match."""
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The expected number of matches, and their cost."""

    plan: DryRun
    """The dry run, with its first blocks only."""
    effort: Effort
    blocks: tuple[BlockLine, ...]
    """The blocks of the plan, for people."""

    @property
    def size(self) -> Size:
        """How many matches there will be."""
        return self.plan.size

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Settings that are allowed but rarely meant."""
        return self.plan.cautions


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentDryRun:
    """A dry run with the names of the entries and the effort."""

    document: TournamentDocument
    plan: DryRun
    effort: Effort

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the dry run as the API publishes it."""
        effort = self.effort
        return {
            "document": self.document.to_json(),
            **self.plan.to_json(),
            "measured_matches": effort.measured,
            "cpu_hours": effort.cpu_hours,
            "takes_s": effort.takes_s,
            "finishes_at": effort.finishes_at,
            "reason": effort.reason,
        }


def dry_run(tournament: Tournament) -> TournamentDryRun:
    """Return the dry run of an open tournament with its entries so far.

    Raises:
        Conflict: it has started, or cannot start with these entries.
    """
    if tournament.state not in UNSTARTED:
        raise Conflict(
            f"{tournament.name} is {tournament.get_state_display()}; a dry run is for open ones. "
            "Read its matches and its progress.",
            code="wrong_state",
            allowed=[state.value for state in UNSTARTED],
        )
    return _dry_run_of(draft_document(tournament), _own_bots(tournament))


def dry_run_of_new(create: Callable[[], Tournament]) -> TournamentDryRun:
    """Return the dry run of the tournament that `create` makes, without storing anything.

    The tournament is created and rolled back, so everything is refused that a creation refuses.
    """
    with transaction.atomic():
        tournament = create()
        document, cautions = draft_document(tournament), _own_bots(tournament)
        transaction.set_rollback(True)
    return _dry_run_of(document, cautions)


def estimate_of_new(create: Callable[[], Tournament]) -> Estimate:
    """Return the estimate of the tournament that `create` makes, without storing anything."""
    rehearsed = dry_run_of_new(create)
    return _estimate_of(rehearsed.document, rehearsed.plan, rehearsed.effort)


def estimate(tournament: Tournament) -> Estimate | None:
    """Return the estimate of a tournament with its entries; None if it cannot start with them."""
    planned = draft_document(tournament)
    plan, entries = planned.plan(key=NO_KEY), len(planned.entries)
    if entries < plan.seats or planned.scheduling.problems(plan, entries):
        return None
    found = make_dry_run(planned, most_blocks=MOST_SHOWN)
    effort = measure_effort(game=planned.game, seats=plan.seats, matches=found.size.expected)
    found = found._replace(cautions=(*found.cautions, *_own_bots(tournament)))
    return _estimate_of(planned, found, effort)


def cautions_of(tournament: Tournament) -> tuple[Caution, ...]:
    """Return the cautions of a tournament, until it starts."""
    if tournament.state not in UNSTARTED or tournament.scheduler not in FORMATS:
        return ()
    return find_cautions(
        TournamentDocument(
            game=tournament.game, scheduler=tournament.scheduler, params=tournament.params
        )
    )


def cautions_of_event(tournaments: Iterable[Tournament]) -> list[Caution]:
    """Return the cautions of all tournaments of an event, by game; each names its game."""
    found = sorted(tournaments, key=lambda each: each.game)
    return [caution for tournament in found for caution in cautions_of(tournament)]


def measure_effort(*, game: str, seats: int, matches: int) -> Effort:
    """Return the effort of so many matches, by the latest ones at tables of this size."""
    walls, cpus = _latest_durations(game, seats)
    if len(walls) < FEWEST_MEASURED:
        reason = f"Fewer than {FEWEST_MEASURED} matches at such tables ended lately: nothing is "
        return Effort(
            measured=len(walls),
            cpu_hours=None,
            takes_s=None,
            finishes_at=None,
            reason=reason + "measured.",
        )
    cpu_hours = matches * sum(cpus) / len(cpus) / _MS_PER_HOUR
    fleet = read_fleet()
    slots = fleet.slots - fleet.held_slots
    takes_s = matches * sum(walls) / len(walls) / slots if slots > 0 else None
    return Effort(
        measured=len(walls),
        cpu_hours=cpu_hours,
        takes_s=takes_s,
        finishes_at=None if takes_s is None else timezone.now() + timedelta(seconds=takes_s),
        reason="" if slots > 0 else "No worker has a free slot: the finish is not known.",
    )


def _estimate_of(document: TournamentDocument, plan: DryRun, effort: Effort) -> Estimate:
    names = [f"{entry.bot} v{entry.version}" for entry in document.entries]
    blocks = tuple(
        BlockLine(
            number=number,
            round=block.round,
            bots=tuple(names[entry] for entry in block.seatings[0]),
            matches=len(block.seatings),
        )
        for number, block in enumerate(plan.blocks[:MOST_SHOWN], start=1)
    )
    return Estimate(plan=plan, effort=effort, blocks=blocks)


def _own_bots(tournament: Tournament) -> tuple[Caution, ...]:
    """Return a caution if some matches of a rated tournament will not count on the leaderboard."""
    if not tournament.rated:
        return ()
    entries = tournament.entries.filter(
        state=EntryState.ACTIVE, version__bot__is_reference=False
    ).order_by()
    authors = entries.values_list("version__bot__owner__username")
    several = [name for name, _ in authors.annotate(bots=Count("pk")).filter(bots__gt=1)]
    if not several:
        return ()
    who = f"{several[0]} has" if len(several) == 1 else f"{len(several)} authors have"
    sentence = (
        f"{who} several bots here. Matches with two bots of one author count in this "
        "tournament's table only, neither on the leaderboard nor in the Pentathlon ranking."
    )
    return (Caution("own_bots", "/entries", sentence),)


def _dry_run_of(
    document: TournamentDocument, cautions: tuple[Caution, ...] = ()
) -> TournamentDryRun:
    check_enough(document)
    plan = make_dry_run(document)
    plan = plan._replace(cautions=(*plan.cautions, *cautions))
    effort = measure_effort(
        game=document.game, seats=document.table_seats or 0, matches=plan.size.expected
    )
    return TournamentDryRun(document=document, plan=plan, effort=effort)


def _latest_durations(game: str, seats: int) -> tuple[list[float], list[int]]:
    """Return seconds and CPU milliseconds of the latest matches, without validations."""
    plays = read_plays(Match.objects.of_game(game), latest=_LATEST)
    took_s = durations_s(plays)
    walls = {play.pk: took_s[play.pk] for play in plays if play.kind != MatchKind.VALIDATION}
    used: dict[int, list[int]] = {}
    of_seats = MatchSeat.objects.filter(match__in=list(walls)).values_list("match", "cpu_ms")
    for match, cpu_ms in of_seats:
        used.setdefault(match, []).append(cpu_ms)
    alike = {match: sum(cpus) for match, cpus in used.items() if len(cpus) == seats}
    return [walls[match] for match in alike], list(alike.values())
