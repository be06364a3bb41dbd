"""Counts the positions of public matches, in small steps, each match once.

The tree grows where matches go: a position gets a row when the one before it has been reached
`GROWS_AT` times, and a game has at most `MOST_POSITIONS` rows. So a game of dice, in which nearly
every match is new after some rolls, takes no more room than others.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from pentathlon.core.errors import Damaged
from pentathlon.core.statements import store_rows
from pentathlon.insight.explorer.models import ExploredGame, ExploredMatch, ExploredPosition
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import PRIVATE_KINDS, Match, MatchQuerySet, MatchSeat, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES, Game
from pentathlon_engines.match.events import Event, apply_event
from pentathlon_engines.record.record import start_position
from pentathlon_engines.strength.sprt import WIN, half_points

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
"""The most matches, hidden before or corrected, that one step looks at again."""
_log = structlog.stdlib.get_logger(__name__)


def explored_games() -> list[Game]:
    """Return the games whose positions everybody sees whole."""
    return [game for game in GAMES.values() if not game.info.hidden]


def count_positions(*, for_s: float = STEP_S) -> int:
    """Count matches that have ended since the last call; return how many.

    The reconciler calls it again and again. Two processes that count at once never count a match
    twice: the second one waits for the lock, and goes on where the first one stopped. A result
    that is taken back later leaves the positions in which it was counted.
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
    for rows in (
        ExploredPosition.objects.filter(game=key),
        ExploredMatch.objects.filter(match__game=key),
    ):
        while ids := list(rows.order_by("pk").values_list("pk", flat=True)[:1000]):
            rows.model._default_manager.filter(pk__in=ids).delete()


def recount(match_ids: Collection[int]) -> None:
    """Look again at matches whose results were taken back, or count only because of that."""
    ExploredMatch.objects.filter(match__in=match_ids).update(is_due=True)


@transaction.atomic
def _count_next(game: Game) -> int:
    """Count the next matches of a game; return how many were looked at."""
    key = game.info.key
    ExploredGame.objects.get_or_create(game=key)
    place = ExploredGame.objects.select_for_update().get(game=key)
    ids = list(_after(place).values_list("pk", flat=True)[:AT_ONCE])
    matches = _locked(ids)
    if not ids or len(matches) < len(ids):  # a result is being corrected: its turn comes again
        return 0
    last = matches[-1]
    shown = [match for match in matches if _counts(match)]
    depths, made = _add(game, shown, room=MOST_POSITIONS - place.positions)
    store_rows(
        (
            ExploredMatch(
                match=match,
                lane=match.lane,
                depth=depths.get(match.pk, 0),
                is_due=match.is_hidden,
            )
            for match in matches
        ),
        ignores_known=True,
    )
    ExploredGame.objects.filter(game=key).update(
        finished_at=last.finished_at,
        match_id=last.pk,
        matches=F("matches") + len(shown),
        positions=F("positions") + made,
    )
    return len(matches)


@transaction.atomic
def _count_late() -> int:
    """Count matches that were hidden before and are public now, and corrections of results."""
    due = ExploredMatch.objects.filter(is_due=True)
    due = due.exclude(lane__in=HiddenLane.objects.in_force().values("lane"))
    ids = list(due.values_list("pk", flat=True)[:_LATE])
    if not ids:
        return 0
    # One process after the other; matches come before their rows here, as in corrections.
    games = ExploredGame.objects.select_for_update().order_by("game")
    places = {place.game: place for place in games}
    rows = due.select_related("match").in_bulk([match.pk for match in _locked(ids)])
    for game in explored_games():
        own = [match for match in _locked([*rows]) if match.game == game.info.key]
        if own:
            _settle(game, places[game.info.key], own, rows)
    return len(rows)


def _settle(
    game: Game, place: ExploredGame, matches: Sequence[Match], rows: Mapping[int, ExploredMatch]
) -> None:
    """Count matches that count by now, and take those back that do so no more."""
    come = [match for match in matches if _counts(match) and not rows[match.pk].depth]
    gone = [match for match in matches if not _counts(match) and rows[match.pk].depth]
    lost = _take_back(game, {match: rows[match.pk].depth for match in gone})
    depths, made = _add(game, come, room=MOST_POSITIONS - place.positions + lost)
    for match in matches:
        row = rows[match.pk]
        row.depth = depths.get(match.pk, 0) if match in come or match in gone else row.depth
        row.is_due = False
    ExploredMatch.objects.bulk_update([rows[match.pk] for match in matches], ("depth", "is_due"))
    ExploredGame.objects.filter(game=place.game).update(
        matches=F("matches") + len(come) - len(gone), positions=F("positions") + made - lost
    )


def _counts(match: Match) -> bool:
    return not match.is_hidden and not match.is_revoked and match.state == MatchState.DONE


def _locked(ids: Collection[int]) -> list[Match]:
    """Return these matches in their order, but for those that somebody changes right now."""
    found = Match.objects.with_privacy().filter(pk__in=ids).order_by("finished_at", "pk")
    found = found.select_for_update(skip_locked=True, of=("self",))
    return list(found.select_related("replay").prefetch_related("seats"))


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
    return ended.filter(exploredmatch=None).order_by("finished_at", "pk")


def _add(game: Game, matches: Sequence[Match], *, room: int) -> tuple[dict[int, int], int]:
    """Add matches to the rows of a game; return how deep each went, and how many rows are new."""
    paths = {match: _path(game, match) for match in matches}
    known = _rows(game, paths.values())
    depths: dict[int, int] = {}
    fresh: dict[str, ExploredPosition] = {}
    touched: dict[str, ExploredPosition] = {}
    for match, path in paths.items():
        points = _points(match)
        before: ExploredPosition | None = None
        for depth, key in enumerate(path):
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
            depths[match.pk] = depth + 1
    store_rows(touched.values(), unique=("id",), update=("matches", "points"))
    store_rows(fresh.values())
    return depths, len(fresh)


def _take_back(game: Game, depths: Mapping[Match, int]) -> int:
    """Subtract matches from the positions in which they were counted; return how many rows go."""
    paths = {match: _path(game, match)[:depth] for match, depth in depths.items()}
    known = _rows(game, paths.values())
    for match, path in paths.items():
        points = _points(match)
        for row in (known[key] for key in path if key in known):
            row.matches -= 1
            row.points = [old - lost for old, lost in zip(row.points, points, strict=True)]
    empty = [row.pk for row in known.values() if row.matches <= 0]
    ExploredPosition.objects.filter(pk__in=empty).delete()
    kept = [row for row in known.values() if row.matches > 0]
    ExploredPosition.objects.bulk_update(kept, ("matches", "points"))
    return len(empty)


def _rows(game: Game, paths: Iterable[Sequence[str]]) -> dict[str, ExploredPosition]:
    keys = {key for path in paths for key in path}
    rows = ExploredPosition.objects.filter(game=game.info.key, key__in=keys)
    return {row.key: row for row in rows}


def _path(game: Game, match: Match) -> list[str]:
    """Return the keys of the first positions of a match, each once; none if it is damaged."""
    try:
        record = read_record(match.replay)
    except Damaged as error:  # one match less changes no picture
        _log.warning("left out of the explorer", match=match.pk, reason=str(error))
        return []
    state = start_position(record)
    keys = [game.position_key(state)]
    for row in record["events"][:DEPTH]:
        apply_event(state, Event.of(row))
        keys.append(game.position_key(state))
    return list(dict.fromkeys(key for key in keys if key is not None))


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
