"""What is on: the slot of the programme as a page shows it at this moment, or a live match."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from django.utils.safestring import SafeString

from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.channel.director import Showing
from pentathlon.insight.channel.programme import best_running, exhibition, programme, record_of
from pentathlon.insight.stories import story_of
from pentathlon.matches.latest import name_seats
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.moments import board_svg, moment_of, score_line, states_of
from pentathlon.web.drawing.boards import inline_board, match_title, start_board, thumbnail
from pentathlon.web.replay.win_chances import ChanceChart, chance_chart, score_chart
from pentathlon_engines import GAMES, GameInfo
from pentathlon_engines.record.commentary import tell_outcome
from pentathlon_engines.record.shape import Record

_UPCOMING: Final = 3
_drawing: Final = threading.Lock()
_RESULT_S: Final = 60
"""For how long the result of a match that was live may be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPly:
    """What is the same in a slot for all who watch: made once for a ply."""

    match: Match | None
    """None for an exhibition."""
    title: str
    info: GameInfo
    seats: Sequence[tuple[int, str, int | None]]
    """Number, name, and the bot's id if it has a page."""
    board: SafeString
    said: str
    story: Sequence[str]
    chances: ChanceChart | None
    """The win chances, else the points, if the game has any."""


def on_air(game: str, *, after: int | None = None) -> dict[str, Any]:  # Any: a context
    """Return what a page shows of the channel of a game, or of all games."""
    game, now = game if game in GAMES else "", time.time()
    slots = programme(game, now=now)
    context: dict[str, Any] = {"info": GAMES[game].info if game else None}
    if after is not None and (ended := _just_ended(after)) is not None:
        return {**context, "ended": ended, "match": ended, "title": match_title(ended)}
    live = best_running(game, slot=slots[0])
    scenes = ((slot, _scene_at(slot, now)) for slot in slots)
    slot, scene = next(
        ((slot, scene) for slot, scene in scenes if scene is not None), (None, None)
    )
    if live is not None or slot is None or scene is None:
        return {**context, "upcoming": _upcoming(slots), **(_live(live) if live else {})}
    elapsed = max(0.0, now - slot.starts)
    return {
        **context,
        "slot": slot,
        "scene": scene,
        "match": scene.match,
        "title": scene.title,
        "playing": scene.info,
        "chances": scene.chances,
        "elapsed": f"{elapsed:.2f}",
        "is_over": elapsed >= slot.result_at,
        "frames": json.dumps([[ply, round(at, 2)] for ply, at in slot.frames]),
        "upcoming": _upcoming(slots[slots.index(slot) + 1 :]),
    }


def _live(match: Match) -> dict[str, Any]:  # Any: a context
    return {
        "live": match,
        "match": match,
        "title": match_title(match),
        "playing": GAMES[match.game].info,
        "start": thumbnail(start_board(match.game)),
        "board": inline_board(start_board(match.game)),  # until the stream brings a later one
    }


def _upcoming(slots: Sequence[Showing]) -> list[tuple[datetime, str, str]]:
    """Return when each of the next matches begins, its title and its game."""
    return [
        (datetime.fromtimestamp(slot.starts, tz=UTC), title, GAMES[slot.game].info.title)
        for slot in slots[:_UPCOMING]
        if (title := _title(slot.source)) is not None
    ]


def _just_ended(match_id: int) -> Match | None:
    ended = Match.objects.public().filter(pk=match_id, state=MatchState.DONE).with_seats().first()
    if ended is None or ended.finished_at is None:
        return None
    return ended if time.time() - ended.finished_at.timestamp() < _RESULT_S else None


def _scene_at(slot: Showing, now: float) -> ShownPly | None:
    """Return the scene at a moment; None if its match can no longer be shown."""
    elapsed = now - slot.starts
    ply = max((ply for ply, at in slot.frames if at <= elapsed), default=0)
    try:
        with _drawing:  # however many ask at once, a ply is drawn once
            return _scene(slot.source, ply)
    except (Damaged, Unavailable):
        return None


@lru_cache(maxsize=64)
def _scene(source: str, ply: int) -> ShownPly | None:
    found = record_of(source)
    if found is None:
        return None
    match, record = found
    ply = min(ply, len(record["events"]))
    is_end = ply == len(record["events"])
    line = score_line(record)
    curve = Analysis.objects.filter(match=match, curve__isnull=False).first() if match else None
    chart = None if line is None else score_chart(line, ply=ply, is_whole=is_end)
    if curve is not None and curve.curve is not None:
        chart = chance_chart(curve.curve, ply=ply, is_whole=is_end)
    seats = [(seat.seat, name, seat.version.bot_id) for seat, name in _named(match) if match] or [
        (seat, bot["name"], None) for seat, bot in enumerate(record["bots"])
    ]
    return ShownPly(
        match=match,
        title=_title(source) or "",
        info=GAMES[record["game"]].info,
        seats=seats,
        chances=chart,
        story=story_of(match, line=line) if match else [_ending(record)],
        **position_at(record, ply),
    )


def _named(match: Match | None) -> list[tuple[Any, str]]:  # Any: a seat of the match
    return list(name_seats(match.seats.all()).items()) if match else []


def forget() -> None:
    """Forget what was made for those who watched before."""
    _scene.cache_clear()
    _title.cache_clear()


@lru_cache(maxsize=256)
def _title(source: str) -> str | None:
    """Return the title of a match that is or will be on; None if it may no longer be shown."""
    if source in GAMES:
        return " – ".join(bot["name"] for bot in exhibition(source)["bots"])
    found = Match.objects.public().filter(pk=int(source)).with_seats().first()
    return None if found is None else match_title(found)


def _ending(record: Record) -> str:
    return f"{tell_outcome(record, states_of(record)[-1])}."


def position_at(record: Record, ply: int) -> dict[str, Any]:  # Any: fields of a scene
    """Return the board at a ply, and what happened there."""
    return {
        "board": thumbnail(board_svg(record, ply)),
        "said": f"{moment_of(record, ply, None).said}.",
    }
