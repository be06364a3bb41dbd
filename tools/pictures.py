"""Takes the pictures of the README from a site that `manage.py up` has filled.

    .venv/bin/python -m tools.pictures http://localhost:8000

Needs what `python3 manage.py test browser` has installed, and a Chromium.
"""

import shutil
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import ViewportSize, sync_playwright

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs/pictures"
_SIZE: Final = ViewportSize(width=1080, height=680)
_PAGES: Final = {"tv": ("/tv/", 25_000), "standings": ("/leaderboards/tuned/", 2500)}
"""Addresses, and after how many milliseconds there is something to see."""


def main(site: str) -> None:
    """Write a picture of TV, of a replay in the middle, and of standings."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(base_url=site, viewport=_SIZE, color_scheme="light")
        for name, (address, wait_ms) in _PAGES.items():
            page.goto(address)
            page.wait_for_timeout(wait_ms)
            page.screenshot(path=FOLDER / f"{name}.png")
        page.goto("/matches/?game=azure&state=done")
        page.goto(page.locator("main tbody td a").first.get_attribute("href") or "")
        last = int(page.locator("[data-viewer]").get_attribute("data-last") or 0)
        page.goto(f"{page.url}?ply={3 * last // 4}")
        page.locator("[data-chances] .now").wait_for()
        page.screenshot(path=FOLDER / "replay.png")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
