"""Ladders: the list, the tables of each, and the choices of authors for their bots."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.ladders.membership import join_ladder, leave_ladder, pause_ladder
from pentathlon.ladders.models import Division, Ladder, Season
from pentathlon.ladders.tables import LadderLine, ladder_lines, ladder_table, seasons_of
from pentathlon.live.snapshots import tournament_now
from pentathlon.web.requests import person, query_number, signed_in_user
from pentathlon.web.responses import say, signed_in_post
from pentathlon_engines import GAMES

_CHOICES = {
    "join": (join_ladder, "plays in"),
    "pause": (pause_ladder, "pauses in"),
    "leave": (leave_ladder, "has left"),
}
_SEASONS_SHOWN = 50


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """List the ladders with their running seasons."""
    context = {"section": "ladders", "lines": ladder_lines()}
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
    context = {
        "section": "ladders",
        "ladder": found,
        "info": GAMES[found.game].info,
        "line": line,
        "season": line.season,
        "division": division,
        "mark": mark,
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
