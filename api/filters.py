"""Filters of lists."""

from django import forms
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field

from pentathlon_engines import GAMES

_LARGEST_ID = 2**63 - 1


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": _LARGEST_ID})
class IdFilter(filters.NumberFilter):
    """The id of a row; rows that do not exist match nothing."""

    field_class = forms.IntegerField

    def __init__(self, **settings: object) -> None:
        super().__init__(min_value=1, max_value=_LARGEST_ID, **settings)

    def get_max_validator(self) -> None:
        """Leave the bounds to the field."""


def _titles() -> list[tuple[str, str]]:
    return [(key, game.info.title) for key, game in GAMES.items()]


@extend_schema_field({"type": "string", "enum": list(GAMES)})
class GameFilter(filters.ChoiceFilter):
    """The key of a game."""

    def __init__(self, **settings: object) -> None:
        # Called at each use: the list of games may grow after this module is loaded.
        super().__init__(choices=_titles, **settings)


@extend_schema_field({"type": "string", "pattern": "^[^\\x00]*$"})
class TextFilter(filters.CharFilter):
    """A text without zero bytes, which no database stores."""
