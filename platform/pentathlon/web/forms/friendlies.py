"""The form in which a person takes a seat against bots."""

from collections.abc import Sequence
from typing import Any

from django import forms

from pentathlon.bots.models import Bot, VersionState
from pentathlon.web.forms.plans import OptionFields
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import name_seat

_MOST_CHOICES = 500


class FriendlyForm(forms.Form):
    """The opponents, the person's seat, and the options of the game."""

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        game: str,
        chosen: Sequence[int] = (),
        seats: int | None = None,
        to_move: int | None = None,
    ) -> None:
        super().__init__(data)
        lowest, highest = (seats, seats) if seats else GAMES[game].info.seats
        bots = _bots(game)
        for number in range(1, highest):
            is_needed = number < lowest
            initial = chosen[number - 1] if number <= len(chosen) else None
            self.fields[f"bot_{number}"] = forms.TypedChoiceField(
                label="Opponent" if highest == lowest == 2 else f"Opponent {number}",  # noqa: PLR2004  # a pair
                coerce=int,
                empty_value=None,
                required=is_needed,
                initial=initial,
                choices=bots if is_needed else [("", "nobody"), *bots],
            )
        self.fields["seat"] = forms.TypedChoiceField(
            label="Your seat",
            coerce=int,
            empty_value=None,
            required=False,
            choices=_seats(highest, to_move),
        )
        # A match that goes on from a position has options already.
        self._options = None if seats else OptionFields(GAMES[game].info)
        if self._options is not None:
            self.fields.update(self._options.fields)

    @property
    def places(self) -> list[forms.BoundField]:
        """The fields of the opponents and of the person's seat."""
        return [field for field in self if field not in self.options]

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields of the game's options."""
        return [self[name] for name in self._options.fields] if self._options else []

    @property
    def has_open_options(self) -> bool:
        """Whether the options must be shown, because some of them need a look."""
        return any(field.errors for field in self.options)

    @property
    def bots(self) -> list[int]:
        """The ids of the chosen bots, in the order of the fields."""
        values = (self.cleaned_data[name] for name in self.fields if name.startswith("bot_"))
        return [value for value in values if value is not None]

    @property
    def chosen_options(self) -> dict[str, Any]:  # Any: JSON
        """The options that differ from their defaults."""
        return self._options.values(self.cleaned_data) if self._options else {}

    def field_of(self, field: str | None) -> str | None:
        """Return the field that shows an error of the service."""
        if field == "options" and self._options is not None:
            return self._options.field_of("")
        return "bot_1" if field == "bots" else field if field in self.fields else None


def _bots(game: str) -> list[tuple[str, str]]:
    """Return the bots with a version that may play the game."""
    playing = Bot.objects.filter(versions__state=VersionState.ELIGIBLE, versions__games__game=game)
    found = playing.select_related("owner").distinct().order_by("name")[:_MOST_CHOICES]
    return [(str(each.pk), f"{each.name} · {each.owner.username}") for each in found]


def _seats(highest: int, to_move: int | None) -> list[tuple[str, str]]:
    by_default = "a random one" if to_move is None else f"the one to move, {name_seat(to_move)}"
    named = [(str(seat), f"{name_seat(seat)} (seat {seat})") for seat in range(highest)]
    return [("", by_default), *named]
