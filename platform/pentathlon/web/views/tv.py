"""Channel Pentathlon: the page, the part of it that changes, and reels of positions."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.core.caching import answer_packed, tag_of
from pentathlon.insight.channel.programme import exhibition, record_of
from pentathlon.matches.models import Match, MatchState
from pentathlon.web.replay.on_air import on_air, position_at
from pentathlon.web.requests import query_number, wants_part
from pentathlon_engines import GAMES

REEL: Final = 6
"""How many positions come at once."""
_PLY: Final = re.compile("[0-9]{1,6}")
_NUMBER: Final = re.compile("[0-9]{1,15}")


@require_safe
def tv(request: HttpRequest) -> HttpResponse:
    """Show what is on, of one game or of all; `after` names a live match that has just ended."""
    context = on_air(request.GET.get("game", ""), after=query_number(request, "after"))
    context |= {"section": "tv", "games": [each.info for each in GAMES.values()]}
    context["small"] = "small" in request.GET
    return render(request, "web/parts/tv.html" if wants_part(request) else "web/tv.html", context)


@require_safe
def reel(request: HttpRequest, source: str) -> HttpResponseBase:
    """Send the positions at `plies`, with what happened there: a part of what is on."""
    texts = request.GET.get("plies", "").split("-")[:REEL]
    chain = _chain(source)
    if chain is None or not all(map(_PLY.fullmatch, texts)):
        raise Http404("There is no such part of the programme.")
    plies = sorted(map(int, texts))
    return answer_packed(
        request,
        tag=tag_of("reel", chain, plies),
        content_type="application/json",
        keep="public, max-age=31536000, immutable",
        make=lambda: json.dumps(_frames(source, plies)).encode(),
    )


def _chain(source: str) -> str | None:
    """Return what names a record for ever; None if not everybody may see it."""
    if source in GAMES:
        return exhibition(source)["chain"]
    if not _NUMBER.fullmatch(source):
        return None
    ended = Match.objects.public().filter(pk=int(source), state=MatchState.DONE)
    return ended.values_list("chain", flat=True).first()


def _frames(source: str, plies: Sequence[int]) -> list[dict[str, Any]]:  # Any: JSON
    found = record_of(source)
    if found is None:
        raise Http404("Its replay is gone.")
    _, record = found
    last = len(record["events"])
    return [{"ply": ply, **position_at(record, min(ply, last))} for ply in plies]
