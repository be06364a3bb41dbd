"""A worker with an address and a token, and nothing else, plays rated matches to the end."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import cast
from zipfile import ZipFile

import pytest
from redis import Redis
from structlog.testing import capture_logs

from pentathlon.common.errors import Conflict, NotFound
from pentathlon.env import IMPORT_PATH, read_environment
from pentathlon.fleet.hints import Hint
from pentathlon.fleet.models import WorkerToken
from pentathlon.live.frames import frame_key
from pentathlon.local.servers import processes
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.worker_tokens import revoke_worker_token
from pentathlon.web.docs.wheel import wheels
from tests.factories import make_match, make_version
from tests.patience import PATIENCE_S
from tests.workers.playing import DIRECT, make_sleeper
from tests.workers.running import running_platform
from tests.workers.sites import make_worker_token
from workers import standalone
from workers.drain import Drain
from workers.host.cpu_pressure import HOLD_S, Starvation
from workers.port import PlatformAway
from workers.prefork import TOKEN_REFUSED
from workers.process import WorkerProcess
from workers.remote.adapter import RemotePlatform, TokenRefused
from workers.sandbox.errors import LayerMissing
from workers.standalone import main

WORKER = (sys.executable, "-P", "-m", "workers")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_worker_without_keys_plays_rated_matches_to_the_end(tmp_path: Path) -> None:
    token, secret = make_worker_token()
    secret_file = tmp_path / "token"
    secret_file.write_text(secret + "\n")
    versions = [make_version(), make_version(like="greedy")]
    for _ in range(3):
        make_match(versions, rated=True)
    sleepers = [make_sleeper(0.1), make_sleeper(0.1)]
    # Frames are hints: while the broker or the site is busy, none are sent for some seconds.
    shown = [make_match(sleepers, rated=True).pk for _ in range(4)]
    served = tmp_path / "served"
    for wheel in wheels().values():
        ZipFile(io.BytesIO(wheel.data)).extractall(served)
    # The environment has no database, broker, key or home, so they cannot be stolen from it.
    bare = {"PYTHONPATH": str(served), "PATH": "/usr/bin:/bin", "PENTATHLON_STARVED_SHARE": "2"}

    with running_platform(tmp_path) as platform:
        site = platform.start_web()
        platform.start_reconciler()
        log = tmp_path / "bare-worker.log"
        with log.open("wb") as output:
            options = ("--token-file", secret_file, "--slots", "1", "--data", tmp_path / "state")
            worker = processes.start(
                [*WORKER, "--server", site, *options], output=output, environment=bare
            )
        platform.started.append(worker)
        platform.eventually(lambda: not Match.objects.unfinished().exists())

        assert set(Match.objects.values_list("state", "host_faults")) == {(MatchState.DONE, 0)}
        played = Attempt.objects.values_list("worker_token", "state").distinct()
        assert list(played) == [(token.pk, AttemptState.ACCEPTED)]
        with Redis.from_url(platform.environment["REDIS_URL"]) as broker:
            keys = [frame_key(pk, 1) for pk in shown]
            assert broker.exists(*keys), "spectators could watch none of them"
        # The worker hears of the last result a moment after the database has it.
        unsent = tmp_path / "state" / "unsent"
        platform.eventually(lambda: not list(unsent.rglob("*.json")))

        revoke_worker_token(WorkerToken.objects.get())
        assert worker.wait(PATIENCE_S) == TOKEN_REFUSED, log.read_text()


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--server", "ftp://example.org", "--token", "ptw_1"],
        ["--server", "http://example.org", "--token", "ptw_1"],
        ["--server", "https://example.org", "--token", "ptw_\n1"],
        ["--server", "https://example.org", "--token-file", "/nowhere"],
        ["--server", "https://example.org", "--token", "ptw_1", "--slots", "0"],
    ],
    ids=str,
)
def test_options_that_cannot_work_are_refused(options: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        sys.exit(main(options))

    assert refused.value.code == 2


@pytest.mark.parametrize("key", ["DATABASE_URL", "PENTATHLON_SECRET_KEY", "REDIS_URL"])
def test_worker_refuses_to_run_beside_keys_in_production(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = read_environment({"PENTATHLON_MODE": "production", key: "redis://x:secret@y/0"})
    monkeypatch.setattr(standalone, "read_environment", lambda: given)

    code = main(["--server", "https://example.org", "--token", "ptw_1"])

    assert code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{key} must not be set where bots of others run")
    assert "secret@" not in said


class Waits:
    """A source without hints that notes what it was asked."""

    def __init__(self, worker: WorkerProcess) -> None:
        self.asked: list[tuple[float, bool]] = []
        self._worker = worker

    def wait(self, wait_s: float, *, only_friendlies: bool = False) -> Hint:
        self.asked.append((wait_s, only_friendlies))
        self._worker.drain.ask()
        return Hint(match_ids=[])


@pytest.mark.parametrize(("index", "asks"), [(0, (standalone.WAIT_S, False)), (1, (HOLD_S, True))])
def test_held_slot_asks_for_no_matches(
    index: int, asks: tuple[float, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    starvation = Starvation(slots=2, pressure=lambda: 0.9)
    starvation.slot = index
    worker = WorkerProcess(None, platform=DIRECT, starvation=starvation)
    source = Waits(worker)

    standalone._Slot(
        worker, cast("RemotePlatform", DIRECT), source, index=index, parent=os.getppid()
    )._take_one()

    assert source.asked == [asks]


_NO_HINT = Hint()


class Asked:
    """A worker that notes what it is asked to do; it does nothing, and may be told to fail."""

    is_held = False

    def __init__(self, error: Exception | None = None) -> None:
        self.drain = Drain(grace_s=0)
        self.done: list[tuple[object, ...]] = []
        self._error = error

    def move_bots(self, friendly_ids: Sequence[int]) -> None:
        self.done.append(("move", *friendly_ids))
        if self._error is not None:
            raise self._error

    def play(self, match_ids: Sequence[int]) -> None:
        self.done.append(("play", *match_ids))

    def analyse(self, match_id: int, *, is_lent: bool = False) -> None:
        self.done.append(("lent" if is_lent else "analyse", match_id))

    def become_slot(self, index: int) -> None:
        self.done.append(("slot", index))

    def say_goodbye(self) -> None:
        self.done.append(("goodbye",))

    def remove_files(self) -> None:
        self.done.append(("removed",))


class Site:
    """The part of a site that a slot looks at itself."""

    def __init__(self, *, unsent: int | Exception = 0) -> None:
        self.refusal: TokenRefused | None = None
        self._unsent = unsent

    def hand_in_unsent(self) -> int:
        if isinstance(self._unsent, Exception):
            raise self._unsent
        return self._unsent


class Told:
    """A source of one answer, which may be an error."""

    def __init__(self, answer: Hint | Exception) -> None:
        self._answer = answer

    def wait(self, wait_s: float, *, only_friendlies: bool = False) -> Hint:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses of slots that take no time, and none of our signals."""
    taken: list[float] = []
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(Drain, "wait", lambda _, seconds: taken.append(seconds))
    monkeypatch.setattr("random.uniform", lambda low, high: 1.0)
    return taken


def slot(
    worker: Asked,
    answer: Hint | Exception = _NO_HINT,
    *,
    site: Site | None = None,
    index: int = 0,
    parent: int | None = None,
) -> standalone._Slot:
    return standalone._Slot(
        cast("WorkerProcess", worker),
        cast("RemotePlatform", site or Site()),
        Told(answer),
        index=index,
        parent=os.getppid() if parent is None else parent,
    )


def test_slot_does_all_that_a_hint_names_and_people_come_first(pauses: list[float]) -> None:
    worker = Asked()
    hint = Hint(match_ids=(1, 2), friendly_ids=(3,), analysis_ids=(4,), lent_ids=(5,))

    slot(worker, hint)._take_one()

    assert worker.done == [("move", 3), ("play", 1, 2), ("analyse", 4), ("lent", 5)]
    assert pauses == []


def test_site_that_answers_at_once_without_work_is_not_asked_in_a_loop(
    pauses: list[float],
) -> None:
    slot(Asked())._take_one()

    assert pauses == [0.5]


@pytest.mark.parametrize("error", [PlatformAway("cut"), Conflict("Other release.")], ids=repr)
def test_pause_after_a_failure_doubles_up_to_half_a_minute(
    error: Exception, pauses: list[float]
) -> None:
    failing = slot(Asked(), error)

    for _ in range(8):
        failing._take_one()

    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_site_that_works_again_is_asked_at_once(pauses: list[float]) -> None:
    failing = slot(Asked(), PlatformAway("cut"))
    failing._take_one()

    failing._source = Told(Hint(match_ids=(1,)))
    failing._take_one()
    failing._source = Told(PlatformAway("cut"))
    failing._take_one()

    assert pauses == [1.0, 1.0]


def test_failure_while_bots_move_is_no_crash(pauses: list[float]) -> None:
    worker = Asked(PlatformAway("cut"))

    slot(worker, Hint(friendly_ids=(3,), match_ids=(1,)))._take_one()

    assert worker.done == [("move", 3)]
    assert pauses == [1.0]


def test_slot_with_a_refused_token_ends_without_a_pause(pauses: list[float]) -> None:
    worker, site = Asked(), Site()
    refused = site.refusal = TokenRefused("No longer.")

    code = slot(worker, refused, site=site).run()

    assert code == TOKEN_REFUSED
    assert pauses == []


def test_refusal_in_the_midst_of_work_is_told_once(pauses: list[float]) -> None:
    with capture_logs() as logs:
        slot(Asked(), TokenRefused("No longer."))._take_one()

    assert [line["event"] for line in logs] == ["worker token refused"]
    assert pauses == []


def test_slot_of_a_worker_that_is_gone_ends_and_says_so(pauses: list[float]) -> None:
    worker = Asked()

    assert slot(worker, index=1, parent=1).run() == 0

    assert worker.drain.is_asked
    assert worker.done == [("slot", 1), ("goodbye",), ("removed",)]


def test_slot_makes_room_for_a_new_process_after_many_hints(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standalone, "HINTS_PER_PROCESS", 3)
    worker = Asked()

    assert slot(worker, Hint(match_ids=(1,)), index=1).run() == 0

    assert worker.done.count(("play", 1)) == 3


@pytest.mark.parametrize(
    ("unsent", "told"),
    [
        pytest.param(0, [], id="nothing"),
        pytest.param(2, ["results of an earlier run handed in"], id="taken"),
        pytest.param(
            PlatformAway("cut"), ["results of an earlier run not handed in"], id="site away"
        ),
        pytest.param(
            NotFound("Other release."), ["results of an earlier run not handed in"], id="refused"
        ),
    ],
)
def test_results_of_an_earlier_run_hold_up_no_slot(
    unsent: int | Exception,
    told: list[str],
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(standalone, "HINTS_PER_PROCESS", 1)
    worker = Asked()

    with capture_logs() as logs:
        slot(worker, Hint(match_ids=(1,)), site=Site(unsent=unsent)).run()

    assert ("play", 1) in worker.done
    assert [line["event"] for line in logs] == told


def test_second_slot_hands_in_nothing_of_an_earlier_run(pauses: list[float]) -> None:
    worker = Asked()
    worker.drain.ask()

    assert slot(worker, site=Site(unsent=RuntimeError("asked twice")), index=1).run() == 0


def test_worker_that_can_isolate_nothing_does_not_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refuse(**_: object) -> None:
        raise LayerMissing("namespaces", reason="refused here", remedy="Allow them.")

    monkeypatch.setattr(standalone, "choose_probe", refuse)
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)
    monkeypatch.setattr("pentathlon.logs.configure_structlog", lambda: None)

    code = main(["--server", "https://example.org", "--token", "ptw_1", "--data", str(tmp_path)])

    assert code == 1
    said = capsys.readouterr().err
    assert said.startswith("This worker does not start. Sandbox layer 'namespaces'")
    assert "Allow them." in said


@pytest.mark.parametrize(
    ("server", "options", "is_refused"),
    [
        ("https://example.org", [], False),
        ("http://127.0.0.1:8000", [], False),
        ("http://[::1]:8000", [], False),
        ("http://localhost:8000", [], False),
        ("http://10.0.0.1", [], True),
        ("http://10.0.0.1", ["--plain-http"], False),
        ("https://", [], True),
        ("example.org", [], True),
    ],
)
def test_token_goes_in_the_clear_only_on_this_machine_or_by_request(
    server: str, options: list[str], is_refused: bool
) -> None:
    found = standalone.read_options(["--server", server, "--token", "ptw_1", *options])

    with pytest.raises(ValueError, match="https://") if is_refused else nullcontext():
        standalone.check_address(found.server, plain_http=found.plain_http)


def test_worker_without_keys_imports_no_django() -> None:
    program = (
        "import sys, workers.standalone; "
        "print([m for m in ('django', 'celery', 'psycopg', 'rest_framework') if m in sys.modules])"
    )

    found = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": IMPORT_PATH},
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout.strip() == "[]"
