"""A person's page: bots, ranking, titles, matches and rivals."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.insight.rivalry.head_to_head import (
    HeadToHead,
    PairFilter,
    meetings,
    read_head_to_head,
    visible_matches,
)
from pentathlon.insight.rivalry.opponents import LATEST, ORDERS, rival_authors, rivals_of
from pentathlon.insight.rivalry.scores import RivalScore
from pentathlon.matches.latest import latest_matches_of_author
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool, Rating
from pentathlon.ratings.rankings.services import former_places, latest_table
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.final_table import titles_of
from pentathlon.web.requests import cursor_page, person, person_or_404, query_number, query_text
from pentathlon.web.tables import ranking_row_of

_BOTS: Final = 50
_RATINGS: Final = 100
_TITLES: Final = 20
_RECENT: Final = 10
_OF_EACH_VERSION: Final = 20
_PAGE: Final = 50
_ORDER_WORDS: Final = {
    "meetings": "Most meetings",
    "share": "Best share",
    "best": "Better than expected",
    "worst": "Worse than expected",
}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LineupLine:
    """Two versions that met."""

    own: BotVersion
    other: BotVersion
    score: RivalScore


@require_safe
def opponents(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Show a bot's latest results in a game against all others, by seat and by length."""
    bot = get_object_or_404(Bot.objects.select_related("owner"), pk=bot_id)
    rivals = rivals_of(bot.pk, query_text(request, "game"))
    if rivals.game not in rivals.games and rivals.game:
        raise Http404(f"{bot.name} has met no bot in this game.")
    order = query_text(request, "order")
    order = order if order in ORDERS else "meetings"
    lines = sorted(rivals.opponents, key=ORDERS[order])
    context = {
        "section": "bots",
        "bot": bot,
        "rivals": rivals,
        "order": order,
        "orders": _ORDER_WORDS,
        "page": Paginator(lines, _PAGE).get_page(request.GET.get("page", 1)),
        "kept": urlencode({"game": rivals.game, "order": order}),
        "latest": LATEST,
    }
    return render(request, "web/opponents.html", context)


@require_safe
def head_to_head(request: HttpRequest, bot_id: int, other_id: int) -> HttpResponse:
    """Show two bots against each other; the query narrows it to versions, game or tournament."""
    bots = Bot.objects.select_related("owner").in_bulk([bot_id, other_id])
    if len(bots) < len({bot_id, other_id}):
        raise Http404("There is no such bot.")
    bot, other = bots[bot_id], bots[other_id]
    selected = _selected(request)
    pair = read_head_to_head(bot, other, selected)
    page = cursor_page(request, meetings(bot, other, selected))
    versions = _versions(bot, other)
    context = {
        "section": "bots",
        "pair": pair,
        "selected": selected,
        "tournament": _tournament(selected),
        "lineups": _lineups(pair, versions),
        "own_versions": [version for version in versions.values() if version.bot_id == bot.pk],
        "other_versions": [version for version in versions.values() if version.bot_id == other.pk],
        "page": page,
        "matches": visible_matches(page.rows),
        "repeats": {meeting.match_id for meeting in page.rows if meeting.is_repeat},
        "may_challenge": _may_challenge(request, other),
        "latest": LATEST,
    }
    return render(request, "web/head_to_head.html", context)


def _may_challenge(request: HttpRequest, bot: Bot) -> bool:
    """Return whether the reader may challenge a bot: an active one of somebody else."""
    reader = person(request)
    if reader is not None and reader.pk == bot.owner_id:
        return False
    return bot.versions.in_line().filter(state=VersionState.ELIGIBLE).exists()


def _selected(request: HttpRequest) -> PairFilter:
    return PairFilter(
        game=query_text(request, "game"),
        own_version=query_number(request, "version"),
        other_version=query_number(request, "other_version"),
        lane=query_number(request, "tournament"),
    )


def _tournament(selected: PairFilter) -> Tournament | None:
    if selected.lane is None:
        return None
    return get_object_or_404(Tournament.objects.visible_to(None), pk=selected.lane)


def _versions(bot: Bot, other: Bot) -> dict[int, BotVersion]:
    """Return the versions of both bots, the newest first."""
    rows = BotVersion.objects.filter(bot__in=(bot, other)).order_by("-number", "pk")
    return {version.pk: version for version in rows.only("bot_id", "number")}


def _lineups(pair: HeadToHead, versions: Mapping[int, BotVersion]) -> list[LineupLine]:
    lines = [
        LineupLine(own=versions[own], other=versions[other], score=score)
        for (own, other), score in pair.lineups.items()
    ]
    return sorted(lines, key=lambda line: (-line.own.number, -line.other.number))
