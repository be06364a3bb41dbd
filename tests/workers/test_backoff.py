import time

from workers.drain import Drain
from workers.process import LONGEST_S, Backoff


def after(*failures: bool) -> Backoff:
    backoff = Backoff()
    for failed in failures:
        backoff.record(failed=failed)
    return backoff


def test_pause_grows_with_every_failure_in_a_row() -> None:
    assert [after(*[True] * number).pause_s for number in range(4)] == [0.0, 1.0, 2.0, 4.0]
    assert [after(*[True] * number).pause_s for number in (100, 2000)] == [LONGEST_S] * 2


def test_success_forgets_all_failures() -> None:
    assert after(True, True, False).pause_s == 0.0
    assert after(True, True, False, True).pause_s == 1.0


def test_worker_that_is_asked_to_stop_does_not_rest() -> None:
    drain = Drain(grace_s=0)
    drain.ask()
    began = time.monotonic()

    after(*[True] * 100).wait(drain)

    assert time.monotonic() - began < LONGEST_S / 2


def test_slot_begins_anew_after_every_few_failures() -> None:
    assert [after(*[True] * number).is_persistent for number in range(7)] == [
        False, False, False, True, False, False, True,
    ]  # fmt: skip
