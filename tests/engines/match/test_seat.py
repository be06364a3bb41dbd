"""What a seat makes of a bot that runs, sleeps, waits for its host, or runs out of turn."""

from dataclasses import replace

import pytest

from pentathlon_engines.match.bot_pipes import BotFailed
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import EndedFromOutside, HostTooSlow
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.seat import Seat
from tests.deep import mostly_deep
from tests.engines.match.clockwork import Does, ScriptedBot, Span, World, seat_of, use_world

LIMITS = Limits(action_cpu_s=1, action_wall_s=3, match_cpu_s=20, match_wall_s=8, startup_wall_s=5)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    use_world(monkeypatch, made)
    return made


@pytest.fixture
def bot(world: World) -> ScriptedBot:
    return ScriptedBot(world)


def run(seconds: float) -> Span:
    return Span(Does.RUN, seconds)


def wait(seconds: float) -> Span:
    return Span(Does.WAIT, seconds)


def sleep(seconds: float) -> Span:
    return Span(Does.SLEEP, seconds)


def disk(seconds: float) -> Span:
    return Span(Does.DISK, seconds)


def frozen(seconds: float) -> Span:
    return Span(Does.FROZEN, seconds)


def asked(seat: Seat, bot: ScriptedBot, *spans: Span) -> Seat:
    """Let a bot answer by a script."""
    bot.do(*spans)
    seat.ask(b"act")
    return seat


def refused(seat: Seat, bot: ScriptedBot, *spans: Span) -> BotFailed:
    """Return the fault that a script earns."""
    with pytest.raises(BotFailed) as caught:
        asked(seat, bot, *spans)
    return caught.value


class TestWall:
    def test_short_answer_is_timed_without_a_look(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.0005), sleep(0.001))

        assert seat.last_wall_s == pytest.approx(0.0015)
        assert seat.last_cpu_s == pytest.approx(0.0005)
        assert seat.looked_s == 0

    def test_starved_bot_is_charged_nothing(self, bot: ScriptedBot) -> None:
        # 80 % of its CPU time on a host with eight others: four times its wall clock.
        seat = asked(seat_of(bot, LIMITS), bot, *[run(0.002), wait(0.030)] * 400)

        assert seat.last_cpu_s == pytest.approx(0.8)
        assert seat.last_wall_s < 1.0
        assert seat.waited_s > 11

    def test_sleeper_is_expelled_with_what_was_seen(self, bot: ScriptedBot) -> None:
        failure = refused(seat_of(bot, LIMITS), bot, run(0.5), sleep(10))

        assert failure.kind is FaultKind.WALL_TIME
        assert "3 s are allowed for one action" in failure.detail
        assert "with 0.500 s of CPU time" in failure.detail
        assert bot.world.now - bot.began < 3.7

    def test_sleep_of_many_actions_adds_up(self, bot: ScriptedBot) -> None:
        seat = seat_of(bot, LIMITS)
        for _ in range(3):
            asked(seat, bot, sleep(2.5))
        assert seat.clock()["wall_left_ms"] in range(400, 620)

        failure = refused(seat, bot, sleep(2.5))

        assert failure.kind is FaultKind.WALL_TIME
        assert "in the match; 8 s are allowed" in failure.detail

    @pytest.mark.parametrize("asleep", [0.9, 0.97])
    def test_mixer_gains_nothing_by_short_naps(self, bot: ScriptedBot, asleep: float) -> None:
        nap = [run(0.006 * (1 - asleep)), sleep(0.006 * asleep)]

        failure = refused(seat_of(bot, LIMITS), bot, *nap * 700)

        assert failure.kind is FaultKind.WALL_TIME
        # By chance a few looks more or fewer find it asleep.
        assert bot.world.now - bot.began == pytest.approx(3 / asleep, rel=0.1)

    def test_mixer_of_much_work_meets_its_cpu_clock(self, bot: ScriptedBot) -> None:
        failure = refused(seat_of(bot, LIMITS), bot, *[run(0.05), sleep(0.05)] * 100)

        assert failure.kind is FaultKind.CPU_TIME
        assert bot.world.now - bot.began < 2.1

    def test_bot_never_slept_longer_than_its_cpu_clock_leaves(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, *[run(0.018), sleep(0.002)] * 40)

        assert seat.last_cpu_s + 0.12 > seat.last_wall_s

    def test_answer_that_came_while_we_stood_still_is_taken(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.02), frozen(30), run(0.001))

        assert seat.last_wall_s < 0.6

    @pytest.mark.parametrize("wait_s", mostly_deep([0.002, 0.005, 0.012], keep=[0.012]))
    def test_bot_that_reads_page_after_page_sleeps(self, bot: ScriptedBot, wait_s: float) -> None:
        page = [run(wait_s / 4), disk(wait_s)]

        failure = refused(seat_of(bot, LIMITS), bot, *page * int(6 / wait_s))

        assert failure.kind is FaultKind.WALL_TIME
        assert bot.world.now - bot.began < 6

    def test_one_wait_for_the_disk_is_charged_nothing(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.1), disk(2.5), wait(1), disk(0.4), run(0.1))

        assert seat.last_wall_s < 0.4

    @pytest.mark.parametrize("does", [sleep(2), run(0.3), wait(2)])
    def test_standstill_of_the_host_counts_for_nobody(self, bot: ScriptedBot, does: Span) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, does, frozen(60), does._replace(seconds=0.5))

        assert seat.last_wall_s < 3.1


class TestHardEnd:
    def test_bot_that_never_gets_time_is_given_back(self, bot: ScriptedBot) -> None:
        bot.do(run(0.1), wait(100))

        with pytest.raises(HostTooSlow, match=r"it ran for 0.1 s and slept for 0.0 s"):
            seat_of(bot, LIMITS).ask(b"act")

        assert 40 < bot.world.now - bot.began < 41
        assert bot.signals[-1] == "stop"

    def test_disk_that_hangs_is_given_up_sooner(self, bot: ScriptedBot) -> None:
        bot.do(run(0.1), disk(100))

        with pytest.raises(HostTooSlow):
            seat_of(bot, LIMITS).ask(b"act")

        assert 3 < bot.world.now - bot.began < 4

    def test_match_of_many_slow_turns_is_given_back(self, bot: ScriptedBot) -> None:
        seat = seat_of(bot, replace(LIMITS, match_cpu_s=1, match_wall_s=1))

        asked(seat, bot, run(0.1), wait(15))
        bot.do(run(0.1), wait(15))

        with pytest.raises(HostTooSlow):
            seat.ask(b"act")

    def test_bot_that_other_hosts_gave_up_has_lost(self, bot: ScriptedBot) -> None:
        seat = seat_of(bot, LIMITS, is_blamed=True)

        failure = refused(seat, bot, run(0.1), wait(100))

        assert failure.kind is FaultKind.WALL_TIME
        assert "as on other hosts before" in failure.detail


class TestKill:
    @pytest.fixture
    def victim(self, bot: ScriptedBot) -> ScriptedBot:
        bot.is_killed = True
        bot.do(run(0.1))
        return bot

    def test_bot_that_its_host_killed_is_given_back(self, victim: ScriptedBot) -> None:
        with pytest.raises(EndedFromOutside):
            seat_of(victim, LIMITS).ask(b"act")

    def test_bot_that_was_killed_on_other_hosts_has_lost(self, victim: ScriptedBot) -> None:
        failure = refused(seat_of(victim, LIMITS, is_blamed=True), victim, run(0.1))

        assert failure.kind is FaultKind.CRASH
        assert failure.detail == "was killed from outside, as on other hosts before"


class TestStart:
    def begin(self, bot: ScriptedBot, *spans: Span, is_blamed: bool = False) -> None:
        seat = seat_of(bot, LIMITS, is_blamed=is_blamed)
        seat.pipes.line = b'{"type": "ready"}'  # type: ignore[attr-defined]  # scripted pipes
        bot.do(*spans)
        seat.await_ready(b"hello")

    def test_starved_start_is_charged_nothing(self, bot: ScriptedBot) -> None:
        self.begin(bot, *[run(0.01), wait(0.14)] * 200)

        assert bot.signals == ["stop"]

    def test_start_from_a_slow_disk_is_charged_nothing(self, bot: ScriptedBot) -> None:
        self.begin(bot, *[run(0.002), disk(0.012)] * 380)

        assert bot.signals == ["stop"]

    def test_start_on_a_host_that_stood_still_is_charged_nothing(self, bot: ScriptedBot) -> None:
        self.begin(bot, run(0.1), frozen(20), sleep(0.5), run(0.1))

        assert bot.signals == ["stop"]

    @pytest.mark.parametrize(
        ("spans", "detail"),
        [
            ([sleep(10)], "5 s are allowed"),
            ([run(10)], "s of CPU time without a ready line; 5 s are allowed"),
        ],
        ids=["sleeps", "spins"],
    )
    def test_start_that_takes_too_long_is_a_fault(
        self, bot: ScriptedBot, spans: list[Span], detail: str
    ) -> None:
        with pytest.raises(BotFailed, match=detail) as caught:
            self.begin(bot, *spans)

        assert caught.value.kind is FaultKind.STARTUP
        assert bot.world.now - bot.began < 5.1

    def test_start_that_never_gets_time_is_given_back(self, bot: ScriptedBot) -> None:
        with pytest.raises(HostTooSlow):
            self.begin(bot, run(0.1), wait(200))

    def test_start_that_other_hosts_gave_up_is_a_fault(self, bot: ScriptedBot) -> None:
        with pytest.raises(BotFailed) as caught:
            self.begin(bot, run(0.1), wait(200), is_blamed=True)

        assert caught.value.kind is FaultKind.STARTUP


class TestPause:
    def test_bot_that_keeps_still_is_left_alone(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.01))
        bot.world.sleep(5)

        seat.check_pause()

        assert bot.signals == ["go", "stop"]

    def test_bot_that_runs_a_little_is_stopped_again(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.01))
        bot.do(run(0.005))
        bot.world.sleep(1)

        seat.check_pause()
        seat.check_pause()

        assert bot.signals == ["go", "stop", "stop"]

    def test_bot_that_runs_out_of_its_turn_is_expelled(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.01))
        bot.do(run(0.5))
        bot.world.sleep(0.055)

        with pytest.raises(BotFailed, match=r"ran for 0\.055 s of CPU") as caught:
            seat.check_pause()

        assert caught.value.kind is FaultKind.OUT_OF_TURN

    def test_little_in_many_short_turns_adds_up(self, bot: ScriptedBot) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.001))
        for _ in range(7):
            bot.do(run(0.03))
            bot.world.sleep(0.03)
            seat.check_pause()
            asked(seat, bot, run(0.001))
        bot.do(run(0.03))
        bot.world.sleep(0.03)

        failure = refused(seat, bot, run(0.001))

        assert failure.kind is FaultKind.OUT_OF_TURN

    def test_bot_that_frees_its_memory_after_each_answer_is_no_fault(
        self, bot: ScriptedBot
    ) -> None:
        seat = asked(seat_of(bot, LIMITS), bot, run(0.001))

        for _ in range(100):
            bot.do(run(0.015))
            bot.world.sleep(0.015)
            seat.check_pause()
            asked(seat, bot, run(0.001))

        assert seat.cpu_s == pytest.approx(100 * 0.016, abs=0.01)

    def test_long_honest_match_is_no_fault(self, bot: ScriptedBot) -> None:
        seat = seat_of(bot, LIMITS)

        for _ in range(2000):
            bot.do(run(0.0002))
            bot.world.sleep(0.001)
            asked(seat, bot, run(0.001))

        assert seat.requests == 2000
