"""A process that is killed while it counts."""

import pytest

from pentathlon.insight.rivalry.models import Meeting, UncountedResult
from tests.factories import make_version
from tests.pentathlon.insight.rivalry.playing import end
from tests.pentathlon.killed_process import run_killed, run_whole

pytestmark = pytest.mark.django_db(transaction=True)


def test_next_process_counts_on_and_nothing_twice() -> None:
    one, two = make_version(), make_version()
    for _ in range(5):
        end(one, two, rated=False)

    run_killed("counting", part=2)

    assert Meeting.objects.count() == 4, "of the second part there is nothing"
    assert UncountedResult.objects.count() == 3

    run_whole("counting")

    assert Meeting.objects.filter(bot=one.bot).count() == 5
    assert not UncountedResult.objects.exists()
