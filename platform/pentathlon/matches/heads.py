"""The first waiting matches of each lane, read for all lanes together.

However much waits and however much has been played: each query walks the index `matches_unsent`
and stops after as many rows as it hands out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice
from typing import Final

from django.db import connection
from django.db.models import Prefetch

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import HeldLane, Match, MatchKind, MatchSeat, MatchState

_UNSENT: Final = (
    "{alias}.state = %s AND NOT {alias}.on_hold AND {alias}.sent_at IS NULL AND {alias}.kind = %s"
)
_M = _UNSENT.format(alias="m")
_TABLE = Match._meta.db_table

# The index has no query for "the next other value", so each step of the recursion looks it up.
_LANES = f"""
    WITH RECURSIVE lanes(lane) AS (
        SELECT (SELECT m.lane FROM {_TABLE} m WHERE {_M} ORDER BY m.lane LIMIT 1)
        UNION ALL
        SELECT (
            SELECT m.lane FROM {_TABLE} m WHERE {_M} AND m.lane > lanes.lane
            ORDER BY m.lane LIMIT 1
        ) FROM lanes WHERE lanes.lane IS NOT NULL
    )
    SELECT lane FROM lanes WHERE lane IS NOT NULL
"""  # noqa: S608  our own names
_LATERAL = f"""
    SELECT lanes.lane, head.id FROM unnest(%s::bigint[], %s::bigint[]) AS lanes(lane, after)
    CROSS JOIN LATERAL (
        SELECT m.id FROM {_TABLE} m WHERE {_M} AND m.lane = lanes.lane AND m.id > lanes.after
        ORDER BY m.id LIMIT %s
    ) head
"""  # noqa: S608  our own names
_CORRELATED = f"""
    WITH lanes(lane, after) AS (VALUES {{values}})
    SELECT lanes.lane, head.id FROM lanes JOIN {_TABLE} head ON head.id IN (
        SELECT m.id FROM {_TABLE} m WHERE {_M} AND m.lane = lanes.lane AND m.id > lanes.after
        ORDER BY m.id LIMIT %s
    )
    ORDER BY head.id
"""  # noqa: S608  our own names

_PAGE: Final = 100
_SPARE: Final = 8
_MOST_REFUSED: Final = 400
"""Matches that one look may refuse: what can be played further down comes in a later look."""
_LOADED_TOGETHER: Final = 128


class Heads:
    """Hands out the waiting matches of lanes, each lane in the order of its schedule.

    A lane whose first matches are all refused is read on from where the reading stopped before:
    `reached` keeps that place from one look to the next, so every match has its turn.
    """

    def __init__(
        self, kind: MatchKind, *, fits: Callable[[Match], bool], reached: dict[int, int]
    ) -> None:
        self._kind = kind
        self._fits = fits
        self._reached = reached
        self._refusals_left = _MOST_REFUSED
        self._ids: dict[int, deque[int]] = {}
        self._after: dict[int, int] = {}
        self._loaded: dict[int, Match] = {}
        self._versions: dict[int, BotVersion] = {}
        self._share = 1

    def open(self, lanes: Sequence[int], *, room: int) -> None:
        """Read where `room` matches out of these lanes may come from; the first lane goes first.

        What was reached in lanes in which nothing waits is forgotten.
        """
        self._ids = {lane: deque() for lane in lanes}
        self._after = dict.fromkeys(lanes, 0)
        self._share = -(-room // len(lanes))
        for lane in self._reached.keys() - self._after.keys():
            del self._reached[lane]
        self._read(lanes, page=min(self._share + _SPARE, _MOST_REFUSED // 2))

    @property
    def is_spent(self) -> bool:
        """Whether this look has refused as many matches as it may."""
        return self._refusals_left <= 0

    def next(self, lane: int) -> Match | None:
        """Return the next match of a lane that fits; None if this look finds none."""
        while not self.is_spent:
            ids = self._ids[lane]
            if not ids:
                if lane not in self._after:
                    return None
                self._read([each for each in self._after if not self._ids[each]], page=_PAGE)
                continue
            if ids[0] not in self._loaded:
                self._load(lane)
            pk = ids.popleft()
            match = self._loaded.pop(pk, None)
            if match is not None and self._fits(match):
                return match
            self._refusals_left -= 1
            if lane in self._reached:
                self._reached[lane] = max(self._reached[lane], pk)
        return None

    def _read(self, lanes: Sequence[int], *, page: int) -> None:
        """Read the next page of these lanes, and note where a later look goes on."""
        after = {
            lane: self._after[lane] and max(self._after[lane], self._reached.get(lane, 0))
            for lane in lanes
        }
        for lane, pk in _heads(self._kind, after, page=page):
            self._ids[lane].append(pk)
        for lane in lanes:
            ids = self._ids[lane]
            if after[lane]:
                self._reached[lane] = after[lane]
            if len(ids) == page:
                self._after[lane] = ids[-1]
                continue
            del self._after[lane]
            if not ids:
                self._reached.pop(lane, None)

    def _load(self, lane: int) -> None:
        """Load the next match of a lane, and those that are likely to be asked for after it."""
        order = (lane, *(each for each in self._ids if each != lane))
        heads = (islice(self._ids[each], self._share) for each in order)
        ids = islice(chain.from_iterable(heads), _LOADED_TOGETHER)
        wanted = [pk for pk in ids if pk not in self._loaded]
        self._loaded.update((match.pk, match) for match in self._matches(wanted))

    def _matches(self, ids: list[int]) -> list[Match]:
        """Return matches with what says who is to play; each bot version is read once a look."""
        seats = MatchSeat.objects.order_by("seat").only("match", "seat", "version")
        matches = list(
            Match.objects.filter(pk__in=ids)
            .order_by("pk")
            .prefetch_related(Prefetch("seats", queryset=seats))
        )
        seated = [seat for match in matches for seat in match.seats.all()]
        unknown = {seat.version_id for seat in seated} - self._versions.keys()
        versions = BotVersion.objects.select_related("bot").defer("validation_log")
        self._versions.update(versions.in_bulk(unknown))
        for seat in seated:
            seat.version = self._versions[seat.version_id]
        return matches


def waiting_lanes(kind: MatchKind) -> list[int]:
    """Return the lanes in which something waits to be sent."""
    with connection.cursor() as cursor:
        cursor.execute(_LANES, [MatchState.PENDING, kind, MatchState.PENDING, kind])
        lanes = [lane for (lane,) in cursor.fetchall()]
    held = set(HeldLane.objects.values_list("lane", flat=True))
    return [lane for lane in lanes if lane not in held]


def _heads(kind: MatchKind, after: Mapping[int, int], *, page: int) -> list[tuple[int, int]]:
    """Return (lane, id) of the next waiting matches of lanes, each behind the id given for it."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            lanes = [list(after), list(after.values())]
            cursor.execute(_LATERAL, [*lanes, MatchState.PENDING, kind, page])
        else:
            values = ", ".join(["(%s, %s)"] * len(after))
            pairs = [number for pair in after.items() for number in pair]
            statement = _CORRELATED.format(values=values)
            cursor.execute(statement, [*pairs, MatchState.PENDING, kind, page])
        rows: list[tuple[int, int]] = cursor.fetchall()
    return rows
