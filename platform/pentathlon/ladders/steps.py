"""The reconciler's steps for ladders; their cost does not grow with the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pentathlon.ladders.batches import make_batches
from pentathlon.ladders.membership import drop_out_of_play, seat_members, seat_versions
from pentathlon.ladders.reference import revalidate_reference_bots, upload_reference_bots
from pentathlon.ladders.seasons import (
    close_seasons,
    open_divisions,
    open_ladders,
    turn_seasons,
)

LADDER_STEPS: Final[Mapping[str, Callable[[], object]]] = {
    "ladders": open_ladders,
    "reference bots": upload_reference_bots,
    "failed reference bots": revalidate_reference_bots,
    "places": drop_out_of_play,
    "new versions": seat_versions,
    "new seasons": turn_seasons,
    "divisions": open_divisions,
    "members": seat_members,
    "batches": make_batches,
    "closed seasons": close_seasons,
}
