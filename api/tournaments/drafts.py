"""The draft of a tournament: what its organiser may edit until it is open for entries."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.response import Response

from api.protocol.endpoint import Endpoint
from api.protocol.requests import naming
from api.tournaments.arrangements import (
    ArrangementSerializer,
    arrangement_fields,
    take_arrangement,
)
from api.tournaments.requests import IN_SHORT_FORM, TournamentRequestSerializer
from pentathlon.core.errors import DomainError
from pentathlon.matches.hidden_lanes import is_repeated
from pentathlon.tournaments.documents.checks import LONGEST_NAME, MOST_ENTRIES_PER_AUTHOR
from pentathlon.tournaments.guards import check_organiser, check_state
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.changes import (
    FIXED,
    Setup,
    change_tournament,
    problems_of_change,
    setup_of,
)
from pentathlon.tournaments.organising.drafts import Draft, edit_draft, read_draft

LONGEST_REVISION = 64
NO_REVISION = "Send the `revision` that you read, so that you undo nobody else's change."
_FOLLOWING = {"game": ("options", "table_seats"), "format": ("params", "tie_breaks", "leaving")}
"""Fields that lose their meaning once another one has changed."""
_IS_FIXED = (
    "{} stays as it is since the tournament opened: authors entered for it, and seeds rest on the "
    "document. Cancel the tournament and make another one to change it."
)
_ENTRIES = "Entries come and go at `entries/`, not here."


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


class ChangeSerializer(ArrangementSerializer):
    """What changes of an open tournament, and the revision that you read."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    entries_per_author = serializers.IntegerField(min_value=1, max_value=MOST_ENTRIES_PER_AUTHOR)
    revision = serializers.CharField(
        max_length=LONGEST_REVISION,
        help_text="`revision` of the tournament. If it has changed since, it stays as it is.",
        error_messages={"required": NO_REVISION},
    )

    def to_internal_value(self, data: Any) -> Any:  # Any: as the framework has it
        """Return the checked values; name each field that can change no more."""
        given = data if isinstance(data, Mapping) else {}
        fixed = {
            name: [
                ErrorDetail(_ENTRIES if name == "versions" else _IS_FIXED.format(name), "fixed")
            ]
            for name in FIXED
            if name in given
        }
        rest = {name: value for name, value in given.items() if name not in fixed}
        try:
            checked = super().to_internal_value(rest if fixed else data)
        except serializers.ValidationError as error:
            found = error.detail if isinstance(error.detail, dict) else {}
            raise serializers.ValidationError({**found, **fixed}) from error
        if fixed:
            raise serializers.ValidationError(fixed)
        return checked

    def further_problems(self) -> Iterator[DomainError]:
        """Yield the semantic errors of the valid fields."""
        right = self.right_values(*arrangement_fields(), "name", "entries_per_author")
        stored = setup_of(self.context["tournament"])
        setup = Setup(
            arrangement=take_arrangement(right),
            name=right["name"] or stored.name,
            entries_per_author=right["entries_per_author"] or stored.entries_per_author,
        )
        yield from problems_of_change(self.context["tournament"], setup)

    @property
    def setup(self) -> Setup:
        """The requested setup."""
        values = dict(self.validated_data)
        del values["revision"]
        return Setup(arrangement=take_arrangement(values), **values)


class ChangeActions(Endpoint[Tournament]):
    """Changing what no seed rests on."""

    def change(self, request: Request) -> Tournament:
        """Change an open tournament as the request says; the other fields stay."""
        tournament = self.get_object()
        check_organiser(self.actor, tournament, to="change")
        check_state(tournament, TournamentState.OPEN, to="change")
        sent = ChangeSerializer(
            data=_with_changes(setup_of(tournament), request.data),
            context={"tournament": tournament},
        )
        sent.is_valid(raise_exception=True)
        return change_tournament(
            actor=self.actor,
            tournament=tournament,
            setup=sent.setup,
            revision=sent.validated_data["revision"],
        )


def _with_changes(stored: Setup, asked: Any) -> Any:  # Any: JSON
    """Return the stored fields with the requested changes."""
    if not isinstance(asked, Mapping):
        return asked
    kept = stored.to_json()
    if asked.get("by_invitation") is False:
        kept["invited"] = []
    return kept | dict(asked)
