"""Fields that forms of tournaments and events share: format, order of the table, limits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from pentathlon.core.errors import DomainError
from pentathlon.tournaments.documents.checks import error_of, problems_of_rated
from pentathlon_engines.contract.info import GameInfo, Option, ordinal
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.checks import LIMIT_RANGES, check_document
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import LAWS, Format, Parameter, Plan
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import NEVER_RATED, newest_formats
from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS, TITLES

_LONGEST_LIST = 4_000
_NO_KEY = bytes(32)
_MANY = 32
"""A field that is large enough for every format, since only the seats matter."""
_LABELS: Final[Mapping[str, tuple[str, str]]] = {
    "action_cpu_s": ("CPU seconds per action", "Thinking time for one decision."),
    "match_cpu_s": ("CPU seconds per match", "A bot’s thinking time in total."),
    "action_wall_s": ("Seconds asleep per action", "Time that a bot sleeps or waits."),
    "match_wall_s": ("Seconds asleep per match", "In all actions together."),
    "startup_wall_s": ("Seconds to start", "Until a bot says that it is ready."),
    "memory_mb": ("Memory in MiB", "For a bot with all its processes."),
}
_USUAL: Final = Limits().to_json()
_LONGEST_KIND: Final = 60


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


class PlanForm(forms.Form):
    """The parameters of a format, the tie-breaks, and all limits that an organiser may set."""

    def __init__(
        self,
        data: Any,  # Any: what Django's forms take, here and below
        *,
        formats: Mapping[str, Format],
        kind: str,
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self.formats = formats
        """The formats that organisers may choose, by kind."""
        self.unknown_format = _unknown_format(kind, formats)
        """The error for a kind that is not among the formats; empty without one."""
        self.kind = kind if kind in formats else next(iter(formats))
        self.scheduling = scheduling = formats[self.kind]
        self._ordering = tie_break_fields(scheduling)
        self._limits = _limit_fields()
        of_format = parameter_fields(scheduling.parameters)
        self.fields.update(of_format | self._ordering | self._limits)
        self.fields["leaving"] = law_field(scheduling)
        if not self.may_be_rated:
            rated = self.fields["rated"]
            rated.disabled, rated.initial = True, False
            rated.help_text = f"{scheduling.title} matches are never rated."

    @property
    def may_be_rated(self) -> bool:
        """Whether results of this format may count on a leaderboard."""
        return self.scheduling.name.partition("/")[0] not in NEVER_RATED

    @property
    def parameters(self) -> list[forms.BoundField]:
        """The fields of the format's own parameters."""
        return [self[name] for name in self.scheduling.parameters]

    @property
    def first_tie_break(self) -> forms.BoundField:
        """The field of the most important tie-break."""
        return self[next(iter(self._ordering))]

    @property
    def further_tie_breaks(self) -> list[forms.BoundField]:
        """The fields of the tie-breaks for bots that the first one leaves level."""
        return [self[name] for name in self._ordering][1:]

    @property
    def has_further_tie_breaks(self) -> bool:
        """Whether further tie-breaks must be shown, because some are chosen or need a change."""
        return any(field.value() or field.errors for field in self.further_tie_breaks)

    @property
    def limits(self) -> list[forms.BoundField]:
        """The fields of the limits."""
        return [self[name] for name in self._limits]

    @property
    def has_wrong_limits(self) -> bool:
        """Whether the limits must be shown, because some of them need a change."""
        return any(self[name].errors for name in self._limits)

    @property
    def plan(self) -> dict[str, Any]:  # Any: JSON
        """The form's part of the document, with only the limits that differ from the defaults."""
        values = self.cleaned_data
        return {
            "scheduler": self.scheduling.name,
            "params": {name: values[name] for name in self.scheduling.parameters},
            "limits": {
                name: values[name]
                for name in self._limits
                if values.get(name) is not None and values[name] != _USUAL[name]
            },
            "tie_breaks": tuple(values[name] for name in self._ordering if values.get(name)),
            "leaving": values.get("leaving") or None,
        }

    def initial_plan(self, document: TournamentDocument) -> dict[str, Any]:
        # Any: what Django's fields show
        """Return the initial values for a document; parameters only if it has this format."""
        shown = dict(zip(self._ordering, document.tie_breaks, strict=False)) | dict(
            document.limits
        )
        if document.scheduler == self.scheduling.name:
            shown |= {name: _typed(value) for name, value in document.params.items()}
            shown["leaving"] = document.leaving
        return shown

    def field_of(self, name: str | None) -> str | None:
        """Return which field shows an error of the service; None: the form as a whole."""
        part, _, rest = (name or "").partition(".")
        if part in {"params", "limits", "entry_rules"}:
            part = rest.partition(".")[0]
        part = "tie_break_1" if part == "tie_breaks" else part
        return part if part in self.fields else None

    def show_problems(self, document: TournamentDocument, *, entries: int) -> None:
        """Show the problems of a document at the fields that cause them, each once."""
        completed, problems = check_document(document, entries=entries)
        self.show_errors(map(error_of, problems))
        if self.cleaned_data.get("rated"):
            self.show_errors(problems_of_rated(completed))

    def show_errors(self, errors: Iterable[DomainError]) -> None:
        """Show errors of the service at their fields, each once."""
        for error in errors:
            field = self.field_of(error.field)
            # The form itself has checked these fields.
            if field not in {*self._ordering, *self._limits} and not self._shows(
                field, error.detail
            ):
                self.add_error(field, error.detail)

    def _shows(self, field: str | None, sentence: str) -> bool:
        return sentence in self.errors.get(field or NON_FIELD_ERRORS, ())

    def clean(self) -> dict[str, Any]:  # Any: cleaned values
        """Refuse an unknown format, and the same tie-break twice."""
        cleaned = super().clean() or {}
        if self.unknown_format:
            self.add_error(None, self.unknown_format)
        chosen: set[str] = set()
        for name in self._ordering:
            if (value := cleaned.get(name)) and value in chosen:
                self.add_error(name, "Each can be used once: choose another, or nothing.")
            chosen.add(value or "")
        return cleaned


class OptionFields:
    """The fields of a game's options: a list for each seat has one field for each of them."""

    def __init__(self, info: GameInfo) -> None:
        self._options = info.options
        self.fields: dict[str, forms.Field] = {}
        """The fields by name."""
        for option in info.options:
            for name in _names(option):
                self.fields[name] = _option_field(option, name)

    def values(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
        """Return the options that differ from their defaults."""
        chosen = {option.name: _value(option, cleaned) for option in self._options}
        usual = {option.name: option.usual() for option in self._options}
        return {name: value for name, value in chosen.items() if value != usual[name]}

    def initial(self, options: Mapping[str, Any]) -> dict[str, Any]:  # Any: JSON
        """Return the values of these options by field."""
        shown: dict[str, Any] = {}
        for option in self._options:
            names, value = _names(option), options.get(option.name, option.usual())
            values = value if option.kind == "each_seat" else [value]
            shown |= zip(names, values, strict=False)
        return shown

    def field_of(self, name: str) -> str | None:
        """Return the field of an option, the first one if it has several or is not named."""
        found = (option for option in self._options if name in {"", option.name})
        return next((_names(option)[0] for option in found), None)


def _typed(value: Any) -> Any:  # Any: JSON
    """Return a parameter as people type it: lists have a comma after each number but the last."""
    if not isinstance(value, list):
        return value
    return ", ".join(map(str, value)) if len(value) > 1 else f"{value[0]},"


def _limit_fields() -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    for name, (label, hint) in _LABELS.items():
        low, high = LIMIT_RANGES[name]
        about: dict[str, Any] = {  # Any: what Django's fields take
            "label": label,
            "min_value": low,
            "max_value": high,
            "initial": _USUAL[name],
            "required": False,
            "help_text": f"{hint} {low:g} to {high:g}.",
        }
        is_whole = name == "memory_mb"
        fields[name] = forms.IntegerField(**about) if is_whole else forms.FloatField(**about)
    return fields


def _unknown_format(kind: str, formats: Mapping[str, Format]) -> str:
    """Return what is wrong with the requested kind; empty if it is right or missing."""
    if not kind or kind in formats:
        return ""
    known = ", ".join(each.title for each in formats.values())
    return f"There is no format {kind[:_LONGEST_KIND]!r} here; the formats are {known}."


def _names(option: Option) -> list[str]:
    if option.kind != "each_seat":
        return [f"option_{option.name}"]
    seats = len(option.usual())  # type: ignore[arg-type]  # a list
    return [f"option_{option.name}_{seat}" for seat in range(seats)]


def _option_field(option: Option, name: str) -> forms.Field:
    label = option.name.replace("_", " ").capitalize()
    usual = option.usual()
    if option.kind == "flag":
        return forms.BooleanField(label=label, initial=usual, required=False)
    if option.kind == "integer":
        low, high = (int(bound) for bound in option.choices)
        return forms.IntegerField(
            label=label,
            min_value=low,
            max_value=high,
            initial=usual,
            required=False,
            help_text=f"{low} to {high}.",
        )
    if isinstance(usual, list):
        seat = int(name.rpartition("_")[2])
        label, usual = f"{label}, seat {seat}", usual[seat]
    choices = [(each, _choice_label(option, each)) for each in option.choices]
    return forms.ChoiceField(label=label, choices=choices, initial=usual, required=False)


def _choice_label(option: Option, choice: object) -> str:
    label = str(choice).replace("_", " ")
    return f"{label} (expansion, unrated only)" if choice in option.unofficial else label


def _value(option: Option, cleaned: Mapping[str, Any]) -> Any:  # Any: JSON
    usual = option.usual()
    given = [cleaned.get(name) for name in _names(option)]
    if option.kind == "flag":
        return bool(given[0])
    if isinstance(usual, list):
        return [value or each for value, each in zip(given, usual, strict=True)]
    return usual if given[0] in (None, "") else given[0]
