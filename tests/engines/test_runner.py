"""Matches with real processes: clocks, pauses, logs, and a name for everything that goes wrong."""

import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand, HostTooSlow, LaunchFailed
from pentathlon_engines.match.plain_launcher import PlainLauncher, PlainProcess
from pentathlon_engines.match.protocol import encode
from pentathlon_engines.record import record
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.rerun import requests_to
from pentathlon_engines.runner import MatchAbandoned, SeatBot, play_match
from tests.engines.bot_sources import EACH, HONEST, IMPATIENT, PATIENT, PONDERING, QUICK, READY
from tests.engines.commands import Play
from tests.engines.twelve_game import TWELVE
from tests.patience import PATIENCE_S


def test_honest_match_gives_a_record_that_verifies(play: Play) -> None:
    report = play(HONEST, HONEST, match="m1")

    state = verify_record(report.record)
    assert state.outcome is not None
    assert report.record["faults"] == []
    assert report.record["match"] == "m1"
    assert report.record["sandbox"] == "process"
    assert [usage.exit_status for usage in report.usage] == [0, 0]
    assert all(usage.cpu_s > 0 for usage in report.usage)


@pytest.mark.parametrize(
    ("source", "kind", "detail"),
    [
        pytest.param("raise SystemExit(3)", "startup", "exit status 3", id="stillborn"),
        pytest.param("print('hello')", "startup", "exit status 0", id="just a greeting"),
        pytest.param("print('x' * 5000)", "output", "one line", id="long first line"),
        pytest.param(READY + "say(1)\nsay(2)\ntime.sleep(9)", "protocol", "", id="early"),
        pytest.param(EACH + "    while True: pass", "cpu_time", "one action", id="burner"),
        pytest.param(EACH + "    print('add dog b2')", "protocol", "not JSON", id="garbage"),
        pytest.param(
            EACH + "    os.write(1, b'{')\n    break",
            "crash",
            "exit status 0",
            id="half, then end",
        ),
        pytest.param(EACH + "    sys.exit(5)", "crash", "exit status 5", id="leaver"),
        pytest.param(EACH + "    os.kill(os.getpid(), 11)", "crash", "SIGSEGV", id="segfault"),
        pytest.param(EACH + "    os.close(1)\n    time.sleep(9)", "crash", "", id="closes output"),
        pytest.param(
            EACH + "    say({'action': action}); say({})", "protocol", "", id="answers twice"
        ),
        pytest.param(EACH + "    os.write(1, b'x' * 5000)", "output", "one line", id="long line"),
        pytest.param(
            EACH + "    say({'action': action, 'pad': 'x' * 3900})", "output", "", id="wordy"
        ),
        pytest.param(
            EACH + "    os.write(2, b'x' * 60000 * 4)\n    time.sleep(9)",
            "output",
            "standard error",
            id="floods the log",
        ),
        pytest.param(EACH + "    say({'action': 'sing'})", "illegal_action", "", id="illegal"),
        pytest.param(EACH + "    os.write(1, b'[' * 3000 + b'\\n')", "protocol", "", id="bomb"),
        pytest.param(EACH + "    say({'action': 7})", "protocol", '"action"', id="number"),
        pytest.param(
            EACH + "    pad = bytearray(80 << 20)\n    time.sleep(9)",
            "memory",
            "MiB",
            id="memory hog",
        ),
    ],
)
def test_misbehaving_bot_earns_the_named_fault(
    play: Play, source: str, kind: str, detail: str
) -> None:
    report = play(HONEST, source)

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (1, kind), fault
    assert detail in fault["detail"]
    assert report.record["outcome"] == {"ranks": [0, 1], "reason": "fault", "scores": None}
    verify_record(report.record)


@pytest.mark.parametrize(
    ("source", "kind", "detail"),
    [
        pytest.param("import time\ntime.sleep(60)", "startup", "1 s are allowed", id="mute"),
        pytest.param(EACH + "    time.sleep(60)", "wall_time", "for one action", id="silent"),
        pytest.param(EACH + "    os.write(1, b'{')", "wall_time", "1 s are", id="half a line"),
    ],
)
def test_bot_that_lets_wait_earns_the_named_fault(
    play: Play, source: str, kind: str, detail: str
) -> None:
    report = play(HONEST, source, limits=IMPATIENT)

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (1, kind), fault
    assert detail in fault["detail"]


def test_match_budget_counts_all_actions(play: Play) -> None:
    burn = "    end = time.process_time() + 0.12\n    while time.process_time() < end: pass\n"

    report = play(EACH + burn + "    say({'action': action})\n", HONEST)

    (fault,) = report.record["faults"]
    assert (fault["kind"], fault["ply"]) == ("cpu_time", 4)
    assert "in the match" in fault["detail"]
    assert all(event[2] >= 120 for event in report.record["events"] if event[0] == 0)
    assert all(event[2] < 120 for event in report.record["events"] if event[0] == 1)


def test_start_does_not_count_as_thinking(play: Play) -> None:
    slow = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"

    report = play(slow + HONEST, HONEST)

    assert report.record["faults"] == []


def test_print_before_the_helper_starts_is_a_line_of_the_log(play: Play) -> None:
    greeting = "import os\nprint('Tiger 1.0', flush=True)\nos.system('echo from C')\n"

    report = play(greeting + HONEST, HONEST)

    assert report.record["faults"] == []
    assert [line.rpartition(b": ")[2] for line in report.logs[0].splitlines()] == [
        b"Tiger 1.0",
        b"from C",
    ]


def test_both_faulty_at_the_start_have_lost(play: Play) -> None:
    report = play("print('{}')", "raise SystemExit(1)")

    assert [fault["kind"] for fault in report.record["faults"]].count("startup") == 1
    assert report.record["outcome"]["ranks"] == [1, 1]
    verify_record(report.record)


def test_stand_in_plays_on_at_a_table_of_three(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "GAMES", {"twelve": TWELVE})

    report = play(HONEST, EACH + "    sys.exit(1)", HONEST, game=TWELVE)

    (fault,) = report.record["faults"]
    assert fault["kind"] == FaultKind.CRASH
    assert report.record["outcome"]["ranks"][1] == 2
    assert report.record["outcome"]["reason"] == "closest"
    assert {len(event) for event in report.record["events"] if event[0] == 1} == {5}
    verify_record(report.record)


def test_bot_makes_no_progress_in_the_turn_of_another(play: Play) -> None:
    ponder = """
import threading
ticks = 0
def count():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.001)
threading.Thread(target=count, daemon=True).start()
before = None
for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "end": break
    if before is not None:
        sys.stderr.write(f"{ticks - before}\\n")
    say({"action": ask["legal"][len(ask["legal"]) // 3]})
    before = ticks
os._exit(0)
"""
    slow = EACH + "    time.sleep(0.1)\n    say({'action': action})\n"

    report = play(READY + ponder, slow)

    steps = [int(line) for line in report.logs[0].split()]
    assert len(steps) >= 2
    # A busy host may stop it late once in a while.
    assert median(steps) < 40, "a bot that ran would have made about 90 steps"


@pytest.fixture
def unstoppable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots escape from their pause, as some have by signals, others inside the kernel."""
    monkeypatch.setattr(PlainProcess, "pause", lambda _: None)


@pytest.mark.usefixtures("unstoppable")
def test_bot_that_runs_on_in_the_turn_of_another_is_expelled(play: Play) -> None:
    report = play(PONDERING, PATIENT)

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"], fault["ply"]) == (0, "out_of_turn", 1), fault
    assert report.record["outcome"] == {"ranks": [1, 0], "reason": "fault", "scores": None}
    assert report.traces[0].requests == 1
    verify_record(report.record)


@pytest.mark.usefixtures("unstoppable")
def test_table_of_three_goes_on_without_who_ran_out_of_turn(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "GAMES", {"twelve": TWELVE})

    report = play(HONEST, PONDERING, PATIENT, game=TWELVE)

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (1, "out_of_turn"), fault
    asked = report.record["events"][fault["ply"]]
    assert asked[0] == 2
    assert asked[3] < 3000, "the mover got its time back"
    assert report.record["outcome"]["ranks"][1] == 2
    verify_record(report.record)
    for seat in range(3):
        assert [each.ply for each in requests_to(report.record, seat)] == [
            ply
            for ply, event in enumerate(report.record["events"])
            if event[0] == seat and len(event) == 4
        ]


def give_up_who_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge a bot that sleeps on purpose as if its host gave it no time; and no other bot."""
    monkeypatch.setattr(
        "pentathlon_engines.match.seat.is_given_up", lambda clock, *_: clock.slept_s > 0.5
    )


def test_host_without_time_gives_the_match_back(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_who_sleeps(monkeypatch)

    with pytest.raises(HostTooSlow) as caught:
        play(HONEST, PATIENT)

    assert caught.value.seat == 1


def test_bot_that_hosts_gave_up_before_has_lost(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_who_sleeps(monkeypatch)

    report = play(HONEST, PATIENT, blamed={1})

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (1, "wall_time")
    assert "as on other hosts before" in fault["detail"]


def test_start_that_nobody_gets_time_for_blames_nobody(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pentathlon_engines.match.seat.is_start_given_up", lambda *_: True)
    slow = "import time\ntime.sleep(0.3)\n"

    with pytest.raises(HostTooSlow) as caught:
        play(slow + HONEST, slow + HONEST)

    assert caught.value.seat is None


def test_spinning_start_costs_the_spinner_alone(play: Play) -> None:
    spinner = (
        "import threading\n" + 13 * "threading.Thread(target=exec, args=['while 1: 1']).start()\n"
    )
    slow = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"
    limits = replace(QUICK, startup_wall_s=1.0)

    report = play(spinner + "while True: pass", slow + HONEST, limits=limits)

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (0, "startup"), fault
    assert "CPU time without a ready line" in fault["detail"]


def test_log_is_kept_from_its_end(play: Play) -> None:
    report = play(EACH + "    sys.stderr.write('a' * 999 + 'bc'); say({'action': action})", HONEST)

    assert len(report.logs[0]) == 1000
    assert report.logs[0].endswith(b"bc")
    assert report.logs[1] == b""


def test_log_that_is_not_wanted_is_not_kept(play: Play) -> None:
    limits = replace(QUICK, stderr_keep_bytes=0)

    report = play(
        EACH + "    sys.stderr.write('a'); say({'action': action})", HONEST, limits=limits
    )

    assert report.logs == [b"", b""]


def test_log_of_a_crash_is_kept(play: Play) -> None:
    report = play(EACH + "    raise ValueError('no idea')", HONEST)

    assert b"ValueError: no idea" in report.logs[0]


def test_notes_and_refused_actions_stay_with_the_owner(play: Play) -> None:
    noted = EACH + "    say({'action': action if ask['ply'] == 0 else 'sing', 'note': 'la'})\n"

    report = play(noted, HONEST)

    assert report.notes == [[(0, "la"), (2, "la"), (2, "not legal: 'sing'")], []]
    assert "sing" not in str(report.record)


def test_bot_is_told_its_clock(play: Play) -> None:
    tell = """
    if ask['ply'] < 3: sys.stderr.write(json.dumps(ask['clock']) + chr(10))
    say({'action': action})
"""

    report = play(EACH + tell, HONEST)

    first, second = (json.loads(line) for line in report.logs[0].splitlines()[:2])
    assert first == {
        "cpu_left_ms": 200,
        "wall_left_ms": 10_000,
        "match_cpu_left_ms": 300,
        "match_cpu_used_ms": 0,
        "match_wall_used_ms": 0,
        "last_cpu_ms": 0,
        "last_wall_ms": 0,
    }
    assert 0 < second["match_cpu_left_ms"] < 300
    assert second["last_cpu_ms"] == report.record["events"][0][2]


def test_bot_is_told_the_end(play: Play) -> None:
    report = play(READY + "sys.stderr.write(sys.stdin.readline())", "")

    assert report.logs[0] == b'{"type":"end","ranks":[0,1],"reason":"fault"}\n'


def test_request_larger_than_a_pipe_arrives(play: Play) -> None:
    size = 300_000
    report_size = "    sys.stderr.write(f'{len(line)} ')\n    say({'action': action})\n"

    def padded(message: dict[str, object]) -> bytes:
        return encode({**message, "pad": "x" * size})

    report = play(EACH + report_size, HONEST, codec=padded)

    assert report.record["faults"] == []
    assert int(report.logs[0].split()[0]) > size


def test_tick_comes_before_each_request(play: Play) -> None:
    plies: list[int] = []

    report = play(HONEST, HONEST, on_tick=plies.append)

    assert plies == sorted(plies)
    assert list(dict.fromkeys(plies)) == list(range(len(report.record["events"])))


def test_tick_ends_a_match_in_which_a_bot_thinks(play: Play) -> None:
    started = time.monotonic()
    ticks: list[int] = []

    def abandon_soon(ply: int) -> None:
        ticks.append(ply)
        if len(ticks) > 5:
            raise MatchAbandoned

    with pytest.raises(MatchAbandoned):
        play(EACH + f"    time.sleep({PATIENCE_S})", HONEST, on_tick=abandon_soon)

    assert ticks == [0] * 6
    assert time.monotonic() - started < PATIENCE_S


def test_tick_ends_a_match_whose_bots_are_not_ready(play: Play) -> None:
    def abandon(ply: int) -> None:
        raise MatchAbandoned

    with pytest.raises(MatchAbandoned):
        play(*["import time\ntime.sleep(60)"] * 2, on_tick=abandon)


def test_abandoned_match_leaves_no_process(play: Play) -> None:
    before = set(children())
    bots: set[int] = set()

    def abandon(ply: int) -> None:
        bots.update(set(children()) - before)
        raise MatchAbandoned

    with pytest.raises(MatchAbandoned):
        play(HONEST, HONEST, on_tick=abandon)

    assert len(bots) == 2
    assert not bots & set(children())


def test_bot_whose_run_time_system_is_missing_is_no_fault(tmp_path: Path) -> None:
    missing = BotCommand(folder=tmp_path, argv=["./missing"], language="node")
    bots = [SeatBot(name="x", hash="", command=missing)] * 2

    with pytest.raises(LaunchFailed, match=r"seat 0: \./missing cannot be started"):
        play_match(
            game=GAMES["tuned"],
            options=None,
            seats=bots,
            seed=7,
            limits=QUICK,
            launcher=PlainLauncher(),
        )


@pytest.mark.parametrize("seed", [-1, 2**53])
def test_seed_that_json_cannot_hold_is_refused(play: Play, seed: int) -> None:
    with pytest.raises(ValueError, match="a seed is from"):
        play_match(
            game=GAMES["tuned"],
            options=None,
            seats=[],
            seed=seed,
            limits=QUICK,
            launcher=PlainLauncher(),
        )


def children() -> list[int]:
    path = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    return [int(pid) for pid in path.read_text().split()]


def test_grandchildren_die_with_the_bot(play: Play) -> None:
    spawn = """
    pid = os.fork()
    if pid == 0: time.sleep(60)
    sys.stderr.write(f"{pid}")
    say({"action": "sing"})
"""

    report = play(EACH + spawn, HONEST)

    assert not is_running(int(report.logs[0]))


def is_running(pid: int) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
    return True
