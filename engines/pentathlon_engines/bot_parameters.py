"""Parameters of a bot: typed values in its `bot.toml` that its author sets otherwise at the desk.

```toml
[parameters]
depth = {type = "integer", min = 1, max = 12, default = 4}
weight = {type = "number", min = 0, max = 2, default = 0.5}
style = {type = "choice", choices = ["calm", "wild"], default = "calm"}
pruned = {type = "flag", default = true}
```

`hello` tells a bot their values. They are part of a version's files, so on a site a version always
has its defaults.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pentathlon_engines import strict_json
from pentathlon_engines.errors import BadJson, BadManifest, BadParameter

FIELD: Final = "parameters"
Value = bool | int | float | str
MOST: Final = 64
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_LARGEST: Final = 2**53
"""Every JSON reader reads whole numbers up to this one exactly."""
_FIELDS: Final = {
    "integer": ("type", "default", "min", "max"),
    "number": ("type", "default", "min", "max"),
    "choice": ("type", "default", "choices"),
    "flag": ("type", "default"),
}
"""The types, and what each of them states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotParameter:
    """One parameter, with the values that it may have."""

    name: str
    type: str
    default: Value
    min: float | None = None
    max: float | None = None
    choices: tuple[str, ...] = ()

    def accepts(self, value: object) -> bool:
        """Return whether the parameter may have this value; a whole number is a number, too."""
        if self.type == "flag":
            return type(value) is bool
        if self.type == "choice":
            return type(value) is str and value in self.choices
        kinds = (int,) if self.type == "integer" else (int, float)
        low = -_LARGEST if self.min is None else self.min
        high = _LARGEST if self.max is None else self.max
        return type(value) in kinds and low <= value <= high  # type: ignore[operator]  # a number

    def allowed(self) -> str:
        """Describe the values that it may have."""
        if self.type == "flag":
            return "true or false"
        if self.type == "choice":
            return f"one of {', '.join(self.choices)}"
        kind = "a whole number" if self.type == "integer" else "a number"
        low = "" if self.min is None else f" from {self.min:g}"
        high = "" if self.max is None else f" to {self.max:g}"
        return f"{kind}{low}{high}"

    def to_json(self) -> dict[str, object]:
        """Return the table of `bot.toml`."""
        values = {name: getattr(self, name) for name in _FIELDS[self.type]}
        return {
            name: list(value) if name == "choices" else value
            for name, value in values.items()
            if value is not None
        }


def read_parameters(table: object) -> tuple[BotParameter, ...]:
    """Return the parameters in a table of `bot.toml`, or raise `BadManifest`."""
    if table is None:
        return ()
    if not isinstance(table, dict) or len(table) > MOST:
        raise BadManifest(f"{FIELD}: write a table of at most {MOST} parameters")
    return tuple(_read(name, fields) for name, fields in table.items())


def values_of(parameters: Sequence[BotParameter], given: Mapping[str, object]) -> dict[str, Value]:
    """Return the values of all parameters, defaults for those that are not given.

    Raises:
        BadParameter: there is no such parameter, or it may not have such a value.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name, value in given.items():
        if name not in known:
            raise BadParameter(f"there is no parameter {name!r}: it has {_listed(known)}")
        if not known[name].accepts(value):
            raise BadParameter(f"{name} may be {known[name].allowed()}, not {value!r}")
    return {name: given.get(name, each.default) for name, each in known.items()}  # type: ignore[misc]  # accepted above


def read_value(text: str) -> object:
    """Return the value that a text of the command line stands for: JSON, or the text itself."""
    try:
        return strict_json.loads(text)
    except BadJson:
        return text


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names) or "none; bot.toml lists them under [parameters]"


def _read(name: str, fields: Any) -> BotParameter:  # Any: TOML
    where = f"{FIELD}.{name}" if _NAME.fullmatch(name) else FIELD
    if where == FIELD:
        raise BadManifest(f"{FIELD}: name them by small letters, digits and _, such as depth")
    kind = fields.get("type") if isinstance(fields, dict) else None
    if type(kind) is not str or kind not in _FIELDS:
        raise BadManifest(f'{where}: write {{type = "integer", default = 4}}; types: {_types()}')
    if unknown := sorted(set(fields) - set(_FIELDS[kind])):
        stated = ", ".join(_FIELDS[kind])
        raise BadManifest(f"{where}: {unknown[0][:60]!r} does not belong there; known: {stated}")
    bounds = [fields.get(bound) for bound in ("min", "max")]
    if not all(bound is None or _is_bound(bound) for bound in bounds):
        raise BadManifest(f"{where}: write min and max as numbers up to 2^53, or leave them out")
    choices = fields.get("choices", [])
    if kind == "choice" and not _are_texts(choices):
        raise BadManifest(f'{where}: write choices as a list of texts, such as ["calm", "wild"]')
    parameter = BotParameter(
        name=name,
        type=kind,
        default=fields.get("default"),
        min=bounds[0],
        max=bounds[1],
        choices=tuple(choices),
    )
    if not parameter.accepts(parameter.default):
        raise BadManifest(f"{where}: its default may be {parameter.allowed()}")
    return parameter


def _types() -> str:
    return ", ".join(_FIELDS)


def _is_bound(value: object) -> bool:
    return type(value) in (int, float) and -_LARGEST <= value <= _LARGEST  # type: ignore[operator]  # a number


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(type(item) is str for item in value)
