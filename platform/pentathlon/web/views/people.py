"""A person's page: bots, ranking, titles, matches and rivals."""

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.insight.rivalry.opponents import rival_authors
from pentathlon.matches.latest import latest_matches_of_author
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool, Rating
from pentathlon.ratings.rankings.history import former_places
from pentathlon.ratings.rankings.services import latest_table
from pentathlon.tournaments.results.final_table import titles_of
from pentathlon.web.requests import person, person_or_404
from pentathlon.web.tables import ranking_row_of

_BOTS: Final = 50
_RATINGS: Final = 100
_TITLES: Final = 20
_RECENT: Final = 10
_OF_EACH_VERSION: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLine:
    """A bot with its live ratings."""

    bot: Bot
    ratings: list[Rating]


@require_safe
def profile(request: HttpRequest, username: str) -> HttpResponse:
    """Show an author's bots and their standing."""
    author = person_or_404(username)
    bots = list(Bot.objects.owned_by(author).order_by("-pk")[:_BOTS])
    ids = latest_matches_of_author(author.pk, limit=_OF_EACH_VERSION)
    matches = Match.objects.filter(pk__in=ids).visible_to(person(request)).recent()
    history = former_places(author)
    context = {
        "section": "bots",
        "author": author,
        "own": person(request) == author,
        "lines": _lines(bots),
        "bots": Bot.objects.owned_by(author).count(),
        "ranking": ranking_row_of(author, latest_table(), reader=person(request)),
        "history": history,
        "shares": [place.share for place in history],
        "titles": titles_of(author)[:_TITLES],
        "matches": matches.with_seats()[:_RECENT],
        "rivals": rival_authors(author.pk),
    }
    return render(request, "web/profile.html", context)


def _lines(bots: list[Bot]) -> list[BotLine]:
    """Return the bots with the ratings of their active versions, rated bots first."""
    live = Rating.objects.filter(version__bot__in=bots, pool__in=Pool.objects.live()).active()
    rows = live.with_mean().select_related("pool", "version").order_by("pool__game", "-score")
    found: dict[int, list[Rating]] = {}
    for rating in rows[:_RATINGS]:
        found.setdefault(rating.version.bot_id, []).append(rating)
    lines = [BotLine(bot=bot, ratings=found.get(bot.pk, [])) for bot in bots]
    return sorted(lines, key=lambda line: not line.ratings)
