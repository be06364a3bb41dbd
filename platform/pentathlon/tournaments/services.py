"""Everything that changes tournaments.

open --start--> running <--pause, resume--> paused
                   |                           |
                   +--> closed (all done)      +--> cancelled (from open, running and paused)
                   <--requeue--+
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Max
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import Conflict, InvalidInput, NotAllowed, NotFound
from pentathlon.matches.jobs import MatchSpec
from pentathlon.matches.models import Match, MatchKind, MatchQuerySet
from pentathlon.matches.services import (
    hold_matches,
    release_matches,
    requeue_void_match,
    schedule_matches,
    void_matches,
)
from pentathlon.ratings.services import await_result, enter_matches, open_live_pool, open_pool
from pentathlon.tournaments import checks
from pentathlon.tournaments.document import document, pairings
from pentathlon.tournaments.final import final_rows
from pentathlon.tournaments.models import (
    Entry,
    FinalRow,
    Tournament,
    TournamentMatch,
    TournamentState,
)
from pentathlon.tournaments.schedule import Pairing
from pentathlon_engines import GAMES

_BATCH = 1000


@transaction.atomic
def create_tournament(
    *,
    owner: User,
    name: str,
    game: str,
    format: str,  # noqa: A002  the word of the API
    versions: Sequence[int] = (),
    cycles: int = 1,
    table_seats: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
    limits: Mapping[str, object] | None = None,
    rated: bool = True,
) -> Tournament:
    """Make a tournament that is open for entries, with the bot versions of these ids in it."""
    if not owner.is_organiser:
        raise NotAllowed("Only organisers create tournaments.", code="not_an_organiser")
    rules = checks.checked_game(game)
    checks.check_format(format)
    seed = secrets.randbelow(checks.SEED_END) if seed is None else seed
    checks.check_numbers(cycles=cycles, seed=seed)
    seats = checks.checked_seats(rules, table_seats)
    checked_options = checks.checked_options(rules, options, seats=seats)
    checked_limits = checks.checked_limits(limits)
    if rated:
        checks.check_rated(rules, options=checked_options, limits=checked_limits, seats=seats)
    tournament = Tournament.objects.create(
        owner=owner,
        name=checks.checked_name(name),
        game=game,
        format=format,
        table_seats=seats,
        cycles=cycles,
        rules_version=rules.info.version,
        seed=seed,
        options=checked_options,
        limits=checked_limits,
        rated=rated,
    )
    _enter(tournament, versions)
    return tournament


@transaction.atomic
def enter_tournament(*, actor: User, tournament: Tournament, version_id: int) -> Entry:
    """Enter a bot version: its author may, and the organiser."""
    tournament = _locked(tournament, TournamentState.OPEN, to="enter")
    entry = _enter(tournament, [version_id])[0]
    if actor.pk not in {tournament.owner_id, entry.version.bot.owner_id}:
        raise NotAllowed("Only its author or the organiser may enter a bot.", code="not_your_bot")
    return entry


@transaction.atomic
def withdraw_entry(*, actor: User, tournament: Tournament, version_id: int) -> None:
    """Take a bot version out before the start: its author may, and the organiser."""
    tournament = _locked(tournament, TournamentState.OPEN, to="withdraw")
    entries = tournament.entries.select_related("version__bot")
    entry = entries.filter(version=version_id).first()
    if entry is None:
        raise NotFound(
            f"Bot version {version_id} has not entered.", code="not_entered", field="version"
        )
    if actor.pk not in {tournament.owner_id, entry.version.bot.owner_id}:
        raise NotAllowed(
            "Only its author or the organiser may withdraw a bot.", code="not_your_bot"
        )
    entry.delete()


@transaction.atomic
def start_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Make the whole schedule and let it be played."""
    tournament = _own(actor, tournament, TournamentState.OPEN, to="start")
    versions = [entry.version for entry in tournament.entries.in_order()]
    checks.check_enough(bots=len(versions), table_seats=tournament.table_seats)
    checks.check_eligible(versions, game=tournament.game)
    live = open_live_pool(game=tournament.game)
    tournament.pool = open_pool(
        key=f"tournament:{tournament.pk}", game=tournament.game, title=tournament.name
    )
    tournament.rules_version = GAMES[tournament.game].info.version
    tournament.state = TournamentState.RUNNING
    matches = _schedule(tournament, versions)
    for pool in (tournament.pool, live) if tournament.rated else (tournament.pool,):
        enter_matches(pool=pool, matches=matches)
    tournament.save(update_fields=("pool", "rules_version", "state"))
    return _stamped(tournament, "started_at")


@transaction.atomic
def pause_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Start no more matches for now; those that run end normally."""
    tournament = _own(actor, tournament, TournamentState.RUNNING, to="pause")
    hold_matches(matches=_matches(tournament))
    return _moved(tournament, TournamentState.PAUSED)


@transaction.atomic
def resume_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Go on after a pause."""
    tournament = _own(actor, tournament, TournamentState.PAUSED, to="resume")
    release_matches(matches=_matches(tournament))
    return _moved(tournament, TournamentState.RUNNING)


@transaction.atomic
def cancel_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Call off everything that has not ended; results so far stay and keep counting."""
    states = (TournamentState.OPEN, TournamentState.RUNNING, TournamentState.PAUSED)
    tournament = _own(actor, tournament, *states, to="cancel")
    void_matches(matches=_matches(tournament), reason="The tournament was cancelled.")
    return _stamped(_moved(tournament, TournamentState.CANCELLED), "finished_at")


@transaction.atomic
def requeue_match(*, actor: User, match: Match) -> Match:
    """Have a void match of the actor's own tournament played after all; its attempts stay known.

    A tournament that has closed without it runs again. Nothing that was rated changes: a void
    match has never counted.
    """
    place = TournamentMatch.objects.filter(match=match).select_related("tournament").first()
    if place is None:
        raise NotAllowed("Only matches of a tournament are requeued.", code="not_in_a_tournament")
    states = (TournamentState.RUNNING, TournamentState.PAUSED, TournamentState.CLOSED)
    tournament = _own(actor, place.tournament, *states, to="requeue a match of")
    await_result(match_id=match.pk)
    requeued = requeue_void_match(
        match_id=match.pk, on_hold=tournament.state == TournamentState.PAUSED
    )
    tournament.results_version += 1
    tournament.save(update_fields=("results_version",))
    if tournament.state == TournamentState.CLOSED:
        FinalRow.objects.filter(entry__tournament=tournament).delete()
        tournament.finished_at = None
        tournament.save(update_fields=("finished_at",))
        _moved(tournament, TournamentState.RUNNING)
    return requeued


def close_finished() -> list[Tournament]:
    """Close every tournament in which nothing waits any more, with its final table.

    One whose table cannot be made keeps none of the others open.

    Raises:
        ExceptionGroup: what went wrong, after all others were closed.
    """
    closed = []
    errors = []
    for tournament in Tournament.objects.finished().order_by("pk"):
        try:
            closed.append(_close(tournament))
        except (InterfaceError, OperationalError):
            raise
        except Exception as error:
            error.add_note(f"in the final table of tournament {tournament.pk}")
            errors.append(error)
    if errors:
        raise ExceptionGroup("final tables", errors)
    return [tournament for tournament in closed if tournament is not None]


def _close(tournament: Tournament) -> Tournament | None:
    # The fit takes seconds for thousands of matches: outside of the transaction. Meanwhile the
    # organiser may stop it, or requeue a void match that is played and rated before we are done.
    # The version was read in one statement with the look that found nothing waiting.
    rows = final_rows(tournament)
    with transaction.atomic():
        unlocked = Tournament.objects.select_for_update(skip_locked=True)
        locked = unlocked.filter(pk=tournament.pk).first()
        if locked is None or locked.results_version != tournament.results_version:
            return None
        if not Tournament.objects.finished().filter(pk=locked.pk).exists():
            return None
        FinalRow.objects.bulk_create(rows, batch_size=_BATCH)
        return _stamped(_moved(locked, TournamentState.CLOSED), "finished_at")


def _enter(tournament: Tournament, version_ids: Sequence[int]) -> list[Entry]:
    versions = _versions(version_ids)
    checks.check_eligible(versions, game=tournament.game)
    entered = tournament.entries.filter(version__in=versions).select_related("version__bot")
    if again := [entry.version.label for entry in entered]:
        raise Conflict(
            f"Already entered: {', '.join(again)}.", code="already_entered", field="versions"
        )
    last = tournament.entries.aggregate(last=Max("number"))["last"]
    first = 0 if last is None else last + 1
    checks.check_size(
        bots=first + len(versions), table_seats=tournament.table_seats, cycles=tournament.cycles
    )
    return Entry.objects.bulk_create(
        Entry(tournament=tournament, version=version, number=number)
        for number, version in enumerate(versions, start=first)
    )


def _versions(version_ids: Sequence[int]) -> list[BotVersion]:
    if len(set(version_ids)) < len(version_ids):
        raise InvalidInput(
            "Each bot version can enter once.", code="duplicate_bots", field="versions"
        )
    known = BotVersion.objects.listed().in_bulk(version_ids)
    if unknown := [str(version_id) for version_id in version_ids if version_id not in known]:
        raise InvalidInput(
            f"No such bot version: {', '.join(unknown)}.", code="unknown_bots", field="versions"
        )
    return [known[version_id] for version_id in version_ids]


def _schedule(tournament: Tournament, versions: Sequence[BotVersion]) -> list[Match]:
    schedule = pairings(document(tournament))
    matches = schedule_matches(_spec(tournament, versions, pairing) for pairing in schedule)
    TournamentMatch.objects.bulk_create(
        (
            TournamentMatch(
                tournament=tournament,
                match=match,
                round=pairing.round,
                block=pairing.block,
                index=pairing.index,
            )
            for match, pairing in zip(matches, schedule, strict=True)
        ),
        batch_size=_BATCH,
    )
    return matches


def _spec(tournament: Tournament, versions: Sequence[BotVersion], pairing: Pairing) -> MatchSpec:
    return MatchSpec(
        kind=MatchKind.TOURNAMENT,
        game=tournament.game,
        seating=tuple(versions[number].pk for number in pairing.seating),
        seed=pairing.seed,
        options=tournament.options,
        limits=tournament.limits,
        rated=tournament.rated,
        lane=tournament.pk,
    )


def _matches(tournament: Tournament) -> MatchQuerySet:
    return Match.objects.filter(place__tournament=tournament)


def _own(actor: User, tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    if actor.pk != tournament.owner_id and not actor.is_superuser:
        raise NotAllowed(
            f"Only {tournament.owner.username}, who organises it, may {to} this tournament.",
            code="not_your_tournament",
        )
    return _locked(tournament, *states, to=to)


def _locked(tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    tournament = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if tournament.state not in states:
        raise Conflict(
            f"{tournament.name} is {tournament.get_state_display()}; one can {to} only while it "
            f"is {' or '.join(str(state.label) for state in states)}.",
            code="wrong_state",
        )
    return tournament


def _moved(tournament: Tournament, state: TournamentState) -> Tournament:
    tournament.state = state
    tournament.save(update_fields=("state",))
    return tournament


def _stamped(tournament: Tournament, field: str) -> Tournament:
    """Set a time by the database's clock, which every other time is told by, too."""
    Tournament.objects.filter(pk=tournament.pk).update(**{field: Now()})
    tournament.refresh_from_db(fields=(field,))
    return tournament
