"""What a worker does with a hint: play, or leave the matches to others."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator, Sequence

import pytest
from django.db.models.functions import Now
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from pentathlon.core.errors import Conflict
from pentathlon.fleet.announcements import (
    ANALYSE_MATCH,
    MOVE_BOTS,
    PLAY_MATCHES,
    TASKS,
    Announcement,
)
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match, MatchState
from pentathlon_engines.match.launcher import (
    BotCommand,
    BotProcess,
    Launcher,
    LaunchFailed,
    SandboxLevel,
)
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_match, make_version
from tests.pentathlon.friendlies.acting import begun, move
from tests.workers.playing import DIRECT, bot_files
from workers import process, tasks
from workers.celery_app import app
from workers.direct import DirectPlatform
from workers.drain import Drain
from workers.host.cpu_pressure import Starvation
from workers.port import PlatformAway
from workers.process import PERSISTENT, Backoff, WorkerProcess
from workers.slots.slot import Slot

pytestmark = pytest.mark.django_db


class Broken(Launcher):
    """A launcher on a host that cannot start anything."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        raise LaunchFailed("out of memory")


class Slots:
    """Opens slots and counts them."""

    def __init__(self, launcher: PlainLauncher | Broken | None = None) -> None:
        self.opened: list[Slot] = []
        self._launcher = launcher or PlainLauncher()

    def open(self, level: SandboxLevel, *, name: str, **_: object) -> Slot:
        self.opened.append(Slot(name=name, launcher=self._launcher, files=bot_files()))
        return self.opened[-1]


@pytest.fixture(autouse=True)
def no_sandbox_needed(settings: Settings) -> None:
    settings.SANDBOX_LEVEL = "process"


@pytest.fixture
def slots() -> Iterator[Slots]:
    slots = Slots()
    yield slots
    for slot in slots.opened:
        slot.close()


@pytest.fixture
def hint() -> list[int]:
    match = make_match([make_version(), make_version(like="greedy")])
    Match.objects.update(sent_at=Now())
    return [match.pk]


def states() -> list[tuple[str, bool]]:
    """Return the state of every match, and whether a hint about it is on its way."""
    rows = Match.objects.order_by("pk").values_list("state", "sent_at")
    return [(state, sent_at is not None) for state, sent_at in rows]


def test_hint_is_played_in_a_slot_that_stays_open(hint: list[int], slots: Slots) -> None:
    worker = WorkerProcess(None, platform=DIRECT, open_slot=slots.open)

    worker.follow(PLAY_MATCHES, hint)
    worker.follow(PLAY_MATCHES, hint)

    assert Match.objects.get().state == MatchState.DONE
    (slot,) = slots.opened
    assert slot.name == f"{worker.announcement().name}.0"
    assert Match.objects.get().attempts.get().worker == slot.name


def test_hint_after_the_request_to_stop_goes_to_others(hint: list[int], slots: Slots) -> None:
    drain = Drain(grace_s=60)
    drain.ask()

    WorkerProcess(None, platform=DIRECT, drain=drain, open_slot=slots.open).follow(
        PLAY_MATCHES, hint
    )

    assert states() == [(MatchState.PENDING, False)]
    assert slots.opened == []


def test_hint_for_a_slot_that_cannot_be_opened_goes_to_others(hint: list[int]) -> None:
    WorkerProcess(
        None, platform=DIRECT, backoff=Backoff(first_s=0.0), open_slot=open_on_a_full_disk
    ).follow(PLAY_MATCHES, hint)

    assert states() == [(MatchState.PENDING, False)]
    assert Match.objects.get().attempts_made == 0


@pytest.mark.parametrize(("index", "plays"), [(0, True), (1, False)])
def test_held_slot_gives_back_what_a_queue_of_files_gave_it(
    index: int, plays: bool, hint: list[int], slots: Slots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.conf, "worker_disable_prefetch", False)
    monkeypatch.setattr(process, "HOLD_S", 0.0)
    starvation = Starvation(slots=2, pressure=lambda: 0.9)
    starvation.slot = index
    worker = WorkerProcess(None, platform=DIRECT, starvation=starvation, open_slot=slots.open)
    monkeypatch.setattr(tasks, "_worker", worker)

    tasks.play_matches(hint)

    assert Match.objects.get().state == (MatchState.DONE if plays else MatchState.PENDING)


def test_hint_that_has_been_taken_is_played_in_its_turn(hint: list[int], slots: Slots) -> None:
    starvation = Starvation(slots=2, pressure=lambda: 0.9)
    starvation.slot = 1

    WorkerProcess(None, platform=DIRECT, starvation=starvation, open_slot=slots.open).follow(
        PLAY_MATCHES, hint
    )

    assert Match.objects.get().state == MatchState.DONE


def test_slot_whose_host_keeps_failing_is_opened_again() -> None:
    slots = Slots(Broken())
    worker = WorkerProcess(
        None, platform=DIRECT, backoff=Backoff(first_s=0.0), open_slot=slots.open
    )
    seats = [make_version(), make_version(like="greedy")]

    for _ in range(PERSISTENT + 1):
        worker.follow(PLAY_MATCHES, [make_match(seats).pk])

    assert len(slots.opened) == 2
    slots.opened[-1].close()


def test_success_ends_the_backoff(hint: list[int], slots: Slots) -> None:
    backoff = Backoff(first_s=60.0)
    backoff.record(failed=True)

    WorkerProcess(None, platform=DIRECT, backoff=backoff, open_slot=slots.open).follow(
        PLAY_MATCHES, hint
    )

    assert backoff.pause_s == 0.0


def test_worker_without_a_sandbox_announces_plain_processes() -> None:
    told = WorkerProcess(None, platform=DIRECT, slots=3).announcement()

    assert (told.slots, told.sandbox, told.layers) == (3, "process", [])
    assert "python" in told.runtimes


class Asked(DirectPlatform):
    """A platform of which nothing can be claimed; it notes what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[object, ...]] = []

    def claim(
        self,
        ids: Sequence[int],
        *,
        slot: str,
        announcement: Announcement,
        task: str = PLAY_MATCHES,
        is_lent: bool = False,
    ) -> list[Job]:
        self.asked.append(("claim", task, *ids, is_lent))
        return []

    def publish_again(self, ids: Collection[int], *, task: str = PLAY_MATCHES) -> None:
        self.asked.append(("publish again", task, *ids))


def open_on_a_full_disk(*_: object, **__: object) -> Slot:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("task", TASKS)
def test_work_is_claimed_by_an_open_slot(task: str, slots: Slots) -> None:
    platform = Asked()

    WorkerProcess(None, platform=platform, open_slot=slots.open).follow(task, [1, 2])

    assert platform.asked == [("claim", task, 1, 2, False)]
    assert len(slots.opened) == 1


@pytest.mark.parametrize("task", TASKS)
def test_work_after_the_request_to_stop_goes_to_others(task: str, slots: Slots) -> None:
    platform, drain = Asked(), Drain(grace_s=60)
    drain.ask()

    WorkerProcess(None, platform=platform, drain=drain, open_slot=slots.open).follow(task, [1, 2])

    assert platform.asked == [("publish again", task, 1, 2)]
    assert slots.opened == []


@pytest.mark.parametrize("task", TASKS)
def test_work_for_a_slot_that_cannot_be_opened_goes_to_others(task: str) -> None:
    platform, backoff = Asked(), Backoff(first_s=0.0)
    worker = WorkerProcess(None, platform=platform, backoff=backoff, open_slot=open_on_a_full_disk)

    for _ in range(PERSISTENT):
        worker.follow(task, [1])

    assert platform.asked == [("publish again", task, 1)] * PERSISTENT
    assert backoff.is_persistent


def test_friendly_that_this_host_cannot_play_is_given_back_and_counts() -> None:
    friendly = move(begun())
    slots, backoff = Slots(Broken()), Backoff(first_s=0.0)
    worker = WorkerProcess(
        None,
        platform=DIRECT,
        backoff=backoff,
        open_slot=slots.open,
    )

    for _ in range(PERSISTENT):
        worker.follow(MOVE_BOTS, [friendly.pk])

    friendly.refresh_from_db()
    assert (friendly.state, friendly.host_faults) == ("bot", PERSISTENT)
    assert backoff.is_persistent


class Away(DirectPlatform):
    """A platform that does not answer, or refuses."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.has_been_refused = False

    def claim(self, *_: object, **__: object) -> list[Job]:
        raise self.error

    def hand_in_unsent(self) -> int:
        raise self.error

    @property
    def has_refused(self) -> bool:
        return self.has_been_refused


@pytest.mark.parametrize("error", [PlatformAway("cut"), Conflict("Other release.")], ids=repr)
def test_slot_takes_hints_more_slowly_while_the_platform_is_away(
    error: Exception, hint: list[int], slots: Slots, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(Drain, "wait", lambda _, seconds: pauses.append(seconds))
    away = Away(error)
    worker = WorkerProcess(None, platform=away, open_slot=slots.open)

    for _ in range(7):
        worker.follow(PLAY_MATCHES, hint)
    away.has_been_refused = True
    worker.follow(PLAY_MATCHES, hint)

    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_results_of_an_earlier_run_hold_up_no_slot() -> None:
    with capture_logs() as logs:
        WorkerProcess(None, platform=Away(PlatformAway("cut")))._hand_in_unsent()
        WorkerProcess(None, platform=DIRECT)._hand_in_unsent()

    assert [line["event"] for line in logs] == ["results of an earlier run not handed in"]


def test_analysis_is_claimed_with_the_loan_that_its_hint_names(slots: Slots) -> None:
    platform = Asked()
    worker = WorkerProcess(None, platform=platform, open_slot=slots.open)

    worker.follow(ANALYSE_MATCH, [7])
    worker.follow(ANALYSE_MATCH, [8], is_lent=True)

    assert platform.asked == [
        ("claim", ANALYSE_MATCH, 7, False),
        ("claim", ANALYSE_MATCH, 8, True),
    ]


def test_worker_that_ends_before_its_slot_began_has_nobody_to_tell() -> None:
    drain = Drain(grace_s=0)
    drain.ask()

    WorkerProcess(None, platform=DIRECT, drain=drain).say_goodbye()
