"""Every page in both themes, at four widths: nothing that axe finds, none too wide, none jumps.

By default axe sees each page in two of the eight looks; `--every-look` shows it all of them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from pentathlon.accounts.models import User
from pentathlon.accounts.sessions import SessionStore
from tests.browser.access import MOST_SHIFT, SHIFTS
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.web.tour import Visit, make_tour

WIDTHS = (320, 390, 768, 1280)
THEMES = ("light", "dark")
EVERY_LOOK = tuple((width, theme) for theme in THEMES for width in WIDTHS)
# The first page gets the first two looks, the second page the other two, and so on.
LOOKS = (((320, "light"), (1280, "dark")), ((390, "dark"), (768, "light")))
LONGEST_S = 870
"""More than other tests have; pytest ends the whole run after 900 s without a word from it."""
SCREENSHOT_MS = 120_000
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def test_every_page_is_accessible_and_fits(
    browser: Browser, live_server: LiveServer, scene: Scene, request: pytest.FixtureRequest
) -> None:
    folder: Path | None = request.config.getoption("--screenshots")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    has_every_look = request.config.getoption("--every-look")
    found: dict[str, object] = {}

    for reader, visits in _by_reader(make_tour(scene)):
        # Colours that fade would be judged half-way.
        context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
        if reader is not None:
            context.add_cookies([_session(reader, live_server.url)])
        context.add_init_script(SHIFTS)
        page = context.new_page()
        for number, visit in enumerate(visits):
            looks = EVERY_LOOK if has_every_look else LOOKS[number % 2]
            found |= dict(_problems(page, visit, looks, folder))
        context.close()

    assert not found, "\n".join(f"{where}: {what}" for where, what in sorted(found.items()))


def _by_reader(tour: list[Visit]) -> Iterator[tuple[User | None, list[Visit]]]:
    for reader in dict.fromkeys(visit.reader for visit in tour):
        yield reader, [visit for visit in tour if visit.reader == reader]


def _problems(
    page: Page, visit: Visit, looks: Sequence[tuple[int, str]], folder: Path | None
) -> Iterator[tuple[str, object]]:
    who = visit.reader.username if visit.reader else "nobody"
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(visit.address)
    if (shift := page.evaluate("window.shifts ?? 0")) > MOST_SHIFT:
        yield f"{visit.address} as {who}: its parts jump by", shift
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found = page.evaluate("document.documentElement.scrollWidth")
        if found > width:
            yield f"{visit.address} as {who}: at {width} it is so wide", found
    for width, theme in looks:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        if folder is not None:
            name = "-".join(f"{visit.address} {who} {width} {theme}".replace("/", " ").split())
            page.screenshot(path=folder / f"{name}.png", full_page=True, timeout=SCREENSHOT_MS)
        for violation in Axe().run(page).response["violations"]:
            places = [node["html"][:200] for node in violation["nodes"]]
            yield f"{visit.address} as {who}, {width} {theme}: {violation['id']}", places[:3]


def _session(user: User, url: str) -> Any:  # Any: a type that the package keeps for itself
    """Return the cookie of somebody who has signed in."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = _BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return {"name": settings.SESSION_COOKIE_NAME, "value": session.session_key or "", "url": url}
