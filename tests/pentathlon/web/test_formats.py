"""Figures are written one way everywhere."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from pentathlon.core.texts import duration
from pentathlon.ratings.uncertainty import StrengthBar
from pentathlon.web.templatetags import formats
from pentathlon.web.templatetags.components import (
    badge,
    interval_bar,
    moment,
    progress_bar,
    seat_mark,
)
from tests.pentathlon.web.pages import Page


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (89, "89 s"), (90, "2 min"), (2520, "42 min"), (9000, "2.5 h")],
)
def test_duration_is_told_in_a_fitting_unit(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (96, "96 bytes"),
        (1500, "1.5 kB"),
        (2_500_000, "2.5 MB"),
        (3_000_000_000, "3.0 GB"),
        (2 * 1024**4, "2.2 TB"),
        (5 * 10**15, "5000.0 TB"),
    ],
)
def test_size_is_told_in_a_fitting_unit(count: int, words: str) -> None:
    assert formats.size(count) == words


def test_numbers_are_set_as_everywhere() -> None:
    assert formats.thousands(1098) == "1,098"
    assert formats.percent(0.61) == "61 %"
    assert formats.percent_fine(0.508) == "50.8 %"
    assert formats.decimal(36.24) == "36.2"
    assert formats.spread(1.8) == "4.4"
    assert formats.seconds(1234) == "1.23"
    assert formats.seconds(12_340) == "12.3"
    assert (formats.points(11.0), formats.points(11.5)) == ("11", "11.5")


def test_bar_shows_the_95_percent_interval() -> None:
    drawing = interval_bar(StrengthBar(30, 9.8), (10, 50), provisional=False)

    assert 'x="25.5%"' in drawing
    assert 'width="49.0%"' in drawing
    assert "95 % interval 20.2 to 39.8" in drawing


def test_interval_beyond_the_scale_is_cut() -> None:
    drawing = interval_bar(StrengthBar(10, 9.8), (10, 50), provisional=True)

    assert 'x="0.0%"' in drawing
    assert 'class="reach provisional"' in drawing


def test_second_copy_of_an_interval_is_silent() -> None:
    drawing = interval_bar(StrengthBar(30, 2), (10, 50), provisional=False, shown=False)

    assert 'aria-hidden="true"' in drawing
    assert "aria-label" not in drawing


def test_progress_shows_its_parts_one_after_the_other() -> None:
    drawing = progress_bar(done=50, running=10, void=5, total=100)

    assert 'class="done" x="0.00%" width="50.00%"' in drawing
    assert 'x="50.00%" width="10.00%" height="100%" fill="url(#stripes)"' in drawing
    assert 'class="void" x="60.00%" width="5.00%"' in drawing
    assert 'aria-valuenow="55"' in drawing


def test_progress_of_nothing_is_empty() -> None:
    assert 'width="0.00%"' in progress_bar(done=0, running=0, void=0, total=0)


@pytest.mark.parametrize("seat", range(5))
def test_seat_has_shape_and_number(seat: int) -> None:
    drawing = seat_mark(seat)

    assert f'aria-label="seat {seat}"' in drawing
    assert f">{seat}</text>" in drawing


def test_unknown_state_is_shown_by_its_name() -> None:
    assert ">odd &amp; new</span>" in badge("odd & new")


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        (timedelta(hours=-1), "08:00 UTC (passed)"),
        (timedelta(), "09:00 UTC (passed)"),
        (timedelta(seconds=14), "09:00 UTC (in less than a minute)"),
        (timedelta(minutes=5), "09:05 UTC (in 5 minutes)"),
    ],
)
def test_moment_says_how_far_away_it_is(
    wait: timedelta, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 11, 23, 9, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)

    told = Page(f"<p>finishes {moment(now + wait)}, then rests</p>").text

    assert told == f"finishes 23 Nov 2026, {words}, then rests"
