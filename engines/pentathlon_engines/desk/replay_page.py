"""A replay as one page that needs no server: every position, stepped by keys."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.game import State
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.commentary import tell_ply
from pentathlon_engines.record.record import forked_at
from pentathlon_engines.record.shape import Record

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
{scripts}</body>
</html>
"""
SEATS: Final = 5
"""The number of seats with a colour and a shape of their own."""
_PIECES: Final = re.compile(
    r"(?=<(?:g|title|text|path|circle)\b)|(?<=</g>)|(?<=</desc>)|(?<=</title>)"
)
"""Where drawings are cut into pieces: few of them change from ply to ply, so the 1,750 positions
of a match of Way of the Dragon take 1 MB instead of 50."""


def make_page(title: str, body: str, *, data: str = "", script: str = "") -> str:
    """Return a page; `body` is HTML, `script` the name of an asset, and `data` the JSON it reads.

    The content policy allows the style and the script of the page by hash, and nothing else.
    """
    style = _asset("page.css")
    policy = f"style-src {_hash_source(style)}"
    scripts = ""
    if script:
        code = _asset(script)
        policy += f"; script-src {_hash_source(code)}"
        # In JSON, "<" occurs within texts only, so it can be escaped without reading it.
        safe = data.replace("<", "\\u003c")
        scripts = f'<script type="application/json" id="data">{safe}</script>\n'
        scripts += f"<script>{code}</script>\n"
    return _PAGE.format(
        policy=policy, title=escape(title), style=style, body=body, scripts=scripts
    )


def seat_mark(seat: int) -> str:
    """Return the mark of a seat: its number on its shape; colour is never the only sign."""
    return f'<span class="mark s{seat % SEATS}" title="seat {seat}">{seat}</span>'


def scrolling(table: str, *, label: str) -> str:
    """Return a table with its own scrolling on narrow screens, by keyboard, too."""
    return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">{table}</div>'


def _asset(name: str) -> str:
    return (files("pentathlon_engines.desk") / "assets" / name).read_text(encoding="utf-8")


def _hash_source(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def replay_page(record: Record, states: Sequence[State]) -> str:
    """Return the page of a verified record; `states` are its positions from ply 0 on."""
    title = f"{states[0].game.info.title}: {' – '.join(bot['name'] for bot in record['bots'])}"
    return make_page(
        title, _body(record, states, title), data=_pack(record, states), script="replay.js"
    )


def _pack(record: Record, states: Sequence[State]) -> str:
    """Return the script's data: pieces of drawings, and which ones each view has at each ply."""
    numbers: dict[str, int] = {}
    views: list[int | None] = [None]
    if states[0].game.info.hidden:
        views += range(record["seats"])
    boards = [
        list(
            _changes(
                [
                    numbers.setdefault(each, len(numbers))
                    for each in _PIECES.split(state.svg(view, ply=ply))
                ]
                for ply, state in enumerate(states)
            )
        )
        for view in views
    ]
    names = ["as a spectator sees it", *(f"as seat {seat} saw it" for seat in views[1:])]
    events = [describe_event(record, states, ply) for ply in range(len(states))]
    movers = [-2, *(row[0] for row in record["events"])]
    packed = {
        "pieces": list(numbers),
        "boards": boards,
        "views": names,
        "events": events,
        "movers": movers,
    }
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


def _changes(boards: Iterable[list[int]]) -> Iterator[list[int]]:
    """Yield what changes from board to board: pairs of place and piece, or -1 and all pieces."""
    before: list[int] = []
    for board in boards:
        changed = [
            each
            for place, (old, new) in enumerate(zip(before, board, strict=False))
            if old != new
            for each in (place, new)
        ]
        is_alike = len(before) == len(board) and len(changed) < len(board)
        yield changed if is_alike else [-1, *board]
        before = board


def _body(record: Record, states: Sequence[State], title: str) -> str:
    last = len(states) - 1
    outcome = record["outcome"]
    rows = "\n".join(_rows(record))
    fork = record.get("fork")
    forked = (
        f"<p>Played on from ply {forked_at(record)} of the record <code>{escape(fork['chain'])}"
        "</code>; unrated.</p>"
        if fork
        else ""
    )
    return f"""\
<main class="replay">
<header><h1>{escape(title)}</h1>
<p class="muted">seed {record["seed"]} · {count(last, "ply")} · ended by \
{escape(outcome["reason"].replace("_", " "))}</p>{forked}</header>
<section class="board" aria-label="Board"><div id="board">{states[-1].svg(ply=last)}</div>
<p id="says" class="muted" role="status">ply {last} of {last}: \
{escape(describe_event(record, states, last))}</p>
<noscript><p>Without a script this page shows the last position only.</p></noscript>
<div class="controls" id="controls" hidden>
<button type="button" data-do="first" aria-label="First ply">|◀</button>
<button type="button" data-do="back" aria-label="One ply back">◀</button>
<button type="button" data-do="play" aria-label="Play or pause">▶ / ❚❚</button>
<button type="button" data-do="forward" aria-label="One ply forward">▶</button>
<button type="button" data-do="last" aria-label="Last ply">▶|</button>
<button type="button" data-do="view" id="view">view</button>
<input type="range" id="ply" min="0" max="{last}" value="{last}" aria-label="Ply">
</div>
<p class="muted small">Keys: ← → one ply, ↑ ↓ the turn of another seat, Home End, Space plays, \
, . slower and faster, V view.</p></section>
<section><h2>Seats</h2>{scrolling(_seats(record), label="Seats")}
<h2>Events</h2><ol class="events" id="events" start="0" tabindex="0">
{rows}
</ol>
<h2>Receipt</h2><dl><dt>hash chain</dt><dd><code>{escape(record["chain"])}</code></dd>
<dt>match</dt><dd><code>{escape(record["match"])}</code></dd>
<dt>sandbox</dt><dd>{escape(record["sandbox"])}</dd>
<dt>verify</dt><dd><code>pentathlon verify FILE</code></dd></dl></section>
</main>"""


def _seats(record: Record) -> str:
    rows = "\n".join(_seat_row(record, seat) for seat in range(record["seats"]))
    return (
        "<table><thead><tr><th>seat</th><th>bot</th><th>rank</th><th>points</th>"
        f"<th>CPU time</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _seat_row(record: Record, seat: int) -> str:
    outcome, bot = record["outcome"], record["bots"][seat]
    scores = outcome["scores"]
    events = (Event.of(row) for row in record["events"])
    cpu_ms = sum(event.cpu_ms for event in events if event.seat == seat)
    points = "" if scores is None else str(scores[seat])
    return (
        f"<tr><td>{seat_mark(seat)}</td><td>{escape(bot['name'])}</td>"
        f'<td>{ordinal(outcome["ranks"][seat])}</td><td class="n">{points}</td>'
        f'<td class="n">{cpu_ms / 1000:.2f} s</td></tr>'
    )


def _rows(record: Record) -> Iterator[str]:
    yield '<li value="0"><span class="text">start</span></li>'
    for ply, row in enumerate(record["events"], start=1):
        yield from _fault_rows(record, ply - 1)
        event = Event.of(row)
        mark = '<span class="die">chance</span>' if event.is_chance else seat_mark(event.seat)
        by = " <em>stand-in</em>" if event.is_stand_in else ""
        time = f'<span class="muted n">{event.cpu_ms} ms</span>' if event.is_by_bot else ""
        text = f'<span class="text">{escape(event.text)}</span>'
        yield f'<li value="{ply}">{mark} {text}{by}{time}</li>'
    yield from _fault_rows(record, len(record["events"]))


def _fault_rows(record: Record, ply: int) -> Iterator[str]:
    for fault in record["faults"]:
        if fault["ply"] == ply:
            kind, detail = fault["kind"].replace("_", " "), escape(fault["detail"])
            yield f'<li class="fault">{seat_mark(fault["seat"])} ✗ {kind}: {detail}</li>'


def describe_event(record: Record, states: Sequence[State], ply: int) -> str:
    """Return in words the event before position `ply`, and the action's text with its author."""
    said = tell_ply(record, states, ply)
    event = Event.of(record["events"][ply - 1]) if ply else None
    if event is None or event.is_chance:
        return said
    name = "stand-in" if event.is_stand_in else record["bots"][event.seat]["name"]
    return f"{said} ({name}: {event.text})"
