"""Every hostile bot in one of the ways without a control group, and some of them in one.

The ways, and root and an ordinary user, take turns. `python3 manage.py test hostile` lets all
bots loose in every variant.
"""

from __future__ import annotations

import os
import shutil

import pytest

from tests.workers.sandbox.arena import LIMITS
from tests.workers.sandbox.hostile import (
    CONTAINED,
    DOORS_OF_X86,
    FILLS_THE_DISK,
    IN_A_MATCH,
    NATIVE,
    NEEDS_A_WITNESS,
    OUT_OF_TIME,
    REMEMBERS,
    VERDICTS,
    Arenas,
    Variant,
    every_bot,
    expected,
    share,
    variants,
    verdicts,
)
from tests.workers.sandbox.ways import Way
from workers.sandbox.files.memory import find_memory
from workers.sandbox.resources.cgroups import CgroupUse

WITHOUT_GROUPS = variants(CgroupUse.FOR_CHILDREN)
IN_GROUPS = [each for each in variants(CgroupUse.ALWAYS) if each.way is not Way.LANDLOCK]
ELSEWHERE = {
    "echo", "native_runs_on", "observes", "reads_cold_pages", REMEMBERS,
    *FILLS_THE_DISK, *IN_A_MATCH, *OUT_OF_TIME, NEEDS_A_WITNESS,
}  # fmt: skip

bare = pytest.mark.parametrize("variant", WITHOUT_GROUPS, ids=str)


@pytest.mark.parametrize(
    ("variant", "bot"),
    share([*verdicts(), *CONTAINED, *FILLS_THE_DISK], among=WITHOUT_GROUPS),
)
def test_bot_comes_to_what_it_must(arenas: Arenas, variant: Variant, bot: str) -> None:
    found = arenas.fight(variant, bot)

    assert (found["verdict"], found["answer"]) == expected(bot, variant), found["log"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="C bots need a C compiler")
@pytest.mark.parametrize(("variant", "bot"), share(NATIVE, among=WITHOUT_GROUPS))
def test_native_bot_gets_no_further(arenas: Arenas, variant: Variant, bot: str) -> None:
    found = arenas.fight(variant, bot)

    assert (found["verdict"], found["answer"]) == expected(bot, variant), found["detail"]


@pytest.mark.parametrize(
    ("variant", "bot"),
    share(
        ["cpu_threads", "fork_bomb", "memory_bomb", "memory_maps", "outlives", "thread_bomb"],
        among=IN_GROUPS,
    ),
)
def test_bot_in_a_control_group_comes_to_the_same(
    arenas: Arenas, variant: Variant, bot: str
) -> None:
    found = arenas.fight(variant, bot)

    assert (found["verdict"], found["answer"]) == expected(bot, variant), found["log"]


@bare
@pytest.mark.parametrize("bot", ["leaves_notes", "marks_root", "poisons_modules"])
def test_nothing_is_left_for_the_next_match(arenas: Arenas, variant: Variant, bot: str) -> None:
    first, second = (arenas.fight(variant, bot) for _ in range(2))

    assert first["answer"] == second["answer"] == []


@bare
def test_names_that_a_bot_looked_up_are_forgotten(arenas: Arenas, variant: Variant) -> None:
    if find_memory(os.geteuid()) is None:
        pytest.skip("this host has no file system in memory in which programs may run")

    found = arenas.fight(variant, REMEMBERS)["answer"]

    # Landlock hides no name, so what a bot looks up there stays: the README says so.
    assert found == [] if variant.way is not Way.LANDLOCK else "/usr" in found


@bare
def test_memory_is_seen_before_it_doubles(arenas: Arenas, variant: Variant) -> None:
    found = arenas.fight(variant, "memory_maps")

    assert LIMITS.memory_mb < found["memory_peak_mb"] < 2 * LIMITS.memory_mb


@bare
def test_deaf_bot_is_stopped_at_once(arenas: Arenas, variant: Variant) -> None:
    assert arenas.fight(variant, "ignores_signals")["stopped_s"] < 20


def test_every_bot_has_its_place() -> None:
    names = every_bot()

    assert len(names) >= 60
    assert names == set(NATIVE) | set(VERDICTS) | set(DOORS_OF_X86) | set(CONTAINED) | ELSEWHERE
