"""The broker of the tests: each process of a run has a numbered database of its own on it."""

import re


def own_broker(url: str, *, number: int) -> str:
    """Return the address of a numbered database on the broker at `url`."""
    if url.startswith("unix:"):
        return re.sub(r"\?db=\d+$", "", url) + f"?db={number}"
    return re.sub(r"/\d+$", "", url) + f"/{number}"
