"""Closed tournaments with real records, and datasets made of them at once."""

from __future__ import annotations

from typing import Any

from pentathlon.insight.datasets.models import Dataset
from pentathlon.insight.datasets.services import DatasetMaker
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import close_finished
from tests.databases import stored_again
from tests.pentathlon.tournaments.acting import started
from tests.pentathlon.web.scene import play_all


@stored_again
def closed_cup(**asked: Any) -> Tournament:  # Any: as `started` takes it
    """Play a round robin of three bots of Tuned at random and close it."""
    cup = started(**{"bots": 3, **asked})
    play_all(cup)
    close_finished()
    return Tournament.objects.get(pk=cup.pk)


def make_all() -> None:
    """Make all datasets that are due."""
    maker = DatasetMaker()
    for _ in range(50):
        made = maker.make_datasets(for_s=60)
        if not made and not Dataset.objects.filter(is_whole=False).exists():
            return
    raise AssertionError("it does not end")


@stored_again
def dataset_in_parts() -> Dataset:
    """Close a cup and return its dataset, in two parts of each table."""
    closed_cup()
    maker = DatasetMaker(part_bytes=1)
    for _ in range(9):
        maker.make_datasets(for_s=60)
    return Dataset.objects.listed().get()
