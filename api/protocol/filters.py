"""Filters of lists: a name means the same everywhere, and is the name of a field of the answer."""

import re
from datetime import datetime
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from django_filters.fields import IsoDateTimeField
from drf_spectacular.utils import OpenApiParameter, extend_schema_field

from api.protocol.requests import ZONE_MISSING
from pentathlon.core.server.limits import LONGEST_FILTER
from pentathlon.core.tracing import made_before, made_since
from pentathlon_engines import GAMES

_LARGEST_ID = 2**63 - 1
_YEARS: Final = range(2000, 2100)
_MONTH_AND_DAY: Final = (
    r"((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
)
_SINCE: Final = "Created at this time or later, such as 2026-11-23T12:00:00Z or 2026-11-23."
_UNTIL: Final = "Created before this time; consecutive spans do not overlap."
_TIME: Final = r"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?"

_WITHOUT_ZONE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+", re.IGNORECASE)
_MOMENT: Final = {"type": "string", "pattern": f"^20[0-9]{{2}}-{_MONTH_AND_DAY}{_TIME}$"}
MADE_PARAMETERS: Final = (
    OpenApiParameter("since", _MOMENT, description=_SINCE),
    OpenApiParameter("until", _MOMENT, description=_UNTIL),
)
"""`MadeFilterSet` as parameters, for lists that the schema generator does not recognise."""


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


@extend_schema_field({"type": "string", "pattern": "^[^\\x00]*$", "maxLength": LONGEST_FILTER})
class TextFilter(filters.CharFilter):
    """A text without zero bytes, which no database stores."""

    def __init__(self, **settings: object) -> None:
        super().__init__(max_length=LONGEST_FILTER, **settings)


def _check_year(moment: datetime) -> None:
    # These years stay well within what a database can store, whatever the zone.
    if moment.year not in _YEARS:
        raise ValidationError(f"The year is from {_YEARS[0]} to {_YEARS[-1]}.", code="bad_time")


class _MomentField(IsoDateTimeField):
    def to_python(self, value: Any) -> datetime | None:  # Any: as the framework has it
        """Return the time of a text; refuse one without a zone, unless it is a day."""
        if isinstance(value, str) and _WITHOUT_ZONE.fullmatch(value.strip()):
            raise ValidationError(ZONE_MISSING, code="zone_missing")
        made: datetime | None = super().to_python(value)
        return made


@extend_schema_field(_MOMENT)
class MomentFilter(filters.IsoDateTimeFilter):
    """A time with its zone, or a day, which begins at midnight UTC."""

    field_class = _MomentField

    def __init__(self, **settings: object) -> None:
        super().__init__(validators=[_check_year], **settings)


class MadeFilterSet(filters.FilterSet):
    """Filters by creation time; a span includes its beginning but not its end."""

    since = MomentFilter(method="made_since", help_text=_SINCE)
    until = MomentFilter(method="made_before", help_text=_UNTIL)

    # Any: rows of every list.
    def made_since(self, rows: QuerySet[Any], name: str, value: datetime) -> QuerySet[Any]:
        """Keep rows created at this time or later."""
        return made_since(rows, value)

    def made_before(self, rows: QuerySet[Any], name: str, value: datetime) -> QuerySet[Any]:
        """Keep rows created before this time."""
        return made_before(rows, value)
