from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from pentathlon.bots.models import BotVersion
from pentathlon.core.services import RECONCILER, acquire_leadership
from pentathlon.fleet.capabilities import Capabilities, Fleet
from pentathlon.matches.capacity import Cap
from pentathlon.matches.dispatch.publishing import TURN_OF_NEWCOMERS, FairCursor, publish_pending
from pentathlon.matches.dispatch.reasons import (
    Before,
    MatchLine,
    Reason,
    Situation,
    read_line,
    read_situation,
    why_waiting,
)
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.requirements import requirements_of
from pentathlon_engines import GAMES
from pentathlon_engines.match.launcher import SandboxLevel
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.acting import claimed, played

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
    assert "3 of 4 slots wait for CPU time" in reason.sentence


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
        make_worker(seen_at=NOW - timedelta(hours=2))
        make_worker(is_draining=True)

        situation = read_situation()

        assert situation.fleet.slots == 3
        assert not situation.is_handed_out


def upload(version: BotVersion | None = None) -> Match:
    """Store a validation that waits."""
    version = version or make_version()
    return make_match([version, version], kind=MatchKind.VALIDATION)


def why(match: Match) -> Reason:
    reason = why_waiting(Match.objects.with_needs().get(pk=match.pk))
    assert reason is not None
    return reason


@pytest.fixture
def handed_out() -> None:
    make_worker(slots=1)
    acquire_leadership(name=RECONCILER, holder="me", ttl_s=600)


def line_of(*authors: int, others_wait: bool = True, sent: Sequence[int] = ()) -> MatchLine:
    """Return a line in which match n is for a new version of the n-th author."""
    return MatchLine(
        sent=tuple(sent),
        newcomers=tuple(sorted((author, pk) for pk, author in enumerate(authors))),
        slots=2,
        match_s=3.0,
        others_wait=others_wait,
    )


@pytest.mark.parametrize(
    ("authors", "pk", "matches"),
    [
        ((1,), 0, 0),
        ((1, 1, 1), 2, 2),
        ((1, 1, 1, 1, 2), 4, 1),
        ((1, 1, 2, 2, 3), 3, 4),
    ],
)
def test_authors_take_turns_in_the_line(authors: Sequence[int], pk: int, matches: int) -> None:
    match = Match(pk=pk, newcomer_of=authors[pk])

    before = line_of(*authors).before(match)

    assert before == Before(matches=matches, expected_s=round(matches * 8 * 3.0 / 2))


def test_time_is_short_where_nobody_else_waits() -> None:
    line = line_of(1, 1, 1, others_wait=False, sent=[7, 8])

    assert line.before(Match(pk=2, newcomer_of=1)) == Before(matches=2, expected_s=6)
    assert line.before(Match(pk=8)) == Before(matches=1, expected_s=2)
    assert line.before(Match(pk=9)) is None


@pytest.mark.usefixtures("handed_out")
def test_new_version_waits_with_a_reason_and_a_number_that_falls() -> None:
    played("tuned", seconds=30)
    for _ in range(20):
        make_match(lane=1)
    author = make_version()
    matches = [upload(author), upload(author), upload(author)]

    reason = why(matches[2])

    assert reason.code == "queued"
    assert reason.before is not None
    assert reason.before.matches == 2
    assert reason.sentence == (
        f"Waits for its turn among new versions, which have one in {TURN_OF_NEWCOMERS} turns. "
        "2 matches go first, which takes about 8 min."
    )
    numbers = []
    turns = FairCursor()
    while Match.objects.get(pk=matches[2].pk).state == MatchState.PENDING:
        told = why(matches[2])
        assert told.before is not None
        numbers.append((told.code != "sent", told.before.matches))
        publish_pending(publish=lambda _: None, cursor=turns)
        first = Match.objects.sent().order_by("sent_at", "pk").values("pk")[:1]
        Match.objects.filter(pk__in=list(first.values_list("pk", flat=True))).update(
            state=MatchState.DONE, started_at=Now() - timedelta(seconds=30), finished_at=Now()
        )
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == (False, 0)


@pytest.mark.usefixtures("handed_out")
def test_sent_match_says_what_was_sent_before_it() -> None:
    make_match(sent_at=Now() - timedelta(seconds=2))
    match = make_match(sent_at=Now())

    assert why(match).sentence == "Was sent to the workers. 1 match goes first."
    Match.objects.exclude(pk=match.pk).delete()
    assert why(match).sentence == "Comes next: the first free worker takes it."


@pytest.mark.usefixtures("handed_out")
def test_ladders_say_that_they_are_played_last() -> None:
    reason = why(make_match(kind=MatchKind.LADDER))

    assert reason.sentence == "Waits for a slot that nothing else needs: ladders are played last."
    assert reason.before is None


@pytest.mark.usefixtures("handed_out")
def test_line_is_read_by_as_many_queries_however_long_it_is() -> None:
    counts = []

    for length in (1, 10):
        for _ in range(length):
            upload()
            make_match(sent_at=Now())
        with CaptureQueriesContext(connection) as queries:
            read_line(slots=1)
        counts.append(len(queries))

    assert counts == [4, 4]


@pytest.mark.usefixtures("handed_out")
def test_many_matches_are_explained_by_one_situation() -> None:
    matches = [upload() for _ in range(5)]
    situation = read_situation()
    loaded = list(Match.objects.with_needs().filter(pk__in=[match.pk for match in matches]))

    with CaptureQueriesContext(connection) as queries:
        for match in loaded:
            why_waiting(match, situation)

    assert len(queries) == 0
