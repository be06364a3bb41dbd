"""Pages for frames on other sites: a replay, a leaderboard.

They show what everybody may see. They read and set no cookie and have no form, so the embedding
site can neither act for a reader nor learn who reads.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import live_key
from pentathlon.web.drawing.boards import match_title
from pentathlon.web.replay.parts import answer_board, answer_moment
from pentathlon.web.replay.viewer import make_viewer
from pentathlon.web.requests import query_number
from pentathlon.web.tables import rating_table
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game

P = ParamSpec("P")
_View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
_BEST = 10
KEEPS_S = 300
_POLICY = "; ".join(
    f"{name} {value}"
    for name, value in {
        **settings.CONTENT_SECURITY_POLICY,
        "form-action": "'none'",
        "frame-ancestors": "*",
    }.items()
)


def _frameable(view: _View[P]) -> _View[P]:
    """Allow other sites to frame an answer, and caches to keep it."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers.setdefault("Cache-Control", f"public, max-age={KEEPS_S}")
        return response

    return xframe_options_exempt(answer)


@require_safe
@_frameable
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show the replay of a finished public match, for a frame."""
    found = public_match(match_id)
    viewer = make_viewer(
        found.seats.all(),
        record=read_record(found.replay),
        ply=query_number(request, "ply"),
        seat=query_number(request, "seat"),
    )
    context = {
        "match": found,
        "title": match_title(found),
        "info": GAMES[found.game].info,
        "viewer": viewer,
        "theme": _theme(request),
    }
    return render(request, "web/embed/match.html", context)


@require_safe
@_frameable
def board(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Draw a position of a public match."""
    found = public_match(match_id)
    return answer_board(request, found.chain, read=lambda: read_record(found.replay))


@require_safe
@_frameable
def moment(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show what happened at a ply of a public match."""
    return answer_moment(request, read_record(public_match(match_id).replay))


@require_safe
@_frameable
def leaderboard(request: HttpRequest, game: str) -> HttpResponse:
    """Show the head of a game's leaderboard, for a frame."""
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    context = {
        "info": GAMES[game].info,
        "table": rating_table(live_key(game), reader=None, size=_BEST),
        "theme": _theme(request),
    }
    return render(request, "web/embed/leaderboard.html", context)


def public_match(match_id: int) -> Match:
    """Return a finished match that everybody may see, with its seats and replay."""
    public = Match.objects.public().filter(state=MatchState.DONE).with_seats()
    return get_object_or_404(public.select_related("replay"), pk=match_id)


def _theme(request: HttpRequest) -> str:
    """Return the theme that the embedding site asks for; empty for that of the device."""
    wanted = request.GET.get("theme", "")
    return wanted if wanted in {"light", "dark"} else ""
