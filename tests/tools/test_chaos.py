"""What `manage.py chaos` plans, plays in peace and counts; `storm.py` lets it strike."""

import json
import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from math import inf, nextafter
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from pytest_django.plugin import DjangoDbBlocker
from rich.console import Console

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.models import AttemptState, Match, MatchSeat, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.ratings.models import LedgerRow, LedgerState, Rating
from pentathlon.tournaments.models import Tournament
from tests.databases import rows_for_a_module
from tests.patience import PATIENCE_S
from tools.chaos.audit import Account, account_of, refusals_in
from tools.chaos.document import Size, remains, size_for
from tools.chaos.quiet import play_in_peace
from tools.chaos.report import table_of
from tools.chaos.run import Report
from tools.chaos.silent import THIEF
from tools.chaos.strikes import STRIKES, plan, strikes_on


def test_paused_worker_does_not_outlive_a_killed_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.tools.chaos_crew", str(tmp_path)]
    environment = child_environment(PYTHONPATH=IMPORT_PATH)
    with subprocess.Popen(
        command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        worker = os.pidfd_open(int(run.stdout.readline()))

        run.kill()

        ended = select.select([worker], [], [], PATIENCE_S)[0]
        os.close(worker)
    assert ended


@pytest.fixture(scope="module")
def peace(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[int]]:
    with rows_for_a_module(django_db_blocker):
        size = Size(bots=4, cycles=1)
        played = play_in_peace(size, game="tuned", seed=5, sandbox="namespaces")
        yield [tournament.pk for tournament in played]


@pytest.fixture
def played(peace: list[int], db: None) -> list[Tournament]:
    return [Tournament.objects.get(pk=pk) for pk in peace]


@pytest.fixture
def tournament(played: list[Tournament]) -> Tournament:
    return played[0]


def a_match(tournament: Tournament) -> Match:
    return Match.objects.filter(place__tournament=tournament)[3]


def test_whole_tournaments_are_sound(played: list[Tournament]) -> None:
    account = account_of(played)

    assert account.is_sound
    assert account.matches >= 12 + 8 + 8
    assert account.attempts == {AttemptState.ACCEPTED: account.matches}


def test_all_formats_leave_places_pairings_and_results(played: list[Tournament]) -> None:
    left = remains(played)

    assert list(left) == ["round robin", "Swiss", "knockout"]
    assert [len(each["table"]) for each in left.values()] == [4, 4, 4]
    assert [len(place) for place in left["knockout"]["places"]] == [1, 1, 1, 1]
    assert len(left["Swiss"]["results"]) == 2 * 8


def test_changed_seed_of_a_match_is_seen(played: list[Tournament]) -> None:
    before = remains(played)
    Match.objects.filter(pk=a_match(played[1]).pk).update(seed=1)

    after = remains(played)

    assert after["Swiss"]["results"] != before["Swiss"]["results"]
    assert after["knockout"] == before["knockout"]


def test_other_batch_is_a_difference(tournament: Tournament) -> None:
    tournament.batches.update(input_digest="0" * 64)

    account = account_of([tournament])

    assert account.schedule_differences > 0
    assert not account.is_sound


def test_missing_replay_is_a_lost_result(tournament: Tournament) -> None:
    Replay.objects.filter(match=a_match(tournament)).delete()

    assert account_of([tournament]).lost == 1


def test_void_match_is_a_lost_result(tournament: Tournament) -> None:
    Match.objects.filter(pk=a_match(tournament).pk).update(state=MatchState.VOID)

    assert account_of([tournament]).lost == 1


def test_fault_of_an_honest_bot_is_ours(tournament: Tournament) -> None:
    MatchSeat.objects.filter(match=a_match(tournament), seat=1).update(fault_kind="wall_time")

    account = account_of([tournament])

    assert account.charged == {"wall_time": 1}
    assert not account.is_sound


def test_result_that_no_rating_counts_is_lost(tournament: Tournament) -> None:
    rows = LedgerRow.objects.filter(match=a_match(tournament), pool=tournament.pool)
    rows.update(state=LedgerState.SKIPPED, seq=None)

    assert account_of([tournament]).lost == 1


def test_second_accepted_attempt_is_a_doubled_result(tournament: Tournament) -> None:
    match = a_match(tournament)
    again = match.attempts.get()
    again.pk, again.number, again.token = None, 2, uuid4()
    again.save()

    assert account_of([tournament]).doubled == 1


def test_changed_rating_is_a_difference(tournament: Tournament) -> None:
    rating = Rating.objects.filter(pool=tournament.pool)[0]
    Rating.objects.filter(pk=rating.pk).update(mu=nextafter(rating.mu, inf))

    assert account_of([tournament]).rating_differences == 1


@pytest.mark.parametrize(("wanted", "bots"), [(1, 4), (199, 4), (200, 8), (5601, 9), (10_000, 11)])
def test_smallest_field_that_plays_enough_is_taken(wanted: int, bots: int) -> None:
    size = size_for(wanted)

    assert size.bots == bots
    assert wanted <= size.matches < wanted + bots * (bots - 1)


def test_same_seed_strikes_in_the_same_order() -> None:
    first, second = (list(plan(3, 100, STRIKES)) for _ in range(2))

    assert first == second
    assert first != list(plan(4, 100, STRIKES))


def test_every_kind_of_strike_is_planned() -> None:
    drawn = Counter(strike.name for strike in plan(3, 500, STRIKES))

    assert set(drawn) == {strike.name for strike in STRIKES}
    assert drawn.total() == 500


def test_sqlite_has_no_server_to_crash() -> None:
    names = {strike.name for strike in strikes_on(postgres=False)}

    assert not names & {"database crashed", "database away", "database read-only"}


def test_without_workers_that_hold_no_keys_no_network_is_struck() -> None:
    names = {strike.name for strike in strikes_on(postgres=True, standalone=False)}

    assert names
    assert not any("network" in name or "without keys" in name for name in names)


def test_honest_worker_in_quarantine_is_ours(tournament: Tournament) -> None:
    for name in ("honest", f"{THIEF} token"):
        create_worker_token(actor=None, name=name, work=["rated"])
    WorkerToken.objects.update(quarantined_at=Now())

    account = account_of([tournament])

    assert account.quarantined == 1
    assert not account.is_sound


def test_refusals_are_counted_by_code(tmp_path: Path) -> None:
    lines = [
        json.dumps({"event": "result not wanted", "code": "stale_token"}),
        json.dumps({"event": "result not wanted", "code": "match_abandoned"}),
        json.dumps({"event": "result not wanted", "code": "stale_token"}),
        json.dumps({"event": "something else", "code": "stale_token"}),
        '{"event": "result not wanted", "co',
    ]
    (tmp_path / "worker-1.log").write_text("\n".join(lines))

    assert refusals_in(tmp_path) == {"match_abandoned": 1, "stale_token": 2}


@pytest.mark.parametrize(
    "option", ["--matches=11", "--faults=-1", "--workers=0", "--slots=0", "--taking=-1"]
)
def test_size_out_of_range_is_refused(option: str) -> None:
    with pytest.raises(CommandError, match="must be at least"):
        call_command("chaos", option)


ACCOUNT = Account(
    matches=1200,
    lost=0,
    doubled=0,
    run_twice=7,
    without_keys=300,
    attempts={"accepted": 1200, "expired": 7},
    charged={},
    rating_differences=0,
    schedule_differences=0,
    quarantined=0,
)
REPORT = Report(
    seed=7,
    database="postgresql",
    full_disk="imitated",
    faults={"kill worker": 3, "cut line": 2},
    account=ACCOUNT,
    refused={"stale_token": 4},
    requeued=1,
    tournaments={"Storm": 1200},
    table_equal=True,
    results_equal=True,
)


def lines_of(report: Report) -> list[str]:
    """Return the rows as a person reads them, with one space between cells."""
    screen = StringIO()
    Console(file=screen, width=120).print(table_of(report))
    return [" ".join(line.replace("│", " ").split()) for line in screen.getvalue().splitlines()]


def test_report_tells_what_was_done_and_what_came_of_it() -> None:
    lines = lines_of(REPORT)

    assert REPORT.is_sound
    for row in (
        "cut line 2", "kill worker 3", "faults in all 5", "matches, Storm 1,200", "lost 0",
        "attempts expired 7", "late results refused: stale_token 4",
        "final tables and places equal to a quiet run yes",
    ):  # fmt: skip
        assert row in lines


@pytest.mark.parametrize(
    ("harm", "row"),
    [
        ({"lost": 1}, "lost 1"),
        ({"doubled": 2}, "doubled 2"),
        ({"charged": {"crash": 3}}, "seats charged: crash 3"),
        ({"quarantined": 1}, "honest workers in quarantine 1"),
        ({"rating_differences": 1}, "ratings unlike a recompute 1"),
        ({"schedule_differences": 1}, "schedules unlike those made again 1"),
    ],
)
def test_any_harm_makes_a_run_unsound_and_has_its_row(harm: dict[str, Any], row: str) -> None:
    report = replace(REPORT, account=replace(ACCOUNT, **harm))

    assert not report.is_sound
    assert row in lines_of(report)
    assert report.to_json()["sound"] is False


@pytest.mark.parametrize("part", ["table_equal", "results_equal"])
def test_run_that_ends_otherwise_than_a_quiet_one_is_unsound(part: str) -> None:
    report = replace(REPORT, **{part: False})  # type: ignore[arg-type]  # a flag by its name

    assert not report.is_sound
    assert any(line.endswith("to a quiet run no") for line in lines_of(report))
