"""The parts of a replay that its page asks for one by one: a board, a moment, actions."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from pentathlon.core.caching import answer_for_ever
from pentathlon.web.replay.viewer import draw_board, list_actions, tell_moment
from pentathlon.web.requests import query_number
from pentathlon_engines.record.shape import Record


def answer_board(
    request: HttpRequest, *key: object, read: Callable[[], Record], is_private: bool = False
) -> HttpResponseBase:
    """Draw the position after `ply` events, as a spectator or `seat` sees it.

    `key` names the record forever; the record is read only if the client does not have the board.
    """
    ply, seat = query_number(request, "ply"), query_number(request, "seat")
    return answer_for_ever(
        request,
        *(*key, ply, seat),
        is_private=is_private,
        make=lambda: HttpResponse(
            draw_board(read(), ply=ply, seat=seat), content_type="image/svg+xml"
        ),
    )


def answer_moment(request: HttpRequest, record: Record, **extra: object) -> HttpResponse:
    """Show what happened at `ply`, as a spectator or `seat` sees it."""
    ply, seat = query_number(request, "ply"), query_number(request, "seat")
    told = tell_moment(record, ply=ply, seat=seat)
    context = {"moment": told, "game": record["game"], **extra}
    return render(request, "web/parts/replay_moment.html", context)


def answer_actions(request: HttpRequest, record: Record) -> HttpResponse:
    """List the events around `ply`, as a spectator or `seat` sees them."""
    ply, seat = query_number(request, "ply"), query_number(request, "seat")
    context = {"actions": list_actions(record, ply=ply, seat=seat)}
    return render(request, "web/parts/action_rows.html", context)
