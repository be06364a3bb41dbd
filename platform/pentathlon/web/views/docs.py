"""Guides and documents; `pentathlon.web.docs.guides` lists them."""

from functools import cache
from importlib.resources import files
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.core.caching import FOR_ALL, answer_packed, tag_of
from pentathlon.core.documents import (
    power_rows,
    protocol_text,
    render_line,
    render_markdown,
    rules_text,
    strength_rows,
    title_and_body,
)
from pentathlon.core.server import limits as table
from pentathlon.core.texts import site_of
from pentathlon.fleet.announcements import HEARTBEAT_S
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import SILENT_AFTER_S
from pentathlon.insight.analyses.jobs import LOAN_S, PATIENCE_S, SHARE, pause_s
from pentathlon.insight.search.lookup import LONGEST_QUERY
from pentathlon.matches.attempts import FAULTS_IN_A_ROW
from pentathlon.matches.jobs import LEASE_S
from pentathlon.ratings.rankings.rule import RULE
from pentathlon.ratings.scopes import FASTEST_STANDARD_S, SLOWEST_STANDARD_S
from pentathlon.ratings.skill import MU, SIGMA
from pentathlon.ratings.uncertainty import ORDER_FACTOR, PROVISIONAL_SIGMA
from pentathlon.web import examples as programs
from pentathlon.web.docs.game_guides import SCALE, game_guide, leads, stages
from pentathlon.web.docs.guides import REFUSALS, SHELVES, place_of
from pentathlon.web.drawing.boards import lesson_steps
from pentathlon.web.replay.win_chances import WIDEST_ACCURACY
from pentathlon.web.templatetags.formats import size
from pentathlon_engines import GAMES
from pentathlon_engines.analysis.curve import METHOD, Budget
from pentathlon_engines.analysis.judgement import FEWEST_DECISIONS
from pentathlon_engines.analysis.playouts import COMMAND as CALIBRATION
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.desk.vectors import path_of
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.record.advice import FAULT_WORDS, FaultWords, what_to_do
from pentathlon_engines.strength.best import Z_95
from pentathlon_engines.tournament.formats.divisions import MOST_BOTS, MOVING_PART
from pentathlon_engines.tournament.formats.ladder import MOST_SHARE
from pentathlon_engines.tournament.formats.registry import newest_formats
from pentathlon_engines.version import __version__


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """List the guides."""
    return render(request, "web/docs/index.html", {"section": "docs", "shelves": SHELVES})


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Show a guide that needs no context: the template with the name of its address."""
    name = place_of(request.path).guide.name
    return render(request, f"web/docs/{name}.html", {"section": "docs"})


@require_safe
def api_guide(request: HttpRequest) -> HttpResponse:
    """Describe what all requests to the API have in common, with a page that sends some."""
    example = files(programs).joinpath("leaderboard.html").read_text(encoding="utf-8")
    context = {"section": "docs", "example": example.replace("SITE", site_of(request))}
    return render(request, "web/docs/api_guide.html", context)


@require_safe
def bot_guide(request: HttpRequest) -> HttpResponse:
    """Explain how to write a bot, from an empty folder on."""
    games = [game.info for game in GAMES.values()]
    context = {"section": "docs", "fleet": read_fleet(), "games": games}
    return render(request, "web/docs/bot_guide.html", context)


@require_safe
def ci(request: HttpRequest) -> HttpResponse:
    """Explain how a bot is checked, submitted and compared by continuous integration."""
    return render(request, "web/docs/ci.html", {"section": "docs", "table": table})


_SETTINGS: Final = (
    ("PENTATHLON_MODE", "“local” or “production”, which is stricter: see each line."),
    ("PENTATHLON_SECRET_KEY", "Signs sessions; at least 32 characters. Production demands it."),
    ("PENTATHLON_HOSTS", "The names that the site is reached by, separated by commas."),
    ("PENTATHLON_ORIGINS", "Trusted origins such as https://example.org; forms need it."),
    ("DATABASE_URL", "postgresql://… or sqlite:///…. Default: SQLite in the data folder."),
    ("REDIS_URL", "redis://…, rediss://… or unix:///…; “up” starts a broker of its own."),
    ("PENTATHLON_SERVER", "Of a worker: the site that it plays for, as https://example.org."),
    ("PENTATHLON_WORKER_TOKEN", "Its token; PENTATHLON_WORKER_TOKEN_FILE names a file instead."),
    ("PENTATHLON_WORKER_BROKER", "Its broker, as redis_acl prints it; the site, if not set."),
    ("PENTATHLON_PLAIN_HTTP", "1: a worker may reach another host by http://."),
    ("PENTATHLON_PLAIN_BROKER", "1: a worker may reach another host by redis://."),
    ("PENTATHLON_DATA", "The folder for what one machine keeps: SQLite, logs, its secret key."),
    ("PENTATHLON_STATIC", "Where collectstatic puts files; inside the data folder if not set."),
    ("PENTATHLON_PROXIES", "How many of your own proxies are in front: 0, in production 1."),
    ("PENTATHLON_SANDBOX", "The weakest sandbox that a worker accepts."),
    ("PENTATHLON_BOT_MATCHES", "The most matches that one bot plays at a time: 8."),
    ("PENTATHLON_DRAIN_S", "How long a worker that must stop plays on: 2, in production 120."),
    ("PENTATHLON_STARVED_SHARE", "How much of the time bots may wait before slots are held back."),
    ("PENTATHLON_LADDERS", "0: no ladders and no reference bots."),
    ("PENTATHLON_LADDER_SEASON_DAYS", "How long a season lasts: 28."),
    (
        "PENTATHLON_LADDER_MATCHES_AN_HOUR",
        "The most that each settled division plays: 60; in production “unlimited”, in idle slots.",
    ),
    ("PENTATHLON_BOT_LOG_DAYS", "How many days bot logs are kept: 90; 0: forever."),
    ("PENTATHLON_REPLAYS", "Where old replays move to: s3://bucket/prefix or file:///folder."),
    ("PENTATHLON_REPLAY_DAYS", "After how many days replays move there: 7."),
    ("PENTATHLON_DATASETS", "0: no datasets of closed tournaments and seasons."),
    ("PENTATHLON_METRICS_TOKEN", "The bearer token that may read /metrics."),
    (
        "PENTATHLON_MAIL",
        "The mail server: smtps://name:password@host:465. Without: no e-mail.",
    ),
    ("PENTATHLON_LOG_LEVEL", "INFO, or what you want to see."),
)
"""The settings of `pentathlon.env` that an operator may want to set."""


@require_safe
def operator_guide(request: HttpRequest) -> HttpResponse:
    """Explain how to run an installation; the numbers are those of the code."""
    context = {
        "section": "docs",
        "settings": _SETTINGS,
        "drain_s": settings.DRAIN_S,
        "bot_log_days": settings.BOT_LOG_DAYS,
        "lease_s": LEASE_S,
        "heartbeat_s": HEARTBEAT_S,
        "silent_s": SILENT_AFTER_S,
        "in_memory_kb": table.IN_MEMORY // table.KILOBYTE,
    }
    return render(request, "web/docs/operator_guide.html", context)


@require_safe
def runbook(request: HttpRequest) -> HttpResponse:
    """Show what each alert means and what to do."""
    return render(request, "web/docs/runbook.html", {"section": "docs"})


@require_safe
def first_bot(request: HttpRequest) -> HttpResponse:
    """Lead an author from the installation to a first rated match and a better bot."""
    context = {"section": "docs", "source": game_guide("tuned").bot.source}
    return render(request, "web/docs/first_bot.html", context)


@require_safe
def why_lost(request: HttpRequest) -> HttpResponse:
    """Explain every fault from the one table of them, refused uploads, and plain defeats."""
    context = {
        "section": "docs",
        "faults": [_fault_row(kind, words) for kind, words in FAULT_WORDS.items()],
        "refusals": [
            (code, render_line(row.meaning), render_line(row.mend))
            for code, row in REFUSALS.items()
        ],
        "streak": FAULTS_IN_A_ROW,
    }
    return render(request, "web/docs/why_lost.html", context)


def _fault_row(kind: FaultKind, words: FaultWords) -> dict[str, object]:
    return {
        "code": kind.value,
        "meaning": words.meaning,
        "examples": words.examples,
        "cause": render_line(words.cause),
        "at_desk": render_line(words.at_desk),
        "mend": what_to_do(kind.value),
    }


@require_safe
def rating_guide(request: HttpRequest) -> HttpResponse:
    """Explain ratings; every number comes from the code that rates."""
    share, of = MOST_SHARE
    context = {
        "section": "docs",
        "stages": stages(),
        "scale": SCALE,
        "leads": leads(),
        "mu": MU,
        "sigma": SIGMA,
        "provisional": PROVISIONAL_SIGMA,
        "z": Z_95,
        "order_factor": ORDER_FACTOR,
        "fastest": FASTEST_STANDARD_S,
        "slowest": SLOWEST_STANDARD_S,
        "most_share": 100 * share // of,
        "most_bots": MOST_BOTS,
        "moving_percent": 100 // MOVING_PART,
        "season_days": settings.LADDER_SEASON_DAYS,
    }
    return render(request, "web/docs/rating_guide.html", context)


@require_safe
def game_bots(request: HttpRequest, game: str) -> HttpResponse:
    """Explain a game to authors of bots: its messages, and a first strategy."""
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    context = {"section": "docs", "guide": game_guide(game), "words": f"web/docs/bots/{game}.html"}
    return render(request, "web/docs/game_bots.html", context)


@require_safe
def organiser_guide(request: HttpRequest) -> HttpResponse:
    """Explain how to run a tournament."""
    context = {"section": "docs", "formats": newest_formats().values()}
    return render(request, "web/docs/organiser_guide.html", context)


@require_safe
def vectors_guide(request: HttpRequest) -> HttpResponse:
    """Explain the test vectors, which prove the rules of a program in another language."""
    context = {"section": "docs", "games": GAMES.values()}
    return render(request, "web/docs/vectors_guide.html", context)


@require_safe
def vectors(request: HttpRequest, game: str) -> HttpResponseBase:
    """Return the test vectors of a game; they change only with a release."""
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    return answer_packed(
        request,
        tag=tag_of("vectors", game, __version__),
        content_type="application/json",
        make=path_of(GAMES[game]).read_bytes,
        keep=FOR_ALL,
    )


@require_safe
def learning(request: HttpRequest) -> HttpResponse:
    """Explain datasets and environments, and how to train a bot on them."""
    context = {"section": "docs", "spaces": _spaces()}
    return render(request, "web/docs/learning.html", context)


@require_safe
def limits(request: HttpRequest) -> HttpResponse:
    """Show the limits on one client, from the table that the server uses."""
    context = {
        "section": "docs",
        "table": table,
        "rates": settings.RATES,
        "streams": settings.STREAMS_OF_ONE,
        "one_request": _limits_of_one_request(),
    }
    return render(request, "web/docs/limits.html", context)


def _limits_of_one_request() -> list[dict[str, str]]:
    """Return every limit of a single request with its refusal; each has a test."""
    rows = (
        ("body of a form", size(table.LARGEST_FORM), "413 too_large"),
        ("body of other calls", size(table.LARGEST_BODY), "413 too_large"),
        ("body of an upload", size(table.LARGEST_UPLOAD), "413 too_large"),
        ("request line and headers together", size(table.LARGEST_HEAD), "431"),
        ("requests sent ahead of their answers", f"{table.MOST_PIPELINED}", "they wait"),
        ("depth of JSON, in levels", f"{table.DEEPEST_JSON}", "400 parse_error"),
        ("fields of a query or form", f"{table.MOST_FIELDS:,}", "400 parse_error"),
        ("text of a filter, in characters", f"{table.LONGEST_FILTER}", "400 invalid"),
        ("text of a search, in characters", f"{LONGEST_QUERY}", "400 invalid"),
        ("rows of a page", f"{table.LARGEST_PAGE}, usually {table.PAGE}", "that many rows"),
        ("streams of one person", f"{settings.STREAMS_OF_ONE}", "429 too_many_streams"),
    )
    return [{"what": what, "most": most, "answer": answer} for what, most, answer in rows]


@require_safe
def ranking_rule(request: HttpRequest) -> HttpResponse:
    """Show the rule by which authors are ranked over all games."""
    return render(request, "web/docs/ranking_rule.html", {"section": "docs", "rule": RULE})


@require_safe
def win_chances(request: HttpRequest) -> HttpResponse:
    """Explain the win-chance curve of a replay, and how it is computed."""
    budget = Budget()
    context = {
        "section": "docs",
        "most": budget.playouts,
        "plies": budget.plies - 1,
        "confirmed": budget.confirmed,
        "fewest": FEWEST_DECISIONS,
        "widest": WIDEST_ACCURACY,
        "powers": power_rows(),
        "command": CALIBRATION,
        "method": METHOD,
        "patience": PATIENCE_S,
        "loan": LOAN_S,
        "share": 100 * SHARE,
        "pause": pause_s(1, slots=2),
    }
    return render(request, "web/docs/win_chances.html", context)


@require_safe
def reference_bots(request: HttpRequest) -> HttpResponse:
    """Show how strong the reference bots are, as `bench strength` has measured it."""
    context = {"section": "docs", "rows": strength_rows()}
    return render(request, "web/docs/reference_bots.html", context)


@require_safe
def protocol(request: HttpRequest) -> HttpResponse:
    """Show the bot protocol, word for word."""
    return _document(request, protocol_text(), section="docs")


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show the rules of a game: in pictures, as the engine follows them, and its cards."""
    text = rules_text(game) if game in GAMES else None
    if text is None:
        raise Http404(f"There is no rules page of {game!r} here.")
    title, body = title_and_body(text)
    context = {
        "section": "games",
        "game": game,
        "title": title,
        "body": render_markdown(body),
        "steps": lesson_steps(game),
        "examples": GAMES[game].examples(),
        "cards": sorted(GAMES[game].commentary().cards().items()),
    }
    return render(request, "web/docs/rules.html", context)


@require_safe
def example_board(request: HttpRequest, game: str, number: int) -> HttpResponseBase:
    """Draw the position of a worked example of the rules; it changes only with a release."""
    examples = GAMES[game].examples() if game in GAMES else []
    if not 1 <= number <= len(examples):
        raise Http404("There is no such example.")
    seen_by = 0 if GAMES[game].info.hidden else None
    return answer_packed(
        request,
        tag=tag_of("example", game, number, __version__),
        content_type="image/svg+xml; charset=utf-8",
        make=lambda: GAMES[game].load(examples[number - 1]["position"]).svg(seen_by).encode(),
        keep=FOR_ALL,
    )


@cache
def _spaces() -> list[dict[str, object]]:
    """Return the sizes of observations and actions for learning, for the usual tables."""
    spaces: list[dict[str, object]] = []
    for game in GAMES.values():
        info = game.info
        features = game.encoder().size(info.default_seats)
        names = {"title": info.title, "seats": info.default_seats, "actions": info.actions}
        spaces.append({**names, "features": features})
    return spaces


def _document(request: HttpRequest, text: str, *, section: str) -> HttpResponse:
    title, body = title_and_body(text)
    context = {"section": section, "title": title, "body": render_markdown(body)}
    return render(request, "web/docs/document.html", context)
