"""Pages for frames on other sites: a replay, a leaderboard.

They show what everybody may see. They read and set no cookie and have no form, so the embedding
site can neither act for a reader nor learn who reads.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, Final, ParamSpec
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils.html import escape
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.insight.stories import story_of
from pentathlon.matches.latest import tell_match
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.moments import score_line
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import live_key
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.hidden_results import public_result
from pentathlon.web.drawing.boards import match_title
from pentathlon.web.replay.viewer import answer_board, answer_moment, draw_board, make_viewer
from pentathlon.web.requests import query_number
from pentathlon.web.tables import rating_table
from pentathlon.web.views.pictures import HEIGHT, WIDTH
from pentathlon_engines import GAMES, GameInfo
from pentathlon_engines.contract.registry import unknown_game

_WIDTH: Final = 480
_HEIGHT: Final = 760
_SMALLEST: Final = 240
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
Offer = dict[str, Any]  # Any: JSON
_LONGEST: Final = 500
_MOST_DIGITS: Final = 6
_MOMENT: Final = ("ply", "seat")
"""Parameters of an address that say which moment of a match is meant."""
_SIZE: Final = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedFrame:
    """A page of this site within a page of another."""

    address: str
    title: str
    """What the frame shows, for people who cannot see it."""

    def html(self, *, width: int = _WIDTH, height: int = _HEIGHT) -> str:
        """Return the element to paste into a page."""
        # Plain text, because pages show it to be copied, so it must not become markup of the page.
        return (
            f'<iframe src="{escape(self.address)}" width="{width}" height="{height}" '
            f'title="{escape(self.title)}" loading="lazy"></iframe>'
        )

    def size_within(self, widest: int | None, highest: int | None) -> tuple[int, int]:
        """Return a width and height that fit into a given room."""
        return _within(_WIDTH, widest), _within(_HEIGHT, highest)


def frame_of_match(
    request: HttpRequest, match: Match, *, moment: Mapping[str, str] | None = None
) -> EmbedFrame:
    """Return the frame with the replay of a match at a moment; load it with seats."""
    path = reverse("embed_match", args=[match.pk])
    return EmbedFrame(
        address=_absolute(request, f"{path}?{urlencode(moment)}" if moment else path),
        title=_title_at(match, moment or {}),
    )


def _title_at(match: Match, moment: Mapping[str, str]) -> str:
    """Return the title of a match, which tells who won only at its end."""
    is_end = int(moment.get("ply") or 0) >= match.ply
    said = tell_match(match).removesuffix(".") if is_end else match_title(match)
    return f"{GAMES[match.game].info.title}: {said}"


def frame_of_leaderboard(request: HttpRequest, info: GameInfo) -> EmbedFrame:
    """Return the frame with the head of a leaderboard."""
    return EmbedFrame(
        address=_absolute(request, reverse("embed_leaderboard", args=[info.key])),
        title=f"Leaderboard of {info.title}",
    )


def _absolute(request: HttpRequest, path: str) -> str:
    return f"{request.scheme}://{request.get_host()}{path}"


def _within(wanted: int, most: int | None) -> int:
    return wanted if most is None else max(_SMALLEST, min(wanted, most))


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
    record = read_record(found.replay)
    viewer = make_viewer(
        found.seats.all(),
        record=record,
        ply=query_number(request, "ply"),
        seat=query_number(request, "seat"),
    )
    context = {
        "match": found,
        "title": match_title(found),
        "story": story_of(found, line=score_line(record)),
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


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """Return how to embed the page with the address `url`."""
    if request.GET.get("format", "json") != "json":
        return _refuse("Only format=json is answered.", HTTPStatus.NOT_IMPLEMENTED)
    try:
        place, moment = _place(request)
        offer = _OFFERS[place.url_name or ""](request, place.kwargs, moment)
    except (Http404, KeyError, Resolver404, ValueError):
        return _refuse(
            f"Name a page of this site as url: {', '.join(_OFFERS)}; of matches only finished "
            "ones that everybody may see.",
            HTTPStatus.NOT_FOUND,
        )
    provider = {"provider_name": "Pentathlon", "provider_url": _absolute(request, reverse("home"))}
    return JsonResponse(
        {"version": "1.0", **offer, **provider, "cache_age": KEEPS_S},
        headers={"Cache-Control": f"public, max-age={KEEPS_S}"},
    )


def _place(request: HttpRequest) -> tuple[ResolverMatch, dict[str, str]]:
    """Return the view of the address, with or without its last slash, and the moment it names."""
    address = urlsplit(request.GET.get("url", "")[:_LONGEST])
    if address.scheme not in {"http", "https"} or address.netloc != request.get_host():
        raise Http404("This is not an address of this site.")
    query = QueryDict(address.query)
    given = {name: query.get(name, "") for name in _MOMENT}
    moment = {
        name: text
        for name, text in given.items()
        if text.isdecimal() and len(text) <= _MOST_DIGITS
    }
    try:
        return resolve(address.path), moment
    except Resolver404:
        return resolve(f"{address.path}/"), moment


def _match(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    frame = frame_of_match(request, public_match(kwargs["match_id"]), moment=moment)
    return _rich(request, frame)


def _board(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    found = public_match(kwargs["match_id"])
    path = reverse("embed_board", args=[found.pk])
    drawn = draw_board(read_record(found.replay), ply=None, seat=None)
    width, height = map(round, map(float, _SIZE.findall(drawn)[0]))
    return {
        "type": "photo",
        "title": _title_at(found, moment),
        "url": _absolute(request, f"{path}?{urlencode(moment)}" if moment else path),
        "width": width,
        "height": height,
    }


def _leaderboard(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    return _rich(request, frame_of_leaderboard(request, GAMES[kwargs["game"]].info))


def _tournament(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    found = get_object_or_404(Tournament.objects.visible_to(None), pk=kwargs["tournament_id"])
    title = ": ".join([found.name, *public_result(found).values()])
    return _link(request, title, reverse("tournament_picture", args=[found.pk]))


def _bot(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    found = get_object_or_404(Bot, pk=kwargs["bot_id"])
    return _link(request, found.name, reverse("bot_picture", args=[found.pk]))


def _game(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    info = GAMES[kwargs["game"]].info
    return _link(request, info.title, reverse("game_picture", args=[info.key]))


_OFFERS: Final[Mapping[str, Callable[[HttpRequest, Mapping[str, Any], dict[str, str]], Offer]]] = {
    "match": _match,
    "board": _board,
    "leaderboard": _leaderboard,
    "tournament": _tournament,
    "bot": _bot,
    "game": _game,
}
"""What is offered for each kind of page, by the name of its address."""


def _rich(request: HttpRequest, frame: EmbedFrame) -> Offer:
    width, height = frame.size_within(
        query_number(request, "maxwidth"), query_number(request, "maxheight")
    )
    html = frame.html(width=width, height=height)
    return {"type": "rich", "title": frame.title, "html": html, "width": width, "height": height}


def _link(request: HttpRequest, title: str, picture: str) -> Offer:
    """Offer a title and a picture, for pages that are too large for a frame."""
    return {
        "type": "link",
        "title": title,
        "thumbnail_url": _absolute(request, picture),
        "thumbnail_width": WIDTH,
        "thumbnail_height": HEIGHT,
    }


def _refuse(why: str, status: HTTPStatus) -> JsonResponse:
    return JsonResponse({"error": why}, status=status)
