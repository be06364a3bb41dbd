"""Changes of a tournament that is open for entries."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request

from api.protocol.endpoint import Endpoint
from api.tournaments.arrangements import (
    ArrangementSerializer,
    arrangement_fields,
    take_arrangement,
)
from api.tournaments.drafts import LONGEST_REVISION, NO_REVISION
from pentathlon.core.errors import DomainError
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

_IS_FIXED = (
    "{} stays as it is since the tournament opened: authors entered for it, and seeds rest on the "
    "document. Cancel the tournament and make another one to change it."
)
_ENTRIES = "Entries come and go at `entries/`, not here."


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
            data=_with_changes(setup_of(tournament), request.data), context={"tournament": tournament}
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
