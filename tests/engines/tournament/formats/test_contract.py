"""What every format promises."""

import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from pentathlon_engines.tournament.formats import interface, registry
from pentathlon_engines.tournament.formats.registry import FORMATS
from tests.deep import by_turns
from tests.engines.tournament.formats.playing import (
    KEY,
    Event,
    Judge,
    all_drawn,
    all_void,
    by_chance,
    by_number,
    field_of,
    plan_of,
    play,
)


class Case(NamedTuple):
    """A format in a field of some size."""

    name: str
    entries: int
    seats: int = 2
    budget: int | None = None
    """The number of blocks, for a format that has a budget."""

    @property
    def format(self) -> interface.Format:
        return FORMATS[self.name]

    @property
    def plan(self) -> interface.Plan:
        return self.plan_with(KEY)

    def plan_with(self, key: bytes) -> interface.Plan:
        budget = {"blocks": self.budget} if self.budget else {}
        return plan_of(self.format, seats=self.seats, key=key, **budget)

    def play(self, judge: Judge = by_chance, **leavers: int) -> Event:
        """Return the event, which is for reading: all tests share it."""
        return _played(self, judge, tuple(leavers.items()))


@cache
def _played(case: Case, judge: Judge, leavers: tuple[tuple[str, int], ...]) -> Event:
    return play(
        case.format,
        case.plan,
        field_of(case.entries),
        judge,
        leavers={int(name[1:]): after for name, after in leavers},
    )


CASES = [
    Case("round_robin/2", 2),
    Case("round_robin/2", 7),
    Case("round_robin/2", 10),
    Case("tables/2", 5, 3),
    Case("tables/2", 9, 4),
    Case("tables/2", 11, 5),
    Case("gauntlet/1", 2),
    Case("gauntlet/1", 9),
    Case("swiss/1", 2),
    Case("swiss/1", 9),
    Case("swiss/1", 12),
    Case("knockout/1", 2),
    Case("knockout/1", 3),
    Case("knockout/1", 11),
    Case("ab_test/1", 2),
    Case("ab_test/1", 5, 3),
    Case("ab_test/1", 6, 5),
    Case("finals/1", 2, budget=30),
    Case("finals/1", 10, budget=50),
    Case("finals/2", 2, budget=30),
    Case("finals/2", 10, budget=50),
    Case("ladder/1", 2),
    Case("ladder/1", 9),
    Case("ladder/1", 11, 4),
]
for_all = pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
JUDGES = [by_number, by_chance, all_drawn, all_void]
for_all_judges = pytest.mark.parametrize(("judge", "case"), by_turns(JUDGES, zip(CASES)))


def test_every_format_has_a_case_and_its_own_name() -> None:
    assert {case.name for case in CASES} == set(FORMATS)
    assert all(format_.name == name for name, format_ in FORMATS.items())


@for_all
def test_defaults_have_no_problems_and_fit_their_schema(case: Case) -> None:
    assert case.format.problems(case.plan, case.entries) == []
    assert set(case.plan.params) == set(case.format.parameters)
    assert case.format.title
    assert case.format.text.endswith(".")
    assert all(each.text.endswith(".") for each in case.format.parameters.values())


@for_all_judges
def test_it_ends_within_its_size(case: Case, judge: Judge) -> None:
    size = case.format.size(case.plan, case.entries)

    event = case.play(judge)

    assert size.fewest <= event.matches <= size.most
    assert size.fewest <= size.expected <= size.most


@for_all
def test_batches_are_small_and_in_the_order_of_rounds(case: Case) -> None:
    event = case.play()

    assert all(batch.blocks for batch in event.batches)
    assert all(
        sum(len(block.seatings) for block in batch.blocks) <= interface.MOST_MATCHES
        for batch in event.batches
    )
    rounds = [block.round for block in event.played]
    assert rounds == sorted(rounds)
    assert rounds[0] == 1


@for_all
def test_nobody_sits_twice_in_a_match(case: Case) -> None:
    for block in case.play().played:
        for seating in block.seatings:
            assert len(set(seating)) == len(seating) == case.seats


@for_all
def test_another_key_gives_other_batches(case: Case) -> None:
    if case.entries == 2:
        pytest.skip("nothing is left to chance")
    other = case.plan_with(b"\7" * 32)

    assert play(case.format, other, field_of(case.entries)).batches != case.play().batches


@for_all
def test_it_waits_for_results_if_it_reads_them(case: Case) -> None:
    first = case.play().batches[0]
    made = [interface.PlayedBlock(*block, None) for block in first.blocks]

    step = case.format.next(case.plan, field_of(case.entries), made)

    assert isinstance(step, interface.Wait) == case.format.reads_results


@for_all_judges
def test_who_has_left_gets_no_new_block(case: Case, judge: Judge) -> None:
    event = case.play(judge, e1=1)

    assert all(
        1 not in seating
        for batch in event.batches[1:]
        for block in batch.blocks
        for seating in block.seatings
    )


@for_all
def test_a_field_that_has_left_ends_it(case: Case) -> None:
    entries = field_of(case.entries, gone=range(case.entries))

    assert isinstance(case.format.next(case.plan, entries, []), interface.Over)


@for_all
def test_unknown_and_bad_parameters_are_named(case: Case) -> None:
    name = next(iter(case.format.parameters))
    params = {**case.plan.params, name: "many", "colour": "red"}
    plan = interface.Plan(seats=case.seats, params=params, key=KEY)

    found = {problem.pointer: problem for problem in case.format.problems(plan, case.entries)}

    assert found["/params/colour"].code == "unknown_parameter"
    assert found["/params/colour"].allowed == sorted(case.format.parameters)
    assert found[f"/params/{name}"].code == "bad_parameter"


@for_all
def test_too_few_bots_and_too_many_seats_are_named(case: Case) -> None:
    plan = plan_of(case.format, seats=6)

    found = {problem.pointer for problem in case.format.problems(plan, 1)}

    assert {"/entries", "/table_seats"} <= found


def test_same_input_gives_the_same_batches_with_any_hash_seed() -> None:
    other = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"

    assert _digest_with(other) == digest_of_all()


def _digest_with(hash_seed: str) -> str:
    folders = [str(Path(registry.__file__).parents[3]), str(Path(__file__).parents[4])]
    program = (
        "from tests.engines.tournament.formats.test_contract import digest_of_all\n"
        "print(digest_of_all())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def digest_of_all() -> str:
    """Return a digest of all batches of all cases."""
    digest = sha256()
    for case in CASES:
        event = case.play()
        digest.update(repr((case, event.batches, event.over)).encode())
    return digest.hexdigest()
