"""The benchmark of the web server uses what it says, and fails when a demand is missed."""

import pytest
from django.core.management.base import CommandError

from pentathlon.bots.archives import BadArchive, read_archive
from pentathlon_engines.archive.files import LARGEST_UPLOAD
from tools.benchmark import starvation
from tools.benchmark.starvation import Measurement


@pytest.mark.deep
def test_dearest_archives_are_legal_but_the_last() -> None:
    *legal, bad = [archive for _, archive in starvation._archives()]

    assert [read_archive(archive).manifest.games for archive in legal] == [("tuned",)] * 5
    assert all(len(archive) <= LARGEST_UPLOAD for archive in legal)
    with pytest.raises(BadArchive):
        read_archive(bad)


def test_missed_demand_fails_the_command() -> None:
    lines = [
        Measurement(what="kept", measured=1.0, demanded=1.0, unit="s"),
        Measurement(what="broken", measured=1.1, demanded=1.0, unit="s"),
    ]

    with pytest.raises(CommandError, match="1 demands are missed: broken"):
        starvation.judge(lines)
    starvation.judge(lines[:1])
