from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

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
from tests.workers.playing import play_jobs
from tests.workers.slots.launchers import BrokenHost, Cleaner
from workers.direct import DirectPlatform
from workers.drain import Drain
from workers.port import Lease
from workers.slots.bot_files import BotFiles, FilesRemoved
from workers.slots.lease import LeaseKeeper

pytestmark = pytest.mark.django_db


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


def failed(friendly: Friendly, **rest: Any) -> int:  # Any: what `play_jobs` takes
    return play_jobs([claimed(friendly)], **rest)


def test_bot_answers_a_person(files: BotFiles) -> None:
    friendly = move(begun())

    assert not failed(friendly, launcher=PlainLauncher(), files=files)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.ply, friendly.sandbox) == ("person", 2, "process")
    assert friendly.events[1][0] == 1


def test_bot_that_cannot_start_has_lost(files: BotFiles) -> None:
    friendly = move(begun(bot=make_version(like="greedy")))

    assert not failed(friendly, launcher=Breaker(), files=files)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.faults[0]["kind"]) == ("done", "startup")
    verify_record(friendly.record)


def test_host_failure_is_nobodys_loss(files: BotFiles) -> None:
    friendly = move(begun())

    assert failed(friendly, launcher=BrokenHost(), files=files)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.state_reason, friendly.host_faults) == (
        "bot",
        "LaunchFailed: out of memory",
        1,
    )


def test_worker_that_drains_gives_it_back(files: BotFiles) -> None:
    friendly = move(begun())
    drain = Drain(grace_s=0)
    drain.ask()

    assert not failed(friendly, launcher=BrokenHost(), files=files, drain=drain)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.token, friendly.host_faults) == ("bot", None, 0)


def test_answer_after_the_person_resigned_is_not_wanted(files: BotFiles) -> None:
    friendly = move(begun())

    assert not failed(friendly, launcher=Impatient(), files=files)

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


def test_bot_thinks_no_longer_once_others_have_its_friendly(files: BotFiles) -> None:
    """The lease is the same as that of a match: see test_lease."""
    friendly = move(begun())
    stretch = claimed(friendly)
    lost = LeaseKeeper([stretch], platform=Lost())
    lost.renew()

    with pytest.raises(MatchAbandoned):
        lost.note_ply(1)


class Lost(DirectPlatform):
    """A platform on which others have taken over everything."""

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        return [lease.job.id for lease in leases]


def test_bot_whose_files_are_removed_while_it_runs_is_not_to_blame(files: BotFiles) -> None:
    friendly = move(begun())

    assert failed(friendly, launcher=Cleaner(), files=files)

    friendly.refresh_from_db()
    assert (friendly.state, friendly.state_reason, friendly.faults) == (
        "bot",
        f"FilesRemoved: {FilesRemoved()}",
        [],
    )
