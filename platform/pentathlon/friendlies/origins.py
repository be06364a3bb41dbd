"""The finished matches whose positions friendlies may begin with.

Everybody may see a friendly once it is over, so it begins with nothing that only some may see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pentathlon.accounts.models import User
from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.services import Origin
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record


def origin_of(
    *,
    reader: User | None,
    match_id: int | None,
    friendly_id: int | None,
    ply: int,
    game: str | None = None,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
) -> Origin | None:
    """Return the position that a reader names and may see; None if they name none."""
    if match_id is None and friendly_id is None:
        return None
    if match_id is not None and friendly_id is not None:
        raise InvalidInput(
            "Name either a match or a friendly to play on from.", code="one_origin", field="match"
        )
    if options:
        raise InvalidInput(
            "Leave the options out: they are those of the match.",
            code="options_of_origin",
            field="options",
        )
    origin = _of_match(reader, match_id, ply) if match_id is not None else None
    if friendly_id is not None:
        origin = _of_friendly(friendly_id, ply)
    if origin is not None and game not in (None, origin.record["game"]):
        raise InvalidInput(
            f"Leave the game out: it is {origin.record['game']}.",
            code="game_of_origin",
            field="game",
        )
    return origin


def _of_match(reader: User | None, match_id: int, ply: int) -> Origin:
    visible = Match.objects.visible_to(reader).filter(state=MatchState.DONE).with_privacy()
    match = visible.select_related("replay").filter(pk=match_id).first()
    if match is None or not hasattr(match, "replay"):
        raise NotFound(f"There is no finished match {match_id} that you may see.")
    if match.is_private:
        raise InvalidInput(
            f"Match {match_id} is not public, and your game would be. Play on from a public "
            "match, or at your desk from the record of this one, with `pentathlon fork`.",
            code="private_origin",
            field="match",
        )
    return Origin(record=read_record(match.replay), ply=ply, match=match)


def _of_friendly(friendly_id: int, ply: int) -> Origin:
    over = Friendly.objects.filter(state=FriendlyState.DONE)
    friendly = over.filter(pk=friendly_id).first()
    if friendly is None:
        raise NotFound(f"There is no finished friendly {friendly_id}.")
    return Origin(record=friendly.record, ply=ply, friendly=friendly)
