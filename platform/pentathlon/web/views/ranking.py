"""The Pentathlon ranking: authors over all games."""

from math import ceil

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.ratings.rankings.services import latest_table
from pentathlon.web.drawing.boards import game_tiles
from pentathlon.web.requests import person, query_number
from pentathlon.web.tables import PAGE_SIZE, ranking_row_of, ranking_rows


@require_safe
def ranking(request: HttpRequest) -> HttpResponse:
    """Show the authors over all games; a ranked reader finds their own line first."""
    table, reader = latest_table(), person(request)
    pages = max(1, ceil(table.authors / PAGE_SIZE)) if table else 1
    page = max(1, min(query_number(request, "page") or 1, pages))
    rows = ranking_rows(table, reader=reader, after=(page - 1) * PAGE_SIZE, size=PAGE_SIZE)
    context = {
        "section": "ranking",
        "tiles": game_tiles(),
        "table": table,
        "rows": rows,
        "own_rows": []
        if any(row.own for row in rows)
        else ranking_row_of(reader, table, reader=reader),
        "newer": page - 1 if page > 1 else None,
        "older": page + 1 if page < pages else None,
    }
    return render(request, "web/ranking.html", context)
