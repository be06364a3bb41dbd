"""The draft of a tournament: what its organiser may edit until it is open for entries."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import Endpoint
from api.protocol.requests import naming
from api.tournaments.requests import IN_SHORT_FORM, TournamentRequestSerializer
from pentathlon.matches.hidden_lanes import is_repeated
from pentathlon.tournaments.guards import check_organiser
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.arrangement import Draft
from pentathlon.tournaments.organising.changes import edit_draft, read_draft

LONGEST_REVISION = 64
NO_REVISION = "Send the `revision` that you read, so that you undo nobody else's change."
_FOLLOWING = {"game": ("options", "table_seats"), "format": ("params", "tie_breaks", "leaving")}
"""Fields that lose their meaning once another one has changed."""


class DraftSerializer(TournamentRequestSerializer):
    """The fields that would create this draft, and their revision."""

    cycles = None  # type: ignore[assignment]  # it is one of `params`
    draft = None  # type: ignore[assignment]  # it is one
    secret = None  # type: ignore[assignment]  # drawn, or given, for good
    revision = serializers.CharField(
        max_length=LONGEST_REVISION,
        help_text="The revision that you read. If the draft has changed since, it stays as it is.",
        error_messages={"required": NO_REVISION},
    )


class DraftActions(Endpoint[Tournament]):
    """The actions on a draft."""

    @extend_schema(responses=DraftSerializer)
    @action(detail=True)
    def draft(self, request: Request, pk: str) -> Response:
        """Return the draft of a tournament, to edit it."""
        return Response(_told(read_draft(self.get_object())))

    @extend_schema(request=DraftSerializer, responses=DraftSerializer)
    @draft.mapping.patch
    def edit(self, request: Request, pk: str) -> Response:
        """Change a draft: send the fields that change, and the `revision` that you read.

        The other fields stay. A new game resets its options and seats to the defaults unless you
        send them; a new format resets its parameters.
        """
        tournament = self.get_object()
        check_organiser(self.actor, tournament, to="edit")
        sent = DraftSerializer(
            data=_changed(_told(read_draft(tournament)), request.data),
            context={"is_repeat": is_repeated(tournament.pk)},
        )
        sent.is_valid(raise_exception=True)
        edit = partial(
            edit_draft,
            actor=self.actor,
            tournament=tournament,
            draft=sent.tournament,
            revision=sent.validated_data["revision"],
        )
        return Response(_told(read_draft(naming(edit, IN_SHORT_FORM)())))


def _told(draft: Draft) -> dict[str, Any]:  # Any: JSON
    """Return a draft as the fields of a request."""
    document = draft.document
    return {
        "name": draft.name,
        "game": document.game,
        "format": document.scheduler.partition("/")[0],
        "versions": list(draft.versions),
        "params": dict(document.params),
        "tie_breaks": list(document.tie_breaks),
        "leaving": document.leaving,
        "table_seats": document.table_seats,
        "entries_per_author": draft.entries_per_author,
        "options": dict(document.options),
        "limits": dict(document.limits),
        "rated": draft.rated,
        "draw_probability": document.draw_probability,
        **draft.arrangement.to_json(),
        "revision": draft.revision,
    }


def _changed(stored: dict[str, Any], asked: Any) -> Any:  # Any: JSON
    """Return a draft with the requested changes and the requested revision, if there is one."""
    if not isinstance(asked, Mapping):
        return asked
    del stored["revision"]
    for name, following in _FOLLOWING.items():
        if name in asked and asked[name] != stored[name]:
            for each in following:
                del stored[each]
    return stored | dict(asked)
