"""Do some work and be killed by SIGKILL, when rows are written and not yet committed.

Run as `python -m tests.pentathlon.dying`: each line that it reads is a list of a work and a part.
A new process does the work and kills itself in its part of that number, or finishes with part 0;
a line tells its exit status. So all of them share one start, with the imports of the platform.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

import django

django.setup()

# Models exist only from here on.
from django.db.models.functions import Now  # noqa: E402

from pentathlon.bots import services as bot_services  # noqa: E402
from pentathlon.bots.audit_events import note_version  # noqa: E402
from pentathlon.bots.models import BotVersion, VersionState  # noqa: E402
from pentathlon.fleet.models import Worker  # noqa: E402
from pentathlon.insight.datasets import services as dataset_services  # noqa: E402
from pentathlon.insight.datasets.models import DatasetPart  # noqa: E402
from pentathlon.insight.rivalry import services as rivalry_services  # noqa: E402
from pentathlon.ladders import batches, membership, seasons  # noqa: E402
from pentathlon.matches.transparency import services as log_services  # noqa: E402
from pentathlon.ratings import recompute  # noqa: E402
from pentathlon.ratings.recompute import replace_changes  # noqa: E402
from pentathlon.ratings.services import note_arithmetic  # noqa: E402
from pentathlon.tournaments import services  # noqa: E402
from pentathlon.tournaments.entries import replacement_blocks  # noqa: E402
from pentathlon.tournaments.scheduling import schedules  # noqa: E402
from pentathlon_engines.dataset import parquet  # noqa: E402
from pentathlon_engines.tournament.formats import divisions  # noqa: E402


def _dying(write: Callable[..., Any], part: int) -> Callable[..., Any]:  # Any: handed on
    """Return a function that does the same and kills its process at its n-th call."""
    calls = 0

    def write_and_die(*args: Any, **options: Any) -> Any:
        nonlocal calls
        written = write(*args, **options)
        calls += 1
        if calls == part:
            os.kill(os.getpid(), signal.SIGKILL)
        return written

    return write_and_die


def _recompute(part: int) -> None:
    dying = _dying(replace_changes, part)
    with patch.multiple(recompute, _MOST_RESULTS=20, replace_changes=dying):
        recompute.recompute_outdated()


def _schedule(part: int) -> None:
    dying = _dying(schedules.store_matches, part)
    with patch.multiple(schedules, ROWS_AT_ONCE=240, store_matches=dying):
        while schedules.make_schedules():
            pass


def _ladder_batch(part: int) -> None:
    Worker.objects.update(seen_at=Now())
    with patch.object(batches, "_count_meetings", _dying(batches._count_meetings, part)):
        batches.make_batches(for_s=60)


def _season(part: int) -> None:
    """End the season, and open as many divisions of the next as there are parts."""
    dying = _dying(seasons.open_division, part)
    small = patch.object(divisions, "MOST_BOTS", SMALL_DIVISION)
    with small, patch.multiple(seasons, _OPENED_AT_ONCE=OPENED_AT_ONCE, open_division=dying):
        seasons.turn_seasons()
        seasons.open_divisions(for_s=60)


def _places(part: int) -> None:
    with patch.object(membership, "enter_field", _dying(seasons.enter_field, part)):
        membership.seat_members(for_s=60)


def _final_tables(part: int) -> None:
    with patch.object(services, "note_arithmetic", _dying(note_arithmetic, part)):
        services.close_finished()


def _validation(part: int) -> None:
    version = BotVersion.objects.get(state=VersionState.VALIDATING)
    with patch.object(bot_services, "note_version", _dying(note_version, part)):
        bot_services.settle_validation(version_id=version.pk, passed=True, reason="", log="")


def _replacement(part: int) -> None:
    dying = _dying(replacement_blocks._give_over, part)
    with patch.multiple(replacement_blocks, MATCHES_AT_ONCE=4, _give_over=dying):
        replacement_blocks.carry_out_replacements(for_s=60)


def _counting(part: int) -> None:
    dying = _dying(rivalry_services._add_meetings, part)
    with patch.multiple(rivalry_services, _AT_ONCE_IN_ALL=2, _add_meetings=dying):
        rivalry_services.count_all()


def _dataset(part: int) -> None:
    with patch.object(parquet, "pack_parquet", _dying(parquet.pack_parquet, part)):
        dataset_services.DatasetMaker().make_datasets(for_s=60)


def _dataset_rows(part: int) -> None:
    """Die when the parts are written, and not yet committed."""
    rows = DatasetPart.objects
    with patch.object(rows, "bulk_create", _dying(rows.bulk_create, part)):
        dataset_services.DatasetMaker().make_datasets(for_s=60)


def _log(step: str, part: int) -> None:
    dying = _dying(getattr(log_services, step), part)
    at_once = patch.object(log_services, "AT_ONCE", RECEIPTS_AT_ONCE)
    with at_once, patch.object(log_services, step, dying):
        while log_services.to_be_logged().exists():
            log_services.log_results()


def _log_entries(part: int) -> None:
    """Die when the entries are written, and the tree is not yet."""
    _log("leaf_hash", part)


def _log_tree(part: int) -> None:
    _log("append_hashes", part)


RECEIPTS_AT_ONCE: Final = 2
SMALL_DIVISION: Final = 2
OPENED_AT_ONCE: Final = 2
_WORKS: Final = {
    "recompute": _recompute,
    "schedule": _schedule,
    "ladder batch": _ladder_batch,
    "season": _season,
    "places": _places,
    "final tables": _final_tables,
    "replacement": _replacement,
    "counting": _counting,
    "validation": _validation,
    "dataset": _dataset,
    "dataset rows": _dataset_rows,
    "log entries": _log_entries,
    "log tree": _log_tree,
}


def _work_in_child(work: str, part: int) -> int:
    """Return the exit status of a new process that does the work."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # the other one is for exit statuses
    try:
        _WORKS[work](part)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    for line in sys.stdin:
        status = _work_in_child(*json.loads(line))
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()
