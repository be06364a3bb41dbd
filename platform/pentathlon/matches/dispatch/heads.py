"""The first waiting matches of each lane, read for all lanes together.

The cost does not depend on how much waits or has been played: each query walks the index
`matches_unsent` and stops after as many rows as it hands out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from django.db import connection

from pentathlon.bots.models import OUT_OF_PLAY, BotVersion
from pentathlon.matches.held_lanes import HeldLane
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.matches.repeated_lanes import NEVER_REPEATED

_UNSENT: Final = (
    "{alias}.state = %s AND NOT {alias}.on_hold AND {alias}.sent_at IS NULL AND {alias}.kind = %s"
)
_M = _UNSENT.format(alias="m")
_TABLE = Match._meta.db_table

# SQL cannot ask an index for its next different value, so each step of the recursion looks it up.
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
_SEATED = f"""
    SELECT s.version_id FROM {MatchSeat._meta.db_table} s WHERE s.match_id = head.id
    ORDER BY s.seat
"""  # noqa: S608  our own names
_LATERAL = f"""
    SELECT lanes.lane, head.id, head.game, head.rules_version, head.rated, head.reserved_for,
        array_to_string(ARRAY({_SEATED}), ' ')
    FROM unnest(%s::bigint[], %s::bigint[]) AS lanes(lane, after)
    CROSS JOIN LATERAL (
        SELECT m.id, m.game, m.rules_version, m.rated, m.reserved_for FROM {_TABLE} m
        WHERE {_M} AND m.lane = lanes.lane AND m.id > lanes.after
        ORDER BY m.id LIMIT %s
    ) head
"""  # noqa: S608  our own names
_CORRELATED = f"""
    WITH lanes(lane, after) AS (VALUES {{values}})
    SELECT lanes.lane, head.id, head.game, head.rules_version, head.rated, head.reserved_for,
        (SELECT group_concat(version_id, ' ') FROM ({_SEATED}))
    FROM lanes JOIN {_TABLE} head ON head.id IN (
        SELECT m.id FROM {_TABLE} m WHERE {_M} AND m.lane = lanes.lane AND m.id > lanes.after
        ORDER BY m.id LIMIT %s
    )
    ORDER BY head.id
"""  # noqa: S608  our own names
_Row = tuple[int, int, str, int, bool, int | None, str]
"""The lane, id, game and rules version of a match, whether it is rated, the party that it is
reserved for, and the ids of the bot versions."""

_SPARE: Final = 8
_MOST_REFUSED: Final = 400
"""The most matches that one look may refuse; matches further down come in a later look."""
_READ_TOGETHER: Final = 400
"""About how many matches one query reads, from as many lanes as that allows."""


class Lineup:
    """The bot versions at a table; all matches between the same versions share one lineup."""

    __slots__ = ("bots", "is_in_play", "is_repeatable", "versions")

    def __init__(self, versions: Sequence[BotVersion]) -> None:
        self.versions = versions
        """The versions, loaded with no more than planning needs."""
        self.bots = frozenset(version.bot_id for version in versions)
        self.is_in_play = all(version.state not in OUT_OF_PLAY for version in versions)
        self.is_repeatable = all(version.state not in NEVER_REPEATED for version in versions)


class Head(NamedTuple):
    """A waiting match at the head of its lane, with what decides whether it can be played now."""

    pk: int
    game: str
    rules_version: int
    rated: bool
    reserved_for: int | None
    lineup: Lineup
    may_play: bool
    """Whether none of its bots is out of play; a repeated lane keeps retired ones in play."""


class Heads:
    """Hands out the waiting matches of lanes, each lane in the order of its schedule.

    Each lane may have its share of refusals in one look, so that none keeps the others from being
    looked at. A lane whose first matches are all refused is read on from where the last look has
    stopped: `reached` keeps that place from one look to the next, so every match has its turn.
    """

    def __init__(
        self,
        kind: MatchKind,
        *,
        fits: Callable[[Head], bool],
        reached: dict[int, int],
        repeated: Collection[int] = (),
    ) -> None:
        self._kind = kind
        self._fits = fits
        self._reached = reached
        self._refusals_left = _MOST_REFUSED
        self._lanes: dict[int, _Lane] = {}
        self._pages = (1, 1)
        self._versions: dict[int, BotVersion] = {}
        self._lineups: dict[str, Lineup] = {}
        self._repeated = repeated

    def open(self, lanes: Sequence[int], *, room: int) -> None:
        """Begin to choose `room` matches from these lanes, in the order of reading.

        The places reached in lanes in which nothing waits any more are forgotten.
        """
        refusals = max(_SPARE, _MOST_REFUSED // len(lanes))
        self._lanes = {lane: _Lane(refusals) for lane in lanes}
        for lane in self._reached.keys() - self._lanes.keys():
            del self._reached[lane]
        share = -(-room // len(lanes))
        first = max(1, min(share + _SPARE, refusals // 2))
        # Together, the two pages hold all matches that a lane may hand out and refuse.
        self._pages = first, share + refusals - first

    def has_refused(self, lane: int) -> bool:
        """Return whether this look has refused matches of a lane."""
        return self._lanes[lane].has_refused

    @property
    def is_spent(self) -> bool:
        """Whether this look has refused as many matches as it may."""
        return self._refusals_left <= 0

    def next(self, number: int) -> Head | None:
        """Return the next match of a lane that fits; None if this look finds none."""
        lane = self._lanes[number]
        while lane.refusals_left > 0 and not self.is_spent:
            if not lane.heads:
                if lane.is_read:
                    return None
                self._read_on(number)
                continue
            head = lane.heads.popleft()
            if self._fits(head):
                return head
            self._refusals_left -= 1
            lane.refusals_left -= 1
            lane.has_refused = True
            if number in self._reached:
                self._reached[number] = max(self._reached[number], head.pk)
        return None

    def _read_on(self, number: int) -> None:
        """Read the next page of a lane, and of others that are read as far as this one."""
        pages_read = self._lanes[number].pages_read
        page = self._pages[min(pages_read, 1)]
        others = (
            other
            for other, lane in self._lanes.items()
            if other != number and lane.pages_read == pages_read and not lane.is_read
            # Pages after the second are for a few lanes that fill the room of all others.
            if pages_read < len(self._pages) or not lane.heads
        )
        self._read([number, *islice(others, _READ_TOGETHER // page)], page=page)

    def _read(self, numbers: Sequence[int], *, page: int) -> None:
        """Read the next page of these lanes, and note where a later look goes on."""
        after = {
            number: lane.after and max(lane.after, self._reached.get(number, 0))
            for number, lane in ((number, self._lanes[number]) for number in numbers)
        }
        rows = _read_rows(self._kind, after, page=page)
        self._read_lineups({seated for *_, seated in rows} - self._lineups.keys())
        counts = Counter(row[0] for row in rows)
        for number, pk, game, rules_version, rated, reserved_for, seated in rows:
            lane = self._lanes[number]
            lineup = self._lineups[seated]
            may_play = lineup.is_in_play or (lineup.is_repeatable and number in self._repeated)
            head = Head(pk, game, rules_version, bool(rated), reserved_for, lineup, may_play)
            lane.heads.append(head)
            lane.after = pk
        for number in numbers:
            lane = self._lanes[number]
            lane.pages_read += 1
            lane.is_read = counts[number] < page
            if after[number]:
                self._reached[number] = after[number]
            if not counts[number]:
                self._reached.pop(number, None)

    def _read_lineups(self, unknown: Iterable[str]) -> None:
        """Read the lineups that no match of this look has had yet."""
        lineups = {seated: [int(word) for word in seated.split()] for seated in unknown}
        ids = {version_id for seating in lineups.values() for version_id in seating}
        if unread := ids - self._versions.keys():
            needed = BotVersion.objects.only(
                "bot", "state", "manifest", "archive", "built", "is_build_trusted"
            )
            self._versions.update(needed.in_bulk(unread))
        for seated, seating in lineups.items():
            self._lineups[seated] = Lineup([self._versions[each] for each in seating])


@dataclass(slots=True)
class _Lane:
    """How much of a lane this look has read."""

    refusals_left: int
    heads: deque[Head] = field(default_factory=deque)
    after: int = 0
    """The id of the last match that was read; 0 before the first."""
    pages_read: int = 0
    is_read: bool = False
    """Whether the lane was read to its end."""
    has_refused: bool = False


def waiting_lanes(kind: MatchKind) -> list[int]:
    """Return the lanes in which matches wait to be sent, without held lanes."""
    with connection.cursor() as cursor:
        cursor.execute(_LANES, [MatchState.PENDING, kind, MatchState.PENDING, kind])
        lanes = [lane for (lane,) in cursor.fetchall()]
    held = set(HeldLane.objects.values_list("lane", flat=True))
    return [lane for lane in lanes if lane not in held]


def _read_rows(kind: MatchKind, after: Mapping[int, int], *, page: int) -> list[_Row]:
    """Return the next waiting matches of lanes, in each lane after the id given for it."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            lanes = [list(after), list(after.values())]
            cursor.execute(_LATERAL, [*lanes, MatchState.PENDING, kind, page])
        else:
            values = ", ".join(["(%s, %s)"] * len(after))
            pairs = [number for pair in after.items() for number in pair]
            statement = _CORRELATED.format(values=values)
            cursor.execute(statement, [*pairs, MatchState.PENDING, kind, page])
        rows: list[_Row] = cursor.fetchall()
    return rows
