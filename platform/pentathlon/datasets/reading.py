"""What is read of datasets, with constant numbers of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pentathlon.common.errors import NotFound
from pentathlon.datasets.models import Dataset, DatasetPart
from pentathlon_engines.dataset.folder import part_name
from pentathlon_engines.dataset.schema import TABLES

LICENCE: Final = "CC0-1.0"


def find_part(dataset: Dataset, table: str, number: int) -> DatasetPart:
    """Return a part of a dataset.

    Raises:
        NotFound: it has no such part.
    """
    found = dataset.part_rows.filter(table=table, number=number).first()
    if found is None or table not in TABLES:
        raise NotFound(
            f"Dataset {dataset.pk} has the tables {' and '.join(TABLES)} with the parts 1 to "
            f"{dataset.parts}, not {table} {number}."
        )
    return found


def part_names(dataset: Dataset) -> Sequence[tuple[str, int, str]]:
    """Return table, number and file name of all parts, decisions first."""
    numbers = range(1, dataset.parts + 1)
    return [(table, number, part_name(table, number)) for table in TABLES for number in numbers]
