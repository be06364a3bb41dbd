"""Streams for pages: changes of matches and tournaments as they happen."""

import re

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
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
from pentathlon.web.requests import get_tournament, person, signed_in_user

_NUMBER = re.compile(r"[0-9]{1,15}")
_MOST_MATCHES = 6
"""The most matches of one stream; a page shows no more boards."""


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
