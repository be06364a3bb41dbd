"""What a step of an effect can do, in the words of the deck files (13)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MOVES: Final = "moves"
LEAPS: Final = "leaps"
DESTROY: Final = "destroy"
UPGRADE: Final = "upgrade"
DOWNGRADE: Final = "downgrade"
CONVERT: Final = "convert"
PLACE: Final = "place"
SHOOT: Final = "shoot"
PER_SQUARE: Final = "per_square"
GROUP: Final = "group"
PICK: Final = "pick"
RECOVER: Final = "recover"
THROW_FLARE: Final = "throw_flare"
FREEZE: Final = "freeze"
MIRROR: Final = "mirror"
PICK_SQUARE: Final = "pick_square"
SWAP: Final = "swap"
LIFT: Final = "lift"
LEAP_FROM_CARD: Final = "leap_from_card"
COPY_WARP: Final = "copy_warp"
THROW: Final = "throw"
TAKE_BACK: Final = "take_back"
CHOOSE: Final = "choose_one"
DESTROY_ALL: Final = "destroy_all"
FORCE_UPGRADE: Final = "force_upgrade"
GAIN_ACTION: Final = "gain_action"
DRAW_EXTRA: Final = "draw_extra"
EXTRA_TURN: Final = "extra_turn"
WAR_SUMMON: Final = "war_summon"
BECOME_GATEWAY: Final = "become_gateway"
COUNT_AS_LEGEND: Final = "count_as_legend"
LOSE_ACTION: Final = "lose_action"
POSSESS_SUMMON: Final = "possess_summon"
TO_DECK_BOTTOM: Final = "to_deck_bottom"
CHANGE_SIDE: Final = "change_side"
SLOW_OTHERS: Final = "slow_others"
DOUBLE_DESTROYED: Final = "double_destroyed"
VOID_SUMMON: Final = "void_summon"
RECOVER_LAST: Final = "recover_last"
DISCARD_LEGENDS: Final = "discard_legends"

AUTOMATIC: Final = frozenset(
    (
        DESTROY_ALL,
        FORCE_UPGRADE,
        GAIN_ACTION,
        DRAW_EXTRA,
        EXTRA_TURN,
        WAR_SUMMON,
        BECOME_GATEWAY,
        COUNT_AS_LEGEND,
        LOSE_ACTION,
        POSSESS_SUMMON,
        TO_DECK_BOTTOM,
        CHANGE_SIDE,
        SLOW_OTHERS,
        DOUBLE_DESTROYED,
        VOID_SUMMON,
        RECOVER_LAST,
        DISCARD_LEGENDS,
    )
)
"""The operations that need no decision; all others ask the seat."""
