"""Counts the positions of public matches, in small steps, each match once.

The tree grows where matches go: a position gets a row when the one before it has been reached
`GROWS_AT` times, and a game has at most `MOST_POSITIONS` rows. So a game of dice, in which nearly
every match is new after some rolls, takes no more room than others.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from pentathlon.common.errors import Damaged
from pentathlon.explorer.models import ExploredGame, ExploredPosition, UncountedMatch
from pentathlon.matches.models import PRIVATE_KINDS, Match, MatchQuerySet, MatchSeat, MatchState
from pentathlon.replays.services import read_record
from pentathlon_engines import GAMES, Game
from pentathlon_engines.match.events import Event, apply_event
from pentathlon_engines.record.record import start_position
from pentathlon_engines.record.shape import Record
from pentathlon_engines.strength.block_scores import WIN, half_points

DEPTH: Final = 12
"""How many plies from the start of a match are counted."""
GROWS_AT: Final = 3
MOST_POSITIONS: Final = 200_000
"""The most rows of one game: about 40 MB with their index."""
AT_ONCE: Final = 40
"""The most matches in one transaction: at most 520 rows."""
STEP_S: Final = 0.05
_SETTLED_S: Final = 30
"""Seconds that a result waits, because a match that ended earlier may be stored later."""
_LATE: Final = 20
_log = structlog.stdlib.get_logger(__name__)
"""The most formerly hidden matches that one step looks at again."""


def explored_games() -> list[Game]:
    """Return the games whose positions everybody sees whole."""
    return [game for game in GAMES.values() if not game.info.hidden]


def count_positions(*, for_s: float = STEP_S) -> int:
    """Count matches that have ended since the last call; return how many.

    The reconciler calls it again and again. Two processes that count at once never count a match
    twice: the second one waits for the lock, and goes on where the first one stopped.
    """
    deadline = time.monotonic() + for_s
    counted = _count_late()
    for game in explored_games():
        while time.monotonic() < deadline:
            read = _count_next(game)
            counted += read
            if read < AT_ONCE:
                break
    return counted


def forget_game(key: str) -> None:
    """Delete what is known of a game, so that all of its matches are counted again."""
    ExploredGame.objects.filter(game=key).delete()
    UncountedMatch.objects.filter(match__game=key).delete()
    rows = ExploredPosition.objects.filter(game=key).order_by("pk")
    while ids := list(rows.values_list("pk", flat=True)[:1000]):
        ExploredPosition.objects.filter(pk__in=ids).delete()


@transaction.atomic
def _count_next(game: Game) -> int:
    """Count the next matches of a game; return how many were looked at."""
    key = game.info.key
    ExploredGame.objects.get_or_create(game=key)
    place = ExploredGame.objects.select_for_update().get(game=key)
    matches = list(_after(place)[:AT_ONCE])
    if not matches:
        return 0
    last = matches[-1]
    hidden = [match for match in matches if match.is_hidden]
    UncountedMatch.objects.bulk_create(
        [UncountedMatch(match=match) for match in hidden], ignore_conflicts=True
    )
    shown = [match for match in matches if not match.is_hidden]
    made = _add(game, shown, room=MOST_POSITIONS - place.positions)
    ExploredGame.objects.filter(game=key).update(
        finished_at=last.finished_at,
        match_id=last.pk,
        matches=F("matches") + len(shown),
        positions=F("positions") + made,
    )
    return len(matches)


@transaction.atomic
def _count_late() -> int:
    """Count matches that were hidden before and are public now."""
    late = Match.objects.public().filter(uncountedmatch__isnull=False).order_by("pk")
    late = late.filter(pk__in=UncountedMatch.objects.order_by("?").values("pk")[:_LATE])
    found = list(late.select_related("replay").prefetch_related("seats"))
    for game in explored_games():
        own = [match for match in found if match.game == game.info.key]
        if not own:
            continue
        place = ExploredGame.objects.select_for_update().get(game=game.info.key)
        ids = {match.pk for match in own}
        gone, _ = UncountedMatch.objects.filter(pk__in=ids).delete()
        if gone != len(ids):  # another process was faster: the matches are counted
            transaction.set_rollback(True)
            return 0
        made = _add(game, own, room=MOST_POSITIONS - place.positions)
        ExploredGame.objects.filter(game=game.info.key).update(
            matches=F("matches") + len(own), positions=F("positions") + made
        )
    return len(found)


def _after(place: ExploredGame) -> MatchQuerySet:
    ended = Match.objects.of_game(place.game).with_privacy()
    ended = ended.filter(
        finished_at__isnull=False,
        finished_at__lt=Now() - timedelta(seconds=_SETTLED_S),
        replay__isnull=False,
        state=MatchState.DONE,
    ).exclude(kind__in=PRIVATE_KINDS)
    if place.finished_at is not None:
        # The first condition lets databases go straight to the place in the index.
        ended = ended.filter(finished_at__gte=place.finished_at).filter(
            Q(finished_at__gt=place.finished_at) | Q(pk__gt=place.match_id)
        )
    ended = ended.order_by("finished_at", "pk")
    return ended.select_related("replay").prefetch_related("seats")


def _intact(match: Match) -> Record | None:
    """Return the record of a match; None if it is damaged: one match less changes no picture."""
    try:
        return read_record(match.replay)
    except Damaged as error:
        _log.warning("left out of the explorer", match=match.pk, reason=str(error))
        return None


def _add(game: Game, matches: Sequence[Match], *, room: int) -> int:
    """Add matches to the rows of a game; return how many rows are new."""
    paths = [
        (_keys(game, record), _points(match))
        for match in matches
        if (record := _intact(match)) is not None
    ]
    keys = {key for path, _ in paths for key in path}
    rows = ExploredPosition.objects.filter(game=game.info.key, key__in=keys)
    known = {row.key: row for row in rows}
    fresh: dict[str, ExploredPosition] = {}
    touched: dict[str, ExploredPosition] = {}
    for path, points in paths:
        before: ExploredPosition | None = None
        for depth, key in enumerate(dict.fromkeys(path)):
            row = known.get(key) or fresh.get(key)
            if row is None:
                grows = depth == 0 or (before is not None and before.matches > GROWS_AT)
                if not grows or len(fresh) >= room:
                    break
                row = ExploredPosition(
                    game=game.info.key, key=key, matches=0, points=[0.0] * len(points)
                )
                fresh[key] = row
            row.matches += 1
            row.points = [old + new for old, new in zip(row.points, points, strict=True)]
            if key in known:
                touched[key] = row
            before = row
    ExploredPosition.objects.bulk_update(touched.values(), ("matches", "points"))
    ExploredPosition.objects.bulk_create(fresh.values())
    return len(fresh)


def _keys(game: Game, record: Record) -> list[str]:
    """Return the keys of the first positions of a record."""
    state = start_position(record)
    keys = [game.position_key(state)]
    for row in record["events"][:DEPTH]:
        apply_event(state, Event.of(row))
        keys.append(game.position_key(state))
    return [key for key in keys if key is not None]


def _points(match: Match) -> list[float]:
    """Return by seat the share of the other seats that it beat; a tie counts half."""
    seats: list[MatchSeat] = sorted(match.seats.all(), key=lambda seat: seat.seat)
    ranks = [seat.rank or 0 for seat in seats]
    most = WIN * max(1, len(ranks) - 1)
    return [
        sum(
            half_points(ranks, own=own, other=other) for other in range(len(ranks)) if other != own
        )
        / most
        for own in range(len(ranks))
    ]
