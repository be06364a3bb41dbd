"""Tags that draw the small parts of a page: glyphs, seat marks, badges and bars."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import accumulate

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timeuntil

from pentathlon import web
from pentathlon.ratings.tables import Trend
from pentathlon.ratings.uncertainty import Odds, StrengthBar
from pentathlon_engines.commentary.words import name_seat
from pentathlon_engines.drawing import svg
from pentathlon_engines.light_json import read_data

register = template.Library()

# State -> glyph, tone, word. Any other state is shown in a neutral tone by its own name.
_BADGES = {
    "running": ("play", "info", "running"),
    "draft": ("lock", "", "draft"),
    "open": ("tick", "good", "open for entries"),
    "paused": ("pause", "warn", "paused"),
    "closed": ("tick", "", "finished"),
    "cancelled": ("void", "bad", "cancelled"),
    "pending": ("clock", "", "waiting"),
    "done": ("tick", "", "finished"),
    "void": ("void", "bad", "void"),
    "validating": ("clock", "", "being checked"),
    "eligible": ("tick", "good", "may play"),
    "rejected": ("fault", "bad", "failed its checks"),
    "unchecked": ("void", "warn", "not checked: our machines failed"),
    "retired": ("lock", "", "retired"),
    "in_force": ("pause", "warn", "in force"),
    "ended": ("tick", "", "ended"),
    "stopped": ("fault", "bad", "stopped: it fails at its start"),
    "disqualified": ("fault", "bad", "disqualified"),
    "closing": ("clock", "info", "last matches"),
    "withdrawn": ("void", "warn", "withdrawn"),
    "replaced": ("lock", "", "replaced"),
    "revoked": ("void", "warn", "taken back"),
    "verified": ("tick", "good", "verified"),
    "hidden": ("lock", "", "hidden parts"),
    "dice": ("dice", "", "chance"),
    "unrated": ("void", "", "unrated"),
    "waiting": ("clock", "info", "waiting"),
    "delivered": ("tick", "good", "delivered"),
    "failed": ("fault", "bad", "given up"),
    "enabled": ("tick", "good", "enabled"),
    "disabled": ("pause", "warn", "disabled"),
}
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_EDGE = 86.0, 18.0, 3.0
_SEAT_TEXT_Y = {2: 18.6}


@cache
def _glyphs() -> Mapping[str, str]:
    """Return the SVG path of every glyph of boards and pages."""
    boards: dict[str, str] = read_data(svg.__file__, "glyphs.json")
    pages: dict[str, str] = read_data(web.__file__, "glyphs.json")
    return {**boards, **pages}


def glyph_path(name: str) -> str:
    """Return the outline of a glyph, on a grid of 24."""
    return _glyphs()[name]


@register.simple_tag
def glyph(name: str, tone: str = "") -> SafeString:
    """Draw a glyph in the colour of the text; a word beside the glyph gives its meaning."""
    return format_html(
        '<svg class="glyph {}" viewBox="0 0 24 24" aria-hidden="true">'
        '<path fill-rule="evenodd" d="{}"/></svg>',
        tone,
        _glyphs()[name],
    )


@register.simple_tag
def seat_mark(seat: int) -> SafeString:
    """Draw the mark of a seat: its shape, colour and number."""
    return format_html(
        '<svg class="seat" viewBox="0 0 24 24" role="img" aria-label="seat {0}">'
        '<path class="seat-{0}" d="{1}"/>'
        '<text class="seat-{0}-ink" x="12" y="{2}">{0}</text></svg>',
        seat,
        _glyphs()[f"seat-{seat % 5}"],
        _SEAT_TEXT_Y.get(seat, 16.6),
    )


def state_words(state: str) -> str:
    """Return the usual words for a state."""
    return _BADGES[state][2] if state in _BADGES else state


@register.simple_tag
def badge(state: str, word: str = "") -> SafeString:
    """Draw the badge of a state, with its usual word or another one."""
    name, tone, usual = _BADGES.get(state, ("", "", state))
    drawing = glyph(name) if name else ""
    return format_html('<span class="badge {}">{}{}</span>', tone, drawing, word or usual)


@register.simple_tag
def at(time: datetime, shape: str = "j M Y, H:i") -> SafeString:
    """Return a time in UTC as HTML; a script puts the reader's own time before it."""
    return format_html(
        '<time datetime="{}" data-at>{} UTC</time>', time.isoformat(), date_format(time, shape)
    )


@register.simple_tag
def moment(time: datetime) -> SafeString:
    """Return a time as HTML, with its distance from now."""
    now = timezone.now()
    if time <= now:
        away = "passed"
    elif time - now < timedelta(minutes=1):
        away = "in less than a minute"
    else:
        away = f"in {timeuntil(time, now)}"
    return format_html('{} <span class="muted">({})</span>', at(time), away)


@register.simple_tag
def share_bar(share: float) -> SafeString:
    """Draw a share from 0 to 1 as a bar; the page writes the number beside it."""
    return format_html(
        '<svg class="bar" aria-hidden="true"><rect class="done" width="{}%" height="100%"/></svg>',
        f"{100 * share:.1f}",
    )


@register.filter
def colour_of_seat(seat: int) -> str:
    """Return the commentary's name of a seat: "Violet"."""
    return name_seat(seat)


@register.simple_tag
def seat_shares_bar(shares: Sequence[float]) -> SafeString:
    """Draw the shares of seats side by side; the page writes the numbers beside them."""
    starts = accumulate(shares[:-1], initial=0.0)
    drawn = [
        (seat, f"{100 * start:.1f}", f"{100 * share:.1f}")
        for seat, (start, share) in enumerate(zip(starts, shares, strict=True))
    ]
    rects = format_html_join(
        "", '<rect class="seat-{}" x="{}%" width="{}%" height="100%"/>', drawn
    )
    return format_html('<svg class="bar" aria-hidden="true">{}</svg>', rects)


@register.simple_tag
def progress_bar(*, done: int, running: int, void: int, total: int) -> SafeString:
    """Draw the progress of a tournament: done solid, running striped, void at the end."""
    parts = (("done", done, ""), ("running", running, "url(#stripes)"), ("void", void, ""))
    drawn, start = [], 0
    for name, count, fill in parts:
        drawn.append((name, _percent(start, total), _percent(count, total), fill or "none"))
        start += count
    return format_html(
        '<svg class="bar" role="progressbar" aria-label="Matches played" aria-valuemin="0" '
        'aria-valuemax="{}" aria-valuenow="{}" aria-valuetext="{} of {} matches">{}</svg>',
        total,
        done + void,
        f"{done:,}",
        f"{total:,}",
        format_html_join(
            "", '<rect class="{}" x="{}%" width="{}%" height="100%" fill="{}"/>', drawn
        ),
    )


@register.simple_tag
def interval_bar(
    bar: StrengthBar, scale: tuple[float, float], *, provisional: bool, shown: bool = True
) -> SafeString:
    """Draw the 95 % interval of a strength on the scale of its table."""
    label = f"95 % interval {bar.low:.1f} to {bar.high:.1f}"
    return _interval(bar, bar.strength, scale, label, provisional=provisional, shown=shown)


def _interval(
    bar: StrengthBar,
    tick: float,
    scale: tuple[float, float],
    label: str,
    *,
    provisional: bool,
    shown: bool,
) -> SafeString:
    left, right = _on(bar.low, scale), _on(bar.high, scale)
    return format_html(
        '<svg class="interval" {}><line class="track" x2="100%" y1="11" y2="11"/>'
        '<rect class="reach {}" x="{}%" y="5" width="{}%" height="12" rx="3"/>'
        '<rect class="tick" x="{}%" y="2" width="3" height="18" '
        'transform="translate(-1.5 0)"/></svg>',
        _aria(label, shown=shown),
        "provisional" if provisional else "",
        f"{left:.1f}",
        f"{right - left:.1f}",
        f"{_on(tick, scale):.1f}",
    )


@register.simple_tag
def sparkline(values: Sequence[float]) -> SafeString:
    """Draw the course of a number, as decoration beside the numbers themselves."""
    if len(values) < 2:  # noqa: PLR2004  a line has two ends
        return SafeString("")
    low, high = min(values), max(values)
    scale = _SPARK_HEIGHT / (high - low) if high > low else 0.0
    step = _SPARK_WIDTH / (len(values) - 1)
    places = [
        (_SPARK_EDGE + step * place, _SPARK_EDGE + _SPARK_HEIGHT - scale * (value - low))
        for place, value in enumerate(values)
    ]
    return format_html(
        '<svg class="spark" viewBox="0 0 92 24" width="92" height="24" aria-hidden="true">'
        '<polyline points="{}"/><circle cx="{}" cy="{}" r="2.5"/></svg>',
        " ".join(f"{x:.1f},{y:.1f}" for x, y in places),
        f"{places[-1][0]:.1f}",
        f"{places[-1][1]:.1f}",
    )


@register.simple_tag
def rating_change(trend: Trend) -> SafeString:
    """Draw the latest course of a rating, with its change within a week."""
    return format_html("{} {}", sparkline(trend.scores), _week_change(trend))


def _week_change(trend: Trend) -> SafeString:
    if trend.change is None:
        return mark_safe('<span class="by">first rated this week</span>')
    change = round(trend.change, 1)
    word = "up" if change > 0 else "down" if change < 0 else "level"
    return format_html(
        '<span class="{}">{} {}</span><span class="by">in 7 days</span>',
        {"up": "good-text", "down": "bad-text"}.get(word, "muted"),
        word,
        f"{abs(change):.1f}",
    )


@register.simple_tag
def odds_bar(odds: Odds, *, provisional: bool, shown: bool = True) -> SafeString:
    """Draw how sure the odds against an average bot are: all that they may be, from 0 to 100 %."""
    sure, likely, most = (f"{100 * share:.0f} %" for share in odds)
    label = f"likely {likely}, from {sure} to {most}"
    bar = StrengthBar(50 * (odds.sure + odds.most), 50 * (odds.most - odds.sure))
    return _interval(bar, 100 * odds.likely, (0, 100), label, provisional=provisional, shown=shown)


@register.simple_tag
def movement(moved: int | None) -> SafeString:
    """Say how far a figure in percent has moved since yesterday."""
    if moved is None:
        return mark_safe('<span class="muted">new</span>')
    if not moved:
        return mark_safe('<span class="muted">=<span class="hide"> as yesterday</span></span>')
    sign, tone, word = ("▲", "good", "up") if moved > 0 else ("▼", "bad", "down")
    return format_html(
        '<span class="{}-text">{}<span class="hide"> {}</span> {}</span>',
        tone,
        sign,
        word,
        abs(moved),
    )


@register.simple_tag
def share_interval_bar(share: float, low: float, high: float) -> SafeString:
    """Draw a share of points with its 95 % interval, on a scale from 0 to 100 %."""
    label = f"{100 * share:.0f} %, 95 % interval {100 * low:.0f} to {100 * high:.0f} %"
    bar = StrengthBar(50 * (low + high), 50 * (high - low))
    return _interval(bar, 100 * share, (0, 100), label, provisional=False, shown=True)


def _aria(label: str, *, shown: bool) -> SafeString:
    if not shown:
        return format_html('aria-hidden="{}"', "true")
    return format_html('role="img" aria-label="{}"', label)


def _on(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return min(100.0, max(0.0, 100 * (value - low) / (high - low)))


def _percent(count: int, total: int) -> str:
    return f"{100 * count / max(total, 1):.2f}"
