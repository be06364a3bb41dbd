"""Streams for pages: changes of matches and tournaments as they happen."""

import re
from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from pentathlon.friendlies.models import Friendly
from pentathlon.live.snapshots import (
    PageNow,
    View,
    follow_matches,
    follow_page,
    friendly_now,
    matches_now,
    tournament_now,
    who_asks,
)
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool, Rating
from pentathlon.web.drawing.boards import match_title
from pentathlon.web.requests import get_tournament, person, signed_in_user, wants_part
from pentathlon_engines import GAMES

_NUMBER = re.compile(r"[0-9]{1,15}")
_MOST_MATCHES = 6
"""The most matches of one stream; a page shows no more boards."""
_MOST_LOOKED_AT: Final = 200
"""How many running matches are considered: the oldest, which have something to show already."""


@require_safe
def tv(request: HttpRequest) -> HttpResponse:
    """Show the best running match of one game or of all."""
    game = request.GET.get("game", "")
    match = best_running(game if game in GAMES else None)
    context = {
        "section": "games",
        "games": [each.info for each in GAMES.values()],
        "info": GAMES[game].info if game in GAMES else None,
        "match": match,
        "title": match_title(match) if match else "",
        "playing": GAMES[match.game].info if match else None,
    }
    part = "web/parts/tv.html" if wants_part(request) else "web/tv.html"
    return render(request, part, context)


@require_safe
def match_stream(request: HttpRequest, match_id: int) -> HttpResponse:
    """Follow a match to its end, ply by ply."""
    reader = person(request)
    found = get_object_or_404(Match.objects.visible_to(reader).with_privacy(), pk=match_id)
    return follow_matches(
        matches_now([found.pk]),
        who=who_asks(request, reader),
        view=View.SVG,
        seen=_last_seen(request),
        private=[found.pk] if found.is_private else (),
    )


@require_safe
def matches_stream(request: HttpRequest) -> HttpResponse:
    """Follow a few public matches over one connection; `match` names them, once each."""
    texts = request.GET.getlist("match")[:_MOST_MATCHES]
    wanted = {int(text) for text in texts if _NUMBER.fullmatch(text)}
    return follow_matches(
        matches_now(wanted), who=who_asks(request, person(request)), view=View.SVG
    )


@require_safe
def tournament_stream(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Stream hints that a tournament shows something new, since the mark in `since`."""
    tournament = get_tournament(request, tournament_id)
    return _follow_page(request, tournament_now(tournament.pk))


@login_required
@require_safe
def friendly_stream(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """Stream hints that the user's own game has changed, since the mark in `since`."""
    own = Friendly.objects.of_person(signed_in_user(request))
    found = get_object_or_404(own.only("pk"), pk=friendly_id)
    return _follow_page(request, friendly_now(found.pk))


def _follow_page(request: HttpRequest, found: PageNow) -> HttpResponse:
    return follow_page(
        found,
        who=who_asks(request, person(request)),
        seen=_last_seen(request) or request.GET.get("since", "")[:32],
    )


def _last_seen(request: HttpRequest) -> str:
    return request.headers.get("Last-Event-ID", "")[:32]


def best_running(game: str | None) -> Match | None:
    """Return the running match, of one game or of any, whose bots have the highest mean rating.

    Only matches that everybody may watch count; a bot without a rating has 0, where ratings begin.
    """
    running = Match.objects.public().live().watchable()
    if game is not None:
        running = running.of_game(game)
    matches = list(running.with_seats().order_by("started_at", "pk")[:_MOST_LOOKED_AT])
    versions = {seat.version_id for match in matches for seat in match.seats.all()}
    rated = Rating.objects.filter(pool__in=Pool.objects.live(), version__in=versions)
    scores: dict[int, float] = dict(rated.values_list("version", "score"))

    def strength(match: Match) -> float:
        seats = match.seats.all()
        return sum(scores.get(seat.version_id, 0.0) for seat in seats) / len(seats)

    return max(matches, key=strength, default=None)
