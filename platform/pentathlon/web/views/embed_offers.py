"""How other sites show an address of this one, by the oEmbed convention."""

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.matches.replays.services import read_record
from pentathlon.tournaments.models import Tournament
from pentathlon.web.drawing.boards import match_title
from pentathlon.web.drawing.pictures import HEIGHT, WIDTH
from pentathlon.web.replay.embedding import EmbedFrame, frame_of_leaderboard, frame_of_match
from pentathlon.web.replay.viewer import draw_board
from pentathlon.web.requests import query_number
from pentathlon.web.views.embeds import KEEPS_S, public_match
from pentathlon_engines import GAMES

Offer = dict[str, Any]  # Any: JSON

_LONGEST: Final = 500
_MOST_DIGITS: Final = 6
_MOMENT: Final = ("ply", "seat")
"""Parameters of an address that say which moment of a match is meant."""
_SIZE: Final = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


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
        "title": f"{GAMES[found.game].info.title}: {match_title(found)}",
        "url": _absolute(request, f"{path}?{urlencode(moment)}" if moment else path),
        "width": width,
        "height": height,
    }


def _leaderboard(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    return _rich(request, frame_of_leaderboard(request, GAMES[kwargs["game"]].info))


def _tournament(request: HttpRequest, kwargs: Mapping[str, Any], moment: dict[str, str]) -> Offer:
    found = get_object_or_404(Tournament.objects.visible_to(None), pk=kwargs["tournament_id"])
    return _link(request, found.name, reverse("tournament_picture", args=[found.pk]))


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


def _absolute(request: HttpRequest, path: str) -> str:
    return f"{request.scheme}://{request.get_host()}{path}"
