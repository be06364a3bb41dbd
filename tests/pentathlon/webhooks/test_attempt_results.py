import random

from pentathlon.webhooks.attempt_results import (
    JITTER,
    LONGEST_PAUSE_S,
    RETRIES_S,
    pause_s,
    retry_after_s,
)


def test_retries_take_about_three_days() -> None:
    assert 2.9 < sum(RETRIES_S) / 86400 < 3.1
    assert list(RETRIES_S) == sorted(RETRIES_S)


def test_each_pause_is_the_stated_one_with_jitter() -> None:
    luck = random.Random(1)
    pauses = [retry_after_s(failed, luck=luck) for failed in range(1, len(RETRIES_S) + 1)]
    shares = [(pause or 0) / stated for pause, stated in zip(pauses, RETRIES_S, strict=True)]

    assert all(1 <= share <= 1 + JITTER for share in shares)
    assert len(set(shares)) > 5
    assert retry_after_s(len(RETRIES_S) + 1, luck=luck) is None


def test_failing_endpoint_is_left_alone_longer_and_longer() -> None:
    pauses = [pause_s(failures) for failures in range(1, 100)]

    assert pauses[:3] == [5, 10, 20]
    assert max(pauses) == LONGEST_PAUSE_S
