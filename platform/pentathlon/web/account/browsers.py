"""Names browsers and devices in words, by what they say of themselves.

People recognise "Firefox on Windows" in a list of their own; nothing depends on it.
"""

from collections.abc import Sequence
from typing import Final

# The first that fits counts: browsers also name others, which they want to be taken for.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python-", "a Python program"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def device_name(user_agent: str) -> str:
    """Return what a person would call it, such as "Firefox on Linux"."""
    browser, system = _first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or "An unknown browser"


def _first(names: Sequence[tuple[str, str]], text: str) -> str:
    return next((name for mark, name in names if mark in text), "")
