"""Receipts whose process is killed while it appends them: `--kills 200` asks for many more."""

import pytest

from pentathlon.matches.transparency.models import LogEntry
from pentathlon.matches.transparency.services import (
    checkpoint_at,
    log_results,
    log_size,
    to_be_logged,
)
from pentathlon.matches.transparency.verification import growth_difference, log_differences
from tests.pentathlon.killed_process import run_killed, run_whole
from tests.pentathlon.matches.transparency.logging_matches import log_matches, play_matches

pytestmark = pytest.mark.django_db(transaction=True)

_WAITING = 5
_AT_ONCE = 2
"""The receipts of a batch, as in `tests.pentathlon.dying`."""
_PLACES = [("log tree", 2), ("log entries", 3), ("log tree", 1), ("log entries", 1)]
"""Where to die: in the second batch of receipts or in the first; a batch has two receipts."""


def test_log_is_whole_whenever_its_process_is_killed(pytestconfig: pytest.Config) -> None:
    log_matches(3)

    for kill in range(pytestconfig.getoption("kills")):
        work, part = _PLACES[kill % len(_PLACES)]
        size, noted = log_size(), checkpoint_at(log_size())
        expected = {match.pk for match in play_matches(_WAITING)}

        run_killed(work, part=part)

        batches = part - 1 if work == "log tree" else (part - 1) // _AT_ONCE
        assert log_size() == size + batches * _AT_ONCE
        assert [*log_differences()] == []
        assert growth_difference(noted) is None

        if kill % 2:
            run_whole(work)
        else:
            log_results()

        assert not to_be_logged().exists()
        added = LogEntry.objects.filter(index__gte=size).order_by("index")
        assert [entry.index for entry in added] == [*range(size, size + _WAITING)]
        assert {entry.match_id for entry in added} == expected
        assert [*log_differences()] == []
        assert growth_difference(noted) is None
