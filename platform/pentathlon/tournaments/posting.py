"""Tournaments from whole documents: what was published can be posted again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import DomainError, InvalidInput, NotAllowed, Problems
from pentathlon.ratings.skill import ALGORITHM_VERSION, BETA
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Tournament
from pentathlon.tournaments.services import create_tournament
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import BEFORE, FORMAT, TournamentDocument
from pentathlon_engines.tournament.formats.parameters import schema_of
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS

Json = Any

_NUMBER_OR_NULL: Final = {"type": ["number", "null"]}
_ENTRANT: Final[Mapping[str, Any]] = {  # Any: JSON Schema
    "type": "object",
    "additionalProperties": False,
    "required": ["hash"],
    "properties": {
        "bot": {"type": "string"},
        "version": {"type": "integer"},
        "hash": {"type": "string", "description": "Content hash of the version's archive."},
        "author": {"type": "string"},
        "strength": {**_NUMBER_OR_NULL, "description": "For seeding, higher is better."},
    },
}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def document_schema() -> dict[str, Any]:  # Any: JSON Schema
    """Return the JSON Schema of tournament documents, made from games and formats."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tournament document",
        "type": "object",
        "additionalProperties": False,
        "required": ["format", "scheduler", "game", "entries"],
        "properties": {
            "format": {"const": FORMAT},
            "scheduler": {"type": "string", "enum": list(FORMATS)},
            "params": {"type": "object", "description": "By scheduler: see `allOf`."},
            "commitment": {
                "type": ["string", "null"],
                "description": "Of the tournament that was; a new one gets its own.",
            },
            "game": {"type": "string", "enum": list(GAMES)},
            "rules": {"type": ["integer", "null"], "description": "Version; null: the newest."},
            "options": {"type": "object", "default": {}},
            "limits": {"type": "object", "default": {}},
            "table_seats": {"type": ["integer", "null"], "default": None},
            "rating_algorithm": {"type": ["integer", "null"], "default": None},
            "draw_probability": {**_NUMBER_OR_NULL, "default": None},
            "beta": {**_NUMBER_OR_NULL, "default": None},
            "tie_breaks": {
                "type": "array",
                "items": {"enum": list(TIE_BREAKS)},
                "uniqueItems": True,
                "default": [],
            },
            "entries": {"type": "array", "items": dict(_ENTRANT)},
        },
        "allOf": [
            {
                "if": {"properties": {"scheduler": {"const": name}}},
                "then": {"properties": {"params": schema_of(scheduling.parameters)}},
            }
            for name, scheduling in FORMATS.items()
        ],
    }


@transaction.atomic
def create_from_document(
    *,
    actor: User,
    document: Json,
    name: str | None = None,
    rated: bool = False,
    entries_per_author: int = ENTRIES_PER_AUTHOR,
    secret: str | None = None,
) -> Tournament:
    """Create a tournament from a posted document, with the entrants and strengths that it names.

    Raises:
        InvalidInput: `Problems`, with everything that is wrong.
    """
    if not actor.is_organiser:
        raise NotAllowed("Only organisers create tournaments.", code="not_an_organiser")
    read, versions, strengths = read_document(document)
    made = create_tournament(
        actor=actor,
        name=_name_for(read) if name is None else name,
        document=read,
        versions=versions,
        rated=rated,
        entries_per_author=entries_per_author,
        secret=secret,
    )
    hinted = list(made.entries.filter(number__isnull=False))
    for entry in hinted:
        entry.strength_hint = strengths[entry.number or 0]
    hinted = [entry for entry in hinted if entry.strength_hint is not None]
    made.entries.bulk_update(hinted, ("strength_hint",))
    return made


def _name_for(document: TournamentDocument) -> str:
    game, scheduling = GAMES.get(document.game), FORMATS.get(document.scheduler)
    return f"{game.info.title if game else '?'}, {scheduling.title if scheduling else '?'}"


def read_document(data: Json) -> tuple[TournamentDocument, list[int], list[float | None]]:
    """Read a posted document; return it with the ids of its entrants, and their strengths.

    Raises:
        Problems: its shape is wrong, or an entrant is not known; all that is wrong at once.
    """
    if isinstance(data, Mapping) and data.get("format") == BEFORE and "cycles" in data:
        data = {**data, "format": FORMAT, "params": {"cycles": data["cycles"]}}
        del data["cycles"]
    errors: list[DomainError] = list(_wrong_shapes(data, document_schema(), "document"))
    if errors:
        raise Problems(errors)
    errors += _other_release(data)
    versions, unknown = _entrants(data["entries"])
    errors += unknown
    if errors:
        raise Problems(errors)
    usual = Limits().to_json()
    # All limits are written out; those that nobody may set are right as they are.
    unusual = {
        name: value
        for name, value in data.get("limits", {}).items()
        if name not in usual or usual[name] != value
    }
    document = TournamentDocument(
        game=data["game"],
        scheduler=data["scheduler"],
        params=data.get("params", {}),
        options=data.get("options", {}),
        limits=unusual,
        table_seats=data.get("table_seats"),
        draw_probability=data.get("draw_probability"),
        tie_breaks=tuple(data.get("tie_breaks", ())),
    )
    return document, versions, [entry.get("strength") for entry in data["entries"]]


def _wrong_shapes(value: Json, schema: Mapping[str, Any], at: str) -> Iterator[InvalidInput]:
    """Yield where a value is not as the schema has it, as far as types and names go."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_odd = kinds and not any(
        isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool)
        for kind in kinds
    )
    if is_odd:
        sentence = f"This must be {' or '.join(kinds)}."
        yield InvalidInput(sentence, code="bad_type", field=at, allowed=list(kinds))
        return
    if "const" in schema and value != schema["const"]:
        sentence = f"This must be {schema['const']!r}."
        yield InvalidInput(sentence, code="bad_value", field=at, allowed=[schema["const"]])
    if isinstance(value, dict) and "properties" in schema:
        for name in schema.get("required", ()):
            if name not in value:
                yield InvalidInput("This is missing.", code="required", field=f"{at}.{name}")
        for name, each in value.items():
            if name in schema["properties"]:
                yield from _wrong_shapes(each, schema["properties"][name], f"{at}.{name}")
            else:
                known = list(schema["properties"])
                yield InvalidInput(
                    f"There is no such field. Known: {', '.join(known)}.",
                    code="unknown_field",
                    field=f"{at}.{str(name)[:60]}",
                    allowed=known,
                )
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from _wrong_shapes(each, schema.get("items", {}), f"{at}.{number}")


def _other_release(data: Mapping[str, Any]) -> Iterator[InvalidInput]:
    """Yield what another release computes in another way."""
    game = GAMES.get(data["game"])
    here = {
        "rules": game.info.version if game else None,
        "rating_algorithm": ALGORITHM_VERSION,
        "beta": BETA,
    }
    for name, value in here.items():
        asked = data.get(name)
        if asked is not None and value is not None and asked != value:
            yield InvalidInput(
                f"This release has {value}, the document asks for {asked}: post it to a release "
                "that has that, or leave it out.",
                code="other_release",
                field=f"document.{name}",
                allowed=[value],
            )


def _entrants(entries: Sequence[Mapping[str, Any]]) -> tuple[list[int], list[InvalidInput]]:
    """Return the ids of entrants by content hash, and what is wrong with them."""
    hashes = [entry["hash"] for entry in entries]
    known: dict[str, list[BotVersion]] = {}
    found = BotVersion.objects.filter(archive__in=set(hashes)).select_related("bot")
    for version in found.order_by("pk"):
        known.setdefault(version.archive_id, []).append(version)
    ids: list[int] = []
    errors: list[InvalidInput] = []
    for number, entry in enumerate(entries):
        at = f"document.entries.{number}"
        same = known.get(entry["hash"], [])
        named = [
            version
            for version in same
            if entry.get("bot", version.bot.name) == version.bot.name
            and entry.get("version", version.number) == version.number
        ]
        if not same:
            errors.append(
                InvalidInput(
                    "No bot version has this content hash here.",
                    code="unknown_entrant",
                    field=f"{at}.hash",
                )
            )
        elif (chosen := (named or same)[0].pk) in ids:
            errors.append(
                InvalidInput("Each bot version can enter once.", code="duplicate_bots", field=at)
            )
        else:
            ids.append(chosen)
    return ids, errors
