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
from pentathlon.core.statements import Read
from pentathlon.matches.hidden_lanes import NEVER_REPEATED, HeldLane
from pentathlon.matches.models import Match, MatchSeat, MatchState

NEWCOMERS: Final = "newcomers"
"""The line of matches for new versions, whatever their kind, with a lane for each author."""
_TABLE: Final = Match._meta.db_table
_HELD: Final = f"SELECT h.lane FROM {HeldLane._meta.db_table} h"  # noqa: S608  our own name
_SEATED: Final = f"""
    SELECT s.version_id FROM {MatchSeat._meta.db_table} s WHERE s.match_id = head.id
    ORDER BY s.seat
"""  # noqa: S608  our own names


class _Line:
    """The queries of one line: a kind of matches, or the matches for new versions."""

    def __init__(self, lane: str, condition: str) -> None:
        """Take the column of its lanes, and which of the unsent matches it has."""
        unsent = f"m.state = %s AND m.sent_at IS NULL AND {condition}"
        # SQL cannot ask an index for its next different value, so each step of the recursion
        # looks it up.
        self.lanes = f"""
            WITH RECURSIVE lanes(lane) AS (
                SELECT (
                    SELECT m.{lane} FROM {_TABLE} m WHERE {unsent} ORDER BY m.{lane} LIMIT 1
                )
                UNION ALL
                SELECT (
                    SELECT m.{lane} FROM {_TABLE} m WHERE {unsent} AND m.{lane} > lanes.lane
                    ORDER BY m.{lane} LIMIT 1
                ) FROM lanes WHERE lanes.lane IS NOT NULL
            )
            SELECT lane FROM lanes WHERE lane IS NOT NULL
        """  # noqa: S608  our own names
        columns = "m.id, m.kind, m.game, m.rules_version, m.rated, m.reserved_for"
        head = columns.replace("m.", "head.")
        self.lateral = f"""
            SELECT lanes.lane, {head}, array_to_string(ARRAY({_SEATED}), ' ')
            FROM unnest(%s::bigint[], %s::bigint[]) AS lanes(lane, after)
            CROSS JOIN LATERAL (
                SELECT {columns} FROM {_TABLE} m
                WHERE {unsent} AND m.{lane} = lanes.lane AND m.id > lanes.after
                ORDER BY m.id LIMIT %s
            ) head
        """  # noqa: S608  our own names
        self.correlated = f"""
            WITH lanes(lane, after) AS (VALUES {{values}})
            SELECT lanes.lane, {head}, (SELECT group_concat(version_id, ' ') FROM ({_SEATED}))
            FROM lanes JOIN {_TABLE} head ON head.id IN (
                SELECT m.id FROM {_TABLE} m
                WHERE {unsent} AND m.{lane} = lanes.lane AND m.id > lanes.after
                ORDER BY m.id LIMIT %s
            )
            ORDER BY head.id
        """  # noqa: S608  our own names


_OF_NEWCOMERS: Final = _Line(
    "newcomer_of", f"m.newcomer_of IS NOT NULL AND m.lane NOT IN ({_HELD})"
)
_OF_KIND: Final = _Line("lane", "m.kind = %s AND m.newcomer_of IS NULL")
_Row = tuple[int, int, str, str, int, bool, int | None, str]
"""The lane, id, kind, game and rules version of a match, whether it is rated, the party that it is
reserved for, and the ids of the bot versions."""

_HELD_LANES: Final = Read(lambda: HeldLane.objects.values_list("lane", flat=True))
_VERSIONS: Final = Read(
    lambda ids: BotVersion.objects.filter(pk__in=ids).only(
        "bot", "state", "manifest", "archive", "built", "is_build_trusted"
    )
)

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
    kind: str
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
        line: str,
        *,
        fits: Callable[[Head], bool],
        reached: dict[int, int],
        repeated: Collection[int] = (),
    ) -> None:
        """Take a kind of matches, or `NEWCOMERS`."""
        self._line = line
        self._fits = fits
        self._reached = reached
        self._refusals_left = _MOST_REFUSED
        self._lanes: dict[int, _Lane] = {}
        self._pages = (1, 1)
        self._versions: dict[int, BotVersion] = {}
        self._lineups: dict[str, Lineup] = {}
        # Lanes of newcomers are numbered by author, repeated ones by tournament.
        self._repeated = () if line == NEWCOMERS else repeated

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
        rows = _read_rows(self._line, after, page=page)
        self._read_lineups({seated for *_, seated in rows} - self._lineups.keys())
        counts = Counter(row[0] for row in rows)
        for number, pk, kind, game, rules_version, rated, reserved_for, seated in rows:
            lane = self._lanes[number]
            lineup = self._lineups[seated]
            may_play = lineup.is_in_play or (lineup.is_repeatable and number in self._repeated)
            head = Head(pk, kind, game, rules_version, bool(rated), reserved_for, lineup, may_play)
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
            self._versions.update({each.pk: each for each in _VERSIONS(sorted(unread))})
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


def waiting_lanes(line: str) -> list[int]:
    """Return the lanes of a line in which matches wait to be sent, without held ones."""
    queries, values = _line(line)
    with connection.cursor() as cursor:
        cursor.execute(queries.lanes, [*values, *values])
        lanes = [lane for (lane,) in cursor.fetchall()]
    if line == NEWCOMERS:
        return lanes
    held = set(_HELD_LANES())
    return [lane for lane in lanes if lane not in held]


def _read_rows(line: str, after: Mapping[int, int], *, page: int) -> list[_Row]:
    """Return the next waiting matches of lanes, in each lane after the id given for it."""
    queries, values = _line(line)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            lanes = [list(after), list(after.values())]
            cursor.execute(queries.lateral, [*lanes, *values, page])
        else:
            places = ", ".join(["(%s, %s)"] * len(after))
            pairs = [number for pair in after.items() for number in pair]
            cursor.execute(queries.correlated.format(values=places), [*pairs, *values, page])
        rows: list[_Row] = cursor.fetchall()
    return rows


def _line(line: str) -> tuple[_Line, list[str]]:
    """Return the queries of a line, and the values for its condition."""
    if line == NEWCOMERS:
        return _OF_NEWCOMERS, [MatchState.PENDING]
    return _OF_KIND, [MatchState.PENDING, line]
