"""Makes the matches of ladders, a few at a time: the number that waits follows the live slots.

One transaction stores a batch: its blocks, what the rule was told, and how far the division is. So
a crash leaves a batch whole or not made at all, and each can be made again from what is stored.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from pentathlon.bots.models import OUT_OF_PLAY
from pentathlon.fleet.capabilities import Fleet, read_fleet
from pentathlon.ladders import pace
from pentathlon.ladders.models import Choice, Division, FieldLine, LadderMember
from pentathlon.ladders.seasons import open_ladder_pool
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.matches.requirements import requirements_of_versions
from pentathlon.matches.services import void_matches
from pentathlon.ratings.models import Rating
from pentathlon.ratings.skill import Skill
from pentathlon.tournaments.batches import Batch
from pentathlon.tournaments.documents.document import document, event_key
from pentathlon.tournaments.guards import TournamentSteps
from pentathlon.tournaments.models import Entry, EntryState, Tournament, TournamentState
from pentathlon.tournaments.scheduling.schedules import matches_at_once, store_matches
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.batches import (
    Candidate,
    LadderNote,
    Told,
    pair_field,
    pairings_of,
    pairs_of,
)
from pentathlon_engines.tournament.formats.interface import Group, PlannedBlock, matches_per_block
from pentathlon_engines.tournament.formats.ladder import LadderBlock

_DIVISIONS_AT_ONCE: Final = 20
_batches = TournamentSteps("batch of division", told="Its next ladder matches cannot be made.")


def make_batches(*, for_s: float = settings.STEP_S) -> int:
    """Pair the divisions that are due while slots want matches; return how many matches were made.

    Divisions with new versions come first, then those that have waited longest. Settled divisions
    without a limit an hour follow even before they are due, so that no slot stands idle.
    """
    deadline = time.monotonic() + for_s
    fleet = read_fleet()
    slots = fleet.slots - fleet.held_slots
    if slots <= 0 or not fleet.capabilities:
        return 0
    ahead = pace.Ahead.of((author for _, _, author in _unfinished(_running_lanes())), slots=slots)
    made = 0
    may_play = Q(due_at__lte=Now())
    if settings.LADDER_MATCHES_AN_HOUR is None:
        may_play |= Q(is_settled=True, due_at__isnull=False)
    divisions = Division.objects.filter(may_play)
    for division in divisions.order_by("-has_newcomers", "due_at")[:_DIVISIONS_AT_ONCE]:
        room, for_newcomers = ahead.room(made), ahead.room_for_newcomers(made)
        if not division.has_newcomers:
            for_newcomers = 0
        if max(room, for_newcomers) <= 0 or time.monotonic() > deadline:
            break
        pair = partial(
            make_batch,
            division_id=division.pk,
            room=room,
            for_newcomers=for_newcomers,
            fleet=fleet,
        )
        made += _batches.run(division.tournament_id, pair) or 0
    return made


def make_batch(*, division_id: int, room: int, fleet: Fleet, for_newcomers: int = 0) -> int:
    """Pair the next blocks of a division, for about `room` matches; return how many were made.

    If newcomers have more room, blocks are made up to the last one that has a newcomer in it.
    """
    division = Division.objects.select_related("season__ladder", "tournament__pool").get(
        pk=division_id
    )
    document(division.tournament)  # a division by another rule than ours gets no matches of ours
    look = _Look.of(division, fleet)
    legs = matches_per_block(division.tournament.table_seats)
    most = matches_at_once(division.tournament) // legs
    asked = max(1, max(room, for_newcomers) // legs)
    wanted = min(most, asked, max(1, len(look.field) // 2))
    blocks = pair_field(
        look.field,
        meetings=look.meetings,
        seats=division.tournament.table_seats,
        wanted=wanted,
        made=division.blocks,
        key=event_key(division.tournament),
    )
    if for_newcomers > room:
        wanted = min(wanted, max(room // legs, _count_to_last_newcomer(look, blocks)))
        # The rule goes block by block, so that it makes these first ones, too, if asked for fewer.
        blocks = blocks[:wanted]
    with transaction.atomic():
        locked = _lock(division)
        if locked is None:
            return 0
        if not _are_in_play(look, blocks):
            blocks = []
        if blocks:
            _store(locked, look, blocks, wanted=wanted)
        _set_pace(locked, look.field, matches=len(blocks) * legs)
    return len(blocks) * legs


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """The field of a division as it is now."""

    field: tuple[Candidate, ...]
    meetings: dict[Group, int]
    entries: dict[int, Entry]
    """The entries by their numbers."""
    lines: dict[int, FieldLine]

    @property
    def newcomers(self) -> dict[int, Entry]:
        """The entries that have hardly played, by their numbers."""
        new = (each.number for each in self.field if each.is_newcomer)
        return {number: self.entries[number] for number in new}

    @classmethod
    def of(cls, division: Division, fleet: Fleet) -> _Look:
        """Read the entries that can play now, with what their ratings and matches say."""
        tournament = division.tournament
        active = Entry.objects.filter(tournament=tournament, state=EntryState.ACTIVE)
        playing = active.exclude(version__state__in=OUT_OF_PLAY).filter(is_settled=True)
        found = playing.select_related("version__bot__owner", "ladder_line")
        # Only members with these versions, because a ladder may have many divisions.
        members = LadderMember.objects.filter(version__in=playing.values("version"))
        in_ladder = members.filter(ladder=division.season.ladder_id, choice=Choice.PAUSED)
        paused = set(in_ladder.values_list("version", flat=True))
        entries = {
            entry.number or 0: entry
            for entry in found.defer("version__validation_log").order_by("number")
            if entry.version_id not in paused and _can_play(entry, tournament, fleet)
        }
        pool = open_ladder_pool(division.season.ladder)
        versions = [entry.version_id for entry in entries.values()]
        ratings = {
            rating.version_id: rating
            for rating in Rating.objects.filter(pool=pool, version__in=versions)
        }
        under_way = _blocks_under_way(tournament)
        return cls(
            field=tuple(
                _candidate(entry, ratings.get(entry.version_id), under_way[entry.version_id])
                for entry in entries.values()
            ),
            meetings=pairs_of({n: entry.ladder_line.met for n, entry in entries.items()}),
            entries=entries,
            lines={number: entry.ladder_line for number, entry in entries.items()},
        )


def _candidate(entry: Entry, rating: Rating | None, under_way: int) -> Candidate:
    skill = Skill() if rating is None else rating.skill
    bot = entry.version.bot
    return Candidate(
        number=entry.number or 0,
        # Reference bots share an owner, but may still meet one another.
        author=f"reference:{bot.name}" if bot.is_reference else bot.owner.username,
        mu=skill.mu,
        sigma=skill.sigma,
        matches=0 if rating is None else rating.matches,
        open_blocks=under_way,
        is_reference=bot.is_reference,
    )


def _can_play(entry: Entry, tournament: Tournament, fleet: Fleet) -> bool:
    """Return whether any worker can play an entry; without one, its matches would block others."""
    needs = requirements_of_versions(
        [entry.version],
        game=tournament.game,
        rules_version=GAMES[tournament.game].info.version,
    )
    return fleet.satisfies(needs)


def _unfinished(lanes: Iterable[int]) -> Iterator[tuple[int, int, int | None]]:
    """Yield the matches of lanes that wait or run, with lane and author if it is for a newcomer.

    Each state has an index.
    """
    in_lanes = Match.objects.filter(lane__in=list(lanes), kind=MatchKind.LADDER)
    for state in (MatchState.PENDING, MatchState.RUNNING):
        yield from in_lanes.filter(state=state).values_list("pk", "lane", "newcomer_of")


def _running_lanes() -> list[int]:
    running = Division.objects.filter(due_at__isnull=False)
    return list(running.values_list("tournament", flat=True))


def _blocks_under_way(tournament: Tournament) -> Counter[int]:
    """Count by bot version the blocks of a division that have not ended; call off dead matches."""
    matches = [pk for pk, *_ in _unfinished([tournament.pk])]
    # A version may have been retired after it left the field, with a match still to come.
    dead = Match.objects.filter(pk__in=matches, seats__version__state__in=OUT_OF_PLAY)
    if dead_ids := set(dead.values_list("pk", flat=True)):
        reason = "A bot of it may no longer play."
        void_matches(matches=Match.objects.filter(pk__in=dead_ids), reason=reason)
    living = [pk for pk in matches if pk not in dead_ids]
    seats = MatchSeat.objects.filter(match__in=living)
    pairs = set(seats.values_list("match__place__block", "version"))
    return Counter(version for _, version in pairs)


def _lock(division: Division) -> Division | None:
    """Lock a division and its tournament, if nobody has made a batch or closed it meanwhile."""
    unlocked = Division.objects.select_for_update(skip_locked=True, of=("self",))
    running = unlocked.filter(pk=division.pk, batches=division.batches)
    locked = running.select_related("season__ladder").first()
    if locked is None:
        return None
    if locked.due_at is None:
        return None
    tournaments = Tournament.objects.select_for_update(skip_locked=True, of=("self",))
    tournament = tournaments.select_related("pool").filter(pk=locked.tournament_id).first()
    is_running = tournament is not None and tournament.state == TournamentState.RUNNING
    if tournament is None or not is_running or not tournament.is_open_ended:
        return None
    locked.tournament = tournament
    return locked


def _are_in_play(look: _Look, blocks: Sequence[LadderBlock]) -> bool:
    """Return whether nobody who was paired has left since the look."""
    ids = {look.entries[number].pk for block in blocks for number in block.seatings[0]}
    playing = Entry.objects.filter(pk__in=ids, state=EntryState.ACTIVE)
    return playing.exclude(version__state__in=OUT_OF_PLAY).count() == len(ids)


def _store(division: Division, look: _Look, blocks: Sequence[LadderBlock], *, wanted: int) -> None:
    """Store a batch in the transaction that holds the division's lock."""
    tournament = division.tournament
    before = tournament.batches.filter(number=division.batches).first()
    note = LadderNote(wanted, _tell(division, look))
    batch = Batch.objects.create(
        tournament=tournament,
        number=division.batches + 1,
        input=note.to_json(),
        input_digest=note.digest(before.input_digest if before else ""),
        first_block=division.blocks + 1,
        last_block=division.blocks + len(blocks),
    )
    made = _store_matches(division, batch, look, blocks)
    _count_meetings(look, [block.seatings[0] for block in blocks])
    Tournament.objects.filter(pk=tournament.pk).update(
        planned=F("planned") + made, scheduled=F("scheduled") + made
    )
    division.batches += 1
    division.blocks += len(blocks)
    division.save(update_fields=("batches", "blocks"))


def _store_matches(
    division: Division, batch: Batch, look: _Look, blocks: Sequence[LadderBlock]
) -> int:
    tournament = division.tournament
    pairings = pairings_of(
        [PlannedBlock(batch.number, block.seatings) for block in blocks],
        first_block=batch.first_block,
        first_index=division.blocks * matches_per_block(tournament.table_seats) + 1,
        key=event_key(tournament),
    )
    pools = (tournament.pool, open_ladder_pool(division.season.ladder))
    store_matches(
        [batch],
        pairings,
        {number: entry.version_id for number, entry in look.entries.items()},
        kind=MatchKind.LADDER,
        pools=[pool for pool in pools if pool is not None],
        newcomers=_authors_of_newcomers(batch, look, blocks),
    )
    return len(pairings)


def _authors_of_newcomers(
    batch: Batch, look: _Look, blocks: Sequence[LadderBlock]
) -> dict[int, int]:
    """Return by block number the author in whose line it waits, if newcomers sit at its table.

    Of several, it is the one with the fewest newcomers in the division, whose line is shortest.
    """
    new = look.newcomers
    of_author = Counter(entry.version.bot.owner_id for entry in new.values())
    authors: dict[int, int] = {}
    for number, block in enumerate(blocks, batch.first_block):
        at_table = [new[one].version.bot.owner_id for one in block.seatings[0] if one in new]
        if at_table:
            authors[number] = min(at_table, key=lambda author: (of_author[author], author))
    return authors


def _count_to_last_newcomer(look: _Look, blocks: Sequence[LadderBlock]) -> int:
    """Return how many blocks there are up to the last one with a newcomer at its table."""
    with_new = (
        number
        for number, block in enumerate(blocks, 1)
        if not look.newcomers.keys().isdisjoint(block.seatings[0])
    )
    return max(with_new, default=0)


def _tell(division: Division, look: _Look) -> Told:
    """Return what has changed in the field since the last batch, and remember it."""
    told: Told = {}
    changed = []
    for each in look.field:
        line, fields = look.lines[each.number], list(each[1:])
        if line.told != fields:
            line.told = told[str(each.number)] = fields
            changed.append(line)
    gone = FieldLine.objects.filter(entry__tournament=division.tournament_id, told__isnull=False)
    for line in gone.exclude(entry__number__in=list(look.lines)).select_related("entry"):
        told[str(line.entry.number)] = line.told = None
        changed.append(line)
    FieldLine.objects.bulk_update(changed, ("told",))
    return told


def _count_meetings(look: _Look, groups: Sequence[Sequence[int]]) -> None:
    met = set()
    for group in groups:
        for number in group:
            line = look.lines[number]
            met.add(number)
            for other in group:
                if other != number:
                    line.met[str(other)] = line.met.get(str(other), 0) + 1
    FieldLine.objects.bulk_update((look.lines[number] for number in sorted(met)), ("met",))


def _set_pace(division: Division, field: Sequence[Candidate], *, matches: int) -> None:
    """Store when the division is looked at next."""
    is_settled = not any(each.is_uncertain for each in field)
    pause = timedelta() if matches else pace.LOOK_AGAIN
    if is_settled and matches:
        pause = pace.rest(matches=matches, an_hour=settings.LADDER_MATCHES_AN_HOUR)
    Division.objects.filter(pk=division.pk).update(
        has_newcomers=any(each.is_newcomer for each in field),
        is_settled=is_settled,
        due_at=Now() + pause,
    )
