"""A process that is killed while it makes a dataset."""

import pytest

from pentathlon.insight.datasets.models import Dataset, DatasetPart
from pentathlon.insight.datasets.services import part_digests
from pentathlon_engines.dataset.folder import digest_of
from tests.pentathlon.insight.datasets.making import closed_cup, make_all
from tests.pentathlon.killed_process import run_killed

pytestmark = pytest.mark.django_db(transaction=True)


def test_next_process_makes_the_same_dataset() -> None:
    closed_cup()
    make_all()
    whole = Dataset.objects.get()
    digests = part_digests(whole)
    whole.delete()

    # Kill it with one of the two tables ready as Parquet, and with both written but not committed.
    for work, part in (("dataset", 2), ("dataset rows", 1)):
        run_killed(work, part=part)
        assert not DatasetPart.objects.exists()
        assert Dataset.objects.get().parts == 0
    make_all()

    again = Dataset.objects.listed().get()
    assert part_digests(again) == digests
    assert again.sha256 == digest_of(digests)
    assert again.parquet_bytes == whole.parquet_bytes
