"""Whoever follows the ends of matches hears of each in the transaction that writes it."""

from collections.abc import Collection, Iterator

import pytest
from django.db import transaction
from django.utils.module_loading import import_string
from pytest_django import Settings

from pentathlon.matches import endings
from pentathlon.matches.models import Match
from pentathlon.matches.services import void_matches
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db


class Follower:
    """Remembers what it was told, and whether that was inside a transaction."""

    def __init__(self) -> None:
        self.told: list[int] = []
        self.is_atomic = True

    def __call__(self, match_ids: Collection[int]) -> None:
        """Take notice of matches that have ended."""
        self.told += match_ids
        self.is_atomic = self.is_atomic and transaction.get_connection().in_atomic_block


@pytest.fixture
def follower(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Follower]:
    settings.AFTER_MATCHES = settings.AFTER_CORRECTIONS = ["follower"]
    follower = Follower()
    monkeypatch.setattr(endings, "import_string", {"follower": follower}.__getitem__)
    yield follower
    assert follower.is_atomic


def test_every_follower_that_the_settings_name_exists(settings: Settings) -> None:
    names = [*settings.AFTER_MATCHES, *settings.AFTER_CORRECTIONS]

    assert len(names) > len(settings.AFTER_MATCHES) > 0
    assert all(callable(import_string(name)) for name in names)


def test_finished_match_is_told_once(follower: Follower) -> None:
    match = make_match()
    job = claimed(match)

    submit(job, record_of(job))

    assert follower.told == [match.pk]


def test_match_that_is_called_off_is_told(follower: Follower) -> None:
    match = make_match()

    void_matches(matches=Match.objects.filter(pk=match.pk), reason="enough")

    assert follower.told == [match.pk]


def test_correction_is_told_once_to_each_who_follows(follower: Follower) -> None:
    endings.note_corrections([7])

    assert follower.told == [7]
