"""What a step of an effect can do (13), each operation by its number.

First come those that ask a seat, then `choose_one`, then those that run by themselves.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

OPS: Final = (
    "moves",
    "leaps",
    "destroy",
    "upgrade",
    "downgrade",
    "convert",
    "place",
    "shoot",
    "per_square",
    "group",
    "pick",
    "recover",
    "throw_flare",
    "freeze",
    "mirror",
    "pick_square",
    "swap",
    "lift",
    "leap_from_card",
    "copy_warp",
    "throw",
    "take_back",
    "choose_one",
    "destroy_all",
    "force_upgrade",
    "gain_action",
    "draw_extra",
    "extra_turn",
    "war_summon",
    "become_gateway",
    "count_as_legend",
    "lose_action",
    "possess_summon",
    "to_deck_bottom",
    "change_side",
    "slow_others",
    "double_destroyed",
    "void_summon",
    "recover_last",
    "discard_legends",
)
MOVES: Final = 0
LEAPS: Final = 1
DESTROY: Final = 2
UPGRADE: Final = 3
DOWNGRADE: Final = 4
CONVERT: Final = 5
PLACE: Final = 6
SHOOT: Final = 7
PER_SQUARE: Final = 8
GROUP: Final = 9
PICK: Final = 10
RECOVER: Final = 11
THROW_FLARE: Final = 12
FREEZE: Final = 13
MIRROR: Final = 14
PICK_SQUARE: Final = 15
SWAP: Final = 16
LIFT: Final = 17
LEAP_FROM_CARD: Final = 18
COPY_WARP: Final = 19
THROW: Final = 20
TAKE_BACK: Final = 21
CHOOSE: Final = 22
DESTROY_ALL: Final = 23
FORCE_UPGRADE: Final = 24
GAIN_ACTION: Final = 25
DRAW_EXTRA: Final = 26
EXTRA_TURN: Final = 27
WAR_SUMMON: Final = 28
BECOME_GATEWAY: Final = 29
COUNT_AS_LEGEND: Final = 30
LOSE_ACTION: Final = 31
POSSESS_SUMMON: Final = 32
TO_DECK_BOTTOM: Final = 33
CHANGE_SIDE: Final = 34
SLOW_OTHERS: Final = 35
DOUBLE_DESTROYED: Final = 36
VOID_SUMMON: Final = 37
RECOVER_LAST: Final = 38
DISCARD_LEGENDS: Final = 39
FIRST_AUTOMATIC: Final = DESTROY_ALL
"""The operations from here on run by themselves."""
