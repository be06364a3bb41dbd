"""Tables of seasons as CSV."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from pentathlon.core.caching import answer_packed, tag_of
from pentathlon.core.csv_files import csv_text
from pentathlon.ladders.models import Division, Season
from pentathlon.ladders.tables import ladder_table
from pentathlon.tournaments.results.files import (
    STANDING_COLUMNS,
    named,
    standing_columns,
    state_of_tables,
)


def answer_division(request: HttpRequest, season: Season, division: Division) -> HttpResponseBase:
    """Answer with the table of a division; the season comes with its ladder."""
    found = division.tournament
    answer = answer_packed(
        request,
        # Read before the rows: if they change meanwhile, the reader asks again.
        tag=tag_of("division.csv", *state_of_tables(found)),
        content_type="text/csv; charset=utf-8",
        make=lambda: csv_text(
            ("rank", "reference", *STANDING_COLUMNS),
            (
                (row.rank, int(row.is_reference), *standing_columns(row.standing))
                for row in ladder_table(division)
            ),
        ).encode(),
    )
    name = f"{season.ladder.key}-season-{season.number}-division-{division.level}"
    return named(answer, name)
