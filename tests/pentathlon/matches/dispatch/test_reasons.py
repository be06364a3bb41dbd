from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from pentathlon.core.services import RECONCILER, acquire_leadership
from pentathlon.fleet.capabilities import Capabilities, Fleet
from pentathlon.matches.capacity.concurrency import Cap
from pentathlon.matches.dispatch.reasons import Reason, Situation, read_situation, why_waiting
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.requirements import requirements_of
from pentathlon_engines import GAMES
from pentathlon_engines.match.launcher import SandboxLevel
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.acting import claimed

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def _able(**changes: Any) -> Capabilities:
    """Return what an ordinary worker can do, but for `changes`."""
    facts = {
        "games": frozenset((key, game.info.version) for key, game in GAMES.items()),
        "runtimes": frozenset({"python", "command"}),
        "sandbox": SandboxLevel.NAMESPACES,
        "cgroup": False,
    }
    return Capabilities(**{**facts, **changes})


def _situation(*workers: Capabilities, is_handed_out: bool = True) -> Situation:
    fleet = Fleet(slots=2 * len(workers), held_slots=0, capabilities=workers)
    return Situation(
        now=NOW,
        fleet=fleet,
        cap=Cap({}),
        held_lanes=frozenset({7}),
        is_handed_out=is_handed_out,
    )


def _why(match: Match, workers: Sequence[Capabilities] = ()) -> Reason:
    reason = why_waiting(match, _situation(*(workers or [_able()])))
    assert reason is not None
    return reason


def _with_manifest(**fields: Any) -> Match:
    version = make_version()
    version.manifest = {**version.manifest, **fields}
    version.save(update_fields=("manifest",))
    return make_match([version, make_version()])


@pytest.mark.parametrize(
    ("columns", "code", "words"),
    [
        ({}, "queued", "its turn"),
        ({"kind": MatchKind.CHALLENGE}, "queued", "rated matches go first"),
        ({"sent_at": NOW}, "sent", "free worker"),
        ({"lane": 7, "sent_at": NOW}, "on_hold", "tournament is paused"),
        ({"host_faults": 1, "state_reason": "no bwrap"}, "retry", "Try 2 of 3"),
        (
            {
                "state": MatchState.RUNNING,
                "worker": "host/5",
                "lease_until": NOW - timedelta(seconds=1),
            },
            "worker_silent",
            "host/5",
        ),
        ({"state": MatchState.VOID, "state_reason": "cancelled"}, "void", "cancelled"),
    ],
)
def test_reason_names_what_the_match_waits_for(
    columns: dict[str, Any], code: str, words: str
) -> None:
    reason = _why(make_match(**columns))

    assert reason.code == code
    assert words in reason.sentence


def test_starved_hosts_are_named() -> None:
    fleet = Fleet(slots=4, held_slots=3, capabilities=(_able(),))
    situation = Situation(
        now=NOW, fleet=fleet, cap=Cap({}), held_lanes=frozenset({7}), is_handed_out=True
    )

    reason = why_waiting(make_match(), situation)

    assert reason is not None
    assert reason.code == "starved"
    assert "3 of 4 slots take no matches" in reason.sentence


@pytest.mark.parametrize("state", [MatchState.RUNNING, MatchState.DONE])
def test_match_that_runs_or_is_done_needs_no_reason(state: MatchState) -> None:
    assert why_waiting(make_match(state=state), _situation()) is None


class TestUnroutable:
    def test_no_worker_is_alive(self) -> None:
        assert why_waiting(make_match(), _situation()) == Reason(
            code="no_worker", sentence="No worker is alive."
        )

    @pytest.mark.parametrize(
        ("worker", "fields", "code", "sentence"),
        [
            (
                _able(),
                {"language": "java"},
                "no_worker_for_runtime",
                "No worker offers the runtime java.",
            ),
            (
                _able(),
                {"build": ["/usr/bin/cc", "-o", "bot", "bot.c"], "language": "command"},
                "no_worker_for_build",
                "No worker builds with cc.",
            ),
            (
                _able(sandbox=SandboxLevel.PROCESS),
                {},
                "no_worker_for_sandbox",
                "No worker has the sandbox level landlock.",
            ),
            (
                _able(games=frozenset({("tuned", 0)})),
                {},
                "no_worker_for_game",
                "No worker plays tuned by version 1 of its rules.",
            ),
            (
                _able(),
                {"processes": 4},
                "no_worker_for_processes",
                "No worker has a cgroup, which bots of many processes need.",
            ),
        ],
    )
    def test_sentence_names_what_is_missing(
        self, worker: Capabilities, fields: dict[str, Any], code: str, sentence: str
    ) -> None:
        assert _why(_with_manifest(**fields), [worker]) == Reason(code=code, sentence=sentence)

    def test_no_single_worker_has_it_all(self) -> None:
        workers = [_able(runtimes=frozenset({"java"})), _able()]

        assert _why(_with_manifest(language="java"), workers).code == "no_worker_for_all"

    def test_one_worker_that_can_is_enough(self) -> None:
        workers = [_able(), _able(runtimes=frozenset({"java", "python"}))]

        assert _why(_with_manifest(language="java"), workers).code == "queued"

    def test_worker_with_the_compiler_builds_and_any_other_plays(self) -> None:
        match = _with_manifest(build=["cc", "bot.c"])
        able = _able(runtimes=frozenset({"build:cc", "python"}))

        assert _why(match, [_able(), able]).code == "queued"
        assert not _able().satisfies(requirements_of(match))
        assert able.satisfies(requirements_of(match))
        assert _able().satisfies(requirements_of(_with_manifest(build=["sh", "build.sh"])))

    def test_nobody_hands_matches_out(self) -> None:
        reason = why_waiting(make_match(), _situation(_able(), is_handed_out=False))

        assert reason is not None
        assert reason.code == "no_reconciler"


class TestSituation:
    def test_bot_at_its_cap_is_named(self, settings: Settings) -> None:
        settings.BOT_MATCHES = 1
        make_worker()
        acquire_leadership(name=RECONCILER, holder="me", ttl_s=60)
        busy = make_version(name="busy")
        claimed(make_match([busy, make_version()]))

        reason = why_waiting(make_match([make_version(), busy]))

        assert reason is not None
        assert reason.code == "bot_cap"
        assert "busy keeps 1 slot busy" in reason.sentence

    def test_only_workers_that_were_heard_of_count(self) -> None:
        make_worker(slots=3)
        make_worker(seen_at=NOW - timedelta(minutes=5))
        make_worker(is_draining=True)

        situation = read_situation()

        assert situation.fleet.slots == 3
        assert not situation.is_handed_out
