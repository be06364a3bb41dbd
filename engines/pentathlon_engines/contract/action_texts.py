"""Translate between actions and their texts, with tables that each game makes once."""

from __future__ import annotations

from pentathlon_engines.errors import BadAction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def text_of(action: int, texts: Sequence[str], *, title: str) -> str:
    """Return the text of an action; raise `IndexError` if the game has no such action."""
    if not 0 <= action < len(texts):
        raise IndexError(f"action {action} does not exist: {title} has 0 to {len(texts) - 1}")
    return texts[action]


def action_of(text: str, actions: Mapping[str, int], *, grammar: str) -> int:
    """Return the action with this text; raise `BadAction` if none has."""
    action = actions.get(text)
    if action is None:
        raise BadAction(text, reason=f"write {grammar}")
    return action
