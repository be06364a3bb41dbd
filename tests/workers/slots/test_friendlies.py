from dataclasses import replace
from typing import cast

import pytest

from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.services import resign
from pentathlon.friendlies.stretches import publish_friendlies, publish_stretches_again
from pentathlon_engines.match.launcher import BotCommand, BotProcess, Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.runner import MatchAbandoned
from tests.factories import make_version, make_worker
from tests.pentathlon.friendlies.acting import begun, claimed, move
from tests.workers.slots.launchers import BrokenHost, Cleaner
from workers.direct.friendlies import DirectFriendlies
from workers.drain import Drain
from workers.slots import friendlies
from workers.slots.bot_files import BotFiles
from workers.slots.friendlies import RENEW_S, Friendlies, play_stretch

pytestmark = pytest.mark.django_db
DIRECT = DirectFriendlies()


class Breaker(Launcher):
    """A launcher of bots that exit at once."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        broken = replace(command, argv=["{python}", "-c", "raise SystemExit(3)"])
        return PlainLauncher().start(broken, seat=seat, limits=limits)


class Impatient(Launcher):
    """A launcher during whose work the person resigns."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        friendly = Friendly.objects.select_related("person").get()
        resign(actor=friendly.person, friendly_id=friendly.pk)
        return PlainLauncher().start(command, seat=seat, limits=limits)


def test_bot_answers_a_person(files: BotFiles) -> None:
    friendly = move(begun())

    assert play_stretch(
        claimed(friendly), friendlies=DIRECT, launcher=PlainLauncher(), files=files
    )

    friendly.refresh_from_db()
    assert (friendly.state, friendly.ply, friendly.sandbox) == ("person", 2, "process")
    assert friendly.events[1][0] == 1


def test_bot_that_cannot_start_has_lost(files: BotFiles) -> None:
    friendly = move(begun(bot=make_version(like="greedy")))

    assert play_stretch(claimed(friendly), friendlies=DIRECT, launcher=Breaker(), files=files)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.faults[0]["kind"]) == ("done", "startup")
    verify_record(friendly.record)


def test_host_failure_is_nobodys_loss(files: BotFiles) -> None:
    friendly = move(begun())

    assert not play_stretch(
        claimed(friendly), friendlies=DIRECT, launcher=BrokenHost(), files=files
    )

    friendly.refresh_from_db()
    assert (friendly.state, friendly.state_reason, friendly.host_faults) == (
        "bot",
        "LaunchFailed",
        1,
    )


def test_worker_that_drains_gives_it_back(files: BotFiles) -> None:
    friendly = move(begun())
    drain = Drain(grace_s=0)
    drain.ask()

    assert play_stretch(
        claimed(friendly), friendlies=DIRECT, launcher=BrokenHost(), files=files, drain=drain
    )

    friendly.refresh_from_db()
    assert (friendly.state, friendly.token, friendly.host_faults) == ("bot", None, 0)


def test_answer_after_the_person_resigned_is_not_wanted(files: BotFiles) -> None:
    friendly = move(begun())

    assert play_stretch(claimed(friendly), friendlies=DIRECT, launcher=Impatient(), files=files)

    friendly.refresh_from_db()
    assert (friendly.outcome_reason, friendly.ply) == ("resigned", 1)


def test_lone_slot_may_play_friendlies() -> None:
    make_worker(slots=1)
    friendly = begun(seat=1)
    sent: list[int] = []

    publish_friendlies(sent.extend)

    assert sent == [friendly.pk]


def test_hint_that_nobody_followed_is_sent_again() -> None:
    make_worker(slots=2)
    friendly = begun(seat=1)
    sent: list[int] = []
    publish_friendlies(sent.extend)

    publish_stretches_again([friendly.pk])
    publish_friendlies(sent.extend)

    assert sent == [friendly.pk, friendly.pk]


class Lost:
    """Friendlies that others have taken over; it counts how often it is asked."""

    def __init__(self, *answers: bool) -> None:
        self.asked = 0
        self._answers = answers

    def renew(self, *_: object, ply: int) -> bool:
        self.asked += 1
        return self._answers[self.asked - 1]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time, which a test changes."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def keeper(lost: Lost) -> friendlies._Keeper:
    return friendlies._Keeper(claimed(move(begun())), cast("Friendlies", lost), Drain(grace_s=0))


def test_lease_is_renewed_only_when_a_third_is_over(now: list[float]) -> None:
    lost = Lost(True, True)
    kept = keeper(lost)

    for at in (100.0, 100.0 + RENEW_S, 101.0 + RENEW_S, 100.0 + 2 * RENEW_S):
        now[0] = at
        kept.tick(1)

    assert lost.asked == 2


def test_bot_thinks_no_longer_once_others_have_its_friendly(now: list[float]) -> None:
    kept = keeper(Lost(False))
    now[0] += RENEW_S

    with pytest.raises(MatchAbandoned):
        kept.tick(1)


def test_bot_whose_files_are_removed_while_it_runs_is_not_to_blame(files: BotFiles) -> None:
    friendly = move(begun())

    assert not play_stretch(claimed(friendly), friendlies=DIRECT, launcher=Cleaner(), files=files)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.state_reason, friendly.faults) == ("bot", "FilesRemoved", [])
