"""Tournaments in which a version takes the place of another one, for tests."""

from __future__ import annotations

from typing import Any

from django.db.models import prefetch_related_objects

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import stop_version
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import claim_matches
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import apply_results
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.people_rows import Replacement
from pentathlon.tournaments.results.final_table import verify_final_table
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.tournament.proof import check_proof
from tests.deep import mostly_deep
from tests.factories import make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, store_ends

FORMATS: list[dict[str, Any]] = [
    {"format": "round_robin", "bots": 5},
    {"format": "tables", "bots": 5, "table_seats": 3, "game": "way_of_the_dragon"},
    {"format": "gauntlet", "bots": 4},
    {"format": "swiss", "bots": 6},
    {"format": "knockout", "bots": 5},
    {"format": "finals", "bots": 3, "params": {"blocks": 12}},
]
"""Arguments of `start_cup` for the smallest field in which each format shows what it does."""


def some_formats(*formats: str) -> list[object]:
    """Return what `start_cup` takes for each format, as cases; those not named are deep."""
    return mostly_deep(FORMATS, keep=[each for each in FORMATS if each["format"] in formats])


def format_of(asked: dict[str, Any]) -> str:
    """Return the name of such a case."""
    return str(asked["format"])


def start_cup(organiser: User, *, bots: int = 4, **asked: Any) -> tuple[Tournament, BotVersion]:
    """Start a tournament; return it and a newer version of its second bot."""
    games = [asked.get("game", "tuned")]
    versions = [make_version(games=games) for _ in range(bots)]
    made = open_cup(organiser, versions=[each.pk for each in versions], **asked)
    new = make_version(bot=versions[1].bot, games=games)
    return start_tournament(actor=organiser, tournament=made), new


def replace_version(tournament: Tournament, new: BotVersion, **changes: Any) -> Replacement:
    """Replace the version of a bot, as the organiser if nobody else is named."""
    old = tournament.entries.get(version__bot=new.bot).version
    values = {"actor": tournament.owner, "by": new.pk, "reason": "It hung on rivers.", **changes}
    replace_entry(tournament=tournament, version_id=old.pk, **values)
    return tournament.replacements.order_by("-number")[0]


def blocks_of(tournament: Tournament, version: BotVersion) -> list[int]:
    """Return the blocks in which a version has a seat."""
    places = tournament.tournament_matches.filter(match__seats__version=version)
    return sorted(set(places.values_list("block", flat=True)))


def play(matches: list[Match]) -> None:
    """Let matches end: the bot that was uploaded earlier wins, whichever version plays."""
    prefetch_related_objects(matches, "seats__version")
    for match in matches:
        seats = match.seats.all()
        bots = sorted(seat.version.bot_id for seat in seats)
        for seat in seats:
            seat.rank = bots.index(seat.version.bot_id)
    store_ends(matches)


def play_to_the_end(tournament: Tournament) -> Tournament:
    """Play everything that waits, as the reconciler and workers would."""
    for _ in range(200):
        ended = {MatchState.DONE, MatchState.VOID}
        play([each for each in matches_of(tournament) if each.state not in ended])
        while settle_entries() or settle_blocks() or apply_results() or make_schedules():
            pass
        close_finished()
        tournament.refresh_from_db()
        if tournament.state == TournamentState.CLOSED:
            return tournament
    raise AssertionError("it does not end")


def begin(matches: list[Match]) -> None:
    """Let a worker claim matches."""
    jobs = claim_matches(match_ids=[each.pk for each in matches], worker="host/1")
    assert len(jobs) == len(matches)


def row_of(tournament: Tournament, version: BotVersion) -> Standing:
    """Return the line of the entry for which a version plays."""
    (row,) = [row for row in standings(tournament) if row.version == version]
    return row


def assert_first_bot_is_best(cup: Tournament) -> None:
    """Check that the bot which wins whatever it plays has the first place."""
    best = row_of(cup, cup.entries.get(number=0).version)
    if cup.format == "swiss":
        # In a Swiss tournament, a bot that it never meets may win all its matches, too.
        assert best.points == max(row.points for row in standings(cup))
    else:
        assert best.place == 1


def is_right(tournament: Tournament) -> bool:
    """Check schedule, ratings, final table and proof of a closed tournament."""
    states = {check.name: check.state for check in check_proof(proof(tournament))}
    return (
        list(schedule_differences(tournament)) == []
        and not any(verify_pool(pool_id=pool.pk) for pool in Pool.objects.all())
        and not verify_final_table(tournament_id=tournament.pk)
        and set(states.values()) == {"ok"}
        and "replacements" in states
    )


def play_the_rest(tournament: Tournament) -> None:
    play([each for each in matches_of(tournament) if each.state == MatchState.PENDING])
    while settle_entries() or settle_blocks() or apply_results():
        pass


def stop(cup: Tournament, new: BotVersion) -> BotVersion:
    """Have the platform stop the version that `new` comes for; return it."""
    old = cup.entries.get(version__bot=new.bot).version
    stop_version(version_id=old.pk, reason="Stopped after 5 faults at its start in a row.")
    step()
    return old


def step() -> None:
    """Run the steps of the reconciler that settle entries and blocks."""
    while settle_entries() or settle_blocks():
        pass
