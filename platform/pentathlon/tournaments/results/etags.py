"""The values from which answers about a tournament follow, for their ETags."""

from __future__ import annotations

from django.db.models import Count, Max, Q, Sum

from pentathlon.accounts.models import names_version
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool
from pentathlon.tournaments.batches import BlockState
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentMatchQuerySet

_POOL = ("pk", "algorithm_version", "ledger_version", "applied_seq", "recomputes", "done", "void")


def state_of_tables(tournament: Tournament) -> tuple[object, ...]:
    """Return values that change whenever standings, crosstable or seats do; cheap at any size."""
    rows = tournament.entries.order_by("pk").annotate(replaced=Count("replacements"))
    entries = rows.values_list("pk", "version", "state", "number", "replaced")
    final = FinalRow.objects.filter(entry__tournament=tournament).order_by("pk")
    return (
        *(tournament.pk, tournament.created_at, tournament.state, names_version()),
        tournament.scheduled,  # a new round may have byes
        tournament.blocks.filter(state=BlockState.PARTIAL).count(),  # and these have forfeits
        list(Pool.objects.filter(tournament=tournament).values_list(*_POOL)),
        list(entries),
        list(final.values_list("pk", "place", "group", "mu", "sigma", "fold_mu", "fold_sigma")),
    )


def state_of_matches(
    tournament: Tournament, places: TournamentMatchQuerySet
) -> tuple[object, ...]:
    """Return values that change with every state of a match and every seed that is revealed."""
    matches = Match.objects.filter(place__in=places.order_by()).order_by("state", "is_revoked")
    states = matches.values_list("state", "is_revoked").annotate(Count("pk"), Max("finished_at"))
    # Reads the present row of the tournament, since the caller's may be older. A replacement
    # changes the bots of waiting matches, but not their states.
    rows = Tournament.objects.filter(pk=tournament.pk).annotate(
        replaced=Count("replacements"),
        settled=Count("replacements", filter=Q(replacements__is_settled=True)),
        checked=Sum("replacements__checked_block"),
    )
    row = rows.values_list("state", "revealed_at", "replaced", "settled", "checked")
    return (tournament.pk, tournament.created_at, names_version(), *row, list(states))
