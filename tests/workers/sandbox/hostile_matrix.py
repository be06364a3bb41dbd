"""Every hostile bot in every variant: `python3 manage.py test hostile`, some minutes.

By root and by an ordinary user, as a fork, by bubblewrap and under Landlock, with and without a
control group. The usual run tries a part of this (`test_hostile.py`, `test_match.py`).
"""

from __future__ import annotations

import shutil

import pytest

from tests.workers.sandbox.hostile import (
    CONTAINED,
    FILLS_THE_DISK,
    IN_A_MATCH,
    NATIVE,
    NEEDS_A_WITNESS,
    OUT_OF_TIME,
    Arenas,
    Variant,
    expected,
    expected_in_a_match,
    fight_in_a_match,
    variants,
    verdicts,
)
from workers.sandbox.resources.cgroups import CgroupUse

VARIANTS = variants(CgroupUse.NEVER, CgroupUse.ALWAYS)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("bot", [*verdicts(), *CONTAINED, *NATIVE, *FILLS_THE_DISK])
def test_bot_comes_to_what_it_must(arenas: Arenas, variant: Variant, bot: str) -> None:
    if bot in NATIVE and shutil.which("cc") is None:
        pytest.skip("C bots need a C compiler")

    found = arenas.fight(variant, bot)

    assert (found["verdict"], found["answer"]) == expected(bot, variant), found


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("bot", [*IN_A_MATCH, *OUT_OF_TIME, NEEDS_A_WITNESS])
def test_bot_loses_its_match_with_its_fault(variant: Variant, bot: str) -> None:
    found = fight_in_a_match(variant, bot)

    assert found["faults"] == [[1, expected_in_a_match(bot, variant)]]
    assert found["ranks"] == [0, 1]
