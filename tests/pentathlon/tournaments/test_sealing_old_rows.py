"""Tournaments from before seeds were sealed survive the migration."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from pentathlon.tournaments.document import document_json
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.proof import proof
from pentathlon_engines.tournament.proof import BadProof, check_proof
from tests.factories import make_user, make_version

pytestmark = pytest.mark.django_db(transaction=True)

_BEFORE = [("tournaments", "0003_results_version")]


@pytest.fixture
def old_tournament() -> Iterator[Any]:
    """Return the model as the release before had it; migrate to the newest one afterwards."""
    executor = MigrationExecutor(connection)
    executor.migrate(_BEFORE)
    yield executor.loader.project_state(_BEFORE).apps.get_model("tournaments", "Tournament")
    call_command("migrate", verbosity=0)


def _stored(model: Any, state: str, **fields: Any) -> int:
    """Store a tournament of the release before, with the two entries of the current one."""
    owner = make_user(organiser=True)
    made = model.objects.create(
        owner_id=owner.pk, name=f"Old {state}", game="tuned", format="round_robin",
        state=state, seed=7, **fields,
    )  # fmt: skip
    entries = model.entries.rel.related_model
    for number in range(2):
        version = make_version(owner=owner)
        entries.objects.create(tournament_id=made.pk, version_id=version.pk, number=number)
    return int(made.pk)


def test_open_ones_get_a_secret_and_running_ones_keep_their_matches(old_tournament: Any) -> None:
    open_one, running, closed = (
        _stored(old_tournament, state) for state in ("open", "running", "closed")
    )

    call_command("migrate", verbosity=0)

    found = Tournament.objects.in_bulk([open_one, running, closed])
    assert len(bytes.fromhex(found[open_one].secret)) == 32
    assert found[running].secret == found[closed].secret == ""
    assert found[running].revealed_at is None
    assert found[closed].revealed_at is not None
    assert document_json(found[closed])["seed"] == 7
    assert "seed" not in document_json(found[running])
    for pk in (running, closed):
        with pytest.raises(BadProof, match="before seeds were sealed"):
            check_proof(proof(found[pk]))
