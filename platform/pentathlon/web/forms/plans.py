"""Fields that forms of tournaments and events share: format, order of the table, limits."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from pentathlon.core.errors import DomainError
from pentathlon.tournaments.documents.checks import error_of, problems_of_rated
from pentathlon.web.forms.formats import law_field, parameter_fields, tie_break_fields
from pentathlon_engines.contract.info import GameInfo, Option
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.checks import LIMIT_RANGES, check_document
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Format
from pentathlon_engines.tournament.formats.registry import NEVER_RATED

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
