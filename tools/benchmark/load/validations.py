"""The matches by which versions were validated, made without playing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon_engines import GAMES
from tools.benchmark.load.tables import Table, moment, next_id

_SEATS: Final = 2
_PLIES: Final = 20


def add_validations(game: str, versions: Sequence[int]) -> None:
    """Add the match of each version against itself."""
    first, ended = next_id(Match), moment(datetime.now(tz=UTC) - timedelta(days=1))
    what = ("kind", "game", "rules_version", "seed", "validated_version")
    how = ("state", "finished_at", "ply", "outcome_reason")
    rules, end = GAMES[game].info.version, (MatchState.DONE.value, ended, _PLIES, "line")
    Table(Match, "id", *what, *how).fill(
        (pk, MatchKind.VALIDATION.value, game, rules, pk, version, *end)
        for pk, version in enumerate(versions, first)
    )
    Table(MatchSeat, "match", "seat", "version", "rank").fill(
        (pk, seat, version, seat)
        for pk, version in enumerate(versions, first)
        for seat in range(_SEATS)
    )
