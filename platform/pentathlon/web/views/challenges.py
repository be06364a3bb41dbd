"""Challenges: making one, watching it, the list of all."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.core.server.limits import CHALLENGE_BLOCKS
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.challenges.models import Challenge, ChallengeState
from pentathlon.tournaments.challenges.results import (
    ChallengeBlock,
    blocks_of,
    read_test,
    seats_of,
)
from pentathlon.tournaments.challenges.services import (
    DEFAULT_BLOCKS,
    cancel_challenge,
    create_challenge,
    daily_quota,
    under_way_quota,
)
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    person,
    query_number,
    query_text,
    signed_in_post,
    signed_in_user,
    wants_part,
)
from pentathlon_engines import GAMES

_MOST_CHOICES = 500
_PAIR = 2
Context = dict[str, Any]  # Any: what templates take


class ChallengeForm(forms.Form):
    """The author's version, the game, and the number of blocks."""

    version = forms.TypedChoiceField(label="Your version", coerce=int)
    game = forms.ChoiceField()
    blocks = forms.IntegerField(
        min_value=1,
        max_value=CHALLENGE_BLOCKS,
        initial=DEFAULT_BLOCKS,
        help_text=f"1 to {CHALLENGE_BLOCKS}. In a block the same bots play the same seed from "
        "every seat.",
    )
    others = forms.TypedMultipleChoiceField(
        label="More bots at the table",
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        actor: User,
        games: list[str],
        against: BotVersion | None = None,
        bot: Bot | None = None,
        initial: dict[str, Any] | None = None,  # Any: what Django's forms take
    ) -> None:
        super().__init__(data, initial=initial)
        larger = [key for key in games if GAMES[key].info.seats[1] > _PAIR]
        if larger:
            others = self.fields["others"]
            others.choices = _foreign(actor, larger, bot)  # type: ignore[attr-defined]
            others.help_text = (
                f"{_sizes(larger)} None: a table of two. A block of three bots has 6 matches, "
                "of four 8, of five 10: each counts against your matches of a day."
            )
        else:
            del self.fields["others"]
        self.fields["version"].choices = _own(actor, games, against)  # type: ignore[attr-defined]
        self.fields["game"].choices = [(key, GAMES[key].info.title) for key in games]  # type: ignore[attr-defined]


def _foreign(actor: User, games: list[str], bot: Bot | None) -> list[tuple[str, str]]:
    """Return other people's bots with a version that may play one of the games."""
    playing = Bot.objects.filter(
        versions__state=VersionState.ELIGIBLE, versions__games__game__in=games
    )
    found = playing.exclude(owner=actor).select_related("owner").distinct().order_by("name")
    return [
        (str(each.pk), f"{each.name} · {each.owner.username}")
        for each in found[:_MOST_CHOICES]
        if each != bot
    ]


def _sizes(games: list[str]) -> str:
    sizes = (
        f"{GAMES[key].info.title} has up to {GAMES[key].info.seats[1]} seats" for key in games
    )
    return f"{'; '.join(sizes)}."


def _own(actor: User, games: list[str], against: BotVersion | None) -> list[tuple[str, str]]:
    """Return the actor's versions that may play one of the games, except the one to be met."""
    eligible = BotVersion.objects.owned_by(actor).filter(state=VersionState.ELIGIBLE)
    playing = eligible.filter(games__game__in=games).distinct()
    found = playing.select_related("bot").defer("validation_log", "manifest")
    ordered = found.order_by("bot__name", "-number")[:_MOST_CHOICES]
    return [(str(each.pk), each.label) for each in ordered if each != against]


@require_safe
def challenges(request: HttpRequest) -> HttpResponse:
    """List challenges, newest first; `author` narrows the list down."""
    found = Challenge.objects.listed()
    author = query_text(request, "author")
    if author:
        found = found.filter(author__username=author)
    context = {"section": "bots", "page": cursor_page(request, found), "author": author}
    return render(request, "web/challenges.html", context)


@require_safe
def challenge(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """Show a challenge block by block; an open page asks for the part that changes."""
    found = get_object_or_404(Challenge.objects.listed(), pk=challenge_id)
    reader = person(request)
    matches = list(found.matches.with_seats())
    context: Context = {
        "section": "bots",
        "challenge": found,
        "others": _others(found),
        "score": found.score,
        "reading": read_test(found),
        "blocks": [_block(found, block) for block in blocks_of(found, matches)],
        "seats": seats_of(found, matches),
        "running": sum(match.state == MatchState.RUNNING for match in matches),
        "reason": _why_idle(found, matches),
        "title": GAMES[found.game].info.title if found.game in GAMES else found.game,
        "is_author": reader is not None and reader.pk == found.author_id,
        "is_running": found.state == ChallengeState.RUNNING,
        "again": _same_target(found),
    }
    part = "web/parts/challenge.html" if wants_part(request) else "web/challenge.html"
    return render(request, part, context)


@login_required
@require_http_methods(["GET", "POST"])
def challenge_new(request: HttpRequest) -> HttpResponse:
    """Challenge the bot in `bot`, or test a version of one's own against the one in `against`."""
    actor = signed_in_user(request)
    if query_number(request, "bot") is None and query_number(request, "against") is None:
        messages.info(request, "Choose the bot to challenge: its page has the button.")
        return redirect("bots")
    opponent = _opponent(request, actor)
    form = ChallengeForm(
        request.POST or None,
        actor=actor,
        games=opponent["games"],
        against=opponent["against"],
        bot=opponent["bot"],
        initial={"version": query_number(request, "version")},
    )
    if form.is_valid():
        asked: Context = {**form.cleaned_data, **opponent["target"]}
        made = call_service(form, lambda: create_challenge(actor=actor, **asked))
        if made is not None:
            return redirect("challenge", made.pk)
    context = {"section": "bots", "form": form, **opponent}
    context["quotas"] = daily_quota(actor), under_way_quota(actor)
    return render(request, "web/challenge_new.html", context)


@signed_in_post
def challenge_cancel(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """Cancel one of the user's own challenges."""
    found = get_object_or_404(Challenge.objects.listed(), pk=challenge_id)
    cancel_challenge(actor=signed_in_user(request), challenge=found)
    messages.success(request, "The challenge is cancelled; finished matches stay.")
    return redirect("challenge", found.pk)


def _opponent(request: HttpRequest, actor: User) -> Context:
    """Return the bot or version that the query names, and the games in which it can be met."""
    bot = against = None
    if (number := query_number(request, "against")) is not None:
        own = BotVersion.objects.owned_by(actor).select_related("bot")
        against = get_object_or_404(own, pk=number)
        versions = BotVersion.objects.filter(pk=against.pk)
    else:
        bot = get_object_or_404(
            Bot.objects.select_related("owner"), pk=query_number(request, "bot")
        )
        if bot.owner_id == actor.pk:
            raise Http404("This is your own bot: test two of its versions against each other.")
        versions = bot.versions.filter(state=VersionState.ELIGIBLE)
    keys = set(versions.values_list("games__game", flat=True))
    return {
        "bot": bot,
        "against": against,
        "games": [key for key in GAMES if key in keys],
        "target": {"against": against.pk} if against is not None else {"bot": bot and bot.pk},
    }


def _same_target(found: Challenge) -> str:
    """Return the query of the form that challenges the same opponent again."""
    if found.is_test:
        return f"against={found.opponent_id}"
    return f"bot={found.opponent.bot_id}"


def _others(found: Challenge) -> list[BotVersion]:
    """Return the other versions at the table."""
    if not found.others:
        return []
    versions = BotVersion.objects.select_related("bot__owner").defer("validation_log")
    known = versions.in_bulk(found.others)
    return [known[version_id] for version_id in found.others]


def _block(found: Challenge, block: ChallengeBlock) -> Context:
    rows = [
        {"match": match, "seat": seat.seat}
        for match in block.matches
        for seat in match.seats.all()
        if seat.version_id == found.version_id
    ]
    return {"block": block, "rows": rows}


def _why_idle(found: Challenge, matches: list[Match]) -> str:
    """Return why no match runs although some wait."""
    waiting = [match for match in matches if match.state == MatchState.PENDING]
    if not waiting or any(match.state == MatchState.RUNNING for match in matches):
        return ""
    first = found.matches.filter(pk=waiting[0].pk).with_needs().first()
    reason = None if first is None else why_waiting(first)
    return "" if reason is None else reason.sentence
