"""Tash-Kalar: each task by a position that satisfies it and one that just does not."""

import random
from typing import Any

import pytest

from pentathlon_engines.tash_kalar import tasks as rules
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import INDEX
from tests.engines.tash_kalar.oracle.arena import Arena
from tests.engines.tash_kalar.oracle.cards import RANKS, SQUARES, Piece
from tests.engines.tash_kalar.oracle.tasks import Look, satisfied
from tests.engines.tash_kalar.positions import do, legal, position, view

BOARDS = [
    ("red_conquest", "c2h d8h e5", "", True),
    ("red_conquest", "c2h d8 e5", "", False),
    ("red_conquest", "c2h d8h", "", False),
    ("green_conquest", "a5h c7l f2", "", True),
    ("green_conquest", "a5h c7 f2", "", False),
    ("color_conquest", "c2h d8h e5h a5 c7", "", True),
    ("color_conquest", "c2h d8h e5 a5 c7", "", False),
    ("color_conquest", "c2h d8h e5h a5", "", False),
    ("red_legends", "c2l d8h", "", True),
    ("red_legends", "c2h d8h", "", False),
    ("red_legends", "c2l d8", "", False),
    ("green_legends", "a5l c7h", "", True),
    ("green_legends", "a5l c2h", "", False),
    ("rainbow_dominance", "c2h a5h", "d8 c7", True),
    ("rainbow_dominance", "c2h a5h", "d8h", False),
    ("rainbow_dominance", "c2h a5", "", False),
    ("central_dominance", "d4h e4h f4 d5 e5", "", True),
    ("central_dominance", "d4h e4 f4 d5 e5", "", False),
    ("central_dominance", "d4h e4h f4 d5", "", False),
    ("center_cross", "e5 d5 f5 e4 e6", "", True),
    ("center_cross", "e5 d4 f4 d6 f6", "", True),
    ("center_cross", "e5 d5 f5 e4 f6", "", False),
    ("line_dominance", "d2 d3 d4 d5 d6 d7", "", True),
    ("line_dominance", "a4 b4 c4 d4 e4 f4", "", True),
    ("line_dominance", "d2 d3 d4 d5 d6 d7", "d8", False),
    ("line_dominance", "c2 c3 c4 c5 c6 c7", "", False),
    ("diagonals", "b2h c3 d4 e5 c7 d6 f4h", "", True),
    ("diagonals", "b2 c3 d4 e5h c7 d6 f4", "", True),
    ("diagonals", "b2h c3 d4 e5 c7 d6 f4", "", False),
    ("side_chain", "a4 b4 c5 d5 e5 f5 g5 h4 i4", "", True),
    ("side_chain", "c1 c2 d3 c4 c5 c6 c7 c8 c9", "", True),
    ("side_chain", "a4 b4 c5 d5 f5 g5 h4 i4", "", False),
    ("side_chain", "a4 b5 c6 d7 e8 e9", "", False),
    ("corner_chain", "b2 c3 d4 e5 f6 g7 h8", "", True),
    ("corner_chain", "a7 b7 c7 d6 e5 f4 g3 g2 g1", "", True),
    ("corner_chain", "b2 c3 d4 f6 g7 h8", "", False),
    ("corner_chain", "a3 a4 a5 a6 a7", "", False),
    ("imprisonment", "d4 d5 d6 e4 e6 f4", "e5", True),
    ("imprisonment", "d4 d5 d6 e4 e6", "e5 f4", False),
    ("envelopment", "d4 d5 d6 e4 e6 f4 f5", "e5", True),
    ("envelopment", "d4 d5 d6 e4 e6 f4", "e5", False),
    ("isolation", "d1 b2 c2 d2", "c1 c3", True),
    ("isolation", "b2 c2 d2", "c1 c3", False),
    ("isolation", "d1 b2 c2 d2", "c1 c4", False),
    ("isolation", "c2 d2 d1", "c1 b2 c4", False),
]


def may_claim(task: str, own: str = "", enemy: str = "", **more: Any) -> bool:
    """Return whether a task may be claimed at the end of a turn that places a piece far away."""
    others = ["destruction", "devastation", "end_of_legends"]
    row = [f"task_{task}", *(f"task_{other}" for other in others if other != task)][:3]
    tasks = {
        "current": sorted(row),
        "next": "task_heroic_devastation",
        "claimed": [[], []],
        "under": [],
    }
    if task == "heroic_devastation":
        tasks["next"] = "task_side_chain"
    state = position(own, enemy, actions_left=1, tasks=tasks, **more)
    return f"claim task_{task}" in legal(do(state, "place i7"))


@pytest.mark.parametrize(("task", "own", "enemy", "satisfied"), BOARDS)
def test_board_satisfies_task(task: str, own: str, enemy: str, satisfied: bool) -> None:
    assert may_claim(task, own, enemy) == satisfied


DESTROYED = [
    ("destruction", "ccc", True),
    ("destruction", "chl", True),
    ("destruction", "cl", False),
    ("devastation", "cccc", True),
    ("devastation", "cch", False),
    ("heroic_destruction", "cch", True),
    ("heroic_destruction", "ccc", False),
    ("heroic_destruction", "hl", False),
    ("heroic_devastation", "cchl", True),
    ("heroic_devastation", "ccch", False),
    ("heroic_devastation", "hhh", False),
    ("end_of_legends", "l", True),
    ("end_of_legends", "hh", True),
    ("end_of_legends", "hccc", False),
]


@pytest.mark.parametrize(("task", "victims", "satisfied"), DESTROYED)
def test_destruction_satisfies_task(task: str, victims: str, satisfied: bool) -> None:
    destroyed = {rank: victims.count(rank[0]) for rank in RANKS}

    claimed = may_claim(task, counters={"destroyed": destroyed, "summoned": []})

    assert claimed == satisfied


SUMMONED = [
    ("red_summoning", "wild_eagle e5 clan_axeman a3", True),
    ("red_summoning", "wild_eagle e5", False),
    ("red_summoning", "wild_eagle a5 clan_axeman c7", False),
    ("green_summoning", "wild_eagle a5 clan_axeman a3", True),
    ("green_summoning", "wild_eagle e5 clan_axeman a3", False),
    ("colored_summoning", "wild_eagle e5 clan_axeman e5", True),
    ("colored_summoning", "wild_eagle e5 clan_axeman a5", True),
    ("colored_summoning", "wild_eagle e5 clan_axeman a3", False),
    ("legendary_summoning", "titan a3 clan_axeman a4", True),
    ("legendary_summoning", "wild_eagle a3 clan_axeman a4", False),
    ("legendary_summoning", "titan a3", False),
]


@pytest.mark.parametrize(("task", "beings", "satisfied"), SUMMONED)
def test_summons_satisfy_task(task: str, beings: str, satisfied: bool) -> None:
    words = beings.split()
    summoned = [
        {"card": card, "square": square}
        for card, square in zip(words[::2], words[1::2], strict=True)
    ]
    pile = sorted(card for card in words[::2] if card != "titan")
    legends = ["titan"] if "titan" in words else []

    claimed = may_claim(
        task,
        schools=("highland", "sylvan"),
        counters={"destroyed": dict.fromkeys(RANKS, 0), "summoned": summoned},
        discards=[pile, []],
        played={"beings": [pile, []], "legends": legends, "flares": []},
    )

    assert claimed == satisfied


def row(current: str, upcoming: str | None, **more: Any) -> dict[str, Any]:
    """Return a row of tasks."""
    named = sorted(f"task_{task}" for task in current.split())
    tasks = {"current": named, "next": upcoming and f"task_{upcoming}", "under": []}
    return tasks | {"claimed": [[], []]} | more


def test_claim_scores_and_brings_the_next_task() -> None:
    tasks = row("center_cross destruction red_legends", "isolation")
    state = position("e5 d5 f5 e4 e6", actions_left=1, tasks=tasks)

    do(state, "place i7", "claim task_center_cross")

    after = view(state)
    assert after["scores"] == [2, 0]
    assert after["tasks"]["claimed"] == [["task_center_cross"], []]
    assert after["tasks"]["current"] == sorted(
        ["task_destruction", "task_red_legends", "task_isolation"]
    )
    assert after["to_move"] == 1
    assert after["deck_sizes"]["tasks"] == 19


def test_only_one_task_is_claimed_and_the_next_one_is_not_offered() -> None:
    tasks = row("center_cross line_dominance destruction", "central_dominance")
    own = "e5h d5h f5 e4 e6 c5 b5 g5"
    state = do(position(own, actions_left=1, tasks=tasks), "place i7")

    assert legal(state) == ["claim task_center_cross", "claim task_line_dominance", "end"]
    do(state, "claim task_center_cross")
    assert view(state)["to_move"] == 1


def test_a_claim_may_be_left() -> None:
    tasks = row("center_cross destruction red_legends", "isolation")
    state = position("e5 d5 f5 e4 e6", actions_left=1, tasks=tasks)

    do(state, "place i7", "end")

    assert view(state)["scores"] == [0, 0]
    assert view(state)["to_move"] == 1


def test_no_flare_follows_a_claim() -> None:
    tasks = row("center_cross destruction red_legends", "isolation")
    enemies = "a5h a6h b5h b6h c8 d8 e8"
    state = position("e5 d5 f5 e4 e6", enemies, cards="flare_08", actions_left=1, tasks=tasks)

    do(state, "place i7")
    assert legal(state) == ["claim task_center_cross", "end", "flare"]
    do(state, "claim task_center_cross")

    assert view(state)["to_move"] == 1
    assert view(state)["hand"]["flare"] == "flare_08"


def task_deck(first: str, tasks: dict[str, Any]) -> dict[str, Any]:
    """Return a task deck with these on top."""
    every: dict[str, Any] = position(tasks=tasks).to_json()["decks"]
    top = [f"task_{task}" for task in first.split()]
    return every | {"tasks": top + [task for task in every["tasks"] if task not in top]}


def test_a_third_task_of_a_type_goes_under_the_deck() -> None:
    """After the claim two destructions and one enemy task lie there."""
    tasks = row("center_cross destruction devastation", "isolation")
    decks = task_deck("end_of_legends heroic_destruction side_chain", tasks)
    state = position("e5 d5 f5 e4 e6", actions_left=1, tasks=tasks, decks=decks)

    do(state, "place i7", "claim task_center_cross")

    after = view(state)["tasks"]
    assert after["next"] == "task_side_chain"
    assert after["under"] == ["task_end_of_legends", "task_heroic_destruction"]
    assert state.to_json()["decks"]["tasks"][-2:] == after["under"]


def test_the_row_shrinks_when_the_task_deck_is_empty() -> None:
    every = position().to_json()
    left = [*every["decks"]["tasks"], *every["tasks"]["current"], every["tasks"]["next"]]
    others = [task for task in left if task not in ("task_center_cross", "task_isolation")]
    tasks = row("center_cross", "isolation", claimed=[[], others])
    state = position("e5 d5 f5 e4 e6", actions_left=1, tasks=tasks)

    do(state, "place i7", "claim task_center_cross")

    assert view(state)["tasks"]["current"] == ["task_isolation"]
    assert view(state)["tasks"]["next"] is None


@pytest.mark.parametrize("emptiness", [1, 2, 3, 5, 8])
def test_tasks_of_crowded_boards_agree_with_their_texts(emptiness: int, deep: bool) -> None:
    """Chains and surrounded pieces are rare in matches; of the seats, one has more pieces."""
    rng = random.Random(emptiness)
    for _ in range(8 if deep else 3):
        arena, state = Arena(is_high=True), crowded_board(emptiness, rng)
        arena.board = {
            there: Piece((code - 1) // 3, RANKS[(code - 1) % 3])
            for there in SQUARES
            if (code := state.board[INDEX[there]])
        }
        for seat in (0, 1):
            look = Look(arena, seat, [])
            done = [task for task in TASK_IDS if satisfied(task, look)]
            found = [
                name for task, name in enumerate(TASK_IDS) if rules.is_satisfied(state, task, seat)
            ]
            assert found == done


def crowded_board(emptiness: int, rng: random.Random) -> Any:
    """Return a position with so many empty squares among ten, and pieces of both seats."""
    state: Any = position()
    state._reset_turn()
    mine = rng.choice((1, 3, 7, 9))
    for there in SQUARES:
        if rng.randrange(10) >= emptiness:
            state.put(INDEX[there], int(rng.randrange(10) >= mine), rng.choice((0, 0, 1, 1, 2)))
    return state
