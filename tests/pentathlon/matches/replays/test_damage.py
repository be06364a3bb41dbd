"""A stored replay that has changed is seen at every door, named, mended, and never served."""

from __future__ import annotations

from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from pentathlon.matches.models import Match
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.replays.store import ReplayDamaged
from pentathlon.matches.transparency.verification import log_differences
from pentathlon.operations.backups import make_backup
from tests.api.client import V1
from tests.pentathlon.matches.transparency.logging_matches import log_matches

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    (match,) = log_matches(1)
    return match


def _data(match: Match) -> bytes:
    return bytes(Replay.objects.get(match=match).data)


def _store(match: Match, data: bytes) -> None:
    Replay.objects.filter(match=match).update(data=data)


def _flip(data: bytes, bit: int) -> bytes:
    place, shift = divmod(bit, 8)
    return data[:place] + bytes((data[place] ^ 1 << shift,)) + data[place + 1 :]


def _spoil(match: Match) -> None:
    """Change more than one bit."""
    data = _data(match)
    _store(match, data[: len(data) // 2])


def test_no_flipped_bit_is_read_as_the_record(match: Match) -> None:
    replay = Replay.objects.select_related("match").get()
    sound, record = bytes(replay.data), read_record(replay)
    served = []

    for bit in range(8 * len(sound)):
        replay.data = _flip(sound, bit)
        with suppress(ReplayDamaged):
            served.append(read_record(replay))

    # A few bits of the frame mean nothing to the decompressor.
    assert len(served) < len(sound)
    assert all(each == record for each in served)


@pytest.mark.parametrize(
    "path",
    ["matches/{}/record.json", "matches/{}/", "matches/{}/board.svg?ply=1"],
)
def test_damage_is_never_served_by_a_page(path: str, match: Match, client: Client) -> None:
    _spoil(match)

    answer = client.get(f"/{path.format(match.pk)}")

    assert answer.status_code == 503
    assert f"The replay of match {match.pk} cannot be read" in answer.content.decode()


def test_damage_is_never_served_by_the_api(match: Match, client: Client) -> None:
    _spoil(match)
    client.raise_request_exception = False  # the answer is what counts

    answer = client.get(f"{V1}/replays/{match.pk}/")

    assert (answer.status_code, answer.json()["code"]) == (503, "replay_damaged")


@pytest.mark.parametrize("path", ["/", "/games/tuned/", "/matches/"])
def test_pages_that_show_the_latest_match_stand_without_it(
    path: str, match: Match, client: Client
) -> None:
    _spoil(match)

    assert client.get(path, follow=True).status_code == 200


def test_log_names_the_match(match: Match) -> None:
    _spoil(match)

    (difference,) = log_differences()

    assert f"match {match.pk}" in difference


def test_check_names_the_match(match: Match) -> None:
    _spoil(match)

    with pytest.raises(CommandError, match="1 replay cannot be read"):
        call_command("replays", "--check", stdout=(told := StringIO()))

    assert f"match {match.pk}" in told.getvalue()


@pytest.mark.django_db(transaction=True)
def test_backup_of_the_damage_itself_mends_nothing(match: Match, tmp_path: Path) -> None:
    _spoil(match)
    make_backup(tmp_path / "backup")

    with pytest.raises(CommandError, match="1 thing"):
        call_command("mend", str(tmp_path / "backup"), stdout=StringIO())
