"""The report of a tournament on this machine, as one page that needs nothing else."""

from collections.abc import Sequence
from html import escape
from itertools import groupby
from math import ceil, floor
from typing import Final

from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count
from pentathlon_engines.desk.match_pool import DeskMatch, DeskResult, Tally
from pentathlon_engines.desk.replay_page import make_page, scrolling
from pentathlon_engines.desk.standings import (
    DeskStanding,
    byes_of,
    entry_name,
    standings,
    tally_of,
)
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.tournament.tie_breaks import BYE, TITLES
from pentathlon_engines.tournament.tint import tint

_WIDTH: Final = 960
_ROW: Final = 26
_NAMES: Final = 230
"""The width kept for names beside a chart, in units of the drawing."""
_MOST_LINES: Final = 12
_LONGEST_NAME: Final = 30


def report_page(tournament: DeskTournament, *, name: str) -> str:
    """Return the page: table, strengths, course, crosstable, seats and all matches."""
    rows = standings(tournament)
    game = GAMES[tournament.document.game]
    ended = sum(1 for _ in tournament.counting())
    void = sum(result is None for result in tournament.results.values())
    state = _state(tournament)
    byes = " The total has two points for each bye." if any(row.byes for row in rows) else ""
    body = f"""<main><h1>{escape(name)}</h1>
<p class="muted">{escape(game.info.title)} · {escape(tournament.document.scheduling.title)} · \
{count(ended, "match")}{f" · {void} void" if void else ""} · {escape(state)}</p>
<h2>Table</h2>{scrolling(_table(tournament, rows), label="Table")}
<p class="small muted">Strength is on a scale on which the mean of the field is 25; ± is a 95 % \
interval. Bots of one group cannot all be told apart.</p>
<h2>Strength</h2>{_strength_chart(rows)}
<h2>Points by round</h2>{_course_chart(tournament, rows)}
<h2>Crosstable</h2>{scrolling(_crosstable(rows), label="Crosstable")}
<p class="small muted">Points of the row against the column, of those there were. Tints go from \
lost to won in five steps.{byes}</p>
<h2>Seats</h2>{_seats(tournament)}
<h2>Matches</h2>{scrolling(_matches(tournament), label="Matches")}
<p class="small muted">Played on one machine, unrated. Records lie in the folder of this page: \
<code>pentathlon replay records/00001.json</code>.</p></main>"""
    return make_page(name, body)


def _state(tournament: DeskTournament) -> str:
    if tournament.over is None:
        return "stopped before its end"
    return tournament.over.remark or "complete"


def _table(tournament: DeskTournament, rows: Sequence[DeskStanding]) -> str:
    breaks = tournament.document.tie_breaks
    named = "".join(f'<th class="n">{escape(TITLES[name])}</th>' for name in breaks)
    lines = "".join(
        f'<tr><td class="n">{row.place}</td><th scope="row">{escape(row.name)}</th>'
        f'<td class="n">{row.strength:.1f} ± {row.reach:.1f}</td><td class="n">{row.ranks}</td>'
        f'<td class="n">{row.chance_of_best:.0%}</td><td class="n">{row.group}</td>'
        f'<td class="n">{row.points:g}</td><td class="n">{row.line.matches}</td>'
        f'<td class="n">{row.line.wins}–{row.line.draws}–{row.line.losses}</td>'
        f'<td class="n">{row.line.faults}</td>'
        + "".join(f'<td class="n">{_value(row.tie_breaks[name])}</td>' for name in breaks)
        + "</tr>"
        for row in rows
    )
    return (
        '<table><thead><tr><th class="n">#</th><th>bot</th><th class="n">strength</th>'
        '<th class="n">ranks</th><th class="n">is best</th><th class="n">group</th>'
        '<th class="n">points</th><th class="n">matches</th><th class="n">won–drawn–lost</th>'
        f'<th class="n">faults</th>{named}</tr></thead><tbody>{lines}</tbody></table>'
    )


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}" if value % 1 else f"{value:g}"


def _strength_chart(rows: Sequence[DeskStanding]) -> str:
    low = 5.0 * floor(min(row.interval[0] for row in rows) / 5)
    high = 5.0 * ceil(max(row.interval[1] for row in rows) / 5)
    high = max(high, low + 5)

    def x(strength: float) -> float:
        return _NAMES + (strength - low) / (high - low) * (_WIDTH - _NAMES - 90)

    height = _ROW * len(rows) + 34
    parts = [
        f'<line class="rule" x1="{x(each):.1f}" x2="{x(each):.1f}" y1="4" y2="{height - 26}"/>'
        f'<text class="m" x="{x(each):.1f}" y="{height - 8}" text-anchor="middle">{each}</text>'
        for each in range(int(low), int(high) + 1, 5 if high - low <= 50 else 10)  # noqa: PLR2004  # readable
    ]
    for place, row in enumerate(rows):
        y = 4 + _ROW * place + _ROW / 2
        start, end = (x(bound) for bound in row.interval)
        parts.append(
            f'<text x="10" y="{y + 4:.1f}">{escape(_short(row.name))}</text>'
            f'<rect class="bar" x="{start:.1f}" y="{y - 6:.1f}" width="{end - start:.1f}" '
            f'height="12"/><circle class="dot" cx="{x(row.strength):.1f}" cy="{y:.1f}" r="4"/>'
            f'<text class="m" x="{_WIDTH - 84}" y="{y + 4:.1f}">'
            f"{row.strength:.1f} ± {row.reach:.1f}</text>"
        )
    return _chart("Strength with 95 % interval", height, "".join(parts))


def _course_chart(tournament: DeskTournament, rows: Sequence[DeskStanding]) -> str:
    """Draw the points of the best after each round."""
    shown = rows[:_MOST_LINES]
    rounds = _points_by_round(tournament)
    if len(rounds) < 2:  # noqa: PLR2004  # a line needs two points
        return "<p>There was one round only.</p>" if rounds else "<p>No match has ended.</p>"
    top = max(1.0, *(points[row.number] for points in rounds for row in shown))
    height, bottom = 320, 286
    step = (_WIDTH - _NAMES - 60) / len(rounds)
    parts = [
        f'<text class="m" x="{40 + step * number:.1f}" y="308" text-anchor="middle">{number}'
        "</text>"
        for number in range(0, len(rounds) + 1, max(1, len(rounds) // 12))
    ]
    parts.append(f'<text class="m" x="6" y="20">{top:g}</text>')
    labels = _spread([bottom - 260 * rounds[-1][row.number] / top for row in shown])
    for row, label_y in zip(shown, labels, strict=True):
        heights = [0.0, *(points[row.number] for points in rounds)]
        path = " ".join(
            f"{40 + step * number:.1f},{bottom - 260 * points / top:.1f}"
            for number, points in enumerate(heights)
        )
        parts.append(
            f'<polyline class="path" points="{path}"><title>{escape(row.name)}</title></polyline>'
            f'<text x="{_WIDTH - _NAMES - 12}" y="{label_y + 4:.1f}">'
            f"{escape(_short(row.name))} {heights[-1]:g}</text>"
        )
    return _chart("Points after each round", height, "".join(parts))


def _spread(places: Sequence[float]) -> list[float]:
    """Return the heights of labels, from the top, moved apart so that none hides another."""
    moved: list[float] = []
    order = sorted(range(len(places)), key=places.__getitem__)
    found = dict.fromkeys(order, 0.0)
    for index in order:
        y = places[index] if not moved else max(places[index], moved[-1] + 15)
        moved.append(y)
        found[index] = y
    below = max(0.0, moved[-1] - 300) if moved else 0.0
    return [found[index] - below for index in range(len(places))]


def _points_by_round(tournament: DeskTournament) -> list[list[float]]:
    """Return the points of all entries after each round with a match that counts."""
    seats = tournament.document.table_seats or 2
    tally = Tally(len(tournament.document.entries))
    after: list[list[float]] = []
    by_round = groupby(tournament.counting(), key=lambda each: tournament.rounds[each[0].block])
    for number, part in by_round:
        for match, result in part:
            tally.count(match.players, result)
        byes = byes_of(tournament, rounds=number)
        after.append(
            [
                line.points(seats) + BYE * byes.get(place, 0)
                for place, line in enumerate(tally.lines)
            ]
        )
    return after


def _crosstable(rows: Sequence[DeskStanding]) -> str:
    heads = "".join(
        f'<th class="n" scope="col"><abbr title="{escape(row.name)}">{row.place}</abbr></th>'
        for row in rows
    )
    lines = "".join(
        f'<tr><th scope="row">{row.place}. {escape(row.name)}</th>'
        + "".join(_cell(row, other) for other in rows)
        + f'<td class="n"><strong>{row.points:g}</strong></td></tr>'
        for row in rows
    )
    return (
        f'<table><thead><tr><td></td>{heads}<th class="n">total</th></tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )


def _cell(row: DeskStanding, other: DeskStanding) -> str:
    if row.number == other.number:
        return '<td class="own"></td>'
    won, level, lost = row.line.against.get(other.number, (0, 0, 0))
    met = won + level + lost
    if not met:
        return '<td class="n">–</td>'
    points = won + level / 2
    label = escape(f"{row.name} against {other.name}: {points:g} of {met}")
    return f'<td class="n {tint(points / met)}" title="{label}">{points:g}</td>'


def _seats(tournament: DeskTournament) -> str:
    parts = []
    for seat, (won, level, lost) in enumerate(tally_of(tournament).seats):
        met = won + level + lost
        if met:
            parts.append(f"seat {seat}: {(won + level / 2) / met:.0%} of the points")
    return f"<p>{' · '.join(parts) or 'No match has ended.'}</p>"


def _matches(tournament: DeskTournament) -> str:
    lines = "".join(
        _match_line(tournament, tournament.matches[index], result)
        for index, result in sorted(tournament.results.items())
    )
    return (
        '<table><thead><tr><th class="n">match</th><th class="n">round</th>'
        '<th class="n">block</th><th>seats</th><th>ranks</th><th>end</th>'
        '<th class="n">plies</th><th class="n">seed</th>'
        f"</tr></thead><tbody>{lines}</tbody></table>"
    )


def _match_line(tournament: DeskTournament, match: DeskMatch, result: DeskResult | None) -> str:
    seats = escape(" – ".join(entry_name(tournament, player) for player in match.players))
    head = (
        f'<tr><td class="n">{match.index}</td><td class="n">{tournament.rounds[match.block]}</td>'
        f'<td class="n">{match.block}</td><td>{seats}</td>'
    )
    seed = f'<td class="n">{match.seed}</td></tr>'
    if result is None:
        return f"{head}<td></td><td>void</td><td></td>{seed}"
    ranks = " – ".join(str(rank + 1) for rank in result.ranks)
    reason = escape(result.reason.replace("_", " "))
    return f'{head}<td>{ranks}</td><td>{reason}</td><td class="n">{result.plies}</td>{seed}'


def _chart(label: str, height: float, parts: str) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(label)}">{parts}</svg>'
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
