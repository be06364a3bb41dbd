"""Leaderboards: one per game, and one for each further setting that was played."""

from math import ceil
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from pentathlon.ladders.models import Ladder
from pentathlon.ratings.models import Pool, Rating, live_key
from pentathlon.ratings.rankings.services import latest_table
from pentathlon.ratings.scopes import digest_in_key
from pentathlon.ratings.tables import Narrowing, leaderboard_file
from pentathlon.web.drawing.boards import game_tiles
from pentathlon.web.requests import person, query_number, query_text
from pentathlon.web.responses import changes_since
from pentathlon.web.tables import PAGE_SIZE, ranking_row_of, ranking_rows, rating_table
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.manifest import COMMAND

_NARROWING = ("author", "language", "references")


@require_safe
def leaderboards(request: HttpRequest) -> HttpResponse:
    """Go to the first leaderboard with results; the others are its tabs."""
    pools = Pool.objects.live().filter(applied_seq__gt=0).values_list("game", flat=True)
    game = next((game for game in pools if game in GAMES), next(iter(GAMES)))
    return redirect("leaderboard", game=game)


@require_safe
def leaderboard(request: HttpRequest, game: str) -> HttpResponse:
    """Show the leaderboard of a game, with the uncertainty of its ratings."""
    pool, shows_all = _pool(request, game), _shows_all(request)
    boards = list(Pool.objects.live().filter(game=game))
    narrowing = _narrowing(request)
    context = {
        "section": "ratings",
        "info": GAMES[game].info,
        "description": f"The best bots of {GAMES[game].info.title}, and how sure that is.",
        "tiles": game_tiles(),
        "ladder": Ladder.objects.filter(game=game, takes_all=True, seasons__gt=0).first(),
        "results": pool.applied_seq if pool else 0,
        "pool": pool,
        "scope": query_text(request, "scope"),
        "boards": boards if len(boards) > 1 else [],
        "shows_all": shows_all,
        "narrowing": narrowing,
        "languages": [*sorted(LANGUAGES), COMMAND],
        "query": _query(request),
        "other_versions": _query(request, versions="" if shows_all else "all"),
        "table": rating_table(
            _key(request, game),
            reader=person(request),
            page=request.GET.get("page", 1),
            has_all_versions=shows_all,
            query=_query(request),
            narrowing=narrowing,
            with_trends=True,
        ),
    }
    return render(request, "web/leaderboard.html", context)


@require_safe
def leaderboard_changes(request: HttpRequest, game: str) -> HttpResponse:
    """Show how many results are missing from the table on an open page."""
    pool = _pool(request, game)
    return changes_since(request, pool.applied_seq if pool else 0)


@require_safe
def leaderboard_csv(request: HttpRequest, game: str) -> StreamingHttpResponse:
    """Send the whole table as CSV."""
    _pool(request, game)
    table = Rating.objects.table(_key(request, game))
    return leaderboard_file(game, table if _shows_all(request) else table.active())


def _query(request: HttpRequest, **changes: str) -> str:
    """Return the query of a link to the same leaderboard, with changes."""
    asked = {name: query_text(request, name) for name in ("scope", "versions", *_NARROWING)}
    kept = {name: value for name, value in {**asked, **changes}.items() if value}
    return f"?{urlencode(kept)}" if kept else ""


def _narrowing(request: HttpRequest) -> Narrowing:
    return Narrowing(
        author=query_text(request, "author"),
        language=query_text(request, "language"),
        with_references=request.GET.get("references") != "no",
    )


def _shows_all(request: HttpRequest) -> bool:
    """Return whether the reader wants to see old versions, too."""
    return request.GET.get("versions") == "all"


def _key(request: HttpRequest, game: str) -> str:
    """Return the key of the requested pool."""
    return live_key(game, digest_in_key(game, query_text(request, "scope")))


def _pool(request: HttpRequest, game: str) -> Pool | None:
    """Return the requested pool; a standard one may still have to be made."""
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    pool = Pool.objects.filter(key=_key(request, game)).first()
    if pool is None and query_text(request, "scope"):
        raise Http404("There is no leaderboard of this setting.")
    return pool


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
