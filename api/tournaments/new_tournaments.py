"""New tournaments, as requests describe them: by their fields, or as a document."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rest_framework.request import Request

from api.protocol.requests import naming
from api.tournaments.requests import (
    IN_DOCUMENT,
    IN_SHORT_FORM,
    DocumentRequestSerializer,
    TournamentRequestSerializer,
    naming_in_document,
)
from pentathlon.accounts.models import User
from pentathlon.core.errors import TooLarge
from pentathlon.tournaments.guards import check_may_create
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.arrangement import create_arranged_tournament
from pentathlon.tournaments.organising.posted_documents import create_from_document

_LARGEST_DOCUMENT = 2**20


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
        create_arranged_tournament,
        actor=actor,
        draft=sent.tournament,
        secret=sent.validated_data["secret"],
        is_draft=sent.validated_data["is_draft"],
    )
    return WantedTournament(create, partial(naming, names=IN_SHORT_FORM))


def _check_length(request: Request) -> None:
    if int(request.META.get("CONTENT_LENGTH") or 0) > _LARGEST_DOCUMENT:
        raise TooLarge(f"A document has at most {_LARGEST_DOCUMENT} bytes.")
