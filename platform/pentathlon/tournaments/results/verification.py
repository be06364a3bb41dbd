"""Compares stored final tables with what the results say.

Floats are compared bit by bit if the tournament's ratings were computed with the arithmetic of
this process, otherwise to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pentathlon.ratings.models import tournament_key
from pentathlon.ratings.verification import Difference, facts_are_equal, is_exact
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.results.final_table import final_rows

_FACTS: Final = (
    *("place", "group", "mu", "sigma", "rank_low", "rank_high"),
    *("fold_mu", "fold_sigma", "chance_of_best"),
)


def verify_final_table(*, tournament_id: int) -> list[Difference]:
    """Compute the final table of a closed tournament again; return how the stored one differs.

    It locks nothing, and skips a tournament whose results change meanwhile.
    """
    before = _closed(tournament_id)
    if before is None:
        return []
    stored = _table(FinalRow.objects.filter(entry__tournament=before))
    found = list(_differences(before, stored, _table(final_rows(before))))
    after = _closed(tournament_id)
    if after is None or after.results_version != before.results_version:
        return []
    return found


def _closed(tournament_id: int) -> Tournament | None:
    closed = Tournament.objects.filter(state=TournamentState.CLOSED).select_related("pool")
    return closed.filter(pk=tournament_id).first()


def _table(rows: Iterable[FinalRow]) -> dict[int, tuple[object, ...]]:
    return {row.entry_id: tuple(getattr(row, fact) for fact in _FACTS) for row in rows}


def _differences(
    tournament: Tournament,
    stored: Mapping[int, tuple[object, ...]],
    computed: Mapping[int, tuple[object, ...]],
) -> Iterator[Difference]:
    for entry_id in sorted(stored.keys() | computed.keys()):
        kept, made = stored.get(entry_id), computed.get(entry_id)
        if not facts_are_equal(kept, made, exactly=is_exact_table(tournament)):
            place = f"final table, entry {entry_id}"
            yield Difference(pool=_key(tournament), place=place, stored=kept, computed=made)


def is_exact_table(tournament: Tournament) -> bool:
    """Return whether a final table was computed with the arithmetic of this process."""
    return tournament.pool is not None and is_exact(tournament.pool)


def _key(tournament: Tournament) -> str:
    return tournament.pool.key if tournament.pool else tournament_key(tournament.pk)
