"""Every card of Tash-Kalar is played, and every branch of every effect is reached."""

from __future__ import annotations

import pytest

from pentathlon_engines.contract import game
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS
from tests.engines.tash_kalar import coverage

IS_COMPILED = not (game.__file__ or "").endswith(".py")


@pytest.mark.deep
@pytest.mark.skipif(IS_COMPILED, reason="a compiled interpreter cannot be watched at work")
def test_every_branch_of_every_effect_is_reached() -> None:
    lines, missing = coverage.report(tries=600)

    assert missing == 0, "\n".join(lines)
    assert not [line for line in lines if " 0 plays" in line]
    assert len(lines) == 132 + 1


def test_a_branch_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "play", lambda card, rng: {(0, "upgrade")})
    sapling = CARDS["sapling"]

    assert coverage.unreached(sapling, tries=3) == (set(), 1)
    assert coverage.unreached(CARDS["werewolf"], tries=3)[0]
