"""Times are the reader's own, with UTC beside them, and forms ask for them so."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import Page, expect

from pentathlon.tournaments.models import Tournament
from tests.browser.test_pages import sign_in
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.web.scene import Scene

_ZONE = ZoneInfo("Asia/Tokyo")


def _travel(page: Page) -> None:
    """Move the browser to a zone that is nine hours ahead of UTC."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTimezoneOverride", {"timezoneId": _ZONE.key})


def _words(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y, %H:%M}"


def test_deadline_is_changed_and_read_in_the_own_zone(page: Page, scene: Scene) -> None:
    soon = datetime.now(UTC) + timedelta(days=40)
    start = soon.replace(hour=20, minute=5, second=0, microsecond=0)
    cup = arranged_cup(scene.organiser, starts_at=start)
    close = start.astimezone(_ZONE) - timedelta(hours=2)
    _travel(page)
    sign_in(page, scene.organiser)
    page.goto(f"/tournaments/{cup.pk}/")

    page.get_by_role("link", name="Change…").click()
    expect(page.locator("#id_zone")).to_have_value(_ZONE.key)
    expect(page.locator("#id_starts_at")).to_have_value(
        f"{start.astimezone(_ZONE):%Y-%m-%dT%H:%M}"
    )
    page.fill("#id_closes_entries_at", f"{close:%Y-%m-%dT%H:%M}")
    page.fill("#id_description", "Bring **one** bot.")
    page.get_by_role("button", name="Save and tell everybody").click()

    expect(page.locator("section[aria-label='About the tournament'] strong")).to_have_text("one")
    changed = Tournament.objects.get(pk=cup.pk)
    assert (changed.starts_at, changed.closes_entries_at) == (start, close)
    shown = page.locator("section[aria-labelledby=plan] time")
    other_day = start.astimezone(_ZONE).day != start.day
    beside = _words(start) if other_day else f"{start:%H:%M}"
    expect(shown.nth(1)).to_have_text(f"{_words(start.astimezone(_ZONE))} {beside} UTC")


def test_times_fit_on_a_phone(page: Page, scene: Scene) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    _travel(page)

    for address in ("/matches/", f"/tournaments/{scene.closed.pk}/", "/workers/"):
        page.goto(address)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, (address, width)
    page.goto(f"/tournaments/{scene.closed.pk}/audit/")
    expect(page.locator("time .utc").first).to_contain_text("UTC")
