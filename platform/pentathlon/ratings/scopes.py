"""Which results may be compared: those of one game, with one setting.

A rating table has results of one scope: the game, all its options, the number of seats and the
class of limits. A bot that is good at tables of five, or with a hundredth of a second to think, is
not therefore good at tables of two with a second.

The class of limits is decided by the CPU seconds for an action alone. There are three, so that an
organiser who gives 1.2 seconds instead of 1 makes no table of its own: fast below 0.3 s, standard
from 0.3 s to 3 s (the default is 1 s), slow above 3 s. The price: 0.5 s and 3 s share a table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b, sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from django.db.models import Exists, Min, OuterRef, QuerySet

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool
from pentathlon.ratings.skill import Result
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import canonical

FASTEST_STANDARD_S: Final = 0.3
SLOWEST_STANDARD_S: Final = 3.0
_DIGEST_DIGITS: Final = 16
_BYTES: Final = 8
UNRATED_SANDBOX: Final = "process"
"""Matches of bots that ran without a sandbox count in no leaderboard.

They count in the pool of their own tournament: its table has one rule for points and strengths.
"""


class Pace(StrEnum):
    """The classes of limits."""

    FAST = "fast"
    STANDARD = "standard"
    SLOW = "slow"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScope:
    """A game with one setting."""

    game: str
    seats: int
    pace: Pace
    options: Mapping[str, Any]  # Any: the game checks the values
    """All options, with the defaults written out."""

    @property
    def digest(self) -> str:
        """The name of the setting in addresses and keys."""
        told = (self.game, self.seats, self.pace, dict(self.options))
        return sha256(canonical(told)).hexdigest()[:_DIGEST_DIGITS]

    def to_json(self) -> dict[str, Any]:  # Any: the game checks the values
        """Return the setting as answers and rows have it."""
        return {"seats": self.seats, "pace": self.pace, "options": dict(self.options)}

    @property
    def title(self) -> str:
        """The game and what differs from its defaults, for people: "Azure, 4 seats, fast"."""
        usual, info = scope_of(self.game), GAMES[self.game].info
        parts = [info.title]
        if self.seats != usual.seats:
            parts.append(f"{self.seats} seats")
        if self.pace != usual.pace:
            parts.append(self.pace)
        parts += [
            f"{name} {_in_words(value)}"
            for name, value in self.options.items()
            if value != usual.options.get(name)
        ]
        return ", ".join(parts)


def scope_of(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
    seats: int | None = None,
    limits: Mapping[str, Any] | None = None,  # Any: whoever sets them checks them
) -> RatingScope:
    """Return the scope of matches; arguments that are left out have the game's defaults."""
    info = GAMES[game].info
    return RatingScope(
        game=game,
        seats=info.default_seats if seats is None else seats,
        pace=pace_of(Limits.from_json(dict(limits or {}))),
        options=info.check_options(options),
    )


def digest_in_key(game: str, digest: str) -> str:
    """Return the digest as it stands in the key of a leaderboard: empty for the standard one."""
    return "" if digest == scope_of(game).digest else digest


def pace_of(limits: Limits) -> Pace:
    """Return the class of limits."""
    if limits.action_cpu_s < FASTEST_STANDARD_S:
        return Pace.FAST
    return Pace.STANDARD if limits.action_cpu_s <= SLOWEST_STANDARD_S else Pace.SLOW


def _in_words(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return str(value)


def digest_of(result: Result, course: str) -> int:
    """Return a digest that is equal for exact repeats of a match, and hardly ever otherwise."""
    played = f"{course} {result.players}".encode()
    return int.from_bytes(blake2b(played, digest_size=_BYTES).digest(), signed=True)


def digests_of(results: Mapping[int, Result]) -> dict[int, int]:
    """Return by match the digests of results that tell something and have a known course."""
    telling = [match_id for match_id, result in results.items() if result.has_winner]
    courses = Match.objects.filter(pk__in=telling).exclude(course="")
    return {
        match_id: digest_of(results[match_id], course)
        for match_id, course in courses.values_list("pk", "course")
    }


def counted(pool: Pool, digests: Collection[int]) -> set[int]:
    """Return which of these digests a locked pool has counted."""
    rows = pool.rows.filter(course__in=set(digests), reason="", state=LedgerState.APPLIED)
    return {digest for digest in rows.values_list("course", flat=True) if digest is not None}


def revoke_rows(pool: Pool, rows: QuerySet[LedgerRow]) -> set[int]:
    """Revoke rows of a locked pool; if a revoked match was repeated, its first repeat counts now.

    Return the matches that count only because of this.
    """
    counting = rows.filter(reason="", state=LedgerState.APPLIED, course__isnull=False)
    digests = set(counting.values_list("course", flat=True))
    rows.update(state=LedgerState.REVOKED, reason=LedgerReason.REVOKED)
    repeats = pool.rows.filter(
        course__in=digests, reason=LedgerReason.REPEAT, state=LedgerState.APPLIED
    )
    firsts = repeats.order_by().values("course").annotate(first=Min("seq"))
    promoted = pool.rows.filter(seq__in=[row["first"] for row in firsts])
    matches = set(promoted.values_list("match", flat=True))
    promoted.update(reason="")
    return matches


def counting_seats(pool: Pool) -> QuerySet[MatchSeat]:
    """Return the seats of all matches whose results may count in a pool."""
    seats = MatchSeat.objects.filter(match__state=MatchState.DONE, match__is_revoked=False)
    return seats.exclude(match__sandbox=UNRATED_SANDBOX) if pool.is_live else seats


def rows_without_sandbox(pool: Pool) -> QuerySet[LedgerRow]:
    """Return the rows that a pool skipped because the bots ran without a sandbox."""
    return pool.rows.filter(state=LedgerState.SKIPPED, reason=LedgerReason.NO_SANDBOX)


def why_not_counted(match: Match, pool: Pool) -> LedgerReason | None:
    """Return why an ended match does not count in a pool; load its seats before."""
    if match.state != MatchState.DONE:
        return LedgerReason.VOID
    if match.is_revoked:
        return LedgerReason.REVOKED
    if pool.is_live and match.sandbox == UNRATED_SANDBOX:
        return LedgerReason.NO_SANDBOX
    versions = [seat.version_id for seat in match.seats.all()]
    return LedgerReason.SAME_VERSION if len(set(versions)) < len(versions) else None


def among_own() -> Exists:
    """Return the condition of a match in which two bots belong to one author.

    Reference bots, which the platform owns, may meet each other; two seats of one version do not
    count as two bots.
    """
    others = MatchSeat.objects.filter(
        match=OuterRef("match"),
        version__bot__owner=OuterRef("version__bot__owner"),
        seat__gt=OuterRef("seat"),
    ).exclude(version=OuterRef("version"))
    seats = MatchSeat.objects.filter(match=OuterRef("pk"), version__bot__is_reference=False)
    return Exists(seats.filter(Exists(others)))


def read_results(seats: QuerySet[MatchSeat], *, by: str) -> Iterator[tuple[int, Result]]:
    """Yield (id, result) for each value of the column `by`, in its order.

    The seats must be ordered by that column, or by one that groups them in the same way.
    """
    rows = seats.values_list(by, "version_id", "rank")
    for key, part in groupby(rows, key=itemgetter(0)):
        _, players, ranks = zip(*part, strict=True)
        yield key, Result(players, ranks)
