"""The home page, the search, and what stands in the head of every page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from pentathlon.accounts.models import User
from pentathlon.core.caching import FOR_ALL, answer_if_changed
from pentathlon.core.clock import database_now
from pentathlon.core.wheel import engines_wheel, wheels
from pentathlon.insight.rivalry.opponents import upset_of_the_day
from pentathlon.insight.search.lookup import FoundName, Kind, find_match, find_names
from pentathlon.ladders.tables import ladder_lines
from pentathlon.matches.models import Match
from pentathlon.ratings.models import live_key
from pentathlon.ratings.rankings.services import latest_table
from pentathlon.web.drawing.boards import match_cards, small_picture
from pentathlon.web.replay.on_air import on_air
from pentathlon.web.requests import local_address, person, query_number, query_text
from pentathlon.web.tables import RatingTable, latest_tournaments, ranking_rows, rating_table
from pentathlon_engines import GAMES, GameInfo
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__

PROMISE = (
    "Programs of many authors play five strategy board games here, day and night. Watch them, "
    "play against them, or send your own."
)
_CARDS = 3
_RESULTS = 6
_BEST = 5
_TOURNAMENTS = 4
_SHOWN = 8
"""How many names of each kind are shown if all kinds are."""
_A_YEAR_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardHead:
    """A game with its board, and the head of its leaderboard."""

    info: GameInfo
    picture: SafeString
    table: RatingTable


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the games, their leaders, the latest matches and tournaments."""
    reader, now = person(request), database_now()
    upset = upset_of_the_day(now)
    ranking = ranking_rows(latest_table(), reader=reader, size=_BEST)
    context = {
        "description": PROMISE,
        "upset": upset,
        "upset_card": match_cards([upset.match])[0] if upset else None,
        "upset_is_today": upset is not None and upset.on == now.date(),
        "ranking": ranking,
        "boards": (boards := _leaderboards(reader)),
        "tables": [] if ranking else [board for board in boards if board.table.rows][:1],
        **(on := on_air("")),
        **_matches(on["live"].pk if "live" in on else None),
        "small": True,
        "ladders": [line for line in ladder_lines() if line.ladder.takes_all],
        "tournaments": latest_tournaments(limit=_TOURNAMENTS),
    }
    return render(request, "web/home.html", context)


@require_safe
def on_now(request: HttpRequest) -> HttpResponse:
    """Show running matches, and who won the latest ones."""
    return render(request, "web/parts/on_now.html", _matches(query_number(request, "besides")))


@require_safe
def tournaments_now(request: HttpRequest) -> HttpResponse:
    """Show the progress of the latest tournaments."""
    context = {"tournaments": latest_tournaments(limit=_TOURNAMENTS)}
    return render(request, "web/parts/home_tournaments.html", context)


def _leaderboards(reader: User | None) -> list[LeaderboardHead]:
    """Return all games with the heads of their leaderboards."""
    return [
        LeaderboardHead(
            info=game.info,
            picture=small_picture(key),
            table=rating_table(live_key(key), reader=reader, size=_BEST),
        )
        for key, game in GAMES.items()
    ]


def _matches(besides: int | None) -> dict[str, object]:
    """Return running matches besides the one on TV, and the latest results."""
    public = Match.objects.public().with_seats()
    # The longest-running first: a match that begins now may be over before anybody looks.
    live = public.live().exclude(pk=besides or 0).order_by("started_at", "pk")[:_CARDS]
    latest = list(public.recent()[:_RESULTS])
    return {"cards": match_cards(live), "latest": latest, "besides": besides}


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Find what the query `q` names; `kind` shows only one kind, but more of it."""
    query, reader = query_text(request, "q"), person(request)
    only = query_text(request, "kind")
    kinds = [Kind(only)] if only in Kind else list(Kind)
    found = (
        find_names(query, reader=reader, kinds=kinds)
        if len(kinds) == 1
        else find_names(query, reader=reader, most=_SHOWN)
    )
    games = [] if only in Kind or not query else _games(query)
    match = None if only in Kind else find_match(query, reader=reader)
    context = {
        "query": query,
        "only": only if only in Kind else "",
        "groups": _groups(found),
        "match": match,
        "games": games,
        "shown": _SHOWN,
    }
    return render(request, "web/search.html", context)


def _groups(found: Sequence[FoundName]) -> list[tuple[Kind, list[tuple[FoundName, str]]]]:
    """Return the findings by kind, with addresses; the kind with the best name comes first."""
    kinds = dict.fromkeys(each.kind for each in found)
    return [
        (kind, [(each, _address(each)) for each in found if each.kind is kind]) for kind in kinds
    ]


def _games(query: str) -> list[GameInfo]:
    """Return the games whose title, or a word of it, begins with the query."""
    wanted = query.casefold()
    titles = {key: game.info.title.casefold() for key, game in GAMES.items()}
    return [
        GAMES[key].info
        for key, title in titles.items()
        if title.startswith(wanted) or any(word.startswith(wanted) for word in title.split())
    ]


def _address(found: FoundName) -> str:
    if found.kind is Kind.PERSON:
        return reverse("profile", args=[found.name])
    return reverse(found.kind.value, args=[found.id])


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Set the theme in a cookie, or delete it so that the device decides."""
    response = redirect(local_address(request))
    wanted = request.POST.get("theme")
    if wanted in {"light", "dark"}:
        response.set_cookie("theme", wanted, max_age=_A_YEAR_S, samesite="Lax")
    else:
        response.delete_cookie("theme")
    return response


@require_safe
def kit(request: HttpRequest) -> HttpResponse:
    """Show how to install the kit, and what its commands do."""
    context = {
        "section": "docs",
        "wheel": engines_wheel(),
        "version": __version__,
        "protocol": PROTOCOL,
    }
    return render(request, "web/kit.html", context)


@require_safe
def wheel(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a wheel of the code that this site runs."""
    found = wheels().get(name)
    if found is None:
        raise Http404(f"There is no {name}; this site has {' and '.join(wheels())}.")

    def send() -> HttpResponse:
        return HttpResponse(
            found.data,
            content_type="application/octet-stream",
            headers={"Content-Disposition": f'attachment; filename="{found.name}"'},
        )

    # After an update, the same name may have other content: an old copy would not fit its hash.
    return answer_if_changed(request, tag=f'"{found.sha256}"', make=send, keep=FOR_ALL)
