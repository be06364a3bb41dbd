"""What a page tells the owner of a bot about its match, and what it gives to take home."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.replays.explanations import RequestCost
from pentathlon.web.drawing.charts import turn_chart
from pentathlon_engines.record.bundle import read_bundle
from tests.factories import make_match, make_user
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit, trace
from tests.pentathlon.web.pages import Page, page_of

DOWNLOADS = ("seat_log", "seat_bundle")


def failed() -> Match:
    """Store a match that seat 0 lost by a fault at ply 2."""
    job = claimed(make_match())
    logs = ("Traceback: <no idea>", "mine")
    return submit(job, record_of(job, fault_at=2), logs=logs, traces=[trace(), trace()])


def owner_of(match: Match, seat: int) -> User:
    return MatchSeat.objects.get(match=match, seat=seat).version.bot.owner


def read_by(user: User | None, match: Match) -> Page:
    client = Client()
    if user is not None:
        client.force_login(user)
    return page_of(client.get(reverse("match", args=[match.pk])))


@pytest.mark.django_db
def test_owner_of_the_losing_bot_is_told_why() -> None:
    match = failed()

    page = read_by(owner_of(match, 0), match)

    for words in (
        "Asked for an action at ply 2, it was expelled: used 1.2 s of CPU time.",
        "stop thinking at 80 %",
        "Traceback: <no idea>",
        '< {"act (not one whole line)',
        f"pentathlon repro {match.pk} my-bot --seat 0",
        "only you, the author, see this",
    ):
        assert words in page.text
    assert {"#why-0", "?ply=2"} <= set(page.links())


@pytest.mark.django_db
def test_nobody_else_is_told_more_than_the_fault() -> None:
    match = failed()

    pages = [read_by(user, match) for user in (owner_of(match, 1), make_user(), None)]

    for page in pages:
        assert "cpu time" in page.text
        assert "no idea" not in page.text
        assert "why-0" not in page.ids()


@pytest.mark.django_db
def test_winner_sees_what_its_bot_did_without_an_alarm() -> None:
    match = failed()

    page = read_by(owner_of(match, 1), match)

    assert "nobody was ranked ahead of it" in page.text
    assert "#why-1" not in page.links()
    assert "why-1" in page.ids()


@pytest.mark.django_db
def test_every_time_of_the_chart_stands_in_the_table_below() -> None:
    match = failed()

    page = read_by(owner_of(match, 0), match)

    (drawing,) = [a for a in page.all("svg") if "short" in a.get("class", "")]
    assert "of 2 requests, at most 1,200 of 1,000 milliseconds" in drawing["aria-label"]
    assert "1,300" in page.text
    assert [a for a in page.all("rect") if a.get("class") == "fault"]


@pytest.mark.django_db
def test_owner_downloads_text_and_bundle() -> None:
    match = failed()
    client = Client()
    client.force_login(owner_of(match, 0))

    text, bundle = (client.get(reverse(name, args=[match.pk, 0])) for name in DOWNLOADS)

    assert text["Content-Type"] == "text/plain; charset=utf-8"
    assert "Traceback: <no idea>" in text.content.decode()
    assert f"match-{match.pk}-seat-0.txt" in text["Content-Disposition"]
    assert read_bundle(bundle.content).record["match"] == match.alias
    assert f"match-{match.pk}-seat-0.zip" in bundle["Content-Disposition"]


@pytest.mark.django_db
@pytest.mark.parametrize("name", DOWNLOADS)
def test_downloads_are_for_the_owner_alone(name: str) -> None:
    match = failed()
    address = reverse(name, args=[match.pk, 0])

    assert Client().get(address).status_code == 302
    for user in (owner_of(match, 1), make_user()):
        client = Client()
        client.force_login(user)
        assert client.get(address).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("name", DOWNLOADS)
@pytest.mark.parametrize(("state", "seat"), [(MatchState.RUNNING, 0), (MatchState.DONE, 5)])
def test_what_is_not_there_cannot_be_downloaded(name: str, state: MatchState, seat: int) -> None:
    match = failed() if state is MatchState.DONE else make_match(state=state)
    client = Client()
    client.force_login(owner_of(match, 0))

    assert client.get(reverse(name, args=[match.pk, seat])).status_code == 404


def turns(*cpu_ms: int) -> list[RequestCost]:
    return [RequestCost(ply=2 * index, cpu_ms=ms, wall_ms=ms) for index, ms in enumerate(cpu_ms)]


def test_chart_of_nothing_is_none() -> None:
    assert turn_chart([], limit_ms=1000) is None


@pytest.mark.parametrize(
    ("cpu_ms", "top", "limit_y"),
    [
        ((0,), "10", None),
        ((3, 12), "20", None),
        ((300,), "500", None),
        ((500,), "1000", "0.0%"),
        ((1020,), "2000", "50.0%"),
    ],
)
def test_chart_shows_the_limit_once_it_is_near(
    cpu_ms: tuple[int, ...], top: str, limit_y: str | None
) -> None:
    chart = turn_chart(turns(*cpu_ms), limit_ms=1000)

    assert chart is not None
    assert chart.rules[-1].label == top
    assert chart.limit_y == limit_y


def test_long_match_shares_bars_and_keeps_its_peaks() -> None:
    chart = turn_chart(turns(*[1] * 300, 390, *[1] * 300), limit_ms=1000)

    assert chart is not None
    assert (chart.requests, chart.requests_per_bar) == (601, 6)
    assert len(chart.bars) <= 120
    assert max(float(bar.height) for bar in chart.bars) == 78
