"""Serializers of requests about tournaments."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from api.protocol.requests import PublicReasonField, RequestSerializer, naming
from api.tournaments.arrangements import ArrangementSerializer, take_arrangement
from pentathlon.accounts.models import User
from pentathlon.core.errors import DomainError, TooLarge
from pentathlon.tournaments.documents.checks import (
    MOST_ENTRIES_PER_AUTHOR,
    check_plan,
    find_versions,
    gather_errors,
)
from pentathlon.tournaments.guards import check_may_create
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Tournament
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.organising.posted_documents import check_posted, create_from_document
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import LAWS
from pentathlon_engines.tournament.formats.registry import NEVER_RATED, newest_format

IN_SHORT_FORM: Final = {"entries": "versions", "scheduler": "format"}
"""The names of a document's fields in the short form of a request."""
IN_DOCUMENT: Final = {"versions": "entries"}
"""The names of the services' arguments in documents."""
LARGEST_ID: Final = 10**18
_LARGEST_NUMBER: Final = 10**9
_MOST_IDS: Final = 1000
_MOST_TIE_BREAKS: Final = 10
_OF_DOCUMENT = (
    "game",
    "params",
    "options",
    "limits",
    "table_seats",
    "draw_probability",
    "tie_breaks",
    "leaving",
)
_AROUND_DOCUMENT = ("name", "rated", "entries_per_author", "secret")
"""Fields beside a document, which have the same names in services."""
_LARGEST_DOCUMENT = 2**20


@extend_schema_field({"type": "string", "enum": list(GAMES)})
class GameField(serializers.CharField):
    """The key of a game; the service says which there are."""


class RatedField(serializers.BooleanField):
    """Whether results count on leaderboards as well."""

    def __init__(self) -> None:
        super().__init__(
            default=True, help_text="An A/B test is never rated, so its default is false."
        )


class TournamentRequestSerializer(ArrangementSerializer):
    """The fields of a new tournament."""

    name = serializers.CharField(max_length=80)
    game = GameField(max_length=30, help_text="Key of the game.")
    format = serializers.CharField(max_length=20, default="round_robin")
    versions = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        max_length=_MOST_IDS,
        default=list,
        help_text="Ids of the bot versions that take part; more may enter before the start.",
    )
    cycles = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=_MOST_IDS,
        help_text="How many times everybody meets: `params.cycles`.",
    )
    params = serializers.DictField(
        default=dict, help_text="Parameters of the format; the others get their defaults."
    )
    tie_breaks = serializers.ListField(
        child=serializers.CharField(max_length=30),
        max_length=_MOST_TIE_BREAKS,
        default=list,
        help_text="The order of the table, most important first; if empty, that of the format.",
    )
    leaving = serializers.CharField(
        default=None,
        allow_null=True,
        max_length=20,
        help_text="The law about bots that leave: "
        + "; ".join(f"`{name}`: {sentence}" for name, sentence in LAWS.items())
        + " If omitted, that of the format.",
    )
    table_seats = serializers.IntegerField(
        default=None, allow_null=True, help_text="If omitted, the game's usual value."
    )
    entries_per_author = serializers.IntegerField(
        default=ENTRIES_PER_AUTHOR,
        min_value=1,
        max_value=MOST_ENTRIES_PER_AUTHOR,
        help_text="How many versions one author may enter; the organiser may enter any.",
    )
    options = serializers.DictField(default=dict, help_text="Options of the game.")
    limits = serializers.DictField(default=dict, help_text="Limits that differ from the defaults.")
    rated = RatedField()
    draft = serializers.BooleanField(
        source="is_draft", default=False, help_text="Only you see it until you open it."
    )
    secret = serializers.CharField(
        default=None,
        allow_null=True,
        max_length=64,
        help_text="Only for an unrated replay: the secret of the tournament to play again.",
    )
    draw_probability = serializers.FloatField(
        default=None,
        allow_null=True,
        help_text="Only for an unrated replay: the value from its document.",
    )

    def further_problems(self) -> Iterator[DomainError]:
        """Yield the errors of the arrangement, and those of a document by the valid fields."""
        yield from super().further_problems()
        right = self.right_values(*_OF_DOCUMENT, "format", "rated", "versions")
        versions = right.pop("versions")
        rated = is_rated(right.pop("rated"), kind=right["format"], sent=self.initial_data)
        if right.get("game") is None:
            return
        seats = right["table_seats"] or usual_seats(right["game"])
        scheduler = newest_format(right.pop("format"), seats=seats)
        right["tie_breaks"] = tuple(right["tie_breaks"])
        document = TournamentDocument(scheduler=scheduler, **right)
        is_repeat = self.context.get("is_repeat", False)
        known = partial(find_versions, versions, game=document.game, is_repeat=is_repeat)
        check = partial(check_plan, document, entries=0, rated=rated, others=[known])
        yield from gather_errors([naming(check, IN_SHORT_FORM)])

    @property
    def tournament(self) -> Draft:
        """The requested tournament."""
        values = dict(self.validated_data)
        arrangement = take_arrangement(values)
        kind = values["format"]
        document = {name: values[name] for name in _OF_DOCUMENT}
        document["tie_breaks"] = tuple(document["tie_breaks"])
        if (cycles := values.get("cycles")) is not None:
            document["params"] = {"cycles": cycles, **document["params"]}
        seats = document["table_seats"] or usual_seats(document["game"])
        return Draft(
            name=values["name"],
            document=TournamentDocument(scheduler=newest_format(kind, seats=seats), **document),
            versions=values["versions"],
            rated=is_rated(values["rated"], kind=kind, sent=self.initial_data),
            entries_per_author=values["entries_per_author"],
            arrangement=arrangement,
        )


class DocumentRequestSerializer(RequestSerializer):
    """A whole document, as `…/document/` returns it, and the settings outside it."""

    document = serializers.JSONField(help_text="See `/api/v1/tournaments/schema/`.")
    name = serializers.CharField(max_length=80, default=None, allow_null=True)
    rated = serializers.BooleanField(default=False)
    draft = serializers.BooleanField(
        source="is_draft", default=False, help_text="Only you see it until you open it."
    )
    entries_per_author = serializers.IntegerField(
        default=ENTRIES_PER_AUTHOR, min_value=1, max_value=MOST_ENTRIES_PER_AUTHOR
    )
    secret = serializers.CharField(
        default=None,
        allow_null=True,
        max_length=64,
        help_text="Only for an unrated replay: the secret of the tournament to play again.",
    )

    def further_problems(self) -> Iterable[DomainError]:
        """Return the errors of the document and of the fields beside it, if those are valid."""
        right = self.right_values("document", *_AROUND_DOCUMENT)
        return gather_errors(
            [naming_in_document(partial(check_posted, actor=self.context["actor"], **right))]
        )


def naming_in_document(create: Callable[[], Any]) -> Callable[[], Any]:
    # Any: what it is given makes
    """Have errors of a service name fields as a request with a document does."""
    return naming(create, IN_DOCUMENT, within="document", outside=_AROUND_DOCUMENT)


class BlockOrderSerializer(RequestSerializer):
    """A block of a tournament, and a reason."""

    block = serializers.IntegerField(min_value=1, max_value=_LARGEST_NUMBER)
    reason = PublicReasonField()


class RoundOrderSerializer(RequestSerializer):
    """A round of a tournament, and a reason."""

    round = serializers.IntegerField(min_value=1, max_value=_LARGEST_NUMBER)
    reason = PublicReasonField()


ORDER = PolymorphicProxySerializer(
    component_name="OrderRequest",
    serializers=[BlockOrderSerializer, RoundOrderSerializer],
    resource_type_field_name=None,
)
"""An order for a block, or for a round."""


class OrderedSerializer(serializers.Serializer[Any]):
    """The effect of a request to void or replay."""

    blocks = serializers.IntegerField(
        help_text="The number of blocks changed; 0 if nothing had to change."
    )


def is_rated(
    rated: bool,
    *,
    kind: str,
    sent: Any,  # Any: a body as it came
) -> bool:
    """Return whether a tournament shall be rated: an A/B test only if `rated` was sent."""
    return rated and (kind not in NEVER_RATED or "rated" in sent)


def usual_seats(game: str) -> int:
    """Return the default seats of a game; 0 if it is unknown, which the service refuses."""
    return GAMES[game].info.default_seats if game in GAMES else 0


class WantedTournament(NamedTuple):
    """A new tournament that a request describes."""

    create: Callable[[], Tournament]
    named: Callable[[Callable[[], Any]], Callable[[], Any]]  # Any: what it is given makes
    """Wraps a function so that its errors name fields as the request does."""


def read_new_tournament(request: Request, actor: User) -> WantedTournament:
    """Return the tournament that a request describes.

    Errors name fields as the request does: those of a plain document, within `document`, or in the
    short form. Only organisers learn about errors.
    """
    check_may_create(actor, what="tournaments")
    body = request.data
    if isinstance(body, dict) and isinstance(body.get("format"), int):
        _check_length(request)
        create = partial(create_from_document, actor=actor, document=body)
        return WantedTournament(create, partial(naming, names=IN_DOCUMENT))
    if isinstance(body, dict) and "document" in body:
        _check_length(request)
        whole = DocumentRequestSerializer(data=body, context={"actor": actor})
        whole.is_valid(raise_exception=True)
        create = partial(create_from_document, actor=actor, **whole.validated_data)
        return WantedTournament(create, naming_in_document)
    sent = TournamentRequestSerializer(data=body)
    sent.is_valid(raise_exception=True)
    create = partial(
        create_tournament,
        actor=actor,
        draft=sent.tournament,
        secret=sent.validated_data["secret"],
        is_draft=sent.validated_data["is_draft"],
    )
    return WantedTournament(create, partial(naming, names=IN_SHORT_FORM))


def _check_length(request: Request) -> None:
    if int(request.META.get("CONTENT_LENGTH") or 0) > _LARGEST_DOCUMENT:
        raise TooLarge(f"A document has at most {_LARGEST_DOCUMENT} bytes.")
