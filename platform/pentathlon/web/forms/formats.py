"""Fields for the parameters of tournament formats, and for the order of a table."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from pentathlon_engines.contract.info import GameInfo, ordinal
from pentathlon_engines.tournament.formats.interface import LAWS, Format, Parameter, Plan
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import newest_formats
from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS, TITLES

_LONGEST_LIST = 4_000
_NO_KEY = bytes(32)
_MANY = 32
"""A field that is large enough for every format, since only the seats matter."""


def formats_of(info: GameInfo) -> dict[str, Format]:
    """Return the newest version of each kind of format that has tables for a game."""
    return {kind: each for kind, each in newest_formats().items() if seats_of(each, info)}


def seats_of(scheduling: Format, info: GameInfo) -> list[int]:
    """Return how many seats a table of this format and game may have."""
    low, high = info.seats
    return [seats for seats in range(low, high + 1) if _has_tables_of(scheduling, seats)]


def parameter_fields(parameters: Mapping[str, Parameter]) -> dict[str, forms.Field]:
    """Return a field for each parameter, with its bounds, its default and its sentence."""
    return {name: _field(name, parameter) for name, parameter in parameters.items()}


def law_field(scheduling: Format) -> forms.ChoiceField:
    """Return the choice of a law about bots that leave."""
    return forms.ChoiceField(
        label="When a bot leaves",
        choices=[(law, LAWS[law]) for law in scheduling.laws],
        initial=scheduling.laws[0],
        required=False,
    )


def tie_break_fields(scheduling: Format) -> dict[str, forms.Field]:
    """Return a choice for each place in the order of tie-breaks; without any, the format's."""
    known = [(name, TITLES[name]) for name in TIE_BREAKS]
    usual = ", then ".join(TITLES[name] for name in scheduling.order(_usual_plan(scheduling)))
    first = f"As usual: {usual}" if usual else "As usual: the format decides the places"
    return {
        f"tie_break_{place}": forms.ChoiceField(
            label=f"{ordinal(place - 1)} tie-break",
            choices=[("", "–" if place > 1 else first), *known],
            required=False,
        )
        for place in range(1, len(known) + 1)
    }


class _CountOrNumbers(forms.CharField):
    """A whole number, or a list of numbers with commas between or after them."""

    def clean(self, value: Any) -> Any:  # Any: what Django's fields take; JSON
        """Return a number, or a list of numbers."""
        text = super().clean(value)
        try:
            numbers = [int(each) for each in text.split(",") if each.strip()]
        except ValueError:
            numbers = []
        if not numbers:
            raise forms.ValidationError("Enter a whole number, or numbers separated by commas.")
        return numbers if "," in text else numbers[0]


def _usual_plan(scheduling: Format, *, seats: int = 2) -> Plan:
    return Plan(seats=seats, params=full_params(scheduling.parameters, {}), key=_NO_KEY)


def _has_tables_of(scheduling: Format, seats: int) -> bool:
    problems = scheduling.problems(_usual_plan(scheduling, seats=seats), _MANY)
    return all(problem.pointer != "/table_seats" for problem in problems)


def _field(name: str, parameter: Parameter) -> forms.Field:
    schema = parameter.schema
    kinds: Sequence[str] = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    about: dict[str, Any] = {  # Any: what Django's fields take
        "label": name.replace("_", " ").capitalize(),
        "initial": parameter.default,
        "help_text": parameter.text,
    }
    if "boolean" in kinds:
        return forms.BooleanField(**about, required=False)
    if "array" in kinds:
        about["help_text"] = f"{parameter.text} Put a comma after a list of one."
        return _CountOrNumbers(**about, max_length=_LONGEST_LIST)
    if "enum" in schema:
        choices = [(each, each) for each in schema["enum"]]
        return forms.TypedChoiceField(**about, choices=choices, coerce=int)
    about |= {"min_value": schema.get("minimum"), "max_value": schema.get("maximum")}
    about["required"] = "null" not in kinds
    return forms.IntegerField(**about) if "integer" in kinds else forms.FloatField(**about)
