"""Requests with known fields and parameters only.

An unknown name is refused, not ignored: somebody who sends `starts_at` expects something to start.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Self, TypeVar, cast

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import SkipField, empty

from pentathlon.bots.services import LONGEST_REASON
from pentathlon.core.errors import DomainError, InvalidInput, Problems

Made = TypeVar("Made")
ZONE_MISSING: Final = (
    "Say in which zone this is: with Z at its end it is UTC, as in 2027-01-31T09:00:00Z; other "
    "zones have their offset there, as in 2027-01-31T09:00:00+05:45."
)

_BOUNDS: Final[Mapping[str, Sequence[str]]] = {
    "value": ("minimum", "maximum"),
    "length": ("minLength", "maxLength"),
    "items": ("minItems", "maxItems"),
}
"""JSON Schema's names of the lower and upper bound, by what is bounded."""


class RequestSerializer(serializers.Serializer[Any]):
    """The body of a request; unknown fields are refused."""

    def is_valid(self, *, raise_exception: bool = False) -> bool:
        """Check the fields; if some are wrong, also check the meaning of the valid ones.

        So one answer names all errors, whoever finds them.
        """
        if super().is_valid():
            return True
        told = [each for each in self.further_problems() if _first(each) not in self.errors]
        if raise_exception and told:
            raise Problems([*flatten_errors(self.errors), *told])
        if raise_exception:
            raise serializers.ValidationError(self.errors)
        return False

    def further_problems(self) -> Iterable[DomainError]:
        """Return the semantic errors of the valid fields."""
        return ()

    def to_internal_value(self, data: Any) -> Any:  # Any: as the framework has it
        """Return the checked values; unknown fields are reported together with all others."""
        sentence = f"There is no such field. Known: {', '.join(self.fields)}."
        problems: dict[str, Any] = {
            name: [ErrorDetail(sentence, _Code("unknown_field", allowed=[*self.fields]))]
            for name in _unknown(data, self.fields)
        }
        try:
            checked = super().to_internal_value(data)
        except serializers.ValidationError as error:
            for name, errors in cast("dict[str, Any]", error.detail).items():
                problems[name] = _with_allowed(errors, self.fields.get(name))
        if problems:
            raise serializers.ValidationError(problems)
        return checked

    def right_values(self, *names: str) -> dict[str, Any]:  # Any: checked values
        """Return the valid values of fields, and the defaults of the others.

        A required field with an invalid value has None.
        """
        given = self.initial_data if isinstance(self.initial_data, Mapping) else {}
        right: dict[str, Any] = {}
        for name in names:
            field = self.fields[name]
            try:
                right[name] = field.run_validation(given.get(name, empty))
            except SkipField:
                continue
            except serializers.ValidationError:
                right[name] = None if field.required else field.get_default()
        return right


def _first(error: DomainError) -> str:
    """Return the first part of the name of an error's field."""
    return (error.field or "").partition(".")[0]


def flatten_errors(errors: Any, at: str = "") -> Iterator[InvalidInput]:  # Any: nested errors
    """Yield the errors of a serializer, each with its field."""
    if isinstance(errors, Mapping):
        for name, each in errors.items():
            yield from flatten_errors(each, f"{at}.{name}" if at else str(name))
        return
    for number, each in enumerate(errors):
        if isinstance(each, ErrorDetail):
            allowed = getattr(each.code, "allowed", None)
            yield InvalidInput(str(each), code=str(each.code), field=at, allowed=allowed)
        else:
            yield from flatten_errors(each, f"{at}.{number}")


class _Code(str):
    """The code of an error, with the values that its field takes.

    The framework copies errors, but keeps their codes.
    """

    __slots__ = ("allowed",)

    allowed: Any  # JSON

    def __new__(cls, code: str, *, allowed: Any) -> Self:
        self = super().__new__(cls, code)
        self.allowed = allowed
        return self


def _with_allowed(errors: Any, field: Any) -> Any:  # Any: nested errors, a field or none
    """Return the errors of a field with its allowed values."""
    if isinstance(errors, Mapping):
        child = getattr(field, "child", None)
        return {place: _with_allowed(each, child) for place, each in errors.items()}
    return [
        each
        if isinstance(each.code, _Code)
        else ErrorDetail(each, _Code(each.code, allowed=_allowed(field, each.code)))
        for each in errors
    ]


def _allowed(field: Any, code: str) -> Any:
    """Return as JSON what a field takes, if it refused a value for that reason."""
    if code == "invalid_choice":
        return [*field.choices]
    kind = code.partition("_")[2]
    is_list = isinstance(field, serializers.ListField)
    names = _BOUNDS.get("items" if is_list and kind == "length" else kind, ())
    bounds = {
        name: getattr(field, f"{end}_{kind}", None)
        for end, name in zip(("min", "max"), names, strict=False)
    }
    return {name: bound for name, bound in bounds.items() if bound is not None} or None


class MomentField(serializers.DateTimeField):
    """A time with its zone: without one, nobody knows which moment is meant."""

    default_error_messages = {"zone_missing": ZONE_MISSING}

    def enforce_timezone(self, value: datetime) -> datetime:
        """Refuse a time without a zone, and return others in that of the site."""
        if value.tzinfo is None:
            self.fail("zone_missing")
        return super().enforce_timezone(value)


@extend_schema_field({"type": "string", "pattern": "^[!-~]([ -~]*[!-~])?$", "maxLength": 200})
class ReasonField(serializers.CharField):
    """A reason in one line; the service decides which characters it may have."""


class PublicReasonField(ReasonField):
    """A reason that everybody can read."""

    def __init__(self) -> None:
        super().__init__(max_length=LONGEST_REASON, help_text="Everybody can read it.")


def check_parameters(given: Iterable[str], *, known: Iterable[str]) -> None:
    """Refuse a query with a parameter that the address does not know."""
    names = sorted(known)
    if unknown := _unknown(given, names):
        allowed = f"Known: {', '.join(names)}." if names else "This address takes none."
        raise InvalidInput(
            f"There is no parameter {unknown[0][:60]!r} here. {allowed}",
            code="unknown_parameter",
            field=unknown[0][:60],
        )


def naming(
    create: Callable[[], Made],
    names: Mapping[str, str],
    *,
    within: str = "",
    outside: Collection[str] = (),
) -> Callable[[], Made]:
    """Have a service's errors name fields as the request does.

    `names` maps names of the service to names of the request. All fields but those in `outside`
    stand in the field `within` of the request.
    """

    def run() -> Made:
        try:
            return create()
        except DomainError as error:
            for each in error.errors if isinstance(error, Problems) else (error,):
                _rename(each, names, within, outside)
            raise

    return run


def _rename(
    error: DomainError, names: Mapping[str, str], within: str, outside: Collection[str]
) -> None:
    first, _, rest = (error.field or "").partition(".")
    if (error.field is None and error.pointer is None) or first in outside:
        return
    below = f"/{rest.replace('.', '/')}" if rest else ""
    if error.pointer is not None:
        below = error.pointer.removeprefix(f"/{first}")
    path = [part for part in (within, names.get(first, first)) if part]
    error.pointer = "".join(f"/{part}" for part in path) + below
    error.field = ".".join([*path, rest] if rest else path) or None


def _unknown(given: Any, known: Iterable[str]) -> list[str]:  # Any: a mapping, or no mapping
    if not isinstance(given, Iterable) or isinstance(given, str | bytes):
        return []
    names = set(known)
    return [name for name in given if isinstance(name, str) and name not in names]
