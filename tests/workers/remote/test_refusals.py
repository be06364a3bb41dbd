"""Answers of a site that a worker does not ask for again."""

import json

import pytest

from pentathlon.core.errors import Damaged
from workers.remote.client import SiteClient


def test_damaged_files_are_no_outage_but_a_failure() -> None:
    """Asking again does not help: the match is given back as one that this host cannot play."""
    site = SiteClient("https://example.org", "t")
    problem = {"code": "archive_damaged", "detail": "The files cannot be read."}

    with pytest.raises(Damaged, match="cannot be read") as found:
        site.refuse(503, json.dumps(problem).encode())

    assert found.value.code == "archive_damaged"
