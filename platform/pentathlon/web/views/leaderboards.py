"""Leaderboards, one per game and further setting that was played; ladders; tables as files."""

from math import ceil
from urllib.parse import urlencode

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.insight.stories import highlights
from pentathlon.ladders.membership import join_ladder, leave_ladder, pause_ladder
from pentathlon.ladders.models import Division, Ladder, Season
from pentathlon.ladders.tables import (
    LadderLine,
    answer_division,
    ladder_lines,
    ladder_table,
    seasons_of,
)
from pentathlon.live.snapshots import tournament_now
from pentathlon.ratings.models import Pool, Rating, live_key
from pentathlon.ratings.rankings.services import latest_table
from pentathlon.ratings.scopes import digest_in_key
from pentathlon.ratings.tables import Narrowing, leaderboard_file
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.files import answer_results, answer_standings
from pentathlon.tournaments.results.final_table import podiums
from pentathlon.tournaments.results.hidden_results import are_hidden
from pentathlon.web.drawing.boards import game_tiles
from pentathlon.web.requests import (
    changes_since,
    get_tournament,
    person,
    query_number,
    query_text,
    say,
    signed_in_post,
    signed_in_user,
)
from pentathlon.web.tables import PAGE_SIZE, ranking_row_of, ranking_rows, rating_table
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.manifest import COMMAND

_NARROWING = ("author", "language", "references")
_CHOICES = {
    "join": (join_ladder, "plays in"),
    "pause": (pause_ladder, "pauses in"),
    "leave": (leave_ladder, "has left"),
}
_SEASONS_SHOWN = 50


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
        "section": "standings",
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
        "figures": query_text(request, "figures") == "all",
        "other_figures": _query(request, figures="" if "figures" in request.GET else "all")
        or request.path,
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
    asked = {
        name: query_text(request, name) for name in ("scope", "versions", "figures", *_NARROWING)
    }
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
        "section": "standings",
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


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """List the ladders with their running seasons."""
    context = {"section": "standings", "tiles": game_tiles(), "lines": ladder_lines()}
    return render(request, "web/ladders.html", context)


@require_safe
def ladder(request: HttpRequest, key: str) -> HttpResponse:
    """Show the running season of a ladder, division by division."""
    found = get_object_or_404(Ladder, key=key)
    seasons = seasons_of(found)[:_SEASONS_SHOWN]
    if not seasons:
        raise Http404(f"{found.title} has no season yet.")
    return _season(request, found, seasons[0], earlier=seasons[1:])


@require_safe
def season(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show a season: its final tables once it is closed."""
    found = get_object_or_404(
        Season.objects.select_related("ladder"), ladder__key=key, number=number
    )
    line = next(each for each in seasons_of(found.ladder) if each.season.pk == found.pk)
    return _season(request, found.ladder, line, earlier=[])


@signed_in_post
def choice(request: HttpRequest, bot_id: int, key: str) -> HttpResponse:
    """Make a bot join, pause in or leave a ladder."""
    actor = signed_in_user(request)
    bot = get_object_or_404(Bot.objects.owned_by(actor).select_related("owner"), pk=bot_id)
    found = get_object_or_404(Ladder, key=key)
    if request.POST.get("choice") not in _CHOICES:
        raise Http404("You can join, pause or leave.")
    choose, words = _CHOICES[request.POST["choice"]]
    choose(actor=actor, ladder=found, bot=bot)
    return say(request, f"{bot.name} {words} {found.title}.", "bot", bot.pk)


def _season(
    request: HttpRequest, found: Ladder, line: LadderLine, *, earlier: list[LadderLine]
) -> HttpResponse:
    wanted = query_number(request, "division") or 1
    division = _division(line, wanted)
    # The mark is read before everything that it stands for.
    mark = tournament_now(division.tournament_id).mark
    reader = person(request)
    podium = podiums([division.tournament_id]).get(division.tournament_id)
    context = {
        "section": "standings",
        "ladder": found,
        "info": GAMES[found.game].info,
        "line": line,
        "season": line.season,
        "division": division,
        "mark": mark,
        "podium": podium,
        "highlights": highlights(division.tournament) if podium else [],
        "rows": ladder_table(division),
        "earlier": earlier,
        "reader_id": reader.pk if reader else None,
    }
    return render(request, "web/ladder.html", context)


def _division(line: LadderLine, level: int) -> Division:
    found = (division for division in line.divisions if division.level == level)
    division = next(found, None)
    if division is None:
        raise Http404(f"This season has no division {level}.")
    return division


@require_safe
def standings_csv(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Send the table, best first, with a column for each of its tie-breaks."""
    tournament = get_tournament(request, tournament_id)
    if are_hidden(tournament, person(request)):
        return _refuse(tournament)
    return answer_standings(request, tournament)


@require_safe
def tournament_csv(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Send results: a line for each seat of each match of a part, in schedule order."""
    tournament = get_tournament(request, tournament_id)
    if are_hidden(tournament, person(request)):
        return _refuse(tournament)
    try:
        return answer_results(request, tournament, part=query_number(request, "part"))
    except NotFound as error:
        raise Http404(error.detail) from error
    except InvalidInput as error:
        sentence = f"{error.detail}\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")


@require_safe
def season_csv(request: HttpRequest, key: str, number: int) -> HttpResponseBase:
    """Send the table of a division of a ladder's season, best first."""
    found = get_object_or_404(
        Division.objects.select_related("season__ladder", "tournament"),
        season__ladder__key=key,
        season__number=number,
        level=query_number(request, "division") or 1,
    )
    return answer_division(request, found.season, found)


def _refuse(tournament: Tournament) -> HttpResponse:
    """Return the refusal for readers who may not see the results of a tournament yet."""
    sentence = f"The results of {tournament.name} are hidden until its organiser releases them.\n"
    return HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=409)
