"""Friendlies: taking a seat against bots, the board to play on, and the replay."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.bots.models import Bot, VersionState
from pentathlon.core.errors import DomainError, NotFound
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.origins import look_at, origin_of
from pentathlon.friendlies.review import look_back
from pentathlon.friendlies.services import Origin, act, create_friendly, fork_friendly, resign
from pentathlon.friendlies.stretches import DAYS_TO_THINK, place_in_queue
from pentathlon.live.snapshots import friendly_now
from pentathlon.matches.replays.moments import score_line
from pentathlon.web.drawing.boards import game_tiles, inline_board
from pentathlon.web.forms.plans import OptionFields
from pentathlon.web.replay.viewer import answer_actions, answer_board, answer_moment, make_viewer
from pentathlon.web.replay.win_chances import score_chart
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    person,
    posted_number,
    query_number,
    query_numbers,
    query_text,
    reload_page,
    signed_in_post,
    signed_in_user,
    wants_part,
)
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import name_seat
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import events_by, position
from pentathlon_engines.record.shape import Record

_MOST_CHOICES = 500
Context = dict[str, Any]  # Any: what templates take


class FriendlyForm(forms.Form):
    """The opponents, the person's seat, and the options of the game."""

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        game: str,
        chosen: Sequence[int] = (),
        seats: int | None = None,
        to_move: int | None = None,
    ) -> None:
        super().__init__(data)
        lowest, highest = (seats, seats) if seats else GAMES[game].info.seats
        bots = _bots(game)
        for number in range(1, highest):
            is_needed = number < lowest
            initial = chosen[number - 1] if number <= len(chosen) else None
            self.fields[f"bot_{number}"] = forms.TypedChoiceField(
                label="Opponent" if highest == lowest == 2 else f"Opponent {number}",  # noqa: PLR2004  # a pair
                coerce=int,
                empty_value=None,
                required=is_needed,
                initial=initial,
                choices=bots if is_needed else [("", "nobody"), *bots],
            )
        self.fields["seat"] = forms.TypedChoiceField(
            label="Your seat",
            coerce=int,
            empty_value=None,
            required=False,
            choices=_seats(highest, to_move),
        )
        # A match that goes on from a position has options already.
        self._options = None if seats else OptionFields(GAMES[game].info)
        if self._options is not None:
            self.fields.update(self._options.fields)

    @property
    def places(self) -> list[forms.BoundField]:
        """The fields of the opponents and of the person's seat."""
        return [field for field in self if field not in self.options]

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields of the game's options."""
        return [self[name] for name in self._options.fields] if self._options else []

    @property
    def has_open_options(self) -> bool:
        """Whether the options must be shown, because some of them need a look."""
        return any(field.errors for field in self.options)

    @property
    def bots(self) -> list[int]:
        """The ids of the chosen bots, in the order of the fields."""
        values = (self.cleaned_data[name] for name in self.fields if name.startswith("bot_"))
        return [value for value in values if value is not None]

    @property
    def chosen_options(self) -> dict[str, Any]:  # Any: JSON
        """The options that differ from their defaults."""
        return self._options.values(self.cleaned_data) if self._options else {}

    def field_of(self, field: str | None) -> str | None:
        """Return the field that shows an error of the service."""
        if field == "options" and self._options is not None:
            return self._options.field_of("")
        return "bot_1" if field == "bots" else field if field in self.fields else None


def _bots(game: str) -> list[tuple[str, str]]:
    """Return the bots with a version that may play the game."""
    playing = Bot.objects.filter(versions__state=VersionState.ELIGIBLE, versions__games__game=game)
    found = playing.select_related("owner").distinct().order_by("name")[:_MOST_CHOICES]
    return [(str(each.pk), f"{each.name} · {each.owner.username}") for each in found]


def _seats(highest: int, to_move: int | None) -> list[tuple[str, str]]:
    by_default = "a random one" if to_move is None else f"the one to move, {name_seat(to_move)}"
    named = [(str(seat), f"{name_seat(seat)} (seat {seat})") for seat in range(highest)]
    return [("", by_default), *named]


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendlyPlace:
    """One seat as its row in the replay shows it."""

    seat: int
    version: Any  # Any: a bot version, or None for the person
    name: str
    rank: int
    score: int | None
    has_failed: bool
    cpu_ms: int


@login_required
@require_safe
def friendlies(request: HttpRequest) -> HttpResponse:
    """List the games of the person who asks, the latest first."""
    own = Friendly.objects.of_person(signed_in_user(request)).listed()
    context = {"section": "games", "page": cursor_page(request, own), "tiles": game_tiles()}
    return render(request, "web/friendlies.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def friendly_new(request: HttpRequest) -> HttpResponse:
    """Take a seat in `game` against `bot`, or from `ply` on in the finished `match`."""
    actor = signed_in_user(request)
    origin = _origin(request)
    game = origin.record["game"] if origin else _game(request)
    if game is None:
        return redirect("friendlies")
    to_move = None
    chosen = query_numbers(request, "bot")
    if origin is not None:
        to_move = _seat_to_move(origin)
        chosen = _bots_of(origin, without=to_move)
    form = FriendlyForm(
        request.POST or None,
        game=game,
        chosen=chosen,
        seats=origin.record["seats"] if origin else None,
        to_move=to_move,
    )
    if form.is_valid():
        asked: Context = {"actor": actor, "bots": form.bots, "seat": form.cleaned_data["seat"]}
        made = call_service(
            form,
            lambda: (
                fork_friendly(origin=origin, **asked)
                if origin
                else create_friendly(game=game, options=form.chosen_options, **asked)
            ),
        )
        if made is not None:
            return redirect("friendly", made.pk)
    context = {"section": "games", "form": form, "info": GAMES[game].info, "origin": origin}
    return render(request, "web/friendly_new.html", {**context, "days": DAYS_TO_THINK})


@require_safe
def friendly(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """Show the board to its person while the game is under way, and then the replay to all."""
    mark = friendly_now(friendly_id).mark  # read before the rest, so that later changes are told
    found = _get_friendly(request, friendly_id)
    if found.state == FriendlyState.DONE:
        if wants_part(request):
            return reload_page()
        return _show_replay(request, found)
    if wants_part(request) and query_text(request, "since") == mark:
        return HttpResponse(status=204)
    context = {**_game_context(found), "mark": mark}
    part = "web/parts/friendly.html" if wants_part(request) else "web/friendly.html"
    return render(request, part, context)


@signed_in_post
def friendly_act(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """Play one of the person's legal actions; an open page is answered nothing and asks anew."""
    actor = signed_in_user(request)
    chosen = request.POST.get("action", "")
    if not chosen:
        messages.error(request, "Choose one of the actions first.")
        return redirect("friendly", friendly_id)
    act(
        actor=actor,
        friendly_id=friendly_id,
        ply=posted_number(request, "ply", otherwise=-1),
        action=chosen,
    )
    if wants_part(request):
        return HttpResponse(status=204)
    return redirect("friendly", friendly_id)


@signed_in_post
def friendly_resign(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """Resign the user's game."""
    resign(actor=signed_in_user(request), friendly_id=friendly_id)
    return redirect("friendly", friendly_id)


@require_safe
def friendly_board(request: HttpRequest, friendly_id: int) -> HttpResponseBase:
    """Draw the position after `ply` events of a game that is over."""
    found = _get_over(friendly_id)
    return answer_board(request, "friendly", found.chain, read=lambda: found.record)


@require_safe
def friendly_moment(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """Show what happened at `ply`: a part of the replay."""
    found = _get_over(friendly_id)
    return answer_moment(request, found.record)


@require_safe
def friendly_actions(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """List the events around `ply`: a part of the replay."""
    found = _get_over(friendly_id)
    return answer_actions(request, found.record)


@require_safe
def friendly_file(request: HttpRequest, friendly_id: int) -> HttpResponse:
    """Send the record, for `pentathlon verify`."""
    found = _get_over(friendly_id)
    response = JsonResponse(found.record)
    response["Content-Disposition"] = f'attachment; filename="friendly-{found.pk}.json"'
    return response


def _get_friendly(request: HttpRequest, friendly_id: int) -> Friendly:
    visible = Friendly.objects.visible_to(person(request))
    # Lists defer the record, which is needed here.
    return get_object_or_404(visible.listed().defer(None), pk=friendly_id)


def _get_over(friendly_id: int) -> Friendly:
    over = Friendly.objects.filter(state=FriendlyState.DONE)
    return get_object_or_404(over, pk=friendly_id)


def _game_context(found: Friendly) -> Context:
    context: Context = {
        "section": "games",
        "friendly": found,
        "info": GAMES[found.game].info,
        "title": _title(found),
        "places": sorted(found.places, key=lambda place: -place["seat"]),
        "days": DAYS_TO_THINK,
    }
    if found.is_under_way:
        sight = look_at(found)
        context["sight"] = sight
        context["board"] = inline_board(sight.board)
        context["points"] = dict(enumerate(sight.points or []))
        context["refusals"] = json.dumps(sight.refusals)
        context["has_drawer"] = " long" in sight.board.partition(">")[0]
        context["queue_place"] = (
            place_in_queue(found) if found.state == FriendlyState.BOT else None
        )
        context["is_playing"] = found.token is not None
    return context


def _show_replay(request: HttpRequest, found: Friendly) -> HttpResponse:
    record = found.record
    reader = person(request)
    is_own = reader is not None and reader.pk == found.person_id
    ply = query_number(request, "ply")
    if ply is None and is_own:
        # The player knows the end, and comes here from the last move.
        ply = len(record["events"])
    bots = [place.version.bot_id for place in found.seats.all() if place.version]
    viewer = make_viewer(
        _places(found, record), record=record, ply=ply, seat=query_number(request, "seat")
    )
    line = score_line(record)
    context: Context = {
        "section": "games",
        "friendly": found,
        "info": GAMES[found.game].info,
        "title": _title(found),
        "is_own": is_own,
        "turns": look_back(record, seat=found.seat) if is_own else [],
        "chances": line
        and score_chart(line, ply=viewer.ply, is_whole=is_own or "curve" in request.GET),
        "again": urlencode({"game": found.game, "bot": bots}, doseq=True),
        "viewer": viewer,
    }
    return render(request, "web/friendly_replay.html", context)


def _places(found: Friendly, record: Record) -> list[FriendlyPlace]:
    return [
        FriendlyPlace(
            **place, cpu_ms=sum(event.cpu_ms for event in events_by(record, place["seat"]))
        )
        for place in found.places
    ]


def _title(found: Friendly) -> str:
    return " – ".join(place["name"] for place in found.places)


def _game(request: HttpRequest) -> str | None:
    """Return the game in the query, or the first game of the bot in the query."""
    game = query_text(request, "game")
    if game in GAMES:
        return game
    number = query_number(request, "bot")
    if number is None:
        return None
    bot = get_object_or_404(Bot, pk=number)
    keys = set(bot.versions.values_list("games__game", flat=True))
    return next((key for key in GAMES if key in keys), None)


def _origin(request: HttpRequest) -> Origin | None:
    try:
        return origin_of(
            reader=person(request),
            match_id=query_number(request, "match"),
            friendly_id=query_number(request, "friendly"),
            ply=query_number(request, "ply") or 0,
        )
    except NotFound as error:
        raise Http404(error.detail) from error
    except DomainError as error:
        raise Http404(str(error)) from error


def _seat_to_move(origin: Origin) -> int:
    try:
        to_move = position(origin.record, origin.ply).to_move
    except BadRecord as error:
        raise Http404(f"{error}.") from error
    return max(0, to_move or 0)


def _bots_of(origin: Origin, *, without: int) -> list[int]:
    """Return the bots that sat in the other seats."""
    places = origin.match.seats if origin.match else origin.friendly and origin.friendly.seats
    if not places:
        return []
    bots = places.exclude(version=None).order_by("seat").values_list("seat", "version__bot")
    others = [bot for seat, bot in bots if seat != without]
    return others[: origin.record["seats"] - 1]
