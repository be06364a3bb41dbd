"""A token without the scope for private things reads as somebody who has not signed in."""

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import MatchKind, MatchState
from tests.api.client import V1, client_of
from tests.factories import make_match, make_user
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db
_BLIND = [scope for scope in Scope if scope is not Scope.PRIVATE_READ]


@pytest.mark.parametrize("table", ["standings", "crosstable"])
def test_organiser_reads_hidden_tables_with_the_scope_alone(table: str) -> None:
    organiser = make_user(organiser=True)
    cup = open_cup(organiser, rated=False)
    HiddenLane.objects.create(lane=cup.pk, organiser=organiser)
    address = f"{V1}/tournaments/{cup.pk}/{table}/"

    assert client_of(organiser).get(address).status_code == 200
    for reader in (client_of(organiser, scopes=_BLIND), APIClient()):
        assert reader.get(address).status_code == 409


@pytest.mark.parametrize("address", ["matches/", "matches/{pk}/"])
def test_author_reads_validations_with_the_scope_alone(address: str) -> None:
    match = make_match(kind=MatchKind.VALIDATION, state=MatchState.DONE)
    version = match.seats.all()[0].version
    assert version is not None
    type(match).objects.filter(pk=match.pk).update(validated_version=version.pk)
    path = f"{V1}/{address.format(pk=match.pk)}"

    author = version.bot.owner
    seen, blind, nobody = (
        client.get(path).json()
        for client in (client_of(author), client_of(author, scopes=_BLIND), APIClient())
    )

    assert f'"id": {match.pk}' in str(seen).replace("'", '"')
    assert blind.get("results", blind.get("code")) == nobody.get("results", nobody.get("code"))
    assert f'"id": {match.pk}' not in str(blind).replace("'", '"')
