"""Atom feeds: results of a bot, results of a tournament, news of a game, roots of the log.

A feed shows what everybody may see, whoever asks, because feed readers do not sign in and caches
keep one copy for all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.contrib.syndication.views import Feed
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.http import parse_http_date
from django.views.decorators.http import require_safe

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.bots.models import Bot
from pentathlon.core.caching import tag_of
from pentathlon.ladders.models import Division, Season, SeasonState
from pentathlon.matches.latest import latest_matches, tell_match
from pentathlon.matches.models import COMPETITIONS, Match, MatchState
from pentathlon.matches.transparency.models import LogRoot
from pentathlon.matches.transparency.services import demand_signed
from pentathlon.ratings.models import Rating, live_key
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.results.final_table import podiums
from pentathlon.tournaments.results.hidden_results import are_hidden, hidden_lanes
from pentathlon.web.templatetags.formats import percent
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count, enumerate_all
from pentathlon_engines.contract.registry import unknown_game

_SHOWN: Final = 30
_LEADERS: Final = 5
"""The most leaders of one game that are named."""
_BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)
_KEEPS: Final = "public, max-age=120"
_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have, escaped or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One line of a feed."""

    title: str
    text: str
    address: str
    key: str
    """A name that never changes and is unique among the entries of all feeds of this site."""
    at: datetime


@require_safe
def bot_feed(request: HttpRequest, bot_id: int) -> HttpResponseBase:
    """List the latest results of a bot."""
    return _answer(request, _BotFeed(), bot_id=bot_id)


@require_safe
def tournament_feed(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """List the latest results of a tournament."""
    return _answer(request, _TournamentFeed(), tournament_id=tournament_id)


@require_safe
def game_feed(request: HttpRequest, game: str) -> HttpResponseBase:
    """List the ended tournaments and seasons of a game, and the leader of its leaderboard."""
    return _answer(request, _GameFeed(), game=game)


@require_safe
def log_feed(request: HttpRequest) -> HttpResponseBase:
    """List the roots of the log of receipts."""
    return _answer(request, _LogFeed())


class _DatedFeed(Atom1Feed):
    """Atom with a date for empty feeds, too, so that a feed does not change by being read."""

    def latest_post_date(self) -> datetime:
        """Return the time of the latest entry, or of the beginning."""
        dates: list[datetime] = [item["updateddate"] for item in self.items]
        since: datetime = self.feed["since"]
        return max([since, *dates])


class _Feed(Feed):  # type: ignore[type-arg]  # not generic at run time
    """The common part of all feeds: entries made beforehand, in the form of Atom."""

    feed_type = _DatedFeed
    author_name = "Pentathlon"

    def feed_extra_kwargs(self, obj: Any) -> dict[str, Any]:  # Any: Django's own shape
        """Return when the feed began."""
        return {"since": getattr(obj, "created_at", _BEGINNING)}

    def item_title(self, item: Any) -> str:
        """Return the headline as plain text; the writer of XML escapes it."""
        return _in_xml(item.title)

    def item_description(self, item: Any) -> str:
        """Return a sentence, escaped once more than the rest, since readers take it for HTML."""
        return escape(_in_xml(item.text))

    def item_link(self, item: Any) -> str:
        """Return the address at which to read on."""
        return str(item.address)

    def item_guid(self, item: Any) -> str:
        """Return a name that stays the same under any address of the site."""
        return f"urn:pentathlon:{item.key}"

    def item_pubdate(self, item: Any) -> datetime:
        """Return the time of an entry."""
        return item.at  # type: ignore[no-any-return]  # an FeedEntry

    item_updateddate = item_pubdate


class _BotFeed(_Feed):
    def get_object(self, request: HttpRequest, bot_id: int) -> Bot:
        return get_object_or_404(Bot.objects.select_related("owner"), pk=bot_id)

    def title(self, obj: Bot) -> str:
        return _in_xml(f"{obj.name}: results")

    def subtitle(self, obj: Bot) -> str:
        return _in_xml(f"The latest rated matches of {obj.name} by {obj.owner.username}.")

    def link(self, obj: Bot) -> str:
        return reverse("bot", args=[obj.pk])

    def feed_guid(self, obj: Bot) -> str:
        return f"urn:pentathlon:bot:{obj.pk}"

    def items(self, obj: Bot) -> list[FeedEntry]:
        latest = Match.objects.public().filter(
            pk__in=latest_matches(obj.pk, limit=_SHOWN), kind__in=COMPETITIONS
        )
        return [_result(match) for match in latest.recent().with_seats()[:_SHOWN]]


class _TournamentFeed(_Feed):
    def get_object(self, request: HttpRequest, tournament_id: int) -> Tournament:
        seen = Tournament.objects.visible_to(None).select_related("owner")
        return get_object_or_404(seen, pk=tournament_id)

    def title(self, obj: Tournament) -> str:
        return _in_xml(f"{obj.name}: results")

    def subtitle(self, obj: Tournament) -> str:
        hidden = " Its results are hidden for now." if are_hidden(obj, None) else ""
        return _in_xml(f"The latest results of {obj.name}.{hidden}")

    def link(self, obj: Tournament) -> str:
        return reverse("tournament", args=[obj.pk])

    def feed_guid(self, obj: Tournament) -> str:
        return f"urn:pentathlon:tournament:{obj.pk}"

    def items(self, obj: Tournament) -> list[FeedEntry]:
        latest = Match.objects.public().of_lane(obj.pk).filter(state=MatchState.DONE)
        shown = [_result(match) for match in latest.order_by("-finished_at").with_seats()[:_SHOWN]]
        return sorted([*shown, *_changes(obj)], key=lambda entry: entry.at, reverse=True)[:_SHOWN]


class _GameFeed(_Feed):
    def get_object(self, request: HttpRequest, game: str) -> str:
        if game not in GAMES:
            raise Http404(f"There is {unknown_game(game)}.")
        return game

    def title(self, obj: str) -> str:
        return f"{GAMES[obj].info.title}: news"

    def subtitle(self, obj: str) -> str:
        return f"Tournaments, seasons and leaders of {GAMES[obj].info.title}."

    def link(self, obj: str) -> str:
        return reverse("game", args=[obj])

    def feed_guid(self, obj: str) -> str:
        return f"urn:pentathlon:game:{obj}"

    def items(self, obj: str) -> list[FeedEntry]:
        found = [*_closed(obj), *_seasons(obj), *_leader(obj)]
        return sorted(found, key=lambda entry: entry.at, reverse=True)[:_SHOWN]


class _LogFeed(_Feed):
    title = "Log of receipts"
    subtitle = "The root of the log, once a day: keep it to detect a changed history."
    link = "/log/"
    feed_guid = "urn:pentathlon:log"

    def items(self) -> list[FeedEntry]:
        roots = list(LogRoot.objects.order_by("-pk")[:_SHOWN])
        demand_signed(roots)
        return [
            FeedEntry(
                title=f"{root.day}: {count(root.size, 'receipt')}, root {root.digest}",
                text=root.note,
                address=reverse("log"),
                key=f"log-root:{root.day}",
                at=root.created_at,
            )
            for root in roots
        ]


def _changes(tournament: Tournament) -> list[FeedEntry]:
    """Return what organisers have changed while the tournament was open."""
    events = AuditEvent.objects.of_tournament(tournament.pk)
    latest = events.filter(action=AuditAction.TOURNAMENT_CHANGE).order_by("-pk")[:_SHOWN]
    return [
        FeedEntry(
            title=f"{event.object_name} has changed",
            text=f"{event.actor_name} changed {'; '.join(event.facts_in_words)}.",
            address=reverse("tournament", args=[tournament.pk]),
            key=f"tournament-change:{event.pk}",
            at=event.at,
        )
        for event in latest
    ]


def _answer(request: HttpRequest, feed: _Feed, **place: object) -> HttpResponseBase:
    made: HttpResponse = feed(request, **place)
    latest = made.headers["Last-Modified"]
    tag = tag_of(made.content)
    answer = get_conditional_response(
        request, etag=tag, last_modified=parse_http_date(latest), response=made
    )
    made = answer or made
    for name, value in (("ETag", tag), ("Last-Modified", latest), ("Cache-Control", _KEEPS)):
        made.headers[name] = value
    return made


def _result(match: Match) -> FeedEntry:
    title = GAMES[match.game].info.title if match.game in GAMES else match.game
    story = tell_match(match)
    return FeedEntry(
        title=story.removesuffix("."),
        text=f"{title}, match {match.pk}. {story}",
        address=reverse("match", args=[match.pk]),
        key=f"match:{match.pk}",
        at=match.finished_at or match.created_at,  # done matches have a time
    )


def _closed(game: str) -> list[FeedEntry]:
    closed = Tournament.objects.visible_to(None).organised()
    closed = closed.filter(game=game, state=TournamentState.CLOSED, finished_at__isnull=False)
    latest = closed.exclude(pk__in=hidden_lanes(None)).order_by("-pk")[:_SHOWN]
    rows = [(each, each.finished_at) for each in latest.only("name", "finished_at")]
    won = podiums([each.pk for each, _ in rows])
    return [
        FeedEntry(
            title=f"{each.name} has closed",
            text=won[each.pk].story if each.pk in won else "Nobody is in its final table.",
            address=reverse("tournament", args=[each.pk]),
            key=f"tournament-closed:{each.pk}",
            at=at,
        )
        for each, at in rows
        if at is not None
    ]


def _seasons(game: str) -> list[FeedEntry]:
    ended = Season.objects.filter(
        ladder__game=game, state=SeasonState.CLOSED, closed_at__isnull=False
    )
    latest = list(ended.select_related("ladder").order_by("-pk")[:_SHOWN])
    highest = Division.objects.filter(season__in=latest, level=1)
    tables = dict(highest.values_list("season", "tournament"))
    won = podiums(tables.values())
    return [
        FeedEntry(
            title=f"{each.ladder.title}: season {each.number} has ended",
            text=won[tables[each.pk]].story
            if tables.get(each.pk) in won
            else f"Season {each.number} of the ladder {each.ladder.title} is over.",
            address=reverse("ladder_season", args=[each.ladder.key, each.number]),
            key=f"season-closed:{each.pk}",
            at=each.closed_at,
        )
        for each in latest
        if each.closed_at is not None
    ]


def _leader(game: str) -> list[FeedEntry]:
    """Return an entry about the leaders of a game, dated by the last public match of the first.

    Equal ones lead together, in the order of their names; of very many, the first are named.
    """
    table = Rating.objects.filter(pool__key=live_key(game), matches__gt=0).active()
    top = table.order_by().aggregate(score=Max("score"))["score"]
    level = table.filter(score=top).select_related("version__bot").with_mean()
    best = list(level.order_by("version__bot__name", "version")[:_LEADERS])
    if not best:
        return []
    latest = latest_matches(best[0].version.bot_id, limit=_SHOWN)
    last = Match.objects.public().filter(pk__in=latest).recent().first()
    if last is None or last.finished_at is None:
        return []
    names = enumerate_all([each.version.label for each in best])
    verb = "leads" if len(best) == 1 else "lead"
    return [
        FeedEntry(
            title=f"{names} {verb} {GAMES[game].info.title}",
            text=f"{names} {verb} the standings of {GAMES[game].info.title}, beating an average "
            f"bot at least {percent(best[0].odds.sure)} of the time.",
            address=reverse("leaderboard", args=[game]),
            key=f"leader:{game}:{'-'.join(str(each.version_id) for each in best)}",
            at=last.finished_at,
        )
    ]


def _in_xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
