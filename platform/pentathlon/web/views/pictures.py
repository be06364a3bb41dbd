"""Pictures of pages, for people who share links.

They show what everybody may see, and only the backs of hidden hands, because links are shared with
anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from textwrap import wrap
from typing import Final

import font_manrope
import resvg_py
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.core.caching import answer_if_changed, tag_of
from pentathlon.matches.latest import tell_match
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import Pool, Rating, live_key
from pentathlon.tournaments.models import UNSTARTED, Tournament
from pentathlon.tournaments.results.final_table import podiums
from pentathlon.tournaments.results.hidden_results import are_hidden
from pentathlon.tournaments.results.standings import standings
from pentathlon.web.drawing.boards import Tile, game_tiles, lesson_board, lesson_picture
from pentathlon.web.replay.viewer import draw_board
from pentathlon.web.requests import query_number
from pentathlon.web.tables import format_name, rating_table
from pentathlon.web.templatetags.components import glyph_path, state_words
from pentathlon.web.templatetags.formats import percent, points
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.contract.registry import unknown_game

WIDTH: Final = 1200
HEIGHT: Final = 630
_FONT: Final = "Manrope"
"""The letters come from a font that is installed with us, so pictures are the same everywhere."""
_FONT_FILES: Final = [
    str(Path(font_manrope.__file__).parent / f"files/{_FONT}-{weight}.ttf")
    for weight in ("Regular", "Bold")
]
_KEPT: Final = 48
"""How many pictures a process keeps; each has at most about 150 kB, and its card 60 kB."""
_PAPER, _TEXT, _MUTED, _ACCENT = "#f5f4f0", "#1b1d21", "#5a5d63", "#14599e"
_SEATS: Final = ("#613a99", "#fbb445", "#4f968c", "#a5170f", "#8bd0fb")
_BOARD: Final = 582
_LEFT: Final = 48
_GAP: Final = 24
_LINE_STEP: Final = 64
_LONGEST: Final = 26
"""The most letters of a line beside a board."""
_LONGEST_ALONE: Final = 44
"""The most letters of a line that has the whole width to itself."""
_KEEPS = "public, max-age=3600"
_ROWS = 5
_ACROSS = 'class="board wide"'


def match_card(
    *, board: str, game: str, names: Sequence[str], winners: Sequence[int], place: str, said: str
) -> str:
    """Return the card of a match: a position, the players, and the winner if that is told."""
    x = _BOARD + 64
    lines = [
        format_html(
            '<path transform="translate({} {}) scale(1.5)" d="{}" fill="{}"/>'
            '<text x="{}" y="{}" font-size="34" font-weight="{}">{}{}</text>',
            *(x, 198 + _LINE_STEP * seat, glyph_path(f"seat-{seat}"), _SEATS[seat]),
            *(x + 52, 228 + _LINE_STEP * seat, 700 if seat in winners else 400),
            *(fit(name, _LONGEST - 6), " won" if seat in winners else ""),
        )
        for seat, name in enumerate(names)
    ]
    text = format_html(
        '<text x="{}" y="120" font-size="48" font-weight="700">{}</text>'
        '<text x="{}" y="590" font-size="26" fill="{}">{}</text>',
        *(x, fit(game, _LONGEST), x, _MUTED, fit(place, _LONGEST + 8)),
    )
    text += format_html_join(
        "",
        '<text x="{}" y="{}" font-size="28">{}</text>',
        ((x, 510 + 36 * row, line) for row, line in enumerate(wrap(fit(said, 64), 36)[:2])),
    )
    drawn = _placed(board, x=24, y=24, side=_BOARD)
    return _card(drawn + text + SafeString("").join(lines), x=x)


def game_card(*, board: str, title: str, facts: str, rows: Sequence[tuple[str, str]]) -> str:
    """Return the card of a game: a position, a few facts, and the best bots with their ratings."""
    x = _BOARD + 64
    heads = format_html(
        '<text x="{}" y="130" font-size="48" font-weight="700">{}</text>'
        '<text x="{}" y="178" font-size="26" fill="{}">{}</text>',
        *(x, fit(title, _LONGEST), x, _MUTED, fit(facts, _LONGEST + 12)),
    )
    lines = format_html_join(
        "",
        '<text x="{}" y="{}" font-size="34">{}</text>'
        '<text x="{}" y="{}" font-size="34" text-anchor="end">{}</text>',
        (
            (x, y, fit(name, _LONGEST - 6), WIDTH - _LEFT, y, fit(number, 8))
            for y, (name, number) in zip(range(270, HEIGHT, _LINE_STEP), rows, strict=False)
        ),
    )
    return _card(_placed(board, x=24, y=24, side=_BOARD) + heads + lines, x=x)


def site_card(*, title: str, subtitle: str, boards: Sequence[tuple[str, str]]) -> str:
    """Return the card of the site: what it is, and a board of each game with its name."""
    heads = format_html(
        '<text x="{}" y="150" font-size="58" font-weight="700">{}</text>'
        '<text x="{}" y="206" font-size="26" fill="{}">{}</text>',
        *(_LEFT, fit(title, 36), _LEFT, _MUTED, fit(subtitle, 84)),
    )
    step = (WIDTH - 2 * _LEFT + _GAP) // len(boards)
    side = step - _GAP
    drawn = [
        _placed(board, x=_LEFT + step * place, y=280, side=side)
        + format_html(
            '<text x="{}" y="{}" font-size="22" text-anchor="middle">{}</text>',
            *(_LEFT + step * place + side // 2, 280 + side + 44, fit(name, 20)),
        )
        for place, (name, board) in enumerate(boards)
    ]
    return _card(heads + SafeString("").join(drawn), x=_LEFT)


def list_card(*, title: str, subtitle: str, rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a card with a title and some rows: a text at the left, the name, and a number."""
    heads = format_html(
        '<text x="{}" y="130" font-size="54" font-weight="700">{}</text>'
        '<text x="{}" y="180" font-size="28" fill="{}">{}</text>',
        *(_LEFT, fit(title, 36), _LEFT, _MUTED, fit(subtitle, 64)),
    )
    lines = format_html_join(
        "",
        '<text x="{}" y="{}" font-size="34" fill="{}">{}</text>'
        '<text x="{}" y="{}" font-size="34" font-weight="700">{}</text>'
        '<text x="{}" y="{}" font-size="34" text-anchor="end">{}</text>',
        (
            (
                *(_LEFT, y, _MUTED, fit(left, 12)),
                *(_LEFT + 210, y, fit(name, _LONGEST_ALONE - 12)),
                *(WIDTH - _LEFT, y, fit(number, 16)),
            )
            for y, (left, name, number) in zip(range(260, HEIGHT, 66), rows, strict=False)
        ),
    )
    return _card(heads + lines, x=_LEFT)


@lru_cache(maxsize=_KEPT)
def draw_card(card: str) -> bytes:
    """Draw a card, once for each content; this takes some tenths of a second."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=card,
            width=WIDTH,
            skip_system_fonts=True,
            font_files=_FONT_FILES,
            font_family=_FONT,
            sans_serif_family=_FONT,
            monospace_family=_FONT,
        )
    )


def fit(text: str, longest: int) -> str:
    """Return a text as one line of at most so many letters, without invisible ones."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _placed(board: str, *, x: int, y: int, side: int) -> SafeString:
    """Return a drawing of an engine in a square of a card."""
    head, body = board.split(">", 1)
    head = head.replace("<svg ", f'<svg x="{x}" y="{y}" width="{side}" height="{side}" ', 1)
    # The engines escape what they draw.
    return mark_safe(f"{head}>{body}")  # noqa: S308


def _card(content: str, *, x: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="{_FONT}" fill="{_TEXT}"><rect width="{WIDTH}" height="{HEIGHT}" '
        f'fill="{_PAPER}"/><rect y="{HEIGHT - 8}" width="{WIDTH}" height="8" fill="{_ACCENT}"/>'
        f'<text x="{x}" y="62" font-size="26" font-weight="700" fill="{_ACCENT}">'
        f"Pentathlon</text>{content}</svg>"
    )


@require_safe
def home_picture(request: HttpRequest) -> HttpResponseBase:
    """Draw the site: a board of each game."""
    return _answer(request, _site_card())


@require_safe
def game_picture(request: HttpRequest, game: str) -> HttpResponseBase:
    """Draw a game: a board, and its best bots."""
    tile = _tile(game)
    table = rating_table(live_key(game), reader=None, size=_ROWS)
    card = game_card(
        board=_board(game),
        title=tile.info.title,
        facts=tile.facts,
        rows=[
            (row.rating.version.bot.name, f"≥ {percent(row.rating.odds.sure)}")
            for row in table.rows
        ],
    )
    return _answer(request, card)


@require_safe
def tournament_picture(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Draw the standings of a tournament, as everybody may see them."""
    shown = Tournament.objects.visible_to(None).select_related("owner", "pool")
    found = get_object_or_404(shown, pk=tournament_id)
    said, rows = state_words(found.state), list[tuple[str, str, str]]()
    if found.state in UNSTARTED:
        said = f"{said}, {count(found.entries.count(), 'bot')}"
    elif are_hidden(found, None):
        said = "results are shown when it is over"
    else:
        won = podiums([found.pk]).get(found.pk)
        said = won.story if won else said
        rows = [
            (ordinal(row.place - 1), row.version.bot.name, points(row.points))
            for row in standings(found)[:_ROWS]
            if row.place is not None
        ]
    kind = f"{GAMES[found.game].info.title} · {format_name(found)}"
    return _answer(request, list_card(title=found.name, subtitle=f"{kind} · {said}", rows=rows))


@require_safe
def match_picture(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Draw a match at `ply` as a spectator sees it; by default half-way, which hides the end."""
    public = Match.objects.public().filter(state=MatchState.DONE).with_seats()
    found = get_object_or_404(public.select_related("replay"), pk=match_id)
    record = read_record(found.replay)
    last, asked = len(record["events"]), query_number(request, "ply")
    ply = last // 2 if asked is None else min(asked, last)
    seats = list(found.seats.all())
    return _answer(
        request,
        match_card(
            board=draw_board(record, ply=ply, seat=None),
            game=GAMES[found.game].info.title,
            names=[seat.version.bot.name for seat in seats],
            winners=[seat.seat for seat in seats if seat.rank == 0 and ply == last],
            place=f"match {found.pk}, ply {ply} of {last}",
            said=tell_match(found) if ply == last else "",
        ),
    )


@require_safe
def leaderboard_picture(request: HttpRequest, game: str) -> HttpResponseBase:
    """Draw the best bots of a game."""
    tile = _tile(game)
    table = rating_table(live_key(game), reader=None, size=_ROWS)
    return _answer(
        request,
        list_card(
            title=tile.info.title,
            subtitle=f"How often the best of {table.total:,} bots beat an average one",
            rows=[
                (
                    ordinal(row.rank - 1),
                    row.rating.version.bot.name,
                    f"≥ {percent(row.rating.odds.sure)}",
                )
                for row in table.rows
            ],
        ),
    )


@require_safe
def bot_picture(request: HttpRequest, bot_id: int) -> HttpResponseBase:
    """Draw the places of a bot in its games."""
    found = get_object_or_404(Bot.objects.select_related("owner"), pk=bot_id)
    ratings = Rating.objects.filter(version__bot=found, pool__in=Pool.objects.live())
    newest: dict[str, tuple[str, str, str]] = {}
    for rating in ratings.select_related("pool").with_mean().ranked().order_by("-version__number"):
        row = (ordinal(rating.rank - 1), rating.pool.title, f"≥ {percent(rating.odds.sure)}")
        newest.setdefault(rating.pool.title, row)
    card = list_card(
        title=found.name,
        subtitle=f"by {found.owner.username}" + ("" if newest else ", not rated yet"),
        rows=list(newest.values())[:_ROWS],
    )
    return _answer(request, card)


@cache
def _site_card() -> str:
    boards = [(tile.info.title, _board(tile.info.key)) for tile in game_tiles()]
    return site_card(
        title="Bots play board games",
        subtitle="Bots play, every result is re-simulated, every rating shows how sure it is.",
        boards=boards,
    )


def _board(game: str) -> str:
    """Return the playing area of a board, or all of a wide drawing, which a square can hold."""
    board = lesson_board(game)
    return board if _ACROSS in board.partition(">")[0] else lesson_picture(game)


def _tile(game: str) -> Tile:
    for tile in game_tiles():
        if tile.info.key == game:
            return tile
    raise Http404(f"There is {unknown_game(game)}.")


def _answer(request: HttpRequest, card: str) -> HttpResponseBase:
    return answer_if_changed(
        request,
        tag=tag_of(card),
        make=lambda: HttpResponse(draw_card(card), content_type="image/png"),
        keep=_KEEPS,
    )
