"""Makes schedules part by part, so that no transaction writes more than about a thousand rows.

A part has whole blocks; one transaction stores it and how far the schedule is made. After a crash,
the next process draws the same schedule from the document and continues from there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from django.db import transaction
from django.db.models import F

from pentathlon.matches.jobs import MatchSpec
from pentathlon.matches.models import MatchKind
from pentathlon.matches.services import schedule_matches
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import enter_matches, open_live_pool
from pentathlon.tournaments.document import document, event_key
from pentathlon.tournaments.models import (
    EntryState,
    Tournament,
    TournamentMatch,
    TournamentState,
)
from pentathlon_engines.tournament.schedule import Pairing

ROWS_AT_ONCE: Final = 1000
"""Most rows that one transaction adds: other writers wait for it."""
_STEP_S: Final = 0.4
_MADE_IN: Final = (TournamentState.RUNNING, TournamentState.PAUSED)


def matches_at_once(tournament: Tournament) -> int:
    """Return how many matches of a tournament one transaction makes."""
    pools = 2 if tournament.rated else 1
    rows_of_a_match = 2 + tournament.table_seats + pools
    return ROWS_AT_ONCE // rows_of_a_match


def make_schedules(*, for_s: float = _STEP_S) -> int:
    """Extend incomplete schedules for about `for_s` seconds; return how many matches were made.

    The reconciler calls it again and again: matches are played while others are still made.
    """
    deadline = time.monotonic() + for_s
    made = 0
    unmade = Tournament.objects.filter(state__in=_MADE_IN, scheduled__lt=F("planned"))
    for tournament_id in list(unmade.order_by("pk").values_list("pk", flat=True)):
        while count := extend_schedule(tournament_id=tournament_id):
            made += count
            if time.monotonic() > deadline:
                return made
    return made


def extend_schedule(*, tournament_id: int) -> int:
    """Make the next matches of a schedule; return how many, 0 if none was due."""
    tournament = Tournament.objects.get(pk=tournament_id)
    if tournament.scheduled >= tournament.planned:
        return 0
    # Drawing takes a while where tables are large: nobody waits for it.
    part = _next_part(tournament)
    entries = tournament.entries.scheduled().order_by("number")
    versions = list(entries.values_list("version", flat=True))
    with transaction.atomic():
        unlocked = Tournament.objects.select_for_update(skip_locked=True)
        locked = unlocked.filter(pk=tournament_id, state__in=_MADE_IN).first()
        if locked is None or locked.scheduled != tournament.scheduled:
            return 0
        _store(locked, part, versions)
        # Who left while the schedule was being made has new matches that are to be called off.
        entries.exclude(state=EntryState.ACTIVE).update(is_settled=False)
        locked.scheduled += len(part)
        locked.save(update_fields=("scheduled",))
    return len(part)


def _store(tournament: Tournament, part: list[Pairing], versions: list[int]) -> None:
    """Store matches with their places and with the pools that they count in."""
    matches = schedule_matches(
        MatchSpec(
            kind=MatchKind.TOURNAMENT,
            game=tournament.game,
            seating=tuple(versions[number] for number in pairing.seating),
            seed=pairing.seed,
            alias=pairing.alias,
            options=tournament.options,
            limits=tournament.limits,
            rated=tournament.rated,
            lane=tournament.pk,
        )
        for pairing in part
    )
    TournamentMatch.objects.bulk_create(
        TournamentMatch(
            tournament=tournament,
            match=match,
            round=pairing.round,
            block=pairing.block,
            index=pairing.index,
        )
        for match, pairing in zip(matches, part, strict=True)
    )
    for pool in _pools(tournament):
        enter_matches(pool=pool, matches=matches)


def _pools(tournament: Tournament) -> Iterator[Pool]:
    if tournament.pool is not None:
        yield tournament.pool
    if tournament.rated:
        yield open_live_pool(game=tournament.game)


class _Drawing:
    """A schedule that is drawn as it is made, and remembers where it stands."""

    def __init__(self, tournament: Tournament) -> None:
        self.key = event_key(tournament)
        self.made = 0
        self._blocks = document(tournament).draw_blocks(key=self.key)
        self._ahead: list[Pairing] = []

    def skip_to(self, made: int) -> None:
        """Pass over what has been made."""
        while self.made < made and (block := self._next()):
            self.made += len(block)

    def take(self, most: int) -> list[Pairing]:
        """Return the next blocks with at most so many matches, at least one block."""
        part: list[Pairing] = []
        while block := self._next():
            if part and len(part) + len(block) > most:
                self._ahead = block
                break
            part += block
        self.made += len(part)
        return part

    def _next(self) -> list[Pairing]:
        block, self._ahead = self._ahead or next(self._blocks, []), []
        return block


_drawings: Final[dict[int, _Drawing]] = {}
_MOST_DRAWINGS: Final = 4


def _next_part(tournament: Tournament) -> list[Pairing]:
    """Return the matches that come next, from the drawing that was gone on with last."""
    drawing = _drawings.pop(tournament.pk, None)
    is_same = drawing is not None and drawing.key == event_key(tournament)
    if drawing is None or not is_same or drawing.made != tournament.scheduled:
        drawing = _Drawing(tournament)
        drawing.skip_to(tournament.scheduled)
    part = drawing.take(matches_at_once(tournament))
    if drawing.made < tournament.planned:
        while len(_drawings) >= _MOST_DRAWINGS:
            _drawings.pop(next(iter(_drawings)))
        _drawings[tournament.pk] = drawing
    return part
