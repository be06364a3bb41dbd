"""What holds for every page, in both themes and from the narrowest screen on."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LOOKS = ((320, "light"), (320, "dark"), (1280, "light"), (1280, "dark"))
_SETTLED_MS = 500
"""The time after which no colour is still changing from one theme to the other."""


def find_flaws(page: Page) -> list[str]:
    """Return what axe finds, and where the page is wider than the screen."""
    found = []
    for width, theme in LOOKS:
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(_SETTLED_MS)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"{width} {theme}: {wide} wide")
        for violation in Axe().run(page).response["violations"]:
            places = " ".join(node["html"][:150] for node in violation["nodes"][:3])
            found.append(f"{width} {theme}: {violation['id']}: {places}")
    return found


SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""
"""The script that adds up how far the parts of a page jump; run it before the page is opened."""
MOST_SHIFT = 0.05
